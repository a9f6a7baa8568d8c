package slurmdb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestServers(t *testing.T) {
	other := privateServer(t)
	for name, test := range map[string]func(*testing.T, *slurmdbtest.Server){
		"in turn": serversInTurn, "that cannot work": serversThatCannotWork, "lock": lockOfTwoServers,
	} {
		t.Run(name, func(t *testing.T) { test(t, other) })
	}
}

// two are databases of the same name on two servers, and what reads both in turn.
func two(t *testing.T, other *slurmdbtest.Server) (first, second *slurmdbtest.DB, c slurmdb.Config) {
	t.Helper()
	first = slurmdbtest.New(t, slurmdbtest.R2411)
	second = other.Named(t, slurmdbtest.R2411, first.Name)
	c = config(first)
	c.Addresses = []string{first.Server.Socket, second.Server.Socket}
	return first, second, c
}

// The first server that can be read is read, and one that is behind what another
// one told cannot.
func serversInTurn(t *testing.T, server *slurmdbtest.Server) {
	first, second, c := two(t, server)
	now := first.Clock()
	rows := []slurmdbtest.Job{
		{ID: 1, User: 1001, Submit: now - 100, Start: now - 90, End: now - 50},
		{ID: 2, User: 1001, Submit: now - 40},
		{ID: 3, User: 1001, Submit: now - 45, Start: now - 30},
		{ID: 4, User: 1001, Submit: now + 80000, Eligible: -1}, // its clock goes ahead; it proves nothing
	}
	first.Put(rows...)
	none := filepath.Join(t.TempDir(), "none")
	for _, tt := range []struct {
		addresses []string
		want      string
		passed    string // part of the words
	}{
		{c.Addresses, c.Addresses[0], ""},
		{[]string{none, c.Addresses[1]}, c.Addresses[1], "no such file"},
		{[]string{none, "127.0.0.1:1", c.Addresses[0]}, c.Addresses[0], "refused"},
	} {
		c := c
		c.Addresses = tt.addresses
		r := open(t, c)
		if got := r.Reached(); got.Address != tt.want || got.Latest != 0 {
			t.Errorf("%v: %+v, want %s", tt.addresses, got, tt.want)
		}
		if err := r.Passed(); (err == nil) != (tt.passed == "") || err != nil && !strings.Contains(err.Error(), tt.passed) {
			t.Errorf("%v: passed %v, want %q", tt.addresses, err, tt.passed)
		}
	}
	r := open(t, c)
	poll(t, r)
	if got, want := r.Reached(), (slurmdb.Reached{Address: c.Addresses[0], Latest: ostrich.Time(now - 30)}); got != want {
		t.Fatalf("reached %+v, want %+v", got, want)
	}
	c.Reached = r.Reached()
	other := c
	other.Addresses = []string{none, c.Addresses[1]}
	stale := func(want bool) {
		t.Helper()
		r, err := slurmdb.Open(t.Context(), other)
		if (err != nil) != want || want && !strings.Contains(err.Error(), slurmdb.ErrStale.Error()) {
			t.Errorf("stale: %v, want %v", err, want)
		}
		if err == nil {
			_ = r.Close() // it was only tried
		}
	}
	stale(true) // it is empty
	second.Put(rows[0], rows[1], rows[3])
	stale(true) // job 2 was submitted before job 3 began
	second.Put(slurmdbtest.Job{ID: 3, User: 1001, Submit: now - 45})
	stale(true) // so it has been, but has not begun
	second.Put(rows[2])
	stale(false)
	second.Put(slurmdbtest.Job{ID: 3, User: 1001, Submit: now - 45, Start: now - 30, End: now - 5})
	stale(false)
	other.Addresses = c.Addresses[1:]
	other.Reached = slurmdb.Reached{Address: c.Addresses[1], Latest: ostrich.Time(now)}
	stale(false) // what a server told is not held against it

	// The way back: the second has told of the end of job 3, the first knows nothing of it.
	c.Reached = slurmdb.Reached{}
	back := slices.Clone(c.Addresses)
	link := filepath.Join(t.TempDir(), "s")
	c.Addresses = []string{link, back[1]}
	spare := open(t, c)
	poll(t, spare)
	earlier := func(want bool) {
		t.Helper()
		if got := spare.Earlier(t.Context()); got != want {
			t.Errorf("the first can be read again: %v, want %v", got, want)
		}
	}
	earlier(false)
	if err := os.Symlink(back[0], link); err != nil {
		t.Fatal(err)
	}
	earlier(false)
	first.Put(slurmdbtest.Job{ID: 3, User: 1001, Submit: now - 45, Start: now - 30, End: now - 5})
	earlier(true)
	if open(t, c).Earlier(t.Context()) {
		t.Error("there is a server before the first")
	}
}

