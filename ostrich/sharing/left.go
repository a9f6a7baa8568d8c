package sharing

import (
	"math"

	"slurm-ostrich/ostrich/scalar"
)

// Left is the work that is still to be done of some jobs, by the lengths that they count
// for: Fixed - Busy·now, as each busy part of the machine does a second of it a second.
// Whole numbers, so sums are exact however long they are kept.
type Left struct {
	Fixed, Busy int64
}

// At is what is left at a time.
func (l Left) At(now scalar.Time) scalar.Work { return scalar.Work(l.Fixed - l.Busy*int64(now)) }

// after is what is left at a moment that may lie between two seconds.
func (l Left) after(moment float64) scalar.Work {
	second := math.Floor(moment)
	return l.At(scalar.Time(second)) - scalar.Work(l.Busy)*scalar.Work(moment-second)
}

// Add adds what is left of other jobs.
func (l *Left) Add(o Left) { l.change(Left{}, o) }

// change replaces a part of it.
func (l *Left) change(from, to Left) {
	l.Fixed += to.Fixed - from.Fixed
	l.Busy += to.Busy - from.Busy
}
