package ostrich

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

// TestRanking: the ranking is the order without its jobs, whenever it is
// asked for, and the same as that of a copy, which has no ranking to keep.
func TestRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		s, straight := mustNew(t, o), mustNew(t, o)
		for _, e := range drawEvents(t, everything) {
			mustStep(t, s, e)
			mustStep(t, straight, e)
			if !rapid.Bool().Draw(t, "ask") {
				continue
			}
			fresh := s.Clone() // before the ranking is put in order for an answer
			got := s.Ranking()
			if diff := cmp.Diff(fresh.Ranking(), got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("of a copy - as kept +\n%s", diff)
			}
			// Each job of the order is in a campaign and stage of the ranking,
			// which come in the same order, none without a job.
			i := -1
			for _, p := range s.Order() {
				stage, ok := s.StageOf(p.Job)
				if !ok {
					t.Fatalf("job %d has no stage", p.Job)
				}
				want := Rank{
					User: p.User, Campaign: p.Campaign, Lead: p.Lead, Stage: stage,
					Gated: p.Gated, Held: p.Gated && o.Gate == Strict,
				}
				if i < 0 || got[i] != want {
					i++
				}
				if i == len(got) || got[i] != want {
					t.Fatalf("job %d is of %+v, which is not the next of %+v", p.Job, want, got)
				}
			}
			if i+1 != len(got) {
				t.Fatalf("no job of %+v is in the order", got[i+1:])
			}
			if rapid.Bool().Draw(t, "go on with the copy") {
				s = fresh
			}
		}
		if diff := cmp.Diff(straight.Order(), s.Order()); diff != "" {
			t.Fatalf("never asked - asked and copied +\n%s", diff)
		}
	})
}

// TestCopyWhileRunning: a campaign none of whose jobs waits while the schedule
// is copied comes back in the copy.
func TestCopyWhileRunning(t *testing.T) {
	s := mustNew(t, Options{Procs: 1})
	submitCampaign(t, s, 10, 1, 1, 50)
	mustStep(t, s, Event{At: 10, Kind: Start, Job: Job{ID: 1, User: 1, Group: 1, Procs: 1, Estimate: 50}})
	s = s.Clone()
	mustStep(t, s, Event{At: 20, Kind: Requeue, Job: Job{ID: 1, User: 1, Group: 1, Procs: 1, Estimate: 50}})
	if got := s.Ranking(); len(got) != 1 || len(s.Order()) != 1 {
		t.Errorf("after a requeue: %+v", got)
	}
}

func TestNextCompletion(t *testing.T) {
	s := mustNew(t, Options{Procs: 4, Gate: Strict, Rule: campaign.Rule{By: campaign.Arrival, Threshold: 1}})
	if got := s.NextCompletion(); !math.IsInf(got, 1) {
		t.Errorf("of nothing: %v", got)
	}
	submitCampaign(t, s, 10, 1, 1, 6)
	submitCampaign(t, s, 11, 1, 2, 4)
	if got := s.NextCompletion(); got != 11.5 {
		t.Errorf("6 s on 4 processors from 10: %v, want 11.5", got)
	}
	if got := s.Ranking(); len(got) != 2 || got[0].Held || !got[1].Held {
		t.Errorf("before it: %+v", got)
	}
	mustAdvance(t, s, 12)
	if got := s.Ranking(); len(got) != 2 || got[1].Held {
		t.Errorf("after it: %+v", got)
	}
	if got := s.NextCompletion(); got != 12.5 {
		t.Errorf("4 s on 4 processors from 11.5: %v, want 12.5", got)
	}
	if _, ok := s.StageOf(99); ok {
		t.Error("an unknown job has a stage")
	}
}
