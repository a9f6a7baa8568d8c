package sim_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/sim/orders"
)

// everyPolicy are the kinds of orders and rankers.
var everyPolicy = []struct {
	name   string
	policy sim.Policy
	order  sim.Order
}{
	{name: "fcfs"},
	{name: "places", order: sim.Order{Compare: func(*sim.Job, *sim.Job) int { return 0 }}},
	{name: "campaigns", policy: sim.FCFSCampaigns},
	{name: "ostrich", policy: sim.OStrich(ostrich.Options{})},
	{name: "ostrichd", policy: sim.Classed(ostrich.Options{Inside: ostrich.Submission}, sim.Classes{})},
	{name: "fair share", policy: orders.FairShare(7)},
	{name: "space share", policy: orders.SpaceShare},
	{name: "multifactor", policy: orders.Multifactor(multifactor.Config{Nodes: 1}, func(ostrich.JobID) multifactor.Request {
		return multifactor.Request{Association: -1, Partition: -1, QOS: -1}
	})},
	{name: "scored", policy: orders.Scored(func(wait, _ float64, _ int) float64 { return wait })},
	{name: "horizons", policy: sim.Horizon{}.Policy},
}

// TestCancelledByHand: a job that is cancelled has its place in the queue until then. All jobs are of one user, on four
// processors, or one node that has them.
func TestCancelledByHand(t *testing.T) {
	job := func(submit ostrich.Time, procs int, run ostrich.Duration) sim.Job {
		return sim.Job{User: 1, Submit: submit, Procs: procs, Run: run, Estimate: run}
	}
	for _, tt := range []struct {
		name   string
		jobs   []sim.Job
		cancel map[ostrich.JobID]ostrich.Duration
		want   []ostrich.Time
	}{
		{
			"it keeps processors from the one behind it until it leaves",
			[]sim.Job{job(0, 3, 100), job(1, 4, 100), job(2, 1, 200)},
			map[ostrich.JobID]ostrich.Duration{2: 49},
			[]ostrich.Time{0, sim.Never, 50},
		},
		{
			"it starts before, and runs on",
			[]sim.Job{job(0, 4, 10), job(1, 4, 100), job(2, 4, 10)},
			map[ostrich.JobID]ostrich.Duration{2: 49},
			[]ostrich.Time{0, 10, 110},
		},
		{
			"it leaves when another one ends, and does not start",
			[]sim.Job{job(0, 4, 50), job(1, 4, 100), job(2, 4, 10)},
			map[ostrich.JobID]ostrich.Duration{2: 49},
			[]ostrich.Time{0, sim.Never, 50},
		},
		{
			"it leaves when it comes",
			[]sim.Job{job(5, 4, 50), job(5, 4, 50), job(9, 1, 7), job(10, 1, 7)},
			map[ostrich.JobID]ostrich.Duration{1: 0, 3: 0},
			[]ostrich.Time{sim.Never, 5, sim.Never, 55},
		},
		{
			"all leave",
			[]sim.Job{job(0, 4, 50), job(3, 4, 50), job(4, 1, 7)},
			map[ostrich.JobID]ostrich.Duration{2: 3, 3: 1},
			[]ostrich.Time{0, sim.Never, sim.Never},
		},
	} {
		for i := range tt.jobs {
			tt.jobs[i].ID = ostrich.JobID(i + 1)
		}
		given := slices.Clone(tt.jobs)
		for _, p := range everyPolicy {
			for _, backfill := range []sim.Backfill{sim.None, sim.EASY, sim.Conservative} {
				for _, cluster := range []*nodes.Cluster{nil, rack(1)} {
					m := sim.Machine{Procs: 4, Policy: p.policy, Order: p.order, Backfill: backfill, Cluster: cluster, Cancel: tt.cancel}
					starts, err := m.Replay(tt.jobs)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(starts, tt.want) {
						t.Errorf("%s, %s, %s, nodes %t: %v, want %v", tt.name, p.name, sim.BackfillNames[backfill], cluster != nil, starts, tt.want)
					}
				}
			}
		}
		if diff := gocmp.Diff(given, tt.jobs); diff != "" {
			t.Errorf("%s: the jobs are others now\n%s", tt.name, diff)
		}
	}
}

