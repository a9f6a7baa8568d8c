package sidecar

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

var (
	// ErrClock means that accounting's clock, that of the database or of slurmctld,
	// cannot be right. Nothing has been read by it.
	ErrClock = errors.New("accounting's clock is wrong")
	// ErrAnew means an ErrClock after which the sidecar has to be opened anew,
	// because what it has read relied on a wrong clock.
	ErrAnew = errors.New("opened anew")
)

// HostClock is the moment by the clock of this host.
func HostClock() ostrich.Time { return ostrich.Time(time.Now().Unix()) }

// clockBound returns how far the clocks of the database and of this host may differ, if
// the database answers within the timeout of a query.
func clockBound(timeout time.Duration) time.Duration { return max(time.Minute, 2*timeout) }

// hourly is how often the comparison starts afresh from the present readings. Each clock
// is slewed by itself, but by less than the bound in an hour.
const hourly = time.Hour

// clockWatch compares the database's clock with the host's. A clock that runs
// ahead would let the virtual schedule serve what nobody has computed, and a
// schedule does not run backwards.
type clockWatch struct {
	bound time.Duration

	known bool
	at    ostrich.Time  // the database's clock when the comparison started
	since time.Duration // the host's monotonic clock then
	ahead time.Duration // when the clock was first seen ahead, on the monotonic clock; 0 if it is not
}

// judge compares a reading of the database's clock with the host's own time and
// its monotonic clock, which is above 0.
//
// At first the clock must not be ahead of the host's own. From then on it must go
// as the monotonic clock does. A clock that runs ahead is refused until it goes
// right again, or has agreed with the host's own time for as long as the bound:
// the host may have slept, and slow clocks get set. If the clock has stood still
// or gone back, the error is ErrAnew too.
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
		w.ahead = cmp.Or(w.ahead, monotonic)
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

// watchClock returns a function that judges readings of the database's clock by
// the host's.
func watchClock(timeout time.Duration) func(ostrich.Time) error {
	w := clockWatch{bound: clockBound(timeout)}
	began := time.Now().Add(-time.Second)
	return func(now ostrich.Time) error {
		return w.judge(now, ostrich.Time(time.Now().Unix()), time.Since(began))
	}
}

// unheardFor is how long slurmctld may take to report a job to slurmdbd; up to
// 24.05 it does so every five seconds.
const unheardFor = ostrich.Time(60)

// unheard reports whether accounting lacks a job of the queue that it should know by
// now, and has reported nothing later either. The length of slurmdbd's message queue does
// not show that: without slurmdbd, slurmctld keeps new jobs and queues no message.
// A job with an invalid row has been reported.
func (s *Sidecar) unheard(now ostrich.Time) bool {
	return slices.ContainsFunc(s.provisional.new, func(q *priority.Queued) bool {
		if _, out := s.skipped[q.Job]; out || q.Submit <= s.provisional.latest || q.Submit+unheardFor > now {
			return false
		}
		_, known := s.accounting.Record(q.Job)
		return !known
	})
}

// behindFor is how long messages must wait for slurmdbd to count. Cycles may come
// every other second, and some messages always wait for a moment.
const behindFor = ostrich.Time(10)

// clock returns the time up to which the virtual schedule may run. A quiet
// database may mean a dead slurmdbd. While messages for it wait in slurmctld, in
// each cycle for some seconds, nobody knows what happened after its latest report,
// and time stands there. slurmdbd processes messages in order, so on a busy
// cluster, where some always wait, time goes on.
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
