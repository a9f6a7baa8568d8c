package journal

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

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
