package comparison

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trial"
)

// tried makes up a trial of 8 weeks, in each of whose periods campaigns of one job wait as the arm and
// the number of the campaign say.
func tried(wait func(arm trial.Arm, n int) ostrich.Time) TrialInput {
	d := trial.Design{Period: 86400, Washout: 3600, Seed: 3, Until: begun + 8*weekLong}
	var jobs []report.Job
	for i, p := range d.Between(begun, d.Until) {
		for n := range 20 {
			submit := p.From + 7200 + ostrich.Time(n*600+i%7*60)
			start := submit + wait(p.Arm, n)
			jobs = append(jobs, report.Job{
				ID: ostrich.JobID(len(jobs) + 1), User: ostrich.UserID(n%5 + 1), Campaign: len(jobs),
				Submit: submit, Start: start, End: start + 1800, Procs: 1,
			})
		}
	}
	return TrialInput{
		Input:  windowed(Input{Location: time.UTC, Procs: 8, From: begun, To: d.Until, Runs: []Run{{Name: "recorded", Jobs: jobs}}, Resamples: 10}),
		Design: d, Begun: begun, Now: d.Until, Ran: jobs,
		Day: func(t ostrich.Time) string { return fmt.Sprint(t / 86400) },
	}
}

// TestTrialLeavesOut: an order that lets most campaigns go first by pushing some beyond the end of
// their period is not called better, as those are not among what is compared.
func TestTrialLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		last ostrich.Time // wait of every fourth campaign under OStrich
		want Reading
		says string
	}{
		{1800, Better, "Better: "},
		{60 * 86400, CannotTell, "with what is left out it points the other way"},
	} {
		c, err := CompareTrial(t.Context(), tried(func(arm trial.Arm, n int) ostrich.Time {
			spread := ostrich.Time(n * 37 % 11 * 60)
			switch {
			case arm == trial.Stock:
				return 3600 + spread
			case n%4 == 0:
				return tt.last + spread
			}
			return 1800 + spread
		}))
		if err != nil {
			t.Fatal(err)
		}
		if c.Reading != tt.want || !strings.Contains(c.Verdict[0], tt.says) {
			t.Errorf("last ones wait %d s: %s: %s", tt.last, c.Reading, c.Verdict)
		}
	}
}

// TestTrialWorkBefore: of the period before the first nothing is known, so that it counts as the others in the mean.
func TestTrialWorkBefore(t *testing.T) {
	in := tried(func(trial.Arm, int) ostrich.Time { return 600 })
	x := &trialStudy{in: &in, d: &in.Design}
	if err := x.choose(&Trial{}); err != nil {
		t.Fatal(err)
	}
	x.work()
	if len(x.before) != 56 || math.Abs(x.before[0]-x.submitted[0]) > 1e-9 {
		t.Errorf("before the first period %v, and in it %v", x.before[0], x.submitted[0])
	}
}

// TestTrialStockUnknown: periods of stock Slurm in which ostrichd was down, and values of its may have stayed,
// are named.
func TestTrialStockUnknown(t *testing.T) {
	in := tried(func(_ trial.Arm, n int) ostrich.Time { return ostrich.Time(600 + n*60) })
	in.Covered = func(p *trial.Period) ostrich.Duration {
		if p.Arm == trial.Stock && p.Number%4 == 0 {
			return 0
		}
		return 86400
	}
	c, err := CompareTrial(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	const open = "The trial goes on until"
	said := strings.Join(c.Verdict, "\n")
	if in.Now--; strings.Contains(said, open) || !strings.Contains(c.Sentences(), "waits plus a minute") {
		t.Errorf("%s\n%s", said, c.Sentences())
	}
	if c, err = CompareTrial(t.Context(), in); err != nil || !strings.Contains(strings.Join(c.Verdict, "\n"), open) {
		t.Errorf("a second before the end: %v", err)
	}
	if !strings.Contains(said, "of the time drawn for stock Slurm it is not known that all was given back") || strings.Contains(said, "drawn for OStrich it is not known") {
		t.Error(said)
	}
}

// TestTrialNobody: an arm in which no campaign was measured has no figure.
func TestTrialNobody(t *testing.T) {
	c, err := CompareTrial(t.Context(), tried(func(arm trial.Arm, _ int) ostrich.Time {
		if arm == trial.OStrich {
			return 60 * 86400 // beyond the end of the period
		}
		return 600
	}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Reading != CannotTell || !strings.HasPrefix(c.Verdict[0], "Cannot tell, as there are too few periods: no campaign was measured under OStrich, by the draw of 0 periods and 28.") {
		t.Error(c.Verdict[0])
	}
	if row := c.Tables(false)[0].Rows[0]; row[3] != format.None() {
		t.Errorf("under OStrich the stretch is %v", row[3])
	}
}

// TestPlanOfPart: periods from before the jobs are none of the history.
func TestPlanOfPart(t *testing.T) {
	in := tried(func(_ trial.Arm, n int) ostrich.Time { return ostrich.Time(600 + n*60) })
	in.From -= 20 * weekLong
	p, err := PlanTrial(in)
	if err != nil || p.Periods != 56 {
		t.Errorf("%+v, %v: want 56 periods", p, err)
	}
	in.Ran = in.Ran[:100] // of five days
	if _, err = PlanTrial(in); err == nil || !strings.HasPrefix(err.Error(), "5 periods of history with jobs are too few") {
		t.Errorf("five periods: %v", err)
	}
}

// TestTrialOfOnePeriod: a trial of which one period is over cannot be analysed, and says so.
func TestTrialOfOnePeriod(t *testing.T) {
	in := tried(func(trial.Arm, int) ostrich.Time { return 60 })
	in.Now = begun + 86400
	if _, err := CompareTrial(t.Context(), in); err == nil || !strings.Contains(err.Error(), "of 1 period that is over none is of the other arm") {
		t.Errorf("error %v", err)
	}
}
