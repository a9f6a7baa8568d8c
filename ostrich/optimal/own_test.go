package optimal_test

import (
	"math"
	"math/rand/v2"
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

// findsTheBest compares with all orders.
func findsTheBest(t rapid.TB, in *optimal.Instance, o optimal.Objective) {
	t.Helper()
	r, err := optimal.Own{}.Solve(in, o, optimal.Budget{Nodes: optimal.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	feasible(t, in, r.Starts)
	want := 0.0
	if len(in.Jobs) > 0 {
		want = bruteForce(in, o)
	}
	if !r.Optimal || math.Abs(r.Value-want) > 1e-9*want || r.Bound != r.Value {
		t.Errorf("%v: %+v, the best is %v, of %+v", o, r, want, in)
	}
}

func drawObjective(t *rapid.T) optimal.Objective {
	return optimal.Objective(rapid.IntRange(0, len(optimal.ObjectiveNames)-1).Draw(t, "objective"))
}

func TestOwnFindsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(5).Draw(t, "instance")
		findsTheBest(t, &in, drawObjective(t))
	})
}

// TestOwnFindsTheBestOfMore has a few instances of six and of seven jobs, of which
// there are 5040 orders.
func TestOwnFindsTheBestOfMore(t *testing.T) {
	for o := range optimal.ObjectiveNames {
		for seed := range 25 {
			for _, n := range []int{6, 7} {
				in := drawSized(n, n).Example(10*n + seed)
				findsTheBest(t, &in, optimal.Objective(o))
			}
		}
	}
}

// TestExplore has no schedule that a list or a change of the best order finds, and no
// prices: only the search itself, and what it leaves out because of what it remembers.
func TestExplore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawSized(1, 6).Draw(t, "instance")
		o := drawObjective(t)
		if rapid.Bool().Draw(t, "late") {
			for i := range in.Jobs {
				in.Jobs[i].Due -= 20 // what follows a node costs as much as it starts later
			}
		}
		if value, want := optimal.Explore(&in, o), bruteForce(&in, o); math.Abs(value-want) > 1e-9*want {
			t.Errorf("%v: found %v, the best is %v, of %+v", o, value, want, in)
		}
	})
}

// TestLongTimes has instances whose times are 997 times as long, so that prices stand
// only at some of them. The best schedule is the same, and no bound is above its value.
func TestLongTimes(t *testing.T) {
	const times = 997
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(5).Draw(t, "instance")
		o := drawObjective(t)
		want := 0.0
		if len(in.Jobs) > 0 {
			want = bruteForce(&in, o)
		}
		if o == optimal.SumT || o == optimal.Cmax {
			want *= times
		}
		for i := range in.Running {
			in.Running[i].Left *= times
		}
		for i := range in.Jobs {
			in.Jobs[i].Length *= times
			in.Jobs[i].Due *= times
		}
		for i := range in.Campaigns {
			c := &in.Campaigns[i]
			c.Age, c.Until, c.Least = c.Age*times, c.Until*times, c.Least*times
		}
		for _, nodes := range []int64{rapid.Int64Range(1, 4000).Draw(t, "nodes"), optimal.Unlimited} {
			r, err := optimal.Own{}.Solve(&in, o, optimal.Budget{Nodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			feasible(t, &in, r.Starts)
			if slack := 1e-9 * want; r.Bound > want+slack || r.Value < want-slack || r.Optimal != (r.Value <= want+slack && r.Bound == r.Value) {
				t.Errorf("%v with %d nodes: %+v, the best is %v, of %+v", o, nodes, r, want, in)
			}
		}
	})
}

