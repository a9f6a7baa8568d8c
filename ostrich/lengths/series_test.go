package lengths

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func seriesOf(values []float64) *series {
	var s *series
	for _, v := range values {
		s = s.with(v)
	}
	return s
}

// TestSeriesByHand: small sequences computed by hand.
func TestSeriesByHand(t *testing.T) {
	for _, tt := range []struct {
		what   string
		p      Predictor
		values []float64
		want   float64
	}{
		{"the first is all that is known", ByAdaptive, []float64{8}, 8},
		{"the first error is followed", ByAdaptive, []float64{8, 18}, 18},
		// Errors 10, −10: drift 0.2·10 = 2, then 2 + 0.2·(−10−2) = −0.4; spread 2, then 3.6; 18 − 10·0.4/3.6.
		{"an error back is hardly followed", ByAdaptive, []float64{8, 18, 8}, 18 - 10*0.4/3.6},
		{"no error", ByAdaptive, []float64{5, 5, 5}, 5},
		{"one", ByRegression, []float64{8}, 8},
		{"all the same", ByRegression, []float64{7, 7, 7, 7, 7, 7, 7}, 7},
		// Mean 2, covariances 1 and −1/2: the second regresses on the first by −1/2.
		{"two, the next turns back", ByRegression, []float64{1, 3}, 2 - 0.5*1},
		{"ten of eleven", ByMeanTen, []float64{100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5},
		{"fewer than ten", ByMeanTen, []float64{1, 2, 6}, 3},
		{"all", ByMean, []float64{100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 155.0 / 11},
	} {
		if got := seriesOf(tt.values).next(tt.p); !(math.Abs(got-tt.want) <= 1e-9) {
			t.Errorf("%v, %s: %v, want %v", tt.p, tt.what, got, tt.want)
		}
	}
}

// TestRegression compares the forecast with that of the equations of Yule and
// Walker, written down from all values and solved by elimination.
func TestRegression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1, 1e5), 2, 60).Draw(t, "values")
		n, order := len(values), min(regressed, len(values)-1)
		mean := 0.0
		for _, v := range values {
			mean += v / float64(n)
		}
		covariance := make([]float64, order+1)
		for h := range covariance {
			for i := h; i < n; i++ {
				covariance[h] += (values[i] - mean) * (values[i-h] - mean) / float64(n)
			}
		}
		if covariance[0] < 1e-3*mean*mean { // all are nearly the same
			t.Skip()
		}
		rows := make([][]float64, order)
		for i := range rows {
			for k := range order {
				rows[i] = append(rows[i], covariance[max(i-k, k-i)])
			}
			rows[i] = append(rows[i], covariance[i+1])
		}
		for i := range rows { // the matrix is positive definite: no pivot is 0
			for k := range rows {
				if k != i {
					f := rows[k][i] / rows[i][i]
					for c := range rows[k] {
						rows[k][c] -= f * rows[i][c]
					}
				}
			}
		}
		want := mean
		for i := range rows {
			want += rows[i][order] / rows[i][i] * (values[n-1-i] - mean)
		}
		if got := seriesOf(values).next(ByRegression); !(math.Abs(got-want) <= 1e-5*(math.Abs(want)+mean)) {
			t.Fatalf("forecast %v, want %v", got, want)
		}
	})
}

// TestSeriesMean: means are those of all values and of the latest ten, and adaptive
// smoothing never leaves the range of the values.
func TestSeriesMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 50).Draw(t, "values")
		s := seriesOf(values)
		mean := func(list []float64) (m float64) {
			for _, v := range list {
				m += v / float64(len(list))
			}
			return m
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
		if got, want := s.next(ByMean), mean(values); !(math.Abs(got-want) <= 1e-6*(1+want)) {
			t.Fatalf("mean %v, want %v", got, want)
		}
		if got, want := s.next(ByMeanTen), mean(values[max(0, len(values)-10):]); !(math.Abs(got-want) <= 1e-6*(1+want)) {
			t.Fatalf("mean of ten %v, want %v", got, want)
		}
		if got := s.next(ByAdaptive); !(low-1e-6*(1+high) <= got && got <= high+1e-6*(1+high)) {
			t.Fatalf("adaptive smoothing %v, outside of %v to %v", got, low, high)
		}
	})
}

// TestForecast is the predictor of a schedule without limits.
func TestForecast(t *testing.T) {
	for p := range PredictorNames {
		f := Forecast{Predictor: Predictor(p)}
		if _, ok := f.Next(); ok {
			t.Errorf("%v tells before the first length", f.Predictor)
		}
		f.Add(100)
		if got, ok := f.Next(); ok != (f.Predictor != ByLimit) || ok && got != 100 {
			t.Errorf("%v: %d, %t after 100", f.Predictor, got, ok)
		}
		f.Add(0)
		f.Add(0)
		if got, ok := f.Next(); ok && got < 1 {
			t.Errorf("%v: %d, want at least a second", f.Predictor, got)
		}
	}
}
