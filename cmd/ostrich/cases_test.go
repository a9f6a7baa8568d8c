package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A filed case is a small input of which the right values are known. TestCases and
// TestDumpCases have a table of them each.
type filedCase struct {
	name  string
	args  string            // of ostrich, in words; a word that is a file's name stands for the file
	files map[string]string // texts of files; others are in $OSTRICH_CASES

	// In the JSON output: paths and values, such as "runs.fairshare.makespan=7200". An
	// element of a list is named by its place, or by its name, what, run, measure or policy.
	json []string
	says []string // parts of what is printed, on standard output or error
	not  []string // what is not part of it
	bad  bool     // the input is refused: ostrich fails
}

// TestCases are cases of the machine, slurm.conf and associations.
func TestCases(t *testing.T) {
	const (
		two  = "compare --sacct two-parts.txt --policy fairshare --json --slurm-config "
		each = "compare --sacct pp.txt --policy fairshare --json --slurm-config "
		head = "ClusterName=c\nPriorityType=priority/multifactor\nPriorityWeightAge=1000\n"
	)
	for _, c := range []filedCase{
		{name: "partitions that overlap in part, unlike nodes", args: two + "mix2.conf", json: []string{"processors=416"}},
		{name: "nested partitions", args: two + "mix3.conf", json: []string{"processors=416"}},
		{
			name: "sums of partitions that overlap in part", args: two + "tp.conf --slurm-config shown.txt",
			files: map[string]string{"shown.txt": mixedPartitions}, json: []string{"processors=518"},
			says: []string{"Partitions a and b share some nodes, and their nodes differ", `\"scontrol show node\"`},
		},
		{
			name: "and their nodes", args: two + "tp.conf --slurm-config shown.txt",
			files: map[string]string{"shown.txt": mixedPartitions + mixedNodes}, json: []string{"processors=416"}, not: []string{"share some nodes"},
		},
		{
			name: "a node that cannot be read, and the file that has it", args: two + "tp.conf --slurm-config parts.txt --slurm-config nodes.txt", bad: true,
			files: map[string]string{"parts.txt": mixedPartitions, "nodes.txt": strings.Replace(mixedNodes, "CPUTot=128", "CPUTot=many", 1)},
			says:  []string{`nodes.txt: scontrol show node: node fat1: "many" processors: not a number`},
		},
		{
			name: "JSON of partitions that does not tell their PreemptMode", args: each + "own.conf --slurm-config p.json",
			files: map[string]string{
				"own.conf": head + "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n",
				"p.json":   `{"partitions":[{"name":"main","nodes":{"configured":"n1"},"cpus":{"total":8},"priority":{"job_factor":1,"tier":1},"maximums":{"shares":1}}]}`,
			},
			says: []string{"does not tell the PreemptMode of partitions: all are taken to have that of the cluster, REQUEUE."},
		},
		{name: "threads of DEFAULT", args: each + "conf-def-threads.conf", json: []string{"processors=128"}},
		{name: "NodeSet by nodes", args: each + "conf-nodeset.conf", json: []string{"processors=32"}},
		{name: "NodeSet by feature", args: each + "conf-nodesetf.conf", json: []string{"processors=32"}},
		{
			name: "nodes of the future and cores that are set aside", args: each + "own.conf",
			files: map[string]string{"own.conf": head + "NodeName=n[1-2] Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=2\n" +
				"NodeName=f[1-9] CPUs=64 State=FUTURE\nNodeName=c1 CPUs=4 State=CLOUD\nPartitionName=main Nodes=ALL\n"},
			json: []string{"processors=28"},
		},
		{name: "two pools", args: two + "tp.conf", json: []string{"processors=8", "runs.fairshare.makespan=7200"}},
		{name: "two pools and --procs", args: two + "tp.conf --procs 8", json: []string{"processors=8", "runs.fairshare.makespan=7200"}, says: []string{"2 pools"}},
		{name: "keys in lower case", args: two + "tp-lower.conf", json: []string{"processors=8", "runs.fairshare.makespan=7200"}},
		{name: "keys in lower case and --procs", args: two + "tp-lower.conf --procs 8", json: []string{"runs.fairshare.makespan=7200"}},
		{
			name: "another size than the partitions have", args: two + "tp.conf --procs 16", json: []string{"processors=16", "runs.fairshare.makespan=3600"},
			says: []string{"taken to have 16 processors (--procs), but its partitions have 8: they count with 200 % of theirs"},
		},
		{
			name: "an option inside SchedulerParameters", args: "compare --sacct bf.txt --policy fairshare --json --slurm-config own.conf",
			files: map[string]string{"own.conf": head + "SchedulerParameters==bf_interval=600\nNodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n"},
			json:  []string{"runs.fairshare.wait.mean=2590"},
		},
		{
			name: "associations by partition", args: "compare --sacct pp.txt --slurm-config pp-part.txt --procs 1 --policy fairshare --json",
			json: []string{"users.bob.runs.fairshare.mean_wait=37799", "users.alice.runs.fairshare.mean_wait=102600"}, not: []string{"are not in the association tree"},
		},
		{
			name: "associations of all partitions", args: "compare --sacct pp.txt --slurm-config pp-nopart.txt --procs 1 --policy fairshare --json",
			json: []string{"users.bob.runs.fairshare.mean_wait=37799", "users.alice.runs.fairshare.mean_wait=102600"},
		},
		{
			name: "associations by another partition, and of all", args: "compare --sacct pp.txt --slurm-config own.txt --procs 1 --policy fairshare --json",
			files: map[string]string{"own.txt": "Cluster|Account|User|Partition|Share|ParentName\nc|root|||1|\nc|phys|||1|root\n" +
				"c|phys|bob|gpu|1|\nc|phys|bob||100|\nc|phys|alice|gpu|1000|\nc|phys|alice||1|\n"},
			json: []string{"users.bob.runs.fairshare.mean_wait=37799", "users.alice.runs.fairshare.mean_wait=102600"},
		},
		{
			name: "no partition is there", args: "compare --sacct gone-part.txt --policy fairshare --slurm-config tp.conf", bad: true,
			says: []string{"no partition in which jobs ran (gone, main) has nodes now; those that do: a, b: give --procs"},
		},
		{
			name: "a partition is not there", args: "compare --sacct gone-part.txt --policy fairshare --json --slurm-config conf-nodeset.conf",
			json: []string{"processors=32", "runs.recorded.jobs=2"}, says: []string{"Partitions without nodes now: gone. To have their jobs too, give"},
		},
		{
			name: "no PriorityType", args: each + "own.conf", files: map[string]string{"own.conf": "ClusterName=c\nNodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n"},
			json: []string{"processors=8"}, says: []string{"Slurm's default since 23.11", "add the line PriorityType=priority/multifactor"},
		},
		{
			name: "a file that is included is not there", args: each + "own.conf", files: map[string]string{"own.conf": head + "Include gone.conf\n"}, bad: true,
			says: []string{"slurm.conf: line 4: include gone.conf: open ", "no such file"},
		},
		{
			name: "functions of nodes", args: each + "own.conf", files: map[string]string{"own.conf": head + "NodeName=n1 Feature=x\nPartitionName=main Nodes=feature{x}\n"}, bad: true,
			says: []string{"slurm.conf: line 5: partition main: Nodes=", "are not followed"},
		},
	} {
		t.Run(c.name, func(t *testing.T) { checkCase(t, &c) })
	}
}

