package replay

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// fractions is what sacct of Slurm 24.11 prints of two jobs whose billing is below 1: AllocTRES does not name it.
const fractions = `JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|ReqCPUS|AllocCPUS|ReqTRES|AllocTRES|SubmitLine
1|ann|x|cheap|normal|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:10:00|COMPLETED|2|2|cpu=2,node=1|cpu=2,node=1|sbatch --nice -n 2 a.sh
2|bob|x|cheap|normal|2024-03-01T10:00:01|2024-03-01T10:00:01|2024-03-01T10:00:01|2024-03-01T10:10:00|COMPLETED|6|6|billing=1,cpu=6,node=1|billing=1,cpu=6,node=1|sbatch --nice=-7 -n 6 a.sh
3|cem|x|free|normal|2024-03-01T10:00:02|2024-03-01T10:00:02|2024-03-01T10:00:02|2024-03-01T10:10:00|COMPLETED|4|4|cpu=4,node=1|cpu=4,node=1|sbatch a.sh
`

// TestCharges: fair share counts the fractions that Slurm charges, and nothing where that is nothing. The nice value is that of
// the line of submission, the priority of an association that of sacctmgr, and partitions have the processors that are for jobs.
func TestCharges(t *testing.T) {
	parts := []priority.Partition{
		{Name: "cheap", TotalCPUs: 16, Nodes: []string{"n1"}, NodeCPUs: []int{12}, NodeTRES: []string{"cpu=12,mem=1000M"}, BillingWeights: "CPU=0.25", PriorityTier: 1, MaxTime: priority.Unlimited},
		{Name: "free", TotalCPUs: 16, Nodes: []string{"n1"}, NodeCPUs: []int{12}, NodeTRES: []string{"cpu=12,mem=1000M"}, BillingWeights: "CPU=0", PriorityTier: 1, MaxTime: priority.Unlimited},
	}
	controller := priority.Controller{PriorityType: "priority/multifactor", Weights: priority.Weights{Fairshare: 1, Assoc: 7, TRES: []priority.TRESWeight{{Name: "CPU", Weight: 5}}}}
	c := configuration.Default()
	counted, err := sidecar.UnitOf(&c, controller, parts)
	if err != nil {
		t.Fatal(err)
	}
	h, err := sacct.Read(strings.NewReader(fractions), "dump", sacct.Options{Unit: counted.Unit})
	if err != nil {
		t.Fatal(err)
	}
	site := &accounting.Site{}
	tree := "Cluster|Account|User|Share|ParentName|Priority\nc|root||1||\nc|x||1|root|60\nc|x|ann|1||100\nc|x|bob|1||60\nc|x|cem|1||\n"
	if err = sacct.ReadAssociations(site, strings.NewReader(tree), "tree", ""); err != nil {
		t.Fatal(err)
	}
	setup := Setup{Options: window30, Controller: &controller, Partitions: parts, Counted: counted, Site: site}
	s := mustNew(t, h, setup)
	for i, want := range []struct {
		rate float64 // charged
		free bool
		nice int64
	}{{0.5, false, 100}, {1.5, false, -7}, {0, true, 0}} {
		if r := s.Jobs[i].request(); r.Billing != want.rate || r.Free != want.free || r.Nice != want.nice {
			t.Errorf("job %d: billing %v, free %v, nice %d; want %+v", i+1, r.Billing, r.Free, r.Nice, want)
		}
	}
	m, err := multifactor.New(s.Priority, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f := m.Factors(s.Jobs[1].request(), 0); f.TRES != 5*6./12 || f.Assoc != 0.6 {
		t.Errorf("TRES factor %v of 6 of 12 processors with weight 5, association factor %v of priority 60 of 100", f.TRES, f.Assoc)
	}
	if slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "PriorityWeightAssoc") }) {
		t.Errorf("notes %q", s.Notes)
	}
	site.Prioritized = false
	if s = mustNew(t, h, setup); !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "PriorityWeightAssoc=7") }) {
		t.Errorf("without the column: notes %q", s.Notes)
	}
}

