package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// status is what the daemon knows besides its cycles, for the page and for /readyz, which
// ask at any time.
type status struct {
	mu      sync.Mutex
	is      statuspage.Daemon
	success time.Time     // of the latest cycle; zero: none yet
	longest time.Duration // longest time between successes
	wrong   error         // why no cycle may be trusted until one succeeds
}

// change changes what the page shows.
func (s *status) change(edit func(is *statuspage.Daemon)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(&s.is)
}

// configured sets the settings that are in effect from now on.
func (s *status) configured(c *configuration.Config) {
	s.change(func(is *statuspage.Daemon) {
		is.Cluster, is.Mode, is.Channel, is.PriorityMode = c.Cluster, c.Mode, string(c.Priority.Channel), string(c.Priority.Mode)
		is.Interval, is.Journal = ostrich.Duration(c.Interval/time.Second), c.Journal
		is.Unloaded = time.Time{}
	})
}

// observe keeps the figures of a cycle.
func (s *status) observe(c *sidecar.Cycle) {
	s.change(func(is *statuspage.Daemon) {
		is.Lag, is.Took, is.Skipped, is.Odd = c.Lag, c.Took.Seconds(), len(c.Skipped), len(c.Odd)
		is.Written, is.Refused, is.NoEffect = count(c.Outcomes, priority.Applied), count(c.Outcomes, priority.Refused), count(c.Outcomes, priority.NotApplied)
	})
}

// succeed notes when a cycle has succeeded.
func (s *status) succeed(at time.Time) {
	s.change(func(is *statuspage.Daemon) { s.success, is.LastSuccess, s.wrong = at, statuspage.Unix(at), nil })
}

func (s *status) succeeded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.success.IsZero()
}

// distrust makes the daemon not ready, however recently a cycle has succeeded.
func (s *status) distrust(err error) { s.change(func(*statuspage.Daemon) { s.wrong = err }) }

// expect sets the longest time between successes.
func (s *status) expect(longest time.Duration) {
	s.change(func(*statuspage.Daemon) { s.longest = longest })
}

// late reports whether a newer cycle than one that ended at a time should have
// succeeded.
func (s *status) late(ended, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(ended) > s.longest
}

// at returns all of it. Unready is nil if a cycle has succeeded recently, else why not.
func (s *status) at(now time.Time) statuspage.Daemon {
	s.mu.Lock()
	defer s.mu.Unlock()
	is, since := s.is, now.Sub(s.success)
	switch {
	case s.wrong != nil:
		is.Unready = s.wrong
	case s.success.IsZero():
		is.Unready = errors.New("no cycle has succeeded yet")
	case since > s.longest:
		is.Unready = fmt.Errorf("the latest successful cycle was %v ago", since.Round(time.Second))
	}
	return is
}
