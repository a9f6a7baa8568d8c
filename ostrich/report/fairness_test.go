package report_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/report"
)

func TestFairness(t *testing.T) {
	for _, tt := range []struct {
		name            string
		stretch, demand []float64
		jain, gini      float64
		envy, pairs     float64
	}{
		{"nobody", nil, nil, 1, 0, 0, 0},
		{"alike", []float64{2, 2, 2}, []float64{1, 2, 3}, 1, 0, 0, 6},
		// Jain (1+3)²/(2·(1+9)), Gini |1−3|·2/(2·4·2).
		{"the smaller waits longer", []float64{3, 1}, []float64{1, 2}, 0.8, 0.25, 1, 2},
		{"the greater waits longer", []float64{3, 1}, []float64{2, 1}, 0.8, 0.25, 0, 2},
		{"the same demand", []float64{3, 1}, []float64{2, 2}, 0.8, 0.25, 1, 2},
		{"by the margin", []float64{1.1, 1}, []float64{1, 1}, 2.1 * 2.1 / (2 * (1 + 1.1*1.1)), 0.1 * 2 / (2 * 4 * 1.05), 0, 2},
	} {
		f := report.NewFairness(tt.stretch, tt.demand)
		envy, pairs := f.Envy(nil)
		got := []float64{f.Jain(nil), f.Gini(nil), envy, pairs}
		for i, want := range []float64{tt.jain, tt.gini, tt.envy, tt.pairs} {
			if !(math.Abs(got[i]-want) <= 1e-12) {
				t.Errorf("%s: Jain, Gini, envy, pairs %v; number %d should be %v", tt.name, got, i, want)
			}
		}
	}
}

// TestFairnessOfSamples takes each user as often as the second of two samples does,
// and looks at every pair.
func TestFairnessOfSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "users")
		stretch, demand, times := make([]float64, n), make([]float64, n), make([]int32, n)
		var sum, squares, count float64
		for i := range n {
			stretch[i] = rapid.Float64Range(1, 3).Draw(t, "stretch")
			demand[i] = float64(rapid.IntRange(0, 3).Draw(t, "demand"))
			times[i] = rapid.Int32Range(0, 3).Draw(t, "times")
			w := float64(times[i])
			sum, squares, count = sum+w*stretch[i], squares+w*stretch[i]*stretch[i], count+w
		}
		if count == 0 {
			t.Skip("an empty sample")
		}
		var apart, envy, pairs float64
		for i := range n {
			for j := range n {
				w := float64(times[i] * times[j])
				apart += w * math.Abs(stretch[i]-stretch[j])
				if i != j {
					pairs += w
				}
				if stretch[i] > stretch[j]*(1+report.EnvyMargin) && demand[i] <= demand[j] {
					envy += w
				}
			}
		}
		f := report.NewFairness(stretch, demand)
		f.Envy(nil)
		gotEnvy, gotPairs := f.Envy(times)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Jain", f.Jain(times), sum * sum / (count * squares)},
			{"Gini", f.Gini(times), apart / (2 * count * sum)},
			{"envy", gotEnvy, envy},
			{"pairs", gotPairs, pairs},
		} {
			if !(math.Abs(c.got-c.want) <= 1e-9) {
				t.Fatalf("%s %v, want %v", c.name, c.got, c.want)
			}
		}
	})
}
