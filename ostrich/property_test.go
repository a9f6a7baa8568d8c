package ostrich

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// snapshot is all that can be asked of a schedule.
type snapshot struct {
	Now       Time
	Order     []Place
	Campaigns []Campaign
	Users     []User
	Busy      int
}

func snapshotOf(s *Schedule) snapshot {
	return snapshot{s.Now(), s.Order(), s.Campaigns(), s.Users(), s.Busy()}
}

// nearly compares but for rounding.
var nearly = cmp.Options{
	cmp.Comparer(near),
	cmp.Comparer(func(a, b Work) bool { return near(float64(a), float64(b)) }),
	cmpopts.EquateEmpty(),
}

// everything draws all kinds of events.
var everything = drawn{users: 4, steps: 60, tree: true, groups: true, hints: true, declared: true, holds: true}

func run(t failer, o Options, events []Event) *Schedule {
	s := mustNew(t, o)
	for _, e := range events {
		mustStep(t, s, e)
	}
	return s
}

// TestAskingChangesNothing: advancing to a and then to b is the same as
// advancing to b, to the last bit, and so is asking in between.
func TestAskingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		a, b := mustNew(t, o), mustNew(t, o)
		end := Time(0)
		for _, e := range drawEvents(t, everything) {
			for at := a.Now(); at < e.At; at += Time(rapid.IntRange(1, 5).Draw(t, "pause")) {
				mustAdvance(t, a, at)
				if list := snapshotOf(a).Campaigns; len(list) != a.Unfinished() {
					t.Fatalf("%d unfinished campaigns, want %d", a.Unfinished(), len(list))
				}
			}
			mustStep(t, a, e)
			mustStep(t, b, e)
			end = e.At
		}
		for _, at := range []Time{end, end + 7, end + 100, end + 101, end + 1000} {
			mustAdvance(t, a, at)
		}
		mustAdvance(t, b, end+1000)
		if diff := cmp.Diff(snapshotOf(b), snapshotOf(a)); diff != "" {
			t.Fatalf("asked once - asked often +\n%s", diff)
		}
	})
}

// TestDeterministic: the same events give the same, also through a copy, and
// stepping the copy leaves the original alone.
func TestDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		events := drawEvents(t, everything)
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		want := snapshotOf(run(t, o, events))
		s := run(t, o, events[:cut])
		half := snapshotOf(s)
		c := s.Clone()
		for _, e := range events[cut:] {
			mustStep(t, c, e)
		}
		if diff := cmp.Diff(want, snapshotOf(c)); diff != "" {
			t.Fatalf("original - copy +\n%s", diff)
		}
		if diff := cmp.Diff(half, snapshotOf(s)); diff != "" {
			t.Fatalf("before - after stepping a copy +\n%s", diff)
		}
		for _, e := range events[cut:] {
			mustStep(t, s, e)
		}
		if diff := cmp.Diff(want, snapshotOf(s)); diff != "" {
			t.Fatalf("at once - with a copy taken in between +\n%s", diff)
		}
	})
}

// TestWorkConservation: what the active users are served is what the machine
// hands out, all of it, while anybody is active; nobody is served more than
// the work.
func TestWorkConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawPaper(t)
		o.Predictor = lengths.ByLimit
		s := mustNew(t, o)
		owed := func() (sum float64) {
			for _, u := range s.Users() {
				sum += float64(u.Owed)
			}
			return sum
		}
		for _, e := range drawEvents(t, everything) {
			// Jobs that outlive their length add work in between, so go only as
			// far as none does.
			to := e.At
			if len(s.overruns) > 0 {
				to = min(to, max(s.now, s.overruns[0].due))
			}
			before, capacity := owed(), float64(s.tree.Serving())*float64(to-s.Now())
			mustAdvance(t, s, to)
			if got, want := before-owed(), min(before, capacity); !near(got, want) {
				t.Fatalf("served %v of %v from a capacity of %v\n%s", got, before, capacity, s.Describe())
			}
			for _, c := range s.Campaigns() {
				if c.Served > c.Work && !near(float64(c.Served), float64(c.Work)) || c.Served < -1e-6 {
					t.Fatalf("served %v of %v", c.Served, c.Work)
				}
			}
			mustStep(t, s, e)
		}
	})
}

