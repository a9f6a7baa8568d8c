package optimal_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
)

// TestRefused wants an error that names what is wrong, of everything that takes an
// instance, and no schedule.
func TestRefused(t *testing.T) {
	job := func(change func(*optimal.Job)) func(*optimal.Instance) {
		return func(in *optimal.Instance) { change(&in.Jobs[1]) }
	}
	for _, tt := range []struct {
		test   string
		change func(*optimal.Instance)
		want   string // behind "optimal: "
	}{
		{"no machine", func(in *optimal.Instance) { *in = optimal.Instance{} }, "a machine of 0 processors"},
		{"negative machine", func(in *optimal.Instance) { in.Procs = -1 }, "a machine of -1 processors"},
		{"immense machine", func(in *optimal.Instance) { in.Procs = math.MaxInt32 }, "a machine of 2147483647 processors"},
		{"long queue", func(in *optimal.Instance) { in.Jobs = make([]optimal.Job, 100_001) }, "a queue of 100001 jobs, more than 100000"},
		{"running on nothing", func(in *optimal.Instance) { in.Running[0].Procs = 0 }, "running job number 1 has 0 of 4 free processors"},
		{"too much runs", func(in *optimal.Instance) { in.Running[1].Procs = 4 }, "running job number 2 has 4 of 3 free processors"},
		{"runs for nothing", func(in *optimal.Instance) { in.Running[1].Left = 0 }, "running job number 2 runs for another 0 s"},
		{"runs for ever", func(in *optimal.Instance) { in.Running[1].Left = math.MaxInt32 }, "running job number 2 runs for another 2147483647 s"},
		{"on nothing", job(func(j *optimal.Job) { j.Procs = 0 }), "job 12 needs 0 of 4 processors"},
		{"on less", job(func(j *optimal.Job) { j.Procs = -2 }), "job 12 needs -2 of 4 processors"},
		{"wide", job(func(j *optimal.Job) { j.Procs = 5 }), "job 12 needs 5 of 4 processors"},
		{"of no length", job(func(j *optimal.Job) { j.Length = 0 }), "job 12 runs for 0 s"},
		{"of negative length", job(func(j *optimal.Job) { j.Length = -3600 }), "job 12 runs for -3600 s"},
		{"long", job(func(j *optimal.Job) { j.Length = math.MaxInt32 }), "job 12 runs for 2147483647 s"},
		{"late", job(func(j *optimal.Job) { j.Due = -math.MaxInt32 }), "job 12 is due at -2147483647 s"},
		{"early", job(func(j *optimal.Job) { j.Due = math.MaxInt32 }), "job 12 is due at 2147483647 s"},
		{"negative weight", job(func(j *optimal.Job) { j.Weight = -1 }), "job 12 has the weight -1, not from 0 to 1000000"},
		{"weight", job(func(j *optimal.Job) { j.Weight = 1_000_001 }), "job 12 has the weight 1000001, not from 0 to 1000000"},
		{"campaign", job(func(j *optimal.Job) { j.Campaign = 1 }), "job 12 is of campaign 1 of 1"},
		{"negative campaign", job(func(j *optimal.Job) { j.Campaign = -1 }), "job 12 is of campaign -1 of 1"},
		{"age", func(in *optimal.Instance) { in.Campaigns[0].Age = -1 }, "campaign 0 has age -1 s, running jobs until 0 s and a least time of 9 s"},
		{"until", func(in *optimal.Instance) { in.Campaigns[0].Until = -1 }, "campaign 0 has age 5 s, running jobs until -1 s and a least time of 9 s"},
		{"no least time", func(in *optimal.Instance) { in.Campaigns[0].Least = 0 }, "campaign 0 has age 5 s, running jobs until 0 s and a least time of 0 s"},
		{"no number", func(in *optimal.Instance) { in.Campaigns[0].Least = math.NaN() }, "campaign 0 has age 5 s, running jobs until 0 s and a least time of NaN s"},
		{"no end", func(in *optimal.Instance) { in.Campaigns[0].Least = math.Inf(1) }, "campaign 0 has age 5 s, running jobs until 0 s and a least time of +Inf s"},
		{"no campaigns", func(in *optimal.Instance) { in.Campaigns = nil }, "max-stretch of jobs without campaigns"},
	} {
		t.Run(tt.test, func(t *testing.T) {
			in := optimal.Instance{
				Procs:     4,
				Running:   []optimal.Running{{Procs: 1, Left: 3}, {Procs: 1, Left: 4}},
				Jobs:      []optimal.Job{{ID: 11, Procs: 4, Length: 1}, {ID: 12, Procs: 2, Length: 9}},
				Campaigns: []optimal.Campaign{{Age: 5, Least: 9}},
			}
			tt.change(&in)
			want := "optimal: " + tt.want + ": " + optimal.ErrInstance.Error()
			check := func(who string, err error, given bool) {
				t.Helper()
				if !errors.Is(err, optimal.ErrInstance) || err.Error() != want || given {
					t.Errorf("%s: a result: %t, error %v, want %s", who, given, err, want)
				}
			}
			r, err := optimal.Own{}.Solve(&in, optimal.MaxStretch, optimal.Budget{Nodes: optimal.Unlimited})
			check("Solve", err, r.Starts != nil)
			r, err = optimal.Listed(&in, optimal.MaxStretch, nil)
			check("Listed", err, r.Starts != nil)
			m, err := optimal.NewModel(&in, optimal.MaxStretch, optimal.Paper)
			check("NewModel", err, m != nil)
		})
	}
}