// TestRelative: limits of a QOS with the flag Relative are percentages of the cluster, or of the partition whose QOS it is. One
// with the flag NoReserve has it.
func TestRelative(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-5] CPUs=8 RealMemory=1000\nNodeName=g1 CPUs=8 RealMemory=1000 Gres=gpu:a100:4\nPartitionName=main Nodes=ALL\nPartitionName=two Nodes=n[1-2] QOS=pq\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	site := &accounting.Site{}
	const qos = "Name|Priority|UsageFactor|Flags|GrpTRES|MaxTRESPU|MaxJobsPU\nnormal|0|1|||cpu=50|\nrel|0|1|Relative,NoReserve|cpu=50,billing=10,gres/gpu=50|mem=10,node=1|3\npq|0|1|Relative|cpu=50||\n"
	if err := sacct.ReadQOS(site, strings.NewReader(qos), "qos"); err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.QOS, h.Jobs = []string{"main", "two"}, []string{"normal", "rel", "pq"}, h.Jobs[1:3]
	s := mustNew(t, h, Setup{Options: window30, Records: records, Site: site})
	got := make(map[string][]nodes.Limit)
	for _, q := range s.placement.qos {
		got[q.Name] = q.Limits
	}
	got["of two"] = s.placement.cluster.Partitions[1].QOS.Limits
	want := map[string][]nodes.Limit{
		"normal": {{Scope: nodes.User, Resource: "cpu", Most: 50}},
		"rel":    {{Resource: "cpu", Most: 24}, {Resource: "gres/gpu", Most: 2}, {Scope: nodes.User, Resource: "mem", Most: 600}, {Scope: nodes.User, Resource: "node", Most: 1}, {Scope: nodes.User, Resource: "jobs", Most: 3}},
		"pq":     {{Resource: "cpu", Most: 8}},
		"of two": {{Resource: "cpu", Most: 8}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.placement.qos[0].NoReserve || !s.placement.qos[1].NoReserve {
		t.Error("QOS rel alone has the flag NoReserve")
	}
}

// TestQOSFlags: a QOS may except its jobs from the partition's limits of nodes and time.
func TestQOSFlags(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-5] CPUs=8 RealMemory=1000\nPartitionName=main Nodes=ALL MinNodes=2 MaxNodes=3\nPartitionName=main2 Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	site := &accounting.Site{}
	const qos = "Name|Priority|UsageFactor|Flags|GrpTRES\nnormal|0|1||\nbig|0|1|PartitionMaxNodes,PartitionTimeLimit|\ntiny|0|1|DenyOnLimit,PartitionMinNodes|cpu=4\n"
	if err := sacct.ReadQOS(site, strings.NewReader(qos), "qos"); err != nil {
		t.Fatal(err)
	}
	h := history()
	h.QOS, h.Jobs = []string{"normal", "big", "tiny"}, h.Jobs[1:3]
	setup := Setup{Options: window30, Records: records, Site: site, Partitions: []priority.Partition{{Name: "main", MaxTime: 600}, {Name: "main2", MaxTime: 300}}}
	for i := range setup.Partitions {
		setup.Partitions[i].Nodes, setup.Partitions[i].NodeCPUs = []string{"n1", "n2", "n3", "n4", "n5"}, []int{8, 8, 8, 8, 8}
	}
	p := mustNew(t, h, setup).placement
	for _, test := range []struct {
		what              string
		qos, asked, nodes int32
		left              []leaving
		min, max          int
		long              bool
	}{
		{"as the partition allows", 0, 8, 2, nil, 2, 2, true},
		{"more nodes", 0, 8, 5, []leaving{unmet}, 0, 0, true},
		{"more nodes, excepted", 1, 8, 5, nil, 5, 5, false},
		{"fewer nodes, excepted, beyond the limit of the QOS", 2, 8, 1, []leaving{beyondLimit}, 0, 1, true},
	} {
		job := accounting.Job{QOS: test.qos, Asked: test.asked, Procs: test.asked, AskedNodes: test.nodes, Nodes: test.nodes, Submit: 100, Eligible: 100, Start: 200, End: 300, Limit: 601}
		a := p.answered(&job, false)
		r := &p.requests[a.request-1]
		if !slices.Equal(a.left, test.left) || r.MinNodes != test.min || r.MaxNodes != test.max || p.tooLong(&job) != test.long {
			t.Errorf("%s: left out %v (%v), asks for %d to %d nodes, too long: %v", test.what, a.left, a.why, r.MinNodes, r.MaxNodes, p.tooLong(&job))
		}
	}
	big, both := p.qos[1], []int{0, 1}
	if got := p.choice(0, "main,main2", 400, nil); !slices.Equal(got, both[:1]) {
		t.Errorf("a job of 400 s may go to %v", got)
	}
	if got := p.choice(0, "main,main2", 400, big); !slices.Equal(got, both) {
		t.Errorf("with PartitionTimeLimit it may go to %v", got)
	}
}

// TestHistoryStays: where nothing but the list tells on how many nodes a job ran, the caller's history does not learn it.
func TestHistoryStays(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-3] CPUs=16\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.Jobs, h.Where = []string{"main", "main2"}, h.Jobs[1:3], []string{"", "n[1-2]"}
	h.Jobs[0].Nodes, h.Jobs[0].Where = 0, 1
	s := mustNew(t, h, Setup{Options: window30, Records: records})
	if h.Jobs[0].Nodes != 0 || s.placement.history.Jobs[0].Nodes != 2 {
		t.Errorf("%d nodes for the caller, %d in the replay", h.Jobs[0].Nodes, s.placement.history.Jobs[0].Nodes)
	}
}