// TestVirtualWorkIsRealWork is Lemma 6.2: with event-based resizing the space
// used in the virtual schedule is that used in the real one, as long as there
// is virtual work.
func TestVirtualWorkIsRealWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newMachine(t, Options{Procs: 6, Machine: Parallel, Inside: LJF, Rule: campaign.Rule{By: campaign.Max}})
		next, end := JobID(0), Time(rapid.IntRange(1, 100).Draw(t, "until"))
		area, work := 0.0, 0.0 // used in R, submitted
		r.until(end, func(Time) {
			for range rapid.IntRange(-6, 3).Draw(t, "jobs") {
				next++
				j := Job{
					ID: next, User: UserID(rapid.IntRange(1, 3).Draw(t, "user")),
					Procs: rapid.IntRange(1, 6).Draw(t, "procs"), Estimate: Duration(rapid.IntRange(1, 20).Draw(t, "length")),
				}
				r.submit(j)
				work += float64(j.area(j.Estimate))
			}
		})
		for _, j := range r.starts {
			area += float64(j.Procs) * float64(min(j.End, end)-j.Start)
		}
		owed := 0.0
		for _, u := range r.s.Users() {
			owed += float64(u.Owed)
		}
		if got := work - owed; !near(got, area) {
			t.Fatalf("served %v virtually, %v really\n%s", got, area, r.s.Describe())
		}
	})
}

// TestScaleTime: when everything takes k times as long, everything ends k
// times as late. (Calm: what outlives its length does so by real minutes.)
func TestScaleTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawPaper(t)
		o.Machine, o.Predictor = Sequential, lengths.ByLimit
		k := rapid.IntRange(2, 9).Draw(t, "k")
		events := slices.DeleteFunc(drawEvents(t, drawn{users: 4, steps: 40, calm: true}), func(e Event) bool {
			return e.Kind == Start || e.Kind == End && e.Job.Start != 0 && e.Job.Start == e.Job.Submit
		})
		a := run(t, o, events)
		o.Rule.Threshold *= Duration(k)
		b := mustNew(t, o)
		for _, e := range events {
			e.At *= Time(k)
			e.Job.Submit *= Time(k)
			e.Job.Start *= Time(k)
			e.Job.End *= Time(k)
			e.Job.Estimate *= Duration(k)
			if e.Kind == End && e.Job.Submit == e.Job.End {
				return // it left within the second of its submission
			}
			mustStep(t, b, e)
		}
		if o.Rule.By == campaign.Arrival && o.Rule.Threshold == Duration(k) {
			return // within the second
		}
		mustAdvance(t, b, a.Now()*Time(k))
		got, want := b.Campaigns(), a.Campaigns()
		if len(got) != len(want) {
			t.Fatalf("%d campaigns, want %d", len(got), len(want))
		}
		for i := range want {
			f := float64(k)
			if !near(got[i].VirtualEnd, f*want[i].VirtualEnd) || !near(got[i].VirtualStart, f*want[i].VirtualStart) {
				t.Fatalf("times %d:\n%+v, of\n%+v", k, got[i], want[i])
			}
		}
	})
}

// TestRenameUsers: other ids for the users, in another order, change nothing
// but the order of ties.
func TestRenameUsers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		events := drawEvents(t, everything)
		name := func(u UserID) UserID { return 100 - u }
		a := run(t, o, events)
		b := mustNew(t, o)
		for _, e := range events {
			e.Job.User = name(e.Job.User)
			if e.Kind == Reshare {
				shares := &Shares{Accounts: e.Shares.Accounts}
				for _, u := range e.Shares.Users {
					u.User = name(u.User)
					shares.Users = append(shares.Users, u)
				}
				e.Shares = shares
			}
			mustStep(t, b, e)
		}
		want := a.Campaigns()
		got := b.Campaigns()
		for i := range got {
			got[i].User = name(got[i].User)
		}
		slices.SortFunc(got, func(x, y Campaign) int { return int(x.User)*1000 + x.Number - int(y.User)*1000 - y.Number })
		// Rounding depends on the order of sums, and decides on this very moment.
		for i := range min(len(got), len(want)) {
			if got[i].Completed != want[i].Completed || got[i].Started != want[i].Started {
				return
			}
		}
		if diff := cmp.Diff(want, got, nearly); diff != "" {
			t.Fatalf("before - renamed +\n%s", diff)
		}
	})
}

// TestIdleUser: a user that has nothing to do changes nothing for others.
func TestIdleUser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		events := drawEvents(t, everything)
		a := run(t, o, events)
		b := mustNew(t, o)
		idle := Job{ID: 1 << 30, User: 50, Procs: 1, Estimate: 9}
		mustStep(t, b, Event{Kind: Submit, Job: idle})
		mustStep(t, b, Event{Kind: End, Job: idle})
		for _, e := range events {
			mustStep(t, b, e)
		}
		want, got := snapshotOf(a), snapshotOf(b)
		got.Users = slices.DeleteFunc(got.Users, func(u User) bool { return u.User == idle.User })
		if diff := cmp.Diff(want, got, nearly); diff != "" {
			t.Fatalf("without - with an idle user +\n%s", diff)
		}
	})
}

