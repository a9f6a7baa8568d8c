package sim

import (
	"cmp"
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

func compareExpect(a, b expect) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job))
}

// expects are the running jobs by when they are expected to end.
type expects []expect

func (x *expects) add(e expect) {
	at, _ := slices.BinarySearchFunc(*x, e, compareExpect)
	*x = slices.Insert(*x, at, e)
}

func (x *expects) remove(e expect) {
	at, _ := slices.BinarySearchFunc(*x, e, compareExpect)
	*x = slices.Delete(*x, at, at+1)
}

// expired counts the processors of jobs that still run and whose estimate ends now.
func (x expects) expired(now ostrich.Time) int {
	n := 0
	for _, e := range x {
		if e.at > now {
			break
		}
		n += int(e.procs)
	}
	return n
}

// reserve makes the reservation of a job that does not fit in the available
// processors: at the shadow time enough of them are free, and some are left
// over. It returns the room beside it. Processors of jobs whose estimate ends
// now may be among the available ones already; included tells that they are not yet.
func (x expects) reserve(now ostrich.Time, available, need int, included bool) room {
	left, shadow := available, now
	for k := 0; k < len(x); {
		shadow = max(shadow, x[k].at)
		for ; k < len(x) && x[k].at <= shadow; k++ {
			if x[k].at > now || included {
				left += int(x[k].procs)
			}
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
	if from >= q.leaves {
		return -1
	}
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
