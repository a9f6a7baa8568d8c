package policy

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

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
