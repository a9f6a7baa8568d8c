package ostrich

import "slices"

// A Timeline keeps a Schedule up to date from events that come late or out of
// order, as they do from an accounting database. If no event comes later than the
// delay allows, the schedule is the one that the same events in order give.
//
// It keeps an early copy of the schedule and the events since. A late event that is
// younger than the copy is sorted in, and the events are stepped again. An older one
// takes effect at the time of the copy.
type Timeline struct {
	delay   Duration
	base    *Schedule  // all events before those of the log have been stepped
	log     []reported // in the order of Compare
	asked   bool
	current *Schedule // base with log[:stepped] and what is supposed; nil after a late event
	stepped int
	bad     []error // of events stepped into base at once

	supposed []Event // see Suppose
	ahead    bool    // some of it counts in current before its time
	replays  int
}

// reported is an event of the log.
type reported struct {
	Event
	corrected Time // of a submission: when what it says was true; 0 if it was never corrected
	refused   bool // its error has been returned
}

// NewTimeline returns a timeline that begins with the given schedule and owns it.
// Events may come up to delay seconds late.
func NewTimeline(s *Schedule, delay Duration) *Timeline {
	return &Timeline{delay: delay, base: s}
}

// Add adds events, in any order. A Change of a pending job corrects its submission
// if the timeline reaches back that far: a schedule rebuilt from the accounting
// tables would find the corrected record only.
//
// A task of a job array whose submission is older than the delay, and which
// is new, leaves the pending record of its array (Slurm gives tasks an id of
// their own when they start).
func (t *Timeline) Add(events ...Event) {
	events = inOrder(events)
	for len(events) > 0 && events[0].At < t.base.now {
		t.late(events[0])
		events = events[1:]
	}
	if len(events) == 0 {
		return
	}
	if t.current != nil && events[0].At <= t.current.now {
		t.current = nil
	}
	// A cold start: what is older than the delay need not be kept.
	until := events[len(events)-1].At - Time(t.delay)
	for !t.asked && len(t.log) == 0 && len(events) > 0 && events[0].At < until {
		t.refuse(t.base.Step(events[0]))
		events = events[1:]
	}
	t.merge(t.correct(events))
	if !t.asked {
		t.bad = append(t.bad, t.advanceBase(until)...)
	}
}

// late steps an event older than the early copy. Such events take effect at the
// time of the copy, in their own order.
func (t *Timeline) late(e Event) {
	t.current = nil
	e.At = t.base.now
	if e.Kind == Submit && t.base.jobs.get(e.Job.ID) == nil && t.base.split(e.Job) {
		array := t.base.jobs.get(e.Job.Group)
		for i := range t.log { // later changes of the array still count the task
			if l := &t.log[i]; l.Kind == Change && l.Job.ID == array.ID {
				l.Job.Tasks = min(l.Job.Tasks, array.Tasks)
			}
		}
		return
	}
	t.refuse(t.base.Step(e))
}

// refuse keeps an error for the next At.
func (t *Timeline) refuse(err error) {
	if err != nil {
		t.bad = append(t.bad, err)
	}
}

// correct removes the changes of jobs that have not started yet from the events and
// applies them to the submissions, if these are in the log or among the events. What a
// requeued job changes to was not true of its first run.
func (t *Timeline) correct(events []Event) []Event {
	pending := func(e Event) bool { return e.Kind == Change && e.Job.Start == 0 }
	if !slices.ContainsFunc(events, pending) {
		return events
	}
	rest := make([]Event, 0, len(events))
	fresh, old := make(map[JobID]int), make(map[JobID]int)
	began := make(map[JobID]Time) // when they first started
	begins := func(e *Event) {
		if _, known := began[e.Job.ID]; !known {
			began[e.Job.ID] = e.At
		}
	}
	for i := range t.log {
		switch e := &t.log[i]; e.Kind {
		case Submit:
			old[e.Job.ID] = i
			delete(began, e.Job.ID)
		case Start:
			begins(&e.Event)
		default:
		}
	}
	for _, e := range events {
		if !pending(e) {
			switch e.Kind {
			case Submit:
				fresh[e.Job.ID] = len(rest)
			case Start:
				delete(fresh, e.Job.ID)
				begins(&e)
			default:
			}
			rest = append(rest, e)
			continue
		}
		if i, ok := fresh[e.Job.ID]; ok {
			e.Job.Submit = rest[i].Job.Submit
			rest[i].Job = e.Job
			continue
		}
		i, ok := old[e.Job.ID]
		if at, ran := began[e.Job.ID]; !ok || ran && at < e.At {
			rest = append(rest, e)
			continue
		}
		if was := &t.log[i]; e.At >= was.corrected {
			e.Job.Submit = was.Job.Submit
			if was.Job != e.Job {
				was.Job, was.refused = e.Job, false
				t.current = nil
			}
			was.corrected = e.At
		}
	}
	return rest
}

