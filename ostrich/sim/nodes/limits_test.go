package nodes_test

import (
	"testing"

	"slurm-ostrich/ostrich/sim/nodes"
)

// TestLimitsOfBoth: a limit of an association counts only if no QOS has the same one, though the jobs beyond it are counted.
// One of each node is that of an average node.
func TestLimitsOfBoth(t *testing.T) {
	group := []nodes.Limit{{Resource: "cpu", Most: 4}, {Resource: "jobs", Most: 3}}
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
	start("with both limits of the QOS", 4, 2, wide, true)
	start("beyond the nodes of the partition's QOS", 2, 1, wide, false)
	start("the account's processors, used by the others", 1, 1, &nodes.QOS{Limits: wide.Limits[1:]}, false)
}

// TestRows: jobs that share CPUs and those that do not are never on a node together.
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
}
