package scalar_test

import (
	"math"
	"testing"

	"slurm-ostrich/ostrich/scalar"
)

// TestAmount: letters stand for powers of 1024, and memory without one is in MiB.
func TestAmount(t *testing.T) {
	const none = -1
	for text, want := range map[string]struct {
		n             float64
		count, memory int64
	}{
		"0": {0, 0, 0}, "12": {12, 12, 12}, "4k": {4096, 4096, 1}, "1025K": {1025 << 10, 1025 << 10, 2}, "1000M": {1000 << 20, 1000 << 20, 1000}, "2.50G": {2.5 * (1 << 30), 2.5 * (1 << 30), 2560},
		"3T": {3 << 40, 3 << 40, 3 << 20}, "1P": {1 << 50, 1 << 50, 1 << 30}, "1.5": {1.5, none, 2}, "12345678901234567": {12345678901234567, 12345678901234568, none},
		"": {none, none, none}, "K": {none, none, none}, "-1": {none, none, none}, "1e3": {none, none, none}, "1.2.3": {none, none, none}, ".5": {none, none, none},
		"x": {none, none, none}, "4x": {none, none, none}, "4GB": {none, none, none}, "9999999P": {none, none, none}, "99999999999999999999": {none, none, none},
	} {
		n, _, ok := scalar.Amount(text)
		if bytes, _, is := scalar.Amount([]byte(text)); is != ok || bytes != n {
			t.Errorf("%q: %v as text, %v as bytes", text, n, bytes)
		}
		if !ok {
			n = none
		}
		count, ok := scalar.Count(text, math.MaxInt64>>1)
		if !ok {
			count = none
		}
		memory, ok := scalar.Mebibytes(text)
		if !ok {
			memory = none
		}
		if n != want.n || count != want.count || memory != want.memory {
			t.Errorf("%q: %v, count %d, memory %d, want %v", text, n, count, memory, want)
		}
	}
	if n, ok := scalar.Count("2K", 2047); ok {
		t.Errorf("2K is %d of at most 2047", n)
	}
}
