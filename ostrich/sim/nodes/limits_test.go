package nodes_test

import (
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/sim/nodes"
)

// TestLimitsOfBoth: a limit of an association counts only if no QOS has the same one, though the jobs beyond it are counted.
// One of each node is that of an average node.
func TestLimitsOfBoth(t *testing.T) {
	group := []nodes.Limit{{Resource: "cpu", Most: 4}, {Resource: "jobs", Most: 4}}
	account := &nodes.Association{Account: "a", Limits: group}
	user := &nodes.Association{Account: "a", User: "u", Parent: account, Limits: []nodes.Limit{{Scope: nodes.User, Resource: "jobs", Most: 1}, {Scope: nodes.JobNode, Resource: "cpu", Most: 2}}}
	partQOS := &nodes.QOS{Name: "part", Limits: []nodes.Limit{{Resource: "node", Most: 3}}}
	c := &nodes.Cluster{
		Nodes:      []nodes.Node{{Name: "n1", CPUs: 8}, {Name: "n2", CPUs: 8}, {Name: "n3", CPUs: 8}},
		Partitions: []nodes.Partition{{Name: "main", Nodes: []int{0, 1, 2}, QOS: partQOS}},
	}
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	chooser, load, usage := f.NewChooser(), f.NewLoad(), f.NewUsage()
	start := func(what string, cpus, least int, q *nodes.QOS, want bool) {
		w, err := f.Want(&nodes.Request{CPUs: cpus, MinNodes: least, QOS: q, Association: user, Partitions: []int{0}}, 0)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		a, ok := chooser.Choose(w, 0, f.All(), load)
		if !ok {
			t.Fatalf("%s: no nodes", what)
		}
		if got := usage.Allows(w, 0) && usage.AllowsRequest(w, 0) && usage.AllowsAllocation(w, 0, a); got != want {
			t.Errorf("%s: allowed is %v", what, got)
		} else if got {
			load.Add(a)
			usage.Add(w, 0, a)
		}
	}
	wide := &nodes.QOS{Name: "wide", Limits: []nodes.Limit{{Resource: "cpu", Most: 100}, {Scope: nodes.User, Resource: "jobs", Most: 9}}}
	start("first of the user", 2, 1, nil, true)
	start("second of the user", 1, 1, nil, false)
	start("as many jobs as the QOS allows an account", 1, 1, &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.Account, Resource: "jobs", Most: 5}}}, true)
	start("with both limits of the QOS", 4, 2, wide, true)
	start("beyond the nodes of the partition's QOS", 4, 2, wide, false)
	start("the account's processors, used by the others", 1, 1, &nodes.QOS{Limits: wide.Limits[1:]}, false)
}

