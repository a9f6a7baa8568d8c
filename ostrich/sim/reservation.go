package sim

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Expected is when a running job is expected to end.
type Expected struct {
	End   ostrich.Time
	Procs int32
	Job   int32 // its number
}

// Compare orders by end, then by job.
func (e Expected) Compare(other Expected) int {
	return cmp.Or(cmp.Compare(e.End, other.End), cmp.Compare(e.Job, other.Job))
}

// Running lists the running jobs in the order of [Expected.Compare].
type Running []Expected

func (x *Running) add(e Expected) { *x = slices.Insert(*x, x.search(e), e) }

func (x *Running) remove(e Expected) {
	i := x.search(e)
	*x = slices.Delete(*x, i, i+1)
}

// search is the place of a job, or where it would be.
func (x Running) search(e Expected) int {
	low, high := 0, len(x)
	for low < high {
		mid := int(uint(low+high) / 2)
		if m := &x[mid]; m.End < e.End || (m.End == e.End && m.Job < e.Job) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// Reserve makes EASY's reservation for a job that needs so many processors: at the
// shadow time enough are free, by the expected ends of the running jobs, and some
// are left over. It returns the room beside it. A job that should have ended by now
// is expected to do so now.
func (x Running) Reserve(now ostrich.Time, free, need int) Room {
	left, shadow := free, now
	for k := 0; left < need && k < len(x); {
		shadow = max(shadow, x[k].End)
		for ; k < len(x) && x[k].End <= shadow; k++ {
			left += int(x[k].Procs)
		}
	}
	return Room{Free: free, Extra: left - need, Shadow: shadow}
}

// Room is what the jobs behind one that does not fit may use.
type Room struct {
	Free   int          // processors that are free now
	Extra  int          // how many of them a job may use that ends after the shadow time
	Shadow ostrich.Time // when the one that does not fit starts, as far as is known
}

// Until returns how many processors a job may use that ends at a moment.
func (r *Room) Until(end ostrich.Time) int {
	if end > r.Shadow {
		return min(r.Free, r.Extra)
	}
	return r.Free
}

// Use uses processors until a moment.
func (r *Room) Use(procs int, end ostrich.Time) {
	r.Free -= procs
	if end > r.Shadow {
		r.Extra -= procs
	}
}

// next returns the first slot of the queue, from the given one on, whose job may
// start now; -1 if there is none.
func (r *Room) next(q *queue, from int, now ostrich.Time) int {
	short := max(0, min(r.Shadow-now, math.MaxInt32-1))
	return q.next(from, int32(min(r.Extra, r.Free)), int32(r.Free), int32(short))
}
