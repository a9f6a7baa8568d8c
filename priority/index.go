package priority

import (
	"math/bits"

	"slurm-ostrich/ostrich"
)

// index finds the place of a job in a queue: a hash table with open
// addressing, several times as fast as a map for the queues that matter. The
// zero value is not usable.
type index struct {
	slots []int32 // place+1, 0 for an empty slot
	queue []Queued
	shift uint8
}

// indexOf returns the index of a queue, and the first job that is there twice,
// 0 if there is none.
func indexOf(queue []Queued) (x index, twice ostrich.JobID) {
	size := bits.Len(uint(2*len(queue) + 1))
	x = index{slots: make([]int32, 1<<size), queue: queue, shift: uint8(32 - size)}
	for i := range queue {
		at := x.slot(queue[i].Job)
		if x.slots[at] != 0 {
			return x, queue[i].Job
		}
		x.slots[at] = int32(i) + 1
	}
	return x, 0
}

// slot is where the job is, or where it would be put.
func (x index) slot(id ostrich.JobID) uint32 {
	// The golden ratio spreads consecutive ids evenly (Knuth, volume 3, 6.4).
	at := uint32(id) * 0x9e3779b1 >> x.shift
	for x.slots[at] != 0 && x.queue[x.slots[at]-1].Job != id {
		at = (at + 1) & uint32(len(x.slots)-1)
	}
	return at
}

// find returns the job's place in the queue.
func (x index) find(id ostrich.JobID) (int32, bool) {
	at := x.slots[x.slot(id)]
	return at - 1, at != 0
}
