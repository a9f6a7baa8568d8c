package slurmdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Lock is a lock of the servers (GET_LOCK) that decides which daemon writes. At each
// server it belongs to a connection of its own. When that connection ends for any
// reason, the server frees it. It needs no privilege and blocks nothing of
// slurmdbd's.
//
// Each server has locks of its own, and none knows those of another. So of several
// servers all that answer are asked, and one refusal is enough; the lock is ours as long
// as one of them confirms it and none denies it. Two connections have it at once only if
// neither reaches a server of the other.
type Lock struct {
	name string

	mu    sync.Mutex
	seats []*seat // those that have answered so far, in the order of the addresses
}

// seat is the lock at one server.
type seat struct {
	db     *database
	conn   *sql.Conn // always the same one; database/sql's pool might use another
	server string    // which one it is
}

// OpenLock connects to the servers and does not take the lock yet. A server ends
// the connection, and with it the lock, after this much silence, in whole
// seconds. Without that, a connection that died unnoticed would hold the lock for
// hours. At least one server must answer.
func OpenLock(ctx context.Context, c Config, silence time.Duration) (*Lock, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	// A server that does not answer within the silence has freed the lock anyway.
	c.Timeout = min(c.Timeout, silence)
	l := &Lock{name: lockName(c.Database, c.Cluster)}
	seats, errs := make([]*seat, len(c.Addresses)), make(alternatives, len(c.Addresses))
	var all sync.WaitGroup
	for i, address := range c.Addresses {
		all.Go(func() { seats[i], errs[i] = openSeat(ctx, c, address, silence, l.name) })
	}
	all.Wait()
	for _, s := range seats {
		switch {
		case s == nil:
		case slices.ContainsFunc(l.seats, func(other *seat) bool { return other.server == s.server }):
			s.close("") // Two addresses of one server, which would refuse the second.
		default:
			l.seats = append(l.seats, s)
		}
	}
	if len(l.seats) == 0 {
		return nil, l.nobody(errs)
	}
	return l, nil
}

func openSeat(ctx context.Context, c Config, address string, silence time.Duration, name string) (*seat, error) {
	db, err := dial(ctx, c, address)
	if err != nil {
		return nil, err
	}
	s := &seat{db: db}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if s.conn, err = db.pool.Conn(ctx); err == nil {
		_, err = s.conn.ExecContext(ctx, fmt.Sprintf("SET SESSION wait_timeout = %d", int64(silence/time.Second)))
	}
	if err == nil {
		err = s.conn.QueryRowContext(ctx, "SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)").Scan(&s.server)
	}
	if err != nil {
		s.close("")
		return nil, fmt.Errorf("slurmdb: %w for the lock %s: %s", ErrConnect, name, plain(err))
	}
	return s, nil
}

// close ends the connection, and with it the lock. With a name it gives that lock
// back first.
func (s *seat) close(name string) {
	if s.conn != nil {
		if name != "" {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, _ = s.conn.ExecContext(ctx, "DO RELEASE_LOCK(?)", name) // The end of the connection frees it too.
			cancel()
		}
		_ = s.conn.Close() // It may have ended before.
	}
	_ = s.db.pool.Close() // The server frees what is left.
}

// mostLockName is the longest lock name that a server accepts.
const mostLockName = 64

// lockName names the lock of a cluster. One server may serve several databases.
func lockName(database, cluster string) string {
	name := "ostrich." + database + "." + cluster
	if len(name) > mostLockName {
		return fmt.Sprintf("ostrich.%x", sha256.Sum256([]byte(name)))[:mostLockName]
	}
	return name
}

// ask runs a query for one number at a server.
func (s *seat) ask(ctx context.Context, query, name string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.db.config.Timeout)
	defer cancel()
	var answer sql.NullInt64
	if err := s.conn.QueryRowContext(ctx, query, name).Scan(&answer); err != nil {
		return 0, fmt.Errorf("slurmdb: lock %s: %s", name, plain(err))
	}
	return answer.Int64, nil
}

// Take takes the lock unless another connection has it at some server, and reports
// whether we have it. It asks one server after the other, so that of two who want
// it at once one gets it.
func (l *Lock) Take(ctx context.Context) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var (
		taken []*seat
		errs  alternatives
	)
	for i, s := range l.seats {
		got, err := s.ask(ctx, "SELECT GET_LOCK(?, 0)", l.name)
		switch {
		case err != nil:
			errs = append(errs, err)
			s.close("")
		case got != 1:
			for _, other := range taken {
				_, _ = other.ask(ctx, "SELECT RELEASE_LOCK(?)", l.name) // Close frees it too.
			}
			l.seats = slices.Concat(taken, l.seats[i:])
			return false, nil
		default:
			taken = append(taken, s)
		}
	}
	l.seats = taken
	if len(taken) == 0 {
		return false, l.nobody(errs)
	}
	return true, nil
}

// nobody returns the error of a lock for which no server answers.
func (l *Lock) nobody(errs alternatives) error {
	if len(errs) == 0 {
		return fmt.Errorf("slurmdb: lock %s: %w", l.name, ErrConnect)
	}
	return errs.error()
}

// Held reports whether we still have the lock: the server may have freed it, and a proxy
// between us and the server may have given us another connection. Held forgets the servers
// that do not answer; if none does, that is an error.
func (l *Lock) Held(ctx context.Context) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil { // Another question took all the time: that says nothing of the servers.
		return false, fmt.Errorf("slurmdb: lock %s: %w", l.name, err)
	}
	answers, errs := make([]int64, len(l.seats)), make(alternatives, len(l.seats))
	var all sync.WaitGroup
	for i, s := range l.seats { // At once: one that is silent must not use up the time of the others.
		all.Go(func() { answers[i], errs[i] = s.ask(ctx, "SELECT IS_USED_LOCK(?) = CONNECTION_ID()", l.name) })
	}
	all.Wait()
	var left []*seat
	held := true
	for i, s := range l.seats {
		if errs[i] != nil {
			s.close("")
			continue
		}
		left = append(left, s)
		held = held && answers[i] == 1
	}
	l.seats = left
	if len(left) == 0 {
		return false, l.nobody(errs)
	}
	return held, nil
}

// Close gives the lock back and ends the connections.
func (l *Lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.seats {
		s.close(l.name)
	}
	l.seats = nil
	return nil
}
