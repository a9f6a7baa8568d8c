package replay

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// TestPreempted replays a record of one node on which a job was preempted and requeued: it is one job, and makes room in the
// replay, too, as long as Slurm's settings say so.
func TestPreempted(t *testing.T) {
	const conf = `NodeName=n1 CPUs=4
PartitionName=low Nodes=n1 PriorityTier=1
PartitionName=high Nodes=n1 PriorityTier=2
`
	records, err := slurm.ParseRecords(conf, nil)
	if err != nil {
		t.Fatal(err)
	}
	record := func() *accounting.History {
		return &accounting.History{
			From: 1000, To: 5000, Procs: 4, Nodes: 1, Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}},
			Partitions: []string{"low", "high"}, QOS: []string{"normal"}, Needs: make([]accounting.Needs, 1),
			Jobs: []accounting.Job{
				{ID: 1, Procs: 4, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600, State: accounting.Preempted},
				{ID: 2, Partition: 1, Procs: 4, Nodes: 1, Submit: 1050, Eligible: 1050, Start: 1052, End: 1152, Limit: 600, State: accounting.Completed},
				{ID: 1, Procs: 4, Nodes: 1, Submit: 1052, Eligible: 1173, Start: 1180, End: 1680, Limit: 600, State: accounting.Completed},
				{ID: 3, Partition: 1, Procs: 4, Nodes: 1, Submit: 2000, Eligible: 2000, Start: 2001, End: 2101, Limit: 600, State: accounting.Completed},
				{ID: 4, Procs: 4, Nodes: 1, Submit: 2200, Eligible: 2200, Start: 2201, End: 2211, Limit: 600, State: accounting.Preempted},
				{ID: 5, Procs: 4, Nodes: 1, Submit: 2300, Eligible: 2300, Start: 2301, End: 2311, Limit: 600, State: accounting.Preempted},
				{ID: 5, Procs: 4, Nodes: 1, Submit: 2312, Eligible: 2433, End: 2500, Limit: 600, State: accounting.Cancelled}, // it waits until then
			},
		}
	}
	for _, tt := range []struct {
		kind         string
		jobs         int
		made, left   string
		start, times int
	}{
		{"preempt/partition_prio", 6, "fcfs: 1 job made room for others, 1 time; 0 were cancelled so, and 0 core-hours", "preempted_for_good", 1180, 1},
		{"preempt/none", 7, "", "preempted", 1001, 0},
	} {
		setup := Setup{Options: window30, Records: records, Controller: &priority.Controller{PriorityType: "priority/multifactor", PreemptType: tt.kind, PreemptMode: "REQUEUE"}}
		s := mustNew(t, record(), setup)
		if len(s.Jobs) != tt.jobs {
			t.Fatalf("%s: %d jobs, want %d", tt.kind, len(s.Jobs), tt.jobs)
		}
		if j := &s.Jobs[0]; j.Submit != 1000 || j.Start != ostrich.Time(tt.start) {
			t.Errorf("%s: job 1 is submitted at %d and starts at %d", tt.kind, j.Submit, j.Start)
		}
		if !slices.ContainsFunc(s.left.rows(), func(r comparison.LeftOut) bool { return r.What == tt.left }) {
			t.Errorf("%s: %+v lacks %s", tt.kind, s.left.rows(), tt.left)
		}
		policies, err := simulation.ParseVariants("fcfs", simulation.Site)
		if err != nil {
			t.Fatal(err)
		}
		jobs, _, err := s.Replay(policies[0], func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := made("fcfs", jobs); !strings.HasPrefix(got, tt.made) || tt.made == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.kind, got, tt.made)
		}
		if _, err = s.forecasts(sitePolicy(t, "ostrich"), 2, func(int) {}); err != nil {
			t.Errorf("%s: forecasts: %v", tt.kind, err)
		}
		if j := &jobs[0]; int(j.Preempted) != tt.times || tt.times > 0 && (j.Lost != 51 || j.Ran() != 500 || j.Submit != 1000) {
			t.Errorf("%s: %+v", tt.kind, j)
		}
	}
}

// TestPreemptionOf reads the settings that say who makes room first.
func TestPreemptionOf(t *testing.T) {
	k := &priority.Controller{
		PreemptType: "preempt/qos", PreemptMode: "SUSPEND,GANG", PreemptExemptTime: 60,
		SchedulerParameters: []string{"preempt_youngest_first", "preempt_strict_order", "preempt_reorder_count=0"},
	}
	want := nodes.Preempt{By: nodes.PreemptByQOS, Mode: nodes.PreemptSuspend, Exempt: 60, YoungestFirst: true, StrictOrder: true, Reorder: -1}
	if got := inventory.Preemption(k); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	k.SchedulerParameters, k.PreemptParameters = nil, []string{"youngest_first", "strict_order", "reorder_count=0"} // since 20.02
	if got := inventory.Preemption(k); got != want {
		t.Errorf("by PreemptParameters: %+v, want %+v", got, want)
	}
}

