package sim

import (
	"math"

	"slurm-ostrich/ostrich"
)

// queue holds the waiting jobs of an order that is known when a job arrives:
// each has a slot, and the smaller one goes first. A tree over the slots
// knows the fewest processors and the shortest estimate below each node, so
// that a pass over a deep queue looks only at jobs that might start. If slots
// only grow, the tree slides along with them, and is as large as the span of
// the slots in use asks for.
type queue struct {
	leaves int
	base   int     // slot of the first leaf
	procs  []int32 // by node, the root is 1; empty slots hold math.MaxInt32
	length []int32
	jobs   []int32 // by leaf
	count  int
	first  int // slot of the first job, if there is one
}

// newQueue makes a queue with at least the given number of slots, from 0 on.
func newQueue(slots int) *queue {
	leaves := 1
	for leaves < slots {
		leaves *= 2
	}
	all := make([]int32, 5*leaves) // in one piece: a replay makes very many short queues
	for i := range all[:4*leaves] {
		all[i] = math.MaxInt32
	}
	return &queue{leaves: leaves, procs: all[:2*leaves], length: all[2*leaves : 4*leaves], jobs: all[4*leaves:]}
}

// add adds a job. Its slot may lie behind the last one of the tree, if no job
// ever comes again in front of the first.
func (q *queue) add(slot int, job, procs, length int32) {
	if q.count == 0 || slot < q.first {
		q.first = slot
	}
	if slot-q.base >= q.leaves {
		q.slide(slot)
	}
	q.count++
	i := slot - q.base
	q.jobs[i] = job
	i += q.leaves
	q.procs[i], q.length[i] = procs, length
	for i /= 2; i > 0; i /= 2 {
		if q.procs[i] <= procs && q.length[i] <= length {
			return
		}
		q.procs[i], q.length[i] = min(q.procs[i], procs), min(q.length[i], length)
	}
}

// sliding is the smallest number of leaves of a tree that slides.
const sliding = 256

// slide makes the first job's slot that of the first leaf, and the tree so
// large that at least half of it lies behind the given slot.
func (q *queue) slide(slot int) {
	fresh := newQueue(max(sliding, 2*(slot-q.first+1)))
	if from := q.first - q.base; from < q.leaves {
		copy(fresh.procs[fresh.leaves:], q.procs[q.leaves+from:])
		copy(fresh.length[fresh.leaves:], q.length[q.leaves+from:])
		copy(fresh.jobs, q.jobs[from:])
	}
	for i := fresh.leaves - 1; i > 0; i-- {
		fresh.procs[i] = min(fresh.procs[2*i], fresh.procs[2*i+1])
		fresh.length[i] = min(fresh.length[2*i], fresh.length[2*i+1])
	}
	fresh.base, fresh.count, fresh.first = q.first, q.count, q.first
	*q = *fresh
}

func (q *queue) remove(slot int) {
	q.count--
	i := slot - q.base + q.leaves
	q.procs[i], q.length[i] = math.MaxInt32, math.MaxInt32
	for i /= 2; i > 0; i /= 2 {
		procs, length := min(q.procs[2*i], q.procs[2*i+1]), min(q.length[2*i], q.length[2*i+1])
		if q.procs[i] == procs && q.length[i] == length {
			break
		}
		q.procs[i], q.length[i] = procs, length
	}
	if slot == q.first && q.count > 0 {
		q.first = q.after(slot + 1)
	}
}

// least is what the jobs need at least; nothing without any.
func (q *queue) least() least { return least{int(q.procs[1]), ostrich.Duration(q.length[1])} }

func (q *queue) job(slot int) int32 { return q.jobs[slot-q.base] }

// has reports whether a slot holds a job.
func (q *queue) has(slot int) bool { return q.procs[slot-q.base+q.leaves] != math.MaxInt32 }

// width is how many processors the job in a slot needs.
func (q *queue) width(slot int) int { return int(q.procs[slot-q.base+q.leaves]) }

// after is the first slot from the given one on that holds a job; -1 if none does.
func (q *queue) after(from int) int {
	return q.next(from, math.MaxInt32-1, 0, 0)
}

// next is the first slot from the given one on whose job needs at most narrow
// processors, or at most wide ones for at most short seconds; -1 if none does.
func (q *queue) next(from int, narrow, wide, short int32) int {
	if q.count == 0 || from-q.base >= q.leaves {
		return -1
	}
	may := func(i int) bool {
		return q.procs[i] <= narrow || (q.procs[i] <= wide && q.length[i] <= short)
	}
	i := max(from, q.first) - q.base + q.leaves
	for {
		if may(i) {
			if i >= q.leaves {
				return i - q.leaves + q.base
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
