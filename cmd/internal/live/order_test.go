package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func twoPools(c *configuration.Config) {
	c.Pools = []ostrich.Pool{{Name: "cpu", Partitions: []string{"main"}}, {Name: "gpu", Partitions: []string{"gpu"}}}
}

// Twenty jobs stand in the reverse order: of the first ten none are common, of
// the first twenty all.
func TestOrder(t *testing.T) {
	s := newSite(t, 1)
	for i := range 20 {
		s.submit(i+1, i+1, 1, ostrich.Duration(6000-100*i))
	}
	r := s.cycle()
	equal(t, "tau", Average{-1, -1, -1}, r.Order.Tau)
	equal(t, "overlap", []Overlap{
		{"10", 10, Average{}}, {"50", 50, Average{1, 1, 1}}, {"slurm", 500, Average{1, 1, 1}},
	}, r.Order.Overlap)
	// Slurm turns to the same order.
	for i := range 20 {
		s.Find(ostrich.JobID(i + 1)).Priority = uint32(100 + i)
	}
	r = s.cycle()
	equal(t, "tau then", Average{1, 0, 0}, r.Order.Tau)
	equal(t, "overlap then", Overlap{"10", 10, Average{1, 0.5, 0.5}}, r.Order.Overlap[0])
	r = s.after(hour)
	equal(t, "tau an hour later", Average{1, 1, 1.0 / 3}, r.Order.Tau)
	equal(t, "cycles", uint64(3), r.Cycles)
	equal(t, "since", r.Time-hour-10, r.Since)
}

// The overlaps against sets, over several pools.
func TestOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c sidecar.Cycle
		depth := rapid.IntRange(1, 60).Draw(t, "depth")
		want := make([][2]int, 3)
		rank := 0
		for pool := range rapid.IntRange(0, 3).Draw(t, "pools") {
			name := string(rune('a' + pool))
			c.Pools = append(c.Pools, ostrich.PoolSchedule{Pool: ostrich.Pool{Name: name}})
			n := rapid.IntRange(0, 70).Draw(t, "jobs")
			ranks := make([]int, n)
			for i := range ranks {
				rank += rapid.IntRange(1, 3).Draw(t, "gap")
				ranks[i] = rank
			}
			for _, r := range rapid.Permutation(ranks).Draw(t, "ranks") {
				c.Plan.Entries = append(c.Plan.Entries, &priority.Entry{SlurmRank: r, Pool: name, Rank: 1})
			}
			of := c.Plan.Entries[len(c.Plan.Entries)-n:]
			for i, k := range []int{10, 50, depth} {
				k = min(k, n)
				want[i][1] += k
				for _, e := range of[:k] {
					if slices.Contains(ranks[:k], e.SlurmRank) {
						want[i][0]++
					}
				}
			}
		}
		for i, o := range overlaps(&c, depth) {
			is := 1.0
			if want[i][1] > 0 {
				is = float64(want[i][0]) / float64(want[i][1])
			}
			if math.Abs(o.Now-is) > 1e-12 {
				t.Errorf("first %d: %v, want %v", o.First, o.Now, is)
			}
		}
	})
}

// Of three that fit, the last starts first: it was third and is at position
// one. A wide job before it did not fit and does not count.
func TestRanks(t *testing.T) {
	s := newSite(t, 8)
	s.submit(1, 1, 7, 36_000)
	s.start(1)
	s.submit(9, 9, 1, 3000)
	s.start(9)
	s.submit(2, 2, 8, 10) // does not fit
	s.submit(3, 3, 1, 200)
	s.submit(4, 4, 1, 300)
	s.submit(5, 5, 1, 400)
	s.cycle()
	s.end(9)
	s.start(5)
	r := s.cycle()
	equal(t, "ranks", []Ranks{{1, 1, 0, 2}, {24, 1, 0, 2}}, r.Starts.Ranks)
	s.end(5)
	s.start(3)
	r = s.cycle()
	equal(t, "one more, in order", []Ranks{{1, 2, 0.5, 1}, {24, 2, 0.5, 1}}, r.Starts.Ranks)
}

