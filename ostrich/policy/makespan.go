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

// MLPT is LPT modified for processors that are not free at the same time (after
// Lee 1991, cited in HiPC III.B): the waits from the first free processor to the
// others are sorted with the tasks and given out by LPT, which divides the
// tasks into groups. The group with the most work goes to the processor that is
// free first, the next one to the second, and so on; for given groups nothing
// ends earlier.
//
// The papers do not say how Lee separates two waits that fall in one group. Left
// together they can cost more than the 4/3 claimed for MLPT, so LPT replaces the
// result where it ends earlier.
func MLPT(tasks []Task, free []ostrich.Time) []Slot {
	grouped, plain := groupedLPT(tasks, free), LPT(tasks, free)
	if lastEnd(plain) <= lastEnd(grouped) {
		return plain
	}
	return grouped
}

func groupedLPT(tasks []Task, free []ostrich.Time) []Slot {
	m := len(free)
	first := slices.Min(free)
	mixed := make([]Task, 0, m+len(tasks)) // waits, then tasks
	for _, at := range free {
		mixed = append(mixed, Task{Run: ostrich.Duration(at - first)})
	}
	mixed = append(mixed, tasks...)
	group := LPT(mixed, make([]ostrich.Time, m))[m:]

	work := make([]ostrich.Duration, m) // of tasks, by group
	for i := range tasks {
		work[group[i].Proc] += tasks[i].Run
	}
	most, earliest := inOrder(m), inOrder(m)
	slices.SortStableFunc(most, func(a, b int) int { return cmp.Compare(work[b], work[a]) })
	slices.SortStableFunc(earliest, func(a, b int) int { return cmp.Compare(free[a], free[b]) })
	proc := make([]int, m) // by group
	for i, g := range most {
		proc[g] = earliest[i]
	}
	at := slices.Clone(free)
	slots := make([]Slot, len(tasks))
	for i := range tasks {
		q := proc[group[i].Proc]
		slots[i] = Slot{Proc: q, Start: at[q], End: at[q] + ostrich.Time(tasks[i].Run)}
		at[q] = slots[i].End
	}
	return slots
}
