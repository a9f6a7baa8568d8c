package priority

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// A single job that asks for the impossible, or that is beyond the depth, is not written either.
func TestSingleLeftBelow(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		depth        int
		why          string
	}{{"impossible", "BadConstraints", 0, "asks for the impossible (BadConstraints)"}, {"beyond the depth", "Priority", 3, "beyond the depth Slurm looks at"}} {
		s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Depth: tt.depth})
		for i := range 4 {
			s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", "normal", func(q *Queued) {
				if i == 3 {
					q.Reason = tt.reason
				}
			})
		}
		p := s.plan(t)
		if e := &p.Entries[3]; e.Job != 4 || e.Write || len(p.Changes()) != 3 || p.Exact != 3 {
			t.Errorf("%s: job %d, written %v, %d changes, %d exact", tt.name, e.Job, e.Write, len(p.Changes()), p.Exact)
		} else if e.Why.String() != tt.why {
			t.Errorf("%s: %q", tt.name, e.Why)
		}
		apply(SiteFactor, s.queue, p.Changes())
		if again := s.plan(t).Changes(); len(again) > 0 {
			t.Errorf("%s: the second plan changes %+v", tt.name, again)
		}
	}
}

// What was not written cannot have been undone, however far Slurm's priority of it is from its factors.
func TestLeftBelowIsNotUndone(t *testing.T) {
	s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: aging(), Procs: 8, Depth: 3})
	for i := range 4 {
		s.add(ostrich.Place{Job: ostrich.JobID(i + 1), Procs: 1}, "a", "normal", func(q *Queued) {
			if i == 3 {
				q.Priority, q.Computed = 700_000, 800_000
			}
		})
	}
	if e := s.plan(t).Entries[3]; e.Job != 4 || e.Write || e.Undone || e.Why.Code != BeyondDepth {
		t.Errorf("job %d, written %v, undone %v: %s", e.Job, e.Write, e.Undone, e.Why)
	}
}

// A job of the first class that comes beyond the depth goes above those of the next that have
// values there: no other is written.
func TestFirstOfItsClassBeyondTheDepth(t *testing.T) {
	s := newPools(1, Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Procs: 8, Depth: 20, Classes: threeClasses()})
	add := func(n int, qos string) {
		for range n {
			s.add(ostrich.Place{Job: ostrich.JobID(len(s.queue) + 1), Procs: 1}, "a", qos, nil)
		}
		p := s.plan(t)
		if written := len(p.Changes()); written != n {
			t.Errorf("%d new jobs, %s, and %d writes", n, qos, written)
		}
		apply(SiteFactor, s.queue, p.Changes())
		if again := s.plan(t).Changes(); len(again) > 0 {
			t.Errorf("%d new jobs, %s: the second plan changes %+v", n, qos, again)
		}
	}
	add(20, "normal")
	add(20, "urgent")
	add(1, "urgent")
}

// TestTailIsFewest compares what the bands keep with the most of all ways to keep.
func TestTailIsFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		b := &bands{of: rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "bands"), step: rapid.Int64Range(0, 3).Draw(t, "step")}
		for lo := int64(1); len(b.least) < 3; lo += b.step + rapid.Int64Range(1, 2).Draw(t, "more") {
			b.least = append(b.least, lo)
		}
		v := rapid.SliceOfN(rapid.Int64Range(0, 20), n, n).Draw(t, "v")
		usable := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "usable")
		ceiling := rapid.Int64Range(b.top(), 20).Draw(t, "ceiling")
		stairs := b.stairs(v, usable)
		least, most := b.ranges(stairs, ceiling)
		got := 0
		for i, band := range b.of {
			if usable[i] && v[i] >= least[band] && v[i] <= most[band] {
				got++
			}
		}
		for k := range least {
			if least[k] < b.least[k] || most[k] < least[k] || k > 0 && least[k]-most[k-1] < b.step {
				t.Fatalf("ranges %v to %v", least, most)
			}
		}
		want := 0
		for set := range 1 << n {
			if kept := bits.OnesCount(uint(set)); kept > want && b.allow(v, usable, set, ceiling) {
				want = kept
			}
		}
		if said := under(stairs[2], ceiling).kept; got != want || said != want {
			t.Fatalf("%d kept, %d said, %d could be", got, said, want)
		}
	})
}

// allow reports whether the elements of a set can be kept and the others find values.
func (b *bands) allow(v []int64, usable []bool, set int, ceiling int64) bool {
	floor := b.least[0]
	for band, least := range b.least {
		floor = max(floor, least)
		highest := floor
		for i, x := range v {
			if set&(1<<i) != 0 && b.of[i] == band {
				if !usable[i] || x < floor || x > ceiling {
					return false
				}
				highest = max(highest, x)
			}
		}
		floor = highest + b.step
	}
	return floor-b.step <= ceiling
}
