package slurm

import (
	"cmp"
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
	c, err := parsed(ctx, s, parseConfig, "scontrol", "show", "config")
	if err == nil {
		s.policies(ctx, &c)
	}
	return c, err
}

// parseConfig reads "scontrol show config".
func parseConfig(out string) (priority.Controller, error) {
	var c priority.Controller
	stores := values(&c, parseTimeLimit, parseTimeLimit)
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), none(strings.TrimSpace(value))
		if store, known := stores[strings.ToLower(key)]; ok && known {
			if err := store(value); err != nil {
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

// values returns the function that stores the value of each key. duration reads times, exact those that Slurm does not round:
// scontrol shows seconds where slurm.conf has minutes.
func values(c *priority.Controller, duration, exact func(string) (ostrich.Duration, error)) map[string]func(value string) error {
	w := &c.Weights
	return map[string]func(string) error{
		"clustername":              into(&c.ClusterName, text("")),
		"slurm_version":            into(&c.Version, text("")),
		"prioritytype":             into(&c.PriorityType, text("")),
		"selecttype":               into(&c.SelectType, text("")),
		"selecttypeparameters":     into(&c.SelectsMemory, func(value string) (bool, error) { return strings.Contains(strings.ToUpper(value), "MEMORY"), nil }),
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
		"preempttype":              into(&c.PreemptType, text("preempt/none")),
		"preemptmode":              into(&c.PreemptMode, text("OFF")),
		"preemptparameters":        into(&c.PreemptParameters, words),
		"preemptexempttime": into(&c.PreemptExemptTime, func(value string) (ostrich.Duration, error) {
			if value == "" || value == "-1" || strings.EqualFold(value, "NONE") {
				return 0, nil
			}
			return exact(value)
		}),
		"schedulertype":            into(&c.Scheduling.NoBackfill, func(value string) (bool, error) { return value == "sched/builtin", nil }),
		"schedulerparameters":      into(&c.SchedulerParameters, words),
		"slurmctldparameters":      into(&c.SlurmctldParameters, words),
		"privatedata":              into(&c.PrivateData, func(value string) ([]string, error) { return list(strings.ToLower(unless(value, "none"))), nil }),
		"slurmuser":                into(&c.SlurmUser, func(value string) (uint32, error) { return uidOf(value), nil }),
		"accountingstoragetres":    into(&c.AccountingTRES, words),
		"accountingstorageenforce": into(&c.AccountingEnforce, words),
		"accountingstoreflags": into(&c.StoresComments, func(value string) (bool, error) { // since 21.08
			return slices.ContainsFunc(list(value), func(flag string) bool { return strings.EqualFold(flag, "job_comment") }), nil
		}),
		"accountingstorejobcomment": into(&c.StoresComments, yes),
	}
}

// into returns a function that parses a value and stores it in a field.
func into[T any](field *T, parse func(string) (T, error)) func(value string) error {
	return func(value string) (err error) {
		*field, err = parse(value)
		return err
	}
}

// text returns a parser that returns the value itself, and "" for the one that stands for
// nothing.
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
	words := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	for i, word := range words {
		words[i] = strings.TrimLeft(word, "=") // of "==", in which slurmctld finds the word all the same
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
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

// policies adds what "scontrol show config" does not show. A policy that cannot
// be read is no error; c.PoliciesUnknown says why.
func (s Commands) policies(ctx context.Context, c *priority.Controller) {
	var err error
	if c.QOS, err = parsed(ctx, s, parseQOS, "scontrol", "-o", "show", "assoc_mgr", "flags=qos"); err != nil {
		c.PoliciesUnknown, c.QOSUnknown = err.Error(), true
	}
	if c.PreemptType == "preempt/qos" {
		if err = s.preempts(ctx, c.QOS); err != nil {
			c.PoliciesUnknown, c.QOSUnknown = cmp.Or(c.PoliciesUnknown, err.Error()), true
		}
	}
	federation, err := s.output(ctx, "scontrol", "show", "federation")
	if err != nil {
		c.PoliciesUnknown = cmp.Or(c.PoliciesUnknown, err.Error())
	}
	c.Federation = parseFederation(federation)
}

// parseQOS reads "scontrol -o show assoc_mgr flags=qos".
func parseQOS(out string) ([]priority.QOS, error) {
	var all []priority.QOS
	for line := range strings.Lines(out) {
		name, found := strings.CutPrefix(line, "QOS=")
		if !found {
			continue
		}
		name, _, _ = strings.Cut(name, "(")
		q := priority.QOS{Name: name, PreemptMode: unless(field(line, "PreemptMode"), "OFF")}
		for _, number := range []struct {
			key string
			to  *uint32
		}{{"MinPrioThresh", &q.Threshold}, {"Priority", &q.Priority}} {
			text := field(line, number.key)
			if text == "" {
				continue
			}
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("scontrol show assoc_mgr: QOS %s: %s=%q: not a number", name, number.key, clip(text))
			}
			*number.to = uint32(n)
		}
		all = append(all, q)
	}
	return all, nil
}

// preempts asks slurmdbd which QOS each one may preempt, which slurmctld does not show.
func (s Commands) preempts(ctx context.Context, qos []priority.QOS) error {
	out, err := s.output(ctx, "sacctmgr", "-nP", "show", "qos", "format=name,preempt")
	if err != nil {
		return err
	}
	return parsePreempts(out, qos)
}

// parsePreempts reads the lists of QOS from sacctmgr's lines "urgent|normal,scavenger".
func parsePreempts(out string, qos []priority.QOS) error {
	for line := range strings.Lines(out) {
		name, others, ok := strings.Cut(strings.TrimRight(line, "\n"), "|")
		if !ok {
			return fmt.Errorf("sacctmgr: line %q: not a QOS and those that it may preempt", clip(line))
		}
		if i := slices.IndexFunc(qos, func(q priority.QOS) bool { return q.Name == name }); i >= 0 {
			qos[i].Preempts = list(others)
		}
	}
	return nil
}

// field returns the value of a word "key=value" of a line, or "".
func field(line, key string) string {
	_, rest, _ := strings.Cut(line, " "+key+"=")
	if end := strings.IndexAny(rest, " \t\r\n"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// parseFederation reads the name from "scontrol show federation", "" for none.
func parseFederation(out string) string {
	for line := range strings.Lines(out) {
		if name, found := strings.CutPrefix(line, "Federation:"); found {
			return none(strings.TrimSpace(name))
		}
	}
	return ""
}

// Thresholds asks slurmdbd for the associations of a cluster that have a
// MinPrioThreshold.
func (s Commands) Thresholds(ctx context.Context, cluster string) ([]priority.Threshold, error) {
	if cluster == "" || strings.ContainsAny(cluster, " ,=\n") {
		return nil, fmt.Errorf("cluster %q: not a cluster's name", cluster)
	}
	out, err := s.output(ctx, "sacctmgr", "-nP", "show", "associations", "cluster="+cluster, "format=account,user,partition,minpriothreshold")
	if err != nil {
		return nil, err
	}
	return parseThresholds(out, cluster)
}

func parseThresholds(out, cluster string) ([]priority.Threshold, error) {
	var all []priority.Threshold
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "|")
		if len(f) != 4 || f[3] == "" || f[3] == "0" {
			continue
		}
		n, err := strconv.ParseUint(f[3], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("sacctmgr: line %q: MinPrioThreshold: not a number", clip(line))
		}
		name, entity := "account "+f[0], fmt.Sprintf("account %s where cluster=%s", f[0], cluster)
		if f[1] != "" {
			name, entity = "user "+f[1]+" of "+name, fmt.Sprintf("user %s where account=%s cluster=%s", f[1], f[0], cluster)
		}
		if f[2] != "" {
			name, entity = name+", partition "+f[2], entity+" partition="+f[2]
		}
		all = append(all, priority.Threshold{Association: name, Entity: entity, Priority: uint32(n)})
	}
	return all, nil
}

// schedulerParameters fills in the fields that come from lists of parameters,
// with Slurm's defaults of the release (src/slurmctld/job_scheduler.c, schedule;
// src/plugins/sched/backfill/backfill.c, _load_config). Like Slurm, it uses the
// default in place of an impossible value. An unknown release counts as the
// newest.
func schedulerParameters(c *priority.Controller) error {
	c.DefaultQueueDepth, c.BackfillMaxJobTest = 100, 500
	if c.Version != "" {
		major, minor, ok := c.Release()
		if !ok {
			return fmt.Errorf("SLURM_VERSION %q: not major.minor", clip(c.Version))
		}
		if major < 21 || major == 21 && minor < 8 {
			c.BackfillMaxJobTest = 100
		}
	}
	s := &c.Scheduling
	s.Interval, s.BatchDelay, s.MinInterval = 60, 3, 2
	s.BackfillInterval, s.BackfillWindow, s.BackfillResolution = 30, 1440*60, 60
	text := strings.Join(c.SchedulerParameters, ",")
	_, c.BackfillContinue = option(text, "bf_continue")
	_, s.Defer = option(text, "defer")
	_, c.Scheduling.PackSerialAtEnd = option(text, "pack_serial_at_end")
	_, c.Scheduling.BackfillBusyNodes = option(text, "bf_busy_nodes")
	for _, p := range parameters(c) {
		n, is, err := numberOf(text, p.name)
		if err != nil {
			return fmt.Errorf("SchedulerParameters: %w", err)
		}
		if is {
			p.store(n)
		}
	}
	return rateLimit(c)
}

// option finds an option as slurmctld does: the first place in the text, inside a word too,
// and in any case (xstrcasestr in Slurm's src/common/xstring.c). It returns what follows.
func option(text, name string) (rest string, is bool) {
	for at := range max(0, len(text)-len(name)+1) {
		if rest := text[at+len(name):]; strings.EqualFold(text[at:at+len(name)], name) {
			return rest, true
		}
	}
	return "", false
}

// numberOf returns the number of an option: its leading digits.
func numberOf(text, name string) (n int, is bool, err error) {
	rest, is := option(text, name+"=")
	if !is {
		return 0, false, nil
	}
	word, _, _ := strings.Cut(rest, ",")
	digits := strings.TrimLeft(word, " ")
	end := 0
	for end < len(digits) && (digits[end] >= '0' && digits[end] <= '9' || end == 0 && (digits[0] == '-' || digits[0] == '+')) {
		end++
	}
	if n, err = strconv.Atoi(digits[:end]); err != nil {
		return 0, false, fmt.Errorf("%q: not a number", clip(name+"="+word))
	}
	return n, true, nil
}

// rateLimit reads the rate limit of users' requests.
func rateLimit(c *priority.Controller) error {
	text := strings.Join(c.SlurmctldParameters, ",")
	_, c.RateLimited = option(text, "rl_enable")
	rate, period := 2, 1 // Slurm's defaults
	for _, p := range []struct {
		name  string
		value *int
	}{{"rl_refill_rate", &rate}, {"rl_refill_period", &period}} {
		n, is, err := numberOf(text, p.name)
		if err != nil {
			return fmt.Errorf("SlurmctldParameters: %w", err)
		}
		if is {
			*p.value = n
		}
	}
	if c.RateLimited {
		c.RefillRate = float64(rate) / float64(max(1, period))
	}
	return nil
}

// The largest values that the backfill scheduler accepts.
const (
	mostBackfillInterval   = 10800
	mostBackfillWindow     = 30 * 1440 // minutes
	mostBackfillResolution = 3600
)

// parameter is a numeric one, and the function that stores it.
type parameter struct {
	name  string
	store func(n int)
}

// parameters returns the numeric parameters. A number out of range leaves the default. Of
// two names of one parameter the newer comes last.
func parameters(c *priority.Controller) []parameter {
	const most = 1<<31 - 1
	count := func(field *int, least, most int) func(int) {
		return func(n int) {
			if n >= least && n <= most {
				*field = n
			}
		}
	}
	span := func(field *ostrich.Duration, unit, least, most int) func(int) {
		return func(n int) {
			if n >= least && n <= most && (n != 0 || least == 0) {
				*field = ostrich.Duration(n * unit)
			}
		}
	}
	s := &c.Scheduling
	return []parameter{
		{"default_queue_depth", count(&c.DefaultQueueDepth, 0, most)},
		{"sched_interval", span(&s.Interval, 1, int(priority.Never), most)},
		{"batch_sched_delay", span(&s.BatchDelay, 1, 0, most)},
		{"sched_min_interval", count(&s.MinInterval, 0, most)},
		{"max_rpc_count", count(&s.MaxRPCs, 0, 1000)},
		{"max_rpc_cnt", count(&s.MaxRPCs, 0, 1000)},
		{"partition_job_depth", count(&s.PartitionJobDepth, 0, most)},
		{"max_job_bf", count(&c.BackfillMaxJobTest, 1, most)},
		{"bf_max_job_test", count(&c.BackfillMaxJobTest, 1, most)},
		{"bf_interval", span(&s.BackfillInterval, 1, int(priority.Never), mostBackfillInterval)},
		{"bf_window", span(&s.BackfillWindow, 60, 1, mostBackfillWindow)},
		{"bf_resolution", span(&s.BackfillResolution, 1, 1, mostBackfillResolution)},
		{"bf_max_job_part", count(&s.BackfillMaxPart, 0, most)},
		{"bf_max_job_user", count(&s.BackfillMaxUser, 0, most)},
		{"bf_max_job_assoc", count(&s.BackfillMaxAssoc, 0, most)},
		{"bf_max_job_user_part", count(&s.BackfillMaxBoth, 0, most)},
		{"bf_job_part_count_reserve", count(&s.BackfillKept, 0, most)},
		{"bf_max_job_array_resv", func(n int) {
			if n >= 0 && n <= 1000 {
				s.BackfillArray = max(1, n) // the first task always does
			}
		}},
		{"bf_min_prio_reserve", count(&s.BackfillMinPrio, 0, math.MaxUint32)},
		{"bf_max_job_start", count(&s.BackfillMaxStart, 0, most)},
		{"bf_min_age_reserve", span(&s.BackfillMinAge, 1, 0, most)},
	}
}