// TestManyJobs: of 150 jobs, at most one more is late than must be, as far as the bound
// knows.
func TestManyJobs(t *testing.T) {
	for _, seed := range []uint64{0, 3} {
		r := rand.New(rand.NewPCG(seed, 0))
		in := optimal.Instance{Procs: 100, Running: []optimal.Running{{Procs: 50, Left: 1800}, {Procs: 50, Left: 7200}}}
		for i := range 150 {
			in.Jobs = append(in.Jobs, optimal.Job{
				ID: ostrich.JobID(i + 1), Procs: 1 << r.IntN(5), Length: []ostrich.Duration{600, 3600, 7200, 36000}[r.IntN(4)],
				Due: ostrich.Duration(1800 + r.IntN(30000)),
			})
		}
		found, err := optimal.Own{}.Solve(&in, optimal.SumU, optimal.Budget{Nodes: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		feasible(t, &in, found.Starts)
		if found.Value > found.Bound+1 {
			t.Errorf("queue %d: %v are late, the bound is %v", seed, found.Value, found.Bound)
		}
	}
}

// TestBudget: whatever the budget, the schedule is no worse than EASY's, the bound is
// no larger than the best value, and a larger budget finds no worse schedule.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(8).Draw(t, "instance")
		o := drawObjective(t)
		solve := func(nodes int64) optimal.Result {
			r, err := optimal.Own{}.Solve(&in, o, optimal.Budget{Nodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			feasible(t, &in, r.Starts)
			if value := o.Value(&in, r.Starts); r.Value != value || r.Value > r.EASY || r.EASY != o.Value(&in, optimal.EASY(&in)) {
				t.Fatalf("%v with %d nodes: %+v, its value is %v", o, nodes, r, value)
			}
			if math.Signbit(r.Bound) || r.Bound > r.Value || r.Optimal != (r.Bound == r.Value) || r.Gap() < 0 || r.Gap() > 1 {
				t.Fatalf("%v with %d nodes: %+v", o, nodes, r)
			}
			return r
		}
		few := rapid.Int64Range(0, 1200).Draw(t, "nodes")
		less, more, all := solve(few), solve(few+rapid.Int64Range(1, 600).Draw(t, "more")), solve(optimal.Unlimited)
		if less.Nodes > few || less.Value < more.Value || more.Value < all.Value || !all.Optimal {
			t.Errorf("%v with %d nodes %+v, with some more %+v, with all %+v", o, few, less, more, all)
		}
		if least := all.Value * (1 + 1e-9); less.Bound > least || more.Bound > least {
			t.Errorf("%v: a bound above the best value: %+v, %+v, %+v", o, less, more, all)
		}
	})
}

// TestStop ends the search from outside. The longer the queue, the more often it asks.
func TestStop(t *testing.T) {
	for jobs, every := range map[int]int64{12: 64, 100: 40, 2000: 2} {
		in := drawSized(jobs, jobs).Example(1)
		asked := 0
		r, err := optimal.Own{}.Solve(&in, optimal.SumT, optimal.Budget{Nodes: optimal.Unlimited, Stop: func() bool { asked++; return asked == 3 }})
		if err != nil || asked != 3 || r.Nodes != 3*every || r.Optimal {
			t.Errorf("%d jobs: asked %d times: %d nodes, optimal %v, %v", jobs, asked, r.Nodes, r.Optimal, err)
		}
	}
}

// TestFewPoints: a bound holds with any points of its grid, and a long queue has not so many that
// they fill the memory.
func TestFewPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawSized(1, 7).Draw(t, "instance")
		most := rapid.IntRange(2, 20).Draw(t, "points")
		for _, o := range []optimal.Objective{optimal.SumU, optimal.SumT, optimal.SumStretch} {
			best, err := optimal.Own{}.Solve(&in, o, optimal.Budget{Nodes: optimal.Unlimited})
			if err != nil || !best.Optimal {
				t.Fatal(best, err)
			}
			if bound := optimal.Bound(&in, o, most, best.Value); bound > best.Value*(1+1e-9) {
				t.Errorf("%v with %d points: bound %v of %v", o, most, bound, best.Value)
			}
		}
	})
	long := optimal.Instance{Procs: 1}
	for i := range 5000 {
		long.Jobs = append(long.Jobs, optimal.Job{ID: ostrich.JobID(i + 1), Procs: 1, Length: ostrich.Duration(60 + i), Due: ostrich.Duration(i)})
	}
	if n := optimal.Places(&long, optimal.SumT); n > 1<<23 {
		t.Errorf("%d places", n)
	}
}
