package ostrich

import "slices"

// A Timeline keeps a Schedule up to date from events that come late or out of
// order, as they do from an accounting database. For as long as its horizon
// reaches back, the schedule is the one that the same events in order give.
//
// It keeps an early copy of the schedule and the events since. A late event
// that is younger than the copy is put in its place and the events are
// stepped again; an older one takes effect at the time of the copy.
type Timeline struct {
	horizon Duration
	base    *Schedule  // all events before those of the log have been stepped
	log     []reported // in the order of Compare
	current *Schedule  // base with log[:stepped]; nil after a late event
	stepped int
	bad     []error // of events stepped into base at once
	replays int
}

// reported is an event, and whether it was told that it could not be taken.
type reported struct {
	Event
	told bool
}

// NewTimeline returns a timeline that begins with the given schedule, which
// is its own from now on. Events may come up to horizon seconds late.
func NewTimeline(s *Schedule, horizon Duration) *Timeline {
	return &Timeline{horizon: horizon, base: s}
}

// Add takes events, in any order. A Change of a pending job corrects what its
// submission said, while the timeline reaches back that far: rebuilding from
// the accounting tables would find the corrected record only.
func (t *Timeline) Add(events ...Event) {
	if len(events) > 0 && len(t.log) == 0 && t.current == nil && slices.IsSortedFunc(events, Compare) {
		// A cold start. What is older than the horizon need not be kept.
		until := events[len(events)-1].At - Time(t.horizon)
		for len(events) > 0 && events[0].At < until && events[0].At >= t.base.now {
			if err := t.base.Step(events[0]); err != nil {
				t.bad = append(t.bad, err)
			}
			events = events[1:]
		}
	}
	for _, e := range events {
		if e.At < t.base.now {
			e.At = t.base.now
			if t.base.jobs[e.Job.ID] == nil {
				e.Job.Submit = e.At // so that it ends after it was submitted
			}
		}
		if t.current != nil && e.At <= t.current.now {
			t.current = nil
		}
		if e.Kind == Change && e.Job.Start == 0 && t.correct(e.Job) {
			continue
		}
		i, _ := slices.BinarySearchFunc(t.log, e, func(a reported, b Event) int {
			if Compare(a.Event, b) <= 0 {
				return -1 // after those it is equal to
			}
			return 1
		})
		t.log = slices.Insert(t.log, i, reported{Event: e})
	}
}

// correct replaces what the submission of a job said, if that is in the log.
func (t *Timeline) correct(as Job) bool {
	i := slices.IndexFunc(t.log, func(e reported) bool { return e.Kind == Submit && e.Job.ID == as.ID })
	if i < 0 {
		return false
	}
	as.Submit = t.log[i].Job.Submit
	t.log[i] = reported{Event: Event{At: t.log[i].At, Kind: Submit, Job: as}}
	t.current = nil
	return true
}

// At returns the schedule at the given time, and what was wrong with events
// that it had to leave out, each told once. The schedule belongs to the
// timeline: it must not be stepped, and is valid until the next call. Time does
// not run backwards: for an earlier time than before, the schedule of the
// latest one is returned.
func (t *Timeline) At(now Time) (*Schedule, []error) {
	bad := t.bad
	t.bad = nil
	if t.current == nil || Duration(now-t.base.now) > 2*t.horizon {
		bad = append(bad, t.advanceBase(now-Time(t.horizon))...)
	}
	if t.current == nil {
		t.current, t.stepped = t.base.Clone(), 0
		t.replays++
	}
	more := t.step(t.current, &t.stepped, now)
	return t.current, append(bad, more...)
}

// advanceBase steps the early copy up to the given time and forgets the events.
func (t *Timeline) advanceBase(until Time) []error {
	if until <= t.base.now {
		return nil
	}
	n := 0
	bad := t.step(t.base, &n, until-1) // later events of that second may still come
	t.log = slices.Clone(t.log[n:])
	t.stepped = max(0, t.stepped-n)
	return bad
}

// step takes the events from the n-th on, up to the given time, and lets the
// time pass.
func (t *Timeline) step(s *Schedule, n *int, until Time) []error {
	var bad []error
	for ; *n < len(t.log) && t.log[*n].At <= until; *n++ {
		e := &t.log[*n]
		if err := s.Step(e.Event); err != nil && !e.told {
			e.told = true
			bad = append(bad, err)
		}
	}
	if until > s.now {
		_ = s.AdvanceTo(until) // never backwards, so never an error
	}
	return bad
}

// Replays counts how often the events since the early copy were stepped again.
func (t *Timeline) Replays() int { return t.replays }
