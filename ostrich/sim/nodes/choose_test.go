package nodes_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// hall is a cluster of nodes of 12 CPUs and 48 000 MiB.
func hall(n int, change ...func(c *nodes.Cluster)) *nodes.Cluster {
	c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core, Memory: true}, DefMemory: nodes.Memory{MiB: 1000, PerCPU: true}}
	for range n {
		c.Nodes = append(c.Nodes, nodes.Node{Sockets: 2, Cores: 6, Threads: 1, Memory: 48000, Weight: 1})
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// pick returns the nodes that a request gets beside jobs that use CPUs of single nodes, and the CPUs of each.
func pick(t *testing.T, c *nodes.Cluster, used map[int]int, r nodes.Request) (places, cpus []int32) {
	t.Helper()
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	l, choose := f.NewLoad(), f.NewChooser()
	for n := range c.Nodes {
		if used[n] == 0 {
			continue
		}
		var one *nodes.Want
		if one, err = f.Want(&nodes.Request{CPUs: used[n], NodeList: []int{n}, MaxNodes: 1}, -1); err != nil {
			t.Fatal(err)
		}
		a, ok := choose.Choose(one, 1, f.All(), l)
		if !ok {
			t.Fatalf("node %d does not take %d CPUs", n, used[n])
		}
		l.Add(a)
	}
	w, err := f.Want(&r, -1)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := choose.Choose(w, 2, f.All(), l)
	if !ok {
		return nil, nil
	}
	return a.Nodes, a.CPUs
}

// TestChoose chooses nodes by the rules of select/cons_tres, worked by hand.
func TestChoose(t *testing.T) {
	features := func(names ...string) func(c *nodes.Cluster) {
		return func(c *nodes.Cluster) {
			for i, name := range names {
				if name != "" {
					c.Nodes[i].Features = []string{name}
				}
			}
		}
	}
	constraint := func(text string) nodes.Features {
		f, err := nodes.ParseFeatures(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	gpus := func(counts ...int64) func(c *nodes.Cluster) {
		return func(c *nodes.Cluster) {
			for i, n := range counts {
				c.Nodes[i].GRES = []nodes.GRES{{Name: "gpu", Count: n}}
			}
		}
	}
	gpu := func(n int64, per nodes.Per) []nodes.GRESRequest {
		return []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: n}, Per: per}}
	}
	for _, tt := range []struct {
		name    string
		cluster *nodes.Cluster
		used    map[int]int
		request nodes.Request
		nodes   []int32
		cpus    []int32
	}{
		{"the node that is filled", hall(4), map[int]int{0: 4, 1: 8, 2: 2}, nodes.Request{CPUs: 4}, []int32{1}, []int32{4}},
		{"spread: the first nodes", hall(5), map[int]int{3: 12}, nodes.Request{CPUs: 2, Tasks: 2, MaxNodes: 2, Spread: true}, []int32{0, 1}, []int32{1, 1}},
		{"not spread: the smaller set first", hall(5), map[int]int{3: 12}, nodes.Request{CPUs: 2, Tasks: 2, MaxNodes: 2}, []int32{0, 4}, []int32{1, 1}},
		{
			"the smallest set of consecutive nodes, not the tightest node",
			hall(6),
			map[int]int{1: 12, 4: 11, 5: 6},
			nodes.Request{CPUs: 6},
			[]int32{0},
			[]int32{6},
		},
		{
			"a set of two before one of three",
			hall(6),
			map[int]int{3: 12},
			nodes.Request{CPUs: 24, Tasks: 24, TasksPerNode: 12},
			[]int32{4, 5},
			[]int32{12, 12},
		},
		{
			"no set is large enough: the largest, then what is left",
			hall(5),
			map[int]int{2: 12},
			nodes.Request{CPUs: 36},
			[]int32{0, 1, 3},
			[]int32{12, 12, 12},
		},
		{
			"the lowest weight",
			hall(4, func(c *nodes.Cluster) { c.Nodes[0].Weight, c.Nodes[1].Weight = 5, 5 }), nil,
			nodes.Request{CPUs: 1},
			[]int32{2},
			[]int32{1},
		},
		{
			"fewer nodes of a low weight than are needed",
			hall(4, func(c *nodes.Cluster) { c.Nodes[3].Weight = 0 }), nil,
			nodes.Request{CPUs: 2, Tasks: 2, MinNodes: 2, MaxNodes: 2},
			[]int32{0, 3},
			[]int32{1, 1},
		},
		{
			"least loaded",
			hall(3, func(c *nodes.Cluster) { c.Select.LLN = true }),
			map[int]int{0: 3, 1: 1, 2: 2},
			nodes.Request{CPUs: 2},
			[]int32{1},
			[]int32{2},
		},
		{
			"serial jobs at the end",
			hall(3, func(c *nodes.Cluster) { c.Select.SerialAtEnd = true }),
			map[int]int{0: 3},
			nodes.Request{CPUs: 1},
			[]int32{2},
			[]int32{1},
		},
		{
			"two processors are no serial job",
			hall(3, func(c *nodes.Cluster) { c.Select.SerialAtEnd = true }),
			map[int]int{0: 3},
			nodes.Request{CPUs: 2},
			[]int32{0},
			[]int32{2},
		},
		{
			"memory leaves five CPUs of a node",
			hall(2), nil,
			nodes.Request{CPUs: 8, Memory: nodes.Memory{MiB: 9000, PerCPU: true}},
			[]int32{0, 1},
			[]int32{5, 3},
		},
		{
			"memory of a node is used up",
			hall(2),
			map[int]int{0: 1},
			nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: 48000}},
			[]int32{1},
			[]int32{1},
		},
		{
			"all memory of a node",
			hall(2),
			map[int]int{0: 1},
			nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: nodes.AllMemory}},
			[]int32{1},
			[]int32{1},
		},
		{"a whole node", hall(2), map[int]int{0: 1}, nodes.Request{CPUs: 1, Exclusive: nodes.WholeNodes}, []int32{1}, []int32{12}},
		{"no whole node", hall(1), map[int]int{0: 1}, nodes.Request{CPUs: 1, Exclusive: nodes.WholeNodes}, nil, nil},
		{"both features", hall(3, features("a", "b", "a")), nil, nodes.Request{CPUs: 1, Features: constraint("b")}, []int32{1}, []int32{1}},
		{"one or another", hall(3, features("", "b", "c")), nil, nodes.Request{CPUs: 24, Features: constraint("b|c")}, []int32{1, 2}, []int32{12, 12}},
		{
			"all of one of them",
			hall(4, features("a", "b", "a", "b")),
			map[int]int{0: 1},
			nodes.Request{CPUs: 24, Features: constraint("[a|b]")},
			[]int32{1, 3},
			[]int32{12, 12},
		},
		{
			"one of each",
			hall(4, features("a", "a", "b", "b")), nil,
			nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 2, Features: constraint("[a*1&b*1]")},
			[]int32{0, 2},
			[]int32{1, 1},
		},
		{"the node with resources", hall(3, gpus(0, 2, 2)), map[int]int{1: 3}, nodes.Request{CPUs: 1, Tasks: 1, GRES: gpu(2, nodes.PerNode)}, []int32{1}, []int32{1}},
		{"resources of the job on two nodes", hall(3, gpus(0, 2, 2)), nil, nodes.Request{CPUs: 2, GRES: gpu(4, nodes.PerJob)}, []int32{1, 2}, []int32{1, 1}},
		{"resources of each task", hall(3, gpus(0, 2, 2)), nil, nodes.Request{CPUs: 3, Tasks: 3, GRES: gpu(1, nodes.PerTask)}, []int32{1, 2}, []int32{2, 1}},
		{"a list and more", hall(4), nil, nodes.Request{CPUs: 24, NodeList: []int{2}}, []int32{2, 3}, []int32{12, 12}},
		{"all but some", hall(3), nil, nodes.Request{CPUs: 1, Exclude: []int{0, 1}}, []int32{2}, []int32{1}},
		{
			"whole cores of two threads",
			hall(2, func(c *nodes.Cluster) {
				for i := range c.Nodes {
					c.Nodes[i].Threads = 2
				}
			}),
			nil,
			nodes.Request{CPUs: 3},
			[]int32{0},
			[]int32{4},
		},
		{
			"whole sockets",
			hall(2, func(c *nodes.Cluster) { c.Select.Unit = nodes.Socket }),
			map[int]int{0: 1},
			nodes.Request{CPUs: 7},
			[]int32{1},
			[]int32{12},
		},
		{
			"select/linear gives whole nodes",
			hall(3, func(c *nodes.Cluster) { c.Select = nodes.Select{Linear: true} }),
			map[int]int{0: 1},
			nodes.Request{CPUs: 2},
			[]int32{1},
			[]int32{12},
		},
		{"more nodes than are allowed", hall(3), map[int]int{0: 6, 1: 6, 2: 6}, nodes.Request{CPUs: 18, MaxNodes: 2}, nil, nil},
		{
			"a small node is left out where few are allowed",
			hall(3),
			map[int]int{0: 11},
			nodes.Request{CPUs: 24, MinNodes: 1, MaxNodes: 2},
			[]int32{1, 2},
			[]int32{12, 12},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			places, cpus := pick(t, tt.cluster, tt.used, tt.request)
			if !slices.Equal(places, tt.nodes) || !slices.Equal(cpus, tt.cpus) {
				t.Errorf("nodes %v with %v CPUs, want %v with %v", places, cpus, tt.nodes, tt.cpus)
			}
		})
	}
}

