package priority

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// Controller is the part of slurmctld's configuration that decides how jobs
// are ordered.
type Controller struct {
	ClusterName      string
	Version          string // "22.05.8"
	PriorityType     string // "priority/multifactor"
	PriorityFlags    []string
	Weights          Weights
	SiteFactorPlugin string // "" for none
	PriorityMaxAge   ostrich.Duration
	CalcPeriod       ostrich.Duration // PriorityCalcPeriod
	MinJobAge        ostrich.Duration
	MessageTimeout   ostrich.Duration
	MaxArraySize     int

	SchedulerParameters []string
	SlurmctldParameters []string
	JobSubmitPlugins    []string
	DefaultQueueDepth   int // jobs the main scheduler tries on an event
	BackfillMaxJobTest  int // jobs the backfill scheduler tries in a cycle
	RateLimited         bool
	AccountingStorage   string // AccountingStorageType
	AccountingEnforce   []string
	BackfillContinue    bool // bf_continue: an update does not end a backfill cycle
}

// Weights are the weights of priority/multifactor.
type Weights struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS int64
	TRES                                           []TRESWeight
}

// TRESWeight is one element of PriorityWeightTRES.
type TRESWeight struct {
	Name   string
	Weight float64
}

// Sum is the most that normalised factors can add to a priority.
func (w Weights) Sum() int64 {
	sum := w.Age + w.Assoc + w.Fairshare + w.JobSize + w.Partition + w.QOS
	for _, t := range w.TRES {
		sum += int64(math.Ceil(max(t.Weight, 0)))
	}
	return sum
}

// Multifactor reports whether priority/multifactor computes the priorities.
func (c Controller) Multifactor() bool { return c.PriorityType == "priority/multifactor" }

// Basic reports whether priority/basic does.
func (c Controller) Basic() bool { return c.PriorityType == "priority/basic" }

// Flag reports whether PriorityFlags contains the flag.
func (c Controller) Flag(name string) bool {
	for _, f := range c.PriorityFlags {
		if strings.EqualFold(f, name) {
			return true
		}
	}
	return false
}

// unbounded reports whether PriorityFlags lets a factor exceed 1.
func (c Controller) unbounded() bool {
	return c.Flag("NO_NORMAL_ALL") || c.Flag("NO_NORMAL_ASSOC") || c.Flag("NO_NORMAL_PART") ||
		c.Flag("NO_NORMAL_QOS") || c.Flag("NO_NORMAL_TRES")
}

// Depth is the number of jobs that Slurm's schedulers look at.
func (c Controller) Depth() int { return max(c.DefaultQueueDepth, c.BackfillMaxJobTest) }

// Controller reads slurmctld's configuration.
func (s Slurm) Controller(ctx context.Context) (Controller, error) {
	out, err := s.output(ctx, "scontrol", "show", "config")
	if err != nil {
		return Controller{}, err
	}
	return parseConfig(string(out))
}

// parseConfig reads "scontrol show config".
func parseConfig(out string) (Controller, error) {
	var c Controller
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), none(strings.TrimSpace(value))
		if err := c.set(key, value); err != nil {
			return Controller{}, fmt.Errorf("scontrol show config: %s = %q: %w", key, clip(value), err)
		}
	}
	for _, need := range []struct{ key, value string }{
		{"ClusterName", c.ClusterName}, {"SLURM_VERSION", c.Version}, {"PriorityType", c.PriorityType},
	} {
		if need.value == "" {
			return Controller{}, fmt.Errorf("scontrol show config: no %s", need.key)
		}
	}
	if err := c.schedulerParameters(); err != nil {
		return Controller{}, fmt.Errorf("scontrol show config: %w", err)
	}
	return c, nil
}

