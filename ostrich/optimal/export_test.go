package optimal

import (
	"math"

	"slurm-ostrich/ostrich"
)

// Explore returns the value of the best schedule that the search finds without
// prices, and without a schedule to begin with where it needs none.
func Explore(in *Instance, o Objective) float64 {
	s := &search{
		problem: newProblem(in, o), budget: Budget{Nodes: Unlimited}, best: math.Inf(1),
		starts: make([]ostrich.Duration, len(in.Jobs)),
	}
	if !s.additive() {
		easy := make([]ostrich.Duration, len(in.Jobs))
		for i := range s.tasks {
			easy[i] = s.easy[s.tasks[i].job]
		}
		s.found(o.Value(in, s.easy), easy)
	}
	s.nodes = []*node{{}}
	s.through(math.MaxInt64)
	return s.best
}