// TestAsked: what lines of submission say of GPUs, and of more memory for a processor than MaxMemPerCPU allows.
func TestAsked(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=g[1-3] CPUs=16 RealMemory=64000 Gres=gpu:a100:4\nPartitionName=main Nodes=ALL MaxMemPerCPU=4000\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.Jobs = []string{"main", "main2"}, h.Jobs[1:3]
	p := mustNew(t, h, Setup{Options: window30, Records: records}).placement
	gpus := func(count int64, of string, per nodes.Per) []nodes.GRESRequest {
		return []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Type: of, Count: count}, Per: per}}
	}
	for line, want := range map[string]nodes.Request{
		"-n2 --gpus-per-task=a100:1":                      {CPUs: 8, Tasks: 2, GRES: gpus(1, "a100", nodes.PerTask)},
		"-G 3":                                            {CPUs: 8, GRES: gpus(3, "", nodes.PerJob)},
		"--gpus a100:6":                                   {CPUs: 8, MinNodes: 2, GRES: gpus(6, "a100", nodes.PerJob)},
		"-n4 --spread-job":                                {CPUs: 8, Tasks: 4, MaxNodes: 3, Spread: true},
		"-N2 --gpus-per-node=2":                           {CPUs: 8, MinNodes: 2, MaxNodes: 2, GRES: gpus(2, "", nodes.PerNode)},
		"-N2 -n2 --gpus-per-node=2 --gpus=4":              {CPUs: 8, Tasks: 2, MinNodes: 2, MaxNodes: 2, GRES: gpus(2, "", nodes.PerNode)},
		"-n2 --gpus-per-node=2 -G4":                       {CPUs: 8, Tasks: 2, MinNodes: 2, MaxNodes: 2, GRES: gpus(2, "", nodes.PerNode)},
		"-n4 -G4 --gpus-per-task=1":                       {CPUs: 8, Tasks: 4, GRES: gpus(1, "", nodes.PerTask)},
		"-G a100:4 --gpus-per-task=a100:2":                {CPUs: 8, Tasks: 2, GRES: gpus(2, "a100", nodes.PerTask)},
		"-N2 --gpus-per-node=2 -G4 -n4 --gpus-per-task=1": {CPUs: 8, Tasks: 4, MinNodes: 2, MaxNodes: 2, GRES: gpus(2, "", nodes.PerNode)},
		"--mem-per-cpu=9000M -c 2":                        {CPUs: 8, CPUsPerTask: 6, Memory: nodes.Memory{MiB: 3000, PerCPU: true}},
		"--mem-per-cpu=4000M -c 2":                        {CPUs: 8, CPUsPerTask: 2, Memory: nodes.Memory{MiB: 4000, PerCPU: true}},
	} {
		p.history.Needs = []accounting.Needs{{}, {Layout: accounting.ParseSubmission("sbatch "+line+" run.sh", 0)}}
		got, err := p.request(&accounting.Job{Needs: 1, Asked: 8, Procs: 8}, &answer{})
		want.Partitions, want.Association = got.Partitions, got.Association
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", line, err, diff)
		}
		if of := accounting.ParseSubmission(p.history.Needs[1].Line(), 0); of.GPUs != p.history.Needs[1].GPUs || of.GPUsPerTask != p.history.Needs[1].GPUsPerTask {
			t.Errorf("%s: written as %s", line, p.history.Needs[1].Line())
		}
	}
	p.history.Needs = []accounting.Needs{{}, {Layout: accounting.ParseSubmission("sbatch -G x:y:z -n 99 run.sh", 0)}}
	if a := p.answer(&accounting.Job{Needs: 1, Asked: 99, Procs: 99}, false); !slices.Equal(a.left, []leaving{unmet}) {
		t.Errorf("unreadable and too large: left out %v", a.left)
	}
}

// TestWallOfQOS: MaxWall of the partition's QOS goes before that of the job's, unless that one says otherwise, and both before that of
// the association.
func TestWallOfQOS(t *testing.T) {
	h := history()
	h.Partitions = []string{"main"}
	p := &placement{
		history: h, partitions: map[string]int{"main": 0}, cluster: &nodes.Cluster{Partitions: []nodes.Partition{{Name: "main"}}},
		associations: []*nodes.Association{{MaxWall: 50}},
	}
	hour, day, over := &nodes.QOS{MaxWall: 100}, &nodes.QOS{MaxWall: 1000}, &nodes.QOS{MaxWall: 1000, Override: true}
	for i, test := range []struct {
		part, job *nodes.QOS
		most      ostrich.Duration
	}{{nil, nil, 50}, {hour, nil, 100}, {hour, day, 100}, {hour, over, 1000}, {&nodes.QOS{}, day, 1000}, {hour, &nodes.QOS{Override: true}, 100}} {
		p.cluster.Partitions[0].QOS, p.qos = test.part, []*nodes.QOS{test.job}
		if p.tooLong(&accounting.Job{Limit: test.most}) || !p.tooLong(&accounting.Job{Limit: test.most + 1}) {
			t.Errorf("%d: the limit is not %d", i, test.most)
		}
	}
}

