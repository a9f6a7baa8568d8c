package report_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/report"
)

func TestRankCorrelation(t *testing.T) {
	for _, tt := range []struct {
		name     string
		x, y     []float64
		tau, rho float64
		ok       bool
	}{
		{"same", []float64{1, 2, 3}, []float64{10, 20, 30}, 1, 1, true},
		{"reverse", []float64{1, 2, 3}, []float64{3, 2, 1}, -1, -1, true},
		{"one swap", []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 4.0 / 6, 0.8, true},
		// Pairs 6; tied in x 1, in y 1; 4 agree and none disagrees.
		{"ties", []float64{1, 1, 2, 3}, []float64{1, 2, 3, 3}, 4 / math.Sqrt(5*5), 4 / 4.5, true},
		{"all x the same", []float64{1, 1}, []float64{1, 2}, 0, 0, false},
		{"all y the same", []float64{1, 2}, []float64{1, 1}, 0, 0, false},
		{"one pair", []float64{1}, []float64{1}, 0, 0, false},
		{"lengths", []float64{1, 2}, []float64{1, 2, 3}, 0, 0, false},
	} {
		tau, ok := report.KendallTau(tt.x, tt.y)
		// Not >: NaN must fail, here and in the other tests of this package.
		if !(math.Abs(tau-tt.tau) <= 1e-12) || ok != tt.ok {
			t.Errorf("%s: tau %v, %v; want %v, %v", tt.name, tau, ok, tt.tau, tt.ok)
		}
		rho, ok := report.Spearman(tt.x, tt.y)
		if !(math.Abs(rho-tt.rho) <= 1e-12) || ok != tt.ok {
			t.Errorf("%s: rho %v, %v; want %v, %v", tt.name, rho, ok, tt.rho, tt.ok)
		}
	}
}

// TestKendallAgainstPairs looks at every pair.
func TestKendallAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 40)
		x := values.Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-5, 5), len(x), len(x)).Draw(t, "y")
		for i := range x {
			x[i], y[i] = math.Floor(x[i]), math.Floor(y[i]) // ties
		}
		var agree, inX, inY float64
		for i := range x {
			for j := range i {
				dx, dy := x[i]-x[j], y[i]-y[j]
				switch {
				case dx*dy > 0:
					agree++
				case dx*dy < 0:
					agree--
				}
				if dx != 0 {
					inX++
				}
				if dy != 0 {
					inY++
				}
			}
		}
		tau, ok := report.KendallTau(x, y)
		if ok != (inX > 0 && inY > 0) {
			t.Fatalf("defined: %v", ok)
		}
		if want := agree / math.Sqrt(inX*inY); ok && !(math.Abs(tau-want) <= 1e-12) {
			t.Fatalf("tau %v, want %v", tau, want)
		}
	})
}

// TestTauOfTheOthers: τ without some pairs is that of a list that has not got them.
func TestTauOfTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-9, 9), 2, 30).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-9, 9), len(x), len(x)).Draw(t, "y")
		from := rapid.IntRange(0, len(x)).Draw(t, "from")
		to := rapid.IntRange(from, len(x)).Draw(t, "to")
		got, ok := report.Rank(x, y).Tau(from, to)
		want, defined := report.KendallTau(slices.Concat(x[:from], x[to:]), slices.Concat(y[:from], y[to:]))
		if ok != defined || got != want {
			t.Fatalf("%v, %v; want %v, %v", got, ok, want, defined)
		}
	})
}

// TestAscending: the order is that of a stable sort, of infinities, fractions and both zeros too.
func TestAscending(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, 1 + 1e-15, -1e-300}))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(value, 0, 40).Draw(t, "x")
		y := rapid.SliceOfN(value, len(x), len(x)).Draw(t, "y")
		want := make([]int32, len(x))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b])) })
		if got := report.Ascending(x, y); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func BenchmarkKendallTau(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 1_000_000), make([]float64, 1_000_000)
	for i := range x {
		x[i] = float64(i / 3)
		y[i] = x[i] + float64(random.IntN(100_000))
	}
	for b.Loop() {
		report.KendallTau(x, y)
	}
}
