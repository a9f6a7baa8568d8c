package nodes_test

import (
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestMissed: where a job is not looked for again, as it was not placed a moment ago, and where too few GPUs are free, a look at all nodes
// would find none.
func TestMissed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &nodes.Cluster{Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 1}}
		for range rapid.IntRange(1, 5).Draw(t, "nodes") {
			n := nodes.Node{CPUs: rapid.IntRange(1, 4).Draw(t, "cpus"), Memory: 8, Features: []string{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "has")}}
			for _, kind := range []string{"a", "b"} {
				if count := rapid.Int64Range(0, 3).Draw(t, kind); count > 0 {
					n.GRES = append(n.GRES, nodes.GRES{Name: "gpu", Type: kind, Count: count})
				}
			}
			c.Nodes = append(c.Nodes, n)
		}
		f, err := nodes.NewFloor(c)
		if err != nil {
			t.Fatal(err)
		}
		var wants []*nodes.Want
		for range 6 {
			r := nodes.Request{CPUs: rapid.IntRange(1, 5).Draw(t, "asked"), MinNodes: rapid.IntRange(0, 2).Draw(t, "low"), MaxNodes: rapid.SampledFrom([]int{0, 0, 2, 3}).Draw(t, "high")}
			r.Features, err = nodes.ParseFeatures(rapid.SampledFrom([]string{"", "", "x", "x*2", "[x*1&y*1]"}).Draw(t, "features"))
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "memory") {
				r.Memory.MiB = rapid.Int64Range(-1, 8).Draw(t, "mib")
			}
			if kind := rapid.SampledFrom([]string{"", "a", "b", "none"}).Draw(t, "type"); kind != "none" {
				per := rapid.SampledFrom([]nodes.Per{nodes.PerNode, nodes.PerJob, nodes.PerTask}).Draw(t, "per")
				r.GRES = []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Type: kind, Count: rapid.Int64Range(1, 3).Draw(t, "gpus")}, Per: per}}
			}
			if w, bad := f.Want(&r, -1); bad == nil {
				wants = append(wants, w)
			}
		}
		if len(wants) == 0 {
			return
		}
		s := f.NewStock()
		var runs []*nodes.Allocation
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w := rapid.SampledFrom(wants).Draw(t, "want")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				if len(runs) > 0 {
					s.Remove(runs[0])
					runs = runs[1:]
				}
			case 1:
				s.Clear()
			case 2:
				s.Reserve(w, 1, 0, func(i int) (ostrich.Time, *nodes.Allocation) {
					if i >= len(runs) {
						return 0, nil
					}
					return ostrich.Time(i), runs[i]
				})
			default:
				long := rapid.Bool().Draw(t, "long")
				finds := s.Finds(w, long)
				a, ok := s.Place(w, 1, long)
				if ok != finds {
					t.Fatalf("%+v is placed: %t, found: %t", *w.Request, ok, finds)
				}
				if ok {
					s.Add(a, long)
					runs = append(runs, a)
				}
			}
		}
	})
}

// TestFit: jobs fit that have no more of a node than it has, all together.
func TestFit(t *testing.T) {
	f, err := nodes.NewFloor(&nodes.Cluster{Select: nodes.Select{Memory: true}, Nodes: []nodes.Node{{CPUs: 4, Memory: 10}, {CPUs: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	on := func(node, cpus int32) *nodes.Allocation {
		return &nodes.Allocation{Nodes: []int32{node}, CPUs: []int32{cpus}, Memory: []int64{0}}
	}
	for _, test := range []struct {
		all  []*nodes.Allocation
		fits bool
	}{
		{nil, true},
		{[]*nodes.Allocation{on(0, 3), nil, on(0, 1), on(1, 2)}, true},
		{[]*nodes.Allocation{on(0, 3), on(0, 2)}, false},
		{[]*nodes.Allocation{{Nodes: []int32{0, 0}, CPUs: []int32{3, 3}, Memory: []int64{0, 0}}}, false},
		{[]*nodes.Allocation{{Nodes: []int32{0}, CPUs: []int32{1}, Memory: []int64{11}}}, false},
		{[]*nodes.Allocation{on(1, 3)}, false},
		{[]*nodes.Allocation{on(2, 1)}, false},
		{[]*nodes.Allocation{on(0, -1)}, false},
		{[]*nodes.Allocation{{Nodes: []int32{0}}}, false},
	} {
		if fits := f.Fit(test.all); fits != test.fits {
			t.Errorf("%d jobs fit: %t", len(test.all), fits)
		}
	}
}
