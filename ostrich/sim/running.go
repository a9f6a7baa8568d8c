package sim

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// expect is when a running job is expected to end.
type expect struct {
	at    ostrich.Time
	procs int32
	job   int32
}

// expects are the running jobs by when they are expected to end, ties by job.
type expects []expect

func (x *expects) add(e expect) { *x = slices.Insert(*x, x.search(e), e) }

func (x *expects) remove(e expect) {
	at := x.search(e)
	*x = slices.Delete(*x, at, at+1)
}

// search is the place of a job, or where it would be.
func (x expects) search(e expect) int {
	low, high := 0, len(x)
	for low < high {
		mid := int(uint(low+high) / 2)
		if m := &x[mid]; m.at < e.at || (m.at == e.at && m.job < e.job) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// reserve makes the reservation of a job that does not fit in the available
// processors: at the shadow time enough of them are free, and some are left
// over. It returns the room beside it. A job that should have ended by now is
// expected to do so now.
func (x expects) reserve(now ostrich.Time, available, need int) room {
	left, shadow := available, now
	for k := 0; k < len(x); {
		shadow = max(shadow, x[k].at)
		for ; k < len(x) && x[k].at <= shadow; k++ {
			left += int(x[k].procs)
		}
		if left >= need {
			break
		}
	}
	return room{free: available, extra: left - need, short: ostrich.Duration(shadow - now)}
}

// room is what jobs may take that jump.
type room struct {
	free  int
	extra int              // of any length
	short ostrich.Duration // of this length or less they may take all that is free
}

// next is the first slot of the queue, from the given one on, whose job fits;
// -1 if none does.
func (f *room) next(q *queue, from int) int {
	return q.next(from, int32(min(f.extra, f.free)), int32(f.free), int32(min(f.short, math.MaxInt32-1)))
}

func (f *room) take(j *Job) {
	f.free -= j.Procs
	if j.Estimate > f.short {
		f.extra -= j.Procs
	}
}

// end is when a running job ends.
type end struct {
	at  ostrich.Time
	job int32
}

// endHeap is a binary heap by time, ties by place in the workload.
type endHeap []end

func (a end) before(b end) bool { return a.at < b.at || (a.at == b.at && a.job < b.job) }

func (h *endHeap) push(e end) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = e
}

func (h *endHeap) pop() int32 {
	s := *h
	top := s[0].job
	last := s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if !s[child].before(last) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = last
	return top
}
