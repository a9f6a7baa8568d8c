package priority

import (
	"context"
	"errors"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// takeBack plans that a job that is left alone loses a value of ours. Otherwise
// its owner could choose when the value freezes, and take it to where nobody
// else has one.
//
// A job that is held, pinned or not eligible keeps its value until it is
// released: it cannot start with it, and Slurm does not show it. So does a job
// of which accounting has not told, as nobody knows yet whether it is managed.
func (o Options) takeBack(e *Entry, arrays apart) {
	q := &e.Queued
	multifactor := o.Controller.Multifactor()
	switch {
	case o.Stock == nil, e.Why == Unheard, q.Held(), ineligible(q.Reason), multifactor && !q.Listed:
		return
	case o.Channel != Priority && q.Pinned:
		return
	case o.Refused != nil && o.Refused(q.Job) != "", o.stranger(q) != "":
		return
	}
	to, nice, ours := o.Stock(q)
	undone := ours && to == e.From && o.Controller.undone(q)
	if !ours && o.Channel == Priority {
		to = 0
		nice, undone = o.restored(q)
		ours = undone
	}
	if !ours || to == e.From && !undone {
		return
	}
	spec, named := arrays.long(q)
	if !named {
		return
	}
	e.To, e.Write, e.spec, e.nice = to, true, spec, nice
	if undone {
		why := e.Why
		if o.again(e, true); e.Write {
			e.Why = why
		}
	}
}

// Stock returns the value of a channel that a job has under stock Slurm, and in
// channel Priority the nice value that its pin took from it. ours reports
// whether the present value was written by us, to the job or to the array that
// it was a part of: a task that gets a record of its own inherits the array's
// value, and Slurm gives it an id of which the journal does not know.
func (j *Journal) Stock(ch Channel, q *Queued) (value, nice int64, ours bool) {
	value = ch.present(q)
	for _, id := range []ostrich.JobID{q.Job, q.Array} {
		w := j.jobs[journalKey{ch, id}]
		if w == nil || !w.had(value) {
			continue
		}
		ours = true
		switch ch {
		case Priority:
			if nice == 0 {
				nice = w.nice
			}
		case SiteFactor, Nice:
		}
	}
	switch {
	case !ours:
	case ch == Priority:
		value = 0
	case ch == SiteFactor && value == 0: // given back
	default:
		value = j.former(ch, q)
	}
	return value, nice, ours
}

// remember adds values to those that were written to the job.
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

// maxArgument is the longest name of a record that a command line takes: Linux
// ends an argument at 128 KiB.
const maxArgument = 120_000

// long names a record as spec does, but for what does not fit a line of
// scontrol's standard input as well. It returns false for what does not fit a
// command line either.
func (a apart) long(q *Queued) (string, bool) {
	spec, why := a.spec(q)
	if why == "" {
		return spec, true
	}
	ranges, err := parseTasks(q.Tasks)
	if err != nil {
		return "", false
	}
	return arraySpec(q.Array, ranges, maxArgument)
}

// direct runs the lines of a change that is too long for scontrol's standard
// input as commands of their own. It returns Slurm's words, if it refused.
func (s Slurm) direct(ctx context.Context, lines string) (words string, err error) {
	for line := range strings.Lines(lines) {
		_, err = s.output(ctx, "scontrol", strings.Fields(line)...)
		switch {
		case errors.Is(err, ErrUnreachable), ctx.Err() != nil:
			return "", err
		case err != nil:
			return oneLine(err.Error()), nil
		}
	}
	return "", nil
}
