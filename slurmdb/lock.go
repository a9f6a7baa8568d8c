package slurmdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Lock is a lock of the server (GET_LOCK) that decides which daemon writes. It
// belongs to a connection of its own. When that connection ends for any reason,
// the server frees the lock. It needs no privilege and blocks nothing of
// slurmdbd's.
//
// The lock is local to the server: daemons that ask different servers of a Galera
// cluster, or a replica, do not see one another's locks.
type Lock struct {
	db   *database
	conn *sql.Conn // always the same one; database/sql's pool might use another
	name string
}

// OpenLock connects to the server and does not take the lock yet. The server ends
// the connection, and with it the lock, after this much silence, in whole
// seconds. Without that, a connection that died unnoticed would hold the lock for
// hours.
func OpenLock(ctx context.Context, c Config, silence time.Duration) (*Lock, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	// A server that does not answer within the silence has freed the lock anyway.
	c.Timeout = min(c.Timeout, silence)
	db, err := dial(ctx, c)
	if err != nil {
		return nil, err
	}
	l := &Lock{db: db, name: lockName(c.Database, c.Cluster)}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if l.conn, err = db.pool.Conn(ctx); err == nil {
		_, err = l.conn.ExecContext(ctx, fmt.Sprintf("SET SESSION wait_timeout = %d", int64(silence/time.Second)))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("slurmdb: %w for the lock %s: %s", ErrConnect, l.name, plain(err)), l.Close())
	}
	return l, nil
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

// ask runs a query for one number.
func (l *Lock) ask(ctx context.Context, query string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.db.config.Timeout)
	defer cancel()
	var answer sql.NullInt64
	if err := l.conn.QueryRowContext(ctx, query, l.name).Scan(&answer); err != nil {
		return 0, fmt.Errorf("slurmdb: lock %s: %s", l.name, plain(err))
	}
	return answer.Int64, nil
}

// Take takes the lock unless another connection has it, and reports whether we
// have it.
func (l *Lock) Take(ctx context.Context) (bool, error) {
	got, err := l.ask(ctx, "SELECT GET_LOCK(?, 0)")
	return got == 1, err
}

// Held reports whether we still have the lock. A proxy between us and the server
// may have given us another connection.
func (l *Lock) Held(ctx context.Context) (bool, error) {
	held, err := l.ask(ctx, "SELECT IS_USED_LOCK(?) = CONNECTION_ID()")
	return held == 1, err
}

// Close gives the lock back and ends the connection.
func (l *Lock) Close() error {
	if l.conn == nil {
		return l.db.pool.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = l.conn.ExecContext(ctx, "DO RELEASE_LOCK(?)", l.name) // The end of the connection frees it too.
	_ = l.conn.Close()                                           // It may have ended before.
	return l.db.pool.Close()
}
