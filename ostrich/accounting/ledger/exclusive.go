package ledger

import (
	"math"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// extent is what a job takes of the machine.
type extent struct {
	procs int
	size  int // see ostrich.Job.Size
}

func (h *history) extent(procs uint64, units float64, w *row) extent {
	e := extent{procs: int(min(procs, accounting.MaxProcs))}
	if unit := h.config.Unit; unit != nil {
		if factor, other := h.names.factors[h.names.qos[w.qos]]; other {
			units *= factor
		}
		e.size = unit.Size(units, procs)
	}
	return e
}

func (e extent) of(j *ostrich.Job) { j.Procs, j.Size = e.procs, e.size }

// holds returns what the job of a row that has started takes.
func (h *history) holds(w *row) extent { return h.extent(uint64(w.alloc), w.held, w) }

// asks returns what the job of a row will take, as far as that is known before it starts. An
// exclusive job gets all processors of its nodes:
//
//	max(N, ⌈q/c⌉) · c
//
// where it asks for N nodes and q processors, and nodes have c in the mean; and so of the
// unit of work. Of several partitions the largest number counts.
func (h *history) asks(w *row) extent {
	most, units := float64(w.req), w.asked
	for name := range strings.SplitSeq(w.partition, ",") {
		if p := h.config.Partitions[name]; p.NodeProcs > 0 && (w.exclusive || p.Exclusive) {
			nodes := max(float64(w.nodes), math.Ceil(float64(w.req)/p.NodeProcs))
			most = max(most, math.Round(nodes*p.NodeProcs))
			units = max(units, nodes*p.NodeUnits)
		}
	}
	return h.extent(uint64(most), units, w)
}
