package sim_test

import (
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// tiers is a cluster of nodes of four CPUs, with partitions of tier 1, 2 and 3 on all of them.
func tiers(n int, p nodes.Preempt) *nodes.Cluster {
	c := rack(n)
	all := c.Partitions[0]
	c.Partitions, c.Preempt = nil, p
	for tier, name := range []string{"low", "high", "top"} {
		all.Name, all.Tier = name, tier+1
		c.Partitions = append(c.Partitions, all)
	}
	c.Preempt.By = nodes.PreemptByTier
	return c
}

// TestPreemption has who makes room when, and what becomes of it, worked by hand on one node. The main scheduler looks a
// second after a job has come, when nodes become free, and every 60 s; a requeued job may start after 121 s.
func TestPreemption(t *testing.T) {
	type job struct {
		part         int
		submit       ostrich.Time
		cpus         int
		run          ostrich.Duration
		noRequeue    bool
		start, end   ostrich.Time
		times        int32
		lost, rested ostrich.Duration
		cancelled    bool
	}
	for _, tt := range []struct {
		name      string
		preempt   nodes.Preempt
		grace     ostrich.Duration
		scheduler sim.Scheduler
		jobs      []job
	}{
		{
			// Its nodes are free at 12. Job 1 may start at 11+1+121, and is looked at at 180.
			"requeued",
			nodes.Preempt{Mode: nodes.PreemptRequeue},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, start: 180, end: 280, times: 1, lost: 10}, {part: 1, submit: 10, cpus: 4, run: 20, start: 12, end: 32}},
		},
		{
			"requeued, and looked at by the backfill scheduler, which finds all of it",
			nodes.Preempt{Mode: nodes.PreemptRequeue},
			0,
			sim.Scheduler{Depth: 1, Interval: 10000},
			[]job{{cpus: 4, run: 100, start: 150, end: 250, times: 1, lost: 11}, {part: 1, submit: 10, cpus: 4, run: 20, start: 12, end: 32}},
		},
		{
			"cancelled",
			nodes.Preempt{Mode: nodes.PreemptCancel},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, start: 1, end: 11, times: 1, cancelled: true}, {part: 1, submit: 10, cpus: 4, run: 20, start: 12, end: 32}},
		},
		{
			"cancelled, as it may not be requeued",
			nodes.Preempt{Mode: nodes.PreemptRequeue},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, noRequeue: true, start: 1, end: 11, times: 1, cancelled: true}, {part: 1, submit: 10, cpus: 4, run: 20, start: 12, end: 32}},
		},
		{
			"after its grace",
			nodes.Preempt{Mode: nodes.PreemptCancel},
			15,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, start: 1, end: 26, times: 1, cancelled: true}, {part: 1, submit: 10, cpus: 4, run: 20, start: 27, end: 47}},
		},
		{
			"or by itself in it",
			nodes.Preempt{Mode: nodes.PreemptCancel},
			15,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 20, start: 1, end: 21}, {part: 1, submit: 10, cpus: 4, run: 20, start: 21, end: 41}},
		},
		{
			// It may be preempted from 61 on; the scheduler looks at 120.
			"after its exempt time",
			nodes.Preempt{Mode: nodes.PreemptCancel, Exempt: 60},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 300, start: 1, end: 120, times: 1, cancelled: true}, {part: 1, submit: 10, cpus: 4, run: 20, start: 121, end: 141}},
		},
		{
			"suspended",
			nodes.Preempt{Mode: nodes.PreemptSuspend},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, start: 1, end: 121, times: 1, rested: 20}, {part: 1, submit: 10, cpus: 4, run: 20, start: 11, end: 31}},
		},
		{
			// Job 3 needs all CPUs and waits for job 2 as well: an equal. Job 1 has two of its CPUs back at 31, and they are its own.
			"suspended by one after the other",
			nodes.Preempt{Mode: nodes.PreemptSuspend},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{cpus: 4, run: 100, start: 1, end: 131, times: 1, rested: 30},
				{part: 1, submit: 10, cpus: 2, run: 20, start: 11, end: 31},
				{part: 1, submit: 10, cpus: 1, run: 30, start: 11, end: 41},
				{submit: 20, cpus: 1, run: 5, start: 131, end: 136},
			},
		},
		{
			// Job 3 takes a CPU from job 2, which has taken all from job 1.
			"who made others stand still goes on before them",
			nodes.Preempt{Mode: nodes.PreemptSuspend},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{cpus: 2, run: 100, start: 1, end: 126, times: 1, rested: 25},
				{part: 1, submit: 10, cpus: 4, run: 20, start: 11, end: 36, times: 1, rested: 5},
				{part: 2, submit: 10, cpus: 1, run: 5, start: 11, end: 16},
			},
		},
		{
			"nobody makes room for an equal",
			nodes.Preempt{Mode: nodes.PreemptRequeue},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{part: 1, cpus: 4, run: 100, start: 1, end: 101}, {part: 1, submit: 10, cpus: 4, run: 20, start: 101, end: 121}, {submit: 10, cpus: 4, run: 20, start: 121, end: 141}},
		},
		{
			"nor where the mode is OFF",
			nodes.Preempt{Mode: nodes.PreemptOff},
			0,
			sim.Scheduler{BackfillDepth: -1},
			[]job{{cpus: 4, run: 100, start: 1, end: 101}, {part: 1, submit: 10, cpus: 4, run: 20, start: 101, end: 121}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sim.Machine{Cluster: tiers(1, tt.preempt), Backfill: sim.Slurm, Scheduler: tt.scheduler, Open: true}
			m.Cluster.Partitions[0].GraceTime = tt.grace
			var campaigns []sim.Campaign
			var want []report.Job
			for i, j := range tt.jobs {
				m.Requests = append(m.Requests, nodes.Request{Partitions: []int{j.part}, CPUs: j.cpus, NoRequeue: j.noRequeue})
				id := ostrich.JobID(i + 1)
				campaigns = append(campaigns, sim.NewCampaign(7, j.submit, 0, sim.Job{ID: id, Run: j.run, Estimate: j.run, Procs: j.cpus, Request: int32(i + 1)}))
				want = append(want, report.Job{
					ID: id, User: 7, Campaign: i, Submit: j.submit, Start: j.start, End: j.end, Procs: j.cpus, Estimate: j.run,
					Preempted: j.times, Lost: j.lost, Suspended: j.rested, Cancelled: j.cancelled,
				})
			}
			if diff := gocmp.Diff(want, mustRun(t, m, campaigns)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for name, policy := range map[string]sim.Policy{"first come": sim.FCFSCampaigns, "OStrich": sim.Classed(ostrich.Options{}, sim.Classes{})} {
				m.Policy = policy
				if diff := gocmp.Diff(want, mustRun(t, m, campaigns)); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

// TestPreemptionForEver: jobs of two QOS that preempt one another are refused, as they never end.
func TestPreemptionForEver(t *testing.T) {
	a, b := &nodes.QOS{Name: "a"}, &nodes.QOS{Name: "b"}
	a.Preempts, b.Preempts = []*nodes.QOS{b}, []*nodes.QOS{a}
	c := rack(1)
	c.Preempt = nodes.Preempt{By: nodes.PreemptByQOS, Mode: nodes.PreemptRequeue}
	m := sim.Machine{Cluster: c, Backfill: sim.Slurm, Requests: []nodes.Request{{CPUs: 4, QOS: a}, {CPUs: 4, QOS: b}}}
	jobs := []sim.Job{{ID: 1, Run: 1000, Estimate: 1000, Procs: 4, Request: 1}, {ID: 2, Submit: 10, Run: 1000, Estimate: 1000, Procs: 4, Request: 2}}
	if _, err := m.Replay(jobs); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("error %v", err)
	}
}

// watched is a ranker that notes what it is told.
type watched struct {
	sim.CampaignRanker
	note func(e ostrich.Event)
}

func (w watched) Step(e ostrich.Event) error {
	w.note(e)
	return w.CampaignRanker.Step(e)
}

// TestPreemptionProperties: whatever the modes, no node has more in use than it has, nobody makes room unless a job above it
// waits or starts, or did when its grace began, all jobs end, those that were requeued after a whole run, and a second run is the same.
func TestPreemptionProperties(t *testing.T) {
	preempted := 0
	rapid.Check(t, func(t *rapid.T) {
		modes := []nodes.PreemptMode{nodes.PreemptDefault, nodes.PreemptOff, nodes.PreemptCancel, nodes.PreemptRequeue, nodes.PreemptSuspend}
		c := rack(rapid.IntRange(1, 4).Draw(t, "nodes"))
		for i := range c.Nodes {
			c.Nodes[i].Memory = 8
		}
		c.Select.Memory, c.DefMemory = true, nodes.Memory{MiB: 1, PerCPU: true}
		all := c.Partitions[0]
		c.Partitions = nil
		for tier := range 3 {
			p := all
			p.Tier, p.PreemptMode, p.GraceTime = tier, rapid.SampledFrom(modes).Draw(t, "mode"), ostrich.Duration(rapid.IntRange(0, 3).Draw(t, "grace"))
			c.Partitions = append(c.Partitions, p)
		}
		c.Preempt = nodes.Preempt{
			By: nodes.PreemptByTier, Mode: rapid.SampledFrom(modes[2:]).Draw(t, "mode"), Exempt: ostrich.Duration(rapid.IntRange(0, 5).Draw(t, "exempt")),
			YoungestFirst: rapid.Bool().Draw(t, "youngest first"), StrictOrder: rapid.Bool().Draw(t, "strict order"),
		}
		m := sim.Machine{Cluster: c, Backfill: sim.Slurm, Open: true, Scheduler: drawScheduler(t)}
		m.Scheduler.Completing, m.Scheduler.Requeue = ostrich.Duration(rapid.IntRange(0, 2).Draw(t, "completing")), ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "delay"))
		var campaigns []sim.Campaign
		at := ostrich.Time(1)
		for i := range rapid.IntRange(1, 14).Draw(t, "jobs") {
			r := nodes.Request{Partitions: []int{rapid.IntRange(0, 2).Draw(t, "tier")}, CPUs: rapid.IntRange(1, 4*len(c.Nodes)).Draw(t, "CPUs")}
			m.Requests = append(m.Requests, r)
			run := ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "run"))
			at += ostrich.Time(rapid.IntRange(0, 5).Draw(t, "gap"))
			estimate := max(1, run+ostrich.Duration(rapid.IntRange(-3, 10).Draw(t, "error")))
			task := sim.Job{ID: ostrich.JobID(i + 1), Run: run, Estimate: estimate, Procs: r.CPUs, Request: int32(i + 1)}
			campaigns = append(campaigns, sim.NewCampaign(ostrich.UserID(i%3), at, 0, task))
		}
		var events []ostrich.Event
		m.Policy = func(procs int) (sim.Ranker, error) {
			r, err := sim.FCFSCampaigns(procs)
			return watched{r.(sim.CampaignRanker), func(e ostrich.Event) { events = append(events, e) }}, err
		}
		has := map[ostrich.JobID]*nodes.Allocation{}
		begun := map[ostrich.JobID][]*nodes.Allocation{}
		m.Placed = func(job int, _ ostrich.Time, a *nodes.Allocation) {
			id := ostrich.JobID(job + 1)
			begun[id] = append(begun[id], a)
		}
		jobs := mustRun(t, m, campaigns)
		resting, waits := map[ostrich.JobID]bool{}, map[ostrich.JobID]bool{}
		tier := func(id ostrich.JobID) int { return m.Requests[id-1].Partitions[0] }
		above := func(id ostrich.JobID, of map[ostrich.JobID]bool) bool {
			for o, is := range of {
				if is && tier(o) > tier(id) {
					return true
				}
			}
			return false
		}
		began := map[ostrich.JobID]bool{} // at this moment
		for k, e := range events {
			id := e.Job.ID
			if k > 0 && events[k-1].At < e.At {
				for n := range c.Nodes {
					cpus, memory := int32(0), int64(0)
					for id, a := range has {
						if at := slices.Index(a.Nodes, int32(n)); at >= 0 {
							if memory += a.Memory[at]; !resting[id] {
								cpus += a.CPUs[at]
							}
						}
					}
					if cpus > 4 || memory > 8 {
						t.Fatalf("before %d node %d has %d CPUs and %d MiB in use", e.At, n, cpus, memory)
					}
				}
				clear(began)
			}
			switch e.Kind {
			case ostrich.Submit:
				waits[id] = true
			case ostrich.Start:
				waits[id], began[id] = false, true
				has[id], begun[id] = begun[id][0], begun[id][1:]
			case ostrich.Suspend, ostrich.Requeue:
				preempted++
				grace := e.Kind == ostrich.Requeue && c.Partitions[tier(id)].GraceTime > 0 // meanwhile who asked for it may have started elsewhere
				if !above(id, waits) && !above(id, began) && !grace {
					t.Fatalf("at %d job %d makes room for none above it", e.At, id)
				}
				if resting[id] = e.Kind == ostrich.Suspend; !resting[id] {
					delete(has, id)
					waits[id] = true
				}
			case ostrich.Resume:
				resting[id] = false
			case ostrich.End:
				delete(has, id)
			default:
				t.Fatalf("%v", e.Kind)
			}
		}
		for i, j := range jobs {
			if !j.Cancelled && j.Ran() != campaigns[i].Jobs[0].Run || j.Lost > 0 && j.Preempted == 0 || j.Start < j.Submit || j.Cancelled && j.Preempted == 0 {
				t.Fatalf("job %+v", j)
			}
		}
		if diff := gocmp.Diff(jobs, mustRun(t, m, campaigns)); diff != "" {
			t.Fatal("a second time it is another schedule\n", diff)
		}
	})
	if preempted == 0 && !t.Failed() {
		t.Error("no job made room")
	}
}