// TestWillRun finds starts as Slurm does: not after each end, but after those of 30 s, then of 60 s, and so
// on. The job is then said to start with the last of them.
func TestWillRun(t *testing.T) {
	f, err := nodes.NewFloor(hall(2))
	if err != nil {
		t.Fatal(err)
	}
	want := func(r nodes.Request) *nodes.Want {
		w, err := f.Want(&r, -1)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	l, choose := f.NewLoad(), f.NewChooser()
	var running []nodes.Running
	for i, end := range []ostrich.Time{1000, 1020, 1075, 2000} {
		a, ok := choose.Choose(want(nodes.Request{CPUs: 6, Tasks: 6, MaxNodes: 1}), 1, f.All(), l)
		if !ok {
			t.Fatalf("job %d finds no node", i)
		}
		l.Add(a)
		running = append(running, nodes.Running{End: end, Allocation: a})
	}
	for _, tt := range []struct {
		cpus  int
		start ostrich.Time
	}{
		{6, 1020},  // the ends up to 1020 + 30 are taken together
		{18, 1075}, // then those up to 1020 + 60
		{24, 2000},
	} {
		at, _, ok := choose.WillRun(want(nodes.Request{CPUs: tt.cpus}), 2, f.All(), l, nodes.Moment{Now: 900, Running: running})
		if !ok || at != tt.start {
			t.Errorf("%d CPUs: at %d, %t, want %d", tt.cpus, at, ok, tt.start)
		}
	}
	if at, _, ok := choose.WillRun(want(nodes.Request{CPUs: 6}), 2, f.All(), l, nodes.Moment{Now: 1100, Running: running, KillWait: 30}); !ok || at != 1101 {
		t.Errorf("past its end: at %d, %t, want 1101", at, ok)
	}
	if _, _, ok := choose.WillRun(want(nodes.Request{CPUs: 6}), 2, f.All(), l, nodes.Moment{Now: 900, Running: running, OnlyNow: true}); ok {
		t.Error("it can start now")
	}
}

// TestMaxMemPerCPU: a job that asks for more memory on a node than its processors may have gets more
// processors, as Slurm 22.05 does (findings/slurm-maxmempercpu-takes-more.sh).
func TestMaxMemPerCPU(t *testing.T) {
	limit := func(c *nodes.Cluster) { c.MaxMemory = nodes.Memory{MiB: 1000, PerCPU: true} }
	for _, tt := range []struct {
		name string
		r    nodes.Request
		cpus int32 // in all
	}{
		{"below", nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: 900}}, 1},
		{"one task", nodes.Request{CPUs: 1, Tasks: 1, Memory: nodes.Memory{MiB: 2500}}, 3},
		{"on each of two nodes", nodes.Request{CPUs: 2, MinNodes: 2, Memory: nodes.Memory{MiB: 2500}}, 6},
		{"enough processors", nodes.Request{CPUs: 4, Memory: nodes.Memory{MiB: 2500}}, 4},
		{"all memory", nodes.Request{CPUs: 1, Memory: nodes.Memory{MiB: nodes.AllMemory}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, cpus := pick(t, hall(2, limit), nil, tt.r)
			got := int32(0)
			for _, n := range cpus {
				got += n
			}
			if got != tt.cpus {
				t.Errorf("%d processors, want %d", got, tt.cpus)
			}
		})
	}
}

