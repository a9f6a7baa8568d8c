package ostrich

import (
	"cmp"
	"math"
	"slices"
)

// Rank is where a campaign with pending jobs stands among the others, see
// Schedule.Ranking.
type Rank struct {
	User     UserID
	Campaign int   // number of the campaign within the user
	Lead     JobID // see Campaign.Lead
	Stage    int   // of the campaign, from 1, see Late

	// Gated tells that the campaign has not started virtually (s~ > t). Never
	// set with Gate Off.
	Gated bool
	// Held tells that it is gated and that the gate is strict: none of its
	// jobs may start.
	Held bool
}

// Ranking returns the campaigns with pending jobs, the one that should start
// first in front: the order of Order without the jobs. A campaign whose jobs
// were submitted in several stages is there once for each.
//
// Only what has changed since the last time is ranked anew. The slice belongs
// to the schedule and is valid until the next call.
func (s *Schedule) Ranking() []Rank {
	s.rank()
	return s.waiting.ranks
}

// waiting are the stages with pending jobs.
type waiting struct {
	stages []*stage // in the order of ranking, by what they were last ranked by
	ranks  []Rank   // of stages
	moved  []*stage // that may have another place now, or none
	gone   int      // of moved, about how many have no pending job
	moment float64  // for which the stages were ranked
}

// touch notes that a stage may have another place.
func (w *waiting) touch(g *stage) {
	if !g.moved {
		g.moved = true
		w.moved = append(w.moved, g)
	}
}

// drop notes that a stage lost its last pending job. Where nobody asks for the
// ranking, it is forgotten after a while.
func (w *waiting) drop(g *stage) {
	w.touch(g)
	if w.gone++; w.gone <= 16+len(w.moved)/2 {
		return
	}
	w.moved = slices.DeleteFunc(w.moved, func(g *stage) bool {
		g.moved = g.listed || g.queued() > 0
		return !g.moved
	})
	w.gone = 0
}

// rank puts the stages with pending jobs in order.
func (s *Schedule) rank() {
	w := &s.waiting
	// Below accounts, tags on the root's clock are sums of all that is active,
	// and may differ in the last bit from one moment to the next. They are
	// computed for the latest event, never for the latest question.
	nested := len(s.accounts) > 1 && (w.moment != s.moment || len(w.moved) > 0)
	if nested || len(w.moved) > 8+len(w.stages)/8 {
		s.rankAll()
	} else {
		s.rankMoved()
	}
	w.moved, w.gone, w.moment = w.moved[:0], 0, s.moment
}

// rankMoved takes the stages that may have another place out of the order and
// puts them in again.
func (s *Schedule) rankMoved() {
	w := &s.waiting
	for _, g := range w.moved {
		if !g.listed {
			continue
		}
		if g.queued() > 0 && g.ranked == s.ranking(g) {
			g.moved = false
			continue
		}
		i, _ := slices.BinarySearchFunc(w.stages, g, compareStages)
		w.stages, w.ranks = slices.Delete(w.stages, i, i+1), slices.Delete(w.ranks, i, i+1)
		g.listed = false
	}
	for _, g := range w.moved {
		if g.moved && g.queued() > 0 {
			g.ranked, g.listed = s.ranking(g), true
			i, _ := slices.BinarySearchFunc(w.stages, g, compareStages)
			w.stages, w.ranks = slices.Insert(w.stages, i, g), slices.Insert(w.ranks, i, s.told(g))
		}
		g.moved = false
	}
}

// rankAll ranks all stages anew.
func (s *Schedule) rankAll() {
	w := &s.waiting
	for _, g := range w.moved {
		if !g.listed {
			w.stages = append(w.stages, g)
		}
		g.moved = false
	}
	w.stages = slices.DeleteFunc(w.stages, func(g *stage) bool {
		g.listed = g.queued() > 0
		return !g.listed
	})
	for _, g := range w.stages {
		g.ranked = s.ranking(g)
	}
	slices.SortFunc(w.stages, compareStages)
	w.ranks = w.ranks[:0]
	for _, g := range w.stages {
		w.ranks = append(w.ranks, s.told(g))
	}
}

// told is what Ranking tells of a stage.
func (s *Schedule) told(g *stage) Rank {
	return Rank{
		User: g.campaign.user.id, Campaign: g.campaign.number, Lead: g.campaign.lead, Stage: g.number,
		Gated: g.ranked.gated, Held: g.ranked.gated && s.options.Gate == Strict,
	}
}

// ranking is what decides on the place of a stage among the others.
type ranking struct {
	gated bool
	done  float64 // C~ in real time, +Inf while that is to come
	tag   float64 // F on the root's clock; 0 once done
}

func (s *Schedule) ranking(g *stage) ranking {
	if g.completed != notYet {
		return ranking{s.gated(g), g.completed, 0}
	}
	return ranking{s.gated(g), math.Inf(1), s.project(g.campaign.user.leaf.parent, g.finish)}
}

// compareStages puts the stage in front whose jobs should start first. Of two
// different ones, one always is.
func compareStages(a, b *stage) int {
	switch {
	case a.ranked.gated != b.ranked.gated:
		if b.ranked.gated {
			return -1
		}
		return 1
	case a.ranked.done != b.ranked.done:
		return cmp.Compare(a.ranked.done, b.ranked.done)
	case a.ranked.tag != b.ranked.tag:
		return cmp.Compare(a.ranked.tag, b.ranked.tag)
	}
	return cmp.Or(
		cmp.Compare(a.campaign.first, b.campaign.first),
		cmp.Compare(a.campaign.user.id, b.campaign.user.id),
		cmp.Compare(a.campaign.number, b.campaign.number),
		cmp.Compare(a.number, b.number),
	)
}

// gated tells whether the gate keeps a stage behind the others.
func (s *Schedule) gated(g *stage) bool { return s.options.Gate != Off && g.began == notYet }
