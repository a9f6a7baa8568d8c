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
		switch ch {
		case priority.Priority:
			if nice == 0 {
				nice = w.nice
			}
		case priority.SiteFactor, priority.Nice:
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