func (c *Controller) set(key, value string) (err error) {
	switch key {
	case "ClusterName":
		c.ClusterName = value
	case "SLURM_VERSION":
		c.Version = value
	case "PriorityType":
		c.PriorityType = value
	case "PriorityFlags":
		c.PriorityFlags = list(value)
	case "PrioritySiteFactorPlugin":
		if value != "site_factor/none" {
			c.SiteFactorPlugin = value
		}
	case "PriorityWeightAge":
		c.Weights.Age, err = weight(value)
	case "PriorityWeightAssoc":
		c.Weights.Assoc, err = weight(value)
	case "PriorityWeightFairShare", "PriorityWeightFairshare":
		c.Weights.Fairshare, err = weight(value)
	case "PriorityWeightJobSize":
		c.Weights.JobSize, err = weight(value)
	case "PriorityWeightPartition":
		c.Weights.Partition, err = weight(value)
	case "PriorityWeightQOS":
		c.Weights.QOS, err = weight(value)
	case "PriorityWeightTRES":
		c.Weights.TRES, err = tresWeights(value)
	case "PriorityMaxAge":
		c.PriorityMaxAge, err = parseTimeLimit(value)
	case "PriorityCalcPeriod":
		c.CalcPeriod, err = parseTimeLimit(value)
	case "MinJobAge":
		c.MinJobAge, err = seconds(value)
	case "MessageTimeout":
		c.MessageTimeout, err = seconds(value)
	case "MaxArraySize":
		c.MaxArraySize, err = strconv.Atoi(value)
	case "SchedulerParameters":
		c.SchedulerParameters = list(value)
	case "SlurmctldParameters":
		c.SlurmctldParameters = list(value)
	case "JobSubmitPlugins":
		c.JobSubmitPlugins = list(value)
	case "AccountingStorageType":
		c.AccountingStorage = value
	case "AccountingStorageEnforce":
		c.AccountingEnforce = list(value)
	}
	return err
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

func tresWeights(value string) ([]TRESWeight, error) {
	var all []TRESWeight
	for _, elem := range list(value) {
		name, number, _ := strings.Cut(elem, "=")
		w, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(w) || math.Abs(w) > math.MaxUint32 {
			return nil, fmt.Errorf("%q: not name=weight", clip(elem))
		}
		all = append(all, TRESWeight{Name: name, Weight: w})
	}
	return all, nil
}

// seconds reads "300 sec".
func seconds(value string) (ostrich.Duration, error) {
	number, _, _ := strings.Cut(value, " ")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return 0, errors.New("not a number of seconds")
	}
	return ostrich.Duration(n), nil
}

// schedulerParameters fills in the fields that come from lists of parameters.
func (c *Controller) schedulerParameters() error {
	major, minor, err := release(c.Version)
	if err != nil {
		return err
	}
	c.DefaultQueueDepth, c.BackfillMaxJobTest = 100, 500
	if major < 21 || (major == 21 && minor < 8) {
		c.BackfillMaxJobTest = 100
	}
	for _, p := range c.SchedulerParameters {
		name, value, _ := strings.Cut(p, "=")
		switch name {
		case "default_queue_depth":
			if c.DefaultQueueDepth, err = strconv.Atoi(value); err != nil {
				return fmt.Errorf("SchedulerParameters: %q: not a number", clip(p))
			}
		case "bf_max_job_test", "max_job_bf":
			if c.BackfillMaxJobTest, err = strconv.Atoi(value); err != nil {
				return fmt.Errorf("SchedulerParameters: %q: not a number", clip(p))
			}
		case "bf_continue":
			c.BackfillContinue = true
		}
	}
	for _, p := range c.SlurmctldParameters {
		if p == "rl_enable" {
			c.RateLimited = true
		}
	}
	return nil
}

// release splits "22.05.8" or "24.11.0-0rc1" into 22 and 5.
func release(version string) (major, minor int, err error) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) >= 2 {
		minorText, _, _ := strings.Cut(parts[1], "-")
		major, err = strconv.Atoi(parts[0])
		if err == nil {
			minor, err = strconv.Atoi(minorText)
		}
	}
	if len(parts) < 2 || err != nil {
		return 0, 0, fmt.Errorf("SLURM_VERSION %q: not major.minor", clip(version))
	}
	return major, minor, nil
}
