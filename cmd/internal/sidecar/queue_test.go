package sidecar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// forget makes a sidecar read everything again.
func (s *Sidecar) forget() {
	s.made, s.ranked, s.named = nil, nil, altered{}
	s.holds.stale, s.holds.ranked, s.holds.recalled = true, nil, altered{}
	s.provisional.heard = true
}

// said is everything that a cycle says about the queue.
func (c *Cycle) said() string {
	lines := fmt.Appendln(nil, c.Time, c.Lag, c.Events, c.Anew, c.Provisional, c.Plan.Summary, c.Pools[0].Schedule.Kept())
	for _, e := range c.Plan.Entries {
		lines = fmt.Appendln(lines, e.Queued, e.Rank, e.SlurmRank, e.From, e.To, e.Write, e.Why, e.Pool, e.Place.Lead, e.Place.Gated)
	}
	return string(lines)
}

// A cycle skips what cannot have changed. Whatever happens, it says the same as a cycle
// that reads everything.
func TestNothingIsMissed(t *testing.T) {
	reasons := []string{"None", "Priority", "Resources", "AssocGrpCpuLimit", "PartitionConfig", "JobHeldUser", "Dependency"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 13))
		synctest.Test(t, func(t *testing.T) {
			excluded := r.IntN(2) == 0
			edit := func(c *configuration.Config) {
				c.Priority.Classes = priority.ClassesOff // else another tier opens the sidecar anew
				if excluded {
					c.Exclude.Users = []string{"u2"}
				}
			}
			quick, thorough := newSite(), newSite()
			a, b := quick.start(t, edit), thorough.start(t, edit)
			both := func(step func(w *site)) { step(quick); step(thorough) }
			var untold []ostrich.Job
			id := 0
			for range 2 + r.IntN(29) {
				steps := []int{0, 0, 1, 1, 2}[r.IntN(5)]
				for range steps {
					n := len(quick.Pending)
					at := 0
					if n > 0 {
						at = r.IntN(n)
					}
					what := r.IntN(10)
					switch {
					case what < 2 || n == 0:
						id++
						j := jobOf(id, 1+r.IntN(3), quick.Now-ostrich.Time(r.IntN(91)))
						q := queued(&j)
						q.User = "1234"
						both(func(w *site) { w.Pending = append(w.Pending, q) })
						if r.IntN(2) == 0 {
							both(func(w *site) { w.tell(&j) })
						} else {
							untold = append(untold, j)
						}
					case what == 2 && len(untold) > 0:
						both(func(w *site) { w.tell(&untold[0]) })
						untold = untold[1:]
					case what == 3:
						reason := reasons[r.IntN(len(reasons))]
						both(func(w *site) { w.Pending[at].Reason = reason })
					case what == 4: // accounting tells of the start and the queue will, or the reverse
						q := quick.Pending[at]
						rec, known := quick.Records[q.Job]
						if r.IntN(2) == 0 {
							both(func(w *site) { w.Pending = slices.Delete(slices.Clone(w.Pending), at, at+1) })
						}
						if known && rec.Job.Start == 0 {
							rec.Job.Start = quick.Now
							both(func(w *site) {
								w.Records[q.Job] = rec
								w.Events = append(w.Events, ostrich.Event{At: w.Now, Kind: ostrich.Start, Job: rec.Job})
							})
						}
					case what == 5:
						q := quick.Pending[at]
						if rec, known := quick.Records[q.Job]; known {
							both(func(w *site) {
								delete(w.Records, q.Job)
								j := rec.Job
								j.End = w.Now
								w.Events = append(w.Events, ostrich.Event{At: w.Now, Kind: ostrich.End, Job: j})
							})
						}
					case what == 6:
						tier := r.IntN(3)
						both(func(w *site) {
							w.Parts = slices.Clone(w.Parts)
							w.Parts[0].PriorityTier = tier
						})
					case what == 7:
						eligible := quick.Now - ostrich.Time(r.IntN(61))
						listed := r.IntN(2) == 0
						both(func(w *site) {
							q := &w.Pending[at]
							q.Listed = listed
							if rec, known := w.Records[q.Job]; known {
								rec.Eligible, rec.UserName = eligible, "u2"
							}
						})
					case what == 9:
						q := quick.Pending[at]
						kind := []ostrich.Kind{ostrich.Hold, ostrich.Release}[r.IntN(2)]
						if rec, known := quick.Records[q.Job]; known && rec.Job.Start == 0 {
							both(func(w *site) { w.Events = append(w.Events, ostrich.Event{At: w.Now, Kind: kind, Job: rec.Job}) })
						}
					case what == 8:
						job := quick.Pending[at].Job
						both(func(w *site) { w.Skipped = []ledger.Skip{{Job: job, Why: "asks for no processor"}} })
					}
				}
				b.forget()
				if got, want := run(t, a, false).said(), run(t, b, false).said(); got != want {
					t.Fatalf("seed %d: it says\n%s\nand, having looked at everything,\n%s", seed, got, want)
				}
				passed := []int{1, 10, 45, 90}[r.IntN(4)]
				time.Sleep(time.Duration(passed) * time.Second)
				both(func(w *site) { w.Now += ostrich.Time(passed) })
			}
		})
	}
}

