package ostrich

import (
	"cmp"
	"math"
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
}

// Order returns the pending jobs, the one that should start first in front.
//
//  1. campaigns that have started virtually before those that have not,
//     unless the gate is off
//  2. the earlier virtual completion C~ (equation 4.1): what is completed
//     already by when it was, the rest by finish tag
//  3. the earlier submission of the campaign
//  4. the smaller user id, then the smaller campaign number, then the earlier
//     stage of it (see Late)
//  5. inside a campaign as Options.Inside says
//  6. the earlier submission, then the smaller job id
func (s *Schedule) Order() []Place {
	type keyed struct {
		*stage
		gated bool
		done  float64 // C~ in real time, or +Inf while to come
		tag   float64 // finish tag on the root's clock
	}
	var stages []keyed
	jobs := 0
	for _, u := range s.users {
		for _, g := range u.line {
			g.sort(s.options.Inside)
			if len(g.pending) == 0 {
				continue
			}
			jobs += len(g.pending)
			k := keyed{stage: g, gated: s.options.Gate != Off && g.began == notYet, done: g.completed}
			if g.completed == notYet {
				k.done, k.tag = math.Inf(1), s.project(u.leaf.parent, g.finish)
			}
			stages = append(stages, k)
		}
	}
	slices.SortFunc(stages, func(a, b keyed) int {
		switch {
		case a.gated != b.gated:
			if b.gated {
				return -1
			}
			return 1
		case a.done != b.done:
			return cmp.Compare(a.done, b.done)
		}
		return cmp.Or(
			cmp.Compare(a.tag, b.tag),
			cmp.Compare(a.campaign.first, b.campaign.first),
			cmp.Compare(a.campaign.user.id, b.campaign.user.id),
			cmp.Compare(a.campaign.number, b.campaign.number),
			cmp.Compare(a.number, b.number),
		)
	})
	order := make([]Place, 0, jobs)
	for _, k := range stages {
		for _, j := range k.pending {
			order = append(order, Place{
				Job: j.ID, User: k.campaign.user.id, Campaign: k.campaign.number, Lead: k.campaign.lead, Gated: k.gated,
			})
		}
	}
	return order
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

// compact drops the jobs that are no longer queued.
func (g *stage) compact() {
	if g.left == 0 {
		return
	}
	g.pending = slices.DeleteFunc(g.pending, func(j *job) bool { return !j.queued })
	g.left = 0
}
