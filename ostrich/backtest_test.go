package ostrich

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/scalar"
)

// TestBacktestIsTheSchedule: what is foretold is what a schedule expects of a job
// when it is submitted, and the figures are those of their definitions.
func TestBacktestIsTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
		var jobs []Job
		var events []Event
		at := Time(1)
		for i := range draw("jobs", 1, 60) {
			at += Time(draw("gap", 0, 30))
			j := Job{
				ID: JobID(i + 1), User: UserID(draw("user", 1, 3)), Procs: draw("procs", 1, 2), Submit: at,
				Estimate: Duration(60 * draw("estimate", 1, 3)), Class: uint64(draw("class", 0, 2)), Hint: Duration(max(0, draw("hint", -50, 10))),
			}
			events = append(events, Event{At: at, Kind: Submit, Job: j})
			j.Start = at + Time(draw("wait", 0, 20))
			events = append(events, Event{At: j.Start, Kind: Start, Job: j})
			j.End = j.Start + Time(draw("ran", 0, 150))
			events = append(events, Event{At: j.End, Kind: End, Job: j})
			jobs = append(jobs, j)
		}
		slices.SortStableFunc(events, Compare)
		p := lengths.Predictor(draw("predictor", 0, len(lengths.PredictorNames)-1))
		s := mustNew(t, Options{Procs: 2, Predictor: p})
		want := lengths.Accuracy{Jobs: len(jobs)}
		var off, work, pairs, won float64
		expected := make(map[JobID]Duration)
		for _, e := range events {
			mustStep(t, s, e)
			if e.Kind == Submit {
				expected[e.Job.ID], _ = s.Expected(e.Job.ID)
			}
		}
		for _, j := range jobs {
			ran, d := max(1, Duration(j.End-j.Start)), expected[j.ID]
			want.LogError += math.Abs(math.Log(float64(d)/float64(ran))) / float64(len(jobs))
			off += math.Abs(float64(d-ran)) * float64(j.Procs)
			work += float64(ran) * float64(j.Procs)
			if ratio := float64(d) / float64(ran); ratio >= 0.5 && ratio <= 2 {
				want.Within2 += 1 / float64(len(jobs))
			}
			for _, k := range jobs {
				if ran < 60 && k.End-k.Start >= 60 {
					pairs++
					switch other := expected[k.ID]; {
					case d < other:
						won++
					case d == other:
						won += 0.5
					}
				}
			}
		}
		want.WorkError, want.ShortAUC = off/work, won/pairs
		got := lengths.Backtest(runs(jobs), []lengths.Variant{{Predictor: p}})[0]
		if !near(got.LogError, want.LogError) || !near(got.WorkError, want.WorkError) || !near(got.Within2, want.Within2) ||
			!near(got.ShortAUC, want.ShortAUC) && (pairs > 0 || !math.IsNaN(got.ShortAUC)) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// runs are the jobs as a back-test knows them.
func runs(jobs []Job) []lengths.Run {
	list := make([]lengths.Run, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		list[i] = lengths.Run{
			Request: lengths.Request{Limit: j.Estimate, Procs: j.Procs, Class: j.Class, Hint: j.Hint},
			ID:      j.ID, User: j.User, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.End), Outcome: j.Outcome, Ran: j.ran(),
		}
	}
	return list
}

// BenchmarkBacktest reports the time for a million jobs and seven variants.
func BenchmarkBacktest(b *testing.B) {
	var jobs []Job
	for _, e := range history(1_000_000, 300) {
		if e.Kind == End {
			e.Job.Class = uint64(e.Job.ID % 7)
			e.Job.Estimate = e.Job.Estimate/900*900 + 900
			jobs = append(jobs, e.Job)
		}
	}
	slices.SortFunc(jobs, func(x, y Job) int { return int(x.ID) - int(y.ID) })
	var variants []lengths.Variant
	for p := range lengths.PredictorNames {
		variants = append(variants, lengths.Variant{Predictor: lengths.Predictor(p)})
	}
	variants = append(variants, lengths.Variant{Predictor: lengths.Alike, Classes: make([]uint64, len(jobs))}, lengths.Variant{Predictor: lengths.Alike})
	all := runs(jobs)
	for b.Loop() {
		lengths.Backtest(all, variants)
	}
}
