package inventory

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestRelativeNone: 0 % is none, and memory that the nodes' lines do not have is not limited.
func TestRelativeNone(t *testing.T) {
	got := relative(&nodes.Cluster{Nodes: []nodes.Node{{CPUs: 8, GRES: []nodes.GRES{{Name: "gpu", Count: 4}}}}}, []nodes.Limit{{Resource: "gres/gpu"}, {Resource: "mem", Most: 50}, {Resource: "cpu", Most: 1}}, []int{0})
	if want := []nodes.Limit{{Resource: "gres/gpu"}, {Resource: "cpu", Most: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestAboveItself: accounts that are above one another have an end, and are where they were but for one.
func TestAboveItself(t *testing.T) {
	site := &accounting.Site{Accounts: []accounting.Account{{Name: "a", Parent: "b"}, {Name: "b", Parent: "c"}, {Name: "c", Parent: "b"}}}
	p := PoliciesOf(site, true, &nodes.Cluster{}, func(int) string { return "" }, func(*nodes.Limit) bool { return true })
	for _, a := range site.Accounts {
		n := 0
		for up := p.Association("alice", a.Name, ""); up != nil && n < 10; up = up.Parent {
			n++
		}
		if n == 10 {
			t.Errorf("account %s is above itself", a.Name)
		}
	}
}
