package sidecar

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// A plan is made anew when slurm.conf has changed, although nothing else has.
func TestPlanAfterReconfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		for i := range 3 {
			w.submit(i+1, i+1, 9000, "main")
		}
		s := w.start(t)
		first := run(t, s, false).Plan.Entries[0].To
		w.Conf.Weights.Age *= 1000
		equal(t, "value while the configuration is taken to be as it was", first, run(t, s, false).Plan.Entries[0].To)
		time.Sleep(configAge)
		equal(t, "a greater value for greater weights", true, run(t, s, false).Plan.Entries[0].To > first)
	})
}

// TestPartitionsAreFollowed: accounting hears of nodes and limits that partitions get while
// the sidecar runs. A pool whose partition is gone keeps its nodes, and that is told once.
func TestPartitionsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSite()
		s := w.start(t, func(c *configuration.Config) { c.Pools = []ostrich.Pool{{Name: "m", Partitions: []string{"main"}}} })
		var heard []string
		s.divide = func(l ledger.Site) {
			heard = append(heard, fmt.Sprint(l.Pools[0].Name, l.Pools[0].Nodes, l.Partitions["main"].MaxTime))
		}
		next := func(change func()) *Cycle {
			change()
			time.Sleep(configAge)
			return run(t, s, false)
		}
		next(func() {})
		equal(t, "heard of what is as it was", 0, len(heard))
		next(func() {
			w.Parts = []priority.Partition{{Name: "main", Nodes: []string{"n1", "n2", "n3"}, MaxTime: 60}}
		})
		equal(t, "heard of a node and a limit", "[m[n1 n2 n3] 60]", fmt.Sprint(heard))
		c := next(func() { w.Parts = []priority.Partition{{Name: "gpu"}} })
		equal(t, "heard of a pool without its partition", 1, len(heard))
		equal(t, "told", true, c.Names != nil && strings.Contains(c.Names.Error(), `no partition "main"`))
		equal(t, "told again", false, next(func() {}).Names != nil)
	})
}

// TestWholeNodes: under select/linear each job has its nodes for itself, whatever its partition says.
func TestWholeNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, want := range map[string]bool{"select/linear": true, "select/cons_tres": false} {
			w := newSite()
			w.Conf.SelectType = kind
			s := w.start(t, func(*configuration.Config) {})
			run(t, s, false)
			w.Parts = []priority.Partition{{Name: "main", Nodes: []string{"n1", "n2", "n3"}, MaxTime: 60}}
			time.Sleep(configAge)
			equal(t, kind, want, run(t, s, false).Partitions[0].Exclusive)
		}
	})
}

// TestAccountsOf: accounting hears of each partition's limit, of the mean of its nodes that
// are there, and whether its jobs have their nodes for themselves.
func TestAccountsOf(t *testing.T) {
	got := accountsOf([]priority.Partition{
		{Name: "main", MaxTime: 600, TotalCPUs: 40, Nodes: []string{"n1", "n2", "f1"}, NodeCPUs: []int{16, 24, 0}},
		{Name: "sums", MaxTime: priority.Unlimited, TotalCPUs: 40, Nodes: []string{"n1", "n3"}, Exclusive: true},
		{Name: "none", MaxTime: priority.Unlimited},
	})
	want := map[string]ledger.Partition{
		"main": {MaxTime: 600, NodeProcs: 20}, "sums": {NodeProcs: 20, Exclusive: true}, "none": {},
	}
	equal(t, "partitions", fmt.Sprint(want), fmt.Sprint(got))
}