// What scontrol shows of ten nodes with 16 processors and two with 128.
const (
	mixedPartitions = "PartitionName=a Default=YES MaxTime=UNLIMITED Nodes=fat1,thin[1-10] PriorityJobFactor=1 PriorityTier=1 TotalCPUs=288 TotalNodes=11\n" +
		"PartitionName=b Default=NO MaxTime=UNLIMITED Nodes=fat[1-2] PriorityJobFactor=1 PriorityTier=1 TotalCPUs=256 TotalNodes=2\n"
	mixedNodes = "\nNodeName=fat1 Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=0 CPUEfctv=128 CPUTot=128 CPULoad=0.00\n   State=IDLE ThreadsPerCore=1\n\n" +
		"NodeName=fat2 Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=0 CPUEfctv=128 CPUTot=128 CPULoad=0.00\n   State=DOWN* ThreadsPerCore=1\n"
)

// checkCase runs ostrich on a case. It skips one whose files are not there.
func checkCase(t *testing.T, c *filedCase) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"ostrich"}, caseArgs(t, c)...)
	code := run(t.Context(), args, &stdout, &stderr)
	printed := stdout.String() + stderr.String()
	if c.bad != (code != 0) {
		t.Fatalf("%q: exit code %d\n%s", args, code, printed)
	}
	for _, part := range c.says {
		if !strings.Contains(printed, part) {
			t.Errorf("%q does not say %q:\n%s", args, part, printed)
		}
	}
	for _, part := range c.not {
		if strings.Contains(printed, part) {
			t.Errorf("%q says %q:\n%s", args, part, printed)
		}
	}
	if len(c.json) == 0 {
		return
	}
	var tree any
	decoder := json.NewDecoder(&stdout)
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, printed)
	}
	for _, want := range c.json {
		path, value, _ := strings.Cut(want, "=")
		if got := valueAt(tree, path); got != value {
			t.Errorf("%q: %s is %s, want %s\n%s", args, path, got, value, &stderr)
		}
	}
}

// caseArgs returns the arguments, with the paths of files.
func caseArgs(t *testing.T, c *filedCase) []string {
	t.Helper()
	args := strings.Fields(c.args)
	for i, word := range args {
		text, own := c.files[word]
		switch {
		case own:
			args[i] = writeFile(t, filepath.Join(t.TempDir(), word), text)
		case strings.HasSuffix(word, ".txt"), strings.HasSuffix(word, ".conf"), strings.HasSuffix(word, ".swf"):
			args[i] = filepath.Join(casesFolder(t), word)
		}
	}
	return args
}

// casesFolder returns $OSTRICH_CASES, or shared/cases beside the tree. It skips the test
// where there is none.
func casesFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OSTRICH_CASES")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "cases")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no cases: OSTRICH_CASES is not set, and there is no shared/cases beside the tree")
	}
	return folder
}

// valueAt returns the value at a path of decoded JSON: a number with at most three
// digits behind the point, a text, true, false or null.
func valueAt(tree any, path string) string {
	for word := range strings.SplitSeq(path, ".") {
		switch node := tree.(type) {
		case map[string]any:
			tree = node[word]
		case []any:
			tree = elementOf(node, word)
		default:
			return "not there"
		}
	}
	switch value := tree.(type) {
	case nil:
		return "null"
	case json.Number:
		if _, err := value.Int64(); err == nil {
			return value.String()
		}
		f, err := value.Float64()
		if err != nil {
			return value.String()
		}
		text := strings.TrimRight(strconv.FormatFloat(f, 'f', 3, 64), "0")
		return strings.TrimSuffix(text, ".")
	case []any:
		return fmt.Sprintf("a list of %d", len(value))
	}
	return fmt.Sprint(tree)
}

// elementOf returns the element of a list that has a place or a name.
func elementOf(list []any, word string) any {
	if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	for _, element := range list {
		fields, _ := element.(map[string]any)
		for _, key := range []string{"name", "what", "run", "measure", "policy"} {
			if fields[key] == word {
				return element
			}
		}
	}
	return nil
}
