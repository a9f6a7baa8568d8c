package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Loop says how campaigns are replayed. The zero value, but for Procs, is a
// closed loop in which all jobs of a campaign come at once and depend on
// nothing, first come, first served.
type Loop struct {
	Procs    int
	Policy   Policy         // who goes first; nil leaves it to Order
	Order    Order          // of the jobs of all campaigns, without a Policy; ties end on the id
	Inside   ostrich.Inside // which job of a campaign goes first, by estimate, where a Policy ranks campaigns
	Backfill Backfill       // who may jump

	Scheduler Scheduler // under Slurm, how; the zero value is Slurm's own defaults

	// Depth is how many jobs get a reservation under Conservative. A ranking may
	// change at any time, so they are made anew at each pass, in its order, from the
	// first job that does not fit; those behind wait. 0 is all, which takes a
	// second or two for each 50 000 jobs on a busy machine.
	Depth int

	// Open submits each campaign when it was logged, whatever became of the
	// one before. A closed loop submits the first campaign of a user then, and
	// each further one when the last has really ended and its think time has
	// passed.
	Open bool
	// Offsets submits the jobs of a campaign at their logged distance from its
	// first one, instead of all at once.
	Offsets bool
	// Dependencies lets a job wait until those it depends on have ended (thesis
	// 5.4.4). Inside a campaign the jobs with most immediate successors then
	// go first, and only among equals does Inside decide.
	Dependencies bool
	// Kill ends a job at its estimate. Otherwise one that outlives it runs on to
	// its end, and is expected to end at any moment.
	Kill bool

	// Progress is told now and then how many jobs have ended, of all; nil is
	// nobody.
	Progress func(ended, jobs int)
}

// lasts is how long a job runs in the replay.
func (l *Loop) lasts(t *Task) ostrich.Duration { return lasts(t.Run, t.Estimate, l.Kill) }

// Run replays the campaigns and returns their jobs, campaign by campaign, each
// in the order of its tasks. The campaigns must be sorted by Submit.
//
// A job counts as submitted as soon as the user could submit it: when its
// campaign and its offset have come, and what it depends on has ended. A
// campaign is submitted with its first job.
func (l Loop) Run(campaigns []Campaign) ([]report.Job, error) {
	n, err := l.check(campaigns)
	if err != nil {
		return nil, err
	}
	r := newLoop(l, campaigns, n)
	if l.Policy != nil {
		ranker, err := l.Policy(l.Procs)
		if err == nil {
			err = r.follow(ranker)
		}
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
	}
	if err := r.run(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	return r.result(), nil
}

// check tells what is wrong with a workload, and how many jobs it has.
func (l Loop) check(campaigns []Campaign) (jobs int, err error) {
	if l.Procs < 1 || l.Procs >= math.MaxInt32 {
		return 0, fmt.Errorf("sim: a machine of %d processors: %w", l.Procs, ErrWorkload)
	}
	if int(l.Backfill) >= len(BackfillNames) {
		return 0, fmt.Errorf("sim: backfilling number %d is not known: %w", l.Backfill, ErrWorkload)
	}
	if err := l.Scheduler.check(); err != nil {
		return 0, err
	}
	if l.Depth < 0 {
		return 0, fmt.Errorf("sim: reservations for %d jobs: %w", l.Depth, ErrWorkload)
	}
	long := make(map[ostrich.UserID]ostrich.Duration) // how long the users' campaigns take, one after the other
	for i := range campaigns {
		c := &campaigns[i]
		why := ""
		switch {
		case i > 0 && c.Submit < campaigns[i-1].Submit:
			why = "submitted before the one in front of it"
		case c.Submit < -latest || c.Submit > latest:
			why = fmt.Sprintf("submitted at %d", c.Submit)
		case len(c.Tasks) == 0:
			why = "without a job"
		case c.Think < 0 || c.Think > ostrich.Duration(latest):
			why = fmt.Sprintf("think time of %d s", c.Think)
		case c.order != nil && len(c.order) != len(c.Tasks):
			why = "jobs were added after its dependencies were found"
		}
		if why != "" {
			return 0, fmt.Errorf("sim: campaign %d of user %d: %s: %w", i+1, c.User, why, ErrWorkload)
		}
		last := -1 // of the tasks that the present one needs
		needs := 0
		length := c.Think
		for k := range c.Tasks {
			t := &c.Tasks[k]
			why = fault(l.Procs, t.Procs, t.Run, t.Estimate)
			for ; l.Dependencies && needs < min(t.Needs, len(c.Tasks)); needs++ {
				last = max(last, c.ended(needs))
			}
			switch {
			case why != "":
			case t.Offset < 0 || t.Offset > ostrich.Duration(latest):
				why = fmt.Sprintf("submitted %d s after its campaign", t.Offset)
			case k > 0 && t.Offset < c.Tasks[k-1].Offset:
				why = fmt.Sprintf("submitted %d s after its campaign, before the one in front of it", t.Offset)
			case t.Tier < 0:
				why = fmt.Sprintf("is of tier %d", t.Tier)
			case t.Successors < 0 || t.Successors > len(c.Tasks):
				why = fmt.Sprintf("has %d successors in a campaign of %d jobs", t.Successors, len(c.Tasks))
			case l.Dependencies && (t.Needs < needs || t.Needs > len(c.Tasks) || last >= k):
				why = fmt.Sprintf("needs %d jobs, not all of which come before it", t.Needs)
			}
			if why != "" {
				return 0, fmt.Errorf("sim: job %d: %s: %w", t.ID, why, ErrWorkload)
			}
			length += t.Run
		}
		length += c.Tasks[len(c.Tasks)-1].Offset
		if long[c.User] += length; long[c.User] > ostrich.Duration(latest) {
			return 0, fmt.Errorf("sim: campaign %d of user %d: its user's think times, offsets and run times add up to %d s: %w",
				i+1, c.User, long[c.User], ErrWorkload)
		}
		jobs += len(c.Tasks)
	}
	if jobs >= math.MaxInt32/4 {
		return 0, fmt.Errorf("sim: %d jobs are too many: %w", jobs, ErrWorkload)
	}
	return jobs, nil
}

// ended is the task that had ended as the i-th, from 0. Without a log it is
// the order of the tasks.
func (c *Campaign) ended(i int) int {
	if c.order == nil {
		return i
	}
	return int(c.order[i])
}
