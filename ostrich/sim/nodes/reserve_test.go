package nodes_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestReserveAgain: a reservation that goes on from the one before is that which is made from nothing, in each pass of a replay of random
// jobs, and so is all that is placed beside it.
func TestReserveAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := func(low, high ostrich.Time, what string) ostrich.Time {
			return ostrich.Time(rapid.Int64Range(int64(low), int64(high)).Draw(t, what))
		}
		c := &nodes.Cluster{Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 1}}
		for range rapid.IntRange(1, 6).Draw(t, "nodes") {
			n := nodes.Node{CPUs: rapid.IntRange(1, 6).Draw(t, "cpus"), Memory: 12, Weight: rapid.Int64Range(1, 2).Draw(t, "weight")}
			if count := rapid.Int64Range(0, 3).Draw(t, "gpus"); count > 0 {
				n.GRES = []nodes.GRES{{Name: "gpu", Count: count}}
			}
			c.Nodes = append(c.Nodes, n)
		}
		if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
			c.Partitions = []nodes.Partition{{Name: "p", Nodes: ofAll(len(c.Nodes)), MaxCPUsPerNode: 3}}
		}
		f, err := nodes.NewFloor(c)
		if err != nil {
			t.Fatal(err)
		}
		var wants []*nodes.Want
		for range 5 {
			r := nodes.Request{CPUs: rapid.IntRange(1, 12).Draw(t, "asked"), MinNodes: rapid.IntRange(0, 3).Draw(t, "low")}
			r.Memory = nodes.Memory{MiB: rapid.Int64Range(1, 4).Draw(t, "mib"), PerCPU: true}
			r.CPUsPerTask = rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "per task")
			r.Exclusive = rapid.SampledFrom([]nodes.Exclusivity{nodes.Shares, nodes.Shares, nodes.WholeNodes}).Draw(t, "exclusive")
			if rapid.Bool().Draw(t, "gpu") {
				r.GRES = []nodes.GRESRequest{{GRES: nodes.GRES{Name: "gpu", Count: 1}, Per: rapid.SampledFrom([]nodes.Per{nodes.PerNode, nodes.PerJob}).Draw(t, "per")}}
			}
			if w, bad := f.Want(&r, min(0, len(c.Partitions)-1)); bad == nil {
				wants = append(wants, w)
			}
		}
		if len(wants) == 0 {
			return
		}
		again, anew := f.NewStock(), f.NewStock()
		type running struct {
			limit, end ostrich.Time
			on         [2]*nodes.Allocation
		}
		var runs []running // in the order of their limits
		place := func(w *nodes.Want, long bool, now, limit ostrich.Time) bool {
			a, found := again.Place(w, 1, long)
			b, plainly := anew.Place(w, 1, long)
			if found != plainly || found && (!slices.Equal(a.Nodes, b.Nodes) || !slices.Equal(a.CPUs, b.CPUs) || !slices.Equal(a.GRES(), b.GRES())) {
				t.Fatalf("at %d: %v, from nothing %v", now, a, b)
			}
			if !found {
				return false
			}
			again.Add(a, long)
			anew.Add(b, long)
			at, _ := slices.BinarySearchFunc(runs, limit+1, func(x running, end ostrich.Time) int { return cmp.Compare(x.limit, end) })
			runs = slices.Insert(runs, at, running{limit, now + time(1, limit-now, "length"), [2]*nodes.Allocation{a, b}})
			return true
		}
		head := rapid.SampledFrom(wants).Draw(t, "head")
		for now := ostrich.Time(1); now < 80; now++ {
			ended := false
			for _, x := range runs {
				if x.end <= now {
					again.Remove(x.on[0])
					anew.Remove(x.on[1])
					ended = true
				}
			}
			runs = slices.DeleteFunc(runs, func(x running) bool { return x.end <= now })
			if !ended && now > 1 {
				continue
			}
			again.Clear()
			anew.Clear()
			if rapid.IntRange(0, 3).Draw(t, "comes before the head") == 0 {
				place(rapid.SampledFrom(wants).Draw(t, "newcomer"), false, now, now+time(1, 20, "limit of the newcomer"))
			}
			for place(head, false, now, now+time(1, 20, "limit of the head")) {
				if rapid.Bool().Draw(t, "another") {
					head = rapid.SampledFrom(wants).Draw(t, "next head")
				}
			}
			anew.Recall()
			var shadows [2]ostrich.Time
			for k, s := range []*nodes.Stock{again, anew} {
				shadows[k] = s.Reserve(head, 1, now, func(i int) (ostrich.Time, *nodes.Allocation) {
					if i >= len(runs) {
						return 0, nil
					}
					return runs[i].limit, runs[i].on[k]
				})
			}
			if shadows[0] != shadows[1] || !maps.Equal(again.Kept(), anew.Kept()) || again.Left != anew.Left {
				t.Fatalf("at %d: the head starts at %d beside %v, %d are left; from nothing at %d beside %v, %d",
					now, shadows[0], again.Kept(), again.Left, shadows[1], anew.Kept(), anew.Left)
			}
			for range rapid.IntRange(0, 6).Draw(t, "others") {
				limit := now + time(1, 20, "limit")
				place(rapid.SampledFrom(wants).Draw(t, "other"), limit > shadows[0], now, limit)
			}
		}
	})
}

func ofAll(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
