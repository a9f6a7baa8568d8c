package sim_test

import (
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// singles is a cluster of nodes of one CPU.
func singles(n int) *nodes.Cluster { return &nodes.Cluster{Nodes: make([]nodes.Node, n)} }

// TestSingleProcessorNodes: on nodes of one CPU without memory all jobs start as on identical processors.
func TestSingleProcessorNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawPolicy(t)
		if l.Backfill == sim.Conservative || l.Backfill == sim.Slurm { // those keep jobs certain nodes
			l.Backfill = sim.EASY
		}
		campaigns := mustCampaigns(t, drawLog(t, l.Procs, false))
		drawLimits(t, campaigns)
		want := mustRun(t, l, campaigns)
		l.Cluster = singles(l.Procs)
		if diff := gocmp.Diff(want, mustRun(t, l, campaigns)); diff != "" {
			t.Fatalf("%s (-identical +nodes)\n%s", sim.BackfillNames[l.Backfill], diff)
		}
	})
}

// drawCluster draws a small cluster with memory, GPUs and features.
func drawCluster(t *rapid.T) *nodes.Cluster {
	c := &nodes.Cluster{
		Select:    nodes.Select{Memory: true, Unit: nodes.Unit(rapid.IntRange(0, 2).Draw(t, "unit")), LLN: rapid.Bool().Draw(t, "lln"), Linear: rapid.IntRange(0, 3).Draw(t, "select") == 0},
		DefMemory: nodes.Memory{MiB: 1, PerCPU: true},
	}
	n := rapid.IntRange(1, 6).Draw(t, "nodes")
	for range n {
		c.Nodes = append(c.Nodes, nodes.Node{
			Sockets: 2, Cores: rapid.IntRange(1, 3).Draw(t, "cores"), Threads: rapid.IntRange(1, 2).Draw(t, "threads"),
			Memory: int64(rapid.IntRange(12, 24).Draw(t, "memory")), Weight: int64(rapid.IntRange(0, 1).Draw(t, "weight")),
			GRES:     []nodes.GRES{{Name: "gpu", Count: int64(rapid.IntRange(0, 2).Draw(t, "gpus"))}},
			Features: []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "feature")},
		})
	}
	return c
}

// drawRequest draws what a job asks for; it may be more than there is.
func drawRequest(t *rapid.T) nodes.Request {
	r := nodes.Request{
		CPUs: rapid.IntRange(1, 8).Draw(t, "CPUs"), MinNodes: rapid.IntRange(0, 2).Draw(t, "least nodes"),
		Memory: nodes.Memory{MiB: int64(rapid.IntRange(0, 4).Draw(t, "MiB")), PerCPU: rapid.Bool().Draw(t, "per CPU")},
	}
	if rapid.Bool().Draw(t, "tasks") {
		r.Tasks = r.CPUs
	}
	if rapid.IntRange(0, 3).Draw(t, "gpu job") == 0 {
		r.GRES = []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}, Per: nodes.Per(rapid.IntRange(0, 2).Draw(t, "per"))}}
	}
	switch rapid.IntRange(0, 7).Draw(t, "special") {
	case 0:
		r.Exclusive = nodes.WholeNodes
	case 1:
		r.Exclusive = nodes.OneUser
	case 2:
		r.Features, _ = nodes.ParseFeatures(rapid.SampledFrom([]string{"a", "a|b", "[a|b]"}).Draw(t, "constraint"))
	case 3:
		r.MaxNodes = max(1, r.MinNodes)
	}
	return r
}

// TestPlacedProperties: whatever the cluster, the jobs and who may jump, no node has more in use than it has,
// jobs have what they asked for, and a second run is the same.
func TestPlacedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sim.Machine{
			Cluster: drawCluster(t), Backfill: sim.Backfill(rapid.IntRange(0, 4).Draw(t, "backfill")), Policy: sim.FCFSCampaigns, Open: true,
			Offsets: true, Inside: ostrich.Submission,
		}
		if m.Backfill == sim.Slurm {
			m.Scheduler = drawScheduler(t)
			m.Scheduler.Completing = ostrich.Duration(rapid.IntRange(0, 2).Draw(t, "completing"))
		}
		var campaigns []sim.Campaign
		at := ostrich.Time(1)
		for range rapid.IntRange(1, 12).Draw(t, "jobs") {
			m.Requests = append(m.Requests[:len(campaigns)], drawRequest(t))
			run := ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "run"))
			at += ostrich.Time(rapid.IntRange(0, 5).Draw(t, "gap"))
			task := sim.Job{
				ID: ostrich.JobID(len(campaigns) + 1), Run: run, Estimate: max(1, run+ostrich.Duration(rapid.IntRange(-3, 10).Draw(t, "error"))),
				Procs: 1, Request: int32(len(campaigns) + 1),
			}
			one := []sim.Campaign{sim.NewCampaign(ostrich.UserID(len(campaigns)%3), at, 0, task)}
			if floor, err := nodes.NewFloor(m.Cluster); err != nil {
				t.Fatal(err)
			} else if _, err = floor.Want(&m.Requests[len(campaigns)], -1); err != nil {
				continue // it asks for too much
			}
			campaigns = append(campaigns, one...)
		}
		m.Requests = m.Requests[:len(campaigns)]
		type placement struct {
			job int
			at  ostrich.Time
			*nodes.Allocation
		}
		var placed []placement
		m.Placed = func(job int, at ostrich.Time, a *nodes.Allocation) { placed = append(placed, placement{job, at, a}) }
		jobs := mustRun(t, m, campaigns)
		first := placed
		if len(first) != len(campaigns) {
			t.Fatalf("%d of %d jobs were placed", len(first), len(campaigns))
		}
		for _, p := range first {
			r := &m.Requests[p.job]
			if p.Total() < r.CPUs || len(p.Nodes) < r.MinNodes || r.MaxNodes > 0 && len(p.Nodes) > r.MaxNodes {
				t.Fatalf("job %d asks for %+v and has %d CPUs of nodes %v", p.job+1, *r, p.Total(), p.Nodes)
			}
			for n := range m.Cluster.Nodes {
				node := &m.Cluster.Nodes[n]
				cpus, memory, users := 0, int64(0), []ostrich.UserID(nil)
				private := false
				for _, q := range first {
					k := slices.Index(q.Nodes, int32(n))
					if j := jobs[q.job]; k < 0 || j.Start > p.at || p.at >= j.End {
						continue
					}
					cpus, memory = cpus+int(q.CPUs[k]), memory+q.Memory[k]
					users = append(users, jobs[q.job].User)
					private = private || m.Requests[q.job].Exclusive == nodes.OneUser
				}
				if cpus > node.Sockets*node.Cores*node.Threads || memory > node.Memory {
					t.Fatalf("at %d node %d has %d CPUs and %d MiB in use: %+v", p.at, n, cpus, memory, *node)
				}
				if slices.Sort(users); private && len(slices.Compact(users)) > 1 {
					t.Fatalf("at %d node %d has jobs of users %v, one of which shares nodes with none", p.at, n, users)
				}
			}
		}
		placed = nil
		if diff := gocmp.Diff(jobs, mustRun(t, m, campaigns)); diff != "" {
			t.Fatal("a second time it is another schedule\n", diff)
		}
	})
}

