package comparison

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// shared is two users who submit 400 and 800 processor-seconds at once to 4
// processors: the equally shared machine ends them at 200 and 300. In one run
// user 1 comes first, in the other user 2.
func shared() Input {
	job := func(user ostrich.UserID, start, end ostrich.Time) report.Job {
		return report.Job{ID: ostrich.JobID(user), User: user, Campaign: 2 * (int(user) - 1), Start: start, End: end, Procs: 4}
	}
	return Input{
		Procs: 4, Runs: []Run{
			{Name: "fairshare", Jobs: []report.Job{job(1, 200, 300), job(2, 0, 200)}},
			{Name: "ostrich", Jobs: []report.Job{job(1, 0, 100), job(2, 100, 300)}},
		},
	}
}

// TestRho computes ρ by hand.
func TestRho(t *testing.T) {
	near := cmpopts.EquateApprox(0, 1e-12)
	for _, tt := range []struct {
		name               string
		change             func(*Input)
		fairshare, ostrich report.Rhos
	}{
		{
			"evenly", func(*Input) {},
			report.Rhos{Le1: 0.5, Mean: (1.5 + 200.0/300) / 2, P50: 200.0 / 300, P95: 1.5, Max: 1.5},
			report.Rhos{Le1: 1, Mean: (0.5 + 1) / 2, P50: 0.5, P95: 1, Max: 1},
		},
		{
			"with an allowance", func(in *Input) { in.Floor = 100 },
			report.Rhos{Le1: 1, Mean: (1 + 0.5) / 2, P50: 0.5, P95: 1, Max: 1},
			report.Rhos{Le1: 1, Mean: (100.0/300 + 0.75) / 2, P50: 100.0 / 300, P95: 0.75, Max: 0.75},
		},
		{ // user 2 has 3 of 4 processors and ends at 267 (266⅔), user 1 then has 133⅓ left: 300
			"shares", func(in *Input) {
				in.Shares = &ostrich.Shares{Users: []ostrich.UserShare{{User: 1, Weight: 1}, {User: 2, Weight: 3}}}
			},
			report.Rhos{Le1: 1, Mean: (1 + 200.0/267) / 2, P50: 200.0 / 267, P95: 1, Max: 1},
			report.Rhos{Le1: 0.5, Mean: (100.0/300 + 300.0/267) / 2, P50: 100.0 / 300, P95: 300.0 / 267, Max: 300.0 / 267},
		},
		{ // 200 instead of 400 processor-seconds: 100, and in the other run as before
			"other lengths in a run", func(in *Input) { in.Runs[0].Jobs[0].Start = 250 },
			report.Rhos{Le1: 0.5, Mean: (3 + 200.0/250) / 2, P50: 200.0 / 250, P95: 3, Max: 3},
			report.Rhos{Le1: 1, Mean: (0.5 + 1) / 2, P50: 0.5, P95: 1, Max: 1},
		},
		{ // user 2 comes when user 1 has left, and each has the machine alone
			"other submissions in a run of a closed loop", func(in *Input) { in.Closed, in.Runs[1].Jobs[1].Submit = true, 100 },
			report.Rhos{Le1: 0.5, Mean: (1.5 + 200.0/300) / 2, P50: 200.0 / 300, P95: 1.5, Max: 1.5},
			report.Rhos{Le1: 1, Mean: 1, P50: 1, P95: 1, Max: 1},
		},
	} {
		in := shared()
		tt.change(&in)
		c := compare(t, in)
		if diff := cmp.Diff([]report.Rhos{tt.fairshare, tt.ostrich}, []report.Rhos{c.Runs[0].Rho, c.Runs[1].Rho}, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for _, d := range c.Differences {
			if want, ok := map[string]float64{"rho_le_1": tt.ostrich.Le1, "rho_mean": tt.ostrich.Mean, "rho_p95": tt.ostrich.P95}[d.Measure]; ok && d.Value != want {
				t.Errorf("%s: %s is %v, want %v", tt.name, d.Measure, d.Value, want)
			}
		}
	}

	c := compare(t, shared())
	user := c.Users[slices.IndexFunc(c.Users, func(u User) bool { return u.Name == "user 1" })]
	if r := user.Runs[0]; r.RhoLe1 != 0 || r.MeanRho != 1.5 || r.MaxRho != 1.5 {
		t.Errorf("user 1 under fairshare: %+v", r)
	}
	worst := c.worstOff("fairshare")
	if len(worst) != 1 || worst[0].Name != "user 1" || len(c.worstOff("ostrich")) != 0 {
		t.Errorf("furthest from an equal share: %+v", worst)
	}
	text := htmlOf(t, c)
	for _, want := range []string{"fairshare: 50.0 % of the campaigns", "furthest from an equal share of the machine under fairshare", "ρ (rho)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if !strings.Contains(jsonOf(t, c), `"rho":{"le_1":0.5,"mean":1.0833333333333333,"p50":0.6666666666666666,"p95":1.5,"max":1.5}`) {
		t.Error("the JSON does not have it")
	}
}

// TestRhoIntervals: the measures by ρ have intervals that hold the difference.
func TestRhoIntervals(t *testing.T) {
	found := 0
	for _, d := range compare(t, madeUp(20, 10)).Differences {
		if !strings.HasPrefix(d.Measure, "rho_") {
			continue
		}
		found++
		if d.Interval == nil || d.Interval.Excludes(d.Difference) || d.Interval.Low == d.Interval.High {
			t.Errorf("%s of %s: %v, interval %v", d.Measure, d.Run, d.Difference, d.Interval)
		}
	}
	if found != 6 {
		t.Errorf("%d differences", found)
	}
}