// TestRepeated: telling again what is known changes nothing, to the last bit.
func TestRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		a, b := mustNew(t, o), mustNew(t, o)
		known := make(map[JobID]Job)
		var shares *Shares
		for _, e := range drawEvents(t, everything) {
			mustStep(t, a, e)
			mustStep(t, b, e)
			if e.Kind == Reshare {
				shares = e.Shares
				continue
			}
			known[e.Job.ID] = e.Job
			if e.Kind == End || e.Kind == Capacity {
				delete(known, e.Job.ID)
				continue
			}
			version := b.Version()
			kind := rapid.SampledFrom([]Kind{Submit, Change}).Draw(t, "again")
			mustStep(t, b, Event{At: e.At, Kind: kind, Job: known[e.Job.ID]})
			if shares != nil {
				mustStep(t, b, Event{At: e.At, Kind: Reshare, Shares: &Shares{
					Accounts: slices.Clone(shares.Accounts), Users: slices.Clone(shares.Users),
				}})
			}
			if b.Version() != version {
				t.Fatal("the version says that the order may have changed")
			}
		}
		if diff := cmp.Diff(snapshotOf(a), snapshotOf(b)); diff != "" {
			t.Fatalf("stepped once - stepped again +\n%s", diff)
		}
	})
}

// TestVersion: while the version stays the same, so does the order, but for how far
// away things are.
func TestVersion(t *testing.T) {
	order := func(s *Schedule) []Place {
		list := s.Order()
		for i := range list {
			list[i].Distance = 0
		}
		return list
	}
	rapid.Check(t, func(t *rapid.T) {
		s := mustNew(t, drawOptions(t))
		for _, e := range drawEvents(t, everything) {
			for _, next := range []func(){
				func() { mustAdvance(t, s, e.At) },
				func() { mustStep(t, s, e) },
			} {
				version, before := s.Version(), order(s)
				next()
				if s.Version() == version && !slices.Equal(before, order(s)) {
					t.Fatalf("%v at %d: another order of the same version", e.Kind, e.At)
				}
			}
		}
	})
}

// TestRefused: an event that makes no sense is refused and changes nothing.
func TestRefused(t *testing.T) {
	s := mustNew(t, Options{Procs: 4})
	pending := Job{ID: 1, User: 1, Procs: 2, Estimate: 10, Submit: 5}
	running := Job{ID: 2, User: 2, Procs: 2, Estimate: 10, Submit: 5, Start: 6}
	mustStep(t, s, Event{At: 5, Kind: Submit, Job: pending})
	mustStep(t, s, Event{At: 5, Kind: Submit, Job: running})
	mustStep(t, s, Event{At: 6, Kind: Start, Job: running})
	unknown, narrow, hasty, negative, backwards := pending, pending, pending, pending, running
	unknown.ID, narrow.Procs, hasty.Estimate, negative.Tasks, backwards.End = 9, 0, 0, -1, 3
	for _, tt := range []struct {
		name string
		e    Event
		want string
	}{
		{"past", Event{At: 5, Kind: Change, Job: pending}, "order of time"},
		{"unknown", Event{At: 7, Kind: Start, Job: unknown}, "not known"},
		{"no processors", Event{At: 7, Kind: Submit, Job: narrow}, "0 processors"},
		{"no length", Event{At: 7, Kind: Start, Job: hasty}, "estimate of 0 s"},
		{"negative tasks", Event{At: 7, Kind: Change, Job: negative}, "-1 tasks"},
		{"started twice", Event{At: 7, Kind: Start, Job: running}, "another state"},
		{"suspended while pending", Event{At: 7, Kind: Suspend, Job: pending}, "another state"},
		{"resumed while running", Event{At: 7, Kind: Resume, Job: running}, "another state"},
		{"requeued while pending", Event{At: 7, Kind: Requeue, Job: pending}, "another state"},
		{"ends before its start", Event{At: 7, Kind: End, Job: backwards}, "before its start"},
		{"negative machine", Event{At: 7, Kind: Capacity, Procs: -1}, "-1 processors"},
		{"no shares", Event{At: 7, Kind: Reshare}, "no shares"},
		{"no kind", Event{At: 7}, "invalid event"},
	} {
		before := snapshotOf(s)
		err := s.Step(tt.e)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
		if diff := cmp.Diff(before, snapshotOf(s)); diff != "" {
			t.Errorf("%s: before - after +\n%s", tt.name, diff)
		}
	}
	if err := s.AdvanceTo(5); err == nil {
		t.Error("advanced into the past")
	}
}

// TestNoProcessors: nothing is served and nothing divides by zero.
func TestNoProcessors(t *testing.T) {
	s := mustNew(t, Options{})
	submitCampaign(t, s, 1, 1, 1, 10)
	mustAdvance(t, s, 1000)
	c := s.Campaigns()[0]
	if !math.IsInf(c.VirtualEnd, 1) || !math.IsInf(c.Bound, 1) || c.Served != 0 {
		t.Errorf("%+v", c)
	}
	if len(s.Order()) != 1 || !strings.Contains(s.Describe(), "C~ never") {
		t.Errorf("%s", s.Describe())
	}
}
