package sim_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// TestSharedFlows computes by hand how long campaigns stay on an equally shared
// machine of 4 processors.
func TestSharedFlows(t *testing.T) {
	// job is of a campaign of a user, submitted at a time, of so many processors
	// and seconds. It really starts much later, and its estimate is wrong.
	job := func(user ostrich.UserID, campaign int, submit ostrich.Time, procs int, run ostrich.Duration) report.Job {
		start := submit + 5000
		return report.Job{User: user, Campaign: campaign, Submit: submit, Start: start, End: start + ostrich.Time(run), Procs: procs, Estimate: 9999}
	}
	for _, tt := range []struct {
		name   string
		jobs   []report.Job
		shares *ostrich.Shares
		want   []float64
	}{
		// 40 processor-seconds on 4 processors take 10 s, and the job 40 s.
		{"alone, one narrow job", []report.Job{job(1, 0, 0, 1, 40)}, nil, []float64{40}},
		{"alone, wide", []report.Job{job(1, 0, 0, 4, 40), job(1, 0, 0, 2, 20)}, nil, []float64{50}},
		// Both get 2 processors until 20, when the first has had 40. Then 2 has
		// 40 of its 80, and all 4 processors: 30.
		{"two users", []report.Job{job(1, 0, 0, 4, 10), job(2, 1, 0, 4, 20)}, nil, []float64{20, 30}},
		// User 1 gets 3 of 4 processors: 40 take 13⅓ s, so 14. User 2 has 13⅓ by
		// then and 66⅔ left, on 4 processors 16⅔: 30.
		{
			"weights",
			[]report.Job{job(1, 0, 0, 4, 10), job(2, 1, 0, 4, 20)},
			&ostrich.Shares{Users: []ostrich.UserShare{{User: 1, Weight: 3}, {User: 2, Weight: 1}}},
			[]float64{14, 30},
		},
		// A user's campaigns are served in turn: 1.1 with 2 of 4 processors until
		// 20, 1.2 from then to 40, 2.1 meanwhile.
		{"in turn", []report.Job{job(1, 0, 0, 4, 10), job(1, 1, 5, 4, 10), job(2, 2, 0, 4, 20)}, nil, []float64{20, 35, 40}},
		// The campaign's second job comes when the first has been completed; it
		// cannot end before 150, though its work takes 12½ s.
		{"joins late", []report.Job{job(1, 0, 0, 4, 60), job(1, 0, 100, 1, 50)}, nil, []float64{150}},
		{"in none", []report.Job{job(1, 1, 0, 4, 10), job(2, -1, 0, 4, 100)}, nil, []float64{math.NaN(), 10}},
		{"before moment 0", []report.Job{job(1, 0, -50, 4, 10), job(2, 1, -50, 4, 20)}, nil, []float64{20, 30}},
	} {
		got, err := sim.SharedFlows(tt.jobs, 4, tt.shares)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if _, err := sim.SharedFlows(nil, 0, nil); err == nil {
		t.Error("a machine of no processors")
	}
}

// TestSharedFlowsPlain compares with a machine that is divided in steps of a
// thousandth of a second: the same up to a few steps and the rounding.
func TestSharedFlowsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 8).Draw(t, "m")
		var jobs []report.Job
		campaigns := 0
		users := rapid.IntRange(1, 3).Draw(t, "users")
		for u := range users {
			at := ostrich.Time(0)
			for range rapid.IntRange(1, 3).Draw(t, "campaigns") {
				for range rapid.IntRange(1, 3).Draw(t, "jobs") {
					at += ostrich.Time(rapid.IntRange(0, 8).Draw(t, "gap"))
					start := at + ostrich.Time(rapid.IntRange(0, 60).Draw(t, "wait"))
					jobs = append(jobs, report.Job{
						User: ostrich.UserID(u + 1), Campaign: campaigns, Submit: at, Start: start,
						End: start + ostrich.Time(rapid.IntRange(1, 12).Draw(t, "run")), Procs: rapid.IntRange(1, m).Draw(t, "procs"),
					})
				}
				campaigns++
			}
		}
		got, err := sim.SharedFlows(jobs, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		ends, first, least := divided(jobs, campaigns, m), make([]float64, campaigns), make([]float64, campaigns)
		for i := len(jobs) - 1; i >= 0; i-- {
			j := &jobs[i]
			first[j.Campaign] = float64(j.Submit)
			least[j.Campaign] = max(least[j.Campaign], float64(j.Submit+j.End-j.Start))
		}
		for n := range campaigns {
			if want := max(ends[n], least[n]) - first[n]; got[n] < want-0.01 || got[n] > want+1.01 {
				t.Fatalf("campaign %d stays %v s, divided by steps %v", n, got[n], want)
			}
		}
	})
}

// divided is when the campaigns end on a machine whose processors are given to
// the users with work, the same to each, in steps of a thousandth of a second.
// Jobs of a user come in the order of their submission.
func divided(jobs []report.Job, campaigns, m int) []float64 {
	const step = 0.001
	left, ends := make([]float64, len(jobs)), make([]float64, campaigns)
	open := len(jobs)
	for i := range jobs {
		left[i] = float64(jobs[i].End-jobs[i].Start) * float64(jobs[i].Procs)
	}
	for tick := 0; open > 0; tick++ {
		now := float64(tick) * step
		head := make(map[ostrich.UserID]int)
		for i, j := range slices.Backward(jobs) {
			if left[i] > 0 && float64(j.Submit) <= now {
				head[j.User] = i
			}
		}
		for _, i := range head {
			if left[i] -= float64(m) * step / float64(len(head)); left[i] <= 1e-9 {
				left[i] = 0
				ends[jobs[i].Campaign] = max(ends[jobs[i].Campaign], now+step)
				open--
			}
		}
	}
	return ends
}

// TestSharedSuspended: the length of a job is without the time in which it was suspended.
func TestSharedSuspended(t *testing.T) {
	jobs := []report.Job{
		{ID: 1, User: 1, Campaign: 0, Submit: 0, Start: 0, End: 300, Suspended: 200, Procs: 1},
		{ID: 2, User: 2, Campaign: 1, Submit: 0, Start: 100, End: 200, Procs: 1},
	}
	got, err := sim.SharedFlows(jobs, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{100, 100}; !slices.Equal(got, want) {
		t.Errorf("on processors of their own: %v, want %v", got, want)
	}
	if got, err = sim.SharedFlows(jobs, 1, nil); err != nil {
		t.Fatal(err)
	}
	if want := []float64{200, 200}; !slices.Equal(got, want) {
		t.Errorf("on half of one: %v, want %v", got, want)
	}
}
