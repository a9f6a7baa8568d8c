package sacct_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// TestNeeds: what a job asks for, of columns that Slurm 22.05 wrote for a batch of a testbed, and
// of older releases, where ReqMem says what it is for.
func TestNeeds(t *testing.T) {
	const (
		head = "JobID|JobIDRaw|User|Account|Partition|State|Submit|Start|End|AllocCPUS|ReqCPUS|ReqNodes|NNodes|ReqMem|ReqTRES|AllocTRES|Constraints|Reservation|Flags|Licenses|NodeList|JobName|SubmitLine\n"
		who  = "2|2|bob|phys|main|COMPLETED|2024-03-01T10:00:00|2024-03-01T10:00:10|2024-03-01T10:01:00|"
	)
	for _, tt := range []struct {
		name, line string
		nodes      int32
		want       accounting.Needs
		where      string
	}{
		{
			"GPUs", who + "12|12|1|1|33600M|billing=12,cpu=12,gres/gpu:a100=2,gres/gpu=2,mem=33600M,node=1|cpu=12|||SchedBackfill||n8|r|sbatch --ntasks=12 --ntasks-per-node=12 --gres=gpu:2 job.sh --ntasks=99",
			1,
			accounting.Needs{
				TRES: "gres/gpu:a100=2,gres/gpu=2", Memory: 33600,
				Layout: accounting.Layout{Known: true, Tasks: 12, TasksPerNode: 12, GRES: "gpu:2"},
			},
			"n8",
		},
		{
			"alternatives, with the delimiter", who + "24|24|2|2|0|cpu=24,node=2|cpu=24|[rack1|rack2]&intel|maint|||n[1-2]|r|srun -N2-4 -n 24 -c 1 --exclusive --mem-per-cpu=2G hostname -x",
			2,
			accounting.Needs{
				Features: "[rack1|rack2]&intel", Reservation: "maint",
				Layout: accounting.Layout{Known: true, NoRequeue: true, Tasks: 24, CPUsPerTask: 1, MinNodes: 2, MaxNodes: 4, Exclusive: "node", Memory: 2048, MemoryPer: accounting.PerCPU},
			},
			"n[1-2]",
		},
		{
			"memory for each node", who + "4|4|2|2|4Gn|cpu=4,node=2|cpu=4|(null)|||matlab:2|n[1-2]|r|",
			2,
			accounting.Needs{Licenses: "matlab:2", Memory: 4096, Per: accounting.PerNode},
			"n[1-2]",
		},
		{
			"alternative licences", who + "4|4|2|2|4Gn|cpu=4,node=2|cpu=4||||a-b/c@srv:2|octave:1|n[1-2]|r|s|",
			2,
			accounting.Needs{Licenses: "a-b/c@srv:2|octave:1", Memory: 4096, Per: accounting.PerNode},
			"n[1-2]",
		},
		{
			"licences, and a name with the delimiter", who + "4|4|2|2|4Gn|cpu=4,node=2|cpu=4||||matlab:2,ansys:1|n1|r|s|",
			2,
			accounting.Needs{Licenses: "matlab:2,ansys:1", Memory: 4096, Per: accounting.PerNode},
			"n1",
		},
		{
			"memory for each processor", who + "4|4||1|500Mc|||||||None assigned|r|salloc -A phys -w n1,n2 --mem=1500K",
			0,
			accounting.Needs{Memory: 500, Per: accounting.PerCPU, Layout: accounting.Layout{Known: true, NoRequeue: true, NodeList: "n1,n2", Memory: 2, MemoryPer: accounting.PerNode}},
			"",
		},
	} {
		h, err := sacct.Read(strings.NewReader(head+tt.line+"\n"), "dump", sacct.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		j := &h.Jobs[0]
		if diff := cmp.Diff(tt.want, *h.NeedsOf(j)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
		if j.Backfilled != strings.Contains(tt.line, "SchedBackfill") {
			t.Errorf("%s: backfilled is %v", tt.name, j.Backfilled)
		}
		if j.AskedNodes != tt.nodes || h.WhereRan(j) != tt.where {
			t.Errorf("%s: %d nodes, on %q", tt.name, j.AskedNodes, h.WhereRan(j))
		}
		merged, err := accounting.Merge(h, h)
		if err != nil || *merged.NeedsOf(&merged.Jobs[0]) != tt.want || merged.WhereRan(&merged.Jobs[0]) != tt.where {
			t.Errorf("%s: merged %+v, %v", tt.name, merged, err)
		}
	}
	for _, tt := range []struct{ line, want string }{
		{who + "4|4|1|1|4G|cpu=4,gres/gpu=two|||||||r|", `sacct: dump:2:reqtres: "cpu=4,gres/gpu=two": no number of gres/gpu`},
		{who + "4|4|1|1|4G|cpu=4,disk=2|||||||r|", `sacct: dump:2:reqtres: "cpu=4,disk=2": "disk": not a TRES: cpu, mem, node`},
		{who + "4|4|some|1|4G|cpu=4|||||||r|", "sacct: dump:2"},
		{who + "4|4|1|1|much|cpu=4|||||||r|", "sacct: dump:2"},
	} {
		if _, err := sacct.Read(strings.NewReader(head+tt.line+"\n"), "dump", sacct.Options{}); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.line, err, tt.want)
		}
	}
}

