package priority

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLineup compares with a list in which each item is compared with those before it.
func TestLineup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type item struct {
			number int
			standing
		}
		var plain []item
		n := rapid.IntRange(0, 60).Draw(t, "items")
		tree := newLineup(n)
		for i := range n {
			wait := Wait(rapid.IntRange(0, 9).Draw(t, "wait") / 9)
			s := standing{rapid.Int64Range(0, 5).Draw(t, "value"), float64(rapid.IntRange(0, 40).Draw(t, "distance")), wait, wait}
			value := rapid.Int64Range(0, 9).Draw(t, "has")
			at := len(plain)
			for at > 0 && plain[at-1].value < value && nearby(plain[at-1].standing, s, 50) {
				at--
			}
			passed := at < len(plain)
			plain = slices.Insert(plain, at, item{i, s})
			if got := tree.put(i, value, s, 50); got != passed {
				t.Fatalf("item %d: passed %t, want %t", i, got, passed)
			}
			var want []int
			for _, p := range plain {
				want = append(want, p.number)
			}
			if got := tree.items(); !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
}
