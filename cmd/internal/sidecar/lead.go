package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/privilege"
	"slurm-ostrich/slurmdb"
)

// Lead decides which daemon of a cluster writes: the one that holds a lock of the
// database, or of a file if there is no database. It outlives the sidecars of a daemon, so
// that a new configuration does not give the lock away. One sidecar at a time may use it.
//
// The lock is a lease. Its holder asks the server four times within a term T whether it
// still has it, and writes until T/2 after the latest question that was answered. A daemon
// that has just got the lock waits for T before it looks at the queue. So one has stopped
// before the other begins, without a common clock. Here the connection of A falls silent
// after time 0:
//
//	        0 A asks, the last that is answered
//	        │      T/2       T               2T
//	A       ├─writes─┤       │                │
//	server  ├─A's lock───────┤ free at T      │
//	B       │                ├─waits for T────┼─writes ──►
//
// If the connection is cut, the server frees the lock at once. B may take it soon after 0,
// and then begins at T.
type Lead struct {
	// Wait is set if another daemon may have had the lock before we first get it: then we
	// wait for it to stop. A command that does one cycle must end soon, and does not set it.
	Wait bool

	open   func(ctx context.Context, term time.Duration) (lock, error) // connects to where the lock is
	key    string                                                      // identifies what open connects to
	name   string                                                      // of the lock, in words
	ofFile bool                                                        // it is beside the journal
	wanted time.Duration                                               // the term from when we next get the lock
	term   time.Duration

	mu        sync.Mutex
	held      lock // nil unless it is ours
	confirmed time.Time
	lost      chan struct{}      // closed once it is not ours any more
	stop      context.CancelFunc // ends the confirmations
	stopped   chan struct{}
	taken     time.Time // when we got the lock that we have
	others    bool      // another daemon has had the lock, or we have lost it
	takesOver bool      // what another daemon wrote is to be taken over
}

// lock decides between daemons. *slurmdb.Lock is one.
type lock interface {
	Take(ctx context.Context) (bool, error)
	Held(ctx context.Context) (bool, error)
	Close() error
}

// ErrLost means that the lock was lost during our turn.
var ErrLost = errors.New("the right to write was lost: its lock is not confirmed")

// standsBy says why a daemon waits for its turn.
func (l *Lead) standsBy() string { return "another daemon orders this cluster and holds " + l.name }

const (
	shortestTerm = 3 * time.Second
	longestTerm  = 10 * time.Second
)

// termOf returns half an interval in whole seconds, the unit of the server.
func termOf(interval time.Duration) time.Duration {
	half := (interval/2 + time.Second - 1).Truncate(time.Second)
	return min(max(half, shortestTerm), longestTerm)
}

// use sets where the lock is. It gives back a lock held elsewhere.
func (l *Lead) use(c *configuration.Config, source slurmdb.Config) error {
	key := fmt.Sprintf("%s %s %s", source.Addresses, source.Database, source.Cluster)
	if c.From == configuration.Sacct {
		key = "file " + c.Journal
	}
	var err error
	if key != l.key {
		err = l.Release()
	}
	l.key, l.wanted, l.ofFile = key, termOf(c.Interval), c.From == configuration.Sacct
	if c.From == configuration.Sacct {
		l.name = "the lock beside the journal"
		journal := c.Journal
		l.open = func(context.Context, time.Duration) (lock, error) { return openFileLock(journal) }
		return err
	}
	l.name = "the database's lock"
	l.open = func(ctx context.Context, term time.Duration) (lock, error) {
		held, bad := slurmdb.OpenLock(ctx, source, term)
		if bad != nil {
			return nil, bad
		}
		return held, nil
	}
	return err
}

// Release gives the lock back, so that another daemon may write.
func (l *Lead) Release() error {
	l.mu.Lock()
	stop, stopped := l.stop, l.stopped
	l.stop = nil
	l.mu.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	<-stopped
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forget()
}

// lose forgets the lock once it is lost: another daemon may hold it by now, and write.
func (l *Lead) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Wait, l.others = true, true
	_ = l.forget() // There is nothing left to be given back.
}

// forget gives the lock back, for callers that hold mu.
func (l *Lead) forget() error {
	if l.held == nil {
		return nil
	}
	close(l.lost)
	err := l.held.Close()
	l.held = nil
	return err
}

// Mine reports whether the lock is certainly ours at this moment.
func (l *Lead) Mine() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held != nil && time.Since(l.confirmed) < l.term/2
}

