package ostrich

import (
	"fmt"
	"testing"
)

// ends lets jobs of a user start and end, each after the given length, and returns the
// next free id. All ask for a processor for an hour.
func ends(t *testing.T, s *Schedule, id JobID, at Time, u UserID, class uint64, outcome Outcome, lengths ...Duration) JobID {
	t.Helper()
	for _, d := range lengths {
		j := Job{ID: id, User: u, Procs: 1, Estimate: 3600, Class: class, Submit: at}
		step(t, s, Event{At: at, Kind: Submit, Job: j})
		j.Start = at
		step(t, s, Event{At: at, Kind: Start, Job: j})
		at += Time(d)
		j.End, j.Outcome = at, outcome
		step(t, s, Event{At: at, Kind: End, Job: j})
		id++
	}
	return id
}

func step(t *testing.T, s *Schedule, e Event) {
	t.Helper()
	if err := s.Step(e); err != nil {
		t.Fatal(err)
	}
}

// expected is what a job of a class would count for.
func expected(t *testing.T, s *Schedule, at Time, u UserID, class uint64) Duration {
	t.Helper()
	c := s.Clone()
	step(t, c, Event{At: at, Kind: Submit, Job: Job{ID: 9999, User: u, Procs: 1, Estimate: 3600, Class: class, Submit: at}})
	d, ok := c.Expected(9999)
	if !ok {
		t.Fatal("no expected length")
	}
	return d
}

func nine(d Duration) []Duration { return []Duration{d, d, d, d, d, d, d, d, d} }

// TestFailuresTeachNothing: jobs that fail at once or are cancelled do not make the next
// ones of their user count for less, of the same class or of another; successes do, also
// among failures, and what was stopped later than expected makes them count for more.
func TestFailuresTeachNothing(t *testing.T) {
	for _, p := range []Predictor{Alike, ByLast, ByLastTwo, BySmoothing, ByAdaptive, ByRegression, ByMeanTen, ByMean} {
		t.Run(p.String(), func(t *testing.T) {
			o := Options{Predictor: p}
			fresh := func() *Schedule {
				s, err := New(o)
				if err != nil {
					t.Fatal(err)
				}
				step(t, s, Event{At: 1, Kind: Capacity, Procs: 8})
				return s
			}
			s := fresh()
			before := expected(t, s, 2, 1, 7)
			ends(t, s, 1, 2, 1, 7, Stopped, nine(1)...)
			for class := range uint64(9) {
				if after := expected(t, s, 100, 1, class); after != before {
					t.Errorf("after nine failures a job of class %d counts for %d s, before for %d s", class, after, before)
				}
			}
			if after := expected(t, s, 100, 2, 7); after != before {
				t.Errorf("after another user's nine failures a job counts for %d s, before for %d s", after, before)
			}

			// Nine lengths of 600 s, then nine failures: what is known stays.
			id := ends(t, s, 20, 200, 1, 7, Done, nine(600)...)
			ends(t, s, id, 9000, 1, 7, Stopped, nine(1)...)
			if d := expected(t, s, 9100, 1, 7); d != 600 {
				t.Errorf("after 600 s nine times and nine failures a job counts for %d s", d)
			}

			// A limit that was reached, and a failure after 900 s.
			s = fresh()
			ends(t, s, 1, 2, 1, 7, TimedOut, nine(60)...)
			if d := expected(t, s, 1000, 1, 7); d != 3600 {
				t.Errorf("after nine jobs that timed out one counts for %d s, want its limit", d)
			}
			s = fresh()
			id = ends(t, s, 1, 2, 1, 7, Done, nine(60)...)
			ends(t, s, id, 1000, 1, 7, Stopped, nine(900)...)
			if d := expected(t, s, 99000, 1, 7); d <= 60 {
				t.Errorf("after nine failures at 900 s a job counts for %d s, as before", d)
			}
		})
	}
}

// TestFailuresDoNotPass: nine failures and then a flood of their class, the trick, do not
// pass earlier work of the same size. Nine jobs that say they are done do: nothing tells
// them from others.
func TestFailuresDoNotPass(t *testing.T) {
	for outcome, passes := range map[Outcome]bool{Stopped: false, TimedOut: false, Done: true} {
		t.Run(fmt.Sprint(outcome), func(t *testing.T) {
			s, err := New(Options{Predictor: Alike, Grace: 86400, Memory: 7 * 86400, Settle: true, Machine: Parallel, Rule: Rule{By: Max}})
			if err != nil {
				t.Fatal(err)
			}
			step(t, s, Event{At: 1, Kind: Capacity, Procs: 8})
			// Two users with a past of the same size.
			id := ends(t, s, 1, 10, 1, 7, Done, 1800)
			id = ends(t, s, id, 10000, 2, 7, Done, 1800)
			id = ends(t, s, id, 20000, 2, 8, outcome, nine(1)...)
			first := Job{ID: id, User: 1, Procs: 1, Tasks: 16, Estimate: 3600, Class: 9, Submit: 30000}
			flood := Job{ID: id + 1, User: 2, Procs: 1, Tasks: 16, Estimate: 3600, Class: 8, Submit: 30001}
			step(t, s, Event{At: 30000, Kind: Submit, Job: first})
			step(t, s, Event{At: 30001, Kind: Submit, Job: flood})
			if got := s.Order()[0].Job == flood.ID; got != passes {
				t.Errorf("the flood passes: %v, want %v; %v", got, passes, s.Order())
			}
		})
	}
}
