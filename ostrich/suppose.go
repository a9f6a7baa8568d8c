package ostrich

import "slices"

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

// Suppose replaces the provisional events of all schedules, see Timeline.Suppose. It
// ignores events of a partition that belongs to no pool.
func (p *Pools) Suppose(events ...Event) {
	if p.single() {
		p.timelines[0].Suppose(events...)
		return
	}
	batches := make([][]Event, len(p.timelines))
	for _, e := range events {
		for _, i := range p.find(&e.Job) {
			batches[i] = append(batches[i], e)
		}
	}
	for i, b := range batches {
		p.timelines[i].Suppose(b...)
	}
}
