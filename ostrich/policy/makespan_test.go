package policy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// tasks numbers jobs of the given lengths.
func tasks(lengths ...ostrich.Duration) []policy.Task {
	list := make([]policy.Task, len(lengths))
	for i, p := range lengths {
		list[i] = policy.Task{ID: ostrich.JobID(i + 1), Run: p}
	}
	return list
}

// exact is an optimal Makespan, by trying all assignments: ρ = 1. It is for
// about eight tasks.
func exact(list []policy.Task, free []ostrich.Time) []policy.Slot {
	slots := make([]policy.Slot, len(list))
	var best []policy.Slot
	least := ostrich.Time(math.MaxInt64)
	at := slices.Clone(free)
	var try func(i int, end ostrich.Time)
	try = func(i int, end ostrich.Time) {
		if end >= least {
			return
		}
		if i == len(list) {
			least, best = end, slices.Clone(slots)
			return
		}
		for q, start := range at {
			if slices.Contains(at[:q], start) {
				continue // as good as the processor before
			}
			at[q] += ostrich.Time(list[i].Run)
			slots[i] = policy.Slot{Proc: q, Start: start, End: at[q]}
			try(i+1, max(end, at[q]))
			at[q] = start
		}
	}
	try(0, 0)
	return best
}

func lastEnd(slots []policy.Slot) ostrich.Time {
	end := ostrich.Time(0)
	for _, s := range slots {
		end = max(end, s.End)
	}
	return end
}

func drawTasks(t *rapid.T, most int) []policy.Task {
	return tasks(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ostrich.Duration {
		return ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "length"))
	}), 1, most).Draw(t, "lengths")...)
}

// sound returns what is wrong with slots: a task that has not its length, or that
// shares a processor with another, or that starts before it is free.
func sound(list []policy.Task, free []ostrich.Time, slots []policy.Slot) string {
	if len(slots) != len(list) {
		return "not a slot for each task"
	}
	for i, s := range slots {
		if s.Proc < 0 || s.Proc >= len(free) || s.Start < free[s.Proc] || s.End != s.Start+ostrich.Time(list[i].Run) {
			return "a slot is not where or as long as it can be"
		}
		for _, other := range slots[:i] {
			if other.Proc == s.Proc && other.Start < s.End && s.Start < other.End {
				return "two tasks at once on a processor"
			}
		}
	}
	return ""
}

func TestMakespan(t *testing.T) {
	for _, tt := range []struct {
		name string
		rho  policy.Makespan
		list []policy.Task
		free []ostrich.Time
		want []policy.Slot
	}{
		{
			"list", policy.List, tasks(1, 1, 2),
			[]ostrich.Time{0, 0},
			[]policy.Slot{{Proc: 0, Start: 0, End: 1}, {Proc: 1, Start: 0, End: 1}, {Proc: 0, Start: 1, End: 3}},
		},
		{
			"LPT", policy.LPT, tasks(1, 1, 2),
			[]ostrich.Time{0, 0},
			[]policy.Slot{{Proc: 1, Start: 0, End: 1}, {Proc: 1, Start: 1, End: 2}, {Proc: 0, Start: 0, End: 2}},
		},
		// The short processor is the best place for the longest task.
		{
			"LPT, late processor", policy.LPT, tasks(4, 4),
			[]ostrich.Time{7, 2},
			[]policy.Slot{{Proc: 1, Start: 2, End: 6}, {Proc: 1, Start: 6, End: 10}},
		},
		// Waits of 4 and 3 s, then tasks of 3, 2 and 2 s, then a wait of 1 s: the two
		// short tasks come into one group, which gets the first processor.
		{
			"MLPT", policy.MLPT, tasks(3, 2, 2),
			[]ostrich.Time{0, 3, 4, 1},
			[]policy.Slot{{Proc: 3, Start: 1, End: 4}, {Proc: 0, Start: 0, End: 2}, {Proc: 0, Start: 2, End: 4}},
		},
		// Both waits of 8 s come into one group, so that the tasks of 11 and 8 s
		// share another and would end at 27. LPT ends earlier.
		{
			"MLPT, where LPT is better", policy.MLPT, tasks(8, 11, 20),
			[]ostrich.Time{0, 8, 8},
			[]policy.Slot{{Proc: 2, Start: 8, End: 16}, {Proc: 1, Start: 8, End: 19}, {Proc: 0, Start: 0, End: 20}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.rho(tt.list, tt.free)); diff != "" {
				t.Error("-want +got\n", diff)
			}
		})
	}
}

// TestApproximation holds the algorithms to their factors ρ, against an optimum
// found by trying everything. Times count from the first free processor.
func TestApproximation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 5).Draw(t, "m")
		list := drawTasks(t, 7)
		free := make([]ostrich.Time, m)
		if rapid.Bool().Draw(t, "late processors") {
			for q := range free {
				free[q] = ostrich.Time(rapid.IntRange(0, 15).Draw(t, "free"))
			}
		}
		first := slices.Min(free)
		together := slices.Max(free) == first
		best := float64(lastEnd(exact(list, free)) - first)
		graham := 4.0/3 - 1/(3*float64(m))
		lee := 1.5 - 1/(2*float64(m))
		for name, rho := range map[string]struct {
			rho    policy.Makespan
			factor float64
		}{
			"list": {policy.List, 2},
			"LPT":  {policy.LPT, lee},
			"MLPT": {policy.MLPT, 4.0 / 3},
		} {
			slots := rho.rho(list, free)
			if why := sound(list, free, slots); why != "" {
				t.Fatalf("%s of %v on %v: %s: %v", name, list, free, why, slots)
			}
			factor := rho.factor
			if together {
				switch name {
				case "list":
					factor = 2 - 1/float64(m)
				default:
					factor = graham
				}
			}
			if got := float64(lastEnd(slots) - first); got > factor*best+1e-9 {
				t.Fatalf("%s of %v on %v: %v, more than %.3f times %v", name, list, free, got, factor, best)
			}
		}
		if together && !cmp.Equal(lastEnd(policy.LPT(list, free)), lastEnd(policy.MLPT(list, free))) {
			t.Fatalf("%v on %d processors: LPT and MLPT differ", list, m)
		}
	})
}

// TestMLPTGain: MLPT ends earlier than LPT on few processors, seldom on 16, and
// never on 140. Each processor is free within the hour, and there are two jobs of up
// to an hour for each of them.
func TestMLPTGain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // to be the same each time
	for _, tt := range []struct{ m, earlier int }{{4, 396}, {16, 48}, {140, 0}} {
		earlier := 0
		for range 1000 {
			free, list := make([]ostrich.Time, tt.m), make([]ostrich.Duration, 2*tt.m)
			for q := range free {
				free[q] = ostrich.Time(random.IntN(3600))
			}
			for i := range list {
				list[i] = ostrich.Duration(1 + random.IntN(3600))
			}
			if lastEnd(policy.MLPT(tasks(list...), free)) < lastEnd(policy.LPT(tasks(list...), free)) {
				earlier++
			}
		}
		if earlier != tt.earlier {
			t.Errorf("%d processors: earlier in %d of 1000 campaigns, want %d", tt.m, earlier, tt.earlier)
		}
	}
}
