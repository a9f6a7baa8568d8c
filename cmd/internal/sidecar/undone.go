package sidecar

import (
	"context"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// undone completes the options of a plan with what the journal knows of writes
// that were undone.
func (s *Sidecar) undone(o *priority.Options) {
	now := ostrich.Time(time.Now().Unix())
	o.Restored = s.journal.Restored
	o.Repeat = func(q *priority.Queued) bool { return s.journal.Repeat(o.Channel, q, now) }
}

// settled returns the changes of a cycle once they can be written. While a burst
// waits for the backfill scheduler the queue grows old: then it is read and
// planned again.
func (s *Sidecar) settled(ctx context.Context, c *Cycle) ([]priority.Change, error) {
	if c.Plan.Summary.Writes == 0 {
		return nil, nil
	}
	if waited, err := s.await(ctx); err != nil || !waited {
		return c.Plan.Changes(), err
	}
	queue, err := s.queue(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.planQueue(c, queue); err != nil {
		return nil, err
	}
	return c.Plan.Changes(), nil
}
