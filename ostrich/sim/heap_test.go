package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// TestMoments: whatever is put in, taken out and dropped, the first of a sorted list comes first.
func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h moments
		var list []moment
		for number := range int32(rapid.IntRange(0, 60).Draw(t, "steps")) {
			at := ostrich.Time(rapid.IntRange(0, 9).Draw(t, "at"))
			h.push(moment{at, number})
			list = append(list, moment{at, number})
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0:
				i := rapid.IntRange(0, len(list)-1).Draw(t, "dropped")
				if got := h.drop(list[i].number); got != list[i].at {
					t.Fatalf("dropped that of %d, want that of %d", got, list[i].at)
				}
				list = slices.Delete(list, i, i+1)
			case 1:
				i := slices.Index(list, slices.MinFunc(list, func(a, b moment) int {
					return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
				}))
				if got := h.pop(); got != list[i].number {
					t.Fatalf("took %d out, want %d", got, list[i].number)
				}
				list = slices.Delete(list, i, i+1)
			}
		}
		want := never
		for _, m := range list {
			want = min(want, m.at)
		}
		if got := h.first(); got != want {
			t.Fatalf("the first is at %d, want %d", got, want)
		}
	})
}
