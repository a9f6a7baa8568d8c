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