// TestCancelledPerEvent: a job that comes and leaves in a second in which there is room for it has started before.
func TestCancelledPerEvent(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, Submit: 5, Procs: 4, Run: 9, Estimate: 9}, {ID: 2, Submit: 5, Procs: 4, Run: 9, Estimate: 9}, {ID: 3, Submit: 5, Procs: 4, Run: 9, Estimate: 9},
	}
	m := sim.Machine{Procs: 4, EventOrder: sim.PerEvent, Cancel: map[ostrich.JobID]ostrich.Duration{1: 0, 2: 3}}
	if starts, err := m.Replay(jobs); err != nil || !slices.Equal(starts, []ostrich.Time{5, sim.Never, 14}) {
		t.Errorf("%v, %v", starts, err)
	}
}

// TestCancelledUnderSlurm: Slurm's schedulers find what a job has left when they look next.
func TestCancelledUnderSlurm(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, User: 1, Submit: 0, Procs: 3, Run: 500, Estimate: 500}, {ID: 2, User: 1, Submit: 1, Procs: 4, Run: 500, Estimate: 500}, {ID: 3, User: 1, Submit: 2, Procs: 1, Run: 700, Estimate: 700},
	}
	for _, cluster := range []*nodes.Cluster{nil, rack(1)} {
		for _, p := range everyPolicy[:len(everyPolicy)-1] {
			m := sim.Machine{Procs: 4, Policy: p.policy, Order: p.order, Backfill: sim.Slurm, Cluster: cluster, Cancel: map[ostrich.JobID]ostrich.Duration{2: 99}}
			if starts, err := m.Replay(jobs); err != nil || !slices.Equal(starts, []ostrich.Time{0, sim.Never, 120}) {
				t.Errorf("%s, nodes %t: %v, %v", p.name, cluster != nil, starts, err)
			}
		}
	}
}

// TestCancelledPreempted: a job that made room waits again until it is cancelled.
func TestCancelledPreempted(t *testing.T) {
	for wait, want := range map[ostrich.Duration]report.Job{
		60:  {Start: 60, End: 60, Preempted: 1, Lost: 10},   // while it may not start again
		170: {Start: 170, End: 170, Preempted: 1, Lost: 10}, // while it waits
		200: {Start: 180, End: 680, Preempted: 1, Lost: 10},
	} {
		c := tiers(1, nodes.Preempt{Mode: nodes.PreemptRequeue})
		m := sim.Machine{
			Cluster: c, Backfill: sim.Slurm, Open: true, Scheduler: sim.Scheduler{BackfillDepth: -1}, Policy: sim.Classed(ostrich.Options{}, sim.Classes{}),
			Requests: []nodes.Request{{Partitions: []int{0}, CPUs: 4}, {Partitions: []int{1}, CPUs: 4}}, Cancel: map[ostrich.JobID]ostrich.Duration{1: wait},
		}
		got := mustRun(t, m, []sim.Campaign{
			sim.NewCampaign(1, 0, 0, sim.Job{ID: 1, Procs: 4, Run: 500, Estimate: 500, Request: 1}),
			sim.NewCampaign(2, 10, 0, sim.Job{ID: 2, Procs: 4, Run: 20, Estimate: 20, Request: 2}),
		})
		want.ID, want.User, want.Procs, want.Estimate = 1, 1, 4, 500
		if diff := gocmp.Diff(want, got[0]); diff != "" {
			t.Errorf("cancelled after %d s: -want +got\n%s", wait, diff)
		}
	}
}

