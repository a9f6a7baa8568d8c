package sim_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// A clerk ranks job by job as it is told to, and writes down when it was called.
type clerk struct {
	jobs  func(now ostrich.Time) []ostrich.JobID
	wake  func(now ostrich.Time, waiting bool) ostrich.Time
	now   ostrich.Time
	ready []ostrich.JobID
	woken []ostrich.Time
}

func (c *clerk) Step(e ostrich.Event) error {
	c.now = e.At
	return nil
}

func (c *clerk) Jobs() []ostrich.JobID { return c.jobs(c.now) }

func (c *clerk) Wake(waiting bool) ostrich.Time {
	if c.wake == nil {
		return 0
	}
	return c.wake(c.now, waiting)
}

func (c *clerk) AdvanceTo(t ostrich.Time) error {
	c.now = t
	c.woken = append(c.woken, t)
	return nil
}

func (c *clerk) Ready(id ostrich.JobID) { c.ready = append(c.ready, id) }

func (c *clerk) policy(int) (sim.Ranker, error) { return c, nil }

// TestJobRanker: the ranking decides job by job, by running numbers; what it
// leaves out waits until it changes its mind at a moment of its own.
func TestJobRanker(t *testing.T) {
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 1, 0, tasks(10, 5, 5, 2)...), // jobs 1 to 3
		sim.NewCampaign(2, 1, 0, tasks(20, 3, 1)...),    // 4 and 5
	}
	for _, tt := range []struct {
		name   string
		jobs   func(now ostrich.Time) []ostrich.JobID
		wake   func(now ostrich.Time, waiting bool) ostrich.Time
		want   []ostrich.Time
		advice []ostrich.Time
	}{
		{
			"across campaigns",
			func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{5, 3, 1, 4, 2} },
			nil,
			[]ostrich.Time{2, 6, 1, 3, 1},
			[]ostrich.Time{1, 2, 3, 6},
		},
		{
			// Job 4 is left out until 20. The others are ended by then.
			"changes its mind",
			func(now ostrich.Time) []ostrich.JobID {
				if now < 20 {
					return []ostrich.JobID{1, 2, 3, 5}
				}
				return []ostrich.JobID{4}
			},
			func(now ostrich.Time, waiting bool) ostrich.Time {
				if waiting {
					return max(20, now+1)
				}
				return 0
			},
			[]ostrich.Time{1, 1, 6, 20, 6},
			[]ostrich.Time{1, 6, 7, 8, 20},
		},
		{
			// Called every third second whether jobs wait or not, until the end.
			"at its own interval",
			func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{1, 2, 3, 4, 5} },
			func(now ostrich.Time, _ bool) ostrich.Time { return (now/3 + 1) * 3 },
			[]ostrich.Time{1, 1, 6, 6, 8},
			[]ostrich.Time{1, 3, 6, 8, 9},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clerk{jobs: tt.jobs, wake: tt.wake}
			got := starts(mustRun(t, sim.Machine{Procs: 2, Policy: c.policy}, campaigns))
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Error("starts -want +got\n", diff)
			}
			if diff := gocmp.Diff(tt.advice, c.woken); diff != "" {
				t.Error("called -want +got\n", diff)
			}
		})
	}
}

// TestReadier: a job is ready when what it depends on has ended, and skipped
// until then.
func TestReadier(t *testing.T) {
	log := []sim.Job{
		{ID: 1, User: 1, Submit: 1, Run: 3, Estimate: 3, Procs: 1, Start: 1},
		{ID: 2, User: 1, Submit: 2, Run: 9, Estimate: 9, Procs: 1, Start: 2},
		{ID: 3, User: 1, Submit: 4, Run: 1, Estimate: 1, Procs: 1, Start: 4},
	}
	c := clerk{jobs: func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{3, 2, 1} }}
	got := starts(mustRun(t, sim.Machine{Procs: 1, Policy: c.policy, Dependencies: true}, mustCampaigns(t, log)))
	if diff := gocmp.Diff([]ostrich.Time{10, 1, 13}, got); diff != "" {
		t.Error("starts -want +got\n", diff)
	}
	if diff := gocmp.Diff([]ostrich.JobID{1, 2, 3}, c.ready); diff != "" {
		t.Error("ready -want +got\n", diff)
	}
}

