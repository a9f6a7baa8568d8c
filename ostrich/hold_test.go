package ostrich

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
)

// twice puts the events at even seconds, so that holds and releases have the odd
// ones for themselves: what happens within a second has an order of its own.
func twice(events []Event) {
	for i := range events {
		e := &events[i]
		e.At, e.Job.Submit, e.Job.Start, e.Job.End = 2*e.At, 2*e.Job.Submit, 2*e.Job.Start, 2*e.Job.End
		e.Job.Estimate *= 2
		e.Job.Hint = 0
	}
}

// holding draws options and a history in which pending jobs of user 1 cannot start
// for a while.
func holding(t *rapid.T) (Options, []Event) {
	o, events := hinting(t)
	twice(events)
	var list []Event
	for _, e := range events {
		list = append(list, e)
		if e.Kind != Submit || e.Job.User != 1 {
			continue
		}
		start := events[slices.IndexFunc(events, func(o Event) bool { return o.Kind == Start && o.Job.ID == e.Job.ID })].At
		at := e.At
		for start-at > 4 && rapid.IntRange(0, 2).Draw(t, "hold?") > 0 {
			from := at + 1 + Time(2*rapid.IntRange(0, int(start-at-4)/2).Draw(t, "from"))
			to := from + Time(2*rapid.IntRange(1, int(start-1-from)/2).Draw(t, "for"))
			at = to + 1
			list = append(list, Event{At: from, Kind: Hold, Job: e.Job}, Event{At: to, Kind: Release, Job: e.Job})
		}
	}
	slices.SortStableFunc(list, Compare)
	return o, list
}

// TestHoldIsCancelAndSubmit: to all others a job that is kept back and released is
// one that was cancelled and another one that was submitted.
func TestHoldIsCancelAndSubmit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := holding(t)
		// What user 1 has is one campaign either way, as a new submission might
		// belong to another one.
		now := make(map[JobID]JobID) // id by which a job goes
		next := JobID(1 << 20)
		held, again := slices.Clone(events), slices.Clone(events)
		for i := range events {
			if held[i].Job.User != 1 {
				continue
			}
			held[i].Job.Campaign = "all"
			e := &again[i]
			e.Job.Campaign = "all"
			id := cmp.Or(now[e.Job.ID], e.Job.ID)
			switch e.Kind {
			case Hold:
				e.Kind = End
			case Release:
				next++
				now[e.Job.ID] = next
				id, e.Kind, e.Job.Submit = next, Submit, e.At
			default:
			}
			e.Job.ID = id
		}
		slices.SortStableFunc(again, Compare)
		got, want := othersCompleted(t, o, held, longAfter), othersCompleted(t, o, again, longAfter)
		if !maps.EqualFunc(got, want, near) {
			t.Fatalf("others are completed at %v, and at %v had the jobs been cancelled and submitted again", got, want)
		}
	})
}

// TestHoldTakesNoMoreThanTheShare: whenever a user has jobs kept back, the
// campaigns of the others are completed no later than if the user had work at all
// times.
func TestHoldTakesNoMoreThanTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := holding(t)
		checkNoLater(t, othersCompleted(t, o, events, longAfter), othersCompleted(t, o, withEndless(events), longAfter))
	})
}

