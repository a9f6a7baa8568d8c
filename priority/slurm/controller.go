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
	takes := values(&c, parseTimeLimit)
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), none(strings.TrimSpace(value))
		if take, known := takes[strings.ToLower(key)]; ok && known {
			if err := take(value); err != nil {
				return priority.Controller{}, fmt.Errorf("scontrol show config: %s = %q: %w", key, clip(value), err)
			}
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

// values returns what takes the value of each key. duration reads times: scontrol shows
// seconds where slurm.conf has minutes.
func values(c *priority.Controller, duration func(string) (ostrich.Duration, error)) map[string]func(value string) error {
	w := &c.Weights
	return map[string]func(string) error{
		"clustername":              into(&c.ClusterName, text("")),
		"slurm_version":            into(&c.Version, text("")),
		"prioritytype":             into(&c.PriorityType, text("")),
		"priorityflags":            into(&c.PriorityFlags, words),
		"prioritysitefactorplugin": into(&c.SiteFactorPlugin, text("site_factor/none")),
		"priorityweightage":        into(&w.Age, weight),
		"priorityweightassoc":      into(&w.Assoc, weight),
		"priorityweightfairshare":  into(&w.Fairshare, weight),
		"priorityweightjobsize":    into(&w.JobSize, weight),
		"priorityweightpartition":  into(&w.Partition, weight),
		"priorityweightqos":        into(&w.QOS, weight),
		"priorityweighttres":       into(&w.TRES, tresWeights),
		"prioritymaxage":           into(&c.PriorityMaxAge, duration),
		"prioritycalcperiod":       into(&c.CalcPeriod, duration),
		"prioritydecayhalflife":    into(&c.DecayHalfLife, duration),
		"priorityusageresetperiod": into(&c.UsageReset, resetPeriod),
		"fairsharedampeningfactor": into(&c.FairShareDamping, damping),
		"priorityfavorsmall":       into(&c.FavorSmall, yes),
		"maxarraysize":             into(&c.MaxArraySize, strconv.Atoi),
		"preempttype":              into(&c.PreemptType, text("preempt/none")),
		"preemptmode":              into(&c.PreemptMode, text("OFF")),
		"preemptparameters":        into(&c.PreemptParameters, words),
		"preemptexempttime": into(&c.PreemptExemptTime, func(value string) (ostrich.Duration, error) {
			if value == "" || value == "-1" || strings.EqualFold(value, "NONE") {
				return 0, nil
			}
			return duration(value)
		}),
		"schedulertype":            into(&c.Scheduling.NoBackfill, func(value string) (bool, error) { return value == "sched/builtin", nil }),
		"schedulerparameters":      into(&c.SchedulerParameters, words),
		"slurmctldparameters":      into(&c.SlurmctldParameters, words),
		"privatedata":              into(&c.PrivateData, func(value string) ([]string, error) { return list(strings.ToLower(unless(value, "none"))), nil }),
		"slurmuser":                into(&c.SlurmUser, func(value string) (uint32, error) { return uidOf(value), nil }),
		"accountingstorageenforce": into(&c.AccountingEnforce, words),
		"accountingstoreflags": into(&c.StoresComments, func(value string) (bool, error) { // since 21.08
			return slices.ContainsFunc(list(value), func(flag string) bool { return strings.EqualFold(flag, "job_comment") }), nil
		}),
		"accountingstorejobcomment": into(&c.StoresComments, yes),
	}
}

// into returns what parses a value into a field.
func into[T any](field *T, parse func(string) (T, error)) func(value string) error {
	return func(value string) (err error) {
		*field, err = parse(value)
		return err
	}
}

// text returns what takes a value as it is, and the one that stands for nothing as "".
func text(nothing string) func(value string) (string, error) {
	return func(value string) (string, error) { return unless(value, nothing), nil }
}

func words(value string) ([]string, error) { return list(value), nil }

// damping reads FairShareDampeningFactor.
func damping(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err == nil && n < 1 {
		err = errors.New("below 1")
	}
	return n, err
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
