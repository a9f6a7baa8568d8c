package sidecar

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority"
)

// teller is accounting that tells limits.
type teller struct {
	Accounting

	asked int
	err   error
}

func (t *teller) Site(context.Context) (*accounting.Site, error) {
	if t.asked++; t.err != nil {
		return nil, t.err
	}
	return &accounting.Site{QOS: make([]accounting.QOS, t.asked)}, nil
}

// TestReadLimits: limits are read anew every ten minutes where slurmctld enforces them. One that cannot be read is reported once, and those
// before stay.
func TestReadLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := new(teller)
		s := &Sidecar{accounting: from}
		look := func(what string, asked, version int, bad bool) {
			t.Helper()
			s.readLimits(t.Context())
			have := 0
			if s.limits.site != nil {
				have = len(s.limits.site.QOS)
			}
			if from.asked != asked || have != version || (s.limits.bad != nil) != bad {
				t.Errorf("%s: asked %d times, have those of time %d, %v", what, from.asked, have, s.limits.bad)
			}
			s.limits.bad = nil
		}
		look("not enforced", 0, 0, false)
		s.controller = priority.Controller{AccountingEnforce: []string{"limits"}}
		look("enforced", 1, 1, false)
		time.Sleep(limitsAge - time.Second)
		look("young", 1, 1, false)
		time.Sleep(time.Second)
		look("old", 2, 2, false)
		from.err = errors.New("gone")
		time.Sleep(limitsAge)
		look("not to be read", 3, 2, true)
		time.Sleep(limitsAge)
		look("again", 4, 2, false)
		from.err = nil
		time.Sleep(limitsAge)
		look("read", 5, 5, false)
		s.accounting = from.Accounting
		look("accounting without limits", 5, 0, false)
	})
}
