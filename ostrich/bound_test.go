package ostrich

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A closed loop user submits a campaign, waits for its end, thinks, and
// submits the next one.
type loop struct {
	campaigns []set
	next      int
	waits     int  // jobs that have not ended
	at        Time // of the next submission
}

// A set is a campaign in R.
type set struct {
	think   Time
	lengths []Duration
	procs   []int

	t, end Time
	work   float64
	k      int // the most active users while it lasted
}

// bounded runs closed loops with a strict gate and tells by how much each
// campaign stays below the published bound on its end, where k is the most
// active users while it lasts and p_max the longest job of all.
func bounded(t failer, o Options, inOrder bool, loops []*loop, bound func(k int, before, work, pmax, own float64) float64) string {
	r := newMachine(t, o)
	r.inOrder = inOrder
	owner := make(map[JobID]*loop)
	var longest Duration
	for _, l := range loops {
		for _, c := range l.campaigns {
			for _, p := range c.lengths {
				longest = max(longest, p)
			}
		}
		if len(l.campaigns) > 0 {
			l.at = l.campaigns[0].think
		}
	}
	id, done := JobID(0), 0
	for now := Time(0); ; now++ {
		if now > 1_000_000 {
			return "it never ends"
		}
		busy := false
		r.until(now, func(Time) {
			for ; done < len(r.ended); done++ {
				l := owner[r.ended[done].ID]
				if l.waits--; l.waits == 0 {
					l.campaigns[l.next].end = now
					l.next++
					if l.next < len(l.campaigns) {
						l.at = now + max(1, l.campaigns[l.next].think)
					}
				}
			}
			for i, l := range loops {
				if l.next == len(l.campaigns) {
					continue
				}
				busy = true
				if c := &l.campaigns[l.next]; l.waits == 0 && l.at <= now {
					c.t = now
					for n, p := range c.lengths {
						id++
						owner[id] = l
						r.submit(Job{ID: id, User: UserID(i + 1), Procs: c.procs[n], Estimate: p})
						c.work += float64(c.procs[n]) * float64(p)
					}
					l.waits = len(c.lengths)
				}
			}
			for _, l := range loops {
				if l.waits > 0 {
					l.campaigns[l.next].k = max(l.campaigns[l.next].k, r.s.Active())
				}
			}
		})
		if !busy {
			break
		}
	}
	for u, l := range loops {
		before := 0.0
		for i, c := range l.campaigns {
			limit := float64(c.t) + bound(c.k, before, c.work, float64(longest), float64(slices.Max(c.lengths)))
			if float64(c.end) > limit+1e-6 {
				return fmt.Sprintf("campaign %d of user %d, of work %v after %v, submitted at %d, k = %d, p_max = %d, ends at %d; the bound is %v",
					i+1, u+1, c.work, before, c.t, c.k, longest, c.end, limit)
			}
			before = c.work
		}
	}
	return ""
}

func drawLoops(t *rapid.T, widest int) []*loop {
	loops := make([]*loop, rapid.IntRange(1, 4).Draw(t, "users"))
	for i := range loops {
		loops[i] = &loop{}
		for range rapid.IntRange(1, 5).Draw(t, "campaigns") {
			c := set{think: Time(rapid.IntRange(1, 30).Draw(t, "think"))}
			for range rapid.IntRange(1, 12).Draw(t, "jobs") {
				c.lengths = append(c.lengths, Duration(rapid.IntRange(1, 30).Draw(t, "length")))
				c.procs = append(c.procs, rapid.IntRange(1, widest).Draw(t, "procs"))
			}
			loops[i].campaigns = append(loops[i].campaigns, c)
		}
	}
	return loops
}

// TestLemma52 is the bound of Lemma 5.2, equation 5.3, in the paper's tighter
// version (its equation 5.1): two p_max of the longest job in the system and
// one of the campaign's own longest job. Starts are on full seconds, up to one
// later than a virtual start.
func TestLemma52(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "m")
		o := Options{Procs: m, Gate: Strict, Rule: Rule{By: Arrival, Threshold: 1}, Inside: Inside(rapid.IntRange(0, 2).Draw(t, "inside"))}
		if broken := bounded(t, o, false, drawLoops(t, 1), func(k int, before, work, pmax, own float64) float64 {
			return float64(k)*(before+work)/float64(m) + 2*pmax + own + 1
		}); broken != "" {
			t.Fatal(broken)
		}
	})
}

// lemma63 is equation 6.2 with a number of p_max.
func lemma63(m, widest int, times float64) func(k int, before, work, pmax, own float64) float64 {
	alpha := float64(widest) / float64(m)
	return func(k int, before, work, pmax, _ float64) float64 {
		return float64(k)*(before+work)/(float64(m)*(1-alpha)) + times*pmax
	}
}

// TestLemma63 is the bound of Lemma 6.3, equation 6.2, in a version that
// holds: with three p_max, as in Lemma 5.2, and when no job starts before an
// earlier one of the order. The published version has one p_max and a queue
// from which any job that fits may start; see TestLemma63Broken.
func TestLemma63(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 8).Draw(t, "m")
		widest := rapid.IntRange(1, m-1).Draw(t, "widest")
		o := Options{Procs: m, Machine: Parallel, Gate: Strict, Rule: Rule{By: Arrival, Threshold: 1}, Inside: LJF}
		loops := drawLoops(t, widest)
		limit := lemma63(m, widest, 3)
		if broken := bounded(t, o, true, loops, func(k int, before, work, pmax, own float64) float64 {
			return limit(k, before, work, pmax, own) + 1
		}); broken != "" {
			t.Fatal(broken)
		}
	})
}

// TestLemma63Broken keeps two instances on which equation 6.2 as published
// does not hold.
//
//   - Its proof says that a campaign cannot end later than p_max after its
//     virtual completion. But only its last start is bound by that: here all
//     four processors are taken for 27 to 30 s when a job of 16 s comes, and it
//     ends at 46, not by 44 2/3.
//   - Greedy filling lets narrow jobs pass a wide one for as long as they
//     come: with as many of them as one likes there is no bound at all.
func TestLemma63Broken(t *testing.T) {
	narrow := make([]Duration, 60)
	ones := make([]int, 60)
	for i := range narrow {
		narrow[i], ones[i] = 11, 1
	}
	copy(narrow, []Duration{3, 5, 8, 11}) // so that no three ever end together
	for _, tt := range []struct {
		name      string
		m, widest int
		loops     []*loop
		want      string
	}{
		{"the last job starts late", 4, 1, []*loop{
			{campaigns: []set{{think: 4, lengths: []Duration{16}, procs: []int{1}}}},
			{campaigns: []set{{think: 3, lengths: []Duration{30, 30, 27, 27, 1, 1, 1, 1, 1, 1}, procs: []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}}},
		}, "campaign 1 of user 1"},
		{"narrow jobs pass", 4, 3, []*loop{
			{campaigns: []set{{think: 1, lengths: narrow, procs: ones}}},
			{campaigns: []set{{think: 2, lengths: []Duration{1}, procs: []int{3}}}},
		}, "campaign 1 of user 2"},
	} {
		o := Options{Procs: tt.m, Machine: Parallel, Gate: Strict, Rule: Rule{By: Arrival, Threshold: 1}, Inside: Submission}
		broken := bounded(t, o, false, tt.loops, lemma63(tt.m, tt.widest, 1))
		if !strings.HasPrefix(broken, tt.want) {
			t.Errorf("%s: %q, want %q to break the bound", tt.name, broken, tt.want)
		}
	}
}
