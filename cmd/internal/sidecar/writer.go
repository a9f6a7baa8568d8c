package sidecar

import (
	"context"
	"errors"
	"sync"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
)

// writer makes changes and records them in the journal before and after.
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

// knowing are options that know what was written.
func (w *writer) knowing() priority.Options {
	o := priority.Options{Channel: w.channel, Controller: w.controller}
	if w.journal != nil { // a nil one would be a History all the same
		o.Journal = w.journal
	}
	return o
}

// write makes the changes and finds out which took effect.
func (w *writer) write(ctx context.Context, now ostrich.Time, changes []priority.Change) ([]priority.Change, error) {
	if w.journal != nil {
		if err := w.journal.Intend(now, w.channel, changes); err != nil {
			return nil, journaled(err)
		}
	}
	r, err := w.slurm.Update(ctx, w.channel, changes)
	w.knowing().Judge(&r)
	if w.journal != nil {
		err = errors.Join(err, journaled(w.journal.Conclude(now, w.channel, r.Outcomes)))
	}
	return r.Outcomes, err
}

// progress reports whether a burst that the controller was too slow for has
// changed something all the same. Then it is no failure: the next cycle writes the
// rest by a fresh plan, the head of the queue first.
func progress(outcomes []priority.Change, err error) bool {
	if _, unnoted := errors.AsType[JournalError](err); unnoted || !errors.Is(err, slurm.ErrSlow) {
		return false
	}
	r := priority.Result{Outcomes: outcomes}
	return r.Count(priority.Applied)+r.Count(priority.Gone) > 0
}

// JournalError is an error of the journal.
type JournalError struct{ Err error }

func (e JournalError) Error() string { return e.Err.Error() }
func (e JournalError) Unwrap() error { return e.Err }

// journaled marks errors of the journal; nil stays nil.
func journaled(err error) error {
	if err == nil {
		return nil
	}
	return JournalError{err}
}

// readJournal opens the journal for reading if it holds anything of this cluster;
// otherwise it returns nil. The journal knows which jobs Slurm refused to change.
// In channel priority it also tells our own pins from those of administrators;
// only there is no plan right without it.
func readJournal(c *Config) (*journal.Journal, error) {
	if c.Journal == "" || c.foreign() {
		return nil, nil
	}
	j, err := journal.Read(c.Journal)
	switch {
	case err == nil:
		return j, nil
	case c.Priority.Channel == string(priority.Priority):
		return nil, journaled(err)
	}
	return nil, nil
}

// alive returns a function that reports whether the journal has to remember a job:
// the job, or a task of its array, has not ended.
func (s *Sidecar) alive() func(ostrich.JobID) bool {
	waits := sync.OnceValue(s.waits)
	return func(id ostrich.JobID) bool {
		_, known := s.accounting.Record(id)
		return known || s.provisional.has(id) || waits()[id]
	}
}

// waits returns the job arrays with unfinished tasks that accounting knows, and the
// jobs of the queue with their arrays: accounting may not know them, or no more.
func (s *Sidecar) waits() map[ostrich.JobID]bool {
	live := make(map[ostrich.JobID]bool)
	for _, r := range s.accounting.Live() {
		live[r.ArrayJob] = true
	}
	for i := range s.printed {
		live[s.printed[i].Job], live[s.printed[i].Array] = true, true
	}
	return live
}
