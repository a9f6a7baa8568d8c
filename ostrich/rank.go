package ostrich

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich/sharing"
)

// Rank is a campaign with pending jobs, as Schedule.Ranking lists it.
type Rank struct {
	User     UserID
	Campaign int   // number of the campaign within the user
	Lead     JobID // see Campaign.Lead
	Stage    int   // of the campaign, from 1, see Late

	// Gated reports whether the campaign has not started virtually (s~ > t). It is
	// never set with Gate Off.
	Gated bool
	// Held reports whether it is gated and the gate is strict: none of its jobs may
	// start.
	Held bool
}

// Ranking returns the campaigns with pending jobs, the one that should start first
// in front: the order of Order without the jobs. A campaign whose jobs wait in
// several stages has an entry for each.
//
// Only what has changed since the last call is sorted anew. The slice belongs to the
// schedule and is valid until the next call.
func (s *Schedule) Ranking() []Rank {
	s.sortWaiting()
	return s.waiting.ranks
}

// waiting are the stages with pending jobs.
type waiting struct {
	stages  []*stage // sorted by their keys
	ranks   []Rank   // of stages
	moved   []*stage // that may have another place now, or none
	gone    int      // of moved, about how many have no pending job
	moment  float64  // for which the stages were sorted
	version uint64   // of the schedule that was sorted
}

// touch notes that a stage may have another place.
func (w *waiting) touch(g *stage) {
	if !g.moved {
		g.moved = true
		w.moved = append(w.moved, g)
	}
}

// touchStage notes it of a stage whose tags the virtual schedule has set.
func (w *waiting) touchStage(g *sharing.Stage) { w.touch(stageOf(g)) }

// drop notes that a stage lost its last pending job. If nobody asks for the ranking, it
// forgets such stages after a while.
func (w *waiting) drop(g *stage) {
	w.touch(g)
	if w.gone++; w.gone <= 16+len(w.moved)/2 {
		return
	}
	w.moved = slices.DeleteFunc(w.moved, func(g *stage) bool {
		g.moved = g.Watched || g.queued() > 0
		return !g.moved
	})
	w.gone = 0
}

// drifts reports whether the order may change as time passes, without an event:
// late campaigns do not get nearer to their completion while others do, and what
// users have had fades.
func (s *Schedule) drifts() bool { return s.options.Grace > 0 || s.options.Memory > 0 }

func (s *Schedule) versionNow() uint64 { return s.tree.Version() + s.version }

// sortWaiting puts the stages with pending jobs in order.
func (s *Schedule) sortWaiting() {
	w := &s.waiting
	moment := s.tree.Moment()
	if s.drifts() {
		if moment = float64(s.now); moment == w.moment && w.version == s.versionNow() {
			return
		}
	}
	s.tree.CatchUp()
	// Below accounts, tags on the root's clock are sums of all that is active: any
	// event may change them, of another user or of the shares too, and they may
	// differ in the last bit from one moment to the next. They are computed for
	// the latest event, never for the latest question.
	nested := s.tree.Nested() && (w.moment != moment || w.version != s.versionNow() || len(w.moved) > 0)
	if s.drifts() || nested || len(w.moved) > 8+len(w.stages)/8 {
		s.sortAll()
	} else {
		s.sortMoved()
	}
	w.moved, w.gone, w.moment, w.version = w.moved[:0], 0, moment, s.versionNow()
}

// sortMoved removes the stages that may have another place from the order and
// inserts them again.
func (s *Schedule) sortMoved() {
	w := &s.waiting
	for _, g := range w.moved {
		if !g.Watched {
			continue
		}
		if g.queued() > 0 && g.key == s.keyOf(g) {
			g.moved = false
			continue
		}
		i, _ := slices.BinarySearchFunc(w.stages, g, compareStages)
		w.stages, w.ranks = slices.Delete(w.stages, i, i+1), slices.Delete(w.ranks, i, i+1)
		g.Watched = false
	}
	for _, g := range w.moved {
		if g.moved && g.queued() > 0 {
			g.key, g.Watched = s.keyOf(g), true
			i, _ := slices.BinarySearchFunc(w.stages, g, compareStages)
			w.stages, w.ranks = slices.Insert(w.stages, i, g), slices.Insert(w.ranks, i, s.rankOf(g))
		}
		g.moved = false
	}
}

