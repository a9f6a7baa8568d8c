// Package conclusion is what the draw of a trial lets one conclude.
//
// What is concluded rests on the draw and on nothing else: a statistic is
// compared with what it would have been under other draws (Fisher, "The Design of
// Experiments", 1935, chapter II; Rosenbaum, "Observational Studies", 2002, chapter 2;
// for periods on one system: Bojinov, Simchi-Levi and Zhao, "Design and Analysis of
// Switchback Experiments", Management Science 69, 2023).
package conclusion

import (
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trial"
)

// Level is the probability with which an interval holds the effect.
const Level = 0.95

// Redraws is how many other draws the one that was made is compared with. With the draw
// itself there are 2000.
const Redraws = 1999

// Series is a measure, by period. Weight is how much a value rests on, such as the number
// of users; 0: nothing was measured in the period.
type Series struct{ Value, Weight []float64 }

// Effect is what OStrich's order adds to a measure.
type Effect struct {
	Estimate float64
	Interval *report.Interval // nil: too few periods to exclude anything
	P        float64          // how often another draw differs from no effect as much; 1 without values
	Periods  [2]int           // with values, by arm

	// CarryOver is what the arm of the period before adds, and Carried the most by which
	// that moves the estimate. NaN where it cannot be told; Carried is infinite where all of
	// the estimate may be carried over.
	CarryOver float64
	Carried   float64
}

// Analysis compares what was measured in the periods of a trial by what was drawn.
type Analysis struct {
	periods []trial.Period
	other   [][]float64 // for each redraw, by period: 1 for OStrich
	before  [][]float64 // likewise, of the period before
	own     []float64   // of the draw itself
	ownLast []float64
	known   [][]float64 // covariates
}

// New returns the analysis of periods of a design, in the order of time. What is
// known of a period that does not depend on its arm, such as the work submitted in it,
// makes estimates more exact; each has a value for each period. Periods that are left out
// must not be chosen by what their arm did.
func New(d *trial.Design, periods []trial.Period, known ...[]float64) *Analysis {
	a := &Analysis{periods: periods, known: known}
	pairs := make([]int, len(periods))
	last := make([]int, len(periods)) // the pair of the period before
	most := 0
	for i, p := range periods {
		a.own, a.ownLast = append(a.own, float64(p.Arm)), append(a.ownLast, float64(d.ArmOf(p.Number+1)))
		pairs[i], _ = d.PairOf(p.Number)
		last[i], _ = d.PairOf(p.Number + 1)
		most = max(most, pairs[i], last[i])
	}
	random := rand.New(rand.NewPCG(d.Seed, ^d.Seed))
	flips := make([]bool, most+1)
	redrawn := func(arms []float64, of []int) []float64 {
		list := slices.Clone(arms)
		for i, pair := range of {
			if flips[pair] {
				list[i] = 1 - list[i]
			}
		}
		return list
	}
	for range Redraws {
		for pair := range flips {
			flips[pair] = random.Uint64()>>63 == 1
		}
		a.other, a.before = append(a.other, redrawn(a.own, pairs)), append(a.before, redrawn(a.ownLast, last))
	}
	return a
}

// Effect estimates the effect on a measure. The statistic is the difference of the arms'
// weighted means after what is known of the periods has been taken out. The interval has the
// effects that a test at 5 % does not reject: what remains after such an effect is taken out of
// the periods of OStrich must differ between the arms as it does under other draws.
func (a *Analysis) Effect(s Series) Effect {
	e := Effect{P: 1, Estimate: math.NaN(), CarryOver: math.NaN(), Carried: math.NaN()}
	for i, w := range s.Weight {
		if w > 0 {
			e.Periods[a.periods[i].Arm]++
		}
	}
	if e.Periods[trial.Stock] == 0 || e.Periods[trial.OStrich] == 0 {
		return e
	}
	clean := a.cleaner(s.Weight)
	values, arms := clean(s.Value), clean(a.own)
	// The difference of any draw is linear in the effect that is taken out.
	top, slope := contrast(values, a.own, s.Weight), contrast(arms, a.own, s.Weight)
	if math.IsNaN(top) || math.Abs(slope) < 1e-9 {
		return e
	}
	tops, slopes := make([]float64, len(a.other)), make([]float64, len(a.other))
	for k, draw := range a.other {
		tops[k], slopes[k] = contrast(values, draw, s.Weight), contrast(arms, draw, s.Weight)
	}
	e.Estimate = top / slope
	p := func(effect float64) float64 {
		own, as := math.Abs(top-effect*slope), 1
		for k := range tops {
			if d := math.Abs(tops[k] - effect*slopes[k]); !(d < own-1e-12) { // NaN, an arm without periods, says nothing
				as++
			}
		}
		return float64(as) / float64(len(tops)+1)
	}
	e.P = p(0)
	e.Interval = interval(e.Estimate, spread(tops)/math.Abs(slope), p)
	a.carry(&e, s, clean, values, arms, slope)
	return e
}

