package check

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// A clock that is read while a command runs for long is not taken to be off by that.
func TestReadingAhead(t *testing.T) {
	for _, tt := range []struct {
		r    reading
		want ostrich.Time
	}{
		{reading{100, 100, 100}, 0},
		{reading{100, 98, 105}, 0},
		{reading{98, 98, 105}, 0},
		{reading{105, 98, 105}, 0},
		{reading{97, 98, 105}, -1},
		{reading{106, 98, 105}, 1},
		{reading{50, 100, 100}, -50},
	} {
		if got := tt.r.ahead(); got != tt.want {
			t.Errorf("%+v is ahead by %d s, want %d", tt.r, got, tt.want)
		}
	}
}
