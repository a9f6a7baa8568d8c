package forecast

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// policies are those that are watched in tests.
var policies = map[string]sim.Policy{
	"ostrich":   sim.Classed(ostrich.Options{Machine: ostrich.Parallel, Grace: 3600}, sim.Classes{}),
	"fairshare": orders.FairShare(300),
	"multifactor": orders.Multifactor(multifactor.Config{Procs: 4, Nodes: 4}, func(ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: -1, Partition: -1, QOS: -1}
	}),
}

// watchedRun replays some jobs with and without a watch.
func watchedRun(policy sim.Policy, campaigns []sim.Campaign, how Sampling) (with, without []report.Job, w *Watch, err error) {
	m := sim.Machine{Procs: 4, Backfill: sim.EASY, Open: true, Offsets: true, Policy: policy}
	if without, err = m.Run(campaigns); err != nil {
		return nil, nil, nil, err
	}
	m, w = Over(m, campaigns, how)
	with, err = m.Run(campaigns)
	return with, without, w, err
}

// TestWatchChangesNothing: the schedule is that without the watch, and the answers are those of jobs
// that waited, each with the start that it had, and once at a moment with the end of what was left of its campaign.
func TestWatchChangesNothing(t *testing.T) {
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var campaigns []sim.Campaign
				at := ostrich.Time(1_000_000)
				for i := range rapid.IntRange(1, 60).Draw(t, "jobs") {
					after := rapid.IntRange(0, 2000).Draw(t, "after")
					limit := ostrich.Duration(rapid.IntRange(1, 9000).Draw(t, "limit"))
					task := sim.Job{
						ID: ostrich.JobID(i + 1), Procs: rapid.IntRange(1, 4).Draw(t, "procs"), Estimate: limit,
						Run: ostrich.Duration(rapid.IntRange(1, int(limit)).Draw(t, "run")),
					}
					if i > 0 && rapid.Bool().Draw(t, "joins") {
						c := &campaigns[len(campaigns)-1]
						task.User, task.Submit = c.User, c.Jobs[len(c.Jobs)-1].Submit+ostrich.Time(after)
						c.Jobs = append(c.Jobs, &task)
						continue
					}
					at += ostrich.Time(after)
					campaigns = append(campaigns, sim.NewCampaign(ostrich.UserID(rapid.IntRange(1, 3).Draw(t, "user")), at, 0, task))
				}
				with, without, w, err := watchedRun(policy, campaigns, Sampling{Every: 2, AtOne: 2, Seed: 3})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(with, without) {
					t.Fatalf("with the watch\n%+v\nand without\n%+v", with, without)
				}
				asks, err := w.Asks()
				if err != nil {
					t.Fatal(err)
				}
				type of struct {
					campaign int
					at       ostrich.Time
				}
				ends := make(map[of]ostrich.Time)
				for _, a := range asks {
					j := with[a.Job-1]
					last, is := ostrich.Time(0), of{j.Campaign, a.At}
					for _, other := range with {
						if other.Campaign == j.Campaign && other.Submit <= a.At && other.End > a.At {
							last = max(last, other.End)
						}
					}
					switch end, before := ends[is]; {
					case before && (a.End != 0 || a.Ends != [3]ostrich.Time{} || end != last):
						t.Fatalf("again %+v after %d", a, end)
					case !before && (a.End != last || slices.Min(a.Ends[:]) < a.At):
						t.Fatalf("%+v of a campaign that ends at %d", a, last)
					case !before:
						ends[is] = last
					}
					if a.Start != j.Start || a.Submit != j.Submit || a.At < j.Submit || a.At >= j.Start {
						t.Fatalf("%+v of %+v", a, j)
					}
					if a.At != a.Submit && a.At%hour != 0 {
						t.Fatalf("asked at %d", a.At)
					}
					for _, moment := range slices.Concat(a.Draws, a.Odds[:], a.Two[:], a.Bounds[:], []ostrich.Time{a.Limits}) {
						if moment < a.At {
							t.Fatalf("an answer before the question: %+v", a)
						}
					}
				}
				if w.ends.Count != len(ends) {
					t.Fatalf("learned from %d ends of %d", w.ends.Count, len(ends))
				}
			})
		})
	}
}

// TestWatchAnswers: on one processor, where jobs run to their limits and nobody comes, all answers but
// QBETS' are the truth.
func TestWatchAnswers(t *testing.T) {
	campaigns := []sim.Campaign{{User: 1, Submit: 100_000}}
	for i := range 5 {
		campaigns[0].Jobs = append(campaigns[0].Jobs, &sim.Job{User: 1, Submit: 100_000, ID: ostrich.JobID(i + 1), Procs: 4, Estimate: 5000, Run: 5000})
	}
	_, _, w, err := watchedRun(policies["fairshare"], campaigns, Sampling{AtOne: 2})
	if err != nil {
		t.Fatal(err)
	}
	asks, err := w.Asks()
	if err != nil || len(asks) < 10 {
		t.Fatalf("%d answers, %v", len(asks), err)
	}
	for _, a := range asks {
		if a.Limits != a.Start || a.Two != [2]ostrich.Time{a.Start, a.Start} || slices.Min(a.Draws) != a.Start || slices.Max(a.Draws) != a.Start {
			t.Errorf("%+v", *a)
		}
		if a.End != 0 && (a.End != 125_000 || a.Ends[1] != a.End) {
			t.Errorf("the end of the campaign: %+v", *a)
		}
	}
	w.From = 107_000
	later, err := w.Asks()
	if err != nil || len(later) == 0 || later[0].At < w.From || len(later) >= len(asks) {
		t.Errorf("from %d on: %d of %d", w.From, len(later), len(asks))
	}
}

// TestWatchBounds: asked is for jobs that wait, so QBETS bounds them by those that did.
func TestWatchBounds(t *testing.T) {
	var campaigns []sim.Campaign
	for i := range 400 {
		n := 1
		if i%20 == 0 {
			n = 2 // of which one waits
		}
		for k := range n {
			campaigns = append(campaigns, sim.NewCampaign(1, ostrich.Time(100_000+1000*i), 0, sim.Job{ID: ostrich.JobID(2*i + k + 1), Procs: 4, Estimate: 500, Run: 500}))
		}
	}
	_, _, w, err := watchedRun(policies["fairshare"], campaigns, Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	asks, err := w.Asks()
	if err != nil || len(asks) != 20 {
		t.Fatalf("%d answers, %v", len(asks), err)
	}
	if a := asks[19]; a.Start != a.At+500 || a.Bounds != [3]ostrich.Time{a.Start, a.Start, a.Start} {
		t.Errorf("%+v", *a)
	}
}

// TestWatchErrors: what ranks campaigns cannot be watched.
func TestWatchErrors(t *testing.T) {
	_, _, _, err := watchedRun(sim.OStrich(ostrich.Options{}), []sim.Campaign{sim.NewCampaign(1, 0, 0, sim.Job{ID: 1, Procs: 1, Estimate: 1, Run: 1})}, Sampling{})
	if !errors.Is(err, ErrWatch) {
		t.Errorf("%v", err)
	}
}
