package optimal_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
)

// TestScenarioMoments puts one job before, at and behind the instant 100 with each of
// its moments (equations 25 to 27). A job stands in the queue from its submission on
// until just before its start, and runs from its start on until just before its end.
func TestScenarioMoments(t *testing.T) {
	const at = 100
	queued, ran := "queue", "runs"
	for _, tt := range []struct {
		test               string
		submit, start, end ostrich.Time
		want               string
		left               ostrich.Duration // where it runs, with an expected length of 60
	}{
		{"not submitted yet", 101, 120, 180, "", 0},
		{"submitted at t", 100, 120, 180, queued, 0},
		{"submitted before t", 99, 120, 180, queued, 0},
		{"starts behind t", 50, 101, 180, queued, 0},
		{"starts at t", 50, 100, 180, ran, 60},
		{"started before t", 50, 99, 180, ran, 59},
		{"submitted and started at t", 100, 100, 180, ran, 60},
		{"ends behind t", 20, 41, 101, ran, 1},
		{"ends at t", 20, 40, 100, "", 0},
		{"ended before t", 20, 39, 99, "", 0},
		{"runs for longer than expected", 20, 30, 180, ran, 1},
		{"all at t", 100, 100, 100, "", 0},
	} {
		t.Run(tt.test, func(t *testing.T) {
			log := []optimal.Logged{{ID: 7, Procs: 3, Submit: tt.submit, Start: tt.start, End: tt.end, Length: 60, Wait: 30, Campaign: -1}}
			in, queue, err := optimal.Scenario(8, log, at)
			if err != nil {
				t.Fatal(err)
			}
			want, which := optimal.Instance{Procs: 8}, []int(nil)
			switch tt.want {
			case queued:
				which = []int{0}
				want.Jobs = []optimal.Job{{ID: 7, Procs: 3, Length: 60, Due: 30 - ostrich.Duration(at-tt.submit)}}
				want.Campaigns = []optimal.Campaign{{Age: ostrich.Duration(at - tt.submit), Least: 60}}
			case ran:
				want.Running = []optimal.Running{{Procs: 3, Left: tt.left}}
			}
			if diff := cmp.Diff(want, in); diff != "" {
				t.Errorf("instance (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(which, queue); diff != "" {
				t.Errorf("queue (-want +got):\n%s", diff)
			}
		})
	}
}

// TestScenario has a whole queue: its order, and what campaigns have done and need.
func TestScenario(t *testing.T) {
	log := []optimal.Logged{
		{ID: 1, Procs: 2, Submit: 0, Start: 0, End: 40, Length: 50, Campaign: 0},                // done
		{ID: 2, Procs: 2, Submit: 5, Start: 10, End: 150, Length: 120, Campaign: 0},             // runs for 30 more
		{ID: 3, Procs: 1, Submit: 5, Start: 30, End: 150, Length: 90, Campaign: 2},              // of nobody who waits
		{ID: 4, Procs: 4, Submit: 60, Start: 170, End: 200, Length: 20, Wait: 100, Campaign: 0}, // campaign 0
		{ID: 5, Procs: 1, Submit: 50, Start: 180, End: 200, Length: 10, Wait: 10, Campaign: -1},
		{ID: 6, Procs: 1, Submit: 60, Start: 150, End: 200, Length: 40, Wait: 40, Campaign: -1},
		{ID: 7, Procs: 4, Submit: 101, Start: 170, End: 200, Length: 20, Campaign: 0}, // not yet
		{ID: 8, Procs: 1, Submit: 60, Start: 100, End: 150, Length: 50, Campaign: 0},  // starts
	}
	in, queue, err := optimal.Scenario(4, log, 100)
	if err != nil {
		t.Fatal(err)
	}
	want := optimal.Instance{
		Procs:   4,
		Running: []optimal.Running{{Procs: 2, Left: 30}, {Procs: 1, Left: 20}, {Procs: 1, Left: 50}},
		Jobs: []optimal.Job{
			{ID: 5, Procs: 1, Length: 10, Due: -40, Campaign: 0},
			{ID: 4, Procs: 4, Length: 20, Due: 60, Campaign: 1},
			{ID: 6, Procs: 1, Length: 40, Due: 0, Campaign: 2},
		},
		Campaigns: []optimal.Campaign{
			{Age: 50, Least: 10},
			{Age: 100, Until: 50, Least: 120}, // (2·50 + 2·120 + 4·20 + 50)/4 = 117.5 is less than its longest job
			{Age: 40, Least: 40},
		},
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{4, 3, 5}, queue); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
}

// TestScenarioWork has a campaign whose work needs longer than its longest job.
func TestScenarioWork(t *testing.T) {
	log := []optimal.Logged{
		{ID: 1, Procs: 3, Submit: 0, Start: 10, End: 20, Length: 20},
		{ID: 2, Procs: 4, Submit: 0, Start: 10, End: 20, Length: 30},
	}
	in, _, err := optimal.Scenario(4, log, 5)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]optimal.Campaign{{Age: 5, Least: (3*20 + 4*30) / 4.}}, in.Campaigns); diff != "" {
		t.Errorf("campaigns (-want +got):\n%s", diff)
	}
}

// TestScenarioRefuses logs that no machine of that size can have made.
func TestScenarioRefuses(t *testing.T) {
	for _, tt := range []struct {
		test string
		log  []optimal.Logged
		want string
	}{
		{"more runs than fits", []optimal.Logged{
			{ID: 1, Procs: 3, Submit: 0, Start: 0, End: 9, Length: 9},
			{ID: 2, Procs: 2, Submit: 0, Start: 5, End: 9, Length: 4},
		}, "at 5 s: job 2 runs on 2 processors, and 1 of 4 are free: cannot be scheduled"},
		{
			"wider than the machine",
			[]optimal.Logged{{ID: 3, Procs: 5, Submit: 0, Start: 6, End: 9, Length: 9}},
			"at 5 s: optimal: job 3 needs 5 of 4 processors: cannot be scheduled",
		},
		{
			"of negative length",
			[]optimal.Logged{{ID: 4, Procs: 1, Submit: 0, Start: 6, End: 9, Length: -1, Campaign: -1}},
			"at 5 s: optimal: job 4 runs for -1 s: cannot be scheduled",
		},
	} {
		t.Run(tt.test, func(t *testing.T) {
			_, queue, err := optimal.Scenario(4, tt.log, 5)
			if !errors.Is(err, optimal.ErrInstance) || err.Error() != tt.want || queue != nil {
				t.Errorf("queue %v, error %v, want %s", queue, err, tt.want)
			}
		})
	}
}
