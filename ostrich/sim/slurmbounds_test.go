package sim_test

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestSlurmBounds: SchedulerParameters bound for which jobs the backfill scheduler looks and keeps nodes. On three nodes of four
// CPUs, job 1 has two until 100, and all jobs come at 0.
func TestSlurmBounds(t *testing.T) {
	type job struct {
		request nodes.Request
		length  ostrich.Duration
		array   ostrich.JobID
	}
	mine, other := &nodes.Association{User: "mine"}, &nodes.Association{User: "other"}
	in := func(part, cpus, wide int, by *nodes.Association) nodes.Request {
		return nodes.Request{Partitions: []int{part}, CPUs: cpus, MinNodes: wide, MaxNodes: wide, Association: by}
	}
	fleeting := in(0, 10, 3, mine)
	fleeting.QOS = &nodes.QOS{NoReserve: true}
	two := job{in(0, 8, 2, mine), 100, 0}
	limited := in(0, 1, 1, mine)
	limited.QOS = &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.Group, Resource: "jobs", Most: 1}}}
	both := limited
	both.Partitions = []int{0, 1}
	choice := func(list ...int) []job { // of an array, and a job on the second node
		task := job{nodes.Request{Partitions: list, CPUs: 4, MaxNodes: 1}, 100, 9}
		return []job{{in(0, 6, 2, mine), 100, 0}, {in(1, 2, 1, mine), 100, 0}, task, task, task, {nodes.Request{CPUs: 1, NodeList: []int{1}}, 150, 0}}
	}
	tasks := []job{two, {in(1, 2, 1, mine), 100, 0}, {in(0, 4, 1, mine), 100, 9}, {in(0, 4, 1, mine), 100, 9}, {in(0, 4, 1, mine), 100, 9}, {in(1, 1, 1, mine), 150, 0}}
	for _, tt := range []struct {
		name      string
		scheduler sim.Scheduler
		preempts  nodes.Preempt
		jobs      []job
		starts    []ostrich.Time
	}{
		{
			"looked at: one of an association",
			sim.Scheduler{AssocDepth: 1},
			nodes.Preempt{},
			[]job{{in(0, 8, 2, other), 100, 0}, {in(0, 12, 3, mine), 200, 0}, {in(0, 1, 1, mine), 30, 0}, {in(0, 1, 1, nil), 30, 0}, {in(0, 1, 1, nil), 30, 0}},
			[]ostrich.Time{0, 100, 300, 0, 0},
		},
		{
			"looked at: one of a user in a partition",
			sim.Scheduler{BothDepth: 2},
			nodes.Preempt{},
			[]job{two, {in(0, 12, 3, mine), 200, 0}, {in(0, 1, 1, mine), 30, 0}, {in(1, 1, 1, mine), 30, 0}},
			[]ostrich.Time{0, 100, 300, 0},
		},
		{
			"kept nodes: all of a partition",
			sim.Scheduler{},
			nodes.Preempt{},
			[]job{two, {in(0, 8, 2, mine), 60, 0}, {in(0, 12, 3, mine), 200, 0}, {in(1, 1, 1, mine), 300, 0}},
			[]ostrich.Time{0, 100, 160, 360},
		},
		{
			"kept nodes: one of a partition",
			sim.Scheduler{PartKept: 1},
			nodes.Preempt{},
			[]job{two, {in(0, 8, 2, mine), 60, 0}, {in(0, 12, 3, mine), 200, 0}, {in(1, 1, 1, mine), 300, 0}},
			[]ostrich.Time{0, 100, 300, 0},
		},
		{
			"kept nodes: none with the flag NoReserve",
			sim.Scheduler{},
			nodes.Preempt{},
			[]job{two, {fleeting, 200, 0}, {in(0, 1, 1, mine), 120, 0}},
			[]ostrich.Time{0, 100, 0},
		},
		{
			"a job with it is a minute long to the backfill scheduler if it may be preempted",
			sim.Scheduler{},
			nodes.Preempt{By: nodes.PreemptByQOS, Mode: nodes.PreemptRequeue},
			[]job{{in(0, 8, 2, mine), 150, 0}, {in(0, 12, 3, mine), 200, 0}, {nodes.Request{Partitions: []int{0}, CPUs: 1, QOS: fleeting.QOS}, 500, 0}},
			[]ostrich.Time{0, 500, 0},
		},
		{"kept nodes: all tasks of an array", sim.Scheduler{}, nodes.Preempt{}, tasks, []ostrich.Time{0, 0, 100, 100, 100, 200}},
		{"kept nodes: two tasks of an array", sim.Scheduler{ArrayKept: 2}, nodes.Preempt{}, tasks, []ostrich.Time{0, 0, 100, 100, 150, 0}},
		{"kept nodes: two tasks of an array in the first of two partitions", sim.Scheduler{ArrayKept: 2}, nodes.Preempt{}, choice(0, 1), []ostrich.Time{0, 0, 100, 100, 100, 200}},
		{"kept nodes: one task of it in the other one", sim.Scheduler{}, nodes.Preempt{}, choice(1, 0), []ostrich.Time{0, 0, 100, 100, 150, 0}},
		{
			"looked at: one task of an array in each partition that rejects it",
			sim.Scheduler{Depth: 4, BackfillDepth: -1, Interval: 1000},
			nodes.Preempt{},
			[]job{{limited, 100, 0}, {both, 10, 9}, {both, 10, 9}, {in(0, 1, 1, mine), 20, 0}},
			[]ostrich.Time{1, 101, 111, 1},
		},
		{"nodes that become free wait for no delay", sim.Scheduler{BackfillDepth: -1}, nodes.Preempt{}, []job{{in(0, 12, 3, mine), 3, 0}, {in(0, 12, 3, mine), 3, 0}}, []ostrich.Time{1, 4}},
		{"they wait until the main scheduler may look again", sim.Scheduler{BackfillDepth: -1, Least: 20}, nodes.Preempt{}, []job{{in(0, 12, 3, mine), 3, 0}, {in(0, 12, 3, mine), 3, 0}}, []ostrich.Time{1, 21}},
		{
			"so does its look at all jobs",
			sim.Scheduler{BackfillDepth: -1, Depth: 3, Interval: 30, Least: 33},
			nodes.Preempt{},
			[]job{{limited, 100, 0}, {limited, 10, 0}, {limited, 10, 0}, {in(0, 1, 1, mine), 20, 0}},
			[]ostrich.Time{1, 101, 134, 34},
		},
		{"nodes that become free wait for the delay", sim.Scheduler{Defer: true, BackfillDepth: -1}, nodes.Preempt{}, []job{two, {in(0, 12, 3, mine), 10, 0}}, []ostrich.Time{1, 102}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sim.Machine{Cluster: rack(3), Backfill: sim.Slurm, Scheduler: tt.scheduler}
			m.Cluster.Preempt = tt.preempts
			var jobs []sim.Job
			for i, j := range tt.jobs {
				m.Requests = append(m.Requests, j.request)
				jobs = append(jobs, sim.Job{ID: ostrich.JobID(i + 1), User: 7, Run: j.length, Estimate: j.length, Procs: j.request.CPUs, Request: int32(i + 1), Array: j.array})
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

// TestSteadyStream: jobs that come each second do not put off the look of the main scheduler that is due, nor do those that end, where
// these wait for it, too.
func TestSteadyStream(t *testing.T) {
	for _, tt := range []struct {
		run    ostrich.Duration
		defers bool
		want   []ostrich.Time
	}{
		{100, false, []ostrich.Time{1, 1, 4, 4, 4, 7, 7, 7, 10, 10}},
		{1, true, []ostrich.Time{1, 1, 4, 4, 4, 7, 7, 7, 10, 10}},
	} {
		m := sim.Machine{Cluster: rack(3), Backfill: sim.Slurm, Scheduler: sim.Scheduler{BackfillDepth: -1, Interval: 1000, Defer: tt.defers}}
		var jobs []sim.Job
		for i := range 10 {
			m.Requests = append(m.Requests, nodes.Request{CPUs: 1})
			jobs = append(jobs, sim.Job{ID: ostrich.JobID(i + 1), User: 7, Submit: ostrich.Time(i), Run: tt.run, Estimate: tt.run, Procs: 1, Request: int32(i + 1)})
		}
		starts, err := m.Replay(jobs)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(starts, tt.want) {
			t.Errorf("jobs of %d s: starts %v, want %v", tt.run, starts, tt.want)
		}
	}
}

// TestMinPrio: jobs below a priority are kept no nodes by either scheduler, if the ranker tells priorities.
func TestMinPrio(t *testing.T) {
	for _, tt := range []struct {
		name      string
		scheduler sim.Scheduler
		first     uint32
		starts    []ostrich.Time // of the second and the third job
	}{
		{"below it", sim.Scheduler{MinPrio: 100}, 99, []ostrich.Time{121, 1}},
		{"not below", sim.Scheduler{MinPrio: 100}, 100, []ostrich.Time{101, 301}},
		{"below it, main scheduler", sim.Scheduler{MinPrio: 100, BackfillDepth: -1}, 99, []ostrich.Time{122, 2}},
	} {
		m := sim.Machine{Procs: 12, Cluster: rack(3), Backfill: sim.Slurm, Scheduler: tt.scheduler, Open: true}
		var campaigns []sim.Campaign
		for i, j := range []struct {
			request nodes.Request
			length  ostrich.Duration
		}{{nodes.Request{CPUs: 8, MinNodes: 2}, 100}, {nodes.Request{CPUs: 12, MinNodes: 3}, 200}, {nodes.Request{CPUs: 1}, 120}} {
			m.Requests = append(m.Requests, j.request)
			job := sim.Job{ID: ostrich.JobID(i + 1), Run: j.length, Estimate: j.length, Procs: j.request.CPUs, Request: int32(i + 1)}
			campaigns = append(campaigns, sim.NewCampaign(ostrich.UserID(i+1), 1, 0, job))
		}
		m.Cluster.Partitions = nil
		all := &clerk{jobs: func(ostrich.Time) []ostrich.JobID { return []ostrich.JobID{1, 2, 3} }}
		m.Policy = func(int) (sim.Ranker, error) { return &officer{all, tt.first}, nil }
		jobs, err := m.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		got := []ostrich.Time{jobs[1].Start, jobs[2].Start}
		if !slices.Equal(got, tt.starts) {
			t.Errorf("%s: starts %v, want %v", tt.name, got, tt.starts)
		}
	}
}

// TestMinAgeEnds: with a least age, too, the backfill scheduler looks no more once nothing can change: a job that waits for a node that
// never comes back is told of.
func TestMinAgeEnds(t *testing.T) {
	c := rack(2)
	c.Outages = []nodes.Outage{{Node: 1, From: 50}}
	m := sim.Machine{Cluster: c, Backfill: sim.Slurm, Scheduler: sim.Scheduler{MinAge: 1000}, Policy: sim.FCFSCampaigns, Requests: []nodes.Request{{CPUs: 8, Partitions: []int{0}}}}
	_, err := m.Replay([]sim.Job{{ID: 1, Submit: 60, Run: 10, Estimate: 10, Procs: 1, Request: 1}})
	if err == nil || !strings.Contains(err.Error(), "held back for ever") {
		t.Errorf("error %v", err)
	}
}

// An officer is a clerk that knows the priority of jobs: 0 but for the second one's.
type officer struct {
	*clerk
	second uint32
}

func (o *officer) Priority(id ostrich.JobID) uint32 {
	if id == 2 {
		return o.second
	}
	return 0
}

// TestEndAlone: the main scheduler looks when the nodes of a job are free again, not when it ends (proc_req.c, _slurm_rpc_epilog_complete), though
// its limits are free then. A real Slurm 22.05 started a task of an array with %4 3 s after another had ended, when the node of that was free, on a second node that had room before.
func TestEndAlone(t *testing.T) {
	one := &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.Group, Resource: "jobs", Most: 1}}}
	m := sim.Machine{
		Cluster: rack(2), Backfill: sim.Slurm, Scheduler: sim.Scheduler{BackfillDepth: -1, Interval: 1000, Completing: 5},
		Requests: []nodes.Request{{CPUs: 4, QOS: one}},
	}
	starts, err := m.Replay([]sim.Job{{ID: 1, Run: 99, Estimate: 99, Procs: 4, Request: 1}, {ID: 2, Run: 99, Estimate: 99, Procs: 4, Request: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []ostrich.Time{1, 105}; !slices.Equal(starts, want) {
		t.Errorf("starts %v, want %v", starts, want)
	}
}
