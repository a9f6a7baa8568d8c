package lengths

import "math"

// series is what is remembered of a sequence of lengths, whatever its length. It is
// never changed, so that copies of a schedule may share it.
type series struct {
	count  int
	origin float64 // the first length: the others are kept as differences from it
	sum    float64

	// Of the autocorrelation: Σ x(t)·x(t−h) by h, and the first values.
	products [regressed + 1]float64
	first    [regressed]float64
	latest   [meanOf]float64 // a ring

	// Of adaptive smoothing: the forecast, and the smoothed error with and without
	// its sign.
	smoothed, drift, spread float64
}

const (
	regressed = 5  // lengths that ByRegression regresses on
	meanOf    = 10 // lengths of which ByMeanTen takes the mean

	// adaption smooths the errors of ByAdaptive. Trigg and Leach take 0.1 or 0.2.
	adaption = 0.2
)

// with returns the series with one more length; nil is the empty one.
func (s *series) with(length float64) *series {
	if s == nil {
		return &series{count: 1, origin: length}
	}
	t, x := *s, length-s.origin
	t.products[0] += x * x
	for h := 1; h <= min(regressed, s.count); h++ {
		t.products[h] += x * s.back(h)
	}
	if s.count < regressed {
		t.first[s.count] = x
	}
	t.latest[s.count%meanOf] = x
	t.sum += x
	t.count++

	off := x - s.smoothed
	t.drift += adaption * (off - t.drift)
	t.spread += adaption * (math.Abs(off) - t.spread)
	if t.spread > 0 {
		t.smoothed += math.Abs(t.drift) / t.spread * off
	}
	return &t
}

// back is the h-th value from the end, from 1 to the smaller of meanOf and count.
func (s *series) back(h int) float64 { return s.latest[(s.count-h)%meanOf] }

// next forecasts the next length. There is one.
func (s *series) next(p Predictor) float64 {
	switch p {
	case ByAdaptive:
		return s.origin + s.smoothed
	case ByRegression:
		return s.origin + s.regression()
	case ByMeanTen:
		sum, n := 0.0, min(s.count, meanOf)
		for h := 1; h <= n; h++ {
			sum += s.back(h)
		}
		return s.origin + sum/float64(n)
	default:
		return s.origin + s.sum/float64(s.count)
	}
}

// regression forecasts the next value by autoregression: it solves the Yule-Walker
// equations by the Levinson-Durbin recursion.
func (s *series) regression() float64 {
	n := float64(s.count)
	mean := s.sum / n
	order := min(regressed, s.count-1)
	var covariance [regressed + 1]float64
	head, tail := s.sum, s.sum // sums without the last h values, and without the first h
	for h := 0; h <= order; h++ {
		covariance[h] = (s.products[h] - mean*(head+tail) + (n-float64(h))*mean*mean) / n
		if h < order {
			head -= s.back(h + 1)
			tail -= s.first[h]
		}
	}
	left := covariance[0]
	var factors [regressed]float64
	for k := range order {
		if !(left > 1e-9*(1+mean*mean)) { // all the same, or foretold exactly
			break
		}
		next := covariance[k+1]
		for i := range k {
			next -= factors[i] * covariance[k-i]
		}
		next /= left
		before := factors
		for i := range k {
			factors[i] -= next * before[k-1-i]
		}
		factors[k] = next
		left *= 1 - next*next
	}
	forecast := mean
	for i, f := range factors[:order] {
		forecast += f * (s.back(i+1) - mean)
	}
	return forecast
}
