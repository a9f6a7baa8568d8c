package slurmdbtest

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Release is a Slurm release whose tables can be created.
type Release string

// Releases whose tables differ for a reader.
const (
	R2011 Release = "20.11"
	R2205 Release = "22.05"
	R2411 Release = "24.11"
	R2505 Release = "25.05"
	R2605 Release = "26.05"
)

// alterations turn the tables of 22.05 into those of other releases.
var alterations = map[Release][]string{
	R2205: nil,
	R2011: {"as-20.11"},
	R2411: {"as-24.11"},
	R2505: {"as-24.11", "as-25.05"},
	R2605: {"as-24.11", "as-25.05", "as-26.05"},
}

//go:embed testdata/*.sql
var schemas embed.FS

// DB is a database with slurmdbd's tables for one cluster, "c1".
type DB struct {
	*sql.DB
	Server  *Server
	Name    string
	Cluster string
	Release Release

	t     testing.TB
	sluid uint64
}

var databases atomic.Int64

// New creates a database on the shared server, and drops it after the test.
func New(t testing.TB, r Release) *DB {
	t.Helper()
	return Shared(t).New(t, r)
}

// New creates a database on the server, and drops it after the test.
func (s *Server) New(t testing.TB, r Release) *DB {
	t.Helper()
	return s.Named(t, r, fmt.Sprintf("slurm_acct_db_%d", databases.Add(1)))
}

// Named creates a database of this name on the server, and drops it after the
// test. Two servers may have one of the same name.
func (s *Server) Named(t testing.TB, r Release, name string) *DB {
	t.Helper()
	root, err := s.Open("")
	if err != nil {
		t.Fatal(err)
	}
	_, err = root.ExecContext(t.Context(), "CREATE DATABASE "+name)
	if err = errors.Join(err, root.Close()); err != nil {
		t.Fatal(err)
	}
	pool, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{DB: pool, Server: s, Name: name, Cluster: "c1", t: t, Release: r}
	t.Cleanup(func() {
		if _, err := pool.ExecContext(context.WithoutCancel(t.Context()), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, file := range append([]string{"schema-22.05", "rows"}, alterations[r]...) {
		db.script(file)
	}
	return db
}

// script runs the statements of a file.
func (db *DB) script(file string) {
	db.t.Helper()
	data, err := schemas.ReadFile("testdata/" + file + ".sql")
	if err != nil {
		db.t.Fatal(err)
	}
	for statement := range strings.SplitSeq(strings.ReplaceAll(string(data), "{cluster}", db.Cluster), ";\n") {
		if strings.TrimSpace(statement) != "" {
			db.Run(statement)
		}
	}
}

// Run executes a statement as root.
func (db *DB) Run(statement string, arguments ...any) {
	db.t.Helper()
	if _, err := db.ExecContext(db.t.Context(), statement, arguments...); err != nil {
		db.t.Fatalf("%s: %v", statement, err)
	}
}

// Clock reads the server's clock.
func (db *DB) Clock() int64 {
	db.t.Helper()
	var now int64
	if err := db.QueryRowContext(db.t.Context(), "SELECT UNIX_TIMESTAMP()").Scan(&now); err != nil {
		db.t.Fatal(err)
	}
	return now
}

// Account creates a database account with these privileges on this database and
// this password.
func (db *DB) Account(user, password, privileges string) {
	db.t.Helper()
	db.Run("DROP USER IF EXISTS ?@'%'", user) // CREATE OR REPLACE is MariaDB's alone
	db.Run("CREATE USER ?@'%' IDENTIFIED BY ?", user, password)
	db.Run("GRANT "+privileges+" ON `"+db.Name+"`.* TO ?@'%'", user)
	db.t.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(db.t.Context()), "DROP USER ?@'%'", user); err != nil {
			db.t.Error(err)
		}
	})
}

// Cut ends the connections of an account. Any goroutine may call it.
func (db *DB) Cut(user string) {
	db.t.Helper()
	rows, err := db.QueryContext(db.t.Context(), "SELECT id FROM information_schema.processlist WHERE user = ?", user)
	if err != nil {
		db.t.Error(err)
		return
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong.
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			db.t.Error(err)
			return
		}
		db.kill(id)
	}
	if err := rows.Err(); err != nil {
		db.t.Error(err)
	}
}

// CutHolder ends the connection that has the lock of the cluster.
func (db *DB) CutHolder() {
	db.t.Helper()
	var id int64
	if err := db.QueryRowContext(db.t.Context(), "SELECT IS_USED_LOCK(?)", "ostrich."+db.Name+"."+db.Cluster).Scan(&id); err != nil {
		db.t.Fatal(err)
	}
	db.kill(id)
}

// kill ends a connection, which may have ended by itself.
func (db *DB) kill(id int64) {
	db.t.Helper()
	const unknown = 1094
	_, err := db.ExecContext(db.t.Context(), fmt.Sprintf("KILL %d", id))
	if e := (*mysql.MySQLError)(nil); err != nil && (!errors.As(err, &e) || e.Number != unknown) {
		db.t.Errorf("KILL %d: %v", id, err)
	}
}

// Access is how the server reads a table for a statement.
type Access struct {
	Table, Kind, Key string // as EXPLAIN has them: "c1_job_table", "range", "rollup2"
	Rows             int64  // that it expects to look at
	Covered          bool   // the index alone has all that is read
}

// Explain asks the server how it runs a statement.
func (db *DB) Explain(query string) []Access {
	db.t.Helper()
	rows, err := db.QueryContext(db.t.Context(), "EXPLAIN FORMAT=TRADITIONAL "+query)
	if err != nil {
		db.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong.
	names, err := rows.Columns()        // MySQL has more of them than MariaDB.
	if err != nil {
		db.t.Fatal(err)
	}
	var list []Access
	for rows.Next() {
		var table, kind, key, extra sql.NullString
		var n sql.NullString // of MariaDB with a filter "1 (0%)"
		row := make([]any, len(names))
		for i, name := range names {
			switch name {
			case "table":
				row[i] = &table
			case "type":
				row[i] = &kind
			case "key":
				row[i] = &key
			case "rows":
				row[i] = &n
			case "Extra":
				row[i] = &extra
			default:
				row[i] = new(sql.RawBytes)
			}
		}
		if err := rows.Scan(row...); err != nil {
			db.t.Fatal(err)
		}
		number, _, _ := strings.Cut(n.String, " ")
		expects, _ := strconv.ParseInt(number, 10, 64) // NULL where it reads no table
		list = append(list, Access{table.String, kind.String, key.String, expects, slices.Contains(strings.Split(extra.String, "; "), "Using index")})
	}
	if err := rows.Err(); err != nil {
		db.t.Fatal(err)
	}
	return list
}
