package memslurm

import (
	"context"
	"errors"
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// Cluster is an emulated cluster: slurmctld and slurmdbd's tables.
type Cluster struct {
	*Controller
	Accounting *Accounting
}

// New returns a cluster without jobs.
func New(c Config) (*Cluster, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	ctl := &Controller{config: c}
	return &Cluster{Controller: ctl, Accounting: newAccounting(ctl, &tables{shown: make(map[ostrich.JobID]ostrich.Time)})}, nil
}

// Every is something that the cluster's clock repeats: with the first submission,
// and then every Period seconds until the last job has ended. It runs after the
// submissions and ends of its moment and before jobs start.
type Every struct {
	Period ostrich.Duration // at least 1
	Do     func(context.Context) error
}

// Run submits the campaigns in a closed loop, as sim.Machine does, and returns
// when the last job has ended. The jobs of a campaign come at once. The clock
// starts with the first campaign, after moment 0. An error of an Every, or of the
// context, ends it early. A cluster runs once.
func (c *Cluster) Run(ctx context.Context, campaigns []sim.Campaign, each ...Every) error {
	switch {
	case c.begin != 0:
		return errors.New("emulated: the cluster has run already")
	case len(campaigns) == 0:
		return fmt.Errorf("emulated: a load without a campaign: %w", ErrConfig)
	case campaigns[0].Submit < 1:
		return fmt.Errorf("emulated: the first campaign comes at %d: %w", campaigns[0].Submit, ErrConfig)
	}
	if err := c.boot(campaigns[0].Submit); err != nil {
		return err
	}
	r := &ranker{Cluster: c, ctx: ctx, campaigns: make(map[ostrich.JobID]int, len(campaigns))}
	job := ostrich.JobID(1)
	for i := range campaigns {
		r.campaigns[job] = i
		job += ostrich.JobID(len(campaigns[i].Jobs))
	}
	period := c.config.CalcPeriod
	r.timers = append(r.timers, timer{next: c.begin + ostrich.Time(period), Every: Every{period, c.calculate}})
	for _, e := range each {
		if e.Period < 1 {
			return fmt.Errorf("emulated: something every %d s: %w", e.Period, ErrConfig)
		}
		r.timers = append(r.timers, timer{next: c.begin, Every: e})
	}
	loop := sim.Machine{Procs: c.config.Procs(), Backfill: sim.EASY, Policy: func(int) (sim.Ranker, error) { return r, nil }}
	_, err := loop.Run(campaigns)
	return err
}

// ranker is the cluster as the event loop knows it.
type ranker struct {
	*Cluster
	ctx       context.Context
	campaigns map[ostrich.JobID]int
	timers    []timer
}

// timer is when something is due.
type timer struct {
	Every
	next ostrich.Time
}

// Step processes an event of the loop.
func (r *ranker) Step(e ostrich.Event) error {
	r.now = e.At
	var j *Job
	var err error
	switch e.Kind {
	case ostrich.Submit:
		lead := e.Job.ID
		if e.Job.Group != 0 {
			lead = e.Job.Group
		}
		j, err = r.submit(e, r.campaigns[lead])
	case ostrich.Start:
		j, err = r.start(e)
	case ostrich.End:
		j, err = r.end(e)
	default:
		err = fmt.Errorf("emulated: an event of kind %v", e.Kind)
	}
	if err == nil {
		r.Accounting.of.record(e.Kind, e.At, j.Job)
	}
	return err
}

// Jobs lists the waiting jobs in the order in which they are tried.
func (r *ranker) Jobs() []ostrich.JobID {
	r.sort()
	r.ranked = r.ranked[:0]
	for _, j := range r.pending {
		r.ranked = append(r.ranked, j.engine)
	}
	return r.ranked
}

// due returns the timer that is due next, of several the first.
func (r *ranker) due() *timer {
	due := &r.timers[0]
	for i := range r.timers {
		if r.timers[i].next < due.next {
			due = &r.timers[i]
		}
	}
	return due
}

// Wake returns when the next timer is due.
func (r *ranker) Wake(bool) ostrich.Time { return r.due().next }

// AdvanceTo does what is due, in the order of the times, and at one moment in the
// order of the timers: the controller computes before anybody asks it.
func (r *ranker) AdvanceTo(t ostrich.Time) error {
	for due := r.due(); due.next <= t; due = r.due() {
		r.now = due.next
		due.next += ostrich.Time(due.Period)
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := due.Do(r.ctx); err != nil {
			return err
		}
	}
	r.now = t
	return nil
}