// TestRankerFaults: a ranker that makes no sense ends the replay with a reason.
func TestRankerFaults(t *testing.T) {
	campaigns := []sim.Campaign{sim.NewCampaign(1, 1, 0, tasks(10, 5)...)}
	nothing := func(ostrich.Time) []ostrich.JobID { return nil }
	for _, tt := range []struct {
		name   string
		policy sim.Policy
		want   string
	}{
		{"no ranking", func(int) (sim.Ranker, error) { return struct{ sim.Ranker }{}, nil }, "neither a CampaignRanker nor a JobRanker"},
		{"unknown job", (&clerk{jobs: func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{2} }}).policy, "names a job that is not known"},
		{"no job", (&clerk{jobs: func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{0} }}).policy, "names a job that is not known"},
		{"past", (&clerk{jobs: nothing, wake: func(now ostrich.Time, _ bool) ostrich.Time { return now }}).policy, "wants to be woken at 1, and it is 1 already"},
		{"held back", (&clerk{jobs: nothing}).policy, "1 job is held back for ever"},
		{"held back and woken", (&clerk{jobs: nothing, wake: func(now ostrich.Time, _ bool) ostrich.Time { return now + 1 }}).policy, "1 job is held back for ever"},
	} {
		if _, err := (sim.Machine{Procs: 1, Policy: tt.policy}).Run(campaigns); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// inOrder ranks jobs by an order that does not change.
type inOrder struct {
	compare func(a, b *ostrich.Job) int
	jobs    []ostrich.Job
}

func (o *inOrder) Step(e ostrich.Event) error {
	if e.Kind == ostrich.Submit {
		o.jobs = append(o.jobs, e.Job)
	}
	return nil
}

func (o *inOrder) Jobs() []ostrich.JobID {
	slices.SortFunc(o.jobs, func(a, b ostrich.Job) int { return cmp.Or(o.compare(&a, &b), cmp.Compare(a.ID, b.ID)) })
	var list []ostrich.JobID
	for i := range o.jobs {
		list = append(list, o.jobs[i].ID)
	}
	return list
}

// TestJobRankerAgrees: a ranking of jobs by their submission is first come,
// first served, with each kind of backfilling.
func TestJobRankerAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawPolicy(t)
		l.Dependencies = false // a job that becomes ready later comes later
		campaigns := mustCampaigns(t, drawLog(t, l.Procs, false))
		l.Policy = nil
		want := mustRun(t, l, campaigns)
		l.Policy = func(int) (sim.Ranker, error) {
			return &inOrder{compare: func(a, b *ostrich.Job) int { return cmp.Compare(a.Submit, b.Submit) }}, nil
		}
		if diff := gocmp.Diff(want, mustRun(t, l, campaigns)); diff != "" {
			t.Fatal("first come, first served - ranked +\n", diff)
		}
	})
}

// TestWakeIsLater: a virtual completion that a start brings so near that it counts as
// due in this second takes effect in the next one.
func TestWakeIsLater(t *testing.T) {
	ranker, err := sim.OStrich(ostrich.Options{Machine: ostrich.Parallel})(2)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(at ostrich.Time, k ostrich.Kind, j ostrich.Job) {
		j.Procs, j.Submit = 1, 1
		if err := ranker.Step(ostrich.Event{
			At: at, Kind: k, Job: j,
			Shares: &ostrich.Shares{Users: []ostrich.UserShare{{User: 1, Weight: 1}, {User: 2, Weight: 1 + 1.5e-6}}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	first, second, other := ostrich.Job{ID: 1, User: 2, Estimate: 100}, ostrich.Job{ID: 2, User: 2, Estimate: 100}, ostrich.Job{ID: 3, User: 1, Estimate: 1}
	tell(0, ostrich.Reshare, first)
	for _, j := range []ostrich.Job{first, second, other} {
		tell(1, ostrich.Submit, j)
	}
	first.Start = 1
	tell(1, ostrich.Start, first)
	second.Start = 3 // user 1 would be done 1.5e-6 s later, and is after half of it
	tell(3, ostrich.Start, second)
	if at := ranker.(sim.Waker).Wake(true); at != 4 {
		t.Errorf("wakes at %d, want 4", at)
	}
}