// sortAll sorts all stages by new keys.
func (s *Schedule) sortAll() {
	w := &s.waiting
	for _, g := range w.moved {
		if !g.Watched {
			w.stages = append(w.stages, g)
		}
		g.moved = false
	}
	w.stages = slices.DeleteFunc(w.stages, func(g *stage) bool {
		g.Watched = g.queued() > 0
		return !g.Watched
	})
	for _, g := range w.stages {
		g.key = s.keyOf(g)
		if !g.unsorted && g.turn <= s.now {
			g.unsorted = true
			s.version++
		}
	}
	if !slices.IsSortedFunc(w.stages, compareStages) {
		slices.SortFunc(w.stages, compareStages)
		s.version++
	}
	w.ranks = w.ranks[:0]
	for _, g := range w.stages {
		w.ranks = append(w.ranks, s.rankOf(g))
	}
}

// rankOf returns the entry of a stage in Ranking.
func (s *Schedule) rankOf(g *stage) Rank {
	return Rank{
		User: g.campaign.user.User, Campaign: g.campaign.number, Lead: g.campaign.lead, Stage: g.number,
		Gated: g.key.gated, Held: g.key.gated && s.options.Gate == Strict,
	}
}

// A stageKey decides on the place of a stage among the others.
type stageKey struct {
	gated bool
	done  float64 // C~ in real time of an overdue stage; +Inf of others
	tag   float64 // the finish tag, with Grace or Memory Place.Distance; 0 of an overdue stage
	since Time    // t_i, see stage.since
}

func (s *Schedule) keyOf(g *stage) stageKey {
	r := stageKey{gated: s.gated(g), done: math.Inf(1), since: g.since}
	switch {
	case s.overdue(g):
		r.done = g.Completed
	case s.drifts():
		u, ahead := g.campaign.user, s.tree.Ahead(&g.Stage, s.now)+g.kept()
		r.tag = float64(ahead*s.having(u, float64(s.now))) * s.tree.Spread(&u.Line)
	default:
		r.tag = s.tree.Tag(&g.Stage, g.kept())
	}
	return r
}

// kept is the work of a stage in which nothing pending can start: what would be
// ahead of it if it were released now. It distinguishes such stages in the order.
func (g *stage) kept() Work {
	if g.held == 0 || g.held < g.queued() {
		return 0
	}
	var sum Work
	for _, j := range g.pending {
		if j.queued {
			sum += j.area(j.expect)
		}
	}
	return sum
}

// overdue reports whether a stage is so late that it goes first.
func (s *Schedule) overdue(g *stage) bool {
	return g.Completed != sharing.NotYet && g.held < max(g.queued(), 1) &&
		(s.options.Grace == 0 || s.frontBy(float64(g.since), g.Completed) < float64(s.now))
}

// frontBy is when work of a campaign submitted at first, and completed virtually at
// another moment, is overdue, see Options.Grace.
func (s *Schedule) frontBy(first, completed float64) float64 {
	if s.options.Grace == 0 {
		return completed
	}
	return completed + max(completed-first, float64(s.options.Grace))
}

// compareStages puts the stage in front whose jobs should start first. Of two
// different ones, one always is.
func compareStages(a, b *stage) int {
	switch {
	case a.key.gated != b.key.gated:
		if b.key.gated {
			return -1
		}
		return 1
	case a.key.done != b.key.done:
		return cmp.Compare(a.key.done, b.key.done)
	case a.key.tag != b.key.tag:
		return cmp.Compare(a.key.tag, b.key.tag)
	}
	return cmp.Or(
		cmp.Compare(a.key.since, b.key.since),
		cmp.Compare(a.campaign.user.User, b.campaign.user.User),
		cmp.Compare(a.campaign.number, b.campaign.number),
		cmp.Compare(a.number, b.number),
	)
}

// gated reports whether the gate keeps a stage behind the others.
func (s *Schedule) gated(g *stage) bool { return s.options.Gate != Off && g.Began == sharing.NotYet }
