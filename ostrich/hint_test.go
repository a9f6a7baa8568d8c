package ostrich

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/lengths"
)

// What a hint can do to others, see Job.Hint. User 1 gives hints. Jobs start and
// end at the same moments whatever is said: this is about the virtual schedule.

// hinting draws options and jobs, with their true lengths, from which those of the
// other users are known.
func hinting(t *rapid.T) (Options, []Event) {
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
	o := drawOptions(t)
	o.Predictor = lengths.ByLimit
	d := drawn{users: 4, tree: rapid.Bool().Draw(t, "tree")}
	var events []Event
	if rapid.Bool().Draw(t, "shares") {
		events = append(events, Event{At: 1, Kind: Reshare, Shares: drawShares(t, d)})
	}
	at := Time(2)
	for i := range draw("jobs", 1, 30) {
		at += Time(draw("gap", 0, 20))
		j := Job{
			ID: JobID(i + 1), User: UserID(draw("user", 1, d.users)), Procs: draw("procs", 1, 3), Submit: at,
			Estimate: Duration(draw("estimate", 1, 400)),
		}
		ran := Duration(draw("ran", 1, int(j.Estimate)))
		if j.User == 1 {
			j.Hint = Duration(max(0, draw("hint", -50, 300)))
		} else {
			j.Estimate = ran
		}
		events = append(events, Event{At: at, Kind: Submit, Job: j})
		j.Start = at + Time(draw("wait", 0, 100))
		events = append(events, Event{At: j.Start, Kind: Start, Job: j})
		j.End = j.Start + Time(ran)
		events = append(events, Event{At: j.End, Kind: End, Job: j})
	}
	slices.SortStableFunc(events, Compare)
	return o, events
}

// saying are the events with other hints of user 1: what say makes of the true
// lengths.
func saying(events []Event, say func(ran Duration) Duration) []Event {
	ran := make(map[JobID]Duration)
	for _, e := range events {
		if e.Kind == End {
			ran[e.Job.ID] = Duration(e.Job.End - e.Job.Start)
		}
	}
	events = slices.Clone(events)
	for i := range events {
		if j := &events[i].Job; j.User == 1 {
			j.Hint = say(ran[j.ID])
		}
	}
	return events
}

// withEndless are the events with a job of user 1 that nobody ever starts or
// finishes to serve.
func withEndless(events []Event) []Event {
	endless := Job{ID: 1 << 30, User: 1, Procs: 1, Estimate: 1 << 40, Hint: 1 << 40, Submit: 1}
	events = append([]Event{{At: 1, Kind: Submit, Job: endless}}, events...)
	slices.SortStableFunc(events, Compare)
	return events
}

const longAfter = Time(1_000_000)

// othersCompleted are C~ of the campaigns of the users but 1, by their leads, as
// known at a moment.
func othersCompleted(t failer, o Options, events []Event, until Time) map[JobID]float64 {
	t.Helper()
	s := mustNew(t, o)
	owner := make(map[JobID]UserID)
	for _, e := range events {
		owner[e.Job.ID] = e.Job.User
	}
	list := make(map[JobID]float64)
	s.OnCompletion(func(lead JobID, at float64) {
		if owner[lead] != 1 {
			list[lead] = at
		}
	})
	for _, e := range events {
		if e.At <= until {
			mustStep(t, s, e)
		}
	}
	mustAdvance(t, s, until)
	for _, c := range s.Campaigns() {
		if c.User != 1 && !c.Completed {
			list[c.Lead] = math.Inf(1) // or not again, for further work
		}
	}
	return list
}

// checkNoLater checks that what is completed in one list is so in another, no later.
func checkNoLater(t *rapid.T, list, than map[JobID]float64) {
	t.Helper()
	for lead, limit := range than {
		if at, ok := list[lead]; !ok || at > limit+1e-6*max(1, math.Abs(limit)) {
			t.Fatalf("campaign %d is completed at %v, and at %v without the hints", lead, at, limit)
		}
	}
}

// TestHintTakesNoMoreThanTheShare: whatever a user says, right or wrong, the
// campaigns of the others are completed no later than if the user had work at all
// times.
func TestHintTakesNoMoreThanTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := hinting(t)
		checkNoLater(t, othersCompleted(t, o, events, longAfter), othersCompleted(t, o, withEndless(events), longAfter))
	})
}

// TestHintTooShort: until a job of the user outlives its hint, hints that are too
// short make no campaign of the others later than the truth does, or than saying
// nothing, which is the limits.
func TestHintTooShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := hinting(t)
		part := Duration(rapid.IntRange(1, 20).Draw(t, "part"))
		short := saying(events, func(ran Duration) Duration { return (ran + part - 1) / part })
		shows := longAfter
		for _, e := range short {
			if e.Kind == Start && e.Job.User == 1 {
				shows = min(shows, e.At+Time(e.Job.Hint))
			}
		}
		got := othersCompleted(t, o, short, shows)
		for _, say := range []func(ran Duration) Duration{
			func(ran Duration) Duration { return ran },
			func(Duration) Duration { return 0 },
		} {
			checkNoLater(t, got, othersCompleted(t, o, saying(events, say), shows))
		}
	})
}

// TestHintTooShortPutsOff: afterwards it may. What was left unsaid is served when
// it shows, beside whoever has come since. Here user 3 comes when user 1 should
// have been served half an hour's work and was served a minute's.
func TestHintTooShortPutsOff(t *testing.T) {
	for _, settle := range []bool{false, true} {
		for hint, want := range map[Duration]float64{0: 18_000, 6000: 18_000, 60: 20_940} {
			var events []Event
			for i, j := range []Job{
				{User: 1, Estimate: 6000, Hint: hint, Submit: 1, Start: 8941, End: 14_941},
				{User: 2, Estimate: 6000, Submit: 1},
				{User: 3, Estimate: 6000, Submit: 9001},
			} {
				j.ID, j.Procs = JobID(i+1), 1
				events = append(events, Event{At: j.Submit, Kind: Submit, Job: j})
				if j.Start != 0 {
					events = append(events, Event{At: j.Start, Kind: Start, Job: j}, Event{At: j.End, Kind: End, Job: j})
				}
			}
			slices.SortStableFunc(events, Compare)
			got := othersCompleted(t, Options{Procs: 1, Settle: settle}, events, longAfter)[3] - 1
			if !near(got, want) {
				t.Errorf("settle %t, hint %d: completed at %v, want %v", settle, hint, got, want)
			}
		}
	}
}

// TestHintAddsNoWork: whatever was said, a job that has ended counts for what it
// really took.
func TestHintAddsNoWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := hinting(t)
		s := mustNew(t, o)
		want := Work(1 << 40)
		for _, e := range withEndless(events) {
			mustStep(t, s, e)
			if e.Kind == End && e.Job.User == 1 {
				want += Work(e.Job.End-e.Job.Start) * Work(e.Job.Procs)
			}
		}
		got := Work(0)
		for _, c := range s.Campaigns() {
			if c.User == 1 {
				got += c.Work
			}
		}
		if got != want {
			t.Fatalf("counts %v, want %v", got-1<<40, want-1<<40)
		}
	})
}
