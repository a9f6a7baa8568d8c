package report_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
)

// TestSatisfy follows two campaigns by hand on 2 processors, with r(p) = 2·p + 1 min,
// so that a job may wait for its length and a minute.
func TestSatisfy(t *testing.T) {
	jobs := []report.Job{
		// 3600 s of work are at least 2400 s, the longest job, on the empty machine. So the
		// campaign is due at 4860, and its last job too. It ends 2400 s later.
		{User: 1, Campaign: 0, Submit: 0, Start: 660, End: 1260, Procs: 1},  // in time to the second
		{User: 1, Campaign: 0, Submit: 0, Start: 661, End: 1261, Procs: 1},  // a second late
		{User: 1, Campaign: 0, Submit: 0, Start: 4860, End: 7260, Procs: 1}, // 2460 s are accepted
		// 60 s on the empty machine: the campaign as a whole would be due at 60 + 180, but
		// its last job is at 1000 + 180.
		{User: 2, Campaign: 2, Submit: 60, Start: 60, End: 60, Procs: 2}, // of no length: 60 s are accepted
		{User: 2, Campaign: 2, Submit: 1000, Start: 1100, End: 1160, Procs: 1},
		{User: 3, Campaign: -1, Submit: 0, Start: 0, End: 90000, Procs: 1},
	}
	campaigns := report.Campaigns(jobs)
	accept := satisfaction.Acceptance{Slope: 2, Offset: 1}
	ofJobs := make([]ostrich.Duration, len(jobs))
	for i := range jobs {
		ofJobs[i] = jobs[i].Late(accept)
	}
	if diff := cmp.Diff([]ostrich.Duration{0, 1, 2400, -60, -20, -90060}, ofJobs); diff != "" {
		t.Error("lateness of jobs -want +got\n", diff)
	}
	if diff := cmp.Diff([]ostrich.Duration{2400, -20}, report.Late(jobs, campaigns, 2, accept)); diff != "" {
		t.Error("lateness of campaigns -want +got\n", diff)
	}
	day := ostrich.Duration(24 * 3600)
	want := report.Satisfaction{
		Accepted: "2,1",
		All:      report.SizeClass{Size: "all", Punctual: report.Punctual{Jobs: report.InTime{Count: 6, Share: 4. / 6, Lateness: -87739. / 6, Tardiness: 2401. / 6}, Campaigns: report.InTime{Count: 2, Share: 0.5, Lateness: 1190, Tardiness: 1200}}},
		Sizes: []report.SizeClass{
			{Size: "<=10min", Up: 600, Punctual: report.Punctual{Jobs: report.InTime{Count: 4, Share: 0.75, Lateness: -19.75, Tardiness: 0.25}, Campaigns: report.InTime{Count: 1, Share: 1, Lateness: -20}}},
			{Size: "<=1h", Over: 600, Up: 3600, Punctual: report.Punctual{Jobs: report.InTime{Count: 1, Lateness: 2400, Tardiness: 2400}, Campaigns: report.InTime{Count: 1, Lateness: 2400, Tardiness: 2400}}},
			{Size: "<=4h", Over: 3600, Up: 4 * 3600},
			{Size: "<=12h", Over: 4 * 3600, Up: 12 * 3600},
			{Size: "<=24h", Over: 12 * 3600, Up: day},
			{Size: ">24h", Over: day, Punctual: report.Punctual{Jobs: report.InTime{Count: 1, Share: 1, Lateness: -90060}}},
		},
	}
	if diff := cmp.Diff(want, report.Satisfy(jobs, 2, accept), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if diff := cmp.Diff(report.InTime{}, report.Satisfy(nil, 2, accept).All.Jobs); diff != "" {
		t.Error("nothing: -want +got\n", diff)
	}
}

// TestLateCampaigns: a campaign is in time if all its jobs are, and one of a single
// job, that is as late as the job.
func TestLateCampaigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		procs := rapid.IntRange(1, 8).Draw(t, "processors")
		var jobs []report.Job
		for range rapid.IntRange(1, 12).Draw(t, "jobs") {
			j := report.Job{
				Campaign: rapid.IntRange(-1, 4).Draw(t, "campaign"), Submit: ostrich.Time(rapid.IntRange(0, 5000).Draw(t, "submitted")),
				Procs: rapid.IntRange(1, procs).Draw(t, "wide"),
			}
			j.Start = j.Submit + ostrich.Time(rapid.IntRange(0, 5000).Draw(t, "wait"))
			j.End = j.Start + ostrich.Time(rapid.IntRange(0, 5000).Draw(t, "run"))
			jobs = append(jobs, j)
		}
		campaigns := report.Campaigns(jobs)
		ofCampaigns := report.Late(jobs, campaigns, procs, satisfaction.Median)
		at := 0
		for number := range 5 {
			n, latest := 0, ostrich.Duration(math.MinInt64)
			for i := range jobs {
				if jobs[i].Campaign == number {
					n, latest = n+1, max(latest, jobs[i].Late(satisfaction.Median))
				}
			}
			if n == 0 {
				continue
			}
			late := ofCampaigns[at]
			at++
			if latest <= 0 && late > 0 || n == 1 && late != latest {
				t.Errorf("campaign %d of %d jobs, the latest by %d s, is late by %d", number, n, latest, late)
			}
		}
		s := report.Satisfy(jobs, procs, satisfaction.Median)
		var sum report.InTime
		for _, size := range s.Sizes {
			for _, of := range []report.InTime{size.Jobs, size.Campaigns} {
				sum.Count += of.Count
				sum.Lateness += of.Lateness * float64(of.Count)
			}
		}
		all := s.All.Jobs.Lateness*float64(s.All.Jobs.Count) + s.All.Campaigns.Lateness*float64(s.All.Campaigns.Count)
		if sum.Count != len(jobs)+len(campaigns) || !(math.Abs(sum.Lateness-all) <= 1e-3) {
			t.Errorf("sizes sum up to %d and %v s, want %d and %v", sum.Count, sum.Lateness, len(jobs)+len(campaigns), all)
		}
	})
}
