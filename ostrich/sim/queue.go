package sim

import "math"

// queue holds the waiting jobs of an order that is known when a job arrives:
// each has a slot, and the smaller one goes first. A tree over the slots
// knows the fewest processors and the shortest estimate below each node, so
// that a pass over a deep queue looks only at jobs that might start.
type queue struct {
	leaves int
	procs  []int32 // by node, the root is 1; empty slots hold math.MaxInt32
	length []int32
	job    []int32 // by slot
	count  int
}

func newQueue(slots int) *queue {
	leaves := 1
	for leaves < slots {
		leaves *= 2
	}
	all := make([]int32, 5*leaves) // in one piece: a replay makes very many short queues
	for i := range all[:4*leaves] {
		all[i] = math.MaxInt32
	}
	return &queue{leaves: leaves, procs: all[:2*leaves], length: all[2*leaves : 4*leaves], job: all[4*leaves:]}
}

func (q *queue) add(slot int, job, procs, length int32) {
	q.job[slot] = job
	q.count++
	i := slot + q.leaves
	q.procs[i], q.length[i] = procs, length
	for i /= 2; i > 0; i /= 2 {
		if q.procs[i] <= procs && q.length[i] <= length {
			return
		}
		q.procs[i], q.length[i] = min(q.procs[i], procs), min(q.length[i], length)
	}
}

func (q *queue) remove(slot int) {
	q.count--
	i := slot + q.leaves
	q.procs[i], q.length[i] = math.MaxInt32, math.MaxInt32
	for i /= 2; i > 0; i /= 2 {
		procs, length := min(q.procs[2*i], q.procs[2*i+1]), min(q.length[2*i], q.length[2*i+1])
		if q.procs[i] == procs && q.length[i] == length {
			return
		}
		q.procs[i], q.length[i] = procs, length
	}
}

// head is the slot of the first job, or -1.
func (q *queue) head() int {
	if q.count == 0 {
		return -1
	}
	i := 1
	for i < q.leaves {
		i *= 2
		if q.procs[i] == math.MaxInt32 {
			i++
		}
	}
	return i - q.leaves
}

// after is the first slot from the given one on that holds a job; -1 if none does.
func (q *queue) after(from int) int {
	if from == 0 {
		return q.head()
	}
	if from >= q.leaves {
		return -1
	}
	return q.next(from, math.MaxInt32-1, 0, 0)
}

// next is the first slot from the given one on whose job needs at most narrow
// processors, or at most wide ones for at most short seconds; -1 if none does.
func (q *queue) next(from int, narrow, wide, short int32) int {
	may := func(i int) bool {
		return q.procs[i] <= narrow || (q.procs[i] <= wide && q.length[i] <= short)
	}
	i := from + q.leaves
	for {
		if may(i) {
			if i >= q.leaves {
				return i - q.leaves
			}
			i *= 2
			continue
		}
		// On to the next subtree: up while this is a right child.
		for i&1 == 1 {
			i /= 2
		}
		if i == 0 {
			return -1
		}
		i++
		if i&(i-1) == 0 { // the row of the tree is over
			return -1
		}
	}
}