// TestAgeWithoutScan: how old a server's data are costs the same however long its job table is.
func TestAgeWithoutScan(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Seed(slurmdbtest.Seeding{Ended: 20000, Live: 200, Users: 20, First: 1_700_000_000, Every: 60})
	c := config(db)
	c.Reached = slurmdb.Reached{Address: "elsewhere:3306", Latest: 1_700_000_000}
	rows, err := open(t, c).RowsRead(t.Context())
	if err != nil || rows > 2000 {
		t.Errorf("%d rows read to compare a server with another: %v", rows, err)
	}
}

// What is wrong with the first server, when it is there, is an error of the
// configuration. What is wrong with another one is none while the first is away.
func serversThatCannotWork(t *testing.T, server *slurmdbtest.Server) {
	_, second, c := two(t, server)
	c.Cluster = "c2"
	if _, err := slurmdb.Open(t.Context(), c); !errors.Is(err, slurmdb.ErrCluster) {
		t.Errorf("the first lacks the cluster: %v", err)
	}
	second.Run("RENAME TABLE cluster_table TO away")
	c.Cluster, c.Addresses = "c1", []string{filepath.Join(t.TempDir(), "none"), c.Addresses[1]}
	_, err := slurmdb.Open(t.Context(), c)
	if !errors.Is(err, slurmdb.ErrConnect) || errors.Is(err, slurmdb.ErrColumns) || !strings.Contains(err.Error(), "has no cluster_table") {
		t.Errorf("the second lacks the tables: %v", err)
	}
	second.Run("RENAME TABLE away TO cluster_table")
}

// A server that goes away while it is read is an error that says so, also for who
// asks it again.
func TestServerGone(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	c := account(t, db, "SELECT")
	link := filepath.Join(t.TempDir(), "s")
	if err := os.Symlink(c.Addresses[0], link); err != nil {
		t.Fatal(err)
	}
	c.Addresses = []string{link}
	r := open(t, c)
	poll(t, r)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	db.Cut(c.User)
	for range 2 {
		if _, err := tryPoll(t, r); !errors.Is(err, slurmdb.ErrConnect) {
			t.Errorf("the server is gone: %v", err)
		}
	}
}

// Who has the lock keeps it as long as one of the servers
// confirms it, and nobody else gets it meanwhile. Two addresses of one server are
// one server.
func lockOfTwoServers(t *testing.T, server *slurmdbtest.Server) {
	first, second, c := two(t, server)
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(c.Addresses[0], alias); err != nil {
		t.Fatal(err)
	}
	c.Addresses = append(c.Addresses, alias, filepath.Join(t.TempDir(), "none"))
	lock := func() *slurmdb.Lock {
		t.Helper()
		l, err := slurmdb.OpenLock(t.Context(), c, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	is := func(what string, want, got bool, err error) {
		t.Helper()
		if got != want || err != nil {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	take := func(what string, want bool, l *slurmdb.Lock) {
		t.Helper()
		got, err := l.Take(t.Context())
		is(what, want, got, err)
	}
	held := func(what string, want bool, l *slurmdb.Lock) {
		t.Helper()
		got, err := l.Held(t.Context())
		is(what, want, got, err)
	}
	// cut ends the connection that has the lock at a server.
	cut := func(db *slurmdbtest.DB) {
		t.Helper()
		db.CutHolder()
		for { // The server frees it once the connection has ended.
			var free bool
			if err := db.QueryRowContext(t.Context(), "SELECT IS_FREE_LOCK('ostrich."+db.Name+"."+db.Cluster+"')").Scan(&free); err != nil {
				t.Fatal(err)
			}
			if free {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	a, b := lock(), lock()
	take("the first daemon takes it", true, a)
	take("and the second too", false, b)
	cut(first)
	held("one server confirms it", true, a)
	over, end := context.WithCancel(t.Context())
	end()
	if got, err := a.Held(over); got || err == nil {
		t.Errorf("without time to ask: %v, %v", got, err)
	}
	held("which says nothing of the lock", true, a)
	take("the second takes it, as one server is free", false, b)
	if got, err := b.Held(t.Context()); got || err != nil {
		t.Errorf("the second keeps what it got: %v, %v", got, err)
	}
	take("a third one takes it", false, lock())
	cut(second)
	if got, err := a.Held(t.Context()); got || err == nil {
		t.Errorf("no server confirms it: %v, %v", got, err)
	}
	take("the second takes it", true, b)
	held("the second has it", true, b)
}
