package priority

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/scalar"
)

// fewest is the least number of elements that have to change, found by trying
// every set of kept ones.
func fewest(v, gap []int64, usable []bool, lo, hi int64) int {
	n := len(v)
	if n == 0 {
		return 0
	}
	before := make([]int64, n) // sum of the gaps before i
	for i := 1; i < n; i++ {
		before[i] = before[i-1]
		if i <= len(gap) {
			before[i] += gap[i-1]
		}
	}
	best := n
	for set := range 1 << n {
		last, ok := -1, true
		for i := range n {
			if set&(1<<i) == 0 {
				continue
			}
			ok = ok && usable[i] && v[i]+before[i] <= hi && v[i]-(before[n-1]-before[i]) >= lo
			ok = ok && (last < 0 || v[last]-v[i] >= before[i]-before[last])
			if i < len(gap) || n == len(gap)+1 { // what follows has no order
				last = i
			}
		}
		if ok {
			best = min(best, n-bits.OnesCount(uint(set)))
		}
	}
	return best
}

// one is a single band of n elements.
func one(n int, lo int64) *bands {
	if n == 0 {
		return &bands{}
	}
	return &bands{of: make([]int, n), least: []int64{lo}}
}

func all(n int) []bool { return slices.Repeat([]bool{true}, n) }

func count(flags []bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

func TestRepairProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		head := n
		if n > 1 && rapid.Bool().Draw(t, "deep") {
			head = rapid.IntRange(1, n-1).Draw(t, "head")
		}
		ordered := min(head, n-1)
		gap := rapid.SliceOfN(rapid.SampledFrom([]int64{0, 0, 1, 3}), ordered, ordered).Draw(t, "gap")
		usable := all(n)
		if rapid.Bool().Draw(t, "some unusable") {
			usable = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "usable")
		}
		var total int64
		for _, g := range gap {
			total += g
		}
		lo := rapid.Int64Range(-5, 5).Draw(t, "lo")
		hi := lo + total + rapid.Int64Range(0, 30).Draw(t, "room")
		some := rapid.SampledFrom([]int64{hi + 3, lo + total + 2}).Draw(t, "greatest")
		v := rapid.SliceOfN(rapid.Int64Range(lo-3, some), n, n).Draw(t, "v")
		extra := rapid.Int64Range(0, 20).Draw(t, "extra")

		got := slices.Clone(v)
		keep := repair(got, gap, head, usable, lo, hi, extra, one(n-head, lo))
		for i := range got {
			if keep[i] && got[i] != v[i] {
				t.Fatalf("kept element %d went from %d to %d", i, v[i], got[i])
			}
			if got[i] < lo || got[i] > hi {
				t.Fatalf("%v: element %d is outside [%d, %d]", got, i, lo, hi)
			}
			if above := min(i, ordered) - 1; above >= 0 && got[above]-got[i] < gap[above] {
				t.Fatalf("%v: gap between elements %d and %d is less than %d", got, above, i, gap[above])
			}
		}
		if want := fewest(v, gap, usable, lo, hi); n-count(keep) != want {
			t.Fatalf("%d changes, %d would do", n-count(keep), want)
		}
		again := slices.Clone(got)
		if keep := repair(again, gap, head, all(n), lo, hi, extra, one(n-head, lo)); count(keep) != n {
			t.Fatalf("second repair of %v changes it to %v", got, again)
		}
	})
}

