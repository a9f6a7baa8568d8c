package sidecar

import (
	"context"
	"fmt"
	"time"

	"slurm-ostrich/ostrich/accounting"
)

// limitsAge is how long the limits are used before they are read again: few are changed, and there may be many associations.
const limitsAge = 10 * time.Minute

// limits are those of associations and QOS.
type limits struct {
	site *accounting.Site // nil: not known, or not enforced
	read time.Time        // or tried to
	bad  error            // why they could not be read, to be reported
	last string           // what was reported, so that it is once
}

// limiter is accounting that tells limits.
type limiter interface {
	Site(ctx context.Context) (*accounting.Site, error)
}

// readLimits reads the limits once they are old. No order depends on them, so one that cannot be read does not end a cycle: those
// before stay, and the reason is reported once.
func (s *Sidecar) readLimits(ctx context.Context) {
	from, tells := s.accounting.(limiter)
	l := &s.limits
	switch {
	case !tells || !s.controller.Limits():
		*l = limits{}
		return
	case !l.read.IsZero() && time.Since(l.read) < limitsAge:
		return
	}
	l.read = time.Now()
	site, err := from.Site(ctx)
	switch {
	case err == nil:
		l.site, l.last = site, ""
	case l.last != err.Error() && ctx.Err() == nil:
		l.bad, l.last = fmt.Errorf("limits of associations and QOS: %w", err), err.Error()
	}
}