// TestLicenses: a list between commas, where these are the delimiter too, and what is no list of licences.
func TestLicenses(t *testing.T) {
	read := func(mark, licenses string) (*accounting.History, error) {
		line := strings.Join([]string{"JobID", "User", "Submit", "Start", "End", "State", "NCPUS", "Licenses", "NodeList"}, mark) + "\n" +
			strings.Join([]string{"7", "ada", "2024-03-01T10:00:00", "2024-03-01T10:00:01", "2024-03-01T10:00:09", "COMPLETED", "1", licenses, "n[1,3]"}, mark) + "\n"
		return sacct.Read(strings.NewReader(line), "dump", sacct.Options{Delimiter: mark})
	}
	for _, licenses := range []string{"", "(null)", "matlab:2,ansys:1", "matlab:2,ansys:1,x@y:3"} {
		h, err := read(",", licenses)
		if want := strings.TrimPrefix(licenses, "(null)"); err != nil || h.NeedsOf(&h.Jobs[0]).Licenses != want || h.WhereRan(&h.Jobs[0]) != "n[1,3]" {
			t.Errorf("%q: %v, %+v", licenses, err, h)
		}
	}
	h, err := sacct.Read(strings.NewReader("JobID|User|Submit|Start|End|State|NCPUS|SubmitLine\n"+
		"7|ada|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|1|sbatch -L matlab:2,ansys x -L y\n"), "dump", sacct.Options{})
	if err != nil || h.NeedsOf(&h.Jobs[0]).Licenses != "matlab:2,ansys" {
		t.Errorf("by the line of submission: %v, %+v", err, h)
	}
	// A second header has the column, and what the line says no longer counts.
	const head = "JobID|User|Submit|Start|End|State|NCPUS|SubmitLine"
	const times = "|ada|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|1|sbatch -L matlab:2 x"
	h, err = sacct.Read(strings.NewReader(head+"\n7"+times+"\n"+head+"|Licenses\n8"+times+"|\n"), "dump", sacct.Options{})
	if err != nil || h.NeedsOf(&h.Jobs[0]).Licenses != "matlab:2" || h.NeedsOf(&h.Jobs[1]).Licenses != "" {
		t.Errorf("in one file: %+v, %v", h, err)
	}
	for _, licenses := range []string{"mat lab:2", "matlab:two", ":2", `"matlab":2`, "matlab:99999999999"} {
		if _, err := read("|", licenses); err == nil || !strings.HasSuffix(err.Error(), "not licences such as matlab:2,ansys:1") {
			t.Errorf("%q: %v", licenses, err)
		}
	}
}

// FuzzSubmission: any line is read, and no number is below 0.
func FuzzSubmission(f *testing.F) {
	f.Add("sbatch -N2-4 -n 24 --gres gpu:2 --mem=4G x --mem=1")
	f.Add("srun --mem= -N")
	f.Fuzz(func(t *testing.T, line string) {
		l := accounting.ParseSubmission(line, 0)
		if l.Tasks < 0 || l.CPUsPerTask < 0 || l.TasksPerNode < 0 || l.MinNodes < 0 || l.MaxNodes < 0 || l.Memory < 0 || l.Known != (strings.TrimSpace(line) != "") && l.Known {
			t.Errorf("%q: %+v", line, l)
		}
	})
}

