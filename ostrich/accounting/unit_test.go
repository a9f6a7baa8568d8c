package accounting_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
)

func weights(t interface {
	Helper()
	Fatal(args ...any)
}, text string,
) accounting.Weights {
	t.Helper()
	all, err := accounting.ReadWeights(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tres(cpus, memory, nodes, billing, gpus uint64) *accounting.TRES {
	return &accounting.TRES{CPUs: cpus, Memory: memory, Nodes: nodes, Billing: billing, Others: []accounting.Count{{Name: "gres/gpu", N: gpus}}}
}

// TestBilling: numbers that a Slurm 22.05.8 gave, with nodes of 8 processors, 16000 MB and 4
// GPUs: of jobs that run and wait, and of a node.
func TestBilling(t *testing.T) {
	const site = "CPU=1,Mem=0.25G,GRES/gpu=8.5"
	for _, tt := range []struct {
		name    string
		weights string
		has     *accounting.TRES // with the billing that Slurm stored
		want    float64
		by      accounting.Combine
	}{
		{"all GPUs of a node, one processor", site, tres(1, 2000, 1, 35, 4), 1 + 2000*0.25/1024 + 34, accounting.Sum},
		{"a GPU, four processors", site, tres(4, 8000, 1, 14, 1), 4 + 8000*0.25/1024 + 8.5, accounting.Sum},
		{"memory", site, tres(3, 3000, 1, 3, 0), 3 + 3000*0.25/1024, accounting.Sum},
		{"two nodes", site, tres(4, 2048, 2, 4, 0), 4.5, accounting.Sum},
		{"a whole node", site, tres(8, 16000, 1, 45, 4), 8 + 16000*0.25/1024 + 34, accounting.Sum},
		{"two nodes of two GPUs, waiting", site, tres(5, 3500, 2, 39, 4), 5 + 3500*0.25/1024 + 34, accounting.Sum},
		{"no weights", "", tres(5, 3500, 2, 5, 4), 5, accounting.Sum},
		{"the greatest", site, tres(1, 2000, 1, 34, 4), 34, accounting.MaxTRES},
		{"the greatest, and the GPUs", site, tres(1, 2000, 1, 35, 4), 35, accounting.MaxTRESGRES},
	} {
		var by accounting.Weights
		if tt.weights != "" {
			by = weights(t, tt.weights)
		}
		u := accounting.Unit{Resource: accounting.Billing, Weights: map[string]accounting.Weights{"main": by}, Combine: tt.by}
		if got := u.Job(tt.has, "main"); math.Abs(got-tt.want) > 1e-9 || uint64(got) != tt.has.Billing {
			t.Errorf("%s: %v, want %v, which Slurm stores as %d", tt.name, got, tt.want, tt.has.Billing)
		}
	}
}

// TestBillingThatWas: a number that the weights of today do not give counts as it is stored.
func TestBillingThatWas(t *testing.T) {
	u := accounting.Unit{Resource: accounting.Billing, Weights: map[string]accounting.Weights{"main": weights(t, "CPU=1.5"), "gpu": weights(t, "CPU=2.5,GRES/gpu=4")}}
	for _, tt := range []struct {
		name       string
		partitions string
		has        *accounting.TRES
		want       float64
	}{
		{"by these weights", "main", tres(3, 0, 1, 4, 0), 4.5},
		{"by others", "main", tres(3, 0, 1, 9, 0), 9},
		{"by none", "main", tres(3, 0, 1, 3, 0), 3},
		{"not stored", "main", tres(3, 0, 1, 0, 0), 4.5},
		{"in the partition without weights", "debug", tres(3, 0, 1, 3, 0), 3},
		{"in any of two, stored by the first", "main,gpu", tres(3, 0, 1, 4, 1), 11.5},
		{"in any of two, stored by the second", "main,gpu", tres(3, 0, 1, 11, 1), 11.5},
		{"a tenth that rounding loses", "main", tres(2, 0, 1, 3, 0), 3},
	} {
		if got := u.Job(tt.has, tt.partitions); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestReadWeights(t *testing.T) {
	for _, tt := range []struct {
		text string
		has  *accounting.TRES
		want float64
	}{
		{"CPU=1.0,Mem=0.25G,GRES/gpu=2.0", tres(16, 65536, 1, 0, 2), 16 + 16 + 4},
		{"gres/GPU=2,cpu=1", tres(1, 0, 1, 0, 1), 3},
		{"Mem=1", tres(1, 4096, 1, 0, 0), 4096},
		{"Mem=1M", tres(1, 4096, 1, 0, 0), 4096},
		{"mem=1T", tres(1, 1<<20, 1, 0, 0), 1},
		{"Node=10,Billing=99", tres(1, 0, 3, 5, 0), 30},
		{"CPU=0", tres(4, 0, 1, 0, 0), 0},
		{"GRES/gpu=2K", tres(4, 0, 1, 0, 1024), 2},
	} {
		if got := weights(t, tt.text).Of(tt.has, accounting.Sum); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"CPU": `"CPU": want RESOURCE=WEIGHT`, "": "want RESOURCE=WEIGHT", "CPU=": "want RESOURCE=WEIGHT", "=1": "want RESOURCE=WEIGHT",
		"CPU=one": `"CPU=one": the weight is not a number`, "CPU=1,Mem=0.25GB": `"Mem=0.25GB": the weight is not a number`, "CPU=NaN": "not a number", "Mem=1e308K": "not a number", "CPU=1,gpu=2": `"gpu": not a TRES: cpu, mem, node`,
	} {
		if _, err := accounting.ReadWeights(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestUnits: of other resources a job takes what it has of them, and never nothing.
func TestUnits(t *testing.T) {
	has := tres(4, 2048, 2, 7, 3)
	for resource, want := range map[string]float64{"mem": 2, "node": 2, "gres/gpu": 3, "gres/fpga": 0} {
		u := accounting.Unit{Resource: resource}
		if got := u.Job(has, "main"); got != want {
			t.Errorf("%s: %v, want %v", resource, got, want)
		}
	}
	u := accounting.Unit{Resource: "gres/gpu"}
	u.Measure(100, 1000)
	if one, three := u.Size(1, 4), u.Size(3, 4); three != 3*one {
		t.Errorf("three GPUs take %d parts, one %d", three, one)
	}
	if free, more := u.Size(0, 4), u.Size(0, 8); free < 1 || max(more-2*free, 2*free-more) > 1 || u.Units(float64(free)) < 0.0003 {
		t.Errorf("jobs without GPUs take %d and %d parts", free, more)
	}
	if err := accounting.CanCount("license/x"); err == nil || !strings.Contains(err.Error(), "cpu, billing, node, mem, gres/NAME") {
		t.Errorf("license/x: %v", err)
	}
}

// TestParts: whatever the machine, its size is some 2^24 parts, and what a job takes loses
// nothing that decides.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := rapid.Float64Range(1e-3, 1e12).Draw(t, "units")
		procs := rapid.IntRange(1, 1_000_000).Draw(t, "processors")
		u := accounting.Unit{Resource: accounting.Billing}
		u.Measure(machine, procs)
		if size := u.Size(machine, uint64(procs)); size < 1<<23 || size > 1<<24 {
			t.Fatalf("a machine of %v has %d parts", machine, size)
		}
		part := rapid.Float64Range(1e-4, 1).Draw(t, "part") * machine
		if got := u.Units(float64(u.Size(part, 0))); math.Abs(got-part) > part*1e-3 {
			t.Fatalf("%v of %v count as %v", part, machine, got)
		}
		if half := part / 2; u.Size(half, 0) > u.Size(part, 0) {
			t.Fatal("half a job takes more than a whole one")
		}
	})
}

// TestNode: a node has what the partition makes of it that charges most for it, and its
// processors where none has weights.
func TestNode(t *testing.T) {
	u := accounting.Unit{Resource: accounting.Billing, Weights: map[string]accounting.Weights{"main": weights(t, "CPU=1"), "gpu": weights(t, "CPU=1,GRES/gpu=8")}}
	node := tres(8, 16000, 0, 45, 4)
	for _, tt := range []struct {
		in   []string
		want float64
	}{{[]string{"main", "gpu", "old"}, 40}, {[]string{"main"}, 8}, {[]string{"old"}, 8}, {nil, 8}} {
		if got := u.Node(node, tt.in); got != tt.want {
			t.Errorf("in %v: %v, want %v", tt.in, got, tt.want)
		}
	}
	for resource, want := range map[string]float64{"node": 1, "gres/gpu": 4, "mem": 15.625} {
		if got := (&accounting.Unit{Resource: resource}).Node(node, nil); got != want {
			t.Errorf("%s: %v, want %v", resource, got, want)
		}
	}
}

// TestSizeFitsTasks: the parts of all tasks of the largest array are a whole number of 64 bits.
func TestSizeFitsTasks(t *testing.T) {
	u := accounting.Unit{Resource: "mem"}
	u.Measure(1<<13, 1000)
	if got := u.Size(1<<40, 1); got != accounting.MaxProcs {
		t.Errorf("%d parts, want %d", got, accounting.MaxProcs)
	}
}

func FuzzReadWeights(f *testing.F) {
	for _, s := range []string{"CPU=1.0,Mem=0.25G,GRES/gpu=2", "Mem=1e308K", "CPU=0x1p-3", "CPU=-1", "CPU=1,CPU=2", "Mem=G", "CPU=1e999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all, err := accounting.ReadWeights(s)
		if err == nil && len(all) != strings.Count(s, ",")+1 {
			t.Errorf("%q: %d weights", s, len(all))
		}
		for _, w := range all {
			if accounting.KnownTRES(w.Resource) != nil || math.IsNaN(w.Each) || math.IsInf(w.Each, 0) || w.Resource != strings.ToLower(w.Resource) {
				t.Errorf("%q: %+v", s, w)
			}
		}
	})
}
