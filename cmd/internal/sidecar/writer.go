package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
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

// apply writes what the plan changes, the head of the order first, and records it
// in the journal before and after. It leaves what exceeds a burst to the next
// cycles. If the queue grows old while a burst waits for the backfill scheduler, it is
// read and planned again.
func (s *Sidecar) apply(ctx context.Context, c *Cycle, began time.Time) ([]priority.Change, error) {
	if c.Plan.Summary.Writes == 0 {
		return nil, nil
	}
	waited, err := s.await(ctx)
	if err != nil {
		return nil, err
	}
	if waited {
		queue, err := s.queue(ctx)
		if err == nil {
			err = s.planQueue(c, queue)
		}
		if err != nil {
			return nil, err
		}
	}
	changes := c.Plan.Changes()
	n := s.burst(changes)
	if c.Left = len(changes) - n; n == 0 {
		return nil, nil
	}
	return s.write(ctx, ostrich.Time(began.Unix()), changes[:n])
}

// write makes changes as long as it is certainly our turn. The journal is rotated also if
// the burst was not finished, as on a slow controller none may be.
func (s *Sidecar) write(ctx context.Context, now ostrich.Time, changes []priority.Change) ([]priority.Change, error) {
	ctx, done, err := s.lead.while(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	outcomes, err := s.writer.write(ctx, now, changes)
	if err != nil && errors.Is(context.Cause(ctx), ErrLost) {
		err = errors.Join(ErrLost, err)
	}
	if _, unnoted := errors.AsType[JournalError](err); s.journal != nil && !unnoted {
		_, failed := s.journal.Rotate(now, s.limit, s.alive())
		err = errors.Join(err, journaled(failed))
	}
	return outcomes, err
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

// knowing returns options that know what was written.
func (w *writer) knowing() priority.Options {
	o := priority.Options{Channel: w.channel, Controller: w.controller}
	if w.journal != nil { // a nil *Journal would be a History that is not nil
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

// Reset gives every job back to stock ordering. It needs the controller and the
// journal, but not the database. With dry it only returns what it would write.
// With all it also gives back what the journal does not know. It calls warn with
// faults of the journal that were fixed.
func Reset(ctx context.Context, c configuration.Config, now ostrich.Time, all, dry bool, warn func(error)) (changes, outcomes []priority.Change, err error) {
	if own := c.Foreign(); own != "" {
		return nil, nil, fmt.Errorf("reset: the configuration is of cluster %s; give the one of %s with --config", own, c.Cluster)
	}
	slurm := c.Commands()
	w, err := openWriter(ctx, &c, slurm, dry)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, w.close(warn)) }()
	if !dry {
		if _, err = w.await(ctx); err != nil {
			return nil, nil, err
		}
	}
	queue, err := slurm.Queue(ctx)
	if err != nil {
		return nil, nil, err
	}
	running, err := slurm.Running(ctx)
	if err != nil {
		return nil, nil, err
	}
	changes, err = w.knowing().Reset(queue, running, all)
	if err != nil || dry || len(changes) == 0 {
		return changes, nil, err
	}
	outcomes, err = w.write(ctx, now, changes)
	for i := range outcomes {
		if outcomes[i].Status == priority.Gone && outcomes[i].Words == "" && slices.Contains(running, outcomes[i].Job) {
			outcomes[i].Status = priority.Unknown // it ran before, and was given back for the case that it is queued again
		}
	}
	return changes, outcomes, err
}

// openWriter returns what writes without accounting; its journal is nil if nothing was ever written from here.
func openWriter(ctx context.Context, c *configuration.Config, slurm Controller, dry bool) (*writer, error) {
	w := &writer{slurm: slurm, channel: c.Priority.Channel, interval: c.Interval}
	var err error
	if w.controller, err = slurm.Controller(ctx); err != nil {
		return nil, err
	}
	if c.Cluster != "" && c.Cluster != w.controller.ClusterName {
		return nil, otherCluster(c.Cluster, w.controller.ClusterName)
	}
	switch _, missing := os.Stat(filepath.Dir(c.Journal)); {
	case c.Journal == "", errors.Is(missing, os.ErrNotExist):
	case dry:
		w.journal, err = journal.Read(c.Journal)
	default:
		w.journal, err = journal.Open(c.Journal)
		if errors.Is(err, journal.ErrLocked) {
			err = fmt.Errorf("%w: stop ostrichd first, or it would write again what is taken back", err)
		}
	}
	return w, err
}

// close closes the journal, and calls warn with its faults that were fixed.
func (w *writer) close(warn func(error)) error {
	if w.journal == nil {
		return nil
	}
	if repaired := w.journal.Repaired(); repaired != nil {
		warn(repaired)
	}
	return w.journal.Close()
}
