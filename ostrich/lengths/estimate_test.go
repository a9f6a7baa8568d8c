package lengths

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestExpected: two thirds of the latest nine lengths are no longer, and it is the
// shortest such one.
func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		ran  []Duration
		want Duration
	}{
		{[]Duration{7}, 7},
		{[]Duration{9, 3}, 9},
		{[]Duration{9, 3, 5}, 5},
		{[]Duration{9, 3, 5, 4}, 5},
		{[]Duration{1, 2, 3, 4, 5, 6, 7, 8, 9}, 6},
		{[]Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 8}, // 1 and 2 are forgotten
	} {
		var r recent
		for _, d := range tt.ran {
			r.add(d)
		}
		if got := r.expected(); got != tt.want {
			t.Errorf("expected after %v: %d, want %d", tt.ran, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ran := rapid.SliceOfN(rapid.Int64Range(0, 20), 1, 30).Draw(t, "ran")
		var r recent
		for _, d := range ran {
			r.add(Duration(d))
		}
		last := slices.Sorted(slices.Values(ran[max(0, len(ran)-9):]))
		if got, want := r.expected(), twoThirds(last); int64(got) != want {
			t.Fatalf("expected after %v: %d, want %d", ran, got, want)
		}
	})
}

// twoThirds is the first of sorted values that at least two thirds of them do not exceed.
func twoThirds[T cmp.Ordered](sorted []T) T {
	for i, v := range sorted {
		if 3*(i+1) >= 2*len(sorted) {
			return v
		}
	}
	panic("no values")
}

