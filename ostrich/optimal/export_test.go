package optimal

import "math"

// Explore returns the value of the best schedule that the search finds without
// prices, and without a schedule to begin with where it needs none.
func Explore(in *Instance, o Objective) float64 {
	s := newSearch(in, o, Budget{Nodes: Unlimited})
	if !s.objective.additive() {
		s.found(s.valueAt(s.easy), s.easy)
	}
	s.through(math.MaxInt64)
	return s.best
}

// Bound returns the bound of an instance after some steps, with a grid of so many points at most.
func Bound(in *Instance, o Objective, most int, best float64) float64 {
	a := newRelaxation(newProblem(in, o), most).newAscent()
	return a.climb(firstSteps, func() float64 { return best }, func() bool { return true })
}

// Places returns how many places jobs have in the grid of a search.
func Places(in *Instance, o Objective) int {
	p := newProblem(in, o)
	return len(p.tasks) * len(p.gridPoints(mostPlaces/len(p.tasks)))
}
