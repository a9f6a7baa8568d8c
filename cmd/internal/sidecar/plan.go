package sidecar

import (
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// Plan is the plan of all pools: one scale of values, by which Slurm compares all jobs.
type Plan struct {
	All     priority.Plan
	Entries []*priority.Entry // all jobs, pool after pool: managed ones in OStrich's order, then the rest
	Classes []string          // names of the classes, by priority.Entry.Class; none: there are no classes
	Summary priority.Summary

	Reasons map[priority.Code]int // how many jobs have each
}

// planned is what a plan was made from, to see that it would be the same again. A plan
// also depends on the controller's configuration and on invalid rows: when these change,
// the sidecar forgets what the plan was made from.
type planned struct {
	memory memory
	orders []revision
	queue  []priority.Queued
	until  ostrich.Time // when a job that is left alone for a while comes back; 0: none does
}

// memory stands for what is known of writes.
type memory struct {
	journal *journal.Journal
	version uint64
	leads   bool
}

func (s *Sidecar) memory() memory {
	m := memory{journal: s.journal, leads: s.leads}
	if s.journal != nil {
		m.version = s.journal.Version()
	}
	return m
}

// revision stands for the order of a schedule.
type revision struct {
	of     *ostrich.Schedule
	number uint64
}

func (c *Cycle) revisions() []revision {
	all := make([]revision, len(c.Pools))
	for i, in := range c.Pools {
		all[i] = revision{in.Schedule, in.Schedule.Version()}
	}
	return all
}

// wrote reports whether anybody may have written since the plan: there is another
// queue, or something more is known of writes.
func (p *planned) wrote(queue []priority.Queued, m memory) bool {
	return p == nil || !sameList(p.queue, queue) || p.memory != m
}

// planQueue plans for a queue that was read just now. A cycle in which nothing changed
// keeps the plan and the generation of the cycle before.
func (s *Sidecar) planQueue(c *Cycle, queue []priority.Queued) error {
	c.Queue = s.nameUsers(queue)
	now := ostrich.Time(time.Now().Unix())
	if err := s.otherWriters(c.Queue, now); err != nil {
		return err
	}
	changed := s.made.wrote(c.Queue, s.memory()) || !slices.Equal(s.made.orders, c.revisions()) || (s.made.until != 0 && now >= s.made.until)
	// Whether to repeat an undone write, or to keep a job by the margin, depends on the time.
	if changed || s.latest.Summary.Undone > 0 || s.latest.All.Kept {
		plan, err := s.plan(c, now)
		if err != nil {
			return err
		}
		if changed || !plan.like(&s.latest) {
			s.latest, s.generation = plan, generations.Add(1)
		}
	}
	c.Plan, c.Generation = s.latest, s.generation
	return nil
}

// plan orders the jobs of all pools and computes what is to be written.
func (s *Sidecar) plan(c *Cycle, now ostrich.Time) (Plan, error) {
	options := s.options()
	s.leftAlone = leftAlone{now: now, could: options.Could(c.Queue)}
	orders := make([]priority.Order, len(c.Pools))
	for i, in := range c.Pools {
		orders[i] = priority.Order{Pool: in.Pool.Name, Class: in.Class, Procs: in.Schedule.Procs(), Places: in.Schedule.Order()}
	}
	all, err := options.PlanPools(orders, c.Queue)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{All: all, Classes: s.classes.Names, Summary: all.Summary(), Entries: make([]*priority.Entry, len(all.Entries)), Reasons: make(map[priority.Code]int)}
	for i := range all.Entries {
		e := &all.Entries[i]
		p.Entries[i] = e
		if e.Rank > 0 {
			e.Why.ByQueue = s.provisional.has(e.Job)
		} else {
			s.leaveAlone(e, c)
		}
		p.Reasons[e.Why.Code]++
	}
	byPool(p.Entries, s.config.Pools)
	s.made = &planned{s.memory(), c.revisions(), c.Queue, s.leftAlone.until}
	return p, nil
}

// leaveAlone completes the entry of a job without a rank: its pool and campaign, and that its
// row is invalid.
func (s *Sidecar) leaveAlone(e *priority.Entry, c *Cycle) {
	e.Pool, _ = s.config.PoolOf(e.Partition)
	for _, in := range c.Pools {
		if lead, known := in.Schedule.LeadOf(e.Job); known && in.Pool.Name == e.Pool {
			e.Place.Lead = lead
		}
	}
	if why, out := s.skipped[e.Job]; out && e.Why.Code == priority.Unheard {
		e.Why = priority.Why{Code: priority.InvalidRow, About: why}
	}
}

// like reports whether two plans for the same queue say and write the same.
func (p *Plan) like(o *Plan) bool {
	return p.Summary == o.Summary && p.All.Kept == o.All.Kept && slices.Equal(p.Classes, o.Classes) && slices.EqualFunc(p.Entries, o.Entries, func(a, b *priority.Entry) bool {
		return a.Job == b.Job && a.Pool == b.Pool && a.Class == b.Class && a.Rank == b.Rank && a.To == b.To && a.Write == b.Write && a.Undone == b.Undone && a.Why == b.Why
	})
}

// Changes returns what is to be written, the head of the order first.
func (p Plan) Changes() []priority.Change { return p.All.Changes() }

// Class returns the name of a job's class, "" if there are no classes.
func (p *Plan) Class(e *priority.Entry) string {
	if e.Class < len(p.Classes) {
		return p.Classes[e.Class]
	}
	return ""
}
