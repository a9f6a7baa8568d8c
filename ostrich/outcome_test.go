package ostrich

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// ends lets jobs of a user start and end, each after the given length, and returns the
// next free id. All ask for a processor for an hour.
func ends(t failer, s *Schedule, id JobID, at Time, u UserID, class uint64, outcome lengths.Outcome, lengths ...Duration) JobID {
	t.Helper()
	for _, d := range lengths {
		j := Job{ID: id, User: u, Procs: 1, Estimate: 3600, Class: class, Submit: at}
		mustStep(t, s, Event{At: at, Kind: Submit, Job: j})
		j.Start = at
		mustStep(t, s, Event{At: at, Kind: Start, Job: j})
		at += Time(d)
		j.End, j.Outcome = at, outcome
		mustStep(t, s, Event{At: at, Kind: End, Job: j})
		id++
	}
	return id
}

// expected is what each of so many tasks of a class would count for.
func expected(t failer, s *Schedule, at Time, u UserID, class uint64, tasks int) Duration {
	t.Helper()
	c := s.Clone()
	mustStep(t, c, Event{At: at, Kind: Submit, Job: Job{ID: 9999, User: u, Procs: 1, Tasks: tasks, Estimate: 3600, Class: class, Submit: at}})
	d, ok := c.Expected(9999)
	if !ok {
		t.Fatal("no expected length")
	}
	return d
}

// many tasks are more than any failures speak of.
const many = 2*lengths.Latest + 1

// onEight is a schedule of eight processors.
func onEight(t failer, o Options) *Schedule {
	t.Helper()
	s := mustNew(t, o)
	mustStep(t, s, Event{At: 1, Kind: Capacity, Procs: 8})
	return s
}

func nine(d Duration) []Duration { return []Duration{d, d, d, d, d, d, d, d, d} }

// TestFailuresTeachNothing: jobs that fail at once or are cancelled do not make many tasks of
// their user count for less, of the same class or of another; successes do, also among
// failures, and what was stopped later than expected makes them count for more.
func TestFailuresTeachNothing(t *testing.T) {
	for _, p := range []lengths.Predictor{lengths.Alike, lengths.ByLast, lengths.ByLastTwo, lengths.BySmoothing, lengths.ByAdaptive, lengths.ByRegression, lengths.ByMeanTen, lengths.ByMean} {
		t.Run(p.String(), func(t *testing.T) {
			o := Options{Predictor: p}
			fresh := func() *Schedule { return onEight(t, o) }
			s := fresh()
			before := expected(t, s, 2, 1, 7, many)
			ends(t, s, 1, 2, 1, 7, lengths.Stopped, nine(1)...)
			for class := range uint64(9) {
				if after := expected(t, s, 100, 1, class, many); after != before {
					t.Errorf("after nine failures a job of class %d counts for %d s, before for %d s", class, after, before)
				}
			}
			if after := expected(t, s, 100, 2, 7, many); after != before {
				t.Errorf("after another user's nine failures a job counts for %d s, before for %d s", after, before)
			}

			// Nine lengths of 600 s, then nine failures: what is known stays.
			id := ends(t, s, 20, 200, 1, 7, lengths.Done, nine(600)...)
			ends(t, s, id, 9000, 1, 7, lengths.Stopped, nine(1)...)
			if d := expected(t, s, 9100, 1, 7, many); d != 600 {
				t.Errorf("after 600 s nine times and nine failures a job counts for %d s", d)
			}

			// A limit that was reached, and a failure after 900 s.
			s = fresh()
			ends(t, s, 1, 2, 1, 7, lengths.Stopped, nine(3600)...)
			if d := expected(t, s, 99000, 1, 7, many); d != 3600 {
				t.Errorf("after nine jobs that were ended at their limit one counts for %d s, want the limit", d)
			}
			s = fresh()
			id = ends(t, s, 1, 2, 1, 7, lengths.Done, nine(60)...)
			ends(t, s, id, 1000, 1, 7, lengths.Stopped, nine(900)...)
			if d := expected(t, s, 99000, 1, 7, many); d <= 60 {
				t.Errorf("after nine failures at 900 s a job counts for %d s, as before", d)
			}
		})
	}
}

