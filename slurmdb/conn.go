package slurmdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// session makes every connection read-only. It sets READ COMMITTED because a long
// REPEATABLE READ transaction would freeze the view.
const session = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"

// unknownVariable is the server's error for an unknown setting.
const unknownVariable = 1193

// connector opens connections and prepares their sessions.
type connector struct {
	driver.Connector
	limits []string // limits on the time of a statement, in the words of each server
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, unreachable{err}
	}
	if err := c.prepare(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// unreachable marks an error as ErrConnect.
type unreachable struct{ error }

func (e unreachable) Unwrap() error        { return e.error }
func (e unreachable) Is(target error) bool { return target == ErrConnect }

// unwelcome marks an error as ErrDenied.
type unwelcome struct{ error }

func (e unwelcome) Unwrap() error        { return e.error }
func (e unwelcome) Is(target error) bool { return target == ErrDenied }

// denials are the server's errors for a database that the account may not use, a wrong
// password, an unknown database, and accounts that have to log in by other means.
var denials = []uint16{1044, 1045, 1049, 1698, 3118, 3159, 4151}

func (c connector) prepare(ctx context.Context, conn driver.Conn) error {
	exec, ok := conn.(driver.ExecerContext)
	if !ok {
		return errors.New("the driver cannot execute statements")
	}
	if _, err := exec.ExecContext(ctx, "SET autocommit = 1", nil); err != nil {
		return err
	}
	if _, err := exec.ExecContext(ctx, session, nil); err != nil {
		return err
	}
	for _, limit := range c.limits {
		_, err := exec.ExecContext(ctx, limit, nil)
		if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && e.Number == unknownVariable {
			continue
		}
		return err
	}
	return nil // The context alone bounds the time on this server.
}

// database is a connection pool of one.
type database struct {
	config  Config
	address string
	pool    *sql.DB
	read    int // rows that each has read since the poll began
}

// dial connects to the server at one of the addresses.
func dial(ctx context.Context, c Config, address string) (*database, error) {
	d, err := c.driver(address)
	if err != nil {
		return nil, err
	}
	inner, err := mysql.NewConnector(d)
	if err != nil {
		return nil, fmt.Errorf("slurmdb: %w: %s", ErrConfig, plain(err))
	}
	db := &database{config: c, address: address, pool: sql.OpenDB(connector{inner, []string{
		fmt.Sprintf("SET SESSION max_statement_time = %.3f", c.Timeout.Seconds()),
		fmt.Sprintf("SET SESSION max_execution_time = %d", c.Timeout.Milliseconds()),
	}})}
	db.pool.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	if err := db.pool.PingContext(ctx); err != nil {
		_ = db.pool.Close() // The first error matters.
		away := fmt.Errorf("slurmdb: %w to %s %s: %w", ErrConnect, d.Net, address, oneLine{err})
		if e := (*mysql.MySQLError)(nil); errors.As(err, &e) && slices.Contains(denials, e.Number) {
			return nil, unwelcome{away}
		}
		return nil, away
	}
	return db, nil
}

// renew makes the next query open a new connection.
func (db *database) renew() {
	db.pool.SetMaxIdleConns(-1) // closes the idle connection
	db.pool.SetMaxIdleConns(1)
}

// plain returns an error's text on one line.
func plain(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// scan runs a query with arguments and calls row for each row of a small result.
func (db *database) scan(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, db.config.Timeout)
	defer cancel()
	rows, err := db.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong.
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one reads a result of one row.
func (db *database) one(ctx context.Context, query string, columns ...any) error {
	return db.scan(ctx, func(scan func(...any) error) error { return scan(columns...) }, query)
}

// list reads a result of one column.
func (db *database) list(ctx context.Context, query string, args ...any) (all []string, err error) {
	err = db.scan(ctx, func(scan func(...any) error) error {
		var value string
		failed := scan(&value)
		all = append(all, value)
		return failed
	}, query, args...)
	return all, err
}

// each reads a large result. The values belong to the driver and are valid until
// the next row only. It bypasses database/sql, whose conversions were most of the
// cost of a poll.
func (db *database) each(ctx context.Context, query string, row func([]driver.Value)) error {
	ctx, cancel := context.WithTimeout(ctx, db.config.Timeout)
	defer cancel()
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // It goes back to the pool.
	err = conn.Raw(func(raw any) error { return db.readAll(ctx, raw, query, row) })
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// readAll runs a query on the driver's own connection.
func (db *database) readAll(ctx context.Context, conn any, query string, row func([]driver.Value)) error {
	q, ok := conn.(driver.QueryerContext)
	if !ok {
		return errors.New("the driver cannot query")
	}
	rows, err := q.QueryContext(ctx, query, nil)
	if err != nil {
		return err
	}
	values := make([]driver.Value, len(rows.Columns()))
	for err = rows.Next(values); err == nil; err = rows.Next(values) {
		db.read++
		row(values)
	}
	if errors.Is(err, io.EOF) {
		return rows.Close()
	}
	return errors.Join(err, rows.Close())
}

// number returns an unsigned column; NULL is 0.
func number(v driver.Value) uint64 {
	switch v := v.(type) {
	case int64:
		return uint64(v)
	case uint64:
		return v
	default:
		return 0
	}
}

// text returns a text column, valid until the next row; NULL is empty.
func text(v driver.Value) []byte {
	b, _ := v.([]byte)
	return b
}
