package ostrich

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/lengths"
)

// owed is what the virtual schedule still has to serve, and left what remains of
// the jobs that have not ended, both counted anew.
func owed(s *Schedule) (owed, left Work) {
	for _, u := range s.Users() {
		owed += u.Owed
	}
	for j := range s.jobs.all() {
		left += Work(j.length-j.elapsed(s.now)) * Work(j.Procs) * Work(j.Count())
	}
	return owed, left
}

// TestNobodyOwesForAnIdleMachine: without an unfinished job nothing is owed, and
// never more than what is left of the jobs, whatever their limits promised.
func TestNobodyOwesForAnIdleMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Settle = true
		s := mustNew(t, o)
		check := func() {
			virtual, left := owed(s)
			if virtual > left+1e-2 {
				t.Fatalf("t = %d: owes %v, and %v are left\n%s", s.now, virtual, left, s.Describe())
			}
			if s.jobs.count == 0 && (virtual != 0 || s.Active() != 0) {
				t.Fatalf("t = %d: owes %v on an empty machine\n%s", s.now, virtual, s.Describe())
			}
		}
		for _, e := range drawEvents(t, everything) {
			if e.At > s.now {
				mustAdvance(t, s, min(e.At, s.now+1))
				check()
			}
			mustStep(t, s, e)
		}
		for range 3 {
			mustAdvance(t, s, s.now+1)
			check()
		}
	})
}

// TestParallelOwesWhatIsLeft: on the Parallel machine, unless a requeue has wasted
// service, the virtual schedule owes what is left, but for what campaigns were served beyond their
// work, which counts for their next jobs: no more than what jobs that ended early
// left over.
func TestParallelOwesWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Settle, o.Machine = true, Parallel
		s := mustNew(t, o)
		over := Work(0)
		for _, e := range drawEvents(t, drawn{users: 4, steps: 60, tree: true, groups: true, calm: true}) {
			if e.At > s.now {
				mustAdvance(t, s, s.now+1)
				if virtual, left := owed(s); virtual > left+1e-2 || virtual < left-over-1e-2 {
					t.Fatalf("t = %d: owes %v, and %v are left; %v were left over\n%s", s.now, virtual, left, over, s.Describe())
				}
			}
			mustAdvance(t, s, e.At)
			_, before := owed(s)
			mustStep(t, s, e)
			if _, after := owed(s); e.Kind == End {
				over += max(0, before-after)
			}
		}
	})
}

// TestIdleMachineForgets: once the machine stood idle, the schedule is one
// that knows nothing of what was before, as one that was restarted
// later may not. (Past use and lengths are remembered on purpose.)
func TestIdleMachineForgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.Settle, o.Memory, o.Predictor = true, 0, lengths.Predictor(rapid.IntRange(0, int(lengths.ByLimit)).Draw(t, "predictor"))
		d := drawn{users: 4, steps: 40, groups: true}
		before, after := drawEvents(t, d), drawEvents(t, d)
		long, short := mustNew(t, o), mustNew(t, o)
		for _, e := range before {
			mustStep(t, long, e)
		}
		now := long.now + 1
		for _, j := range slices.SortedFunc(long.jobs.all(), func(a, b *job) int { return cmp.Compare(a.ID, b.ID) }) {
			ended := j.Job
			ended.End = now
			if !j.running {
				ended.Start = 0
			}
			mustStep(t, long, Event{At: now, Kind: End, Job: ended})
		}
		gap := now + 100 // no campaign is open to later jobs
		for _, s := range []*Schedule{long, short} {
			mustStep(t, s, Event{At: gap, Kind: Capacity, Procs: o.Procs})
		}
		for _, e := range after {
			e.At, e.Job.ID = e.At+gap, e.Job.ID+1000
			e.Job.Submit += gap
			for _, at := range []*Time{&e.Job.Start, &e.Job.End} {
				if *at != 0 {
					*at += gap
				}
			}
			if e.Job.Group != 0 {
				e.Job.Group += 1000
			}
			mustStep(t, long, e)
			mustStep(t, short, e)
			if diff := gocmp.Diff(owing(short), owing(long), nearly); diff != "" {
				t.Fatalf("t = %d: restarted - ran through +\n%s", long.now, diff)
			}
		}
	})
}

