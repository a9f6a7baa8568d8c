package ostrich

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBacktest: three jobs of a user and one of another, computed by hand.
func TestBacktest(t *testing.T) {
	jobs := []Job{
		{ID: 1, User: 1, Procs: 1, Estimate: 400, Submit: 0, Start: 10, End: 110},                  // ran 100
		{ID: 2, User: 2, Procs: 4, Estimate: 50, Submit: 100, Start: 100, End: 150},                // ran 50, as it said
		{ID: 3, User: 1, Procs: 2, Estimate: 400, Submit: 109, Start: 109, End: 359},               // ran 250, before 1 had ended
		{ID: 4, User: 1, Procs: 1, Estimate: 400, Submit: 110, Start: 110, End: 160},               // ran 50
		{ID: 5, User: 1, Procs: 1, Estimate: 400, Submit: 160, Start: 200, End: 260, Suspended: 5}, // ran 55
	}
	got := Backtest(jobs, []Variant{{Predictor: ByLimit}, {Predictor: ByLast}, {Predictor: Alike}})
	ln := func(x float64) float64 { return math.Abs(math.Log(x)) }
	for i, want := range []Accuracy{
		{5, (ln(4) + ln(1) + ln(1.6) + ln(8) + ln(400./55)) / 5, (300 + 0 + 2*150 + 350 + 345) / 905., 2. / 5, 0.5 + 1./6},
		// 400, 50, 400, then 100, then 50: the other ends of the second come after.
		{5, (ln(4) + ln(1) + ln(1.6) + ln(2) + ln(50./55)) / 5, (300 + 0 + 2*150 + 50 + 5) / 905., 4. / 5, 1},
		// For the last one the longer one of 50 and 100.
		{5, (ln(4) + ln(1) + ln(1.6) + ln(2) + ln(100./55)) / 5, (300 + 0 + 2*150 + 50 + 45) / 905., 4. / 5, 1},
	} {
		if a := got[i]; a.Jobs != want.Jobs || !near(a.LogError, want.LogError) || !near(a.WorkError, want.WorkError) ||
			a.Within2 != want.Within2 || !near(a.ShortAUC, want.ShortAUC) {
			t.Errorf("variant %d: %+v, want %+v", i, a, want)
		}
	}
}

// TestBacktestClasses: the classes of a variant go before those of the jobs.
func TestBacktestClasses(t *testing.T) {
	var jobs []Job
	var classes []uint64
	for i := range 100 {
		at := Time(i * 1000)
		ran := Time(10 + i%2*590)
		jobs = append(jobs, Job{ID: JobID(i + 1), User: 1, Procs: 1, Estimate: 3600, Submit: at, Start: at, End: at + ran, Class: 9})
		classes = append(classes, uint64(i%2+1))
	}
	got := Backtest(jobs, []Variant{{Predictor: Alike}, {Predictor: Alike, Classes: classes}})
	if got[0].Within2 > 0.6 || got[1].Within2 != 0.98 {
		t.Errorf("within 2: %v without classes, %v with", got[0].Within2, got[1].Within2)
	}
	if jobs[0].Class != 9 {
		t.Error("the jobs are changed")
	}
}

func TestBacktestNothing(t *testing.T) {
	a := Backtest(nil, []Variant{{}})[0]
	if a.Jobs != 0 || a.LogError != 0 || a.WorkError != 0 || !math.IsNaN(a.ShortAUC) {
		t.Errorf("%+v", a)
	}
}

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
		p := Predictor(draw("predictor", 0, len(PredictorNames)-1))
		s := mustNew(t, Options{Procs: 2, Predictor: p})
		want := Accuracy{Jobs: len(jobs)}
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
		got := Backtest(jobs, []Variant{{Predictor: p}})[0]
		if !near(got.LogError, want.LogError) || !near(got.WorkError, want.WorkError) || !near(got.Within2, want.Within2) ||
			!near(got.ShortAUC, want.ShortAUC) && (pairs > 0 || !math.IsNaN(got.ShortAUC)) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
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
	var variants []Variant
	for p := range PredictorNames {
		variants = append(variants, Variant{Predictor: Predictor(p)})
	}
	variants = append(variants, Variant{Predictor: Alike, Classes: make([]uint64, len(jobs))}, Variant{Predictor: Alike})
	for b.Loop() {
		Backtest(jobs, variants)
	}
}
