package ostrich

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Place is where a pending job stands in the order.
type Place struct {
	Job      JobID
	User     UserID
	Campaign int   // number of the campaign within the user
	Lead     JobID // see Campaign.Lead
	// Gated reports whether the job's campaign has not started virtually (s~ > t).
	// It is never set with Gate Off.
	Gated bool
	Procs int // that it asks for, with all its pending tasks

	// Distance is what rule 3 of Order compares, in processor-seconds times what the
	// user has had. Between campaigns of nearly the same distance the order matters
	// little. It is 0 where another rule decides: for overdue and gated campaigns, and
	// for all in the papers' order.
	Distance float64
}

// Order returns the pending jobs, the one that should start first in front.
//
//  1. campaigns that have started virtually before those that have not,
//     unless the gate is off
//  2. overdue campaigns (see Options.Grace) by their virtual completion C~
//     (equation 4.1); without a grace all that are completed virtually are overdue
//  3. the smaller finish tag; with Options.Grace or Memory the smaller product of
//     what the user has had and the work before C~, or, of late campaigns, the work
//     that is really left
//  4. the earlier submission of the campaign
//  5. the smaller user id, then the smaller campaign number, then the earlier
//     stage of it (see Late)
//  6. inside a campaign the smaller nice value; then jobs that have waited for three
//     times the grace, in the order in which they could first start; then as
//     Options.Inside says
//  7. the earlier submission, then the smaller job id
func (s *Schedule) Order() []Place {
	s.sortWaiting()
	jobs := 0
	for _, g := range s.waiting.stages {
		jobs += g.queued()
	}
	order := make([]Place, 0, jobs)
	for _, g := range s.waiting.stages {
		s.sortPending(g)
		c := g.campaign
		p := Place{User: c.user.User, Campaign: c.number, Lead: c.lead, Gated: s.gated(g)}
		if s.drifts() && !p.Gated {
			p.Distance = g.key.tag
		}
		for _, j := range g.pending {
			p.Job, p.Procs = j.ID, j.Procs*max(1, j.Tasks)
			order = append(order, p)
		}
	}
	return order
}

// Pending yields the pending jobs in the order of Order.
func (s *Schedule) Pending() iter.Seq[JobID] {
	return func(yield func(JobID) bool) {
		s.sortWaiting()
		for _, g := range s.waiting.stages {
			s.sortPending(g)
			for _, j := range g.pending {
				if j.queued && !yield(j.ID) {
					return
				}
			}
		}
	}
}

// sortPending leaves only queued jobs in pending, in the order in which they should start.
func (s *Schedule) sortPending(g *stage) {
	g.compact()
	if !g.unsorted {
		return
	}
	// With their keys beside them, jobs need not be fetched to be compared.
	keys := make([]jobKey, len(g.pending))
	g.turn = math.MaxInt64
	for i, j := range g.pending {
		keys[i] = jobKey{nice: j.Nice, inside: s.options.Inside.key(j), submit: j.Submit, id: j.ID, job: j}
		if s.options.Grace == 0 || j.held {
			continue
		}
		if long := j.able + Time(3*s.options.Grace); long > s.now {
			g.turn = min(g.turn, long)
		} else {
			keys[i].inside = [2]Duration{math.MinInt64, Duration(j.able)}
		}
	}
	slices.SortFunc(keys, func(a, b jobKey) int {
		if a.nice != b.nice {
			return cmp.Compare(a.nice, b.nice)
		}
		if c := cmp.Compare(a.inside[0], b.inside[0]); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.inside[1], b.inside[1]), cmp.Compare(a.submit, b.submit), cmp.Compare(a.id, b.id),
		)
	})
	for i := range keys {
		g.pending[i] = keys[i].job
	}
	g.unsorted = false
}

// A jobKey decides on the place of a pending job in its campaign.
type jobKey struct {
	nice   int64
	inside [2]Duration
	submit Time
	id     JobID
	job    *job
}

// key is what the jobs of a campaign are sorted by, smaller ones first.
func (i Inside) key(j *job) (key [2]Duration) {
	switch i {
	case LPT:
		key[0] = -j.expect
	case SPT:
		key[0] = j.expect
	case LJF:
		key[0], key[1] = -Duration(j.Procs), -j.expect
	case Submission:
	}
	return key
}
