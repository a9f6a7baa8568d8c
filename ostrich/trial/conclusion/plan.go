package conclusion

import (
	"math"

	"slurm-ostrich/ostrich/trial"
)

// Power is how often an effect is to be seen at the planned length.
const Power = 0.8

// mostWeeks is the longest trial that is planned.
const mostWeeks = 520

// Weeks returns after how many weeks a trial sees an effect, such as −0.105 for 10 % less
// of a measure on the scale of logarithms, with probability Power at least. The analysis
// and the series are of time without a trial. The standard error of the estimate is that of the
// draws made over these periods:
//
//	weeks = H·((z_.975 + z_.8)·s·(1 + 1/√(2n)) / |effect|)²
//
// with H weeks of history of n periods with values, and s the standard deviation over draws
// there. The factor allows for an s that is known from n periods only. Weeks are whole, and even
// where weekdays of two weeks are a pair. ok is false if more than ten years are needed, or nothing can be told.
func (a *Analysis) Weeks(d *trial.Design, s Series, effect float64) (weeks int, ok bool) {
	n := 0
	for _, w := range s.Weight {
		if w > 0 {
			n++
		}
	}
	if n < 2*fewestForKnown || effect == 0 {
		return 0, false
	}
	values := a.cleaner(s.Weight)(s.Value)
	tops := make([]float64, len(a.other))
	for k, draw := range a.other {
		tops[k] = contrast(values, draw, s.Weight)
	}
	deviation := spread(tops) * (1 + 1/math.Sqrt(2*float64(n)))
	had := float64(n) * float64(d.Period) / float64(trial.Week)
	times := (normal975 + normal80) * deviation / math.Abs(effect)
	need := math.Ceil(had * times * times)
	if math.IsNaN(need) || need > mostWeeks {
		return 0, false
	}
	// Fewer than 6 pairs cannot differ from other draws at 5 %; 8 give some choice.
	least := math.Ceil(16 * float64(d.Period) / float64(trial.Week))
	weeks = int(max(need, least, 1))
	if d.Slots() > 1 {
		weeks += weeks % 2
	}
	return weeks, true
}
