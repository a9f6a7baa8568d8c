package sidecar

import (
	"context"
	"errors"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// writer makes changes, and records them in the journal before and after.
type writer struct {
	slurm      Controller
	controller priority.Controller
	channel    priority.Channel
	interval   time.Duration
	journal    *journal.Journal // nil if there is none
}

const (
	// longestWait is how long a burst waits for a running backfill cycle to end,
	// which would undo it. A shorter interval is the limit: the next cycle writes
	// again what was undone.
	longestWait = 10 * time.Second
	// waitStep is how often sdiag is asked meanwhile.
	waitStep = 250 * time.Millisecond
)

// await waits until no backfill cycle runs, but not for long. It reports whether
// it had to wait.
func (w *writer) await(ctx context.Context) (waited bool, err error) {
	enough := time.NewTimer(min(longestWait, w.interval))
	defer enough.Stop()
	for {
		diag, err := w.slurm.Diag(ctx)
		if err != nil || !diag.Backfilling {
			return waited, err
		}
		waited = true
		select {
		case <-ctx.Done():
			return waited, ctx.Err()
		case <-enough.C:
			return waited, nil
		case <-time.After(waitStep):
		}
	}
}

// write makes the changes and finds out which are in force.
func (w *writer) write(ctx context.Context, now ostrich.Time, changes []priority.Change) ([]priority.Outcome, error) {
	if w.journal != nil {
		if err := w.journal.Intend(now, w.channel, changes); err != nil {
			return nil, journaled(err)
		}
	}
	r, err := w.slurm.Update(ctx, w.channel, changes)
	o := priority.Options{Channel: w.channel, Controller: w.controller}
	if w.journal != nil {
		o.Ours = w.ours
	}
	o.Judge(&r)
	if w.journal != nil {
		err = errors.Join(err, journaled(w.journal.Conclude(now, w.channel, r.Outcomes)))
	}
	return r.Outcomes, err
}

// ours reports whether, by the journal, we wrote a value to a job.
func (w *writer) ours(job ostrich.JobID, value int64) bool {
	return w.journal.Ours(w.channel, job, value)
}
