package bot

import (
	"fmt"
	"math"
	"slices"
)

// Zipf gives the r-th of Users a probability in proportion to r to the power of
// −Alpha.
type Zipf struct {
	Alpha float64
	Users int
}

// String formats it as Table 3 does: "Z(1.31,368)".
func (z Zipf) String() string { return fmt.Sprintf("Z(%.2f,%d)", z.Alpha, z.Users) }

// FitZipf ranks users by how many jobs each has and returns the exponent of
// greatest likelihood. Fewer than two users, or fewer jobs than Fewest, are
// ErrFew.
func FitZipf(jobs []int) (Zipf, error) {
	sorted := slices.Sorted(slices.Values(jobs))
	slices.Reverse(sorted)
	logs, weighted, total := make([]float64, len(sorted)), 0.0, 0
	for i, n := range sorted {
		logs[i] = math.Log(float64(i + 1))
		weighted += float64(n) * logs[i]
		total += n
	}
	if len(sorted) < 2 || total < Fewest {
		return Zipf{}, fmt.Errorf("%d users with %d jobs, and 2 with %d are needed: %w", len(sorted), total, Fewest, ErrFew)
	}
	mean := weighted / float64(total)
	// The mean of ln(rank) under the exponent is the observed one.
	alpha, _ := bisect(0, 50, 60, func(alpha float64) bool {
		var sum, of float64
		for _, l := range logs {
			p := math.Exp(-alpha * l)
			sum += p
			of += p * l
		}
		return of/sum > mean
	})
	return Zipf{Alpha: alpha, Users: len(sorted)}, nil
}
