package slurm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

const slurmConf = `# A cluster.
ClusterName=lab
SlurmctldHost=head(127.0.0.1) # where slurmctld runs
prioritytype = priority/multifactor
PriorityDecayHalfLife=14-0
PriorityMaxAge=2-12
PriorityCalcPeriod=10
PriorityUsageResetPeriod=monthly
PriorityFavorSmall=yes
PriorityWeightAge=1000 PriorityWeightFairshare=10000
PriorityWeightTRES=CPU=7,Mem=3
FairShareDampeningFactor=5
PriorityFlags=DEPTH_OBLIVIOUS,MAX_TRES
MinJobAge=600
SchedulerType=sched/backfill
SchedulerParameters=defer,default_queue_depth=50,sched_interval=120,\
batch_sched_delay=10,sched_min_interval=2000000,partition_job_depth=20,\
bf_interval=45,bf_window=2880,bf_resolution=300,bf_max_job_test=2000,bf_max_job_part=100,bf_max_job_user=30,bf_max_job_start=10,\
bf_max_job_assoc=4,bf_max_job_user_part=3,bf_job_part_count_reserve=2,bf_max_job_array_resv=1,bf_min_prio_reserve=5,bf_continue
Prolog="/etc/slurm/a prolog" # its key is not read

NodeName=DEFAULT Sockets=2 CoresPerSocket=8
NodeName=n[1-2] RealMemory=1000
NodeName=n3 CPUs=4
PartitionName=DEFAULT MaxTime=1-0 State=UP PriorityTier=2
PartitionName=main Nodes=ALL Default=YES DefaultTime=60
PartitionName=alt Nodes=n[2-3] MaxTime=UNLIMITED Priority=5
PartitionName=closed Nodes=n3 MaxTime=30:30 State=drain PriorityJobFactor=0
`

func TestParseControllerConf(t *testing.T) {
	got, err := ParseController(slurmConf, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := priority.Controller{
		ClusterName: "lab", PriorityType: "priority/multifactor", PriorityFlags: []string{"DEPTH_OBLIVIOUS", "MAX_TRES"},
		Weights:        priority.Weights{Age: 1000, Fairshare: 10000, TRES: []priority.TRESWeight{{Name: "CPU", Weight: 7}, {Name: "Mem", Weight: 3}}},
		PriorityMaxAge: 60 * 3600, CalcPeriod: 600, DecayHalfLife: 14 * 86400, UsageReset: "MONTHLY", FairShareDamping: 5,
		FavorSmall:        true,
		DefaultQueueDepth: 50, BackfillMaxJobTest: 2000, BackfillContinue: true,
		Scheduling: priority.Scheduling{
			Interval: 120, BatchDelay: 10, MinInterval: 2000000, PartitionJobDepth: 20,
			BackfillInterval: 45, BackfillWindow: 2880 * 60, BackfillResolution: 300,
			BackfillMaxPart: 100, BackfillMaxUser: 30, BackfillMaxStart: 10, BackfillMaxAssoc: 4, BackfillMaxBoth: 3, BackfillKept: 2, BackfillArray: 1, BackfillMinPrio: 5, Defer: true,
		},
	}
	got.SchedulerParameters = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("controller (-want +got):\n%s", diff)
	}
	standard, err := ParseController("ClusterName=c\nPriorityType=priority/multifactor\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(standard.PriorityFlags) > 0 || standard.DecayHalfLife != 604800 || standard.BackfillMaxJobTest != 500 || standard.FairShareDamping != 1 {
		t.Errorf("defaults %+v", standard)
	}
}