// TestPlacedIsACopy: what Placed gets stays as it was, although an engine that counts nodes uses the memory of
// an allocation again once its job has ended.
func TestPlacedIsACopy(t *testing.T) {
	m := sim.Machine{Cluster: singles(3), Backfill: sim.EASY}
	var got []*nodes.Allocation
	m.Placed = func(_ int, _ ostrich.Time, a *nodes.Allocation) { got = append(got, a) }
	jobs := []sim.Job{{ID: 1, Run: 1, Estimate: 1, Procs: 2}, {ID: 2, Submit: 1, Run: 5, Estimate: 5, Procs: 1}, {ID: 3, Submit: 1, Run: 1, Estimate: 1, Procs: 1}}
	if _, err := m.Replay(jobs); err != nil {
		t.Fatal(err)
	}
	var on [][]int32
	for _, a := range got {
		on = append(on, a.Nodes)
	}
	if want := [][]int32{{0, 1}, {0}, {1}}; !slices.EqualFunc(on, want, slices.Equal) {
		t.Errorf("nodes %v, want %v", on, want)
	}
}

// TestShelves: a replay that goes by jobs that ask for what was not found for another one starts all when one does that looks at each.
func TestShelves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sim.Machine{Cluster: drawCluster(t), Backfill: rapid.SampledFrom([]sim.Backfill{sim.EASY, sim.Greedy}).Draw(t, "backfill"), Order: sim.SPT, Open: true}
		for range rapid.IntRange(1, 3).Draw(t, "requests") {
			m.Requests = append(m.Requests, drawRequest(t))
		}
		if m.Prepare() != nil {
			return // the cluster lacks what is asked of it
		}
		var jobs []sim.Job
		var campaigns []sim.Campaign
		at := ostrich.Time(1)
		for range rapid.IntRange(1, 40).Draw(t, "jobs") {
			j := sim.Job{
				ID: ostrich.JobID(len(jobs) + 1), User: ostrich.UserID(rapid.IntRange(1, 2).Draw(t, "user")), Submit: at, Procs: 1,
				Run: ostrich.Duration(rapid.IntRange(1, 20).Draw(t, "run")), Request: rapid.Int32Range(0, int32(len(m.Requests))).Draw(t, "request"),
			}
			j.Estimate = j.Run + ostrich.Duration(rapid.IntRange(0, 20).Draw(t, "error"))
			at += ostrich.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
			if m.Meets(j.Request) {
				jobs, campaigns = append(jobs, j), append(campaigns, sim.NewCampaign(j.User, j.Submit, 0, j))
			}
		}
		starts, err := m.Replay(jobs)
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range mustRun(t, m, campaigns) {
			if j.Start != starts[i] {
				t.Errorf("job %d starts at %d, and with a look at each job at %d", i+1, starts[i], j.Start)
			}
		}
	})
}

// TestHeldBack: a job that waits for a node that never comes back is told of, whatever puts the jobs in order.
func TestHeldBack(t *testing.T) {
	for _, backfill := range []sim.Backfill{sim.None, sim.EASY, sim.Greedy, sim.Conservative, sim.Slurm} {
		for _, policy := range []sim.Policy{nil, sim.FCFSCampaigns} {
			c := rack(2)
			c.Outages = []nodes.Outage{{Node: 1, From: 50}}
			m := sim.Machine{Cluster: c, Backfill: backfill, Policy: policy, Requests: []nodes.Request{{CPUs: 8, Partitions: []int{0}}}}
			starts, err := m.Replay([]sim.Job{{ID: 1, Submit: 60, Run: 10, Estimate: 10, Procs: 8, Request: 1}})
			if !errors.Is(err, sim.ErrWorkload) {
				t.Errorf("%s: starts %v, error %v", sim.BackfillNames[backfill], starts, err)
			}
		}
	}
}
