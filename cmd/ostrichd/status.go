package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// readiness is the answer of /readyz. It is shared with the server.
type readiness struct {
	mu      sync.Mutex
	success time.Time
	longest time.Duration // longest time between successes
	by      string        // why nothing is written in mode enforce; "" if it is
	wrong   error         // why no cycle may be trusted until one succeeds
}

func (s *readiness) succeed(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.success, s.wrong = at, nil
}

// standBy sets why another daemon has the right to write, "" if we have it.
func (s *readiness) standBy(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by = why
}

// standsBy returns why another daemon has the right to write.
func (s *readiness) standsBy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by
}

// distrust makes the daemon not ready, however recently a cycle has succeeded.
func (s *readiness) distrust(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = err
}

func (s *readiness) expect(longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = longest
}

// late reports whether a newer cycle than one that ended at a time should have
// succeeded.
func (s *readiness) late(ended, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(ended) > s.longest
}

// ready returns nil if a cycle has succeeded recently, else why not.
func (s *readiness) ready(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.wrong != nil:
		return s.wrong
	case s.success.IsZero():
		return errors.New("no cycle has succeeded yet")
	case now.Sub(s.success) > s.longest:
		return fmt.Errorf("the latest successful cycle was %v ago", now.Sub(s.success).Round(time.Second))
	}
	return nil
}
