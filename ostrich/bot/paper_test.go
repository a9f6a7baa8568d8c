package bot

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, within)
	}
}

// meanOf is E[2^x].
func meanOf(d Distribution) float64 {
	const n = 200_000
	sum := 0.0
	for i := range n {
		sum += math.Exp2(d.Quantile((float64(i)+0.5)/n)) / n
	}
	return sum
}

// TestConventions: the order of the parameters follows from the row Avg.
func TestConventions(t *testing.T) {
	avg := Systems[len(Systems)-1]
	near(t, "mean size, W(shape, scale) to base 2", meanOf(avg.Size), 5.28, 0.01)
	swapped := avg.Size
	swapped.Params[0], swapped.Params[1] = swapped.Params[1], swapped.Params[0]
	near(t, "mean size with the parameters swapped, below the text's 5 to 50", meanOf(swapped), 3.46, 0.01)
	// Three systems are below 5 as printed; with a scale in place of G's rate that of T2 would have no mean.
	for i, want := range []float64{12.86, 3.88, 3.04, 3.01, 6.08, 10.01, 5.47, 5.28} {
		near(t, "mean size of "+Systems[i].Name, meanOf(Systems[i].Size), want, 0.02)
	}
	var alpha, users float64
	for _, s := range Systems[:7] {
		if s.Name != "T4" { // without users
			alpha += s.Users.Alpha
			users += float64(s.Users.Users)
		}
	}
	near(t, "sum of α", alpha, 7.87, 1e-9)
	near(t, "mean α", alpha/6, avg.Users.Alpha, 0.005)
	near(t, "mean users", users/6, float64(avg.Users.Users), 0.5)
	// N(σ, μ), G(shape, rate) and LN(μ, σ) put the run time of each system near the mean of the average one.
	for _, s := range Systems {
		if middle := s.RunTime.Quantile(0.5); middle < 3 || middle > 10 {
			t.Errorf("%s: median run time 2^%.1f s", s.Name, middle)
		}
		if middle := s.Cycle.Quantile(0.5); middle < 15 || middle > 26 {
			t.Errorf("%s: median arrival in half hour %.1f", s.Name, middle)
		}
		if middle := s.Variance.Quantile(0.5); middle < 4 || middle > 16 {
			t.Errorf("%s: median variance 2^%.1f s²", s.Name, middle)
		}
	}
	for i, want := range []string{"W(4.06,7.91)", "G(2.62,0.13)", "W(1.75,2.91)", "N(1.78,3.87)", "W(1.64,10.21)"} {
		if got := Systems[0].characteristics()[i].String(); got != want {
			t.Errorf("T1, %s: %s, want %s", Characteristics[i], got, want)
		}
	}
}

// TestPeakHours: significantly more bags come between 8 and 17 h than otherwise,
// if the half hours are counted from 5 in the morning.
func TestPeakHours(t *testing.T) {
	for _, s := range Systems {
		peak, off := 0.0, 0.0
		for slot, rate := range newClock(s.Cycle) {
			if slot >= 16 && slot < 34 {
				peak += rate / 18
			} else {
				off += rate / 30
			}
		}
		near(t, s.Name+": rate in peak hours", peak, 1, 1e-9)
		if off > 0.75 {
			t.Errorf("%s: rate outside of peak hours %.2f", s.Name, off)
		}
	}
}