// The sums are those of the last 60 minutes and 24 hours, the present minute
// included, however often one asks.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		type one struct {
			at ostrich.Time
			v  float64
		}
		var all []one
		now := ostrich.Time(1_700_000_000)
		for range rapid.IntRange(1, 60).Draw(t, "values") {
			now += ostrich.Time(rapid.OneOf(rapid.IntRange(0, minute), rapid.IntRange(0, 3*hour)).Draw(t, "gap"))
			v := rapid.Float64Range(0, 100).Draw(t, "value")
			w.add(now, &[sums]float64{sumTau: v})
			all = append(all, one{now, v})
			if rapid.Bool().Draw(t, "do not ask") {
				continue
			}
			hours, days := w.over(now)
			for span, got := range map[ostrich.Duration]float64{hour: hours[sumTau], day: days[sumTau]} {
				want := 0.0
				for _, o := range all {
					if o.at/minute > now/minute-ostrich.Time(span/minute) {
						want += o.v
					}
				}
				if math.Abs(got-want) > 1e-6 {
					t.Errorf("over %d s: %v, want %v", span, got, want)
				}
			}
		}
	})
}

// Of a site with classes the report says that the comparison does not know them. Without
// nightly comparisons it says how to have them.
func TestNoteOfClasses(t *testing.T) {
	for by, want := range map[priority.ClassBy]string{priority.ClassesOff: "", priority.ClassesAuto: "Jobs are of 2 classes (high; gpu+main). "} {
		s := newSite(t, 10, func(c *configuration.Config) { c.Priority.Classes = by })
		s.cycle()
		if notes := s.state.Report().Notes(); !strings.HasPrefix(notes[0], cmp.Or(want, NoNight)) || notes[len(notes)-1] != NoNight {
			t.Errorf("priority.classes %s: %q", by, notes)
		}
	}
}

// What has ended is listed with the class of its jobs, where there are classes.
func TestClassOfTheFinished(t *testing.T) {
	for by, want := range map[priority.ClassBy]map[ostrich.JobID]string{
		priority.ClassesOff: {1: "", 2: ""}, priority.ClassesAuto: {1: "gpu+main", 2: "high"},
	} {
		s := newSite(t, 10, func(c *configuration.Config) { c.Priority.Classes = by })
		s.submit(1, 1, 1, 100)
		s.submit(2, 2, 1, 100, func(j *ostrich.Job, _ *priority.Queued) { j.Partition = "high" })
		s.cycle()
		s.start(1, 2)
		s.cycle()
		s.end(1, 2)
		s.cycle()
		r := s.cycle()
		got := make(map[ostrich.JobID]string)
		for _, f := range r.Campaigns.Last {
			got[f.Campaign] = f.Class
		}
		equal(t, by.String(), want, got)
		if head := r.lastTable().Header; slices.Contains(head, "CLASS") != (by == priority.ClassesAuto) {
			t.Errorf("priority.classes %s: the table has %q", by, head)
		}
	}
}

// An outage of a pool is one of all its classes.
func TestOutageOfClasses(t *testing.T) {
	s := newSite(t, 10, func(c *configuration.Config) { c.Priority.Classes = priority.ClassesAuto })
	s.submit(1, 1, 1, 100)
	s.submit(2, 2, 1, 100, func(j *ostrich.Job, _ *priority.Queued) { j.Partition = "high" })
	s.cycle()
	s.capacity("", 8)
	s.cycle()
	for _, c := range s.state.campaigns {
		if !c.blame.has(Outage) || s.state.pools[c.pool].size != 8 {
			t.Errorf("%s: blame %v, on %d processors", s.state.pools[c.pool].class, c.blame.list(), s.state.pools[c.pool].size)
		}
	}
}

// Accounting may tell of starts after the queue has lost the jobs: their places are those of the order before, and who
// stood behind them was not passed.
func TestStartsHeardLate(t *testing.T) {
	for _, test := range []struct {
		started []int
		want    Ranks
		blame   blame // of the third
	}{
		{[]int{4}, Ranks{Hours: 1, Jobs: 1, Shift: 3}, 1 << NotWritten},
		{[]int{1, 2}, Ranks{Hours: 1, Jobs: 2, First: 1}, 0},
		{[]int{1, 4}, Ranks{Hours: 1, Jobs: 2, First: 0.5, Shift: 1}, 1 << NotWritten},
	} {
		s := newSite(t, 4)
		for i := range 4 {
			s.submit(i+1, i+1, 1, ostrich.Duration(1000*(i+1)))
		}
		s.cycle()
		s.Pending = slices.DeleteFunc(s.Pending, func(q priority.Queued) bool { return slices.Contains(test.started, int(q.Job)) })
		s.cycle()
		s.start(test.started...)
		equal(t, fmt.Sprint("ranks of ", test.started), test.want, s.cycle().Starts.Ranks[0])
		for _, c := range s.state.campaigns {
			if c.lead == 3 {
				equal(t, fmt.Sprint("blame after ", test.started), test.blame, c.blame)
			}
		}
	}
}
