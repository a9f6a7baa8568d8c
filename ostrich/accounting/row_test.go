package accounting_test

import (
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// TestLimitOfAYear: the year that backfill gives a job without a limit, once it starts, is none.
func TestLimitOfAYear(t *testing.T) {
	const day = 86400
	for limit, want := range map[ostrich.Duration]ostrich.Duration{0: 0, 60: 60, 364 * day: 364 * day, 365 * day: 0, 365*day + 60: 365*day + 60} {
		r := accounting.Row{Req: 1, Partition: "p", Limit: limit, State: accounting.Running, Start: 1000}
		if r.Settle(); r.Limit != want || r.Impossible != "" {
			t.Errorf("a limit of %d s: %d s, %q, want %d s", limit, r.Limit, r.Impossible, want)
		}
		r = accounting.Row{Req: 1, Partition: "p", Limit: limit}
		if r.Settle(); r.Limit != limit {
			t.Errorf("a limit of %d s of a job that waits: %d s", limit, r.Limit)
		}
	}
}
