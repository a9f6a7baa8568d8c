package optimal

import (
	"math"

	"slurm-ostrich/ostrich"
)

// Own is the solver that needs nothing installed: an exact branch and bound. It
// begins with EASY's schedule, raises a bound of all schedules and lists jobs in the
// order that the bound suggests, changes the best order by and by, and then goes
// through all schedules in which jobs start one after the other as early as they
// can, but those that a bound or a better one rules out.
type Own struct{}

// Solve implements [Solver].
func (Own) Solve(in *Instance, o Objective, b Budget) (Result, error) {
	r, err := Listed(in, o, nil)
	if err != nil || r.Optimal || b.Nodes == 0 {
		return r, err
	}
	s := newSearch(in, o, b)
	s.found(r.EASY, s.easy)
	r.Bound, r.Optimal = s.run()
	r.Starts = s.byJob(s.starts)
	r.Order = inOrder(r.Starts)
	r.Value, r.Nodes = s.best, s.visited
	if r.Optimal {
		r.Bound = r.Value
	}
	return r, nil
}

// The parts of a run, in their order. The short search is enough for a small queue. Under
// SumT many neighbours are tried before the long one, whose time depends on how good the
// best schedule is when it begins.
const (
	firstSteps = 400     // that raise the bound
	tries      = 60      // neighbours of the best order, for each job
	short      = 200_000 // schedules, divided by the number of jobs
	laterSteps = 8000    // that raise the bound further
	laterTries = 5000    // neighbours under SumT, for each job
)

// mostPlaces bounds the memory of a bound, which has some 32 bytes for each job and each point
// of its grid. Only queues of thousands have fewer points than they could.
const mostPlaces = 1 << 23

// run searches, and returns a bound and whether the best schedule is optimal.
func (s *search) run() (bound float64, optimal bool) {
	root := s.nodes[0]
	s.root(root)
	s.place(root)
	bound = s.rounded(s.unpriced(root))
	h := s.newNeighbourhood()
	var a *ascent
	if s.objective.additive() || s.objective == SumStretch {
		s.prices = newRelaxation(s.problem, max(2, mostPlaces/len(s.tasks)))
		a = s.prices.newAscent()
		bound = max(bound, s.priceIn(a, firstSteps, h))
	} else {
		bound = max(bound, s.rounded(s.leastValue(root, s.best)))
	}
	if s.objective == SumStretch {
		bound = max(bound, s.servedByArea(root))
	}
	if !s.stopped && !s.beaten(bound, s.best) {
		h.anneal(tries * len(s.tasks))
	}
	if a != nil && !s.stopped && !s.beaten(bound, s.best) {
		if s.through(short / int64(len(s.tasks))) {
			return s.best, true
		}
		if !s.stopped {
			bound = max(bound, s.priceIn(a, laterSteps, h))
		}
		if s.objective == SumT && !s.stopped && !s.beaten(bound, s.best) {
			h.anneal(laterTries * len(s.tasks))
		}
	}
	if s.beaten(bound, s.best) {
		return min(bound, s.best), true
	}
	if s.stopped {
		return bound, false
	}
	ended := s.through(math.MaxInt64)
	return min(bound, s.best), ended || s.beaten(bound, s.best)
}

// priceIn raises the bound by the given number of steps, and returns it. On the way it
// lists the jobs in the order in which they start at recent prices, see mix.
func (s *search) priceIn(a *ascent, steps int, h *neighbourhood) float64 {
	starts := make([]ostrich.Duration, len(s.tasks))
	bound := a.climb(steps, func() float64 { return s.best }, func() bool {
		if a.steps%5 == 0 {
			a.mix(h.random, starts)
			h.byStart(starts)
			h.list(h.order)
		}
		return s.visit()
	})
	s.given = 0
	for k := range s.prices.room {
		s.given += s.prices.price[k] * s.prices.room[k]
	}
	return s.rounded(bound)
}
