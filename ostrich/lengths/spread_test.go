package lengths

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSpread: the class comes first, then the user's and all users' parts of their limits, then the
// limit, each with its weight.
func TestSpread(t *testing.T) {
	var s Spreads
	of := func(user int, limit Duration, u float64, ran Duration) Duration {
		d := s.Of(1, &Request{Limit: limit, Procs: 1})
		if user != 1 {
			d = s.Of(2, &Request{Limit: limit, Procs: 1})
		}
		return d.Length(u, ran)
	}
	if got := of(1, 1000, 0.3, 0); got != 1000 {
		t.Errorf("nothing is known: %d, want the limit", got)
	}
	for _, ran := range []Duration{100, 200, 300} {
		s.Learn(1, &Request{Limit: 1000, Procs: 1}, ran)
	}
	s.Learn(1, &Request{Limit: 100, Procs: 1}, 130) // ended after its limit: used all of it
	// Of 1000 s: 3 of its class, 2 of the user's parts 0.1, 0.2, 0.3, 1, half a one of all users', 0.05.
	const total = 3 + 2 + 0.5 + 0.05
	for _, tt := range []struct {
		u    float64
		want Duration
	}{
		{0.5 / total, 100},
		{1.5 / total, 200},
		{2.9 / total, 300},
		{3.2 / total, 100},
		{4.9 / total, 1000},
		{5.1 / total, 100},
		{5.45 / total, 1000},
		{5.52 / total, 1000},
	} {
		if got := of(1, 1000, tt.u, 0); got != tt.want {
			t.Errorf("%.3f: %d, want %d", tt.u, got, tt.want)
		}
	}
	// After 250 s one of the class is left, half of the user's parts, half of all users'.
	const left = 1 + 1 + 0.25 + 0.05
	for _, tt := range []struct {
		u    float64
		want Duration
	}{{0.5 / left, 300}, {1.2 / left, 300}, {1.8 / left, 1000}, {2.1 / left, 300}, {2.28 / left, 1000}} {
		if got := of(1, 1000, tt.u, 250); got != tt.want {
			t.Errorf("%.3f after 250 s: %d, want %d", tt.u, got, tt.want)
		}
	}
	if got := of(2, 500, 0.1, 0); got != 50 {
		t.Errorf("another user's job goes by all users' parts: %d, want 50", got)
	}
	if got := of(1, 1000, 0.5, 1000); got != 1000+More(1000, 1000) {
		t.Errorf("beyond the limit: %d", got)
	}
	fixed := Fixed(70)
	if a, b, c := fixed.Length(0.1, 0), fixed.Length(0.9, 69), fixed.Length(0.5, 70); a != 70 || b != 70 || c <= 70 {
		t.Errorf("a fixed length: %d, %d and then %d", a, b, c)
	}
}

// TestSpreadHint: what the user says counts as one more job of the class, and takes as much from each other one.
func TestSpreadHint(t *testing.T) {
	var s Spreads
	for _, ran := range []Duration{100, 200, 300} {
		s.Learn(1, &Request{Limit: 1000, Procs: 1}, ran)
	}
	d := s.Of(1, &Request{Limit: 1000, Procs: 1, Hint: 700})
	count, n := make(map[Duration]int), 100_000
	for i := range n {
		count[d.Length(float64(i)/float64(n), 0)]++
	}
	const total = 3 + 2 + 0.5 + 0.05 + 1
	part := (1 + 2./3 + 0.5/3) / total // of each of the class, with those of the user and of all
	for length, want := range map[Duration]float64{700: 1 / total, 100: part, 200: part, 300: part, 1000: 0.05 / total} {
		if got := float64(count[length]) / float64(n); got < want-0.001 || got > want+0.001 {
			t.Errorf("%d s in %.4f, want %.4f", length, got, want)
		}
	}
}

// TestSpreadBounds: a length is longer than what has run and no longer than the limit.
func TestSpreadBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Spreads
		for range rapid.IntRange(0, 80).Draw(t, "jobs") {
			limit := Duration(rapid.IntRange(1, 500).Draw(t, "limit"))
			s.Learn(1, &Request{Limit: limit, Procs: rapid.IntRange(1, 3).Draw(t, "procs"), Class: uint64(rapid.IntRange(0, 70).Draw(t, "class"))},
				Duration(rapid.IntRange(0, 600).Draw(t, "ran")))
		}
		limit := Duration(rapid.IntRange(1, 500).Draw(t, "limit"))
		d := s.Of(1, &Request{Limit: limit, Procs: 1, Hint: Duration(rapid.IntRange(0, 600).Draw(t, "hint"))})
		ran := Duration(rapid.IntRange(0, int(limit)-1).Draw(t, "ran"))
		if got := d.Length(rapid.Float64Range(0, 0.9999999).Draw(t, "u"), ran); got <= ran || got > limit {
			t.Fatalf("%d of at most %d after %d", got, limit, ran)
		}
	})
}

// TestSpreadStays: what was asked for stays when more is learned.
func TestSpreadStays(t *testing.T) {
	var s Spreads
	r := &Request{Limit: 100, Procs: 1}
	for range 2 * spreadClass {
		s.Learn(1, r, 10)
	}
	d := s.Of(1, r)
	for range 2 * spreadClass {
		s.Learn(1, r, 90)
	}
	if got := d.Length(0.2, 0); got != 10 {
		t.Errorf("%d, want 10", got)
	}
	if d = s.Of(1, r); d.Length(0.2, 0) != 90 {
		t.Errorf("%d, want 90", d.Length(0.2, 0))
	}
}