// try confirms or takes the lock, and reports whether it is ours. After it has got
// the lock it waits until the previous holder has certainly stopped.
func (l *Lead) try(ctx context.Context) (bool, error) {
	if l.Mine() {
		return true, nil
	}
	l.mu.Lock()
	l.others = l.others || l.held != nil // It is ours no more, though confirm may not have noticed.
	l.mu.Unlock()
	_ = l.Release() // The connection was of no use any more.
	wait, term := l.Wait || l.others, l.wanted
	held, err := l.open(ctx, term)
	if err != nil {
		return false, fmt.Errorf("the lock that decides which daemon writes: %w", err)
	}
	began := time.Now() // Opening may take longer than half a term, if one of several servers is silent.
	ours, err := held.Take(ctx)
	if err != nil || !ours {
		if err == nil {
			l.mu.Lock()
			l.others = true
			l.mu.Unlock()
			return false, held.Close()
		}
		return false, errors.Join(fmt.Errorf("the lock that decides which daemon writes: %w", err), held.Close())
	}
	confirming, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.mu.Lock()
	l.held, l.confirmed, l.lost, l.stop, l.stopped = held, began, make(chan struct{}), stop, make(chan struct{})
	l.term, l.takesOver, l.taken = term, true, time.Now()
	l.mu.Unlock()
	go l.confirm(confirming, held)
	if !wait {
		return true, nil
	}
	select {
	case <-time.After(term):
		return l.Mine(), nil
	case <-l.lost:
		return false, ErrLost
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// confirm confirms the lock again and again, until it is not ours any more.
func (l *Lead) confirm(ctx context.Context, held lock) {
	defer close(l.stopped)
	every := time.NewTicker(l.term / 4)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		asked := time.Now()
		within, done := context.WithDeadline(ctx, l.deadline())
		ours, err := held.Held(within)
		done()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil || !ours:
			l.lose()
			return
		}
		l.mu.Lock()
		l.confirmed = asked
		l.mu.Unlock()
	}
}

// deadline returns when a lock counts as lost unless it is confirmed again.
func (l *Lead) deadline() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confirmed.Add(l.term / 2)
}

// while returns a context for a burst, which ends as soon as our turn is no longer
// certain. It confirms the lock now.
func (l *Lead) while(ctx context.Context) (context.Context, func(), error) {
	if l == nil {
		return ctx, func() {}, nil
	}
	l.mu.Lock()
	held, lost := l.held, l.lost
	l.mu.Unlock()
	if held == nil {
		return nil, nil, ErrLost
	}
	within, done := context.WithDeadline(ctx, l.deadline())
	ours, err := held.Held(within)
	done()
	if err != nil || !ours {
		return nil, nil, errors.Join(ErrLost, err)
	}
	burst, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-lost:
			cancel(ErrLost)
		case <-burst.Done():
		}
	}()
	return burst, func() { cancel(nil) }, nil
}

// toTakeOver reports whether to take over what another daemon wrote, and whether
// for all jobs or only for those that our journal knows: we may not have noticed
// that there was another one.
func (l *Lead) toTakeOver() (all, due bool) {
	if l == nil {
		return false, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.others, l.takesOver
}

// since returns since when nobody else's daemon can have written, and the term. It is zero if
// the lock is not ours, or is one of files, which daemons with other journals do not see.
func (l *Lead) since() (at time.Time, term time.Duration) {
	if l == nil {
		return time.Time{}, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil || l.ofFile {
		return time.Time{}, 0
	}
	return l.taken, l.term
}

// tookOver notes that all has been taken over. If the lock was lost since toTakeOver
// was asked, it notes nothing, as there may be more by now.
func (l *Lead) tookOver() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		l.takesOver, l.others = false, false
	}
}

// turn says why it is not our turn to write, "" if it is. When that changes, it
// reads the journal anew, and opens it for writing only during our turn. A sidecar
// that only reads needs no turn.
func (s *Sidecar) turn(ctx context.Context, apply bool) (string, error) {
	if !apply || s.lead == nil {
		s.leads = apply
		return "", nil
	}
	ours, err := s.lead.try(ctx)
	if err == nil && ours == s.leads {
		if ours {
			return "", nil
		}
		return s.lead.standsBy(), nil
	}
	s.leads = false
	if s.journal != nil {
		err = errors.Join(err, journaled(s.journal.Close()))
		s.journal = nil
	}
	if err == nil && ours {
		s.journal, err = journal.Open(s.config.Journal)
		if err = journaled(err); err != nil {
			err = errors.Join(err, s.lead.Release()) // it may be another one's turn
		}
		s.leads = err == nil
	} else {
		var bad error
		s.journal, bad = readJournal(&s.config)
		err = errors.Join(err, bad)
	}
	switch {
	case err != nil:
		return "", err
	case !ours:
		return s.lead.standsBy(), nil
	}
	return "", nil
}

// Where there is no database, a lock of a file beside the journal decides which daemon
// writes. It works for daemons that share the journal's folder, on one host or on a file
// system that both mount. The kernel frees it when the daemon ends in any way.

// writerSuffix is added to the journal's path.
const writerSuffix = ".writer"

type fileLock struct{ file *os.File }

// openFileLock opens the file that the daemons of a journal lock. It creates the file if
// there is none.
func openFileLock(journal string) (lock, error) {
	path := journal + writerSuffix
	var file *os.File
	err := privilege.Do(filepath.Dir(path), func() (err error) {
		file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o640)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &fileLock{file}, nil
}

// Take takes the lock unless another daemon has it, and reports whether we have it.
func (l *fileLock) Take(context.Context) (bool, error) {
	err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: lock: %w", l.file.Name(), err)
	}
	return l.Held(context.Background())
}

// Held reports whether the file that we have locked still has its name, so that other
// daemons find it.
func (l *fileLock) Held(context.Context) (bool, error) {
	ours, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(l.file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ours, named), err
}

// Close gives the lock back.
func (l *fileLock) Close() error { return l.file.Close() }