// TestAlikeFallsBack: class, then width and limit, then between the last two and how
// much of their limits the user's jobs used, then how much all users' did, then the limit.
func TestAlikeFallsBack(t *testing.T) {
	var l record
	var all Used
	ended := func(procs int, limit Duration, class uint64, ran ...Duration) {
		for _, d := range ran {
			Alike.learn(&l, &all, &Request{Procs: procs, Limit: limit, Class: class}, d)
		}
	}
	expect := func(what string, procs int, limit Duration, class uint64, want Duration) {
		t.Helper()
		if got := Alike.predict(&l, &all, &Request{Procs: procs, Limit: limit, Class: class}); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expect("nothing is known", 1, 600, 7, 600)
	ended(1, 600, 7, 100, 101, 102)
	ended(1, 600, 8, 20, 21)
	ended(2, 600, 7, 300)
	expect("its class", 1, 600, 7, 101)
	expect("its class, of two", 1, 600, 8, 21)
	expect("its class, of another width", 2, 600, 7, 300)
	expect("another class: its width and limit", 1, 600, 9, 101)
	expect("no class: its width and limit", 1, 600, 0, 101)
	// (100·101·102·20·21·300)^(1/6) / 600 = 0.1186, and the mean of the last two is 160.
	expect("another limit", 1, 500, 7, 97)
	expect("another width", 3, 600, 7, 106)
	expect("no longer than its limit", 3, 50, 7, 28)
	expect("no longer than its limit", 3, 2, 7, 2)
	ended(4, 60, 7, 0, 0, 0)
	expect("at least a second", 4, 60, 7, 1)

	l, all = record{}, Used{}
	ended(1, 600, 7, 150, 600, 2000)
	user := l
	l = record{}
	// (150·600·600)^(1/3) / 600 = 0.63, of three jobs beside five at their limits: a
	// length beyond the limit counts as the limit.
	expect("another user's fraction", 1, 600, 7, 504)
	ended(1, 100, 8, 25)
	expect("between the own fraction, 150, and the own last", 1, 600, 7, 61)
	l = user
	expect("who has it does not go by others", 2, 6000, 7, 2216) // 3779 and 1300
	for range 2 * latestUsed {
		ended(1, 100, 9, 25)
	}
	expect("old ones fade", 2, 600, 7, 62) // 156 and 25

	l, all = record{}, Used{}
	ended(1, 600, 0, 100, 200, 300)
	expect("without classes each length counts once", 1, 600, 0, 200)
}

// TestHints: a hint is taken at its word first, and then times how much longer the
// user's latest hinted jobs ran than said, never less.
func TestHints(t *testing.T) {
	for _, p := range []Predictor{ByLimit, ByLast, ByLastTwo, BySmoothing, Alike, ByAdaptive, ByRegression, ByMeanTen, ByMean} {
		var l record
		var all Used
		step := func(what string, hint, ran, want Duration) {
			t.Helper()
			j := &Request{Procs: 1, Limit: 1000, Hint: hint}
			if got := p.predict(&l, &all, j); got != want {
				t.Errorf("%v, %s: %d, want %d", p, what, got, want)
			}
			p.learn(&l, &all, j, ran)
		}
		step("the first is believed", 100, 150, 100)
		step("half as long again", 100, 200, 150)
		step("the greater of two", 100, 300, 200)
		step("the second of three", 10, 20, 20)
		step("capped by the limit", 900, 100, 1000)
		for range Latest {
			step("", 50, 10, Alike.predict(&l, &all, &Request{Procs: 1, Limit: 1000, Hint: 50}))
		}
		step("who says too long is believed", 50, 10, 50)
	}
}

// TestClassesForgotten: 64 classes of a user are remembered, those that had a length last.
func TestClassesForgotten(t *testing.T) {
	a := new(alike)
	of := func(n int) class { return class{limit: Duration(n), procs: 1} }
	for n := range mostClasses {
		a.add(of(n), Duration(n))
	}
	a.add(of(0), 5) // in front again
	a.add(of(100), 100)
	if len(a.classes) != mostClasses || len(a.recent) != mostClasses {
		t.Fatalf("%d classes with %d lengths, want %d", len(a.classes), len(a.recent), mostClasses)
	}
	for n, want := range map[int]int{0: 2, 1: 0, 2: 1, mostClasses - 1: 1, 100: 1} {
		r, got := a.of(of(n)), 0
		if r != nil {
			got = r.count
		}
		if got != want {
			t.Errorf("class %d: %d lengths, want %d", n, got, want)
		}
	}
	if got := a.of(of(0)).expected(); got != 5 {
		t.Errorf("expected after 0 and 5: %d", got)
	}
	a.add(of(1), 7)
	if r := a.of(of(1)); r.count != 1 || r.expected() != 7 {
		t.Errorf("a class that was forgotten begins anew, and has %+v", r)
	}
}

// TestAlikeModel: the classes are those of a list kept in the simplest way.
func TestAlikeModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type known struct {
			class class
			ran   []Duration
		}
		var list []known
		a := new(alike)
		for range rapid.IntRange(0, 300).Draw(t, "lengths") {
			c := class{procs: rapid.IntRange(1, 80).Draw(t, "class")}
			d := Duration(rapid.IntRange(0, 9).Draw(t, "ran"))
			a.add(c, d)
			one := known{class: c}
			if i := slices.IndexFunc(list, func(k known) bool { return k.class == c }); i >= 0 {
				one = list[i]
				list = slices.Delete(list, i, i+1)
			}
			one.ran = append(one.ran, d)
			list = slices.Insert(list, 0, one)
			list = list[:min(len(list), mostClasses)]
		}
		for i, k := range list {
			last := slices.Sorted(slices.Values(k.ran[max(0, len(k.ran)-Latest):]))
			if a.classes[i] != k.class || a.recent[i].count != len(k.ran) || a.recent[i].expected() != twoThirds(last) {
				t.Fatalf("place %d: %+v %+v, want %+v", i, a.classes[i], a.recent[i], k)
			}
		}
		if len(a.classes) != len(list) {
			t.Fatalf("%d classes, want %d", len(a.classes), len(list))
		}
	})
}
