package foresight

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// mostArrivals is how many arrivals of a pool are remembered at most in one forecast.Habits, and half of it the
// least that stay when they are too many.
const mostArrivals = 200_000

// arrivals are the habits of a pool's users. Of a pool with many jobs, older ones than the latest half of
// mostArrivals may be forgotten.
type arrivals struct {
	old, young *forecast.Habits // young has what came later than half of what old has; nil: nothing has
	olds       int              // that came into old
	youngs     int
	turn       int // how often young has become old
}

// number is where the first of some arrivals is.
type number struct {
	known      bool
	turn       int
	old, young int
}

// habits returns what is asked, nil for nothing.
func (a *arrivals) habits() *forecast.Habits { return a.old }

// add adds so many equal arrivals.
func (a *arrivals) add(is *forecast.Arrival, count int) number {
	if a.old == nil {
		a.old = new(forecast.Habits)
	}
	if a.olds >= mostArrivals {
		a.old, a.olds, a.young, a.youngs = a.young, a.youngs, nil, 0
		a.turn++
	}
	if a.young == nil && a.olds >= mostArrivals/2 {
		a.young = new(forecast.Habits)
	}
	n := number{known: true, turn: a.turn, young: -1}
	for i := range count {
		at := a.old.Came(*is)
		if i == 0 {
			n.old = at
		}
	}
	a.olds += count
	if a.young != nil {
		for i := range count {
			at := a.young.Came(*is)
			if i == 0 {
				n.young = at
			}
		}
		a.youngs += count
	}
	return n
}

// length records how long the nth of some arrivals ran.
func (a *arrivals) length(n number, nth int, ran ostrich.Duration) {
	switch {
	case n.turn == a.turn:
		a.old.Ended(n.old+nth, ran)
		if n.young >= 0 {
			a.young.Ended(n.young+nth, ran)
		}
	case n.turn == a.turn-1 && n.young >= 0:
		a.old.Ended(n.young+nth, ran)
	}
}
