package optimal_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
)

// feasible fails a test whose schedule uses more processors than there are at some
// time, or starts a job before the instant.
func feasible(t rapid.TB, in *optimal.Instance, starts []ostrich.Duration) {
	t.Helper()
	if len(starts) != len(in.Jobs) {
		t.Fatalf("%d starts of %d jobs", len(starts), len(in.Jobs))
	}
	for _, now := range starts { // use grows at starts only
		used := 0
		for _, r := range in.Running {
			if now < r.Left {
				used += r.Procs
			}
		}
		for i, start := range starts {
			if start <= now && now < start+in.Jobs[i].Length {
				used += in.Jobs[i].Procs
			}
		}
		if now < 0 || used > in.Procs {
			t.Fatalf("at %d, %d of %d processors are in use: starts %v of %+v", now, used, in.Procs, starts, in)
		}
	}
}

// bruteForce lists the jobs in every order, each as early as it can start without
// moving those before it. Some such schedule is optimal, since no objective gets
// smaller when a job starts later.
func bruteForce(in *optimal.Instance, o optimal.Objective) float64 {
	starts := make([]ostrich.Duration, len(in.Jobs))
	done := make([]bool, len(in.Jobs))
	best := math.Inf(1)
	fits := func(i int, from ostrich.Duration) bool {
		for now := from; now < from+in.Jobs[i].Length; now++ {
			used := in.Jobs[i].Procs
			for _, r := range in.Running {
				if now < r.Left {
					used += r.Procs
				}
			}
			for k := range in.Jobs {
				if done[k] && starts[k] <= now && now < starts[k]+in.Jobs[k].Length {
					used += in.Jobs[k].Procs
				}
			}
			if used > in.Procs {
				return false
			}
		}
		return true
	}
	var list func(left int)
	list = func(left int) {
		if left == 0 {
			best = min(best, o.Value(in, starts))
			return
		}
		for i := range in.Jobs {
			if done[i] {
				continue
			}
			starts[i] = 0
			for !fits(i, starts[i]) {
				starts[i]++
			}
			done[i] = true
			list(left - 1)
			done[i] = false
		}
	}
	list(len(in.Jobs))
	return best
}

// TestOwnFindsTheBest compares with all orders.
func TestOwnFindsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(5).Draw(t, "instance")
		o := optimal.Objective(rapid.IntRange(0, len(optimal.ObjectiveNames)-1).Draw(t, "objective"))
		r, err := optimal.Own{}.Solve(&in, o, optimal.Budget{Nodes: optimal.Unlimited})
		if err != nil {
			t.Fatal(err)
		}
		feasible(t, &in, r.Starts)
		want := 0.0
		if len(in.Jobs) > 0 {
			want = bruteForce(&in, o)
		}
		if !r.Optimal || math.Abs(r.Value-want) > 1e-9*want || r.Bound != r.Value {
			t.Errorf("%v: %+v, the best is %v", o, r, want)
		}
	})
}
