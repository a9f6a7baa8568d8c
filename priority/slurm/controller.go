package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Controller reads slurmctld's configuration.
func (s Commands) Controller(ctx context.Context) (priority.Controller, error) {
	out, err := s.output(ctx, "scontrol", "show", "config")
	if err != nil {
		return priority.Controller{}, err
	}
	c, err := parseConfig(string(out))
	if err == nil {
		s.policies(ctx, &c)
	}
	return c, err
}

// parseConfig reads "scontrol show config".
func parseConfig(out string) (priority.Controller, error) {
	var c priority.Controller
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), none(strings.TrimSpace(value))
		if err := set(&c, key, value, parseTimeLimit); err != nil {
			return priority.Controller{}, fmt.Errorf("scontrol show config: %s = %q: %w", key, clip(value), err)
		}
	}
	if c.Version == "" && c.ClusterName != "" && c.PriorityType != "" {
		return priority.Controller{}, errors.New("scontrol show config: no SLURM_VERSION")
	}
	if err := complete(&c); err != nil {
		return priority.Controller{}, fmt.Errorf("scontrol show config: %w", err)
	}
	return c, nil
}

// complete checks that required values are there, and fills in what follows from
// them.
func complete(c *priority.Controller) error {
	for _, need := range []struct{ key, value string }{{"ClusterName", c.ClusterName}, {"PriorityType", c.PriorityType}} {
		if need.value == "" {
			return errors.New("no " + need.key)
		}
	}
	return schedulerParameters(c)
}

// set sets one value. duration reads times: scontrol shows seconds where
// slurm.conf has minutes.
func set(c *priority.Controller, key, value string, duration func(string) (ostrich.Duration, error)) (err error) {
	switch strings.ToLower(key) {
	case "clustername":
		c.ClusterName = value
	case "slurm_version":
		c.Version = value
	case "prioritytype":
		c.PriorityType = value
	case "priorityflags":
		c.PriorityFlags = list(value)
	case "prioritysitefactorplugin":
		c.SiteFactorPlugin = unless(value, "site_factor/none")
	case "priorityweightage":
		c.Weights.Age, err = weight(value)
	case "priorityweightassoc":
		c.Weights.Assoc, err = weight(value)
	case "priorityweightfairshare":
		c.Weights.Fairshare, err = weight(value)
	case "priorityweightjobsize":
		c.Weights.JobSize, err = weight(value)
	case "priorityweightpartition":
		c.Weights.Partition, err = weight(value)
	case "priorityweightqos":
		c.Weights.QOS, err = weight(value)
	case "priorityweighttres":
		c.Weights.TRES, err = tresWeights(value)
	case "prioritymaxage":
		c.PriorityMaxAge, err = duration(value)
	case "prioritycalcperiod":
		c.CalcPeriod, err = duration(value)
	case "prioritydecayhalflife":
		c.DecayHalfLife, err = duration(value)
	case "priorityusageresetperiod":
		c.UsageReset, err = resetPeriod(value)
	case "fairsharedampeningfactor":
		c.FairShareDamping, err = strconv.Atoi(value)
		if err == nil && c.FairShareDamping < 1 {
			err = errors.New("below 1")
		}
	case "priorityfavorsmall":
		c.FavorSmall, err = yes(value)
	case "maxarraysize":
		c.MaxArraySize, err = strconv.Atoi(value)
	case "preempttype":
		c.PreemptType = unless(value, "preempt/none")
	case "preemptmode":
		c.PreemptMode = unless(value, "OFF")
	case "preemptparameters":
		c.PreemptParameters = list(value)
	case "preemptexempttime":
		c.PreemptExemptTime, err = exemptTime(value, duration)
	case "schedulertype":
		c.Scheduling.NoBackfill = value == "sched/builtin"
	case "schedulerparameters":
		c.SchedulerParameters = list(value)
	case "slurmctldparameters":
		c.SlurmctldParameters = list(value)
	case "privatedata":
		c.PrivateData = list(strings.ToLower(unless(value, "none")))
	case "slurmuser":
		c.SlurmUser = uidOf(value)
	case "accountingstorageenforce":
		c.AccountingEnforce = list(value)
	case "accountingstoreflags": // since 21.08
		c.StoresComments = slices.ContainsFunc(list(value), func(flag string) bool { return strings.EqualFold(flag, "job_comment") })
	case "accountingstorejobcomment":
		c.StoresComments, err = yes(value)
	}
	return err
}

// unless returns the value, or "" if it is the one that stands for nothing.
func unless(value, nothing string) string {
	if strings.EqualFold(value, nothing) {
		return ""
	}
	return value
}

// uidOf reads "slurm(64030)". It returns 0 where there is no uid, as in slurm.conf.
func uidOf(value string) uint32 {
	_, id, _ := strings.Cut(strings.TrimSuffix(value, ")"), "(")
	uid, err := strconv.ParseUint(id, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(uid)
}

// resetPeriod reads PriorityUsageResetPeriod.
func resetPeriod(value string) (string, error) {
	switch value = strings.ToUpper(value); value {
	case "", "NONE":
		return "", nil
	case "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY":
		return value, nil
	}
	return "", errors.New("not NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY")
}

// yes reads a boolean (s_p_handle_boolean in Slurm's src/common/parse_config.c).
func yes(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes", "up", "true", "1":
		return true, nil
	case "no", "down", "false", "0":
		return false, nil
	}
	return false, errors.New("not Yes or No")
}

func list(value string) []string {
	if value == "" {
		return nil
	}
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

func weight(value string) (int64, error) {
	w, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return 0, errors.New("not a weight")
	}
	return int64(w), nil
}

func tresWeights(value string) ([]priority.TRESWeight, error) {
	var all []priority.TRESWeight
	for _, elem := range list(value) {
		name, number, _ := strings.Cut(elem, "=")
		w, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(w) || math.Abs(w) > math.MaxUint32 {
			return nil, fmt.Errorf("%q: not name=weight", clip(elem))
		}
		all = append(all, priority.TRESWeight{Name: name, Weight: w})
	}
	return all, nil
}

// exemptTime reads PreemptExemptTime; -1 means none.
func exemptTime(value string, duration func(string) (ostrich.Duration, error)) (ostrich.Duration, error) {
	if value == "" || value == "-1" || strings.EqualFold(value, "NONE") {
		return 0, nil
	}
	return duration(value)
}
