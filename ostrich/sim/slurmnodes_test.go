package sim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// rack is a cluster of nodes of four CPUs, in two partitions: all of it, and its last node.
func rack(n int) *nodes.Cluster {
	c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core}}
	all := nodes.Partition{Name: "all"}
	for i := range n {
		c.Nodes = append(c.Nodes, nodes.Node{Sockets: 1, Cores: 4})
		all.Nodes = append(all.Nodes, i)
	}
	c.Partitions = []nodes.Partition{all, {Name: "last", Nodes: []int{n - 1}}}
	return c
}

// TestSlurmOnNodes replays small queues, worked by hand: what keeps a job from starting, and what
// that keeps from others. All jobs come at 0 in the order of the list. The backfill scheduler looks then and
// every 30 s, the main scheduler at 1 and whenever a job ends.
func TestSlurmOnNodes(t *testing.T) {
	limited := &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.User, Resource: "cpu", Most: 4}}}
	in := func(part int, r nodes.Request) nodes.Request {
		r.Partitions = []int{part}
		return r
	}
	two := &nodes.QOS{Name: "two", Limits: []nodes.Limit{{Scope: nodes.User, Resource: "cpu", Most: 4}}}
	one := &nodes.QOS{Name: "one", Limits: []nodes.Limit{{Scope: nodes.Group, Resource: "jobs", Most: 1}}}
	type job struct {
		request       nodes.Request
		run, estimate ostrich.Duration
	}
	const tasks = "the other tasks of an array that it rejects use up neither"
	for _, tt := range []struct {
		name      string
		nodes     int
		scheduler sim.Scheduler
		jobs      []job
		starts    []ostrich.Time
	}{
		{
			"one that finds no nodes keeps all of its partition from the others",
			2,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 8}), 100, 100},
				{in(0, nodes.Request{CPUs: 8}), 10, 10},
				{in(0, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 111},
		},
		{
			"and what shares nodes with it",
			3,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 8}), 100, 100},
				{in(0, nodes.Request{CPUs: 8}), 10, 10},
				{in(1, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 101},
		},
		{
			"a partition that finds no nodes leaves those of others",
			3,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(1, nodes.Request{CPUs: 4}), 100, 100},
				{in(1, nodes.Request{CPUs: 4}), 10, 10},
				{in(0, nodes.Request{CPUs: 5}), 10, 10},
			},
			[]ostrich.Time{1, 101, 1},
		},
		{
			"one that needs a certain node keeps only that",
			3,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 4, NodeList: []int{0}}), 100, 100},
				{in(0, nodes.Request{CPUs: 4, NodeList: []int{0}}), 10, 10},
				{in(0, nodes.Request{CPUs: 5}), 10, 10},
			},
			[]ostrich.Time{1, 101, 1},
		},
		{
			"a limit of a user keeps nothing from others",
			3,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 4, QOS: two}), 100, 100},
				{in(0, nodes.Request{CPUs: 1, QOS: two}), 10, 10},
				{in(0, nodes.Request{CPUs: 8}), 10, 10},
			},
			[]ostrich.Time{1, 101, 1},
		},
		{
			"a limit of jobs",
			2,
			sim.Scheduler{BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 1, QOS: one}), 100, 100},
				{in(0, nodes.Request{CPUs: 1, QOS: one}), 10, 10},
				{in(0, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 1},
		},
		{
			// Job 2 is kept all nodes from 100 on, whole, which the backfill map knows as from 60 on. Job 3 would end
			// at 120 and fits beside it, but waits. Job 4 ends in time.
			"backfill keeps whole nodes",
			3,
			sim.Scheduler{},
			[]job{
				{in(0, nodes.Request{CPUs: 8, Tasks: 2, CPUsPerTask: 4}), 100, 100},
				{in(0, nodes.Request{CPUs: 10, Tasks: 10, MinNodes: 3, MaxNodes: 3}), 200, 200},
				{in(0, nodes.Request{CPUs: 1}), 120, 120},
				{in(0, nodes.Request{CPUs: 1}), 40, 40},
			},
			[]ostrich.Time{0, 100, 100, 0},
		},
		{
			"a job too young gets no reservation, and blocks none",
			3,
			sim.Scheduler{MinAge: 1000},
			[]job{
				{in(0, nodes.Request{CPUs: 8, Tasks: 2, CPUsPerTask: 4}), 100, 100},
				{in(0, nodes.Request{CPUs: 10, Tasks: 10, MinNodes: 3, MaxNodes: 3}), 200, 200},
				{in(0, nodes.Request{CPUs: 1}), 120, 120},
				{in(0, nodes.Request{CPUs: 1}), 40, 40},
			},
			[]ostrich.Time{0, 100, 0, 0},
		},
		{
			"no more jobs of a user than the scheduler looks at",
			3,
			sim.Scheduler{UserDepth: 1},
			[]job{
				{in(0, nodes.Request{CPUs: 8, Tasks: 2, CPUsPerTask: 4}), 100, 100},
				{in(0, nodes.Request{CPUs: 10, Tasks: 10, MinNodes: 3, MaxNodes: 3}), 200, 200},
				{in(0, nodes.Request{CPUs: 1}), 40, 40},
			},
			[]ostrich.Time{0, 100, 100},
		},
		{
			"no more jobs of a partition than the main scheduler looks at", // it looks again when job 1 ends
			1,
			sim.Scheduler{MainDepth: 1, BackfillDepth: -1, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 1}), 100, 100}, {in(0, nodes.Request{CPUs: 1}), 10, 10}},
			[]ostrich.Time{1, 101},
		},
		{
			"and those at which it does not look use up none of its depth",
			3,
			sim.Scheduler{Depth: 2, MainDepth: 1, BackfillDepth: -1, Interval: 1000},
			[]job{
				{in(1, nodes.Request{CPUs: 4}), 100, 100},
				{in(1, nodes.Request{CPUs: 4}), 10, 10},
				{in(1, nodes.Request{CPUs: 4}), 10, 10},
				{in(0, nodes.Request{CPUs: 4}), 10, 10},
				{in(0, nodes.Request{CPUs: 4}), 10, 10},
			},
			[]ostrich.Time{1, 101, 111, 1, 11},
		},
		{
			tasks,
			2,
			sim.Scheduler{Depth: 3, MainDepth: 3, BackfillDepth: -1, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 1, QOS: one}), 100, 100}, {in(0, nodes.Request{CPUs: 1, QOS: one}), 10, 10}, {in(0, nodes.Request{CPUs: 1, QOS: one}), 10, 10}, {in(0, nodes.Request{CPUs: 1}), 20, 20}},
			[]ostrich.Time{1, 101, 111, 1},
		},
		{
			"nodes that jobs have just left take none",
			3,
			sim.Scheduler{Completing: 5, BackfillDepth: -1},
			[]job{
				{in(0, nodes.Request{CPUs: 12}), 100, 100},
				{in(0, nodes.Request{CPUs: 12}), 10, 10},
			},
			[]ostrich.Time{1, 106},
		},
		{
			"CompleteWait keeps all from starting while any nodes are completing",
			2,
			sim.Scheduler{Completing: 5, CompleteWait: 20, BackfillDepth: -1, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 4}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 12, 12}, {in(0, nodes.Request{CPUs: 4}), 10, 10}},
			[]ostrich.Time{1, 1, 18},
		},
		{
			"CompleteWait is over",
			2,
			sim.Scheduler{Completing: 5, CompleteWait: 2, BackfillDepth: -1, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 4}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 12, 12}, {in(0, nodes.Request{CPUs: 4}), 10, 10}},
			[]ostrich.Time{1, 1, 16},
		},
		{
			"CompleteWait keeps the backfill scheduler, too",
			2,
			sim.Scheduler{Completing: 5, CompleteWait: 20, BackfillInterval: 16, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 4}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 12, 12}, {in(0, nodes.Request{CPUs: 4}), 10, 10}},
			[]ostrich.Time{0, 0, 17},
		},
		{
			"the backfill scheduler looks as soon as CompleteWait lets it",
			2,
			sim.Scheduler{Completing: 5, CompleteWait: 20, BackfillInterval: 13, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 4}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 100, 100}, {in(0, nodes.Request{CPUs: 8}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 20, 20}},
			[]ostrich.Time{0, 0, 105, 15},
		},
		{
			"a job beyond its limit is expected to end soon",
			2,
			sim.Scheduler{Resolution: 1},
			[]job{{in(0, nodes.Request{CPUs: 4}), 100, 10}, {in(0, nodes.Request{CPUs: 8}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 15, 15}},
			[]ostrich.Time{0, 100, 110},
		},
		{
			"with OverTimeLimit it is not",
			2,
			sim.Scheduler{Resolution: 1, OverTime: 60},
			[]job{{in(0, nodes.Request{CPUs: 4}), 100, 10}, {in(0, nodes.Request{CPUs: 8}), 10, 10}, {in(0, nodes.Request{CPUs: 4}), 15, 15}},
			[]ostrich.Time{0, 100, 30},
		},
		{
			"a job over a limit of resources waits for that, and keeps no nodes from others that it does not find either",
			1,
			sim.Scheduler{BackfillDepth: -1, Interval: 1000},
			[]job{
				{in(0, nodes.Request{CPUs: 3, QOS: limited}), 100, 100},
				{in(0, nodes.Request{CPUs: 2, QOS: limited}), 10, 10},
				{in(0, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 1},
		},
		{
			"a job under its limit keeps them",
			1,
			sim.Scheduler{BackfillDepth: -1, Interval: 1000},
			[]job{
				{in(0, nodes.Request{CPUs: 3, QOS: limited}), 100, 100},
				{in(0, nodes.Request{CPUs: 2}), 10, 10},
				{in(0, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 101},
		},
		{
			"a moment of the main scheduler that is known",
			1,
			sim.Scheduler{BackfillDepth: -1, Looks: []ostrich.Time{0}},
			[]job{{in(0, nodes.Request{CPUs: 4}), 100, 100}},
			[]ostrich.Time{0},
		},
		{
			"one within its delay after a job has come",
			1,
			sim.Scheduler{BackfillDepth: -1, Looks: []ostrich.Time{3}},
			[]job{{in(0, nodes.Request{CPUs: 4}), 100, 100}},
			[]ostrich.Time{3},
		},
		{
			"one after that: it has looked before",
			1,
			sim.Scheduler{BackfillDepth: -1, Looks: []ostrich.Time{4}},
			[]job{{in(0, nodes.Request{CPUs: 4}), 100, 100}},
			[]ostrich.Time{1},
		},
		{
			"the main scheduler starts no component of a heterogeneous job, and none behind it in its partition",
			2,
			sim.Scheduler{Backfills: []ostrich.Time{7}, Interval: 1000},
			[]job{{in(0, nodes.Request{CPUs: 1, Component: true}), 100, 100}, {in(0, nodes.Request{CPUs: 1}), 100, 100}},
			[]ostrich.Time{7, 7},
		},
		{
			"moments of the backfill scheduler that are known",
			2,
			sim.Scheduler{Backfills: []ostrich.Time{7, 21}, Interval: 1000},
			[]job{
				{in(0, nodes.Request{CPUs: 4}), 100, 100},
				{in(0, nodes.Request{CPUs: 8}), 10, 10},
				{in(0, nodes.Request{CPUs: 1}), 10, 10},
			},
			[]ostrich.Time{1, 101, 7},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sim.Machine{Cluster: rack(tt.nodes), Backfill: sim.Slurm, Scheduler: tt.scheduler}
			var jobs []sim.Job
			for i, j := range tt.jobs {
				m.Requests = append(m.Requests, j.request)
				jobs = append(jobs, sim.Job{ID: ostrich.JobID(i + 1), User: 7, Run: j.run, Estimate: j.estimate, Procs: j.request.CPUs, Request: int32(i + 1)})
				if tt.name == tasks && j.request.QOS == one {
					jobs[i].Array = 9
				}
			}
			starts, err := m.Replay(jobs)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(starts, tt.starts) {
				t.Errorf("starts %v, want %v", starts, tt.starts)
			}
		})
	}
}

// TestImpossibleRequests refuses jobs that no node could ever run, and says why.
func TestImpossibleRequests(t *testing.T) {
	for name, r := range map[string]nodes.Request{
		"9 processors on two nodes": {CPUs: 9},
		"what no nodes have":        {CPUs: 1, GRES: []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}}}},
		"no node has what":          {CPUs: 1, Features: nodes.Features{Terms: []nodes.Term{{Name: "big"}}}},
		"may have 1":                {CPUs: 2, MinNodes: 2, MaxNodes: 1},
		"below what it asks for":    {CPUs: 2, QOS: &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.Job, Resource: "cpu", Most: 1}}}},
	} {
		m := sim.Machine{Cluster: rack(2), Requests: []nodes.Request{r}, Backfill: sim.Slurm}
		_, err := m.Replay([]sim.Job{{ID: 1, Run: 1, Estimate: 1, Procs: min(8, r.CPUs), Request: 1}})
		if !errors.Is(err, sim.ErrWorkload) || name != "9 processors on two nodes" && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestAvailability has nodes that go and come back, reserved ones and licences, on two nodes of four CPUs.
func TestAvailability(t *testing.T) {
	type job struct {
		request  nodes.Request
		estimate ostrich.Duration
	}
	out := func(c *nodes.Cluster) { c.Outages = []nodes.Outage{{Node: 1, From: 0, To: 50}} }
	wide := []job{{nodes.Request{CPUs: 8}, 10}, {nodes.Request{CPUs: 4}, 10}}
	x := []nodes.License{{Name: "x", Count: 1}}
	for _, tt := range []struct {
		name     string
		backfill sim.Backfill
		change   func(c *nodes.Cluster)
		jobs     []job
		starts   []ostrich.Time
	}{
		{"a node comes back", sim.None, out, wide, []ostrich.Time{50, 60}},
		{"a job jumps meanwhile", sim.EASY, out, wide, []ostrich.Time{50, 0}},
		{"or fits", sim.Greedy, out, wide, []ostrich.Time{50, 0}},
		{"it has no reservation", sim.Conservative, out, wide, []ostrich.Time{50, 0}},
		{"as under Slurm, which looks again when the node is back", sim.Slurm, out, wide, []ostrich.Time{50, 0}},
		{
			"a reserved node", sim.Slurm,
			func(c *nodes.Cluster) {
				c.Reservations = []nodes.Reservation{{Name: "r", Nodes: []int{1}, From: 100, To: 200}}
			},
			[]job{{nodes.Request{CPUs: 4}, 150}, {nodes.Request{CPUs: 4}, 150}, {nodes.Request{CPUs: 4, Reservation: "r"}, 10}, {nodes.Request{CPUs: 4}, 30}},
			[]ostrich.Time{0, 150, 100, 0},
		},
		{
			"jobs of a reservation that is over run elsewhere", sim.Slurm,
			func(c *nodes.Cluster) {
				c.Reservations = []nodes.Reservation{{Name: "r", Nodes: []int{1}, From: 100, To: 200}}
			},
			[]job{{nodes.Request{CPUs: 4, Reservation: "r"}, 100}, {nodes.Request{CPUs: 4, Reservation: "r"}, 30}},
			[]ostrich.Time{100, 200},
		},
		{
			"licences", sim.Slurm, func(c *nodes.Cluster) { c.Licenses = x },
			[]job{{nodes.Request{CPUs: 1, Licenses: x}, 10}, {nodes.Request{CPUs: 1, Licenses: x}, 10}, {nodes.Request{CPUs: 1}, 10}},
			[]ostrich.Time{0, 10, 0},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sim.Machine{Cluster: rack(2), Backfill: tt.backfill}
			m.Cluster.Partitions = nil
			tt.change(m.Cluster)
			var jobs []sim.Job
			for i, j := range tt.jobs {
				m.Requests = append(m.Requests, j.request)
				jobs = append(jobs, sim.Job{ID: ostrich.JobID(i + 1), Run: j.estimate, Estimate: j.estimate, Procs: j.request.CPUs, Request: int32(i + 1)})
			}
			starts, err := m.Replay(jobs)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(starts, tt.starts) {
				t.Errorf("starts %v, want %v", starts, tt.starts)
			}
		})
	}
	m := sim.Machine{Cluster: rack(2), Backfill: sim.EASY}
	m.Cluster.Reservations = []nodes.Reservation{{Name: "r"}}
	if _, err := m.Replay(nil); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("reserved nodes under EASY: error %v", err)
	}
}

// TestFirstLook: until the main scheduler is known to have started the first job since one has come, nodes that become free
// start none, though they would without that.
func TestFirstLook(t *testing.T) {
	for _, tt := range []struct {
		looks []ostrich.Time
		start ostrich.Time
	}{
		{[]ostrich.Time{0, 12}, 12},
		{[]ostrich.Time{0, 14}, 11}, // it has looked before
		{nil, 12},                   // the other one starts a second later
	} {
		m := sim.Machine{
			Cluster: rack(1), Backfill: sim.Slurm, Requests: []nodes.Request{{Partitions: []int{0}, CPUs: 4}},
			Scheduler: sim.Scheduler{BackfillDepth: -1, Completing: 1, Interval: 11, Looks: tt.looks},
		}
		starts, err := m.Replay([]sim.Job{
			{ID: 1, User: 7, Run: 10, Estimate: 10, Procs: 4, Request: 1}, {ID: 2, User: 7, Submit: 10, Run: 10, Estimate: 10, Procs: 4, Request: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		if starts[1] != tt.start {
			t.Errorf("known looks %d: it starts at %d, want %d", tt.looks, starts[1], tt.start)
		}
	}
}