// TestIgnored: a note names the settings that the replay does not have, as they are written; a topology counts on nodes only.
func TestIgnored(t *testing.T) {
	records, err := slurm.ParseRecords("ClusterName=c\nTopologyPlugin=topology/tree\nCompleteWait=5\nOverTimeLimit=UNLIMITED\nResumeProgram=/bin/on\nNodeName=n1 CPUs=8 Gres=gpu:1,shard:4\nPartitionName=main Nodes=n1 MaxCPUsPerSocket=2 OverTimeLimit=9\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.Jobs = []string{"main", "main2"}, h.Jobs[1:3]
	h.Jobs[0].Het = 11
	controller := &priority.Controller{
		PriorityType: "priority/multifactor", SchedulerParameters: []string{"bf_continue", "bf_max_time=2", "defer_batch", "sched_min_interval=2000000", "whole_hetjob"},
		Scheduling:        priority.Scheduling{MinInterval: 2_000_000, Defer: true},
		PreemptParameters: []string{"youngest_first", "reclaim_licenses"}, SiteFactorPlugin: "site_factor/ours",
	}
	for _, placed := range []bool{true, false} {
		setup := Setup{Options: window30, Controller: controller, Events: []accounting.NodeEvent{{Node: "n1", From: 1, To: 2, State: accounting.NodeDown}}}
		if placed {
			setup.Records = records
		}
		s := mustNew(t, h, setup)
		notes := strings.Join(s.Notes, "\n")
		if want := "Settings of slurm.conf that the replay does not have: bf_max_time=2, whole_hetjob, reclaim_licenses, PrioritySiteFactorPlugin=site_factor/ours."; !strings.Contains(notes, want) {
			t.Errorf("no note %q in:\n%s", want, notes)
		}
		if strings.Contains(notes, "TopologyPlugin=topology/tree") != placed || strings.Contains(notes, "that a replay on nodes does not have: OverTimeLimit=UNLIMITED, ResumeProgram=/bin/on.") != placed || strings.Contains(notes, "outages and reservations are taken to be of zone UTC") != placed {
			t.Errorf("placed %v, notes:\n%s", placed, notes)
		}
		if strings.Contains(notes, "Partition main has MaxCPUsPerSocket=2") != placed || strings.Contains(notes, "Partition main has OverTimeLimit=9") != placed || (s.Scheduler.CompleteWait == 5) != placed || strings.Contains(notes, "Nodes have gres/shard") != placed || strings.Contains(notes, "gres/mps") {
			t.Errorf("placed %v, notes:\n%s", placed, notes)
		}
		if !s.Scheduler.Defer || s.Scheduler.Least != 2 {
			t.Errorf("the schedulers are %+v, want them with defer, and 2 s between two looks of the main one", s.Scheduler)
		}
		if s.left.jobs[heterogeneous] != 1 {
			t.Errorf("%d components of heterogeneous jobs are counted, want 1", s.left.jobs[heterogeneous])
		}
	}
}

// TestWholeCores: a job that holds all threads of its cores need not have asked for whole nodes. Processors that cannot be the
// same number on each of its nodes are not.
func TestWholeCores(t *testing.T) {
	const machine = "NodeName=n[1-2] CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2\nNodeName=o1 CPUs=8 Sockets=1 CoresPerSocket=8\nPartitionName=main Nodes=ALL\n"
	for unit, want := range map[string]int{"CR_CPU": 3, "CR_Core,CR_ONE_TASK_PER_CORE": 2, "CR_Socket": 0} {
		records, err := slurm.ParseRecords("SelectTypeParameters="+unit+"\n"+machine, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := history()
		h.Partitions, h.Where, h.Jobs = []string{"main"}, []string{"", "n1", "o1", "n1,o1"}, nil
		for i, j := range []struct{ asked, held, where int32 }{{7, 8, 1}, {3, 8, 1}, {7, 8, 2}, {10, 15, 3}} {
			h.Jobs = append(h.Jobs, accounting.Job{
				ID: ostrich.JobID(i + 1), Asked: j.asked, Procs: j.held, Where: j.where, Nodes: 1 + j.where/3, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600,
			})
		}
		s := mustNew(t, h, Setup{Options: window30, Records: records})
		if n := s.placement.assumed[wholeNodes]; n != want {
			t.Errorf("%s: %d jobs ask for whole nodes, want %d", unit, n, want)
		}
		if n := s.left.jobs[unmet]; n != 0 {
			t.Errorf("%s: %d jobs ask for what no nodes have: %+v", unit, n, s.placement.known)
		}
	}
}

// TestUsageReset: what was used before the latest reset is forgotten, as is what is never counted without limits, and tables are read from then on where usage does not decay.
func TestUsageReset(t *testing.T) {
	zone := time.FixedZone("", -600) // the day begins at 600
	k := &priority.Controller{PriorityType: "priority/multifactor", UsageReset: "DAILY"}
	for enforce, want := range map[string]float64{"limits": 4 * 300, "associations": 4 * 100} { // without limits, up to the calculation at 700
		k.AccountingEnforce = []string{enforce}
		s := mustNew(t, history(), Setup{Options: window30, Controller: k, Location: zone})
		if got := s.Priority.Associations[0].Usage; got != want {
			t.Errorf("%s: usage %v, want %v: that of 4 processors from 600 to 900 or 700", enforce, got, want)
		}
	}
	for _, tt := range []struct {
		halfLife ostrich.Duration
		reset    string
		want     ostrich.Time
		notes    int
	}{{100, "", 400, 0}, {100, "DAILY", 400, 0}, {200, "DAILY", 600, 0}, {0, "DAILY", 600, 0}, {0, "", 0, 1}} {
		k.DecayHalfLife, k.UsageReset = tt.halfLife, tt.reset
		src := &source{setup: Setup{Controller: k}, location: zone}
		if got := src.warmUp(1200); got != tt.want || len(src.notes) != tt.notes {
			t.Errorf("half-life %d, reset %q: usage is read from %d s before, want %d; notes %q", tt.halfLife, tt.reset, got, tt.want, src.notes)
		}
	}
}

// TestLatePriority: the recorded priority of a job that was eligible later is not compared, as it is that at its submission.
func TestLatePriority(t *testing.T) {
	h := history()
	h.Jobs[1].Priority, h.Jobs[3].Priority = 70, 80
	for _, j := range mustNew(t, h, Setup{Options: window30}).Jobs {
		if want := map[ostrich.JobID]uint32{11: 70}[j.Slurm]; j.priority != want {
			t.Errorf("job %d: priority %d is compared, want %d", j.Slurm, j.priority, want)
		}
	}
}

// TestSpread: of a job that asked for one node at least and ran on several, only if it filled them is it taken that each is to
// have the same. Whole nodes of a partition, or of select/linear, that gives them to all need not be asked for.
func TestSpread(t *testing.T) {
	const machine = "NodeName=n[1-4] CPUs=8\nPartitionName=main Nodes=ALL\nPartitionName=excl Nodes=ALL OverSubscribe=EXCLUSIVE\n"
	for _, tt := range []struct {
		kind        string // of select
		job         accounting.Job
		even, whole int
		least, most int
	}{
		{"cons_tres", accounting.Job{Asked: 12, Procs: 12, AskedNodes: 1, Nodes: 2, Where: 1}, 0, 0, 1, 0},
		{"cons_tres", accounting.Job{Asked: 16, Procs: 16, AskedNodes: 1, Nodes: 2, Where: 1}, 1, 0, 2, 2},
		{"cons_tres", accounting.Job{Asked: 12, Procs: 12, AskedNodes: 2, Nodes: 2, Where: 1}, 1, 0, 2, 2},
		{"cons_tres", accounting.Job{Asked: 12, Procs: 12, Nodes: 2, Where: 1}, 1, 0, 2, 2},
		{"cons_tres", accounting.Job{Asked: 3, Procs: 8, AskedNodes: 1, Nodes: 1, Where: 2}, 0, 1, 0, 1},
		{"cons_tres", accounting.Job{Partition: 1, Asked: 3, Procs: 8, AskedNodes: 1, Nodes: 1, Where: 2}, 0, 0, 0, 1},
		{"linear", accounting.Job{Asked: 12, Procs: 16, AskedNodes: 1, Nodes: 2, Where: 1}, 0, 0, 0, 0},
		{"linear", accounting.Job{Asked: 12, Procs: 16, AskedNodes: 2, Nodes: 2, Where: 1}, 0, 0, 2, 2},
		{"linear", accounting.Job{Asked: 3, Procs: 8, AskedNodes: 1, Nodes: 1, Where: 2}, 0, 0, 0, 0},
	} {
		records, err := slurm.ParseRecords("SelectType=select/"+tt.kind+"\n"+machine, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := history()
		tt.job.ID, tt.job.Submit, tt.job.Eligible, tt.job.Start, tt.job.End, tt.job.Limit = 1, 1000, 1000, 1001, 1051, 600
		h.Partitions, h.Where, h.Jobs = []string{"main", "excl"}, []string{"", "n[1-2]", "n1"}, []accounting.Job{tt.job}
		p := mustNew(t, h, Setup{Options: window30, Records: records}).placement
		if p.assumed[evenNodes] != tt.even || p.assumed[wholeNodes] != tt.whole || p.requests[0].MinNodes != tt.least || p.requests[0].MaxNodes != tt.most {
			t.Errorf("%s, %+v: assumed %v, asks for %+v", tt.kind, tt.job, p.assumed, p.requests[0])
		}
	}
}

// TestOneTask: a job whose line asks for as many processors for each task as it asks for in all is one task, which is on one node: nothing is
// assumed of it.
func TestOneTask(t *testing.T) {
	records, err := slurm.ParseRecords("SelectType=select/cons_tres\nNodeName=n[1-4] CPUs=8\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ perTask, assumed int }{{4, 0}, {2, 1}, {0, 1}} {
		h := history()
		h.Partitions, h.Where = []string{"main"}, []string{"", "n1"}
		h.Needs = []accounting.Needs{{Layout: accounting.Layout{CPUsPerTask: tt.perTask}}}
		h.Jobs = []accounting.Job{{ID: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600, Asked: 4, Procs: 4, AskedNodes: 1, Nodes: 1, Where: 1}}
		p := mustNew(t, h, Setup{Options: window30, Records: records}).placement
		if p.assumed[oneNode] != tt.assumed || p.requests[0].MaxNodes != 1 {
			t.Errorf("%d processors for each task: assumed %v, asks for %+v", tt.perTask, p.assumed, p.requests[0])
		}
	}
}

// TestUneven: of a job that cannot have divided its processors evenly it is not said that it asks for the same number on each node.
func TestUneven(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=2\nNodeName=n2 CPUs=10\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := history()
	h.Partitions, h.Where = []string{"main"}, []string{"", "n[1-2]"}
	h.Jobs = []accounting.Job{{ID: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600, Asked: 12, Procs: 12, AskedNodes: 2, Nodes: 2, Where: 1}}
	p := mustNew(t, h, Setup{Options: window30, Records: records}).placement
	if r := p.requests[0]; p.assumed[evenNodes] != 0 || p.assumed[sameNodes] != 1 || r.TasksPerNode != 0 || r.MinNodes != 2 || r.MaxNodes != 2 {
		t.Errorf("assumed %v, asks for %+v", p.assumed, r)
	}
	if rows := p.rows(); len(rows) != 1 || rows[0].What != "same_nodes" || rows[0].Jobs != 1 {
		t.Errorf("rows %+v", rows)
	}
	// A limit of today says nothing of the nodes.
	if records, err = slurm.ParseRecords("NodeName=n[1-2] CPUs=8\nPartitionName=main Nodes=ALL\n", nil); err != nil {
		t.Fatal(err)
	}
	h.QOS = []string{"normal"}
	site := &accounting.Site{QOS: []accounting.QOS{{Name: "normal", Limits: accounting.Limits{List: []accounting.Limit{{Scope: accounting.ByJob, Resource: "cpu", Most: 8}}}}}}
	p = mustNew(t, h, Setup{Options: window30, Records: records, Site: site}).placement
	if r := p.requests[0]; p.assumed[evenNodes] != 1 || p.assumed[sameNodes] != 0 || r.TasksPerNode != 6 {
		t.Errorf("beyond a limit: assumed %v, asks for %+v", p.assumed, r)
	}
}

// TestOneThread: a job that uses one thread of each core holds both, and need not have asked for the whole node.
func TestOneThread(t *testing.T) {
	records, err := slurm.ParseRecords("SelectTypeParameters=CR_Core\nNodeName=n[1-2] CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]ostrich.Time{"sbatch --hint=nomultithread -n 4 a.sh": {1000, 1000, 1050}, "sbatch -n 4 a.sh": {1000, 1000, 1000}} {
		h := history()
		h.Partitions, h.Needs, h.Where, h.Jobs = []string{"main"}, []accounting.Needs{{Layout: accounting.ParseSubmission(line, 0)}}, []string{"", "n1"}, nil
		for i := range 3 {
			h.Jobs = append(h.Jobs, accounting.Job{ID: ostrich.JobID(i + 1), Asked: 4, Procs: 4, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600})
		}
		h.Jobs[0].Procs, h.Jobs[0].Where = 8, 1
		if line == "sbatch -n 4 a.sh" {
			h.Jobs[0].Procs = 4
		}
		s := mustNew(t, h, Setup{Options: window30, Records: records})
		if n := s.placement.assumed[wholeNodes]; n != 0 {
			t.Errorf("%s: %d jobs ask for whole nodes", line, n)
		}
		jobs, _, err := s.Replay(sitePolicy(t, "fcfs"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		var starts []ostrich.Time
		for _, j := range jobs {
			starts = append(starts, j.Start)
		}
		slices.Sort(starts)
		if !slices.Equal(starts, want) {
			t.Errorf("%s: starts %v, want %v", line, starts, want)
		}
	}
}

// TestSharedByTasks: tasks that share CPUs need those of one on each node.
func TestSharedByTasks(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-2] CPUs=8 Sockets=2\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sbatch -O -n 20 -N 1 --sockets-per-node=2 x", "sbatch -O --ntasks-per-node=20 -N 1 --sockets-per-node=2 x"} {
		h := history()
		h.Partitions, h.Needs = []string{"main"}, []accounting.Needs{{Layout: accounting.ParseSubmission(line, 0)}}
		h.Jobs = []accounting.Job{{ID: 1, Asked: 1, Procs: 1, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600}}
		s := mustNew(t, h, Setup{Options: window30, Records: records})
		if r := s.placement.requests[0]; s.left.jobs[unmet] != 0 || r.Tasks > 1 || r.TasksPerNode > 1 || r.Sockets != 2 {
			t.Errorf("%s: asks for %+v, left out %v", line, r, s.left.jobs)
		}
	}
}

// TestGreatest: priorities of QOS and factors of partitions are parts of the greatest there is, jobs or no jobs.
func TestGreatest(t *testing.T) {
	k := &priority.Controller{PriorityType: "priority/multifactor", Weights: priority.Weights{QOS: 1000, Partition: 100}}
	parts := []priority.Partition{{Name: "main", PriorityJobFactor: 5}, {Name: "idle", PriorityJobFactor: 50}}
	site := &accounting.Site{QOS: []accounting.QOS{{Name: "normal", Priority: 10, UsageFactor: 1}, {Name: "urgent", Priority: 40, UsageFactor: 1}}}
	h := history()
	h.Partitions, h.Jobs = []string{"main"}, h.Jobs[1:3]
	s := mustNew(t, h, Setup{Options: window30, Controller: k, Partitions: parts, Site: site, Procs: 8})
	m, err := multifactor.New(s.Priority, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f := m.Factors(s.Jobs[0].request(), 0); f.QOS != 0.25 || f.Partition != 0.1 {
		t.Errorf("QOS %v, partition %v; want 10/40 and 5/50", f.QOS, f.Partition)
	}
}

// TestNothingTold: notes say which of associations and QOS nobody gave, and nothing of those that they would have.
func TestNothingTold(t *testing.T) {
	k := &priority.Controller{PriorityType: "priority/multifactor", Weights: priority.Weights{QOS: 1000}}
	const tree, qos, gone = "No association tree was given", "PriorityWeightQOS=1000: nothing tells", "are not in the association tree"
	for _, tt := range []struct {
		site *accounting.Site
		want []string
	}{
		{nil, []string{tree, qos}},
		{&accounting.Site{QOS: []accounting.QOS{{Name: "normal", UsageFactor: 1}}}, []string{tree}},
		{&accounting.Site{Accounts: []accounting.Account{{Name: "root"}}}, []string{qos, gone}},
	} {
		notes := strings.Join(mustNew(t, history(), Setup{Options: window30, Controller: k, Site: tt.site}).Notes, "\n")
		for _, words := range []string{tree, qos, gone} {
			if strings.Contains(notes, words) != slices.Contains(tt.want, words) {
				t.Errorf("%+v: notes %s\nwant %q", tt.site, notes, tt.want)
			}
		}
	}
}

// TestWholeBilling: a note says where fair share cannot count the fractions of billing.
func TestWholeBilling(t *testing.T) {
	for resource, want := range map[string]int{"cpu": 1, configuration.Auto: 0} {
		c := configuration.Default()
		c.Schedule.Resource = resource
		s := &source{setup: Setup{Controller: &priority.Controller{}, Partitions: []priority.Partition{
			{Name: "cheap", TotalCPUs: 12, Nodes: []string{"n1"}, NodeCPUs: []int{12}, NodeTRES: []string{"cpu=12"}, BillingWeights: "CPU=0.25"},
		}}}
		if err := s.count(&c); err != nil || strings.Count(strings.Join(s.notes, "\n"), "Fair share charges billing in the whole numbers") != want {
			t.Errorf("%s: %v, notes %q", resource, err, s.notes)
		}
	}
}

// TestClusterOfTables: of tables with several clusters, that of the configuration is read, unless another one was chosen.
func TestClusterOfTables(t *testing.T) {
	const one, two, none = "Cluster|Account\nnimbus|root\n", "Cluster|Account\nfjord|root\nnimbus|root\n", "Name|Priority\nnormal|0\n"
	const shown, written = "Configuration data as of 2026\nClusterName             = nimbus\n", "# x\nClusterName=\"Nimbus\"\n"
	for _, tt := range []struct{ table, configuration, chosen, want string }{
		{two, shown, "", "nimbus"},
		{two, written, "", "nimbus"},
		{two, shown, "fjord", "fjord"},
		{two, "", "", ""},
		{one, shown, "", ""},
		{none, shown, "", ""},
		{two, "ClusterName=other\n", "", ""},
	} {
		s := &source{o: &SiteOptions{}}
		s.o.Cluster = tt.chosen
		if got := s.cluster(tt.table, tt.configuration); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestAllMemory: a job with --mem=0, of which Slurm records the memory of the smallest node, has all of the one on which it runs.
func TestAllMemory(t *testing.T) {
	records, err := slurm.ParseRecords("SelectTypeParameters=CR_CPU_Memory\nNodeName=n1 CPUs=8 RealMemory=1000 Weight=9\nNodeName=n2 CPUs=8 RealMemory=4000\nPartitionName=main Nodes=ALL\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]ostrich.Time{"sbatch --mem=0 -n 1 a.sh": {1000, 1000, 1050}, "sbatch --mem=1000 -n 1 a.sh": {1000, 1000, 1000}, "sbatch -n 1 a.sh": {1000, 1000, 1000}} {
		h := history()
		h.Partitions, h.Needs, h.Jobs = []string{"main"}, []accounting.Needs{{Memory: 1000, Layout: accounting.ParseSubmission(line, 0)}}, nil
		for i := range 3 {
			h.Jobs = append(h.Jobs, accounting.Job{ID: ostrich.JobID(i + 1), Asked: 1, Procs: 1, Nodes: 1, Submit: 1000, Eligible: 1000, Start: 1001, End: 1051, Limit: 600})
		}
		jobs, _, err := mustNew(t, h, Setup{Options: window30, Records: records}).Replay(sitePolicy(t, "fcfs"), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		var starts []ostrich.Time
		for _, j := range jobs {
			starts = append(starts, j.Start)
		}
		slices.Sort(starts)
		if !slices.Equal(starts, want) {
			t.Errorf("%s: starts %v, want %v", line, starts, want)
		}
	}
}

// TestForEver: jobs that waited until the end for what no node has, or for more than a limit allows, wait in the replay, too. One
// that started all the same runs.
func TestForEver(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n[1-2] CPUs=8\nPartitionName=main Nodes=ALL MaxTime=60\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	site := &accounting.Site{QOS: []accounting.QOS{{Name: "normal", UsageFactor: 1}, {Name: "small", UsageFactor: 1}}}
	site.QOS[1].Limits.MaxWall = 1800
	site.QOS[1].Limits.List = []accounting.Limit{{Scope: accounting.ByJob, Resource: "cpu", Most: 4}}
	h := history()
	h.Partitions, h.QOS, h.Needs = []string{"main"}, []string{"normal", "small"}, []accounting.Needs{{}, {Features: "none"}}
	h.Jobs = []accounting.Job{
		h.Jobs[1],
		{ID: 20, QOS: 1, Procs: 8, Submit: 1000, Eligible: 1000, State: accounting.Pending},
		{ID: 21, Needs: 1, Procs: 1, Submit: 1000, Eligible: 1000, State: accounting.Pending},
		{ID: 22, QOS: 1, Procs: 2, Submit: 1000, Eligible: 1000, State: accounting.Pending},
		{ID: 23, QOS: 1, Procs: 8, Submit: 1000, Start: 1200, End: 1300},
		{ID: 25, Limit: 3601, Procs: 1, Submit: 1000, Eligible: 1000, End: 1300, State: accounting.Cancelled}, // longer than the partition allows
		{ID: 26, Limit: 3600, Procs: 1, Submit: 1000, Eligible: 1000, End: 1300, State: accounting.Cancelled},
		{ID: 27, QOS: 1, Limit: 1801, Procs: 1, Submit: 1000, Eligible: 1000, State: accounting.Pending}, // than its QOS allows
	}
	partitions, err := slurm.ParsePartitions("NodeName=n[1-2] CPUs=8\nPartitionName=main Nodes=ALL MaxTime=60\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := mustNew(t, h, Setup{Options: window30, Records: records, Site: site, Partitions: partitions})
	var ids []ostrich.JobID
	for i := range s.Jobs {
		ids = append(ids, s.Jobs[i].Slurm)
	}
	if want := []ostrich.JobID{11, 22, 23, 26}; !slices.Equal(ids, want) {
		t.Errorf("jobs %v are replayed, want %v", ids, want)
	}
	if n := s.left.jobs; n[forEver] != 4 || n[beyondLimit] != 1 || n[unmet] != 0 || n[unfinished] != 1 || n[cancelled] != 1 {
		t.Errorf("%d wait for ever, %d are beyond a limit, %d are unmet and %d had not ended, want 4, 1, 0 and 1", n[forEver], n[beyondLimit], n[unmet], n[unfinished])
	}

	// As many did start that asked for it: too little is known of the nodes.
	h.Jobs = append(h.Jobs, accounting.Job{ID: 24, Needs: 1, Procs: 1, Submit: 1000, Start: 1200, End: 1300})
	s = mustNew(t, h, Setup{Options: window30, Records: records, Site: site, Partitions: partitions})
	if n := s.left.jobs; n[forEver] != 3 || n[unmet] != 2 || n[unfinished] != 2 {
		t.Errorf("%d wait for ever, %d are unmet and %d had not ended, want 3, 2 and 2", n[forEver], n[unmet], n[unfinished])
	}
	h.Jobs[2].Tasks = 3 // more than started, though in one row
	s = mustNew(t, h, Setup{Options: window30, Records: records, Site: site, Partitions: partitions})
	if n := s.left.jobs; n[forEver] != 6 || n[unmet] != 1 {
		t.Errorf("%d wait for ever and %d are unmet, want 6 and 1", n[forEver], n[unmet])
	}

	// As many did start that were to run for longer than they may, as an administrator may have it.
	for id := range ostrich.JobID(2) {
		h.Jobs = append(h.Jobs, accounting.Job{ID: 30 + id, Limit: 3601, Procs: 1, Submit: 1000, Start: 1200, End: 1300})
	}
	s = mustNew(t, h, Setup{Options: window30, Records: records, Site: site, Partitions: partitions})
	if n := s.left.jobs; n[forEver] != 4 {
		t.Errorf("%d wait for ever, want 4", n[forEver])
	}
}

// TestFound: a job's size is what it asks for until slurmctld has looked for nodes, and then what it got, unless that changed while it ran.
func TestFound(t *testing.T) {
	h := history()
	s := mustNew(t, h, Setup{Options: window30})
	known := make(map[wantsKey]*wants)
	for _, tt := range []struct {
		job  accounting.Job
		want int
	}{
		{accounting.Job{Asked: 1, Procs: 12}, 12},
		{accounting.Job{Asked: 1, Procs: 24}, 24},
		{accounting.Job{Asked: 1, Procs: 1}, 0},
		{accounting.Job{Procs: 12}, 0},
		{accounting.Job{Asked: 1, Procs: 12, Resized: true}, 0},
	} {
		if got := s.wanted(h, &tt.job, known).request.Found; got != tt.want {
			t.Errorf("%+v: counts as %d later, want %d", tt.job, got, tt.want)
		}
	}
}
