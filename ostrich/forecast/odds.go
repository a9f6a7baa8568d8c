package forecast

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Shown are the odds, in per cent, that are shown where nobody asks for others.
var Shown = [3]int{10, 50, 90}

// ErrOdds marks odds that cannot be had.
var ErrOdds = errors.New("odds are whole per cents from 1 to 99")

// Odds are when a job starts: for each odds, the moment by which it has started with them. The zero
// value is that of moment 0, for all odds.
type Odds struct {
	now          ostrich.Time
	waits        []float64 // in the draws, each as logged has it, ascending
	half         float64   // half of what lies between their 10 % and 90 %, and no less than leastHalf
	drawn, quiet float64   // the middle of the waits as they were drawn, and the wait by Draws.Quiet, on the same scale
	below, above float64   // how much farther both go, see Learned
}

// leastHalf is the least half of a spread: nobody knows a wait better than by this factor (its logarithm).
const leastHalf = 0.6

// normal90 is the 0.9-quantile of the standard normal distribution.
const normal90 = 1.2815515655446004

func newOdds(d *Draws) *Odds {
	o := &Odds{now: d.Now, waits: make([]float64, len(d.Starts))}
	for i, at := range d.Starts {
		o.waits[i] = logged(ostrich.Duration(at - d.Now))
	}
	slices.Sort(o.waits)
	if len(o.waits) > 0 {
		o.half = math.Hypot(leastHalf, (quantile(o.waits, 0.9)-quantile(o.waits, 0.1))/2)
		o.drawn = quantile(o.waits, 0.5)
	}
	o.quiet = o.drawn
	if d.Quiet != 0 {
		o.quiet = logged(ostrich.Duration(d.Quiet - d.Now))
	}
	return o
}

// move makes all waits longer by a factor, its logarithm given.
func (o *Odds) move(by float64) {
	for i := range o.waits {
		o.waits[i] += by
	}
}

// At returns the moment by which the job has started with odds of so many per cent. It is never before
// the question, and never earlier for higher odds. ErrOdds is returned for odds that are not from 1 to 99.
//
// With y(p) for the p-quantile of the draws, moved by what was learned of the middle, on the scale of logged, it is
//
//	y(½) + (y(p) − y(½))·e^min(a, 0) + h·max(a, 0)·z(p)/z(0.9)
//
// where a is what was learned above the middle, or below it, h is half of the spread and z the
// quantile of the normal distribution.
func (o *Odds) At(percent int) (ostrich.Time, error) {
	if percent < 1 || percent > 99 {
		return 0, fmt.Errorf("%d %%: %w", percent, ErrOdds)
	}
	if len(o.waits) == 0 {
		return o.now, nil
	}
	p := float64(percent) / 100
	middle, there, wider := quantile(o.waits, 0.5), quantile(o.waits, p), o.above
	if percent < 50 {
		wider = o.below
	}
	there = middle + (there-middle)*math.Exp(min(wider, 0)) + o.half*max(wider, 0)*normal(p)/normal90
	return o.now + ostrich.Time(seconds(there)), nil
}

// Shown returns the moments of the odds that are shown.
func (o *Odds) Shown() (at [3]ostrich.Time) {
	for k, percent := range Shown {
		at[k], _ = o.At(percent) // these odds there are
	}
	return at
}

// few is a wait in seconds below which differences count for less and less.
const few = 600

// logged is a wait on the scale on which waits are compared: equal factors are equal distances for
// those that are long. seconds is the way back, to whole seconds.
func logged(wait ostrich.Duration) float64 { return math.Log(float64(max(wait, 0)) + few) }

func seconds(y float64) float64 {
	return math.Round(max(0, math.Exp(min(y, farthest))-few))
}

// farthest is logged of the longest wait that is answered, 30 years.
const farthest = 20.67

// normal is the quantile of the standard normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// quantile returns that of ascending values, between the two next to it.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
