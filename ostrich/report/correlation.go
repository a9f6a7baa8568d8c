package report

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// KendallTau returns the rank correlation τ-b of pairs (x, y), which allows for
// ties: 1 if both put everything in the same order, −1 if in the reverse
// (Kendall, "The Treatment of Ties in Ranking Problems", Biometrika 33, 1945). It
// takes O(n log n) (Knight, "A Computer Method for Calculating Kendall's Tau with
// Ungrouped Data", JASA 61, 1966). ok is false where τ-b is not defined: if x and
// y have different lengths, if there are fewer than two pairs, or if all x or all
// y are the same. Neither may hold NaN.
func KendallTau(x, y []float64) (tau float64, ok bool) {
	if len(x) != len(y) {
		return 0, false
	}
	return Rank(x, y).Tau(0, 0)
}

// Pairs are pairs (x, y) in the order of x, and then of y.
type Pairs []pair

type pair struct {
	x, y float64
	i    int32
}

// Rank sorts pairs.
func Rank(x, y []float64) Pairs {
	pairs := make(Pairs, len(x))
	for k, i := range Ascending(x, y) {
		pairs[k] = pair{x[i], y[i], i}
	}
	return pairs
}

// Tau is KendallTau of all pairs but those from one place to another, as Rank got them.
func (p Pairs) Tau(from, to int) (tau float64, ok bool) {
	pairs := p
	if from < to {
		pairs = slices.DeleteFunc(slices.Clone(p), func(one pair) bool { return int(one.i) >= from && int(one.i) < to })
	}
	if len(pairs) < 2 {
		return 0, false
	}
	tiedX := ties(len(pairs), func(i, j int) bool { return pairs[i].x == pairs[j].x })
	tiedBoth := ties(len(pairs), func(i, j int) bool { return pairs[i].x == pairs[j].x && pairs[i].y == pairs[j].y })
	second := make([]float64, len(pairs))
	for i := range pairs {
		second[i] = pairs[i].y
	}
	swaps := scalar.Inversions(second)
	tiedY := ties(len(second), func(i, j int) bool { return second[i] == second[j] }) // sorted by now
	n := int64(len(pairs))
	all := n * (n - 1) / 2
	if tiedX == all || tiedY == all {
		return 0, false
	}
	agree := float64(all - tiedX - tiedY + tiedBoth - 2*swaps)
	tau = agree / math.Sqrt(float64(all-tiedX)) / math.Sqrt(float64(all-tiedY))
	return min(max(tau, -1), 1), true
}

// ties counts the pairs among n sorted values that are the same.
func ties(n int, same func(i, j int) bool) int64 {
	count, run := int64(0), int64(0) // run: equal values before this one
	for i := 1; i < n; i++ {
		if same(i-1, i) {
			run++
			count += run
		} else {
			run = 0
		}
	}
	return count
}

// Spearman returns the rank correlation ρ of pairs (x, y): Pearson's correlation
// of the ranks, where equal values share the mean of their ranks (Spearman, "The
// Proof and Measurement of Association between Two Things", 1904). ok is false
// where it is for KendallTau.
func Spearman(x, y []float64) (rho float64, ok bool) {
	if len(x) != len(y) || len(x) < 2 {
		return 0, false
	}
	rx, ry := ranks(x), ranks(y)
	middle := float64(len(x)-1) / 2
	var xx, yy, xy float64
	for i := range rx {
		dx, dy := rx[i]-middle, ry[i]-middle
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	if xx == 0 || yy == 0 {
		return 0, false
	}
	return min(max(xy/math.Sqrt(xx)/math.Sqrt(yy), -1), 1), true
}

// ranks returns the rank of each value, from 0; equal values share the mean.
func ranks(values []float64) []float64 {
	order, list := Ascending(values), make([]float64, len(values))
	for first := 0; first < len(order); {
		after := first + 1
		for after < len(order) && values[order[after]] == values[order[first]] {
			after++
		}
		for _, at := range order[first:after] {
			list[at] = float64(first+after-1) / 2
		}
		first = after
	}
	return list
}
