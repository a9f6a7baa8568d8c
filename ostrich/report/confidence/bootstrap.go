package confidence

import (
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich/report"
)

// Bootstrap draws random samples of clusters with replacement, each as large as
// their number. For each sample it calls measure with how often each cluster is
// in it; the slice is reused. To get the paired bootstrap, measure two runs on
// one sample and take the difference (Efron and Tibshirani, "An Introduction to
// the Bootstrap", 1993, chapters 6 and 8). Values that depend on one another
// belong into one cluster: all jobs of a user, or all of a campaign. Bootstrap
// stops at an error of measure and returns it.
func Bootstrap(random *rand.Rand, clusters, rounds int, measure func(times []int32) error) error {
	times := make([]int32, clusters)
	for range rounds {
		clear(times)
		for range clusters {
			times[random.IntN(clusters)]++
		}
		if err := measure(times); err != nil {
			return err
		}
	}
	return nil
}

// Percentile returns the percentile interval of resampled values: the middle part
// of them, of size level, such as 0.95 (Efron and Tibshirani, chapter 13). It
// sorts the values. Without values it returns false.
func Percentile(values []float64, level float64) (report.Interval, bool) {
	if len(values) == 0 {
		return report.Interval{}, false
	}
	slices.Sort(values)
	out := (1 - level) / 2
	return report.Interval{Low: report.Quantile(values, out), High: report.Quantile(values, 1-out)}, true
}
