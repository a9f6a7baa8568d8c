package ledger

import (
	"math"
	"strings"

	"slurm-ostrich/ostrich/accounting"
)

// asks returns how many processors the job of a row will hold, as far as that is known
// before it starts. An exclusive job gets all processors of its nodes:
//
//	max(N, ⌈q/c⌉) · c
//
// where it asks for N nodes and q processors, and nodes have c in the mean. Of several
// partitions the largest number counts.
func (h *history) asks(w *row) int {
	most := float64(w.req)
	for name := range strings.SplitSeq(w.partition, ",") {
		if p := h.config.Partitions[name]; p.NodeProcs > 0 && (w.exclusive || p.Exclusive) {
			nodes := max(float64(w.nodes), math.Ceil(float64(w.req)/p.NodeProcs))
			most = max(most, math.Round(nodes*p.NodeProcs))
		}
	}
	return int(min(most, accounting.MaxProcs))
}
