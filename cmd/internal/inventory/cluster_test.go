package inventory

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority/slurm"
)

func TestParseGRES(t *testing.T) {
	for text, want := range map[string][]nodes.GRES{
		"":                              nil,
		"gpu":                           {{Name: "gpu", Count: 1}},
		"gpu:2":                         {{Name: "gpu", Count: 2}},
		"gpu:a100:4":                    {{Name: "gpu", Type: "a100", Count: 4}},
		"gpu:a100":                      {{Name: "gpu", Type: "a100", Count: 1}},
		"gpu:4(S:0-1)":                  {{Name: "gpu", Count: 4}},
		"gres/gpu:tesla=2":              {{Name: "gpu", Type: "tesla", Count: 2}},
		"gpu:b:2(S:0,1),gpu:a:1(S:1)":   {{Name: "gpu", Type: "a", Count: 1}, {Name: "gpu", Type: "b", Count: 2}},
		"shard:1K,lustre:no_consume:4G": {{Name: "shard", Count: 1024}},
		"gpu:2(IDX:0,1)":                {{Name: "gpu", Count: 2}},
	} {
		got, err := GRES(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"gpu:a100:x", "gpu:", "gpu:a:b:2", ":2", "gpu:-1"} {
		if got, err := GRES(text); !errors.Is(err, slurm.ErrGRES) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzGRES(f *testing.F) {
	f.Add("gpu:a100:4(S:0-1),shard:8K")
	f.Add("gres/gpu:tesla=2")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := GRES(text)
		for _, g := range list {
			if err == nil && (g.Name == "" || g.Count < 0) {
				t.Errorf("%q: %+v", text, g)
			}
		}
		if licenses, err := Licenses(text); err == nil {
			for _, l := range licenses {
				if l.Count < 0 {
					t.Errorf("%q: %+v", text, l)
				}
			}
		}
	})
}

// TestClusterOf: a slurm.conf with unlike nodes, and what is wrong with others.
func TestClusterOf(t *testing.T) {
	const conf = `ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory,CR_LLN
SchedulerParameters=pack_serial_at_end
DefMemPerCPU=2800
Licenses=matlab:10,idl
NodeName=DEFAULT Sockets=2 CoresPerSocket=6 RealMemory=48000
NodeName=n[9-10] Feature=IB,G Gres=gpu:a100:2 Weight=5 MemSpecLimit=1000
NodeName=n[1-2] Feature=IB
NodeName=f1 State=FUTURE
PartitionName=main Nodes=ALL Default=YES MaxNodes=3 PriorityTier=2 DefMemPerNode=100
PartitionName=gpu Nodes=n[9-10] OverSubscribe=EXCLUSIVE MaxMemPerCPU=4000 LLN=YES
PartitionName=one Nodes=n1 OverSubscribe=FORCE:1 PriorityTier=0
PartitionName=yes1 Nodes=n1 OverSubscribe=YES:1
PartitionName=yes Nodes=n1 OverSubscribe=YES
PartitionName=force Nodes=n1 OverSubscribe=FORCE:12
`
	read := func(text string) (*nodes.Cluster, error) {
		records, err := slurm.ParseRecords(text, nil)
		if err != nil {
			return nil, err
		}
		return Of(records)
	}
	c, err := read(conf)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(name string) nodes.Node {
		return nodes.Node{Name: name, Sockets: 2, Cores: 6, Threads: 1, CPUs: 12, Memory: 48000, Features: []string{"IB"}, Weight: 1, Line: 1}
	}
	gpu := func(name string) nodes.Node {
		n := plain(name)
		n.Memory, n.Features, n.Weight, n.Line, n.GRES = 47000, []string{"IB", "G"}, 5, 0, []nodes.GRES{{Name: "gpu", Type: "a100", Count: 2}}
		return n
	}
	want := &nodes.Cluster{
		Nodes: []nodes.Node{plain("n1"), plain("n2"), gpu("n9"), gpu("n10")},
		Partitions: []nodes.Partition{
			{Name: "main", Nodes: []int{0, 1, 2, 3}, Tier: 2, MaxNodes: 3, DefMemory: nodes.Memory{MiB: 100}},
			{Name: "gpu", Nodes: []int{2, 3}, Tier: 1, OverSubscribe: nodes.Exclusive, MaxMemory: nodes.Memory{MiB: 4000, PerCPU: true}, LLN: true},
			{Name: "one", Nodes: []int{0}, Tier: 0},
			{Name: "yes1", Nodes: []int{0}, Tier: 1},
			{Name: "yes", Nodes: []int{0}, Tier: 1, OverSubscribe: nodes.ShareAsked},
			{Name: "force", Nodes: []int{0}, Tier: 1, OverSubscribe: nodes.ShareForced},
		},
		Select:    nodes.Select{Unit: nodes.Core, Memory: true, LLN: true, SerialAtEnd: true},
		Licenses:  []nodes.License{{Name: "matlab", Count: 10}, {Name: "idl", Count: 1}},
		DefMemory: nodes.Memory{MiB: 2800, PerCPU: true},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for text, want := range map[string]string{
		"NodeName=n1 Gres=gpu:a100:two\nPartitionName=p Nodes=n1\n":    `slurm.conf: line 1: gres="gpu:a100:two": "gpu:a100:two": not NAME[:TYPE][:COUNT]`,
		"NodeName=n1 RealMemory=much\nPartitionName=p Nodes=n1\n":      `slurm.conf: line 1: RealMemory="much": not a number of megabytes`,
		"NodeName=n1\nPartitionName=p Nodes=n1 MaxNodes=few\n":         `slurm.conf: line 2: partition p: maxnodes="few": not a number`,
		"Licenses=matlab:few\nNodeName=n1\nPartitionName=p Nodes=n1\n": `slurm.conf: line 1: licenses="matlab:few": "matlab:few": not NAME:COUNT`,
		"NodeName=n1\n": ErrNoNodes.Error(),
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestMemoryOfBoth: memory for each node counts before that for each CPU, whichever of them is that of all partitions.
func TestMemoryOfBoth(t *testing.T) {
	records, err := slurm.ParseRecords("NodeName=n1 CPUs=4 RealMemory=8000\nPartitionName=DEFAULT Nodes=n1 DefMemPerCPU=50 MaxMemPerNode=4000\n"+
		"PartitionName=cpu\nPartitionName=node DefMemPerNode=100 MaxMemPerCPU=60\nPartitionName=none DefMemPerNode=0\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Of(records)
	if err != nil {
		t.Fatal(err)
	}
	most := nodes.Memory{MiB: 4000}
	for i, want := range []nodes.Memory{{MiB: 50, PerCPU: true}, {MiB: 100}, {}} {
		if p := &c.Partitions[i]; p.DefMemory != want || p.MaxMemory != most {
			t.Errorf("partition %s: %+v and at most %+v, want %+v and %+v", p.Name, p.DefMemory, p.MaxMemory, want, most)
		}
	}
}
