package multifactor_test

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
)

// TestSimplified has the values of thesis 2.4: 0.5 before anything was used,
// 0.125 for the user who used all of a machine of three, 1 for the others.
func TestSimplified(t *testing.T) {
	for _, tt := range []struct {
		usage, total ostrich.Work
		share, want  float64
	}{
		{0, 0, 0.5, 0.5},
		{12, 12, 1.0 / 3, 0.125},
		{0, 12, 1.0 / 3, 1},
		{4, 12, 1.0 / 3, 0.5},
		{1, 4, 0.5, math.Sqrt2 / 2},
	} {
		if got := multifactor.Simplified(tt.usage, tt.total, tt.share); !(math.Abs(got-tt.want) <= 1e-12) {
			t.Errorf("F(%v of %v, %v) = %v, want %v", tt.usage, tt.total, tt.share, got, tt.want)
		}
	}
}
