package bot

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func sample(d Distribution, seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	list := make([]float64, n)
	for i := range list {
		list[i] = draw(rng, d)
	}
	return list
}

func likelihood(d Distribution, values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += d.LogProb(v)
	}
	return sum
}

// TestClosedForm compares the fits with what general optimisation finds from the
// same values.
func TestClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := Distribution{Gamma, [3]float64{rapid.Float64Range(0.5, 20).Draw(t, "shape"), rapid.Float64Range(0.1, 10).Draw(t, "rate")}}
		values := sample(from, rapid.Uint64().Draw(t, "seed"), 60)
		mean, deviation := stat.PopMeanStdDev(values, nil)
		for f := range FamilyNames {
			d := fit(Family(f), values)
			n := parameters[f]
			other := Distribution{Family: Family(f)}
			if other.Family == HyperExponential {
				other.Params = phases(values, 2/mean, 0.5/mean)
			} else {
				set := func(x []float64) {
					for i := range n {
						other.Params[i] = math.Exp(x[i])
					}
					if other.Family == LogNormal {
						other.Params[0] = x[0]
					}
				}
				start := []float64{0, 0}
				if other.Family == Normal {
					start = []float64{math.Log(deviation), math.Log(mean)}
				}
				r, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 {
					set(x)
					return -likelihood(other, values)
				}}, start[:n], nil, &optimize.NelderMead{})
				if err != nil {
					t.Fatal(err)
				}
				set(r.X)
			}
			if ours, numeric := likelihood(d, values), likelihood(other, values); ours < numeric-0.01 {
				t.Fatalf("%v has log likelihood %v, and %v has %v", d, ours, other, numeric)
			}
		}
	})
}

// phases maximises the likelihood of two phases by expectation and maximisation.
func phases(x []float64, a, b float64) [3]float64 {
	p, n := 0.5, float64(len(x))
	for range 500 {
		var first, firstSum, sum float64
		for _, v := range x {
			w := 1 / (1 + (1-p)*b*math.Exp((a-b)*v)/(p*a))
			first += w
			firstSum += w * v
			sum += v
		}
		p, a, b = first/n, first/firstSum, (n-first)/(sum-firstSum)
	}
	return [3]float64{p, a, b}
}

// TestHyperExponential: two phases that lie apart are found.
func TestHyperExponential(t *testing.T) {
	want := Distribution{HyperExponential, [3]float64{0.3, 5, 0.2}}
	got := fit(HyperExponential, sample(want, 1, 20_000))
	for i, within := range []float64{0.02, 0.5, 0.01} {
		near(t, want.String(), got.Params[i], want.Params[i], within)
	}
	for _, p := range []float64{0.001, 0.3, 0.5, 0.999} {
		near(t, "quantile", want.CDF(want.Quantile(p)), p, 1e-9)
	}
	if want.CDF(-1) != 0 || !math.IsInf(want.LogProb(-1), -1) {
		t.Error("there are values below 0")
	}
}

// TestRefitted: each family is the best for values drawn from it, and gives its
// parameters back within four standard errors by the bootstrap of 20 samples.
func TestRefitted(t *testing.T) {
	for _, want := range []Distribution{
		{Exponential, [3]float64{0.2}},
		{HyperExponential, [3]float64{0.3, 5, 0.2}},
		normal(2.73, 12.1), logNormal(1.82, 0.34), gamma(3.55, 0.47), weibull(1.76, 2.11),
	} {
		const n = 2000
		fits, count, err := FitAll(sample(want, 1, n))
		if err != nil || count != n {
			t.Fatal(count, err)
		}
		best := Best(fits, slices.MinFunc(fits, nearer).Family)
		// A hyper-exponential distribution may be an exponential one.
		if best.Family != want.Family && want.Family != Exponential {
			t.Errorf("%v: best is %v with D %v", want, best.Distribution, best.D)
		}
		spreads := make([][]float64, 3)
		for seed := range uint64(20) {
			for i, p := range fit(want.Family, sample(want, 100+seed, n)).Parameters() {
				spreads[i] = append(spreads[i], p)
			}
		}
		for i, p := range fits[want.Family].Parameters() {
			_, deviation := meanAndDeviation(spreads[i])
			near(t, want.String(), p, want.Params[i], 4*deviation)
		}
	}
}

