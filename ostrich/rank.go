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
// It is computed again only when tags have changed. The slice belongs to the
// schedule and is valid until the next call.
func (s *Schedule) Ranking() []Rank {
	w := &s.waiting
	if !s.rank() {
		return w.ranks
	}
	w.ranks = w.ranks[:0]
	for _, g := range w.stages {
		gated := s.gated(g)
		w.ranks = append(w.ranks, Rank{
			User: g.campaign.user.id, Campaign: g.campaign.number, Lead: g.campaign.lead, Stage: g.number,
			Gated: gated, Held: gated && s.options.Gate == Strict,
		})
	}
	w.told = true
	return w.ranks
}

// waiting are the stages with pending jobs.
type waiting struct {
	stages   []*stage // in the order of ranking unless unsorted
	unsorted bool
	empty    int     // of them, those that have no pending job left
	moment   float64 // for which the stages were ranked
	ranks    []Rank  // what Ranking returned last
	told     bool    // that ranks are those of stages
}

// add notes that a stage got its first pending job.
func (w *waiting) add(g *stage) {
	if g.listed {
		w.empty--
		return
	}
	g.listed = true
	w.stages = append(w.stages, g)
	w.unsorted = true
}

// drop notes that a stage lost its last pending job. It stays in the list for
// a while: the next job of its campaign may bring it back.
func (w *waiting) drop() {
	w.empty++
	if w.empty > 16 && w.empty > len(w.stages)/2 {
		w.compact()
	}
}

func (w *waiting) compact() {
	w.stages = slices.DeleteFunc(w.stages, func(g *stage) bool {
		g.listed = g.queued() > 0
		return !g.listed
	})
	w.empty, w.told = 0, false
}

// rank puts the stages with pending jobs in order, and reports whether the
// ranks last told may be others now.
func (s *Schedule) rank() bool {
	w := &s.waiting
	if w.empty > 0 {
		w.compact()
	}
	// Below accounts, tags on the root's clock are sums that may differ in the
	// last bit from one moment to the next. They are computed for the latest
	// event, never for the latest question.
	if len(s.accounts) > 1 && w.moment != s.moment {
		w.unsorted = true
	}
	if !w.unsorted {
		return !w.told
	}
	for _, g := range w.stages {
		g.rankDone, g.rankTag = math.Inf(1), 0
		if g.completed != notYet {
			g.rankDone = g.completed
		} else {
			g.rankTag = s.project(g.campaign.user.leaf.parent, g.finish)
		}
	}
	slices.SortFunc(w.stages, s.compareStages)
	w.moment, w.unsorted, w.told = s.moment, false, false
	return true
}

// compareStages puts the stage in front whose jobs should start first.
func (s *Schedule) compareStages(a, b *stage) int {
	if x, y := s.gated(a), s.gated(b); x != y {
		if y {
			return -1
		}
		return 1
	}
	switch {
	case a.rankDone != b.rankDone:
		return cmp.Compare(a.rankDone, b.rankDone)
	case a.rankTag != b.rankTag:
		return cmp.Compare(a.rankTag, b.rankTag)
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
