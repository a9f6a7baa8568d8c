package multifactor

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// TestBefore: calculations come every period, from the phase on and before it.
func TestBefore(t *testing.T) {
	c := Config{Phase: 1000, Period: 60}
	for at, want := range map[ostrich.Time]ostrich.Time{1000: 1000, 1059: 1000, 1060: 1060, 999: 940, 940: 940, 100: 100} {
		if got := c.Before(at); got != want {
			t.Errorf("the last calculation up to %d is at %d, want %d", at, got, want)
		}
	}
	if got := (&Config{Period: 60}).Before(77); got != 77 {
		t.Errorf("without a phase: %d", got)
	}
	if got := (&Config{Phase: 7}).Before(310); got != 307 {
		t.Errorf("with Slurm's own period: %d", got)
	}
}
