package replay

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich/sim"
)

// TestTable: a name is one policy wherever it can be asked for, and each policy
// is made in one way.
func TestTable(t *testing.T) {
	for _, with := range []Need{Log, Site, Parts} {
		names := Names(Policies(with))
		slices.Sort(names)
		if len(names) < 5 || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%d: %q", with, names)
		}
	}
	for i := range table {
		p := &table[i]
		if p.Usage == "" || p.needs == 0 {
			t.Errorf("%s: %+v", p.Name, p)
		}
		var loop sim.Machine
		p.Into(&loop, &Material{Period: 1}, false)
		ways := 0
		for _, is := range []bool{loop.Policy != nil, p.order != nil, p.place != nil} {
			if is {
				ways++
			}
		}
		if ways != 1 {
			t.Errorf("%s is made in %d ways", p.Name, ways)
		}
	}
}