// TestWillRunBesideOthers: which ends are looked at together is decided by the jobs on all nodes of the partition with the
// processors, memory and features, also those without the generic resources.
func TestWillRunBesideOthers(t *testing.T) {
	c := hall(3, func(c *nodes.Cluster) {
		c.Nodes[0].GRES = []nodes.GRES{{Name: "gpu", Count: 1}}
		c.Nodes[2].Features = []string{"old"}
		c.Nodes[0].Features, c.Nodes[1].Features = []string{"new"}, []string{"new"}
	})
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	choose, l := f.NewChooser(), f.NewLoad()
	var running []nodes.Running
	for _, r := range []struct {
		node int
		end  ostrich.Time
	}{{1, 100}, {2, 190}, {0, 200}, {1, 230}, {2, 239}} {
		one, bad := f.Want(&nodes.Request{CPUs: 6, NodeList: []int{r.node}, MaxNodes: 1}, -1)
		if bad != nil {
			t.Fatal(bad)
		}
		a, ok := choose.Choose(one, 1, f.All(), l)
		if !ok {
			t.Fatal("no nodes")
		}
		l.Add(a)
		running = append(running, nodes.Running{End: r.end, Allocation: a})
	}
	features, err := nodes.ParseFeatures("new")
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.Want(&nodes.Request{CPUs: 12, Features: features, GRES: []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}}}}, -1)
	if err != nil {
		t.Fatal(err)
	}
	// The ends are looked at up to 150, then those up to 240: 239 is of a node without the feature.
	if at, _, ok := choose.WillRun(w, 2, f.All(), l, nodes.Moment{Now: 50, Running: running}); !ok || at != 230 {
		t.Errorf("it starts at %d (%t), want 230", at, ok)
	}
}

// TestFewerCPUsThanSockets: where whole sockets are allocated, a node that keeps all CPUs of a socket from jobs (CoreSpecCount) has as many
// sockets as CPUs.
func TestFewerCPUsThanSockets(t *testing.T) {
	for _, cpus := range []int{1, 2, 3} {
		c := &nodes.Cluster{Nodes: []nodes.Node{{Sockets: 4, Cores: 1, CPUs: cpus}}, Select: nodes.Select{Unit: nodes.Socket}}
		if _, got := pick(t, c, nil, nodes.Request{CPUs: cpus}); !slices.Equal(got, []int32{int32(cpus)}) {
			t.Errorf("of %d CPUs a job has %v", cpus, got)
		}
	}
}
