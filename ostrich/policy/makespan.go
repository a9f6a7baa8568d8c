package policy

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Slot is when and where a task runs.
type Slot struct {
	Proc       int // from 0
	Start, End ostrich.Time
}

// Makespan is an algorithm for P||C_max, the ρ of the papers. It places
// independent tasks on processors so that they end early; each processor is free
// from a given time on. It returns the slot of each task and does not change its
// arguments.
type Makespan func(tasks []Task, free []ostrich.Time) []Slot

// List gives the tasks in their order to the processor that is free first
// (Graham's list scheduling). It is a (2−1/m)-approximation if all processors are
// free at once.
func List(tasks []Task, free []ostrich.Time) []Slot {
	return list(tasks, inOrder(len(tasks)), free)
}

// LPT is list scheduling with the longest processing time first; ties keep their
// order (Graham 1969). If all processors are free at once, it is a
// (4/3−1/(3m))-approximation. Otherwise it is a (3/2−1/(2m))-approximation of the
// time from the earliest free processor on (Lee 1991).
func LPT(tasks []Task, free []ostrich.Time) []Slot {
	order := inOrder(len(tasks))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tasks[b].Run, tasks[a].Run) })
	return list(tasks, order, free)
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func list(tasks []Task, order []int, free []ostrich.Time) []Slot {
	slots := make([]Slot, len(tasks))
	next := newFreeHeap(free)
	for _, i := range order {
		top := &next[0]
		end := top.at + ostrich.Time(tasks[i].Run)
		slots[i] = Slot{Proc: top.proc, Start: top.at, End: end}
		top.at = end
		next.down(0)
	}
	return slots
}

// freeHeap is a binary heap of processors by when they are free, then by number.
type freeHeap []freeProc

type freeProc struct {
	at   ostrich.Time
	proc int
}

func newFreeHeap(free []ostrich.Time) freeHeap {
	h := make(freeHeap, len(free))
	for q, at := range free {
		h[q] = freeProc{at: at, proc: q}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return h
}

func (a freeProc) before(b freeProc) bool { return a.at < b.at || (a.at == b.at && a.proc < b.proc) }

func (h freeHeap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
