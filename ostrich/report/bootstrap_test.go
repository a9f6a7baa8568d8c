package report_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/report"
)

// TestPoolAgainstSort repeats each value as often as the sample has its
// cluster, and sorts.
func TestPoolAgainstSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clusters := rapid.IntRange(1, 6).Draw(t, "clusters")
		n := rapid.IntRange(0, 300).Draw(t, "values")
		values, cluster := make([]float64, n), make([]int32, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(0, 50).Draw(t, "value"))
			cluster[i] = int32(rapid.IntRange(0, clusters-1).Draw(t, "cluster"))
		}
		times := make([]float64, clusters)
		for i := range times {
			times[i] = float64(rapid.IntRange(0, 3).Draw(t, "times"))
		}
		var all []float64
		for i, v := range values {
			for range int(times[cluster[i]]) {
				all = append(all, v)
			}
		}
		slices.Sort(all)
		qs := []float64{0, 0.5, 0.95, 0.99, 1}
		want := make([]float64, len(qs))
		for i, q := range qs {
			if len(all) > 0 {
				want[i] = all[max(0, int(math.Ceil(q*float64(len(all))))-1)]
			}
		}
		p := report.NewPool(values, cluster, clusters)
		if got := p.Quantiles(times, qs...); !slices.Equal(got, want) {
			t.Fatalf("quantiles %v, want %v", got, want)
		}
		once := make([]float64, clusters)
		for i := range once {
			once[i] = 1
		}
		if a, b := p.Quantiles(nil, qs...), p.Quantiles(once, qs...); !slices.Equal(a, b) {
			t.Fatalf("quantiles of all %v, of each cluster once %v", a, b)
		}
	})
}

func TestPercentile(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(1000 - i)
	}
	if got, ok := report.Percentile(values, 0.95); !ok || math.Abs(got.Low-25) > 1 || math.Abs(got.High-975) > 1 {
		t.Errorf("of 1 to 1000: %v, %v", got, ok)
	}
	if got, ok := report.Percentile(nil, 0.95); ok {
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
		err := report.Bootstrap(random, clusters, 400, func(times []float64) error {
			var sum, n float64
			for i, w := range times {
				sum, n = sum+w*sums[i], n+w*each
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
		if i, _ := report.Percentile(means, 0.95); !i.Excludes(0) {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.89 || share > 0.99 {
		t.Errorf("%.1f %% of the 95 %% intervals hold the true mean", 100*share)
	}
}

func TestBootstrapEnds(t *testing.T) {
	end, rounds := errors.New("enough"), 0
	err := report.Bootstrap(rand.New(rand.NewPCG(1, 1)), 3, 10, func([]float64) error {
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

func BenchmarkPool(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	const users = 300
	values, cluster := make([]float64, 1_000_000), make([]int32, 1_000_000)
	for i := range values {
		cluster[i] = int32(math.Floor(users * math.Pow(random.Float64(), 3)))
		values[i] = math.Floor(random.ExpFloat64() * 10_000)
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			report.NewPool(values, cluster, users)
		}
	})
	p := report.NewPool(values, cluster, users)
	b.Run("resample", func(b *testing.B) {
		for b.Loop() {
			err := report.Bootstrap(random, users, 1, func(times []float64) error {
				p.Quantiles(times, 0.5, 0.95, 0.99)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
