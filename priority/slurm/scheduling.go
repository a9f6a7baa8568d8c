package slurm

import (
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

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
	takes := parameters(c)
	for _, p := range c.SchedulerParameters {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(name, "bf_continue") {
			c.BackfillContinue = true
		} else if take, known := takes[strings.ToLower(name)]; known {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("SchedulerParameters: %q: not a number", clip(p))
			}
			take(n)
		}
	}
	return rateLimit(c)
}

// rateLimit reads the rate limit of users' requests.
func rateLimit(c *priority.Controller) error {
	rate, period := 2, 1 // Slurm's defaults
	for _, p := range c.SlurmctldParameters {
		name, value, _ := strings.Cut(p, "=")
		var err error
		switch strings.ToLower(name) {
		case "rl_enable":
			c.RateLimited = true
		case "rl_refill_rate":
			rate, err = strconv.Atoi(value)
		case "rl_refill_period":
			period, err = strconv.Atoi(value)
		}
		if err != nil {
			return fmt.Errorf("SlurmctldParameters: %q: not a number", clip(p))
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

// parameters returns what takes the number of each parameter that has one. A number out
// of range leaves the default.
func parameters(c *priority.Controller) map[string]func(n int) {
	const most = 1<<31 - 1
	number := func(field *int, least, most int) func(int) {
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
	return map[string]func(int){
		"default_queue_depth": number(&c.DefaultQueueDepth, 0, most),
		"sched_interval":      span(&s.Interval, 1, int(priority.Never), most),
		"batch_sched_delay":   span(&s.BatchDelay, 1, 0, most),
		"sched_min_interval":  number(&s.MinInterval, 0, most),
		"max_rpc_cnt":         number(&s.MaxRPCs, 0, 1000),
		"partition_job_depth": number(&s.PartitionJobDepth, 0, most),
		"bf_max_job_test":     number(&c.BackfillMaxJobTest, 1, most),
		"max_job_bf":          number(&c.BackfillMaxJobTest, 1, most),
		"bf_interval":         span(&s.BackfillInterval, 1, int(priority.Never), mostBackfillInterval),
		"bf_window":           span(&s.BackfillWindow, 60, 1, mostBackfillWindow),
		"bf_resolution":       span(&s.BackfillResolution, 1, 1, mostBackfillResolution),
		"bf_max_job_part":     number(&s.BackfillMaxPart, 0, most),
		"bf_max_job_user":     number(&s.BackfillMaxUser, 0, most),
		"bf_max_job_start":    number(&s.BackfillMaxStart, 0, most),
	}
}