// TestParseControllerSaved reads what scontrol showed.
func TestParseControllerSaved(t *testing.T) {
	got, err := ParseController(captured(t, "22.05/config.txt"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := parseConfig(captured(t, "22.05/config.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("controller (-want +got):\n%s", diff)
	}
}

func TestSchedulerParameters(t *testing.T) {
	standard := priority.Scheduling{
		Interval: 60, BatchDelay: 3, MinInterval: 2, BackfillInterval: 30, BackfillWindow: 86400, BackfillResolution: 60,
	}
	with := func(change func(*priority.Scheduling)) priority.Scheduling { s := standard; change(&s); return s }
	for _, tt := range []struct {
		name, parameters string
		want             priority.Scheduling
	}{
		{"none", "(null)", standard},
		{"never", "sched_interval=-1,bf_interval=-1", with(func(s *priority.Scheduling) { s.Interval, s.BackfillInterval = priority.Never, priority.Never })},
		{"max_rpc_cnt", "max_rpc_cnt=150", with(func(s *priority.Scheduling) { s.MaxRPCs = 150 })},
		{"at once", "batch_sched_delay=0,sched_min_interval=0", with(func(s *priority.Scheduling) { s.BatchDelay, s.MinInterval = 0, 0 })},
		{"inside the text", "=bf_interval=600,xsched_interval=7,bf_interval=20", with(func(s *priority.Scheduling) { s.BackfillInterval, s.Interval = 600, 7 })},
		{"a unit", "bf_interval=600s,max_rpc_count=9", with(func(s *priority.Scheduling) { s.BackfillInterval, s.MaxRPCs = 600, 9 })},
		{"after a letter of two bytes", "ıİbf_window=60", with(func(s *priority.Scheduling) { s.BackfillWindow = 3600 })},
		{"any case", "BF_Window=60", with(func(s *priority.Scheduling) { s.BackfillWindow = 3600 })},
		{"what Slurm ignores", "bf_interval=0,bf_window=50000,bf_resolution=0,batch_sched_delay=-1,bf_max_job_user=-1,sched_interval=0", standard},
		{"tasks of an array out of range", "bf_max_job_array_resv=-1,bf_max_job_array_resv=1001", standard},
		{"the first task always", "bf_max_job_array_resv=0", with(func(s *priority.Scheduling) { s.BackfillArray = 1 })},
		{"what is not read", "bf_yield_interval=5,nohold_on_prolog_fail,bf_window_linear=7", standard},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parseConfig("ClusterName = c\nPriorityType = priority/multifactor\nSLURM_VERSION = 23.02.1\nSchedulerParameters = " + tt.parameters)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Scheduling); diff != "" {
				t.Errorf("scheduling (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseControllerFaults(t *testing.T) {
	const head = "ClusterName=c\nPriorityType=priority/multifactor\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "slurm.conf: no ClusterName"},
		{"include", head + "\ninclude /etc/slurm/nodes.conf\n", "slurm.conf: line 4: include /etc/slurm/nodes.conf: save what `scontrol show config`"},
		{"no value", head + "PriorityWeightAge\n", `slurm.conf: line 3: "PriorityWeightAge": not Key=Value`},
		{"a quote", head + "Prolog=\"/etc\n", "slurm.conf: line 3: Prolog: a quote that does not end"},
		{"weight", head + "PriorityWeightAge=-1\n", `slurm.conf: line 3: PriorityWeightAge="-1": not a weight`},
		{"time", head + "PriorityMaxAge=1:2:3:4\n", `slurm.conf: line 3: PriorityMaxAge="1:2:3:4": not minutes`},
		{"reset", head + "PriorityUsageResetPeriod=hourly\n", `PriorityUsageResetPeriod="hourly": not NONE, NOW`},
		{"damping", head + "FairShareDampeningFactor=0\n", `FairShareDampeningFactor="0": below 1`},
		{"small", head + "PriorityFavorSmall=perhaps\n", `PriorityFavorSmall="perhaps": not Yes or No`},
		{"parameter", head + "SchedulerParameters=bf_window=long\n", `slurm.conf: SchedulerParameters: "bf_window=long": not a number`},
		{"at the end, after a byte that is no letter", head + "SchedulerParameters=0\x89sched_interval=\n", `"sched_interval=": not a number`},
		{"shown without a release", "Configuration data as of 1\nClusterName = c\nPriorityType = priority/basic\n", "scontrol show config: no SLURM_VERSION"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseController(tt.text, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParsePartitionsSaved(t *testing.T) {
	shown := captured(t, "22.05/partitions.txt")
	want := []priority.Partition{
		{
			Name: "main", Default: true, MaxTime: 86400, TotalCPUs: 4, PriorityTier: 1, PriorityJobFactor: 1,
			Nodes: []string{"n1", "n2"},
		},
		{Name: "alt", MaxTime: priority.Unlimited, TotalCPUs: 2, PriorityTier: 2, PriorityJobFactor: 5, Nodes: []string{"n2"}},
	}
	// Without -o, scontrol shows some words on each line, and an empty line after each partition.
	var lines strings.Builder
	for i, word := range strings.Fields(shown) {
		switch {
		case strings.HasPrefix(word, "PartitionName=") && i > 0:
			lines.WriteString("\n\n" + word)
		case i%4 == 0:
			lines.WriteString("\n   " + word)
		default:
			lines.WriteString(" " + word)
		}
	}
	reservation := "ReservationName=maint StartTime=2026-11-28T10:00:00 State=INACTIVE\n   Nodes=n1 Features=(null) PartitionName=(null)\n     NodeName=n1 CoreIDs=0\n   TotalCPUs=9\n"
	for name, text := range map[string]string{
		"with -o": shown, "without": lines.String(), "a reservation behind them": lines.String() + "\n\n" + reservation, "on a line": shown + "\n" + strings.Join(strings.Fields(reservation), " "),
	} {
		got, err := ParsePartitions(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: partitions (-want +got):\n%s", name, diff)
		}
	}
}

func TestParsePartitionsConf(t *testing.T) {
	got, err := ParsePartitions(slurmConf, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []priority.Partition{
		{
			Name: "main", Default: true, MaxTime: 86400, TotalCPUs: 48, PriorityTier: 2,
			PriorityJobFactor: 1, Nodes: []string{"n1", "n2", "n3"}, NodeCPUs: []int{16, 16, 16}, NodeTRES: []string{"cpu=16,mem=1000M", "cpu=16,mem=1000M", "cpu=16,mem=1M"}, // 4 CPUs are not what n3's sockets have
		},
		{
			Name: "alt", MaxTime: priority.Unlimited, TotalCPUs: 32, PriorityTier: 5, PriorityJobFactor: 5,
			Nodes: []string{"n2", "n3"}, NodeCPUs: []int{16, 16}, NodeTRES: []string{"cpu=16,mem=1000M", "cpu=16,mem=1M"},
		},
		{
			Name: "closed", MaxTime: 31 * 60, TotalCPUs: 16, PriorityTier: 2, PriorityJobFactor: 0,
			Nodes: []string{"n3"}, NodeCPUs: []int{16}, NodeTRES: []string{"cpu=16,mem=1M"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"none", "ClusterName=c\n", "slurm.conf: no partition"},
		{"shown none", "No partitions in the system, TotalCPUs=0", `scontrol show partition: no partition`},
		{"shown nodes", "PartitionName=a Nodes=n[1 TotalCPUs=4", `partition a: Nodes="n[1": not a list of nodes`},
		{"nodes that are none", "PartitionName=a Nodes=n1\n", `slurm.conf: line 1: partition a: node "n1": no NodeName line has it`},
		{"list", "NodeName=n[2-1]\n", `slurm.conf: line 1: NodeName="n[2-1]": not a list of nodes`},
		{"processors", "NodeName=n1 CPUs=many\n", `slurm.conf: line 1: CPUs="many": not a number from 0 to 65535`},
		{"of DEFAULT", "NodeName=DEFAULT\nNodeName=DEFAULT Sockets=-1\n", `slurm.conf: line 2: Sockets="-1": not a number`},
		{"time of DEFAULT", "PartitionName=DEFAULT MaxTime=long\nPartitionName=a\n", `slurm.conf: line 1: MaxTime="long"`},
		{"a node twice", "NodeName=n[1-3]\nNodeName=n2\n", `slurm.conf: line 2: node n2: line 1 of slurm.conf has it already`},
		{"a partition twice", "PartitionName=a\npartitionname=a\n", `slurm.conf: line 2: partition a: line 1 of slurm.conf has it already`},
		{"a set's nodes", "NodeSet=s Nodes=n[1\nPartitionName=a Nodes=s\n", `slurm.conf: line 2: partition a: Nodes="s": slurm.conf: line 1: NodeSet s: Nodes="n[1": not a list`},
		{"a function", "NodeName=n1 Feature=x\nPartitionName=a Nodes=feature{x}\n", `functions such as feature{x} are not followed: save what`},
		{"tier", "PartitionName=a PriorityTier=high\n", `slurm.conf: line 1: PriorityTier="high": not a number from 0 to 65535`},
		{"time", "PartitionName=a MaxTime=long\n", `slurm.conf: line 1: MaxTime="long": not minutes`},
	} {
		if _, err := ParsePartitions(tt.text, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestConfAsSlurmctld compares the nodes and partitions of a slurm.conf with those that
// slurmctld made of it.
func TestConfAsSlurmctld(t *testing.T) {
	read := func(name string) (string, error) { return captured(t, "22.05/nodes/"+name), nil }
	got, err := ParsePartitions(captured(t, "22.05/nodes/slurm.conf"), read)
	if err != nil {
		t.Fatal(err)
	}
	nodes, shown := captured(t, "22.05/nodes/nodes.txt"), captured(t, "22.05/nodes/partitions.txt")
	for name, text := range map[string]string{"partitions first": shown + nodes, "nodes first": nodes + shown} {
		want, bad := ParsePartitions(text, nil)
		if bad != nil {
			t.Fatal(bad)
		}
		byNode := func(p priority.Partition) map[string]int {
			all := make(map[string]int)
			for i, n := range p.NodeCPUs {
				all[p.Nodes[i]] = n
			}
			return all
		}
		for i := range want {
			if i >= len(got) {
				t.Fatalf("%s: %d partitions, want %d", name, len(got), len(want))
			}
			if diff := cmp.Diff(byNode(want[i]), byNode(got[i])); diff != "" {
				t.Errorf("%s: nodes of %s (-slurmctld +got):\n%s", name, want[i].Name, diff)
			}
			w, g := want[i], got[i]
			if diff := cmp.Diff(resources(&w, true), resources(&g, false)); diff != "" {
				t.Errorf("%s: resources of %s (-slurmctld +got):\n%s", name, w.Name, diff)
			}
			w.Nodes, w.NodeCPUs, w.NodeTRES, w.NodeFeatures, g.Nodes, g.NodeCPUs, g.NodeTRES = nil, nil, nil, nil, nil, nil, nil
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("%s: partition (-slurmctld +got):\n%s", name, diff)
			}
		}
	}
	c, err := ParseController(captured(t, "22.05/nodes/slurm.conf"), read)
	if err != nil || c.Scheduling.BackfillInterval != 600 || c.BackfillMaxJobTest != 1 {
		t.Errorf("SchedulerParameters==: %+v, %v", c.Scheduling, err)
	}
}

// resources are those of the nodes of a partition, without what billing makes of them, which
// slurm.conf does not say, and the GRES that accounting does not count.
func resources(p *priority.Partition, shown bool) map[string]string {
	all := make(map[string]string)
	for i, text := range p.NodeTRES {
		words := strings.Split(text, ",")
		all[p.Nodes[i]] = strings.Join(slices.DeleteFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "billing=") || !shown && strings.HasPrefix(w, "gres/")
		}), ",")
	}
	return all
}

// TestConfResources: what a slurm.conf says of memory, GRES and weights.
func TestConfResources(t *testing.T) {
	const head = "ClusterName=c\n"
	parts, err := ParsePartitions(head+"NodeName=DEFAULT CPUs=8\nNodeName=n1 RealMemory=16000 Gres=gpu:a100:2,gpu:v100:2,fpga\nNodeName=n2 Gres=gpu:no_consume:1K\n"+
		"PartitionName=main Nodes=n1,n2 TRESBillingWeights=\"CPU=1,GRES/gpu=2\"\n", nil)
	want := []string{"cpu=8,mem=16000M,gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2,gres/fpga=1", "cpu=8,mem=1M,gres/gpu=1024"}
	if err != nil || !slices.Equal(parts[0].NodeTRES, want) || parts[0].BillingWeights != "CPU=1,GRES/gpu=2" {
		t.Errorf("%v: %+v", err, parts)
	}
	for line, want := range map[string]string{
		"Gres=gpu:4x:": `slurm.conf: line 2: gres="gpu:4x:": "gpu:4x:": not NAME[:TYPE][:COUNT], as in gpu:a100:4(S:0-1)`, "RealMemory=1G": `slurm.conf: line 2: RealMemory="1G": not a number of megabytes`,
	} {
		if _, err := ParsePartitions(head+"NodeName=n1 CPUs=8 "+line+"\nPartitionName=main Nodes=n1\n", nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestConfLines reads lines that Slurm's own parser reads in the same way.
func TestConfLines(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [][]confWord
	}{
		{"blanks and case", "  A = 1\t b=2 \r\n", [][]confWord{{{"A", "1"}, {"b", "2"}}}},
		{"a quote", `A="x y" B=z` + "\n", [][]confWord{{{"A", "x y"}, {"B", "z"}}}},
		{"two equal signs", "A==x=1\n", [][]confWord{{{"A", "=x=1"}}}},
		{"an operator", "A+=1\nB *= 2\n", [][]confWord{{{"A", "1"}}, {{"B", "2"}}}},
		{"a comment", "# A=1\nB=2 # C=3\n", [][]confWord{{{"B", "2"}}}},
		{"escapes", `A=x\#y B=c:\\d # z` + "\n" + `C=a\\#b` + "\n", [][]confWord{{{"A", "x#y"}, {"B", `c:\d`}}, {{"C", `a\`}}}},
		{"continued", "A=1 \\\n B=2 \\  \n\tC=3\nD=4\n", [][]confWord{{{"A", "1"}, {"B", "2"}, {"C", "3"}}, {{"D", "4"}}}},
		{"not in a comment", "# A \\\nB=2\n", [][]confWord{{{"B", "2"}}}},
		{"not by two backslashes", "A=x\\\\\nB=2\n", [][]confWord{{{"A", `x\`}}, {{"B", "2"}}}},
		{"at the end", "A=1 \\\n", [][]confWord{{{"A", "1"}}}},
		{"a mark in front", byteOrderMark + "A=1\n", nil},
	} {
		lines, err := confLines(strings.TrimPrefix(tt.text, byteOrderMark), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got [][]confWord
		for _, l := range lines {
			got = append(got, l.words)
		}
		if tt.want != nil && !cmp.Equal(tt.want, got, cmp.AllowUnexported(confWord{})) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestExclusivePartitions: slurm.conf and scontrol say where each job has its nodes for
// itself.
func TestExclusivePartitions(t *testing.T) {
	for text, want := range map[string]bool{
		"NodeName=n1\nPartitionName=a Nodes=n1":                                                        false,
		"NodeName=n1\nPartitionName=a Nodes=n1 OverSubscribe=FORCE:4":                                  false,
		"NodeName=n1\nPartitionName=a Nodes=n1 oversubscribe=exclusive":                                true,
		"NodeName=n1\nPartitionName=DEFAULT Shared=EXCLUSIVE\nPartitionName=a Nodes=n1":                true,
		"NodeName=n1\nPartitionName=DEFAULT Shared=EXCLUSIVE\nPartitionName=a Nodes=n1 Shared=NO":      false,
		"PartitionName=a\n   Nodes=n1 OverSubscribe=EXCLUSIVE\n   TotalCPUs=4":                         true,
		"PartitionName=a\n   Nodes=n1 ExclusiveUser=YES ReqResv=NO OverSubscribe=NO\n   TotalCPUs=4\n": false,
	} {
		parts, err := ParsePartitions(text, nil)
		if err != nil || len(parts) != 1 || parts[0].Exclusive != want {
			t.Errorf("%q: %+v, %v, want %v", text, parts, err, want)
		}
	}
}

// TestShown: partitions alone say nothing of how jobs get their priorities.
func TestShown(t *testing.T) {
	const partition = "PartitionName=a\n   Nodes=n1 TotalCPUs=4\n"
	for text, want := range map[string]error{partition: errShown, "NodeName=n1 CPUTot=4\n": errShown, "ClusterName = c\nPriorityType = priority/basic\nSLURM_VERSION = 22.05.8\n" + partition: nil} {
		if _, err := ParseController(text, nil); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// TestInclude reads files that others include.
func TestInclude(t *testing.T) {
	files := map[string]string{
		"nodes-lab.conf": "NodeName=n1 CPUs=2\n\tInclude parts.conf\n", "parts.conf": "PartitionName=a Nodes=n1\n",
		"marked.conf": "\ufeffClusterName=lab\n", "loop.conf": "include loop.conf\n", "bad.conf": "\nNodeName=n1 CPUs=x\n",
	}
	read := func(name string) (string, error) {
		text, is := files[name]
		if !is {
			return "", errors.New("no such file")
		}
		return text, nil
	}
	parts, err := ParsePartitions("Include marked.conf\nINCLUDE  nodes-%c.conf # of the cluster\n", read)
	if err != nil || len(parts) != 1 || parts[0].TotalCPUs != 2 {
		t.Errorf("%+v, %v", parts, err)
	}
	for text, want := range map[string]string{
		"\nInclude gone.conf\n":                                       "slurm.conf: line 2: include gone.conf: no such file",
		"Include loop.conf\n":                                         "loop.conf: line 1: include loop.conf: it includes itself",
		"Include nodes-%c.conf\n":                                     "no line before this one has ClusterName",
		"A=1\nInclude bad.conf\n":                                     `bad.conf: line 2: CPUs="x": not a number`,
		"Include two words.conf\n":                                    "slurm.conf: line 1: \"Include two words.conf\": not Key=Value",
		"ClusterName=c\nInclude a b":                                  "not Key=Value",
		"A=1\nInclude = parts.conf\n":                                 "slurm.conf: line 2: Include = parts.conf: write Include without =",
		"NodeName=n1 \\\n# CPUs=4\n cpus=8\nPartitionName=a Nodes=n1": "slurm.conf: line 3: cpus: no line begins with it",
	} {
		if _, err := ParsePartitions(text, read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestHiddenNodes: nodes of clouds that are switched off are not shown.
func TestHiddenNodes(t *testing.T) {
	parts, err := ParsePartitions("PartitionName=a Nodes=n1,c[1-2] TotalCPUs=24\n"+
		"NodeName=n1 CPUEfctv=6 CPUTot=8 State=IDLE\nNodeName=f1 CPUTot=4 State=FUTURE\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := parts[0]; !cmp.Equal(p.NodeCPUs, []int{6, priority.Hidden, priority.Hidden}) || p.HiddenCPUs != 16 {
		t.Errorf("%+v", p)
	}
	if cpus := priority.NodeCPUs(parts); cpus["n1"] != 6 || cpus["c1"] != 8 || cpus["c2"] != 8 {
		t.Errorf("%v", cpus)
	}
}

func TestPriorityTypeAssumed(t *testing.T) {
	for text, want := range map[string]bool{"": true, "PriorityType=priority/multifactor": false} {
		c, err := ParseController("ClusterName=c\n"+text+"\n", nil)
		if err != nil || !c.Multifactor() || c.TypeAssumed != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func TestConfTime(t *testing.T) {
	for text, want := range map[string]ostrich.Duration{
		"30": 1800, "30:00": 1800, "0:01": 60, "1:30:00": 5400, "2-0": 172800, "2-12": 216000, "2-12:30": 217800,
		"2-12:30:15": 217860, "0": 0, "NONE": 0, "infinite": priority.Unlimited, "-1": priority.Unlimited,
	} {
		if got, err := confTime(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"x", "1:2:3:4", "1-", "-5", "1-2:3:4:5", "1.5"} {
		if got, err := confTime(bad); err == nil {
			t.Errorf("%q: %d, want an error", bad, got)
		}
	}
}

func TestExpandNodes(t *testing.T) {
	for _, tt := range []struct {
		list string
		want string // "!": an error
	}{
		{"", ""},
		{"n1", "n1"},
		{"n[1-3]", "n1 n2 n3"},
		{"n[08-10,2],login", "n08 n09 n10 n2 login"},
		{"r[0-1]c[1-2]x", "r0c1x r0c2x r1c1x r1c2x"},
		{"a,,b", "a b"},
		{"n[1", "!"},
		{"n1]", "!"},
		{"n[[1]]", "!"},
		{"n[a-b]", "!"},
		{"n[]", "!"},
		{"n[0-99999999]", "!"},
		{"n[0-9999]m[0-9999]", "!"},
	} {
		got, err := ExpandNodes(tt.list)
		if tt.want == "!" {
			if err == nil {
				t.Errorf("%q: %d nodes, want an error", tt.list, len(got))
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.list, got, err, tt.want)
		}
	}
}

// TestExpandRange compares a range with its nodes written out.
func TestExpandRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,3}[0-9]{0,3}`), 1, 20).Draw(t, "nodes")
		got, err := ExpandNodes(strings.Join(nodes, ","))
		if diff := cmp.Diff(nodes, got); diff != "" || err != nil {
			t.Errorf("nodes (-want +got), %v:\n%s", err, diff)
		}
	})
}

func FuzzConf(f *testing.F) {
	addLines(f, "ClusterName=c1\nPriorityType=priority/multifactor\n", slurmConf)
	f.Add("NodeName=n[1-3] Sockets=2\nPartitionName=a Nodes=ALL\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseController(text, nil); err == nil && (c.PriorityType == "" || c.DefaultQueueDepth < 0 || c.BackfillMaxJobTest < 1 ||
			c.Scheduling.BackfillWindow < 1 || c.Scheduling.BackfillResolution < 1 || c.Scheduling.Interval == 0) {
			t.Errorf("%+v", c)
		}
		if parts, err := ParsePartitions(text, nil); err == nil && len(parts) == 0 {
			t.Error("no partition and no error")
		}
	})
}

func TestStoresComments(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "AccountingStoreFlags=job_env": false, "AccountingStoreFlags=job_script,Job_Comment": true,
		"AccountingStoreJobComment=Yes": true, "AccountingStoreJobComment=No": false, // until 20.11
	} {
		c, err := ParseController("ClusterName=c1\nPriorityType=priority/multifactor\n"+text+"\n", nil)
		if err != nil || c.StoresComments != want {
			t.Errorf("%q: %v, %v; want %v", text, c.StoresComments, err, want)
		}
	}
}

// TestPreemptionOfConf: a partition's PreemptMode is not the cluster's, and PreemptExemptTime keeps its seconds.
func TestPreemptionOfConf(t *testing.T) {
	c, err := ParseController("ClusterName=c\nPreemptMode=REQUEUE\nPreemptExemptTime=00:00:10\nPriorityMaxAge=00:00:10\nNodeName=n1 CPUs=4\n"+
		"PartitionName=DEFAULT PreemptMode=CANCEL\nPartitionName=main Nodes=n1 PreemptMode=OFF\n", nil)
	if err != nil || c.PreemptMode != "REQUEUE" || c.PreemptExemptTime != 10 || c.PriorityMaxAge != 60 {
		t.Errorf("PreemptMode %q, PreemptExemptTime %d s, PriorityMaxAge %d s, error %v; want REQUEUE, 10 s, 60 s", c.PreemptMode, c.PreemptExemptTime, c.PriorityMaxAge, err)
	}
}
