package report_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/scalar"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// TestMeasuresBeforeZero: a log may end before its moment 0.
func TestMeasuresBeforeZero(t *testing.T) {
	jobs := []report.Job{{User: 1, Submit: -30, Start: -30, End: -20, Procs: 1}, {User: 1, Submit: -25, Start: -20, End: -10, Procs: 1}}
	if first, last := report.Span(jobs); first != -30 || last != -10 {
		t.Errorf("from %d to %d", first, last)
	}
	want := []report.Campaign{{User: 1, Jobs: 2, Submit: -30, End: -10, Work: 20, Longest: 10}}
	if diff := cmp.Diff(want, report.Campaigns(jobs)); diff != "" {
		t.Error("campaigns -want +got\n", diff)
	}
}

// TestFloor: a job cancelled in its first second after 100 s has a stretch of 100
// without a floor, and of 10 with one of 10 s; longer campaigns keep theirs.
func TestFloor(t *testing.T) {
	campaigns := report.Campaigns([]report.Job{
		{User: 1, Campaign: 0, Submit: 0, Start: 99, End: 100, Procs: 1},
		{User: 1, Campaign: 1, Submit: 200, Start: 210, End: 230, Procs: 4},
	})
	for _, tt := range []struct {
		floor             ostrich.Duration
		first, mean, user float64
	}{{0, 100, 50.75, 130.0 / 21}, {10, 10, 5.75, 130.0 / 30}} {
		report.SetFloor(campaigns, tt.floor)
		if got := campaigns[0].Stretch(4); got != tt.first {
			t.Errorf("floor %d: stretch %v, want %v", tt.floor, got, tt.first)
		}
		if s, u := report.Stretches(campaigns, 4), report.Users(campaigns, 4)[0]; s.Mean != tt.mean || u.MeanStretch != tt.mean || u.Stretch != tt.user {
			t.Errorf("floor %d: mean %v, of the user %v and %v; want %v and %v", tt.floor, s.Mean, u.MeanStretch, u.Stretch, tt.mean, tt.user)
		}
	}
}

// TestLimits: what lies on a limit of the stretch counts as documented, and
// percentiles are not each other.
func TestLimits(t *testing.T) {
	var jobs []report.Job
	for _, end := range []ostrich.Time{1000, 1150, 1151, 1499, 1500, 1999, 2000, 20_000, 20_001} {
		jobs = append(jobs, report.Job{Campaign: len(jobs), Start: end - 1000, End: end, Procs: 1})
	}
	want := report.Stretch{
		Optimal: 1. / 9, Le115: 2. / 9, Lt15: 4. / 9, Lt2: 6. / 9, Gt20: 1. / 9, Mean: 50.3 / 9, P50: 1.5, P99: 20.001, Max: 20.001,
	}
	near := cmpopts.EquateApprox(0, 1e-12)
	if diff := cmp.Diff(want, report.Stretches(report.Campaigns(jobs), 1), near); diff != "" {
		t.Error("stretch -want +got\n", diff)
	}
	jobs = nil
	var rhos []float64
	for i := range ostrich.Time(200) {
		jobs = append(jobs, report.Job{Campaign: int(i), Start: i, End: i + 1, Procs: 1})
		rhos = append(rhos, float64(i))
	}
	if s := report.Stretches(report.Campaigns(jobs), 1); s.P50 != 100 || s.P99 != 198 || s.Max != 200 {
		t.Errorf("stretch %+v", s)
	}
	if diff := cmp.Diff(report.Wait{Mean: 99.5, P50: 99, P95: 189, P99: 197}, report.Waits(jobs), near); diff != "" {
		t.Error("wait -want +got\n", diff)
	}
	if diff := cmp.Diff(report.Rhos{Le1: 0.01, Mean: 99.5, P50: 99, P95: 189, Max: 199}, report.SummariseRho(rhos), near); diff != "" {
		t.Error("ρ -want +got\n", diff)
	}
}