// TestRepairCramped puts one element after another before all others, where there are
// hardly more values than elements, and takes the last one away for it.
func TestRepairCramped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(20, 80).Draw(t, "n")
		deep := rapid.IntRange(0, 5).Draw(t, "deep")
		gap := slices.Repeat([]int64{3}, min(n, n-1+deep))
		v := make([]int64, n+deep)
		lo, hi := int64(10), 10+3*int64(2*n)
		changes := 0
		for round := range 100 {
			if round > 0 {
				copy(v[1:n], v)
				v[0] = 0
			}
			before := slices.Clone(v)
			keep := repair(v, gap, n, all(len(v)), lo, hi, 21, one(deep, lo))
			for i := range v {
				if keep[i] && v[i] != before[i] {
					t.Fatalf("kept element %d went from %d to %d", i, before[i], v[i])
				}
				if above := min(i, len(gap)) - 1; v[i] < lo || v[i] > hi || above >= 0 && v[above]-v[i] < gap[above] {
					t.Fatalf("%v: element %d is out of place", v, i)
				}
			}
			if round > 0 {
				changes += len(v) - count(keep)
			}
			again := slices.Clone(v)
			if keep = repair(again, gap, n, all(len(v)), lo, hi, 21, one(deep, lo)); count(keep) != len(v) {
				t.Fatalf("second repair of %v changes it to %v", v, again)
			}
		}
		if most := 100 * 9; changes > most {
			t.Fatalf("%d changes in 100 rounds, at most %d", changes, most)
		}
	})
}

func TestRepair(t *testing.T) {
	const lo, hi = 10, 1010
	tests := []struct {
		name   string
		v, gap []int64
		want   []int64
	}{
		{"nothing", nil, nil, nil},
		{"one new job sits in the middle", []int64{0}, nil, []int64{510}},
		{"a first plan is centred and spaced", []int64{0, 0, 0}, []int64{10, 10}, []int64{590, 510, 430}},
		{"an order that stands is kept", []int64{900, 500, 100}, []int64{10, 10}, []int64{900, 500, 100}},
		{"an insertion leaves room below", []int64{900, 0, 100}, []int64{10, 10}, []int64{900, 880, 100}},
		{"a new head leaves room below", []int64{0, 500, 100}, []int64{10, 10}, []int64{645, 500, 100}},
		{"a new tail stays near", []int64{900, 500, 0}, []int64{10, 10}, []int64{900, 500, 420}},
		{"no room between: one neighbour moves", []int64{900, 0, 895}, []int64{10, 10}, []int64{958, 938, 895}},
		{"no room above the head of the window", []int64{0, 1005, 100}, []int64{10, 10}, []int64{362, 342, 100}},
		{"gap 0 shares a value", []int64{900, 0, 0, 0}, []int64{10, 0, 0}, []int64{900, 820, 820, 820}},
		{"equal values count as falling", []int64{500, 300, 500, 400}, []int64{0, 0, 0}, []int64{500, 500, 500, 400}},
		{"what is deep has no order", []int64{900, 500, 100, 400, 200}, []int64{10, 10}, []int64{900, 500, 100, 400, 200}},
		{"deep ones that stand too high go down", []int64{900, 500, 100, 600, 490}, []int64{10, 10}, []int64{900, 500, 100, 10, 490}},
		{"the head goes up where fewer change", []int64{30, 500, 400, 300, 200}, []int64{10}, []int64{760, 500, 400, 300, 200}},
		{"a new one of the head stands above the deep ones", []int64{900, 0, 300, 200}, []int64{10, 10}, []int64{900, 820, 300, 200}},
		{"gap 0 keeps what falls", []int64{900, 700, 600, 0}, []int64{10, 0, 0}, []int64{900, 700, 600, 600}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := slices.Clone(tt.v)
			head := len(v)
			if len(tt.gap) < head-1 {
				head = len(tt.gap)
			}
			keep := repair(v, tt.gap, head, all(len(v)), lo, hi, 70, one(len(v)-head, lo))
			if got, want := len(v)-count(keep), fewest(tt.v, tt.gap, all(len(v)), lo, hi); got != want {
				t.Errorf("%d changes, %d would do", got, want)
			}
			if diff := cmp.Diff(tt.want, v); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKendallAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		perm := rapid.Permutation(sequence(n)).Draw(t, "perm")
		want := int64(0)
		for i := range perm {
			for j := range perm[:i] {
				if perm[j] > perm[i] {
					want++
				}
			}
		}
		got := slices.Clone(perm)
		if n := scalar.Inversions(got); n != want {
			t.Fatalf("Inversions(%v) = %d, want %d", perm, n, want)
		}
		if !slices.IsSorted(got) {
			t.Fatalf("%v is not sorted", got)
		}
	})
}

func sequence(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}