// TestLimitOfNodes: a node on which a user has several jobs counts once, until the last of them has ended.
func TestLimitOfNodes(t *testing.T) {
	f, err := nodes.NewFloor(&nodes.Cluster{Nodes: []nodes.Node{{CPUs: 8}, {CPUs: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	q := &nodes.QOS{Limits: []nodes.Limit{{Scope: nodes.User, Resource: "node", Most: 1}}}
	w, bad := f.Want(&nodes.Request{CPUs: 1, QOS: q}, -1)
	if bad != nil {
		t.Fatal(bad)
	}
	on := func(node int32) *nodes.Allocation {
		return &nodes.Allocation{Nodes: []int32{node}, CPUs: []int32{1}, Memory: []int64{0}}
	}
	usage := f.NewUsage()
	allowed := func(what string, first, second bool) {
		t.Helper()
		for node, want := range []bool{first, second} {
			if got := usage.AllowsAllocation(w, 7, on(int32(node))); got != want {
				t.Errorf("%s: on node %d: %t", what, node, got)
			}
		}
	}
	allowed("no jobs", true, true)
	usage.Add(w, 7, on(0))
	usage.Add(w, 7, on(0))
	allowed("two jobs", true, false)
	usage.Remove(w, 7, on(0))
	allowed("one is left", true, false)
	usage.Remove(w, 7, on(0))
	allowed("none is left", true, true)
}

// TestRows: jobs that share CPUs are on no node with those that do not, unless these come later and are of their partition.
func TestRows(t *testing.T) {
	c := &nodes.Cluster{
		Nodes: []nodes.Node{{Name: "n1", CPUs: 4}, {Name: "n2", CPUs: 4}, {Name: "n3", CPUs: 4}},
		Partitions: []nodes.Partition{
			{Name: "main", Nodes: []int{0, 1, 2}}, {Name: "forced", Nodes: []int{0, 1, 2}, OverSubscribe: nodes.ShareForced}, {Name: "asked", Nodes: []int{0, 1, 2}, OverSubscribe: nodes.ShareAsked},
		},
	}
	f, err := nodes.NewFloor(c)
	if err != nil {
		t.Fatal(err)
	}
	var wants []*nodes.Want
	for _, r := range []nodes.Request{{Partitions: []int{0}}, {Partitions: []int{1}}, {Partitions: []int{2}, Share: true}, {Partitions: []int{2}}} {
		w, bad := f.Want(&r, r.Partitions[0])
		if bad != nil {
			t.Fatal(bad)
		}
		wants = append(wants, w)
	}
	chooser, load := f.NewChooser(), f.NewLoad()
	var first *nodes.Allocation
	for i, want := range []int32{0, 1, 1, 0} {
		a, ok := chooser.Choose(wants[i], uint32(i), f.All(), load)
		if !ok || a.Nodes[0] != want {
			t.Fatalf("request %d: %+v, %v, want node %d", i, a, ok, want)
		}
		load.Add(a)
		if first == nil {
			first = a.Copy()
		}
	}
	load.Remove(first)
	if a, ok := chooser.Choose(wants[1], 0, nodes.SetOf(3, []int{0}), load); ok {
		t.Errorf("beside one that does not share: %+v", a)
	}
	load = f.NewLoad()
	for i, place := range []struct{ request, on int }{{2, 0}, {3, 0}, {2, -1}, {1, -1}, {0, -1}} {
		a, ok := chooser.Choose(wants[place.request], 0, nodes.SetOf(3, []int{0}), load)
		if ok != (place.on >= 0) {
			t.Fatalf("%d, request %d: %+v, %v", i, place.request, a, ok)
		}
		if ok {
			load.Add(a)
		}
	}
}

// TestGPUsOfTasks: a job has as many generic resources as its tasks ask for, however many threads are of their cores.
func TestGPUsOfTasks(t *testing.T) {
	gpu := func(n int64, per nodes.Per) []nodes.GRESRequest {
		return []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: n}, Per: per}}
	}
	for name, test := range map[string]struct {
		request nodes.Request
		want    [2]int64 // on each node
	}{
		"-n1":                         {nodes.Request{CPUs: 1, Tasks: 1}, [2]int64{1, 0}},
		"no number of tasks":          {nodes.Request{CPUs: 1}, [2]int64{1, 0}},
		"-n3":                         {nodes.Request{CPUs: 3, Tasks: 3}, [2]int64{3, 0}},
		"-n4 --hint=nomultithread":    {nodes.Request{CPUs: 4, Tasks: 4, Threads: 1}, [2]int64{4, 0}},
		"-n3 -N2":                     {nodes.Request{CPUs: 3, Tasks: 3, MinNodes: 2, MaxNodes: 2}, [2]int64{2, 1}},
		"-N2 --ntasks-per-node=1":     {nodes.Request{CPUs: 2, MinNodes: 2, MaxNodes: 2, TasksPerNode: 1}, [2]int64{1, 1}},
		"-n2 -c3, whole cores for it": {nodes.Request{CPUs: 6, Tasks: 2, CPUsPerTask: 3}, [2]int64{2, 0}},
	} {
		c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core}}
		for range 2 {
			c.Nodes = append(c.Nodes, nodes.Node{Sockets: 1, Cores: 8, Threads: 2, GRES: []nodes.GRES{{Name: "gpu", Count: 8}}})
		}
		f, err := nodes.NewFloor(c)
		if err != nil {
			t.Fatal(err)
		}
		test.request.GRES = gpu(1, nodes.PerTask)
		w, err := f.Want(&test.request, -1)
		if err != nil {
			t.Fatal(err)
		}
		a, ok := f.NewChooser().Choose(w, 0, f.All(), f.NewLoad())
		if !ok {
			t.Fatalf("%s: no nodes", name)
		}
		var got [2]int64
		for k, n := range a.GRES() {
			got[a.Nodes[k]] = n
		}
		if got != test.want {
			t.Errorf("%s: %d GPUs, want %d", name, got, test.want)
		}
	}
}