// TestCancelledClosed: a user does not wait for a campaign that is cancelled, but for one of which a job is.
func TestCancelledClosed(t *testing.T) {
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 0, 0, tasks(1, 100)...), sim.NewCampaign(1, 5, 0, tasks(2, 10)...), sim.NewCampaign(1, 9, 3, tasks(3, 10, 10)...), sim.NewCampaign(1, 20, 4, tasks(5, 10)...),
	}
	jobs := mustRun(t, sim.Machine{Procs: 1, Cancel: map[ostrich.JobID]ostrich.Duration{2: 30, 4: 5}}, campaigns)
	var got []string
	for _, j := range jobs {
		got = append(got, fmt.Sprintf("%d: %d %d-%d", j.ID, j.Submit, j.Start, j.End))
	}
	if want := []string{"1: 0 0-100", "2: 5 35-35", "3: 103 103-113", "4: 103 108-108", "5: 117 117-127"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCancelledFault: no job is cancelled before it has come.
func TestCancelledFault(t *testing.T) {
	m := sim.Machine{Procs: 1, Cancel: map[ostrich.JobID]ostrich.Duration{7: -1}}
	if _, err := m.Replay([]sim.Job{{ID: 7, Procs: 1, Run: 1, Estimate: 1}}); !errors.Is(err, sim.ErrWorkload) {
		t.Error(err)
	}
	if _, err := m.Run([]sim.Campaign{sim.NewCampaign(0, 0, 0, tasks(7, 1)...)}); !errors.Is(err, sim.ErrWorkload) {
		t.Error(err)
	}
}

// drawCancelled draws an order or a ranker, and jobs that are cancelled.
func drawCancelled(t *rapid.T, log []sim.Job) sim.Machine {
	p := rapid.SampledFrom(everyPolicy).Draw(t, "policy")
	m := sim.Machine{
		Procs: 4, Policy: p.policy, Order: p.order, Backfill: rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Greedy, sim.Conservative, sim.Slurm}).Draw(t, "backfill"),
		Kill: rapid.Bool().Draw(t, "kill"), Offsets: rapid.Bool().Draw(t, "offsets"), Open: rapid.Bool().Draw(t, "open"), Dependencies: rapid.Bool().Draw(t, "dependencies"),
		Cancel: make(map[ostrich.JobID]ostrich.Duration),
	}
	if m.Backfill == sim.Slurm {
		m.Scheduler = drawScheduler(t)
	}
	if rapid.Bool().Draw(t, "nodes") {
		m.Cluster = rack(1)
	}
	for i := range log {
		if rapid.Bool().Draw(t, "cancelled") {
			m.Cancel[log[i].ID] = ostrich.Duration(rapid.IntRange(0, 20).Draw(t, "after"))
		}
	}
	return m
}

// TestCancelledProperties: who is cancelled leaves then or has started, and whoever starts runs whole, on processors that are there.
func TestCancelledProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t, 4, false)
		m := drawCancelled(t, log)
		told := 0
		m.Progress = func(ended, _ int) { told = ended }
		campaigns := mustCampaigns(t, log)
		drawLimits(t, campaigns)
		jobs := mustRun(t, m, campaigns)
		if told != len(log) {
			t.Fatalf("at the end %d jobs of %d had ended", told, len(log))
		}
		for k := range jobs {
			j := &jobs[k]
			ran, task := j.End-j.Start, sim.Job{}
			for i := range log {
				if log[i].ID == j.ID {
					task = log[i]
				}
			}
			task.Estimate = j.Estimate
			whole := ostrich.Time(m.Length(&task))
			wait, is := m.Cancel[j.ID]
			at := j.Submit + ostrich.Time(wait)
			switch {
			case j.Start < j.Submit:
				t.Fatalf("%+v starts before it comes", j)
			case is && ran == 0 && j.Start != at:
				t.Fatalf("%+v does not leave at %d", j, at)
			case is && ran != 0 && j.Start >= at:
				t.Fatalf("%+v is cancelled at %d", j, at)
			case ran != whole && (!is || ran != 0):
				t.Fatalf("%+v does not run for %d s", j, whole)
			}
			busy := 0
			for _, o := range jobs {
				if o.Start <= j.Start && j.Start < o.End {
					busy += o.Procs
				}
			}
			if busy > 4 {
				t.Fatalf("%d processors are busy at %d", busy, j.Start)
			}
		}
	})
}

// TestCancelledAtOnce: jobs of others that leave when they come change nothing.
func TestCancelledAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t, 4, false)
		m := drawCancelled(t, nil)
		if m.Backfill == sim.Slurm {
			m.Backfill = sim.EASY // its schedulers count from the first submission
		}
		p := rapid.SampledFrom(everyPolicy[:5]).Draw(t, "steady policy") // the others do things between events, or when somebody has come
		m.Policy, m.Order = p.policy, p.order
		var with, without []sim.Job
		for i := range log {
			j := log[i]
			without = append(without, j)
			if with = append(with, j); rapid.Bool().Draw(t, "another") {
				j.ID, j.User = ostrich.JobID(100+i), 9
				m.Cancel[j.ID] = 0
				with = append(with, j)
			}
		}
		all, err := m.Replay(with)
		if err != nil {
			t.Fatal(err)
		}
		var got []ostrich.Time
		for i, start := range all {
			if with[i].ID < 100 {
				got = append(got, start)
			} else if start != sim.Never {
				t.Fatalf("job %d started at %d", with[i].ID, start)
			}
		}
		want, err := m.Replay(without)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("with them %v, without %v", got, want)
		}
	})
}
