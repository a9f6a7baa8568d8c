package lengths

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich/scalar"
)

// TestBacktest: three jobs of a user and one of another, computed by hand.
func TestBacktest(t *testing.T) {
	jobs := []Run{
		{Request{Limit: 400, Procs: 1}, 1, 1, 0, scalar.Departs(0, 10, 110), Done, 100},      // ran 100
		{Request{Limit: 50, Procs: 4}, 2, 2, 100, scalar.Departs(100, 100, 150), Done, 50},   // ran 50, as it said
		{Request{Limit: 400, Procs: 2}, 3, 1, 109, scalar.Departs(109, 109, 359), Done, 250}, // ran 250, before 1 had ended
		{Request{Limit: 400, Procs: 1}, 4, 1, 110, scalar.Departs(110, 110, 160), Done, 50},  // ran 50
		{Request{Limit: 400, Procs: 1}, 5, 1, 160, scalar.Departs(160, 200, 260), Done, 55},  // ran 55
	}
	got := Backtest(jobs, []Variant{{Predictor: ByLimit}, {Predictor: ByLast}, {Predictor: Alike}})
	ln := func(x float64) float64 { return math.Abs(math.Log(x)) }
	for i, want := range []Accuracy{
		{5, (ln(4) + ln(1) + ln(1.6) + ln(8) + ln(400./55)) / 5, (300 + 0 + 2*150 + 350 + 345) / 905., 2. / 5, 0.5 + 1./6, nil},
		// 400, 50, 400, then 100, then 50: the other ends of the second come after.
		{5, (ln(4) + ln(1) + ln(1.6) + ln(2) + ln(50./55)) / 5, (300 + 0 + 2*150 + 50 + 5) / 905., 4. / 5, 1, nil},
		// For the last one the longer one of 50 and 100.
		{5, (ln(4) + ln(1) + ln(1.6) + ln(2) + ln(100./55)) / 5, (300 + 0 + 2*150 + 50 + 45) / 905., 4. / 5, 1, nil},
	} {
		if a := got[i]; a.Jobs != want.Jobs || !near(a.LogError, want.LogError) || !near(a.WorkError, want.WorkError) ||
			a.Within2 != want.Within2 || !near(a.ShortAUC, want.ShortAUC) {
			t.Errorf("variant %d: %+v, want %+v", i, a, want)
		}
	}
}

// TestBacktestGroups: the errors of groups are those of their jobs.
func TestBacktestGroups(t *testing.T) {
	var jobs []Run
	for i, ran := range []scalar.Time{50, 100, 400, 100} {
		at := scalar.Time(i * 1000)
		jobs = append(jobs, Run{Request: Request{Limit: 400, Procs: 1}, ID: scalar.JobID(i + 1), User: 1, Submit: at, Departs: scalar.Departs(at, at, at+ran), Ran: Duration(ran)})
	}
	got := Backtest(jobs, []Variant{{Predictor: ByLimit, Groups: []uint8{2, 0, 2, 0}}, {Predictor: ByLimit}})
	want := []Group{{2, math.Log(4)}, {}, {2, math.Log(8) / 2}}
	if len(got[0].Groups) != len(want) || got[1].Groups != nil {
		t.Fatalf("%+v", got)
	}
	for i, g := range got[0].Groups {
		if g.Jobs != want[i].Jobs || !near(g.LogError, want[i].LogError) {
			t.Errorf("group %d: %+v, want %+v", i, g, want[i])
		}
	}
}

// TestBacktestClasses: the classes of a variant go before those of the jobs.
func TestBacktestClasses(t *testing.T) {
	var jobs []Run
	var classes []uint64
	for i := range 100 {
		at := scalar.Time(i * 1000)
		ran := scalar.Time(10 + i%2*590)
		jobs = append(jobs, Run{
			Request: Request{Limit: 3600, Procs: 1, Class: 9},
			ID:      scalar.JobID(i + 1), User: 1, Submit: at, Departs: scalar.Departs(at, at, at+ran), Ran: Duration(ran),
		})
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

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*(1+math.Abs(want)) }
