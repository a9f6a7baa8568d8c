package confidence_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

func TestPercentile(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(1000 - i)
	}
	if got, ok := confidence.Percentile(values, 0.95); !ok || math.Abs(got.Low-25) > 1 || math.Abs(got.High-975) > 1 {
		t.Errorf("of 1 to 1000: %v, %v", got, ok)
	}
	if got, ok := confidence.Percentile(nil, 0.95); ok {
		t.Errorf("of nothing: %v", got)
	}
	for _, tt := range []struct {
		low, high float64
		want      bool
	}{{-1, 1, false}, {0, 1, false}, {0, 0, false}, {0.1, 1, true}, {-2, -1, true}} {
		if i := (report.Interval{Low: tt.low, High: tt.high}); i.Excludes(0) != tt.want {
			t.Errorf("%v excludes 0: %v", i, !tt.want)
		}
	}
}

// TestBootstrapCovers: clusters with values of their own mean. Of 200 intervals
// of the mean, most must hold the true one. Single values resampled, as if
// they did not hang together, would make intervals that are much too narrow.
func TestBootstrapCovers(t *testing.T) {
	const clusters, each, trials = 40, 30, 200
	random := rand.New(rand.NewPCG(7, 11))
	covered := 0
	for range trials {
		sums := make([]float64, clusters)
		for i := range sums {
			mean := random.NormFloat64()
			for range each {
				sums[i] += mean + random.NormFloat64()
			}
		}
		var means []float64
		err := confidence.Bootstrap(random, clusters, 400, func(times []int32) error {
			var sum, n float64
			for i, w := range times {
				sum, n = sum+float64(w)*sums[i], n+float64(w)*each
			}
			if n != clusters*each {
				t.Fatalf("a sample of %v values", n)
			}
			means = append(means, sum/n)
			return nil
		})
		if err != nil || len(means) != 400 {
			t.Fatalf("%d rounds, %v", len(means), err)
		}
		if i, _ := confidence.Percentile(means, 0.95); !i.Excludes(0) {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.89 || share > 0.99 {
		t.Errorf("%.1f %% of the 95 %% intervals hold the true mean", 100*share)
	}
}

func TestBootstrapEnds(t *testing.T) {
	end, rounds := errors.New("enough"), 0
	err := confidence.Bootstrap(rand.New(rand.NewPCG(1, 1)), 3, 10, func([]int32) error {
		rounds++
		if rounds == 4 {
			return end
		}
		return nil
	})
	if !errors.Is(err, end) || rounds != 4 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
}
