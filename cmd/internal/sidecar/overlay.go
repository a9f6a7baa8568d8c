package sidecar

import (
	"context"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// An overlay adds to accounting what only slurmctld knows of jobs. It lives through each
// cycle like this:
//
//	queue is read ────────► begin
//	accounting reports ───► join     of all overlays ──► schedules
//	accounting is read ───► changes  of one, join of the others ──► schedules
//	jobs are supposed ────► fill     of all overlays ──► schedules, for this cycle
//
// So whatever reaches a schedule says what all overlays know, and an overlay has passed on
// what it remembers of that.
type overlay interface {
	// begin starts a cycle with the queue, read just now.
	begin(ctx context.Context, queue []priority.Queued)
	// join completes events that go to the schedules, and remembers what it says there. It
	// may edit events, drop some and add others. The result is valid until the next call.
	join(ctx context.Context, events []ostrich.Event) []ostrich.Event
	// changes returns events for the jobs of which slurmctld says something else than was
	// passed on. record returns accounting's record of an unfinished job.
	changes(now ostrich.Time, record func(ostrich.JobID) (ledger.Record, bool)) []ostrich.Event
	// fill completes events as join does, and remembers nothing.
	fill(ctx context.Context, events []ostrich.Event) []ostrich.Event
}

// begin starts a cycle of all overlays.
func (s *Sidecar) begin(ctx context.Context, queue []priority.Queued) {
	for _, o := range s.overlays {
		o.begin(ctx, queue)
	}
}

// join hands events to the schedules, completed by all overlays but the one from which they
// are. Those of accounting are from none.
func (s *Sidecar) join(ctx context.Context, events []ostrich.Event, from overlay) {
	if len(events) == 0 {
		return
	}
	for _, o := range s.overlays {
		if o != from {
			events = o.join(ctx, events)
		}
	}
	s.pools.Add(events...)
}

// correct hands over what slurmctld says now, after all that accounting has reported.
func (s *Sidecar) correct(ctx context.Context, now ostrich.Time) {
	for _, o := range s.overlays {
		s.join(ctx, o.changes(now, s.accounting.Record), o)
	}
}

// suppose gives the schedules the jobs of the queue that accounting has not reported.
func (s *Sidecar) suppose(ctx context.Context) {
	events := s.expected()
	for _, o := range s.overlays {
		events = o.fill(ctx, events)
	}
	s.pools.Suppose(events...)
}
