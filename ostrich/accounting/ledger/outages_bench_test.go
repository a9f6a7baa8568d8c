package ledger

import (
	"strconv"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// BenchmarkOutages is the reading of as many nodes that went out one after another and are out still.
func BenchmarkOutages(b *testing.B) {
	for _, n := range []int{500, 5000} {
		rows := []accounting.NodeEvent{{From: 1, TRES: accounting.TRES{CPUs: uint64(n * 64), Nodes: uint64(n)}}} //nolint:gosec // few
		for i := range n {
			rows = append(rows, accounting.NodeEvent{Node: "n" + strconv.Itoa(i), From: ostrich.Time(100 + i), State: 1, TRES: accounting.TRES{CPUs: 64}})
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				m := newMachine(&Config{})
				m.divide(&Site{})
				if events := m.update(100000, 0, 0, rows); len(events) != n+1 {
					b.Fatal(len(events))
				}
			}
		})
	}
}
