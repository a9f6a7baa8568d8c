package journal

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// A write of one job is made again at most mostRepeats times within
// repeatWindow.
const (
	mostRepeats  = 5
	repeatWindow = ostrich.Duration(600)
)

// Repeat reports whether a write that was undone may be made again now: five
// times within ten minutes are enough. With the moment fixed it is what
// Options.Repeat wants.
func (j *Journal) Repeat(ch priority.Channel, q *priority.Queued, now ostrich.Time) bool {
	w := j.jobs[subject{ch, q.Job}]
	if w == nil || len(w.repeats) < mostRepeats {
		return true
	}
	first := w.repeats[len(w.repeats)-mostRepeats]
	return now < first || now-first >= ostrich.Time(repeatWindow) // or the clock was set back
}

// Restored reports whether a job's pin is one that the backfill scheduler has put
// in the place of ours, and the nice value that goes with it: it is the
// priority that Slurm had computed before we came, within slack, or one of our
// own that we have replaced since. A task that got a record of its own is judged
// by what was written to its array.
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
			return q.Nice, q.SiteKnown // released; one that is pinned now is somebody else's
		case w.wrote(pin):
			return 0, false
		case w.had(pin):
			return w.nice, id == q.Job // a task is born with what its array had
		case q.Submit == w.submit && max(pin-w.first, w.first-pin) <= slack:
			return w.nice, true
		}
	}
	return 0, false
}
