//go:build !race

package figures

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/optimise"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// smallLog is a log of jobs that wait for one another on 4 processors.
func smallLog(jobs ...sim.Job) *workload {
	l := &workload{name: "small", procs: 4, users: 2, jobs: jobs}
	for i := range jobs {
		l.jobs[i].ID = ostrich.JobID(i + 1)
		l.numbers = append(l.numbers, int(jobs[i].User)-1)
	}
	return l
}

func waited(user ostrich.UserID, submit, start ostrich.Time, run ostrich.Duration, procs int) sim.Job {
	return sim.Job{User: user, Submit: submit, Run: run, Estimate: run, Procs: procs, Start: start}
}

func TestMILPQueue(t *testing.T) {
	l := smallLog(waited(1, 0, 0, 100, 4), waited(1, 10, 100, 50, 4), waited(2, 20, 150, 5, 4), waited(2, 20, 155, 5, 4))
	want := []queued{{10, 1}, {20, 2}, {20, 3}, {100, 2}, {150, 1}, {155, 0}}
	if diff := cmp.Diff(want, l.queue(), cmp.AllowUnexported(queued{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	list := l.instants(20, 3)
	if len(list) == 0 {
		t.Error("3 jobs never wait")
	}
	for _, at := range list {
		if at < 20 || at >= 100 {
			t.Errorf("at %d fewer than 3 jobs wait", at)
		}
	}
	if got := l.instants(5, 4); len(got) != 0 {
		t.Errorf("4 jobs wait at %v", got)
	}
}

// TestMILPRivals: by hand, at 20 s. What runs ends at 100; behind it wait a job of 50 s
// and three of 5, 6 and 7 s, all as wide as the machine.
func TestMILPRivals(t *testing.T) {
	l := smallLog(
		waited(1, 0, 0, 100, 4), waited(1, 10, 118, 50, 4), waited(2, 20, 100, 7, 4), waited(2, 20, 107, 6, 4), waited(2, 20, 113, 5, 4),
	)
	places, err := l.places([]ostrich.Time{20})
	if err != nil {
		t.Fatal(err)
	}
	accept := satisfaction.Acceptance{Slope: 1, Offset: 1.5} // a wait of 90 s
	for _, c := range []struct {
		q    question
		want []float64 // conservative, EASY, SPT, FairCamp
		best float64
	}{
		// Due at 100 for the first, and at 110 for the others.
		{question{objective: optimal.SumT, nodes: 1000}, []float64{40 + 47 + 53, 40 + 47 + 53, 0 + 0 + 1 + 18, 0 + 0 + 3 + 18}, 19},
		{question{objective: optimal.SumU, nodes: 1000}, []float64{3, 3, 2, 2}, 2},
	} {
		s, err := l.solve(optimise.Logged(l.jobs, l.numbers, accept), 20, places[0], c.q)
		if err != nil {
			t.Fatal(err)
		}
		if s.jobs != 4 || s.waiting != 4 || s.Value != c.best || !s.Optimal || s.Bound != s.Value {
			t.Errorf("%v: %+v", c.q.objective, s)
		}
		if diff := cmp.Diff(c.want, s.rivals[:4]); diff != "" || len(s.rivals) != len(rivals) {
			t.Errorf("%v: %v -want +got\n%s", c.q.objective, s.rivals, diff)
		}
	}
}

// TestMILPNeverWorse: no order is better than the schedule that was found, nor that
// better than the bound.
func TestMILPNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []sim.Job
		free := ostrich.Time(0)
		for range rapid.IntRange(2, 7).Draw(t, "n") {
			run := ostrich.Duration(rapid.IntRange(1, 90).Draw(t, "run"))
			jobs = append(jobs, waited(ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")), ostrich.Time(len(jobs)), max(free, ostrich.Time(len(jobs))), run, rapid.IntRange(1, 4).Draw(t, "procs")))
			free = jobs[len(jobs)-1].Start + ostrich.Time(run)
		}
		l := smallLog(jobs...)
		for _, at := range l.instants(3, 2) {
			places, err := l.places([]ostrich.Time{at})
			if err != nil {
				t.Fatal(err)
			}
			q := question{
				filter: rapid.Bool().Draw(t, "filter"), nodes: 20_000,
				objective: rapid.SampledFrom([]optimal.Objective{optimal.SumU, optimal.SumT}).Draw(t, "objective"),
			}
			s, err := l.solve(optimise.Logged(l.jobs, l.numbers, satisfaction.Acceptance{Slope: 1.5, Offset: 0.5}), at, places[0], q)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Optimal || slices.Min(s.rivals) < s.Value || s.Value < s.Bound {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// TestMILPLogs: the figures of the paper's log, short. The same seed gives the same
// files whatever the number of workers.
func TestMILPLogs(t *testing.T) {
	folder := tracetest.Folder(t)
	draw := func(name string, workers int) *Result {
		return drawFigure(t, name, Input{Traces: folder, Workers: workers, Short: true})
	}
	characters := draw("milp-3", 1)
	for _, n := range characters.Numbers {
		if strings.HasPrefix(n.What, "KTH") && n.Paper != "" && n.Paper != n.Ours {
			t.Errorf("%+v", n)
		}
	}
	tardy, late := draw("milp-5", 1), draw("milp-4", 2)
	if diff := cmp.Diff(tardy, draw("milp-5", 3), same); diff != "" {
		t.Errorf("milp-5: one worker against three\n%s", diff)
	}
	for _, what := range []string{"Theta: scenarios in which EASY has fewer late jobs", "KTH: scenarios in which EASY has fewer late jobs", "KTH: scenarios in which conservative has fewer late jobs"} {
		if got := late.number(t, what); got != "0" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := late.number(t, "Theta: mean gain of .75 against the median over EASY"); !strings.HasPrefix(got, "≥") {
		t.Errorf(".75 gains %s than the median", got)
	}
	if got := tardy.number(t, "scenarios in which EASY is better"); got != "0" {
		t.Errorf("EASY is better in %s", got)
	}
	for _, accepted := range []string{"median", ".75"} {
		if mean, _ := strconv.ParseFloat(strings.Fields(tardy.number(t, "mean gain over EASY, "+accepted))[0], 64); mean <= 0 {
			t.Errorf("%s: nothing is gained", accepted)
		}
	}
}
