package ostrich

import (
	"cmp"
	"iter"
	"slices"
)

// Place is where a pending job stands in the order.
type Place struct {
	Job      JobID
	User     UserID
	Campaign int   // number of the campaign within the user
	Lead     JobID // see Campaign.Lead
	// Gated tells that the job's campaign has not started virtually (s~ > t).
	// Never set with Gate Off.
	Gated bool
	Procs int // that it asks for, with all its pending tasks

	// Distance is what rule 3 of Order compares, in processor-seconds times what the
	// user has had; campaigns of nearly the same distance are alike. 0 for what has its
	// place for another reason: what is overdue or gated, and all in the papers' order.
	Distance float64
}

// Order returns the pending jobs, the one that should start first in front.
//
//  1. campaigns that have started virtually before those that have not,
//     unless the gate is off
//  2. what is overdue, see Options.Grace, by when its virtual completion C~ was
//     (equation 4.1); without a grace that is all that is completed virtually
//  3. the smaller finish tag; or with Options.Grace or Memory the smaller work
//     before C~, of late campaigns what is really left, times what the user has had
//  4. the earlier submission of the campaign
//  5. the smaller user id, then the smaller campaign number, then the earlier
//     stage of it (see Late)
//  6. inside a campaign as Options.Inside says
//  7. the earlier submission, then the smaller job id
func (s *Schedule) Order() []Place {
	s.rank()
	jobs := 0
	for _, g := range s.waiting.stages {
		jobs += g.queued()
	}
	order := make([]Place, 0, jobs)
	for _, g := range s.waiting.stages {
		g.sort(s.options.Inside)
		c := g.campaign
		p := Place{User: c.user.id, Campaign: c.number, Lead: c.lead, Gated: s.gated(g)}
		if s.drifts() && !p.Gated {
			p.Distance = g.ranked.tag
		}
		for _, j := range g.pending {
			p.Job, p.Procs = j.ID, j.Procs*max(1, j.Tasks)
			order = append(order, p)
		}
	}
	return order
}

// Pending is the pending jobs in the order of Order.
func (s *Schedule) Pending() iter.Seq[JobID] {
	return func(yield func(JobID) bool) {
		s.rank()
		for _, g := range s.waiting.stages {
			g.sort(s.options.Inside)
			for _, j := range g.pending {
				if j.queued && !yield(j.ID) {
					return
				}
			}
		}
	}
}

// sort leaves only queued jobs in pending, in the order in which they should start.
func (g *stage) sort(inside Inside) {
	g.compact()
	if !g.unsorted {
		return
	}
	// With their keys beside them, jobs need not be fetched to be compared.
	keys := make([]rank, len(g.pending))
	for i, j := range g.pending {
		keys[i] = rank{inside: inside.key(j), submit: j.Submit, id: j.ID, job: j}
	}
	slices.SortFunc(keys, func(a, b rank) int {
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

// rank is a pending job with all that decides on its place in its campaign.
type rank struct {
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

// queued is the number of pending jobs.
func (g *stage) queued() int { return len(g.pending) - g.gone }

// compact drops the jobs that are no longer queued.
func (g *stage) compact() {
	if g.gone == 0 {
		return
	}
	g.pending = slices.DeleteFunc(g.pending, func(j *job) bool { return !j.queued })
	g.gone = 0
}