// A generation ends when something happens, not because time passes.
func TestGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.submit(2, 2, 9100, "main")
		s := w.start(t)
		before := run(t, s, false)
		for _, step := range []struct {
			what string
			do   func()
			same bool
		}{
			{"nothing", func() {}, true},
			{"a reason", func() { w.Pending[0].Reason = "Resources" }, false},
			{"nothing after a reason", func() {}, true},
			{"an event that leaves the order as it is", func() {
				w.Events = append(w.Events, ostrich.Event{At: w.Now, Kind: ostrich.End, Job: ostrich.Job{ID: 99}})
			}, false},
			{"nothing after an event", func() {}, true},
			{"another tier", func() { time.Sleep(configAge); w.Parts = []priority.Partition{{Name: "main", PriorityTier: 3}} }, false},
			{"the same configuration again", func() { time.Sleep(configAge) }, true},
			{"other weights", func() { time.Sleep(configAge); w.Conf.Weights.Age++ }, false},
			{"a write", func() { run(t, s, true) }, false},
			{"a failure", func() {
				w.fail["poll"] = errors.New("away")
				if _, err := s.Run(t.Context(), false); err == nil {
					t.Error("no failure")
				}
				delete(w.fail, "poll")
			}, true},
		} {
			w.Now += 10
			step.do()
			c := run(t, s, false)
			equal(t, step.what+": the same generation", step.same, c.Generation == before.Generation)
			equal(t, step.what+": the same plan", true, c.Generation != before.Generation || &c.Plan.Entries[0] == &before.Plan.Entries[0])
			if c.Generation < before.Generation {
				t.Errorf("%s: generation %d after %d", step.what, c.Generation, before.Generation)
			}
			before = c
		}
		if c := run(t, w.start(t), false); c.Generation <= before.Generation {
			t.Errorf("another sidecar: generation %d after %d", c.Generation, before.Generation)
		}
	})
}

// While the margin keeps a campaign in front, each cycle plans anew, and the generation
// lasts for as long as the plan says the same.
func TestGenerationWithinTheMargin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.submit(2, 2, 9000, "main")
		s := w.start(t)
		first := run(t, s, true).Plan.Entries[0].Job
		longer := w.Records[first].Job
		longer.Estimate += 60
		w.Events = append(w.Events, ostrich.Event{At: w.Now, Kind: ostrich.Submit, Job: longer})
		w.Now += 10
		before := run(t, s, false)
		if e := before.Plan.Entries[0]; e.Job != first || !before.Plan.All.Kept {
			t.Fatalf("job %d is first, kept %v", e.Job, before.Plan.All.Kept)
		}
		w.Now += 10
		if c := run(t, s, false); c.Generation != before.Generation || &c.Plan.Entries[0] != &before.Plan.Entries[0] {
			t.Errorf("generation %d after %d", c.Generation, before.Generation)
		}
		w.Pending[0].Reason = "Resources"
		w.Now += 10
		if c := run(t, s, false); c.Generation == before.Generation {
			t.Error("another reason, and the same generation")
		}
	})
}

// A plan counts the jobs by their reasons.
func TestReasons(t *testing.T) {
	w := newSite()
	w.Pending = append(w.Pending, priority.Queued{Job: 1, Priority: 5, Listed: true, SiteKnown: true, Count: 1, Partition: "main"})
	equal(t, "unheard in a cycle", 1, run(t, w.start(t), false).Plan.Reasons[priority.Unheard])
}