// TestResponse: by processor-seconds jobs 1 and 2 weigh alike, 40, with 20 and 40 s; by the squares of
// ages, from 0 to 20 and from 30 to 40 s, 2·20³/3 and 4·(40³−30³)/3 of them have in sum 2·20⁴/4 and 4·(40⁴−30⁴)/4. That
// job 2 is suspended for half of its run is as if it had half of its processors.
func TestResponse(t *testing.T) {
	jobs := []report.Job{{User: 1, Submit: 0, Start: 0, End: 20, Procs: 2}, {User: 2, Submit: 10, Start: 40, End: 50, Procs: 8, Suspended: 5}}
	run := report.SummariseRun(jobs, nil, 8, 0)
	var twice report.Sample // each job, as in a bootstrap
	for i := range jobs {
		var one report.Sums
		one.AddJob(&jobs[i], 0)
		twice.Add(&one, 2)
	}
	for what, v := range map[string][2]float64{
		"area": {run.AreaResponse, 30}, "priority": {run.PriorityResponse, (2*160e3 + 4*1750e3) / 4 / ((2*8e3 + 4*37e3) / 3)},
		"area of a sample": {report.AreaResponse.Of(&twice), 30}, "priority of a sample": {report.PriorityResponse.Of(&twice), run.PriorityResponse},
		"priority of one that has not waited": {report.SummariseRun(jobs[:1], nil, 8, 0).PriorityResponse, 15},
		"of nothing":                          {report.SummariseRun(nil, nil, 8, 0).PriorityResponse, 0},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-9) {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
}

func TestMeasures(t *testing.T) {
	// Two campaigns on 4 processors: one ran at once (stretch 1), the other
	// waited 30 s for jobs of 10 s and work 60 (stretch 40/15).
	jobs := []report.Job{
		{User: 1, Campaign: 0, Submit: 0, Start: 0, End: 20, Procs: 2},
		{User: 2, Campaign: 1, Submit: 10, Start: 40, End: 50, Procs: 4},
		{User: 2, Campaign: 1, Submit: 12, Start: 40, End: 50, Procs: 2},
		{User: 3, Campaign: -1, Submit: 12, Start: 50, End: 51, Procs: 1},
	}
	campaigns := report.Campaigns(jobs)
	want := []report.Campaign{
		{User: 1, Jobs: 1, Submit: 0, End: 20, Work: 40, Longest: 20},
		{User: 2, Jobs: 2, Submit: 10, End: 50, Work: 60, Longest: 10},
	}
	if diff := cmp.Diff(want, campaigns); diff != "" {
		t.Error("campaigns -want +got\n", diff)
	}
	near := cmpopts.EquateApprox(0, 1e-12)
	if diff := cmp.Diff(report.Stretch{
		Optimal: 0.5, Le115: 0.5, Lt15: 0.5, Lt2: 0.5, Mean: (1 + 40.0/15) / 2, P50: 1, P99: 40.0 / 15, Max: 40.0 / 15,
	}, report.Stretches(campaigns, 4), near); diff != "" {
		t.Error("stretch -want +got\n", diff)
	}
	if diff := cmp.Diff(report.Wait{Mean: 24, P50: 28, P95: 38, P99: 38}, report.Waits(jobs), near); diff != "" {
		t.Error("wait -want +got\n", diff)
	}
	if got, want := report.BoundedSlowdown(jobs), (1+4+3.8+3.9)/4; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("bounded slowdown %v, want %v", got, want)
	}
	if got, want := report.Utilisation(jobs, 4), 101.0/(4*51); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("utilisation %v, want %v", got, want)
	}
	if got := report.Stretches(nil, 4); got != (report.Stretch{}) || report.BoundedSlowdown(nil) != 0 || report.Utilisation(nil, 4) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestLPC measures the campaigns of the log that thesis section 5.5 replays,
// by the rule MAX and the logged times. The thesis has 0.3 % of them at the
// optimum and 55.2 % below 1.5.
func TestLPC(t *testing.T) {
	dir := tracetest.Folder(t)
	log, err := trace.Open(filepath.Join(dir, "LPC-EGEE-2004-1.2-cln.swf.gz"), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []ostrich.Job
	for i := range log.Records {
		r := &log.Records[i]
		if r.Runnable() {
			start := ostrich.Time(r.Submit + r.Wait)
			jobs = append(jobs, ostrich.Job{
				ID: ostrich.JobID(r.Number), User: ostrich.UserID(r.User), Procs: int(r.Procs()), Submit: ostrich.Time(r.Submit),
				Start: start, End: start + ostrich.Time(r.Run),
			})
		}
	}
	slices.SortStableFunc(jobs, func(a, b ostrich.Job) int { return int(a.Submit - b.Submit) })
	split, err := campaign.Rule{}.Splitter()
	if err != nil {
		t.Fatal(err)
	}
	ran := make([]report.Job, len(jobs))
	for i, j := range jobs {
		var number int
		if number, err = split.Next(campaign.Submission{ID: j.ID, User: j.User, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.End)}); err != nil {
			t.Fatal(err)
		}
		ran[i] = report.Job{User: j.User, Campaign: number, Submit: j.Submit, Start: j.Start, End: j.End, Procs: j.Procs}
	}
	got := report.Stretches(report.Campaigns(ran), 140)
	if !(math.Abs(got.Optimal-0.003) <= 0.001) || !(math.Abs(got.Lt15-0.552) <= 0.015) {
		t.Errorf("%.4f optimal and %.4f below 1.5; the thesis has 0.003 and 0.552", got.Optimal, got.Lt15)
	}
}

