package sharing

import (
	"math"
	"math/bits"

	"slurm-ostrich/ostrich/scalar"
)

// Left is the work that is still to be done of some jobs, by the lengths that they count
// for: what is fixed less busy·now, as each busy part of the machine does a second of it a second.
// Whole numbers, so sums are exact however long they are kept.
type Left struct {
	fixed wide
	busy  int64
}

// Remains is what is left of so many seconds of jobs of a size. Of running ones the seconds are
// counted from 1970.
func Remains(seconds, size int64, running bool) Left {
	l := Left{fixed: product(seconds, size)}
	if running {
		l.busy = size
	}
	return l
}

// At is what is left at a time.
func (l Left) At(now scalar.Time) scalar.Work {
	done := product(int64(now), l.busy)
	return scalar.Work(l.fixed.high-done.high)*(1<<32) + scalar.Work(l.fixed.low-done.low)
}

// after is what is left at a moment that may lie between two seconds.
func (l Left) after(moment float64) scalar.Work {
	second := math.Floor(moment)
	return l.At(scalar.Time(second)) - scalar.Work(l.busy)*scalar.Work(moment-second)
}

// Add adds what is left of other jobs.
func (l *Left) Add(o Left) { l.change(Left{}, o) }

// change replaces a part of it.
func (l *Left) change(from, to Left) {
	l.fixed.high += to.fixed.high - from.fixed.high
	l.fixed.low += to.fixed.low - from.fixed.low
	l.busy += to.busy - from.busy
}

// A wide number is high·2^32 + low. An array of a user's with long limits is more than 64 bits hold.
type wide struct{ high, low int64 }

// product returns a product below 2^95, of a size that is not below 0.
func product(seconds, size int64) wide {
	high, low := bits.Mul64(uint64(max(seconds, -seconds)), uint64(size))
	w := wide{int64(high<<32 | low>>32), int64(low & math.MaxUint32)}
	if seconds < 0 {
		w = wide{-w.high, -w.low}
	}
	return w
}
