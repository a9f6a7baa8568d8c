package sidecar

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

var (
	// ErrClock is a reading of the database's clock that cannot be true. Nothing
	// has been read by it.
	ErrClock = errors.New("the database's clock is wrong")
	// ErrAnew is an ErrClock after which the sidecar has to be opened anew, as
	// what it has read went by a clock that was wrong before.
	ErrAnew = errors.New("opened anew")
)

// clockBound is how far the clocks of the database and of this host may part,
// for databases that answer within the timeout of a query.
func clockBound(timeout time.Duration) time.Duration { return max(time.Minute, 2*timeout) }

// hourly is how often the clocks are taken to be right again: they are slewed,
// each for itself, but not by a bound in an hour.
const hourly = time.Hour

// clockWatch holds the database's clock against the host's. A time that runs ahead
// would let the virtual schedule serve what nobody has computed, and a
// schedule does not run backwards.
type clockWatch struct {
	bound time.Duration

	known bool
	at    ostrich.Time  // the database's clock at a moment,
	since time.Duration // and that moment on the host's monotonic clock
	ahead time.Duration // when the clock was first seen ahead, on the same; 0 if it is not
}

// judge takes a reading of the database's clock with the host's own time and
// its monotonic clock, which is above 0.
//
// Before anything is known the clock must not be ahead of the host's own. From
// then on it goes as the monotonic clock does. Where it runs ahead, it is refused
// until it goes right again, or has agreed with the host's own time for as long as
// the bound: the host may have slept, and clocks that were slow are set. Where it has
// stood still or gone back, the error is ErrAnew too.
func (w *clockWatch) judge(now, host ostrich.Time, monotonic time.Duration) error {
	bound := ostrich.Time(w.bound / time.Second)
	early := now - host
	if !w.known {
		if early > bound {
			return fmt.Errorf("%w: %d s ahead of this host's", ErrClock, early)
		}
		w.known, w.at, w.since = true, now, monotonic
		return nil
	}
	passed := monotonic - w.since
	apart := now - w.at - ostrich.Time(passed/time.Second)
	switch {
	case apart < -bound:
		return fmt.Errorf("%w: it went back, or stood still, by %d s within %v: the schedule is %w", ErrClock, -apart, passed.Round(time.Second), ErrAnew)
	case apart > bound:
		if w.ahead == 0 {
			w.ahead = monotonic
		}
		if early > bound || monotonic-w.ahead < w.bound {
			return fmt.Errorf("%w: it ran ahead by %d s within %v", ErrClock, apart, passed.Round(time.Second))
		}
	case passed < hourly:
		w.ahead = 0
		return nil
	}
	w.at, w.since, w.ahead = now, monotonic, 0
	return nil
}

// watchClock judges readings of the database's clock by the host's.
func watchClock(timeout time.Duration) func(ostrich.Time) error {
	w := clockWatch{bound: clockBound(timeout)}
	began := time.Now().Add(-time.Second)
	return func(now ostrich.Time) error {
		return w.judge(now, ostrich.Time(time.Now().Unix()), time.Since(began))
	}
}

// unheardFor is how long a job may wait to be told to slurmdbd; up to 24.05
// Slurm tells it every five seconds.
const unheardFor = ostrich.Time(60)

// unheard tells whether the queue has a job that accounting should have told
// of by now, and accounting has told of nothing since. Without slurmdbd new jobs
// do not wait as messages for it: slurmctld just keeps them. Of a job whose row
// makes no sense accounting has told.
func (s *Sidecar) unheard(now ostrich.Time) bool {
	return slices.ContainsFunc(s.provisional.new, func(q *priority.Queued) bool {
		if _, out := s.skipped[q.Job]; out || q.Submit <= s.heard || q.Submit+unheardFor > now {
			return false
		}
		_, known := s.accounting.Record(q.Job)
		return !known
	})
}

// behindFor is how long messages must wait for slurmdbd until that counts. Cycles
// may come every other second, and some always wait for a moment.
const behindFor = ostrich.Time(10)

// clock is the time up to which the virtual schedule may run. A quiet database
// may be a dead slurmdbd: while messages for it wait in slurmctld, in each cycle
// for some seconds, nobody knows what happened since the latest thing that it told,
// and time stands there. slurmdbd takes messages in order, so on a busy cluster,
// where some always wait, time goes on.
func (s *Sidecar) clock(now, heard ostrich.Time, behind bool) ostrich.Time {
	switch {
	case !behind:
		s.behind = 0
	case s.behind == 0:
		s.behind = now
	}
	if s.behind == 0 || now-s.behind < behindFor || s.fresh == 0 {
		heard = now
	}
	s.fresh = max(s.fresh, heard)
	return s.fresh
}
