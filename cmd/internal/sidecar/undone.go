package sidecar

import (
	"context"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

const (
	// longestWait is how long a burst waits for a running backfill cycle to end,
	// which would undo it. A shorter interval is the limit: the next cycle writes
	// again what was undone.
	longestWait = 10 * time.Second
	// waitStep is how often sdiag is asked meanwhile.
	waitStep = 250 * time.Millisecond
)

// undone completes the options of a plan with what the journal knows of writes
// that were undone.
func (s *Sidecar) undone(o *priority.Options) {
	now := ostrich.Time(time.Now().Unix())
	o.Restored = s.journal.Restored
	o.Repeat = func(q *priority.Queued) bool { return s.journal.Repeat(o.Channel, q, now) }
}

// await waits until no backfill cycle runs, but not for long. It reports whether
// it had to wait.
func (s *Sidecar) await(ctx context.Context) (waited bool, err error) {
	enough := time.NewTimer(min(longestWait, s.config.Interval))
	defer enough.Stop()
	for {
		diag, err := s.slurm.Diag(ctx)
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

// settled returns the changes of a cycle once they can be written. While a burst
// waits for the backfill scheduler the queue grows old: then it is read and
// planned again.
func (s *Sidecar) settled(ctx context.Context, c *Cycle) ([]priority.Change, error) {
	if changes := c.Plan.Changes(); len(changes) == 0 {
		return nil, nil
	} else if waited, err := s.await(ctx); err != nil || !waited {
		return changes, err
	}
	queue, err := s.queue(ctx)
	if err != nil {
		return nil, err
	}
	s.nameUsers(queue)
	if err = s.strangers(queue, ostrich.Time(time.Now().Unix())); err != nil {
		return nil, err
	}
	c.Queue = queue
	if c.Plan, err = s.plan(c); err != nil {
		return nil, err
	}
	return c.Plan.Changes(), nil
}

// update makes the changes and finds out which are in force.
func (s *Sidecar) update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	r, err := s.slurm.Update(ctx, ch, changes)
	s.options().Judge(&r)
	return r, err
}