// TestShared counts jobs that may share processors in Slurm, and those that ask for devices at certain sockets.
func TestShared(t *testing.T) {
	const machine = "NodeName=n1 CPUTot=4 Gres=gpu:2(S:0) State=IDLE\n"
	const parts = "PartitionName=forced Nodes=n1 OverSubscribe=FORCE:4\nPartitionName=asked Nodes=n1 OverSubscribe=YES:4\nPartitionName=own Nodes=n1 OverSubscribe=FORCE:1\n"
	var records []slurm.Record
	for _, text := range []string{machine, parts} { // as scontrol shows them
		more, err := slurm.ParseRecords(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, more...)
	}
	h := &accounting.History{
		From: 1000, To: 5000, Procs: 4, Nodes: 1, Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}},
		Partitions: []string{"forced", "asked", "own"}, QOS: []string{"normal"}, Needs: []accounting.Needs{{}, {Layout: accounting.Layout{Share: true}}, {Layout: accounting.Layout{GRES: "gpu:1"}}},
	}
	for part := range int32(3) {
		for needs := range int32(3) {
			id := ostrich.JobID(len(h.Jobs) + 1)
			h.Jobs = append(h.Jobs, accounting.Job{
				ID: id, Partition: part, Needs: needs, Procs: 1, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600, State: accounting.Completed,
			})
		}
	}
	s := mustNew(t, h, Setup{Options: window30, Records: records})
	if n := s.left.jobs[sharing]; n != 4 {
		t.Errorf("%d jobs share processors, want the 3 of the first partition and 1 of the second", n)
	}
	if n := s.placement.assumed[anySocket]; n != 3 {
		t.Errorf("%d jobs ask for devices at sockets, want 3", n)
	}
}

// TestNoLicenses: a note says where a site has licences and no job of the record asks for any.
func TestNoLicenses(t *testing.T) {
	records, err := slurm.ParseRecords("ClusterName=c\nLicenses=matlab:2,ansys:1\nNodeName=n1 CPUs=4\nPartitionName=main Nodes=n1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]int{"": 1, "matlab:1": 0} {
		h := &accounting.History{
			From: 1000, To: 5000, Procs: 4, Nodes: 1, Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}},
			Partitions: []string{"main"}, QOS: []string{"normal"}, Needs: []accounting.Needs{{}, {Licenses: asked}},
			Jobs: []accounting.Job{{ID: 1, Procs: 4, Nodes: 1, Needs: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600, State: accounting.Completed}},
		}
		notes := strings.Join(mustNew(t, h, Setup{Options: window30, Records: records, Controller: &priority.Controller{PriorityType: "priority/multifactor"}}).Notes, "\n")
		if strings.Count(notes, "The site has licences (matlab, ansys)") != want {
			t.Errorf("%q: notes %s", asked, notes)
		}
	}
}

// TestVainUsage: what a job used before it was preempted counts where calculations are found by recorded priorities.
func TestVainUsage(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=4\nPartitionName=low Nodes=n1 PriorityTier=1\nPartitionName=high Nodes=n1 PriorityTier=2\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &accounting.History{
		From: 1000, To: 9000, Procs: 4, Nodes: 1, Associations: []accounting.Association{{ID: 1, User: "alice", Account: "physics"}, {ID: 2, User: "bob", Account: "physics"}},
		Partitions: []string{"low", "high"}, QOS: []string{"normal"}, Needs: make([]accounting.Needs, 1),
		Jobs: []accounting.Job{
			{ID: 1, Procs: 4, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1901, Limit: 6000, State: accounting.Preempted},
			{ID: 99, Procs: 4, Nodes: 1, Submit: 1902, Eligible: 2023, Start: 7000, End: 7100, Limit: 6000},
		},
	}
	for i := range 40 {
		at := ostrich.Time(1100 + 97*i)
		h.Jobs = append(h.Jobs, accounting.Job{ID: ostrich.JobID(2 + i), Association: int32(i % 2), Procs: 1, Nodes: 1, Submit: at, Eligible: at, Start: at + 10, End: at + 60, Limit: 900})
	}
	setup := Setup{Options: window30, Records: records, Controller: &priority.Controller{
		PriorityType: "priority/multifactor", PriorityFlags: []string{"NO_FAIR_TREE"}, Weights: priority.Weights{Fairshare: 1_000_000}, DecayHalfLife: 3600, CalcPeriod: 300,
		AccountingEnforce: []string{"limits"}, PreemptType: "preempt/partition_prio", PreemptMode: "REQUEUE",
	}}
	recorded := phaseTest{Study: mustNew(t, h, setup)}
	recorded.gather()
	priorities := make(map[ostrich.JobID]uint32)
	if err := recorded.each(0, func(j *Job, priority uint32) { priorities[j.Slurm] = priority }); err != nil {
		t.Fatal(err)
	}
	for i := range h.Jobs {
		if j := &h.Jobs[i]; j.ID > 1 && j.ID < 99 {
			j.Priority = priorities[j.ID]
		}
	}
	h.Jobs[1].ID = 1 // it goes on
	notes := strings.Join(mustNew(t, h, setup).Notes, "\n")
	if want := "has 40 of 40 recorded priorities"; !strings.Contains(notes, want) {
		t.Errorf("no note %q in:\n%s", want, notes)
	}
}
