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
	for _, p := range c.SchedulerParameters {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(name, "bf_continue") {
			c.BackfillContinue = true
			continue
		}
		if err := parameter(c, strings.ToLower(name), value); err != nil {
			return fmt.Errorf("SchedulerParameters: %q: not a number", clip(p))
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

// parameter sets a parameter that has a number.
func parameter(c *priority.Controller, name, value string) error {
	s := &c.Scheduling
	within := func(field *int, least, most int) error {
		n, err := strconv.Atoi(value)
		if err == nil && n >= least && n <= most {
			*field = n
		}
		return err
	}
	lasting := func(field *ostrich.Duration, unit, least, most int) error {
		n := -2
		err := within(&n, least, most)
		if n != -2 && n != 0 || n == 0 && least == 0 {
			*field = ostrich.Duration(n * unit)
		}
		return err
	}
	const most = 1<<31 - 1
	switch name {
	case "default_queue_depth":
		return within(&c.DefaultQueueDepth, 0, most)
	case "sched_interval":
		return lasting(&s.Interval, 1, int(priority.Never), most)
	case "batch_sched_delay":
		return lasting(&s.BatchDelay, 1, 0, most)
	case "sched_min_interval":
		return within(&s.MinInterval, 0, most)
	case "max_rpc_cnt":
		return within(&s.MaxRPCs, 0, 1000)
	case "partition_job_depth":
		return within(&s.PartitionJobDepth, 0, most)
	case "bf_max_job_test", "max_job_bf":
		return within(&c.BackfillMaxJobTest, 1, most)
	case "bf_interval":
		return lasting(&s.BackfillInterval, 1, int(priority.Never), mostBackfillInterval)
	case "bf_window":
		return lasting(&s.BackfillWindow, 60, 1, mostBackfillWindow)
	case "bf_resolution":
		return lasting(&s.BackfillResolution, 1, 1, mostBackfillResolution)
	case "bf_max_job_part":
		return within(&s.BackfillMaxPart, 0, most)
	case "bf_max_job_user":
		return within(&s.BackfillMaxUser, 0, most)
	case "bf_max_job_start":
		return within(&s.BackfillMaxStart, 0, most)
	}
	return nil
}
