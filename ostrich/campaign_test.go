package ostrich

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/scalar"
)

// TestSplitIsOnline: a schedule that is told of a log event by event finds the
// campaigns that a Splitter finds in the finished log.
func TestSplitIsOnline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := drawRule(t)
		var log []Job
		var events []Event
		at := Time(1)
		for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
			at += Time(rapid.IntRange(0, 20).Draw(t, "gap"))
			j := Job{ID: JobID(i + 1), User: UserID(rapid.IntRange(1, 2).Draw(t, "user")), Procs: 1, Estimate: 50, Submit: at}
			if rapid.IntRange(0, 2).Draw(t, "grouped") == 0 {
				j.Group = JobID(rapid.IntRange(1, 4).Draw(t, "group"))
			}
			j.Campaign = rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "campaign")
			if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				at += Time(campaign.Gap) + Time(rapid.IntRange(-50, 50).Draw(t, "more"))
				j.Submit = at
			}
			j.End = at + Time(rapid.IntRange(0, 40).Draw(t, "stay"))
			if rapid.Bool().Draw(t, "runs") {
				j.Start = Time(rapid.IntRange(int(at), int(j.End)).Draw(t, "start"))
			}
			log = append(log, j)
			pending := j
			pending.Start, pending.End = 0, 0
			events = append(events, Event{At: at, Kind: Submit, Job: pending}, Event{At: j.End, Kind: End, Job: j})
			if j.Start != 0 {
				started := j
				started.End = 0
				events = append(events, Event{At: j.Start, Kind: Start, Job: started})
			}
		}
		splitter, err := rule.Splitter()
		if err != nil {
			t.Fatal(err)
		}
		split := make([]int, len(log))
		for i, j := range log {
			submission := campaign.Submission{ID: j.ID, User: j.User, Group: j.Group, Campaign: j.Campaign, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.End)}
			if split[i], err = splitter.Next(submission); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(events, Compare)
		s := mustNew(t, Options{Procs: 2, Rule: rule, Late: Late(rapid.IntRange(0, 2).Draw(t, "late"))})
		type id struct {
			user   UserID
			number int
		}
		online := make([]id, len(log))
		for _, e := range events {
			mustStep(t, s, e)
			if e.Kind == Submit {
				u, n, ok := s.CampaignOf(e.Job.ID)
				if !ok {
					t.Fatalf("job %d is in no campaign", e.Job.ID)
				}
				online[e.Job.ID-1] = id{u, n}
			}
		}
		for i := range log {
			for j := range i {
				if (split[i] == split[j]) != (online[i] == online[j]) {
					t.Fatalf("jobs %d and %d: log %v, online %v", j+1, i+1, split, online)
				}
			}
		}
		if !slices.IsSortedFunc(firsts(split), cmp.Compare) {
			t.Fatalf("campaigns are not counted as they open: %v", split)
		}
	})
}

// firsts lists the campaigns as they appear.
func firsts(campaigns []int) []int {
	var list []int
	for _, c := range campaigns {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Procs: -1}, "processors: -1 is below 0"},
		{Options{Machine: 7}, "machine 7: unknown"},
		{Options{Late: 7}, "late 7: unknown"},
		{Options{Gate: 7}, "gate 7: unknown"},
		{Options{Inside: 7}, "order inside a campaign 7: unknown"},
		{Options{Rule: campaign.Rule{By: campaign.Arrival}}, "campaign rule arrival: threshold"},
		{Options{Predictor: 99}, "predictor 99: unknown"},
	} {
		if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q in it", err, tt.want)
		}
	}
}
