package forecast

import (
	"math"
	"math/big"
	"testing"

	"slurm-ostrich/ostrich"
)

// TestBinomialRank: against sums of exact binomial terms, and the numbers of the paper: 59 waits are the
// fewest that bound the 0.95-quantile with confidence 0.95.
func TestBinomialRank(t *testing.T) {
	direct := func(n int, num int64, confidence float64) int {
		sum, p := new(big.Rat), big.NewRat(num, 100)
		q := new(big.Rat).Sub(big.NewRat(1, 1), p)
		power := func(x *big.Rat, k int) *big.Rat {
			r := big.NewRat(1, 1)
			for range k {
				r.Mul(r, x)
			}
			return r
		}
		for k := range n {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
			sum.Add(sum, c.Mul(c, new(big.Rat).Mul(power(p, k), power(q, n-k))))
			if f, _ := sum.Float64(); f >= confidence {
				return k + 1
			}
		}
		return n + 1
	}
	for _, n := range []int{1, 2, 5, 28, 29, 30, 45, 58, 59, 60} {
		for _, percent := range []int64{5, 10, 50, 90, 95} {
			got, want := binomialRank(n, float64(percent)/100), direct(n, percent, 0.95)
			if exact := float64(n)*float64(percent)/100*float64(100-percent)/100 < 10; exact && got != want || math.Abs(float64(got-want)) > 1 {
				t.Errorf("%d waits, %d %%: %d, want %d", n, percent, got, want)
			}
		}
	}
	if a, b := binomialRank(58, 0.95), binomialRank(59, 0.95); a != 59 || b != 59 {
		t.Errorf("of 58: %d, of 59: %d", a, b)
	}
}

// TestQBETS: bounds of waits, of those who wait already, and what is left after a change.
func TestQBETS(t *testing.T) {
	var q QBETS
	if _, ok := q.Bound(0.5, 0); ok {
		t.Error("a bound without a wait")
	}
	for i := range 100 {
		q.Add(ostrich.Duration((i+1)*37%101 - 1)) // 0 to 99
	}
	for _, tt := range []struct {
		quantile float64
		waited   ostrich.Duration
		want     ostrich.Duration
	}{
		{0.1, 0, ostrich.Duration(binomialRank(100, 0.1) - 1)},
		{0.5, 0, ostrich.Duration(binomialRank(100, 0.5) - 1)},
		{0.99, 0, 99}, // too few
		{0.5, 89, 90 + ostrich.Duration(binomialRank(10, 0.5)-1)},
	} {
		if got, ok := q.Bound(tt.quantile, tt.waited); !ok || got != tt.want {
			t.Errorf("%v after %d: %d, want %d", tt.quantile, tt.waited, got, tt.want)
		}
	}
	if _, ok := q.Bound(0.5, 99); ok {
		t.Error("nobody has waited for as long")
	}
	for i := range 2 {
		q.Add(ostrich.Duration(5000 + i))
	}
	if len(q.waits) != 102 {
		t.Errorf("%d waits after two misses", len(q.waits))
	}
	q.Add(5002)
	if len(q.waits) != qbetsLeast || q.waits[0] != float64(45*37%101-1) {
		t.Errorf("after three misses: %v", q.waits)
	}
}
