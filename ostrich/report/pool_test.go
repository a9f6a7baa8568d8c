package report_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
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
		times := make([]int32, clusters)
		for i := range times {
			times[i] = rapid.Int32Range(0, 3).Draw(t, "times")
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
		once := make([]int32, clusters)
		for i := range once {
			once[i] = 1
		}
		if a, b := p.Quantiles(nil, qs...), p.Quantiles(once, qs...); !slices.Equal(a, b) {
			t.Fatalf("quantiles of all %v, of each cluster once %v", a, b)
		}
	})
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
			err := confidence.Bootstrap(random, users, 1, func(times []int32) error {
				p.Quantiles(times, 0.5, 0.95, 0.99)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