func TestUsers(t *testing.T) {
	// On 2 processors: l is 10 of the first campaign of user 1, 10 of its
	// second, 20 of user 2's.
	jobs := []report.Job{
		{User: 2, Campaign: 0, Submit: 0, Start: 0, End: 20, Procs: 2},
		{User: 1, Campaign: 1, Submit: 0, Start: 20, End: 30, Procs: 1},
		{User: 1, Campaign: 1, Submit: 0, Start: 20, End: 30, Procs: 1},
		{User: 1, Campaign: 2, Submit: 40, Start: 40, End: 50, Procs: 1},
		{User: 3, Campaign: -1, Submit: 40, Start: 40, End: 50, Procs: 1},
	}
	campaigns := report.Campaigns(jobs)
	users := report.Users(campaigns, 2)
	want := []report.User{
		{User: 1, Jobs: 3, Campaigns: 2, Work: 30, Flow: 40, Stretch: 2, MeanStretch: 2, MaxStretch: 3},
		{User: 2, Jobs: 1, Campaigns: 1, Work: 40, Flow: 20, Stretch: 1, MeanStretch: 1, MaxStretch: 1},
	}
	if diff := cmp.Diff(want, users); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
	flows := report.Spreads{
		Jobs:      report.Spread{Sum: 100, Mean: 20, Max: 30},
		Campaigns: report.Spread{Sum: 60, Mean: 20, Max: 30},
		Users:     report.Spread{Sum: 60, Mean: 30, Max: 40},
	}
	if diff := cmp.Diff(flows, report.Flows(jobs, campaigns, users)); diff != "" {
		t.Errorf("flow times (-want +got):\n%s", diff)
	}
	stretches := report.Spreads{
		Jobs:      report.Spread{Sum: 9, Mean: 1.8, Max: 3},
		Campaigns: report.Spread{Sum: 5, Mean: 5. / 3, Max: 3},
		Users:     report.Spread{Sum: 3, Mean: 1.5, Max: 2},
	}
	if diff := cmp.Diff(stretches, report.StretchSpreads(jobs, campaigns, users, 2)); diff != "" {
		t.Errorf("stretches (-want +got):\n%s", diff)
	}
}

// TestAllocate compares with a list of when each processor is free: a job gets the
// first ones that are, in as few blocks as these make.
func TestAllocate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		free := make([]ostrich.Time, rapid.IntRange(1, 9).Draw(t, "processors"))
		var jobs []report.Job
		var want [][]int
		at := ostrich.Time(0)
		for range rapid.IntRange(1, 40).Draw(t, "jobs") {
			at += ostrich.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
			var on []int
			for p, since := range free {
				if since <= at {
					on = append(on, p)
				}
			}
			if len(on) == 0 {
				continue
			}
			on = on[:rapid.IntRange(1, len(on)).Draw(t, "wide")]
			j := report.Job{Start: at, End: at + ostrich.Time(rapid.IntRange(1, 9).Draw(t, "run")), Procs: len(on)}
			for _, p := range on {
				free[p] = j.End
			}
			jobs, want = append(jobs, j), append(want, on)
		}
		for i, blocks := range report.Allocate(jobs, len(free)) {
			var got []int
			for k, b := range blocks {
				if k > 0 && b.First == blocks[k-1].Last+1 {
					t.Fatalf("job %d: blocks %v, of which two are one", i, blocks)
				}
				for p := b.First; p <= b.Last; p++ {
					got = append(got, p)
				}
			}
			if !slices.Equal(got, want[i]) {
				t.Fatalf("job %d of %+v gets %v, want %v", i, jobs, got, want[i])
			}
		}
	})
}

// TestWriteJobs checks Batsim's columns.
func TestWriteJobs(t *testing.T) {
	jobs := []report.Job{
		{ID: 7, User: 1, Campaign: 0, Submit: 0, Start: 0, End: 10, Procs: 2, Estimate: 15},
		{ID: 8, User: 2, Campaign: 1, Submit: 0, Start: 0, End: 20, Procs: 1, Estimate: 20, Killed: true},
		{ID: 9, User: 1, Campaign: -1, Submit: 5, Start: 10, End: 14, Procs: 3},
	}
	var b strings.Builder
	if err := report.WriteJobs(&b, "w", jobs, 4); err != nil {
		t.Fatal(err)
	}
	want := `job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,user,campaign
7,w,rigid,0,2,15,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1.000000,0-1,1,0
8,w,rigid,0,1,20,0,COMPLETED_WALLTIME_REACHED,0,20,20,0,20,1.000000,2,2,1
9,w,rigid,5,3,,1,COMPLETED_SUCCESSFULLY,10,4,14,5,9,2.250000,0-1 3,1,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
