package ostrich

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

// TestNice: inside a campaign the smaller nice value goes first, before any other rule,
// and a change of it moves the job at once.
func TestNice(t *testing.T) {
	s := mustNew(t, Options{Procs: 1, Machine: Parallel, Gate: Off, Inside: SPT, Rule: campaign.Rule{By: campaign.Max}, Grace: 100})
	job := func(id JobID, u UserID, limit Duration, nice int64) Job {
		return Job{ID: id, User: u, Submit: 10, Procs: 1, Estimate: limit, Nice: nice}
	}
	for _, j := range []Job{
		job(1, 1, 300, 0), job(2, 1, 200, 100), job(3, 1, 100, 50), job(4, 1, 400, -7), // an operator gave 4 its value
		job(5, 2, 5000, 0), job(6, 2, 4000, 1<<30),
	} {
		mustStep(t, s, Event{At: 10, Kind: Submit, Job: j})
	}
	check := func(at Time, want ...JobID) {
		t.Helper()
		mustAdvance(t, s, at)
		if got := ids(s.Order()); !slices.Equal(got, want) || !slices.Equal(slices.Collect(s.Pending()), want) {
			t.Errorf("t = %d: %v, want %v", at, got, want)
		}
	}
	check(10, 4, 1, 3, 2, 5, 6)
	before := s.Version()
	mustStep(t, s, Event{At: 11, Kind: Change, Job: job(1, 1, 300, 60)})
	if s.Version() == before {
		t.Error("the version does not tell of another nice value")
	}
	check(11, 4, 3, 1, 2, 5, 6)
	mustStep(t, s, Event{At: 12, Kind: Change, Job: job(2, 1, 200, 0)})
	check(12, 4, 2, 3, 1, 5, 6)
	// Not even a long wait puts a job before one of a smaller value.
	mustStep(t, s, Event{At: 300, Kind: Submit, Job: Job{ID: 7, User: 1, Submit: 300, Procs: 1, Estimate: 1, Nice: 20}})
	check(311, 4, 2, 7, 3, 1, 5, 6)
}

// TestNiceMovesNobodyElse: whatever nice values the jobs have, every place of the order
// belongs to the same campaign, the jobs of campaigns in which all values are equal have
// the same places, and nothing else of the schedule differs.
func TestNiceMovesNobodyElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := drawOptions(t), drawEvents(t, everything)
		without := slices.Clone(events)
		nice := make(map[UserID]bool)
		for i := range without {
			j := &without[i].Job
			nice[j.User] = nice[j.User] || j.Nice != 0
			j.Nice = 0
		}
		with, want := run(t, o, events), run(t, o, without)
		end := with.Now() + Time(rapid.IntRange(0, 100).Draw(t, "later"))
		mustAdvance(t, with, end)
		mustAdvance(t, want, end)
		a, b := snapshotOf(with), snapshotOf(want)
		for _, s := range []*snapshot{&a, &b} {
			for i := range s.Order {
				if p := &s.Order[i]; nice[p.User] {
					p.Job, p.Procs = 0, 0
				}
			}
			for i := range s.Campaigns {
				slices.Sort(s.Campaigns[i].Pending)
				slices.Sort(s.Campaigns[i].Held)
			}
		}
		if diff := cmp.Diff(b, a); diff != "" {
			t.Fatalf("without - with nice values +\n%s", diff)
		}
	})
}

// TestNiceSortsCampaigns: in each stage of a campaign the values of the order never fall.
func TestNiceSortsCampaigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := run(t, drawOptions(t), drawEvents(t, everything))
		s.Order() // sorts them
		for _, g := range s.waiting.stages {
			for i, j := range g.pending[1:] {
				if before := g.pending[i]; before.Nice > j.Nice {
					t.Fatalf("job %d with %d goes before job %d with %d", before.ID, before.Nice, j.ID, j.Nice)
				}
			}
		}
	})
}
