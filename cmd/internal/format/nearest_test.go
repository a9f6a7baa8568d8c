package format

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDistance compares with what the definition says: no further than editing
// takes, and a metric but for swapped letters.
func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"bio", "bio", 0},
		{"bio", "", 3},
		{"bio", "boi", 1},
		{"bio", "bi", 1},
		{"bio", "bion", 1},
		{"bio", "bin", 1},
		{"kitten", "sitting", 3},
		{"ähre", "ehre", 1},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		far := distance(a, b)
		if far != distance(b, a) || (far == 0) != (a == b) || far > max(len(a), len(b)) || far < max(len(a), len(b))-min(len(a), len(b)) {
			t.Errorf("%q, %q: %d and %d", a, b, far, distance(b, a))
		}
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		if one := a[:at] + "x" + a[at:]; distance(a, one) != 1 {
			t.Errorf("%q, %q: %d", a, one, distance(a, one))
		}
	})
}
