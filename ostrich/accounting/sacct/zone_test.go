package sacct

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestZone compares a zone that remembers its offset with one that looks each
// time up, on times in any order, many of them near a change of the clocks.
func TestZone(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Warsaw", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			remembers := zone{loc: loc}
			at := rapid.Int64Range(1e9, 1.8e9).Draw(t, "begin")
			for range rapid.IntRange(1, 30).Draw(t, "times") {
				start, end := time.Unix(at, 0).In(loc).ZoneBounds()
				near := []int64{at}
				for _, change := range []time.Time{start, end} {
					if !change.IsZero() {
						_, offset := change.Zone()
						near = append(near, change.Unix()+int64(offset))
					}
				}
				at = rapid.SampledFrom(near).Draw(t, "near") +
					rapid.OneOf(rapid.Int64Range(-7200, 7200), rapid.Int64Range(-4e5, 4e5)).Draw(t, "off")
				if got, want := remembers.in(civil(at)), civil(at).in(loc); got != want {
					t.Fatalf("%s: %d is %+v, want %+v", name, at, got, want)
				}
			}
		})
	}
}