// TestHeldIsAsSubmittedAtRelease: a campaign that could not start from its
// submission on stands where one stands that was submitted at its release.
func TestHeldIsAsSubmittedAtRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, events := hinting(t)
		twice(events)
		o.Rule = campaign.Rule{By: campaign.Groups} // each job is a campaign: the rule looks at submissions
		var held, later []Event
		shift := make(map[JobID]Time)
		for _, e := range events {
			if e.Job.User == 1 && e.Kind == Submit {
				start := events[slices.IndexFunc(events, func(o Event) bool { return o.Kind == Start && o.Job.ID == e.Job.ID })].At
				if most := int(start-e.At) / 2; rapid.IntRange(0, most).Draw(t, "held?") > 0 {
					shift[e.Job.ID] = Time(2*rapid.IntRange(1, most).Draw(t, "held for") - 1)
				}
			}
			if d := shift[e.Job.ID]; e.Kind == Submit && d > 0 {
				held = append(held, e, Event{At: e.At, Kind: Hold, Job: e.Job}, Event{At: e.At + d, Kind: Release, Job: e.Job})
				e.At += d
			} else {
				held = append(held, e)
			}
			later = append(later, e)
		}
		slices.SortStableFunc(held, Compare)
		slices.SortStableFunc(later, Compare)
		until := events[0].At + Time(rapid.IntRange(0, 1600).Draw(t, "until"))
		standing := func(events []Event) (ids []JobID, campaigns []Campaign) {
			s := mustNew(t, o)
			for _, e := range events {
				if e.At <= until {
					mustStep(t, s, e)
				}
			}
			mustAdvance(t, s, until)
			kept := s.Kept()
			for id := range s.Pending() {
				if !slices.Contains(kept, id) {
					ids = append(ids, id)
				}
			}
			for _, c := range s.Campaigns() {
				if !c.Waiting {
					// These say when it was submitted, and which one it was.
					c.First, c.Latest, c.Number, c.Bound, c.Promise = 0, 0, 0, 0, 0
					campaigns = append(campaigns, c)
				}
			}
			slices.SortFunc(campaigns, func(a, b Campaign) int { return cmp.Compare(a.Lead, b.Lead) })
			return ids, campaigns
		}
		gotIDs, got := standing(held)
		wantIDs, want := standing(later)
		if !slices.Equal(gotIDs, wantIDs) {
			t.Fatalf("order %v, want %v", gotIDs, wantIDs)
		}
		if diff := gocmp.Diff(want, got, nearly...); diff != "" {
			t.Fatalf("submitted at its release - held +\n%s", diff)
		}
	})
}

// TestHoldForADay: a campaign of ten hours that is held for a day stands behind one
// of nine that was submitted meanwhile, as it would had it come now.
func TestHoldForADay(t *testing.T) {
	const hour, day = 3600, 86400
	s := mustNew(t, Options{Procs: 1, Grace: hour, Settle: true, Gate: Off})
	big := Job{ID: 1, User: 1, Procs: 1, Estimate: 10 * hour, Submit: 1}
	mustStep(t, s, Event{At: 1, Kind: Submit, Job: big})
	mustStep(t, s, Event{At: 1, Kind: Hold, Job: big})
	small := Job{ID: 2, User: 2, Procs: 1, Estimate: 9 * hour, Submit: day}
	mustStep(t, s, Event{At: day, Kind: Submit, Job: small})
	if c := s.Campaigns()[0]; !c.Waiting || c.Served != 0 || c.Work != 0 || c.Overdue || !slices.Equal(c.Held, []JobID{1}) {
		t.Errorf("while it is held: %+v", c)
	}
	mustStep(t, s, Event{At: day + 1, Kind: Release, Job: big})
	if got := ids(s.Order()); !slices.Equal(got, []JobID{2, 1}) {
		t.Errorf("order %v, want 2 before 1", got)
	}
	if c := s.Campaigns()[0]; c.Waiting || c.First != 1 || c.Since != day+1 || c.VirtualStart < day+1 || c.Work != 10*hour {
		t.Errorf("when it is released: %+v", c)
	}
}

// A job that is held and ends within a second has ended, whatever is told first.
func TestHoldAfterEnd(t *testing.T) {
	j := Job{ID: 1, User: 1, Procs: 1, Estimate: 60, Submit: 10}
	gone := j
	gone.End = 20
	other := Job{ID: 2, User: 1, Procs: 1, Estimate: 60, Submit: 10}
	for _, kind := range []Kind{Hold, Release} {
		for _, pools := range [][]Pool{nil, {{Name: "a", Partitions: []string{"x"}}, {Name: "b"}}} {
			p, err := NewPools(Options{Procs: 4}, 300, Classes{}, pools...)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(Event{At: 10, Kind: Submit, Job: j}, Event{At: 10, Kind: Submit, Job: other})
			p.At(15)
			p.Add(Event{At: 20, Kind: kind, Job: j})
			p.At(20)
			p.Add(Event{At: 20, Kind: End, Job: gone})
			p.Add(Event{At: 20, Kind: kind, Job: gone})
			list, bad := p.At(30)
			if len(bad) > 0 {
				t.Errorf("%v, %d pools: %v", kind, len(list), bad)
			}
			s := list[len(list)-1].Schedule
			if order := s.Order(); len(order) != 1 || order[0].Job != 2 || len(s.Kept()) > 0 || len(p.jobs) > 1 || p.jobs[1].in != nil {
				t.Errorf("%v, %d pools: order %v, kept %v, jobs %v", kind, len(list), order, s.Kept(), p.jobs)
			}
		}
	}
}
