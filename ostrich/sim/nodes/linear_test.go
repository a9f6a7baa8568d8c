package nodes_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// lines is a cluster under select/linear: n1 to n10, by four lines of slurm.conf. The first has the highest weight.
func lines() *nodes.Cluster {
	c := &nodes.Cluster{Select: nodes.Select{Linear: true, Memory: true}, DefMemory: nodes.Memory{MiB: 100, PerCPU: true}}
	for _, of := range []struct {
		nodes, cpus    int
		memory, weight int64
		feature        string
		gpus           int64
	}{{3, 4, 4000, 10, "", 0}, {3, 4, 4000, 1, "f", 0}, {2, 6, 8000, 1, "", 2}, {2, 2, 4000, 1, "", 0}} {
		n := nodes.Node{Sockets: 1, Cores: of.cpus, Memory: of.memory, Weight: of.weight, Line: len(c.Nodes)}
		if of.feature != "" {
			n.Features = []string{of.feature}
		}
		if of.gpus > 0 {
			n.GRES = []nodes.GRES{{Name: "gpu", Count: of.gpus}}
		}
		c.Nodes = append(c.Nodes, slices.Repeat([]nodes.Node{n}, of.nodes)...)
	}
	return c
}

// TestLinear places jobs as Slurm 22.05.8 did under select/linear, with CR_Memory, on nodes of these lines. Nodes are counted from 1
// here, as their names are.
func TestLinear(t *testing.T) {
	feature, err := nodes.ParseFeatures("f")
	if err != nil {
		t.Fatal(err)
	}
	perNode := func(n int64) []nodes.GRESRequest {
		return []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: n}}}
	}
	exactly := func(n, cpus int) nodes.Request { return nodes.Request{MinNodes: n, MaxNodes: n, CPUs: cpus} }
	for _, tt := range []struct {
		options string // of sbatch
		busy    []int
		request nodes.Request
		nodes   []int32
	}{
		{"-n1", nil, nodes.Request{CPUs: 1}, []int32{4}},
		{"-N4", nil, exactly(4, 4), []int32{4, 5, 6, 7}},
		{"-N6", nil, exactly(6, 6), []int32{4, 5, 6, 7, 8, 9}},
		{"-N8", nil, exactly(8, 8), []int32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"-N3", []int{4}, exactly(3, 3), []int32{5, 6, 7}},
		{"-N2", []int{5}, exactly(2, 2), []int32{4, 6}},
		{"-n1", []int{4, 5, 6}, nodes.Request{CPUs: 1}, []int32{7}},
		{"-n2 -N2", []int{4, 6, 7}, exactly(2, 2), []int32{5, 8}},
		{"-N3", []int{5, 7}, exactly(3, 3), []int32{4, 6, 8}},
		{"-N4", []int{4, 6, 8}, exactly(4, 4), []int32{5, 7, 9, 10}},
		{"-n8", nil, nodes.Request{CPUs: 8}, []int32{4, 5}},
		{"-n9", nil, nodes.Request{CPUs: 9}, []int32{4, 5, 6}},
		{"-n14", nil, nodes.Request{CPUs: 14}, []int32{6, 7, 8}},
		{"-n12 -N2", nil, exactly(2, 12), []int32{7, 8}},
		{"-n30", nil, nodes.Request{CPUs: 30}, []int32{2, 3, 4, 5, 6, 7, 8}},
		{"-n4 -c3", nil, nodes.Request{Tasks: 4, CPUsPerTask: 3}, []int32{4, 5, 6}},
		{"-n6 -c4", nil, nodes.Request{Tasks: 6, CPUsPerTask: 4}, []int32{4, 5, 6, 7, 8}},
		{"-n4 --ntasks-per-node=2", nil, nodes.Request{Tasks: 4, TasksPerNode: 2}, []int32{4, 5}},
		{"-n4 --ntasks-per-node=1", nil, nodes.Request{Tasks: 4, TasksPerNode: 1}, []int32{4, 5, 6, 7}},
		{"-n6 --ntasks-per-node=6", nil, nodes.Request{Tasks: 6, TasksPerNode: 6}, []int32{7}},
		{"-n6 -c2 --ntasks-per-core=1", nil, nodes.Request{Tasks: 6, CPUsPerTask: 2, TasksPerCore: 1}, []int32{4, 5}},
		{"-N1-3 -n8", nil, nodes.Request{CPUs: 8, MinNodes: 1, MaxNodes: 3}, []int32{4, 5, 6}},
		{"-N2-4", nil, nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 4}, []int32{4, 5, 6, 7}},
		{"-w n8 -N2", nil, nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 2, NodeList: []int{7}}, []int32{4, 8}},
		{"-w n2,n9 -N3", nil, nodes.Request{CPUs: 3, MinNodes: 3, MaxNodes: 3, NodeList: []int{1, 8}}, []int32{2, 4, 9}},
		{"-w n2", nil, nodes.Request{CPUs: 1, NodeList: []int{1}}, []int32{2}},
		{"-x n[4-6]", nil, nodes.Request{CPUs: 1, Exclude: []int{3, 4, 5}}, []int32{7}},
		{"-C f -N2", nil, nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 2, Features: feature}, []int32{4, 5}},
		{"--gres=gpu:1", nil, nodes.Request{CPUs: 1, GRES: perNode(1)}, []int32{7}},
		{"--gres=gpu:2 -N2", nil, nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 2, GRES: perNode(2)}, []int32{7, 8}},
		{"--mem=5000", nil, nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: 5000}}, []int32{7}},
		{"--mem-per-cpu=1200", nil, nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: 1200, PerCPU: true}}, []int32{7}},
		{"--mem-per-cpu=1200 -n9", nil, nodes.Request{CPUs: 9, Memory: nodes.Memory{MiB: 1200, PerCPU: true}}, []int32{7, 8}},
		{"--mem=0", nil, nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: nodes.AllMemory}}, []int32{4}},
		{"--contiguous -N5", nil, nodes.Request{CPUs: 5, MinNodes: 5, MaxNodes: 5, Contiguous: true}, []int32{4, 5, 6, 7, 8}},
		{"--contiguous -N3", []int{5}, nodes.Request{CPUs: 3, MinNodes: 3, MaxNodes: 3, Contiguous: true}, []int32{6, 7, 8}},
		{"--exclusive", nil, nodes.Request{CPUs: 1, Exclusive: nodes.WholeNodes}, []int32{4}},
	} {
		t.Run(tt.options, func(t *testing.T) {
			c, used := lines(), map[int]int{}
			for _, n := range tt.busy {
				used[n-1] = 1
			}
			got, cpus := pick(t, c, used, tt.request)
			for k := range got {
				if want := c.Nodes[got[k]].Cores; int(cpus[k]) != want {
					t.Errorf("%d CPUs of node %d, want all %d", cpus[k], got[k]+1, want)
				}
				got[k]++
			}
			if !slices.Equal(got, tt.nodes) {
				t.Errorf("busy %v: nodes %v, want %v", tt.busy, got, tt.nodes)
			}
		})
	}
}