// TestThreadsThatCount: a job has whole cores of two threads. Under CR_CPU the CPUs that it asks for count in limits and in memory for
// each CPU; else all of them in limits, and in memory those of a core that it asks to use. A stock says the same.
func TestThreadsThatCount(t *testing.T) {
	for _, tt := range []struct {
		name    string
		unit    nodes.Unit
		request nodes.Request
		cpus    int32 // of the node, that nobody else may have
		memory  int64
		limit   bool // 4 CPUs of a user are too many
	}{
		{"CR_CPU", nodes.CPU, nodes.Request{CPUs: 3}, 4, 3000, false},
		{"CR_CPU, whole nodes", nodes.CPU, nodes.Request{CPUs: 3, Exclusive: nodes.WholeNodes}, 24, 24000, true},
		{"CR_Core", nodes.Core, nodes.Request{CPUs: 3}, 4, 4000, true},
		{"CR_Core, one thread of each", nodes.Core, nodes.Request{CPUs: 3, Threads: 1}, 6, 3000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cluster := hall(1, func(c *nodes.Cluster) {
				c.Select.Unit = tt.unit
				c.Nodes[0].Threads = 2
			})
			f, err := nodes.NewFloor(cluster)
			if err != nil {
				t.Fatal(err)
			}
			w, err := f.Want(&tt.request, -1)
			if err != nil {
				t.Fatal(err)
			}
			chosen, _ := f.NewChooser().Choose(w, 1, f.All(), f.NewLoad())
			placed, _ := f.NewStock().Place(w, 1, false)
			for _, a := range []*nodes.Allocation{chosen, placed} {
				if a == nil || a.CPUs[0] != tt.cpus || a.Memory[0] != tt.memory {
					t.Errorf("allocation %+v, want %d CPUs and %d MiB", a, tt.cpus, tt.memory)
				}
			}
			tt.request.QOS = &nodes.QOS{Name: "few", Limits: []nodes.Limit{{Scope: nodes.User, Resource: "cpu", Most: 3}}}
			if _, err = f.Want(&tt.request, -1); (err != nil) != tt.limit {
				t.Errorf("error %v beside a limit of 3 CPUs, want one: %v", err, tt.limit)
			}
		})
	}
}

// TestKeeps: a job that is kept by limits whatever nodes it finds is allowed none that it does find, and one beyond a number of jobs is kept.
func TestKeeps(t *testing.T) {
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		f, err := nodes.NewFloor(&nodes.Cluster{Nodes: []nodes.Node{{CPUs: 8, Memory: 100}, {CPUs: 8, Memory: 100}, {CPUs: 2, Memory: 50}}, Select: nodes.Select{Memory: true}})
		if err != nil {
			t.Fatal(err)
		}
		draw := func(name string) (all []nodes.Limit) {
			for _, resource := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"jobs", "cpu", "mem", "node"}), func(s string) string { return s }).Draw(t, name) {
				all = append(all, nodes.Limit{Scope: rapid.SampledFrom([]nodes.Scope{nodes.Group, nodes.User, nodes.Account}).Draw(t, "scope"), Resource: resource, Most: rapid.Int64Range(1, 20).Draw(t, "most")})
			}
			return all
		}
		q, account := &nodes.QOS{Limits: draw("QOS")}, &nodes.Association{Account: "a", Limits: draw("account")}
		of := []*nodes.Association{{Account: "a", User: "u", Parent: account, Limits: draw("user")}, {Account: "a", User: "v", Parent: account}, nil}
		chooser, load, usage := f.NewChooser(), f.NewLoad(), f.NewUsage()
		for range 8 {
			w, bad := f.Want(&nodes.Request{
				CPUs: rapid.IntRange(1, 6).Draw(t, "cpus"), MinNodes: rapid.IntRange(1, 2).Draw(t, "nodes"), Memory: nodes.Memory{MiB: rapid.Int64Range(1, 20).Draw(t, "memory")},
				QOS: q, Association: rapid.SampledFrom(of).Draw(t, "association"),
			}, -1)
			if bad != nil {
				continue // a limit is below what it asks for
			}
			a, ok := chooser.Choose(w, 7, f.All(), load)
			if !ok {
				continue
			}
			allowed := usage.Allows(w, 7) && usage.AllowsAllocation(w, 7, a)
			if usage.Keeps(w) {
				if kept++; allowed {
					t.Fatalf("it is kept, and may start: %+v", w.Request)
				}
			} else if w.Association != nil && !usage.Allows(w, 7) {
				t.Fatalf("it is not kept by a number of jobs: %+v", w.Request)
			}
			if allowed {
				load.Add(a)
				usage.Add(w, 7, a)
			}
		}
	})
	if kept == 0 {
		t.Error("none is kept")
	}
}
