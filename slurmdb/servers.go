package slurmdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

// Reached is how far a reader has come: its address, and the latest time at which a
// job of its rows was submitted, started or ended. The zero value knows nothing.
type Reached struct {
	Address string
	Latest  ostrich.Time
}

// longestConnect is how long one of several servers may take to let us in.
const longestConnect = 5 * time.Second

// patience is how long a server may take to let us in.
func (c Config) patience() time.Duration {
	if len(c.Addresses) > 1 {
		return min(c.Timeout, longestConnect)
	}
	return c.Timeout
}

// inTurn opens the first of the addresses that can be read. A server that lets us
// in and is not slurmdbd's, or lacks the cluster, is an error of the configuration:
// those after it are not tried.
func (c Config) inTurn(ctx context.Context, addresses []string) (*Reader, error) {
	var errs alternatives
	for _, address := range addresses {
		r, err := openAt(ctx, c, address)
		if err == nil {
			if len(errs) > 0 {
				r.passed = errs
			}
			return r, nil
		}
		errs = append(errs, err)
		if !errors.Is(err, ErrConnect) && !errors.Is(err, ErrStale) {
			break
		}
	}
	return nil, errs.error()
}

// alternatives are the errors of several servers. errors.Is and As see the first one: its
// server may answer again later, whatever is wrong with the others.
type alternatives []error

func (e alternatives) Error() string {
	var all []string
	for _, err := range e {
		all = append(all, plain(err))
	}
	return strings.Join(all, "; ")
}

func (e alternatives) Unwrap() error { return e[0] }

// error returns a single error as it is, so that it can be compared.
func (e alternatives) error() error {
	if len(e) == 1 {
		return e[0]
	}
	return e
}

// Reached returns how far the reader has come.
func (r *Reader) Reached() Reached { return Reached{r.db.address, r.Latest()} }

// Addresses returns the addresses of the servers that may be read.
func (r *Reader) Addresses() []string { return r.config.Addresses }

// Passed returns why no server before this one is read; nil if it is the first.
func (r *Reader) Passed() error { return r.passed }

// Earlier reports whether a server before this one can be read again, and is not behind
// this one.
func (r *Reader) Earlier(ctx context.Context) bool {
	c := r.config
	c.Reached = r.Reached()
	at := slices.Index(c.Addresses, r.db.address)
	if at == 0 {
		return false
	}
	earlier, err := c.inTurn(ctx, c.Addresses[:at])
	if err != nil {
		return false
	}
	_ = earlier.Close() // It was only asked.
	return true
}

// compare refuses a server whose newest data are older than what another one had. A
// replica applies changes in the order in which they were made, so one that has
// something as new has all that is older.
func (r *Reader) compare(ctx context.Context, known Reached) error {
	if known.Latest == 0 || known.Address == r.db.address {
		return nil
	}
	var now, ended, live ostrich.Time
	jobs := " FROM " + r.schema.table("job_table") + r.schema.byEnd + " WHERE " + r.schema.kept("job_table")
	err := r.db.one(ctx, "SELECT UNIX_TIMESTAMP(), "+
		"COALESCE((SELECT time_end"+jobs+"time_end <= UNIX_TIMESTAMP() ORDER BY time_end DESC LIMIT 1), 0), "+ // MAX reads all rows
		"(SELECT COALESCE(GREATEST(MAX(IF(time_submit <= UNIX_TIMESTAMP(), time_submit, 0)), "+
		"MAX(IF(time_start <= UNIX_TIMESTAMP(), time_start, 0))), 0)"+jobs+"time_end = 0)", &now, &ended, &live)
	if err != nil {
		return r.failed("how old its data are", err)
	}
	if latest := max(ended, live); latest < known.Latest {
		return fmt.Errorf("slurmdb: %s: %w: the latest there is %d s older than what %s told, %d s ago",
			r.db.address, ErrStale, known.Latest-latest, known.Address, now-known.Latest)
	}
	return nil
}