// interval returns the effects whose p is above 5 %, from the estimate outwards.
func interval(estimate, step float64, p func(effect float64) float64) *report.Interval {
	const out = 1 - Level
	if !(step > 0) {
		return nil
	}
	edge := func(way float64) (float64, bool) {
		in, away := 0.0, step
		for p(estimate+way*away) > out {
			in = away
			if away *= 2; away > 1e3*step {
				return 0, false
			}
		}
		for range 30 {
			if mid := (in + away) / 2; p(estimate+way*mid) > out {
				in = mid
			} else {
				away = mid
			}
		}
		return estimate + way*away, true
	}
	low, bounded := edge(-1)
	high, also := edge(1)
	if !bounded || !also {
		return nil
	}
	return &report.Interval{Low: low, High: high}
}

// carry estimates what the arm of the period before adds to a measure, apart from what the
// period's own arm does. The two arms have had the arm before in different parts; what it
// adds, at most, times their difference is what it moves the estimate by. In neighbouring pairs that
// difference is large: the later period of each comes after the other arm. Where each period comes after
// the other arm the two cannot be told apart, and all of an estimate may be carried over.
func (a *Analysis) carry(e *Effect, s Series, clean func(values []float64) []float64, values, arms []float64, slope float64) {
	last := clean(a.ownLast)
	unlike := contrast(last, a.own, s.Weight) / slope // what one of the arm before adds to the estimate
	without := func(values []float64, part float64) []float64 {
		left := slices.Clone(values)
		for i := range left {
			left[i] -= part * arms[i]
		}
		return left
	}
	left := without(values, e.Estimate)
	own := contrast(without(last, unlike), a.ownLast, s.Weight) // of it that the own arm does not hide
	switch {
	case math.Abs(unlike) < 1e-9:
		e.Carried = 0
	case !(math.Abs(own) > 1e-9):
		e.Carried = math.Inf(1)
	}
	if !(math.Abs(own) > 1e-9) {
		return
	}
	e.CarryOver = contrast(left, a.ownLast, s.Weight) / own
	others := make([]float64, len(a.before))
	for k, last := range a.before {
		others[k] = contrast(left, last, s.Weight) / own
	}
	e.Carried = (math.Abs(e.CarryOver) + normal975*spread(others)) * math.Abs(unlike)
}

const (
	normal975 = 1.959964 // quantile of the normal distribution
	normal80  = 0.841621
)

// contrast returns the weighted mean of the values on side 1 less that on side 0. It is NaN
// without weight on a side.
func contrast(values, side, weight []float64) float64 {
	var sum, all [2]float64
	for i, v := range values {
		if w := weight[i]; w > 0 {
			of := int(side[i])
			sum[of] += w * v
			all[of] += w
		}
	}
	return sum[1]/all[1] - sum[0]/all[0]
}

// spread returns the root mean square of values, NaN left out.
func spread(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v * v
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// fewestForKnown is how many periods with values each known covariate needs.
const fewestForKnown = 8

// cleaner returns a function that takes out of values what a weighted least squares fit on
// a constant and on what is known says of them.
func (a *Analysis) cleaner(weight []float64) func(values []float64) []float64 {
	n := 0
	for _, w := range weight {
		if w > 0 {
			n++
		}
	}
	var base [][]float64 // orthogonal
	use := func(column []float64) {
		c := slices.Clone(column)
		whole := dot(c, c, weight)
		for range 2 { // the second time for rounding
			for _, b := range base {
				takeOut(c, b, weight)
			}
		}
		if left := dot(c, c, weight); left > 1e-9*whole {
			base = append(base, c)
		}
	}
	use(slices.Repeat([]float64{1}, len(weight)))
	for i, k := range a.known {
		if (i+1)*fewestForKnown <= n {
			use(k)
		}
	}
	return func(values []float64) []float64 {
		left := slices.Clone(values)
		for _, b := range base {
			takeOut(left, b, weight)
		}
		return left
	}
}

func dot(a, b, weight []float64) float64 {
	sum := 0.0
	for i, w := range weight {
		if w > 0 {
			sum += w * a[i] * b[i]
		}
	}
	return sum
}

func takeOut(from, b, weight []float64) {
	f := dot(from, b, weight) / dot(b, b, weight)
	for i := range from {
		from[i] -= f * b[i]
	}
}
