package sidecar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// Plan is the plan of all pools. Each pool is planned for itself: jobs of
// different pools do not stand in one another's way.
type Plan struct {
	Pools   []priority.Plan   // in the order of Cycle.Pools; the first has the jobs that are in none
	Entries []*priority.Entry // all jobs, pool after pool: managed ones in OStrich's order, then the rest
	Summary priority.Summary

	// Jobs that are left alone: Slurm refused to change them, another writer changed
	// them, or accounting does not know them yet.
	Refused, Rivals, Unheard int
}

// leftAlone counts a job that is left alone, by the reason.
func (p *Plan) leftAlone(why string) {
	switch {
	case strings.HasPrefix(why, priority.WhyRefused):
		p.Refused++
	case strings.HasPrefix(why, whyRival):
		p.Rivals++
	case why == priority.Unheard:
		p.Unheard++
	}
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

// revisions returns the revisions of all pools.
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
	if err := s.strangers(c.Queue, now); err != nil {
		return err
	}
	changed := s.made.wrote(c.Queue, s.memory()) || !slices.Equal(s.made.orders, c.revisions()) || (s.made.until != 0 && now >= s.made.until)
	// Whether to repeat an undone write, or to keep a job by the margin, depends on the time.
	if changed || s.latest.Summary.Undone > 0 || s.latest.kept() {
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

// plan orders the jobs of each pool and computes what is to be written.
func (s *Sidecar) plan(c *Cycle, now ostrich.Time) (Plan, error) {
	options := s.options()
	s.patience = patience{now: now, could: options.Could(c.Queue)}
	var p Plan
	orders := make([][]ostrich.Place, len(c.Pools))
	var failed error
	for i, in := range c.Pools {
		if !s.config.Plans() {
			orders[i] = in.Schedule.Order()
			continue
		}
		var err error
		if orders[i], err = s.config.Planned().Reorder(in.Schedule); err != nil && failed == nil {
			failed = fmt.Errorf("pool %q: %w", in.Pool.Name, err)
		}
	}
	if failed != nil && !s.unplanned {
		c.Unplanned = failed
	}
	s.unplanned = failed != nil
	queues, ranks := split(c.Queue, orders)
	p.Entries = make([]*priority.Entry, 0, len(c.Queue))
	for i, in := range c.Pools {
		options.Procs = in.Schedule.Procs()
		one, err := options.Plan(orders[i], queues[i])
		if err != nil {
			return p, err
		}
		p.Pools = append(p.Pools, one)
		if i == 0 {
			p.Summary = one.Summary()
		} else {
			p.Summary = sum(p.Summary, one.Summary())
		}
		if ranks != nil { // the summary is of ranks in the pool
			for k := range one.Entries {
				e := &one.Entries[k]
				e.SlurmRank = ranks[i][e.SlurmRank-1]
			}
		}
		for k := range one.Entries[:one.Managed] {
			e := &one.Entries[k]
			e.Pool = in.Pool.Name
			if s.provisional.has(e.Job) {
				e.Why += byQueue
			}
			p.Entries = append(p.Entries, e)
		}
		for k := one.Managed; k < len(one.Entries); k++ {
			e := &one.Entries[k]
			e.Place.Lead, _ = in.Schedule.LeadOf(e.Job)
			if why, out := s.skipped[e.Job]; out && e.Why == priority.Unheard {
				e.Why = LeftOut + why
			}
			if s.config.pooled(e.Partition) {
				e.Pool = in.Pool.Name
			}
			p.leftAlone(e.Why)
			p.Entries = append(p.Entries, e)
		}
	}
	s.made = &planned{s.memory(), c.revisions(), c.Queue, s.patience.until}
	return p, nil
}

// like reports whether two plans for the same queue say and write the same.
func (p *Plan) like(o *Plan) bool {
	return p.Summary == o.Summary && p.kept() == o.kept() && slices.EqualFunc(p.Entries, o.Entries, func(a, b *priority.Entry) bool {
		return a.Job == b.Job && a.Pool == b.Pool && a.Rank == b.Rank && a.To == b.To && a.Write == b.Write && a.Undone == b.Undone && a.Why == b.Why
	})
}

func (p *Plan) kept() bool {
	return slices.ContainsFunc(p.Pools, func(one priority.Plan) bool { return one.Kept })
}

// Changes returns what is to be written, the heads of all pools first.
func (p Plan) Changes() []priority.Change {
	pools := make([][]priority.Change, len(p.Pools))
	for i, one := range p.Pools {
		pools[i] = one.Changes()
	}
	return heads(pools)
}
