package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/sim/nodes"
)

func TestCluster(t *testing.T) {
	c, f, err := Named("2x4:8G,1x16:64G:gpu=4")
	if err != nil {
		t.Fatal(err)
	}
	want := &nodes.Cluster{
		Nodes: []nodes.Node{
			{Name: "1", CPUs: 4, Memory: 8192, Weight: 1},
			{Name: "2", CPUs: 4, Memory: 8192, Weight: 1},
			{Name: "3", CPUs: 16, Memory: 65536, Weight: 1, GRES: []nodes.GRES{{Name: "gpu", Count: 4}}},
		},
		Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 2048, PerCPU: true},
	}
	if diff := cmp.Diff(want, c); diff != "" || f.CPUs() != 24 {
		t.Errorf("%d CPUs (-want +got):\n%s", f.CPUs(), diff)
	}
	conf := filepath.Join(t.TempDir(), "slurm.conf")
	text := "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory,CR_LLN\nDefMemPerCPU=1000\n" +
		"NodeName=n[10,9] Sockets=2 CoresPerSocket=4 RealMemory=32000 Feature=a,b Weight=3\nPartitionName=p Nodes=n[9-10]\n"
	if err = os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, f, err = Named(conf); err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 2 || c.Nodes[0].Name != "n9" || f.CPUs() != 16 || !c.Select.LLN || !c.Select.Memory || c.Select.Unit != nodes.Core ||
		c.Nodes[1].Memory != 32000 || c.Nodes[1].Weight != 3 || c.DefMemory != (nodes.Memory{MiB: 1000, PerCPU: true}) {
		t.Errorf("slurm.conf is read as %+v", c)
	}
	for text, want := range map[string]string{
		"4":             `--nodes 4: "4": nodes are COUNTxCPUS[:MEMORY][:gpu=N], as in 100x4:8G`,
		"0x4":           `"0x4": nodes are`,
		"2x4:8X":        `"2x4:8X": "8X" is no amount of memory, as 8G`,
		"2x4:8G:gpu=no": `"gpu=no" is no count of a resource, as in gpu=4`,
		"no.conf":       "no such file",
	} {
		if _, _, err = Named(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzNamed(f *testing.F) {
	for _, s := range []string{"2x4:8G,1x16:64G:gpu=4", "1x65536", "0x4", "1x4:9007199254740992", "1x4:8G:gpu=2147483647:gpu=2147483647", "1x1:=1", "2X4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || IsFile(text) {
			t.Skip("names a file, or nothing")
		}
		c, floor, err := Named(text)
		if err != nil {
			return
		}
		cpus := 0
		for i := range c.Nodes {
			if cpus += c.Nodes[i].CPUs; c.Nodes[i].CPUs < 1 || c.Nodes[i].Memory < 0 {
				t.Fatalf("%q: %+v", text, c.Nodes[i])
			}
		}
		if cpus != floor.CPUs() {
			t.Errorf("%q: %d CPUs, %d on the floor", text, cpus, floor.CPUs())
		}
	})
}