// TestRefusedWords are an objective, a formulation and starts that mean nothing.
func TestRefusedWords(t *testing.T) {
	in := optimal.Instance{Procs: 1, Jobs: []optimal.Job{{ID: 1, Procs: 1, Length: 1}}}
	_, objective := optimal.Own{}.Solve(&in, 9, optimal.Budget{})
	_, formulation := optimal.NewModel(&in, optimal.SumU, 9)
	_, starts := optimal.Listed(&in, optimal.SumU, []float64{0, 1})
	for _, tt := range []struct {
		err  error
		want string
	}{
		{objective, "optimal: objective number 9 is not known: cannot be scheduled"},
		{formulation, "optimal: formulation number 9 is not known: cannot be scheduled"},
		{starts, "optimal: 2 starts for 1 jobs: cannot be scheduled"},
	} {
		if !errors.Is(tt.err, optimal.ErrInstance) || tt.err.Error() != tt.want {
			t.Errorf("error %v, want %s", tt.err, tt.want)
		}
	}
}

// TestEmptyQueue is solved, with nothing.
func TestEmptyQueue(t *testing.T) {
	in := optimal.Instance{Procs: 2, Running: []optimal.Running{{Procs: 2, Left: 9}}}
	for o := range optimal.ObjectiveNames {
		r, err := optimal.Own{}.Solve(&in, optimal.Objective(o), optimal.Budget{Nodes: optimal.Unlimited})
		if err != nil || !r.Optimal || r.Value != 0 || len(r.Starts) != 0 || r.Gap() != 0 {
			t.Errorf("%v: %+v, %v", optimal.Objective(o), r, err)
		}
	}
}

// TestSatisfiable keeps jobs that can start when they are due, and no later.
func TestSatisfiable(t *testing.T) {
	in := optimal.Instance{
		Procs:   4,
		Running: []optimal.Running{{Procs: 2, Left: 5}, {Procs: 1, Left: 8}},
		Jobs: []optimal.Job{
			{ID: 1, Procs: 1, Length: 9, Due: 0},  // fits at once
			{ID: 2, Procs: 1, Length: 9, Due: -1}, // has waited for too long
			{ID: 3, Procs: 3, Length: 9, Due: 5},  // from 5 on
			{ID: 4, Procs: 3, Length: 9, Due: 4},
			{ID: 5, Procs: 4, Length: 9, Due: 7}, // from 8 on
			{ID: 6, Procs: 4, Length: 9, Due: 8},
		},
	}
	kept, which := in.Satisfiable()
	want := in
	want.Jobs = []optimal.Job{in.Jobs[0], in.Jobs[2], in.Jobs[5]}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2, 5}, which); diff != "" {
		t.Errorf("which (-want +got):\n%s", diff)
	}
	if len(in.Jobs) != 6 {
		t.Errorf("the instance has %d jobs now", len(in.Jobs))
	}
}

// TestDroppedAreLate: each job that is dropped is late in the best schedule of all
// jobs too, and makes none of the others late.
func TestDroppedAreLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(6).Draw(t, "instance")
		kept, which := in.Satisfiable()
		lost := 0.0
		for i := range in.Jobs {
			lost += float64(max(1, in.Jobs[i].Weight))
		}
		for _, i := range which {
			lost -= float64(max(1, in.Jobs[i].Weight))
		}
		if all, rest := best(t, &in), best(t, &kept); all != rest+lost {
			t.Errorf("the best of %+v is %v; without the dropped %v, which count %v", in, all, rest, lost)
		}
	})
}

// best is the least weighted number of late jobs.
func best(t *rapid.T, in *optimal.Instance) float64 {
	r, err := optimal.Own{}.Solve(in, optimal.SumU, optimal.Budget{Nodes: optimal.Unlimited})
	if err != nil || !r.Optimal {
		t.Fatalf("%+v: %v", r, err)
	}
	return r.Value
}

// TestListed lists jobs in the order of somebody's starts, and falls back to EASY's
// where that is worse.
func TestListed(t *testing.T) {
	in := optimal.Instance{Procs: 2, Jobs: []optimal.Job{{ID: 1, Procs: 2, Length: 9, Due: 1}, {ID: 2, Procs: 1, Length: 1, Due: 0}}}
	for _, tt := range []struct {
		starts []float64
		want   []ostrich.Duration
		value  float64
	}{
		{nil, []ostrich.Duration{0, 9}, 9},
		{[]float64{7, 3}, []ostrich.Duration{1, 0}, 0},
		{[]float64{3, 7}, []ostrich.Duration{0, 9}, 9},
	} {
		r, err := optimal.Listed(&in, optimal.SumT, tt.starts)
		if err != nil || r.Value != tt.value || r.EASY != 9 || r.Bound != 0 || r.Optimal != (tt.value == 0) {
			t.Errorf("%v: %+v, %v", tt.starts, r, err)
		}
		if diff := cmp.Diff(tt.want, r.Starts); diff != "" {
			t.Errorf("%v: starts (-want +got):\n%s", tt.starts, diff)
		}
	}
}