// TestDistance is that of a slow walk, and the same for a multiple of the values.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.5, 9), 30, 80).Draw(t, "values")
		for i := range values {
			values[i] = math.Round(values[i]*4) / 4 // ties
		}
		values[0], values[1] = 1, 7
		fits, _, err := FitAll(values)
		if err != nil {
			t.Fatal(err)
		}
		many := make([]float64, len(values))
		for i, v := range values {
			many[i] = 8 * v
		}
		scaled, _, err := FitAll(many)
		if err != nil {
			t.Fatal(err)
		}
		for f, one := range fits {
			want := 0.0
			for _, x := range values {
				var below, upTo float64
				for _, v := range values {
					if v < x {
						below++
					}
					if v <= x {
						upTo++
					}
				}
				p := one.CDF(x)
				want = max(want, math.Abs(p-below/float64(len(values))), math.Abs(p-upTo/float64(len(values))))
			}
			if math.Abs(one.D-want) > 1e-12 {
				t.Fatalf("%v: D %v, want %v", one.Distribution, one.D, want)
			}
			if f != int(HyperExponential) && math.Abs(one.D-scaled[f].D) > 1e-6 {
				t.Fatalf("%v: D %v, and %v for 8 times the values", one.Distribution, one.D, scaled[f].D)
			}
		}
	})
}

func TestFewValues(t *testing.T) {
	few := sample(weibull(2, 3), 1, Fewest-1)
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{nil, "0 of 0 values are above 0, and 30 are needed: too few values to fit a distribution"},
		{few, "29 of 29 values are above 0, and 30 are needed: too few values to fit a distribution"},
		{append(few, 0, -1, math.Inf(-1), math.NaN()), "29 of 33 values are above 0, and 30 are needed: too few values to fit a distribution"},
		{slices.Repeat([]float64{2}, 50), "all 50 values are 2: too few values to fit a distribution"},
	} {
		if _, _, err := FitAll(tt.values); err == nil || err.Error() != tt.want || !errors.Is(err, ErrFew) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if _, n, err := FitAll(append(few, 1, 0)); n != Fewest || err != nil {
		t.Error(n, err)
	}
	for _, jobs := range [][]int{nil, {100}, {20, 9}} {
		if _, err := FitZipf(jobs); !errors.Is(err, ErrFew) {
			t.Errorf("%v: %v", jobs, err)
		}
	}
}

// TestBest: a family within 0.01 of the least D is as good.
func TestBest(t *testing.T) {
	fits := make([]Fit, len(FamilyNames))
	for f := range fits {
		fits[f] = Fit{Distribution{Family(f), [3]float64{float64(f + 1)}}, 0.5}
	}
	fits[Gamma].D, fits[Weibull].D = 0.1, 0.109
	for preferred, want := range map[Family]Family{Gamma: Gamma, Weibull: Weibull, Normal: Gamma} {
		if got := Best(fits, preferred).Family; got != want {
			t.Errorf("%v is preferred: %v, want %v", preferred, got, want)
		}
	}
	fits[Weibull].D = 0.1101
	if got := Best(fits, Weibull).Family; got != Gamma {
		t.Errorf("more than 0.01 apart: %v", got)
	}
	other := slices.Clone(fits)
	other[Gamma].D, other[Weibull].D, other[Weibull].Params[0] = 0.3, 0.05, 2
	if got := Average([][]Fit{fits, other}); got.Family != Weibull || got.Params[0] != 4 || math.Abs(got.D-0.08005) > 1e-9 {
		t.Errorf("average system: %+v", got)
	}
	if got := Average(nil); got != (Fit{}) {
		t.Errorf("of no system: %+v", got)
	}
}

// TestZipf gives the exponent back that the weights have.
func TestZipf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := Zipf{rapid.Float64Range(0.1, 3).Draw(t, "alpha"), rapid.IntRange(2, 300).Draw(t, "users")}
		weights, before := z.weights(), 0.0
		jobs := make([]int, z.Users)
		for i, w := range weights {
			jobs[i] = int(1e12 * (w - before) / weights[len(weights)-1])
			before = w
		}
		got, err := FitZipf(jobs)
		if err != nil || got.Users != z.Users || math.Abs(got.Alpha-z.Alpha) > 1e-6 {
			t.Fatalf("%v, %v, want %v", got, err, z)
		}
	})
}

// LogProb is the natural logarithm of the density at x.
func (d Distribution) LogProb(x float64) float64 {
	if d.Family == HyperExponential {
		if x < 0 {
			return math.Inf(-1)
		}
		p, a, b := d.Params[0], d.Params[1], d.Params[2]
		return math.Log(p*a*math.Exp(-a*x) + (1-p)*b*math.Exp(-b*x))
	}
	return d.law().LogProb(x)
}