// TestLinearWillRun: under select/linear Slurm looks after each end, and then among the nodes of all lines.
func TestLinearWillRun(t *testing.T) {
	f, err := nodes.NewFloor(lines())
	if err != nil {
		t.Fatal(err)
	}
	want := func(r nodes.Request) *nodes.Want {
		w, wrong := f.Want(&r, -1)
		if wrong != nil {
			t.Fatal(wrong)
		}
		return w
	}
	l, choose := f.NewLoad(), f.NewChooser()
	var running []nodes.Running
	for n := range 10 {
		a, ok := choose.Choose(want(nodes.Request{CPUs: 1, NodeList: []int{n}}), 1, f.All(), l)
		if !ok {
			t.Fatalf("node %d takes no job", n+1)
		}
		l.Add(a)
		running = append(running, nodes.Running{End: ostrich.Time(1000 + n), Allocation: a})
	}
	for _, tt := range []struct {
		nodes int
		at    ostrich.Time
	}{{1, 1000}, {2, 1001}, {10, 1009}} {
		w := want(nodes.Request{CPUs: tt.nodes, MinNodes: tt.nodes, MaxNodes: tt.nodes})
		if at, _, ok := choose.WillRun(w, 2, f.All(), l, nodes.Moment{Now: 900, Running: running}); !ok || at != tt.at {
			t.Errorf("%d nodes: at %d, %t, want %d", tt.nodes, at, ok, tt.at)
		}
	}
	w := want(nodes.Request{CPUs: 1})
	all, ok := choose.Choose(want(nodes.Request{CPUs: 10, MinNodes: 10}), 1, f.All(), f.NewLoad())
	if !ok {
		t.Fatal("ten nodes take no job")
	}
	full := f.NewLoad()
	full.Add(all)
	for _, tt := range []struct {
		request nodes.Request
		nodes   []int32 // SchedNodeList of 22.05.8, counted from 1
	}{
		{nodes.Request{CPUs: 1}, []int32{1}},
		{nodes.Request{CPUs: 3, MinNodes: 3, MaxNodes: 3}, []int32{1, 2, 3}},
		{nodes.Request{CPUs: 6, MinNodes: 6, MaxNodes: 6}, []int32{1, 2, 3, 4, 5, 6}},
		{nodes.Request{CPUs: 3}, []int32{8}},
		{nodes.Request{CPUs: 7}, []int32{7, 8}},
	} {
		_, a, can := choose.WillRun(want(tt.request), 2, f.All(), full, nodes.Moment{Now: 900, Running: []nodes.Running{{End: 1000, Allocation: all}}})
		if !can {
			t.Fatalf("%+v: no start", tt.request)
		}
		for k := range a.Nodes {
			a.Nodes[k]++
		}
		if !slices.Equal(a.Nodes, tt.nodes) {
			t.Errorf("%d nodes, %d CPUs after a job on all nodes: on %v, want %v", tt.request.MinNodes, tt.request.CPUs, a.Nodes, tt.nodes)
		}
	}
	if at, _, ok := choose.WillRun(w, 2, f.All(), l, nodes.Moment{Now: 1100, Running: running, KillWait: 30}); !ok || at != 1101 {
		t.Errorf("past its end: at %d, %t, want 1101", at, ok)
	}
}