// owing is what each user is owed, and when each campaign is completed virtually.
// (Not the order: two campaigns may tie but for rounding.)
func owing(s *Schedule) (list []any) {
	for _, u := range s.Users() {
		if u.Owed > 0 {
			list = append(list, u.User, u.Owed)
		}
	}
	for _, c := range s.Campaigns() {
		list = append(list, c.Lead, c.VirtualEnd)
	}
	return list
}

// TestSettledToRounding: a campaign of which settling leaves nothing but rounding is
// completed by it, also if no job runs then. User 1 has an array whose first task runs, user 2
// a job of just that part of it that is user 2's without user 3, whose job is cancelled.
func TestSettledToRounding(t *testing.T) {
	for one := 1; one < 10; one++ {
		for two := 1; two < 10; two++ {
			s := mustNew(t, Options{Procs: 1, Machine: Parallel, Settle: true})
			mustStep(t, s, Event{Kind: Reshare, Shares: &Shares{Users: []UserShare{
				{User: 1, Weight: float64(one) / 10}, {User: 2, Weight: float64(two) / 10}, {User: 3, Weight: 0.7},
			}}})
			end := Time(1 + one + two)
			first := Job{ID: 1, Group: 1, User: 1, Procs: 1, Estimate: Duration(one + two), Submit: 1}
			second := first
			second.ID = 2
			other := Job{ID: 3, User: 2, Procs: 1, Estimate: Duration(two), Submit: 1}
			cancelled := Job{ID: 4, User: 3, Procs: 1, Estimate: 100, Submit: 1}
			for _, j := range []Job{first, second, other, cancelled} {
				mustStep(t, s, Event{At: 1, Kind: Submit, Job: j})
			}
			first.Start = 1
			mustStep(t, s, Event{At: 1, Kind: Start, Job: first})
			first.End, cancelled.End = end, end
			mustStep(t, s, Event{At: end, Kind: End, Job: first})
			mustStep(t, s, Event{At: end, Kind: End, Job: cancelled})
			mustAdvance(t, s, end+1)
			if s.Active() != 1 {
				t.Errorf("weights %d and %d: %d users are active\n%s", one, two, s.Active(), s.Describe())
			}
		}
	}
}

// TestMoreWorkThan64Bits: an array of wide jobs with a limit of centuries, which any user can submit, takes
// nothing from the others: what is owed to them stays owed.
func TestMoreWorkThan64Bits(t *testing.T) {
	s := mustNew(t, Options{Procs: 1000, Settle: true})
	mustStep(t, s, Event{At: 1000, Kind: Submit, Job: Job{ID: 1, User: 1, Procs: 1000, Estimate: 100000, Submit: 1000}})
	huge := Job{ID: 2, User: 2, Group: 2, Tasks: 1000, Procs: 1 << 20, Estimate: 200000 * 86400, Submit: 1001}
	mustStep(t, s, Event{At: 1001, Kind: Submit, Job: huge})
	check := func(now Time, owed Work) {
		t.Helper()
		if err := s.AdvanceTo(now); err != nil {
			t.Fatal(err)
		}
		if c := s.Campaigns()[0]; c.Completed || c.Work-c.Served != owed {
			t.Errorf("t = %d: completed %v, %.0f owed of %.0f, want %.0f", now, c.Completed, c.Work-c.Served, c.Work, owed)
		}
	}
	check(1011, 1000*(100000-1-5))
	mustStep(t, s, Event{At: 1011, Kind: End, Job: huge})
	check(1021, 1000*(100000-1-5-10))
}
