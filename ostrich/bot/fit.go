package bot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/optimize"
)

// Fewest is how many values a distribution is fitted to, at least.
const Fewest = 30

// ErrFew marks too few values to fit.
var ErrFew = errors.New("too few values to fit a distribution")

// Fit is a distribution with its distance from the values that it was fitted to.
type Fit struct {
	Distribution
	D float64 // statistic of Kolmogorov and Smirnov: the largest distance of the two cumulated distributions
}

// FitAll fits each family to the values above 0 by maximum likelihood, in the order of
// FamilyNames. It also returns how many these are. Fewer than Fewest of them, or all
// equal, are ErrFew.
func FitAll(values []float64) ([]Fit, int, error) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return !(x > 0) || math.IsInf(x, 0) })
	n := len(sorted)
	if n < Fewest {
		return nil, n, fmt.Errorf("%d of %d values are above 0, and %d are needed: %w", n, len(values), Fewest, ErrFew)
	}
	slices.Sort(sorted)
	if sorted[0] == sorted[n-1] {
		return nil, n, fmt.Errorf("all %d values are %v: %w", n, sorted[0], ErrFew)
	}
	fits := make([]Fit, len(FamilyNames))
	for f := range fits {
		d := fit(Family(f), sorted)
		fits[f] = Fit{d, Distance(d, sorted)}
	}
	return fits, n, nil
}

// Distance returns the statistic of Kolmogorov and Smirnov of a distribution and
// sorted values.
func Distance(d Distribution, sorted []float64) float64 {
	far, n := 0.0, float64(len(sorted))
	for i := 0; i < len(sorted); {
		k := i + 1
		for k < len(sorted) && sorted[k] == sorted[i] {
			k++
		}
		p := d.CDF(sorted[i])
		far = max(far, p-float64(i)/n, float64(k)/n-p)
		i = k
	}
	return far
}

// fit finds the parameters of greatest likelihood for values above 0 that are not
// all equal.
func fit(f Family, x []float64) Distribution {
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = math.Log(v)
	}
	mean, deviation := meanAndDeviation(x)
	meanLog, deviationLog := meanAndDeviation(logs)
	d := Distribution{Family: f}
	switch f {
	case Exponential:
		d.Params = [3]float64{1 / mean}
	case HyperExponential:
		d.Params = hyperExponential(x, mean)
	case Normal:
		d.Params = [3]float64{deviation, mean}
	case LogNormal:
		d.Params = [3]float64{meanLog, deviationLog}
	case Gamma:
		// ln(shape) − ψ(shape) = ln(mean) − mean of ln
		gap := math.Log(mean) - meanLog
		shape := root(func(k float64) float64 { return gap - math.Log(k) + mathext.Digamma(k) })
		d.Params = [3]float64{shape, shape / mean}
	default:
		// 1/shape = Σ x^shape ln x / Σ x^shape − mean of ln
		most := slices.Max(logs)
		sums := func(k float64) (power, weighted float64) {
			for _, l := range logs {
				p := math.Exp(k * (l - most))
				power += p
				weighted += p * l
			}
			return power, weighted
		}
		shape := root(func(k float64) float64 {
			power, weighted := sums(k)
			return weighted/power - meanLog - 1/k
		})
		power, _ := sums(shape)
		d.Params = [3]float64{shape, math.Exp(most + math.Log(power/float64(len(x)))/shape)}
	}
	return d
}

// meanAndDeviation returns the mean and the standard deviation of values.
func meanAndDeviation(x []float64) (mean, deviation float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / n
	}
	return mean, math.Sqrt(deviation)
}

// root finds where a function that grows from below 0 to above 0 is 0, among
// the shapes from 1e-6 to 1e9.
func root(f func(float64) float64) float64 {
	low, high := bisect(math.Log(1e-6), math.Log(1e9), 60, func(x float64) bool { return f(math.Exp(x)) < 0 })
	return math.Exp((low + high) / 2)
}

// bisect halves an interval the given number of times. isLow is true below what is sought.
func bisect(from, to float64, times int, isLow func(float64) bool) (low, high float64) {
	for range times {
		if middle := (from + to) / 2; isLow(middle) {
			from = middle
		} else {
			to = middle
		}
	}
	return from, to
}

// hyperExponential maximises the likelihood of two phases: by expectation and
// maximisation, which finds the way from a start that depends on the mean only,
// and then by the simplex method, which comes to the end of it sooner.
func hyperExponential(x []float64, mean float64) [3]float64 {
	p, a, b, n := 0.5, 2/mean, 0.5/mean, float64(len(x))
	for range 100 {
		var first, firstSum, sum float64
		for _, v := range x {
			w := 1 / (1 + (1-p)*b*math.Exp((a-b)*v)/(p*a)) // that it is of the first phase
			first += w
			firstSum += w * v
			sum += v
		}
		p, a, b = first/n, first/firstSum, (n-first)/(sum-firstSum)
		if (Distribution{HyperExponential, [3]float64{p, a, b}}).check() != "" {
			return [3]float64{0.5, 1 / mean, 1 / mean} // one phase is all there is
		}
	}
	params := func(free []float64) [3]float64 {
		return [3]float64{1 / (1 + math.Exp(-free[0])), math.Exp(free[1]), math.Exp(free[2])}
	}
	unlikely := func(free []float64) float64 {
		d := params(free)
		sum := 0.0
		for _, v := range x {
			sum -= math.Log(d[0]*d[1]*math.Exp(-d[1]*v) + (1-d[0])*d[2]*math.Exp(-d[2]*v))
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}
	start := []float64{math.Log(p / (1 - p)), math.Log(a), math.Log(b)}
	// An error is that of a search that has been cut off: what it found counts.
	r, _ := optimize.Minimize(optimize.Problem{Func: unlikely}, start, nil, &optimize.NelderMead{})
	if r != nil && (Distribution{HyperExponential, params(r.X)}).check() == "" {
		return params(r.X)
	}
	return [3]float64{p, a, b}
}

// Best returns the distribution that is selected among the fits of FitAll: the one
// with the least D, or one of the preferred family if its D is within Tie of that.
func Best(fits []Fit, preferred Family) Fit {
	best := slices.MinFunc(fits, nearer)
	if p := fits[preferred]; p.D-best.D < Tie {
		return p
	}
	return best
}

// Tie is the difference of D below which two distributions are as good.
const Tie = 0.01

// Average returns the fit of the average system, from the fits of several systems: the
// family with the least mean D, with its mean parameters and that D. Without systems it
// is the zero Fit.
func Average(systems [][]Fit) Fit {
	if len(systems) == 0 {
		return Fit{}
	}
	n := float64(len(systems))
	means := make([]Fit, len(FamilyNames))
	for f := range means {
		means[f].Family = Family(f)
		for _, fits := range systems {
			means[f].D += fits[f].D / n
			for i, p := range fits[f].Params {
				means[f].Params[i] += p / n
			}
		}
	}
	return slices.MinFunc(means, nearer)
}

// nearer orders fits by D. MinFunc takes the first of equal ones, which is the
// family that comes first.
func nearer(a, b Fit) int { return cmp.Compare(a.D, b.D) }
