// Package confidence has the confidence intervals: of means by Student's
// distribution, and of any measure by the bootstrap. It is apart from report
// because the daemon measures, but tells no intervals, and links no gonum.
package confidence

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is that of all intervals.
const Level = 0.95

// Fewest is how many clusters a 95 % interval needs. If n clusters get better or
// worse by chance, all n go the same way with probability 2·2^−n, and no resample
// shows the other way. Below 6, that probability is more than 5 %.
const Fewest = 6

// Mean is a mean with its standard error, NaN if that is not known, and the degrees
// of freedom of the error.
type Mean struct{ Mean, Error, Freedom float64 }

// MeanOf returns the mean of independent values. Fewer than two have no error.
func MeanOf(values []float64) Mean {
	n := float64(len(values))
	var m Mean
	for _, v := range values {
		m.Mean += v / n
	}
	if len(values) < 2 {
		return Mean{Mean: m.Mean, Error: math.NaN()}
	}
	for _, v := range values {
		m.Error += (v - m.Mean) * (v - m.Mean)
	}
	m.Error, m.Freedom = math.Sqrt(m.Error/(n-1)/n), n-1
	return m
}

// MeanOfMeans returns the mean of independent means. The degrees of freedom are those
// of Welch and Satterthwaite (Satterthwaite, "An Approximate Distribution of Estimates
// of Variance Components", Biometrics Bulletin 2, 1946).
func MeanOfMeans(means []Mean) Mean {
	n := float64(len(means))
	var all Mean
	for _, m := range means {
		all.Mean += m.Mean / n
		all.Error += m.Error * m.Error
		if m.Error > 0 {
			all.Freedom += m.Error * m.Error * m.Error * m.Error / m.Freedom
		}
	}
	all.Error, all.Freedom = math.Sqrt(all.Error)/n, all.Error*all.Error/all.Freedom
	return all
}

// Reach returns how far the interval of the mean reaches each way, by Student's t; NaN
// if the error is not known.
func (m Mean) Reach() float64 {
	if m.Error == 0 || math.IsNaN(m.Error) {
		return m.Error
	}
	return m.Error * distuv.StudentsT{Sigma: 1, Nu: m.Freedom}.Quantile((1+Level)/2)
}
