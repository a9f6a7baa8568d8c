package journal

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Stock returns the value that a job has under stock Slurm and, in channel
// Priority, the nice value that its pin replaced. ours reports whether we wrote
// the present value, to the job or to the array that it belonged to: a task that
// gets a record of its own inherits the array's value, and Slurm gives it an id
// that the journal does not know.
func (j *Journal) Stock(ch priority.Channel, q *priority.Queued) (value, nice int64, ours bool) {
	value = ch.Value(q)
	for _, id := range []ostrich.JobID{q.Job, q.Array} {
		w := j.jobs[subject{ch, id}]
		if w == nil || !w.had(value) {
			continue
		}
		ours = true
		if ch == priority.Priority && nice == 0 {
			nice = w.nice
		}
	}
	switch {
	case !ours:
	case ch == priority.Priority:
		value = 0
	case ch == priority.SiteFactor && value == 0: // given back
	default:
		value = j.Former(ch, q)
	}
	return value, nice, ours
}

// remember adds values to those written to the job.
func (w *written) remember(values ...int64) {
	for _, value := range values {
		if at, known := slices.BinarySearch(w.former, value); !known {
			w.former = slices.Insert(w.former, at, value)
		}
	}
}

// had reports whether a value was ever written to the job.
func (w *written) had(value int64) bool {
	_, known := slices.BinarySearch(w.former, value)
	return known
}

// Former returns the value that a job had before our first write. A task with a
// record of its own began with the array's value.
func (j *Journal) Former(ch priority.Channel, q *priority.Queued) int64 {
	w := j.jobs[subject{ch, q.Job}]
	of := j.jobs[subject{ch, q.Array}]
	switch {
	case w == nil && of == nil:
		return 0
	case w == nil, of != nil && of != w && of.had(w.first):
		return of.first
	default:
		return w.first
	}
}

// A write of a job may be repeated at most mostRepeats times within repeatWindow.
const (
	mostRepeats  = 5
	repeatWindow = ostrich.Duration(600)
)

// Repeat reports whether a write that was undone may be repeated now: at most
// five times in ten minutes.
func (j *Journal) Repeat(ch priority.Channel, q *priority.Queued, now ostrich.Time) bool {
	w := j.jobs[subject{ch, q.Job}]
	if w == nil || len(w.repeats) < mostRepeats {
		return true
	}
	first := w.repeats[len(w.repeats)-mostRepeats]
	return now < first || now-first >= ostrich.Time(repeatWindow) // or the clock was set back
}

// Restored reports whether the backfill scheduler has replaced our pin by this
// one, and returns the nice value that belongs to it. Such a pin is the priority
// that Slurm had computed before our first write, within slack, or one of our own
// that we have replaced since. For a task with a record of its own, the writes to
// its array count.
func (j *Journal) Restored(q *priority.Queued, slack int64) (nice int64, restored bool) {
	pin := int64(q.Priority)
	for _, id := range []ostrich.JobID{q.Job, q.Array} {
		w := j.jobs[subject{priority.Priority, id}]
		if w == nil {
			continue
		}
		last := w.last
		if w.intended {
			last = w.pending
		}
		switch {
		case last == 0:
			return q.Nice, q.SiteKnown // released; if it is pinned now, somebody else did it
		case w.wrote(pin):
			return 0, false
		case w.had(pin):
			return w.nice, id == q.Job // a task begins with what its array had
		case q.Submit == w.submit && max(pin-w.first, w.first-pin) <= slack:
			return w.nice, true
		}
	}
	return 0, false
}