// TestChoice: a line of submission that names several partitions is read, one that names a single one tells nothing new.
func TestChoice(t *testing.T) {
	for line, want := range map[string]string{
		"sbatch -p short,long x": "short,long", "sbatch --partition=a,b -n2 x": "a,b", "sbatch --partition a,b -p c x": "", "sbatch -p one x": "", "sbatch x -p a,b": "",
		"sbatch -p a,b : -n 2": "a,b",
	} {
		if got := accounting.ParseSubmission(line, 0).Partitions; got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got := accounting.ParseSubmission("sbatch -p a,b : -n 2", 1).Partitions; got != "" {
		t.Errorf("the second component has the choice of %q", got)
	}
}

// TestLayoutOfNodes: what a line of submission says of sockets and cores, and of tasks that share CPUs.
func TestLayoutOfNodes(t *testing.T) {
	for line, want := range map[string]accounting.Layout{
		"sbatch -B 2:4 --ntasks-per-socket=2 x":                   {Sockets: 2, Cores: 4, TasksPerSocket: 2},
		"sbatch --extra-node-info=*:*:2 x":                        {Threads: 2},
		"sbatch --sockets-per-node 2 --cores-per-socket=6 x -B 1": {Sockets: 2, Cores: 6},
		"sbatch -O -n 20 x":                                       {Tasks: 20, Overcommit: true},
		"sbatch -n 20 x --overcommit":                             {Tasks: 20},
	} {
		want.Known = true
		got := accounting.ParseSubmission(line, 0)
		if again := accounting.ParseSubmission(got.Line(), 0); got != want || again != want {
			t.Errorf("%q: %+v, and written %+v; want %+v", line, got, again, want)
		}
	}
}

// TestNoRequeue: whose line of submission says that the job may not be requeued.
func TestNoRequeue(t *testing.T) {
	for line, want := range map[string]bool{
		"sbatch -n4 job.sh --no-requeue": false, "sbatch --no-requeue job.sh": true, "srun -n4 a.out": true, "/usr/bin/salloc": true, "sbatch --requeue x": false, "": false,
	} {
		if got := accounting.ParseSubmission(line, 0).NoRequeue; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestMemoryShares: of records of Slurm 24.11 and 26.05, what jobs got tells for what they asked memory, unless several can be.
func TestMemoryShares(t *testing.T) {
	const head = "JobID|User|Submit|Start|End|State|ReqCPUS|NCPUS|NNodes|ReqMem|ReqTRES|AllocTRES\n"
	for _, tt := range []struct {
		asked, held string
		memory      int64
		per         accounting.Per
		all         bool
	}{
		{"cpu=1,mem=500M,node=1", "cpu=2,mem=1000M,node=1", 500, accounting.PerCPU, false},                                                  // both threads of a core
		{"cpu=1,mem=9000M,node=1", "cpu=2,mem=9000M,node=1", 9000, accounting.PerNode, false},                                               // --mem
		{"cpu=4,mem=5000M,node=1", "cpu=4,mem=20000M,node=4", 5000, accounting.PerNode, false},                                              // --mem, where there was room
		{"cpu=8,mem=4000M,node=2", "cpu=8,mem=6000M,node=3", 2000, accounting.PerNode, false},                                               // likewise, of two nodes at least
		{"cpu=8,mem=8000M,node=1", "cpu=8,mem=8000M,node=3", 1000, accounting.PerCPU, false},                                                // --mem-per-cpu
		{"cpu=1,mem=16000M,node=1", "cpu=1,mem=32000M,node=1", 16000, accounting.PerJob, true},                                              // --mem=0
		{"cpu=4,mem=4000M,node=1", "cpu=4,mem=4000M,node=1", 4000, accounting.PerJob, false},                                                // either
		{"billing=16,cpu=4,gres/gpu=1,mem=6000M,node=1", "billing=16,cpu=4,gres/gpu=1,mem=20000M,node=1", 20000, accounting.PerNode, false}, // DefMemPerGPU
		{"cpu=8,gres/gpu:h100=8,gres/gpu=8,mem=12000M,node=2", "cpu=8,gres/gpu=8,mem=160000M,node=2", 80000, accounting.PerNode, false},     // likewise
		{"cpu=3,mem=4000M,node=1", "cpu=6,mem=3000M,node=2", 4000, accounting.PerJob, false},                                                // neither
		{"cpu=4,mem=4000M,node=1", "", 4000, accounting.PerJob, false},                                                                      // not known
		{"cpu=4,mem=4000M,node=1", "billing=4,cpu=4,node=1", 4000, accounting.PerJob, false},                                                // memory is not counted
	} {
		cell := func(list, name string) string {
			for item := range strings.SplitSeq(list, ",") {
				if n, is := strings.CutPrefix(item, name+"="); is {
					return n
				}
			}
			return ""
		}
		line := strings.Join([]string{
			"7|ada|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED", cell(tt.asked, "cpu"), cell(tt.held, "cpu"), cell(tt.held, "node"), cell(tt.asked, "mem"), tt.asked, tt.held,
		}, "|")
		h, err := sacct.Read(strings.NewReader(head+line+"\n"), "dump", sacct.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := h.NeedsOf(&h.Jobs[0]); n.Memory != tt.memory || n.Per != tt.per || n.AllMemory != tt.all {
			t.Errorf("%s got %s: %d for each of %d, all %v; want %d for %d, %v", tt.asked, tt.held, n.Memory, n.Per, n.AllMemory, tt.memory, tt.per, tt.all)
		}
	}
}

// TestComponents: each component of a heterogeneous job has its own part of the line, and values of options are no script.
func TestComponents(t *testing.T) {
	const line = "sbatch --hint nomultithread --ntasks-per-core=2 -p long -n 2 --mem=1G : -p long -n 4 -c2 job.sh : -n 9"
	var dump strings.Builder
	dump.WriteString("JobID|JobIDRaw|User|Submit|Start|End|State|ReqCPUS|NCPUS|SubmitLine\n")
	for i, id := range []string{"36+0", "36+1"} {
		fmt.Fprintf(&dump, "%s|%d|ada|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|4|4|%s\n", id, 36+i, line)
	}
	h, err := sacct.Read(strings.NewReader(dump.String()+"38|38|ada|2024-03-01T10:00:00|2024-03-01T10:00:01|2024-03-01T10:00:09|COMPLETED|4|4|sbatch --gres NONE x\n"), "dump", sacct.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []accounting.Layout{{Known: true, Tasks: 2, Threads: 1, TasksPerCore: 2, Memory: 1024, MemoryPer: accounting.PerNode}, {Known: true, Tasks: 4, CPUsPerTask: 2, Memory: 1024, MemoryPer: accounting.PerNode}, {Known: true}}
	for i := range h.Jobs {
		if j := &h.Jobs[i]; h.NeedsOf(j).Layout != want[i] || (j.Het == 36) != (i < 2) {
			t.Errorf("job %d: het %v, %+v, want %+v", j.ID, j.Het, h.NeedsOf(j).Layout, want[i])
		}
	}
}

// TestPassedOn: what a component has of the parts of the line before its own, as sbatch -vv of Slurm 22.05 says, which values
// are words of their own, and that no component of a bad row is far from the first.
func TestPassedOn(t *testing.T) {
	const parts = "sbatch --nice=50 --exclude=n9 --no-requeue --mem=1G --exclusive -N2 -n 2 : -n 4 a.sh : -n 9"
	inherits := accounting.Layout{Known: true, Nice: 50, Exclude: "n9", NoRequeue: true, Memory: 1024, MemoryPer: accounting.PerNode, Tasks: 4}
	for _, tt := range []struct {
		line      string
		component int
		want      accounting.Layout
	}{
		{parts, 1, inherits},
		{parts, 2, inherits}, // what is behind the script is its own
		{parts, 1 << 62, inherits},
		{"sbatch --nice=70 -N 4 het.sh", 1, accounting.Layout{Known: true, Nice: 70, MinNodes: 4, MaxNodes: 4}},
		{"sbatch --nice=70 het.sh -N : -N 3", 1, accounting.Layout{Known: true, Nice: 70}},
		{"srun --mem-per-cpu=5 -n 1 a : -n 2 b", 1, accounting.Layout{Known: true, NoRequeue: true, Tasks: 2}},
		{"srun -n 8 --bcast ./a.out -N 4 --exclusive", 0, accounting.Layout{Known: true, NoRequeue: true, Tasks: 8}},
		{"srun -T 3 -W 5 --het-group 0 --wait 9 --jobid 7 --tasks-per-node 2 -n 8 a", 0, accounting.Layout{Known: true, NoRequeue: true, Tasks: 8, TasksPerNode: 2}},
		{"sbatch -W --wait a.sh -n 8", 0, accounting.Layout{Known: true}},
	} {
		if got := accounting.ParseSubmission(tt.line, tt.component); got != tt.want {
			t.Errorf("component %d of %q: %+v, want %+v", tt.component, tt.line, got, tt.want)
		}
	}
	for ids, want := range map[[2]ostrich.JobID]int{{9, 7}: 2, {7, 7}: 0, {7, 0}: 0, {1, 67043327}: 0, {999, 7}: 0} {
		if got := accounting.Component(ids[0], ids[1]); got != want {
			t.Errorf("job %d of %d is component %d, want %d", ids[0], ids[1], got, want)
		}
	}
}

// TestSubmissionLine: the line that a layout writes is read as the layout.
func TestSubmissionLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := rapid.SliceOf(rapid.SampledFrom([]string{
			"-n4", "--ntasks=2", "--cpus-per-task 3", "--ntasks-per-node=2", "-N2-5", "--nodes=3", "--mem=4G", "--mem-per-cpu=500", "--gres=gpu:a100:2", "--gpus-per-node=1", "-G xgpu:2", "--gpus=a100:1,gpu:3", "--gpus-per-task=xgpu:1",
			"--exclusive", "--exclusive=user", "-s", "--contiguous", "--spread-job", "--no-requeue", "-w n[1-3]", "-x n9", "--mem=0", "--mem=abc", "--mem-per-cpu=x", "-L matlab:2,ansys", "--licenses=a|b:2", "--nice", "--nice=-7", "--hint=nomultithread", "--hint memory_bound", "--threads-per-core=2", "--ntasks-per-core 1",
		})).Draw(t, "options")
		line := strings.Join(append([]string{rapid.SampledFrom([]string{"sbatch", "srun", "/usr/bin/salloc"}).Draw(t, "command")}, options...), " ")
		want := accounting.ParseSubmission(line, 0)
		if got := accounting.ParseSubmission(want.Line(), 0); got != want {
			t.Errorf("%s: %+v\n%s: %+v", line, want, want.Line(), got)
		}
	})
	if none := new(accounting.Layout).Line(); none != "" {
		t.Errorf("nothing has the line %q", none)
	}
}

// TestLacks: a dump says which columns it has not of those that tell how jobs were scheduled.
func TestLacks(t *testing.T) {
	const job = "1|1|alice|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:01:00|COMPLETED|1"
	for _, tt := range []struct {
		header, line string
		want         []string
	}{
		{
			"JobID|JobIDRaw|User|Submit|Start|End|State|NCPUS|Account|QOS|Partition|Eligible|TimelimitRaw|ReqTRES|Constraints|Prioritty|Flags", job + "|a|q|p|2024-03-01T10:00:00|1|cpu=1|f|7|",
			[]string{"Reservation", "Priority", "NodeList"},
		},
		{
			"JobID|JobIDRaw|User|Submit|Start|End|State|NCPUS", job,
			[]string{"Partition", "QOS", "Account", "Eligible", "Timelimit", "ReqMem", "ReqTRES", "Constraints", "Reservation", "Flags", "Priority", "NodeList"},
		},
	} {
		h, err := sacct.Read(strings.NewReader(tt.header+"\n"+tt.line+"\n"), "dump", sacct.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.Lacks, tt.want) {
			t.Errorf("%s: lacks %q, want %q", tt.header, h.Lacks, tt.want)
		}
	}
}

// TestCommas: lists whose items are separated by commas are read whole where commas separate the columns, too.
func TestCommas(t *testing.T) {
	const dump = "JobIDRaw,User,Submit,Start,End,State,NCPUS,ReqTRES,Flags,Priority,NodeList,NTasks,TRESUsageInAve,State\n" +
		"1,alice,2024-03-01T10:00:00,2024-03-01T10:00:00,2024-03-01T10:01:00,COMPLETED,2,cpu=2,gres/gpu=1,SchedBackfill,StartRecieved,7,n[1,3],1,cpu=00:00:01,mem=1M,COMPLETED\n"
	h, err := sacct.Read(strings.NewReader(dump), "dump", sacct.Options{Delimiter: ","})
	if err != nil {
		t.Fatal(err)
	}
	if j := &h.Jobs[0]; !j.Backfilled || h.NeedsOf(j).TRES != "gres/gpu=1" || h.WhereRan(j) != "n[1,3]" {
		t.Errorf("%+v asks for %+v, and ran on %s", j, h.NeedsOf(j), h.WhereRan(j))
	}
}