// TestFailuresDoNotPass: nine failures and then a flood of their class, the trick, do not
// pass earlier work of the same size, whether the flood comes as an array or job by job.
// Nine jobs that say they are done do: nothing tells them from others.
func TestFailuresDoNotPass(t *testing.T) {
	for outcome, passes := range map[lengths.Outcome]bool{lengths.Stopped: false, lengths.Done: true} {
		for _, records := range []int{1, 2, 32} {
			t.Run(fmt.Sprint(outcome, " in ", records), func(t *testing.T) {
				s := onEight(t, Options{Predictor: lengths.Alike, Grace: 86400, Memory: 7 * 86400, Settle: true, Machine: Parallel, Rule: campaign.Rule{By: campaign.Max}})
				// Two users with a past of the same size.
				id := ends(t, s, 1, 10, 1, 7, lengths.Done, 1800)
				id = ends(t, s, id, 10000, 2, 7, lengths.Done, 1800)
				id = ends(t, s, id, 20000, 2, 8, outcome, nine(1)...)
				submit := func(at Time, u UserID, class uint64) {
					for range records {
						mustStep(t, s, Event{At: at, Kind: Submit, Job: Job{ID: id, User: u, Procs: 1, Tasks: 32 / records, Estimate: 3600, Class: class, Submit: at}})
						id++
					}
				}
				submit(30000, 1, 9)
				flood := id
				submit(30001, 2, 8)
				if got := s.Order()[0].Job >= flood; got != passes {
					t.Errorf("the flood passes: %v, want %v; %v", got, passes, s.Order())
				}
			})
		}
	}
}

// TestFailuresSpeakOfTwiceAsMany: n failures make twice as many tasks count for as little, until the
// user has one task more: of the class or not, in a record or each by itself, as a new one
// or as a task that a record gains.
func TestFailuresSpeakOfTwiceAsMany(t *testing.T) {
	for n := 1; n <= 20; n++ {
		s := onEight(t, Options{Predictor: lengths.Alike})
		before := expected(t, s, 2, 1, 7, 1)
		id := ends(t, s, 1, 2, 1, 7, lengths.Stopped, slices.Repeat([]Duration{1}, n)...)
		speaks := 2 * min(n, lengths.Latest)
		for tasks := 1; tasks <= speaks+1; tasks++ {
			want := Duration(1)
			if tasks > speaks {
				want = before
			}
			if got := expected(t, s, 100, 1, 7, tasks); got != want {
				t.Errorf("after %d failures each of %d tasks counts for %d s, want %d", n, tasks, got, want)
			}
		}
		first := Job{ID: id, User: 1, Procs: 1, Estimate: 3600, Class: 7, Submit: 100}
		for range speaks {
			mustStep(t, s, Event{At: 100, Kind: Submit, Job: first})
			first.ID++
		}
		all := func(s *Schedule, what string, want Duration) {
			t.Helper()
			for i := range JobID(speaks) {
				if got, _ := s.Expected(id + i); got != want {
					t.Errorf("after %d failures, %s: job %d counts for %d s, want %d", n, what, i+1, got, want)
				}
			}
		}
		all(s, "twice as many jobs", 1)
		one := s.Clone()
		first.Class, first.Procs = 8, 4
		mustStep(t, one, Event{At: 101, Kind: Submit, Job: first})
		all(one, "one of another class more", before)
		array := onEight(t, Options{Predictor: lengths.Alike})
		id = ends(t, array, 1, 2, 1, 7, lengths.Stopped, slices.Repeat([]Duration{1}, n)...)
		for i := range JobID(speaks) {
			j := Job{ID: id + i, Group: id, User: 1, Procs: 1, Estimate: 3600, Class: 7, Submit: 100}
			if i == 0 {
				j.Tasks = speaks
				mustStep(t, array, Event{At: 100, Kind: Submit, Job: j})
			} else if !array.split(j) {
				t.Fatal("the array has no task left")
			}
		}
		all(array, "twice as many tasks", 1)
		if got := array.users[1].tasks; got != speaks {
			t.Errorf("an array of %d tasks counts for %d when all are jobs", speaks, got)
		}
		mustStep(t, array, Event{At: 101, Kind: Submit, Job: first})
		all(array, "one job more than the tasks", before)
		mustStep(t, s, Event{At: 101, Kind: Hold, Job: Job{ID: id}})
		mustStep(t, s, Event{At: 102, Kind: Change, Job: Job{ID: id, User: 1, Procs: 1, Tasks: 2, Estimate: 3600, Class: 7}})
		all(s, "one that gets another task", before)
	}
}

