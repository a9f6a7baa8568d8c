package forecast

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// QBETS bounds the waits of a queue by its past waits alone (Nurmi, Brevik, Wolski: QBETS: Queue Bounds
// Estimation from Time Series, JSSPP 2007, sections 3.1 and 3.2). It is what forecasts
// are measured by. The zero value knows no wait.
//
// The k-th shortest of n waits is an upper bound of the q-quantile with confidence C, where k is the
// least number with
//
//	P(Bin(n, q) < k) ≥ C
//
// After three waits in a row above the bound of the 0.95-quantile the queue has changed, and only
// the latest 59 waits count, the fewest from which that quantile can be bounded. The division of jobs
// by their width (section 3.3) is left out.
type QBETS struct {
	waits  []float64 // by arrival
	sorted []float64
	missed int // in a row
}

// Constants of QBETS: its confidence, the quantile by which changes are found, after how many misses in
// a row, what is left then, and how much of the past counts at most.
const (
	qbetsConfidence = 0.95
	qbetsWatched    = 0.95
	qbetsMisses     = 3
	qbetsLeast      = 59
	qbetsMost       = 4096
)

// Add adds the wait of a job that has started.
func (q *QBETS) Add(wait ostrich.Duration) {
	w := float64(wait)
	if bound, ok := q.bound(q.sorted, qbetsWatched); ok && w > bound {
		q.missed++
	} else {
		q.missed = 0
	}
	q.waits = append(q.waits, w)
	i, _ := slices.BinarySearch(q.sorted, w)
	q.sorted = slices.Insert(q.sorted, i, w)
	if len(q.waits) > qbetsMost {
		i, _ = slices.BinarySearch(q.sorted, q.waits[0])
		q.sorted = slices.Delete(q.sorted, i, i+1)
		q.waits = q.waits[1:]
	}
	if q.missed == qbetsMisses {
		q.missed = 0
		q.waits = slices.Clone(q.waits[max(0, len(q.waits)-qbetsLeast):])
		q.sorted = slices.Sorted(slices.Values(q.waits))
	}
}

// Bound returns an upper bound of a quantile of the waits of jobs that have waited for so long
// already, as a wait in all. It is the longest of them where there are too few, and false without
// any.
func (q *QBETS) Bound(quantile float64, waited ostrich.Duration) (ostrich.Duration, bool) {
	rest := above(q.sorted, float64(waited))
	if waited == 0 {
		rest = q.sorted
	}
	if len(rest) == 0 {
		return 0, false
	}
	bound, ok := q.bound(rest, quantile)
	if !ok {
		bound = rest[len(rest)-1]
	}
	return ostrich.Duration(bound), true
}

// bound returns the upper bound from some waits in order; false if they are too few.
func (q *QBETS) bound(sorted []float64, quantile float64) (float64, bool) {
	k := binomialRank(len(sorted), quantile)
	if k < 1 || k > len(sorted) {
		return 0, false
	}
	return sorted[k-1], true
}

// above returns those of ascending values that are above one.
func above(sorted []float64, x float64) []float64 {
	i, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return sorted[i:]
}

// binomialRank returns the least k with P(Bin(n, p) < k) ≥ qbetsConfidence; n+1 if k = n has less. For
// many it is that of the normal distribution with the same mean and variance, as in the paper.
func binomialRank(n int, p float64) int {
	variance := float64(n) * p * (1 - p)
	if variance >= 10 {
		z := math.Sqrt2 * math.Erfinv(2*qbetsConfidence-1)
		return int(math.Ceil(float64(n)*p + z*math.Sqrt(variance) + 0.5))
	}
	lg, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for k := range n {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(lg - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		if sum >= qbetsConfidence {
			return k + 1
		}
	}
	return n + 1
}