// merge puts sorted events in their places of the log, after those they are equal to.
func (t *Timeline) merge(events []Event) {
	if len(events) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(t.log, events[0], func(a reported, b Event) int {
		if Compare(a.Event, b) <= 0 {
			return -1
		}
		return 1
	})
	tail := slices.Clone(t.log[i:])
	t.log = slices.Grow(t.log[:i], len(tail)+len(events))
	for _, e := range events {
		for len(tail) > 0 && Compare(tail[0].Event, e) <= 0 {
			t.log = append(t.log, tail[0])
			tail = tail[1:]
		}
		t.log = append(t.log, reported{Event: e})
	}
	t.log = append(t.log, tail...)
}

// retract removes a job's submission, and returns for how many processors, and for what size,
// the job asked last, 0 if it is not known. If the submission is older than the log, the job leaves at
// the given time without having run.
func (t *Timeline) retract(gone Job, at Time) (procs, size int) {
	if j := t.base.jobs.get(gone.ID); j != nil {
		procs, size = int(j.asked), j.askedSize
	}
	submitted := false
	for i := range t.log {
		if e := &t.log[i]; e.Job.ID == gone.ID && (e.Kind == Submit || e.Kind == Change && e.Job.Start == 0) {
			procs, size, submitted = e.Job.Procs, e.Job.Size, submitted || e.Kind == Submit
		}
	}
	if !submitted {
		gone.Start, gone.End = 0, at
		t.Add(Event{At: at, Kind: End, Job: gone})
		return procs, size
	}
	t.log = slices.DeleteFunc(t.log, func(e reported) bool {
		return e.Kind != Capacity && e.Kind != Reshare && e.Job.ID == gone.ID
	})
	t.current = nil
	return procs, size
}

// Suppose replaces the timeline's provisional events: the submissions of jobs that
// wait and have no event yet, with a Hold for each that cannot start. They count in
// every schedule that At returns from now on. An event before the early copy counts
// at the copy's time, one ahead of the schedule at the schedule's present time.
//
// A supposition leaves no trace. Once the expected event has come and nothing is
// supposed any more, the schedule is the one that the events alone give.
func (t *Timeline) Suppose(events ...Event) {
	events = inOrder(events)
	if !slices.Equal(t.supposed, events) {
		t.supposed, t.current = slices.Clone(events), nil
	}
}

// begin makes the current schedule from the early copy, steps what is supposed
// and what the log has before it, and returns what could not be taken.
func (t *Timeline) begin(now Time) []error {
	t.current, t.stepped, t.ahead = t.base.Clone(), 0, false
	t.replays++
	supposed := slices.Clone(t.supposed)
	for i := range supposed {
		e := &supposed[i]
		t.ahead = t.ahead || e.At > max(now, t.base.now)
		e.At = max(min(e.At, now), t.base.now)
	}
	var bad []error
	for _, e := range inOrder(supposed) {
		bad = append(bad, t.step(t.current, &t.stepped, func(next Event) bool { return Compare(next, e) <= 0 })...)
		if err := t.current.Step(e); err != nil {
			bad = append(bad, err)
		}
	}
	return bad
}

// At returns the schedule at the given time, and the errors of rejected events, each
// once. The schedule belongs to the timeline: the caller must not step it, and it
// is valid until the next call. Time does not run backwards: for an earlier time
// than before, At returns the schedule of the latest one.
func (t *Timeline) At(now Time) (*Schedule, []error) {
	bad := t.bad
	t.bad, t.asked = nil, true
	if t.current == nil || Duration(now-t.base.now) > 2*t.delay {
		bad = append(bad, t.advanceBase(now-Time(t.delay))...)
	}
	if t.ahead && t.current != nil && now > t.current.now {
		t.current = nil
	}
	if t.current == nil {
		bad = append(bad, t.begin(now)...)
	}
	more := t.stepUntil(t.current, &t.stepped, now)
	return t.current, append(bad, more...)
}

// advanceBase steps the early copy up to the given time and forgets the events.
func (t *Timeline) advanceBase(until Time) []error {
	if until <= t.base.now {
		return nil
	}
	n := 0
	bad := t.stepUntil(t.base, &n, until-1) // later events of that second may still come
	t.log = slices.Clone(t.log[n:])
	if t.stepped < n {
		t.current = nil // it has not taken all that is forgotten now
	}
	t.stepped = max(0, t.stepped-n)
	return bad
}

// stepUntil steps the events from the n-th on, up to the given time, and lets the
// time pass.
func (t *Timeline) stepUntil(s *Schedule, n *int, until Time) []error {
	bad := t.step(s, n, func(e Event) bool { return e.At <= until })
	if until > s.now {
		_ = s.AdvanceTo(until) // never backwards, so never an error
	}
	return bad
}

// step steps the events from the n-th on, as long as each is due.
func (t *Timeline) step(s *Schedule, n *int, due func(Event) bool) []error {
	var bad []error
	for ; *n < len(t.log) && due(t.log[*n].Event); *n++ {
		e := &t.log[*n]
		if err := s.Step(e.Event); err != nil && !e.refused {
			e.refused = true
			bad = append(bad, err)
		}
	}
	return bad
}