// TestFailuresGain: whatever users do with jobs that they let fail, they gain nothing once they
// have more unfinished tasks than twice their failures, or than 18: each task counts for what it would
// without the failures. All that succeeds runs for 600 s, so that is what it would.
func TestFailuresGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
		s := onEight(t, Options{Predictor: lengths.Alike, Settle: true, Late: Late(draw("late", 0, 2))})
		id := ends(t, s, 1, 2, 1, 0, lengths.Done, slices.Repeat([]Duration{600}, lengths.Latest)...)
		id = ends(t, s, id, 6000, 2, 0, lengths.Done, slices.Repeat([]Duration{600}, lengths.Latest)...)
		now, failed, live := Time(20000), map[UserID]int{}, []Job(nil)
		for range draw("steps", 1, 80) {
			now += Time(draw("wait", 1, 3))
			i := 0
			if len(live) > 0 {
				i = draw("job", 0, len(live)-1)
			}
			switch action := draw("action", 0, 9); {
			case action < 3 || len(live) == 0:
				j := Job{ID: id, User: UserID(draw("user", 1, 2)), Procs: 1, Estimate: 3600, Class: uint64(draw("class", 0, 2)), Submit: now, Tasks: draw("tasks", 0, 3)}
				id++
				live = append(live, j)
				mustStep(t, s, Event{At: now, Kind: Submit, Job: j})
			case action < 6: // what has started ends, the other starts
				j := &live[i]
				if j.Start == 0 {
					j.Tasks, j.Start = 1, now
					mustStep(t, s, Event{At: now, Kind: Start, Job: *j})
					continue
				}
				ran := Duration(600)
				if draw("fails", 0, 1) == 1 {
					ran, j.Outcome = 1, lengths.Stopped
					failed[j.User]++
				}
				now = max(now, j.Start+Time(ran))
				j.End, j.Suspended = now, Duration(now-j.Start)-ran
				mustStep(t, s, Event{At: now, Kind: End, Job: *j})
				live = slices.Delete(live, i, i+1)
			case action < 8:
				j := &live[i]
				j.Class, j.User, j.Campaign = uint64(draw("class", 0, 2)), UserID(draw("user", 1, 2)), []string{"", "a"}[draw("campaign", 0, 1)]
				if j.Start == 0 {
					j.Tasks = draw("tasks", 0, 3)
				}
				mustStep(t, s, Event{At: now, Kind: Change, Job: *j})
			case action == 8 && live[i].Start != 0:
				live[i].Start = 0
				mustStep(t, s, Event{At: now, Kind: Requeue, Job: live[i]})
			case action == 8:
				mustStep(t, s, Event{At: now, Kind: []Kind{Hold, Release}[draw("release", 0, 1)], Job: live[i]})
			default:
				s = s.Clone()
			}
			var tasks, less [3]int
			for _, j := range live {
				tasks[j.User] += j.Count()
				if s.jobs.get(j.ID).expect < 600 {
					less[j.User] += j.Count()
				}
			}
			for u := range UserID(2) {
				u++
				if speaks := 2 * min(failed[u], lengths.Latest); less[u] > 0 && tasks[u] > speaks || s.users[u].tasks != tasks[u] {
					t.Fatalf("user %d has had %d failures, and of %d tasks, counted as %d, %d count for less",
						u, failed[u], tasks[u], s.users[u].tasks, less[u])
				}
			}
		}
	})
}
