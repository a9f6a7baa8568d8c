package report_test

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

func TestUtilisations(t *testing.T) {
	jobs := []report.Job{
		{Submit: 0, Start: 0, End: 10, Procs: 1},
		{Submit: 0, Start: 5, End: 25, Procs: 2},
		{Submit: 30, Start: 30, End: 34, Procs: 4},
	}
	for _, tt := range []struct {
		name         string
		from, before ostrich.Time
		step         ostrich.Duration
		want         []float64
	}{
		// Of 40 processor-seconds a step has 10+10, 20, 10 and 16.
		{"whole", 0, 40, 10, []float64{0.5, 0.5, 0.25, 0.4}},
		{"last step shorter", 0, 34, 10, []float64{0.5, 0.5, 0.25, 1}},
		{"a part", 7, 9, 1, []float64{0.75, 0.75}},
		{"one step", 0, 40, 100, []float64{66. / 160}},
		{"no time", 5, 5, 1, nil},
		{"no step", 0, 5, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := report.Utilisations(jobs, 4, tt.from, tt.before, tt.step)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSeriesAgainstSeconds compares with a count second by second.
func TestSeriesAgainstSeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const m = 5
		var jobs []report.Job
		for range rapid.IntRange(1, 8).Draw(t, "jobs") {
			submit := rapid.IntRange(0, 30).Draw(t, "submit")
			start := submit + rapid.IntRange(0, 10).Draw(t, "wait")
			jobs = append(jobs, report.Job{
				Submit: ostrich.Time(submit), Start: ostrich.Time(start),
				End: ostrich.Time(start + rapid.IntRange(1, 20).Draw(t, "run")), Procs: rapid.IntRange(1, m).Draw(t, "procs"),
			})
		}
		busy := func(at ostrich.Time) (procs int, waiting bool) {
			for _, j := range jobs {
				if j.Start <= at && at < j.End {
					procs += j.Procs
				}
				waiting = waiting || j.Submit <= at && at < j.Start
			}
			return procs, waiting
		}
		from := ostrich.Time(rapid.IntRange(0, 20).Draw(t, "from"))
		before := from + ostrich.Time(rapid.IntRange(1, 50).Draw(t, "length"))
		step := ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "step"))
		for i, got := range report.Utilisations(jobs, m, from, before, step) {
			used, seconds := 0, 0
			for at := from + ostrich.Time(i)*ostrich.Time(step); at < min(before, from+ostrich.Time(i+1)*ostrich.Time(step)); at++ {
				n, _ := busy(at)
				used += n
				seconds++
			}
			if want := float64(used) / float64(m*seconds); !(math.Abs(got-want) <= 1e-9) {
				t.Fatalf("step %d: %v instead of %v", i, got, want)
			}
		}
		var want report.Idle
		first, last := report.Span(jobs)
		for at := first; at < last; at++ {
			n, waiting := busy(at)
			want.Total += ostrich.Work(m - n)
			if waiting {
				want.Waiting += ostrich.Work(m - n)
			}
		}
		if diff := cmp.Diff(want, report.IdleArea(jobs, m)); diff != "" {
			t.Fatalf("idle area (-want +got):\n%s", diff)
		}
	})
}

// TestWriteUtilisation: a row for each step, unless a wild time makes them too many.
func TestWriteUtilisation(t *testing.T) {
	jobs := []report.Job{{Submit: 0, Start: 0, End: 5, Procs: 1}, {Submit: 6, Start: 6, End: 10, Procs: 2}}
	var out strings.Builder
	if err := report.WriteUtilisation(&out, jobs, 2, 5); err != nil || out.String() != "time,utilisation\n0,0.500000\n5,0.800000\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	jobs[1].End = 1e17
	const want = "report: 20000000000000000 steps of 5 s from 0 to 100000000000000000: at most 100000000, so make them longer"
	if err := report.WriteUtilisation(io.Discard, jobs, 2, 5); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPeak: the first of two peaks counts, and a job that ends does not count beside
// one that starts then.
func TestPeak(t *testing.T) {
	jobs := []report.Job{
		{Start: -20, End: 10, Procs: 2},
		{Start: 10, End: 20, Procs: 3},
		{Start: 15, End: 16, Procs: 1},
		{Start: 15, End: 15, Procs: 9},
		{Start: 30, End: 40, Procs: 4},
	}
	if procs, at := report.Peak(jobs); procs != 4 || at != 15 {
		t.Errorf("%d processors at %d, want 4 at 15", procs, at)
	}
	for procs, want := range map[int]float64{0: 50. / 60, 2: 20. / 60, 3: 11. / 60, 4: 0} {
		if above := report.Above(jobs, procs); above != want {
			t.Errorf("more than %d processors for %v of the time, want %v", procs, above, want)
		}
	}
	if above := report.Above(nil, 0); above != 0 {
		t.Errorf("without jobs above for %v of the time", above)
	}
	if procs, at := report.Peak(nil); procs != 0 || at != 0 {
		t.Errorf("without jobs %d processors at %d", procs, at)
	}
}
