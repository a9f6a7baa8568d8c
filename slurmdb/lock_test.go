package slurmdb_test

import (
	"strings"
	"testing"
	"time"

	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// One of two connections has the lock, SELECT is enough for it, and whatever
// ends its connection gives the lock to the other: a kill, a close, silence.
func TestLock(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	c := account(t, db, "SELECT")
	lock := func(c slurmdb.Config, silence time.Duration) *slurmdb.Lock {
		t.Helper()
		l, err := slurmdb.OpenLock(t.Context(), c, silence)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	is := func(what string, want bool, ask func() (bool, error)) {
		t.Helper()
		if got, err := ask(); got != want || err != nil {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	becomes := func(what string, l *slurmdb.Lock) {
		t.Helper()
		for range 300 {
			if got, err := l.Take(t.Context()); err != nil || got {
				is(what, true, func() (bool, error) { return got, err })
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s: it never does", what)
	}
	take := func(l *slurmdb.Lock) func() (bool, error) {
		return func() (bool, error) { return l.Take(t.Context()) }
	}
	held := func(l *slurmdb.Lock) func() (bool, error) {
		return func() (bool, error) { return l.Held(t.Context()) }
	}
	first, second := lock(c, time.Hour), lock(c, time.Hour)
	is("nobody's lock is held", false, held(first))
	is("the first takes it", true, take(first))
	is("the second takes it too", false, take(second))
	is("the first has it", true, held(first))
	is("the second has it", false, held(second))

	other := c
	other.Cluster = strings.Repeat("a", 40)
	is("the lock of another cluster", true, take(lock(other, time.Hour)))
	other.Cluster += "b" // the same 64 characters at first
	is("that of a third one", true, take(lock(other, time.Hour)))

	db.CutHolder()
	if is, err := first.Held(t.Context()); is || err == nil {
		t.Errorf("killed, and held: %v, %v", is, err)
	}
	becomes("the second takes it after a kill", second)
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	silent, third := lock(c, time.Second), lock(c, time.Hour)
	becomes("after a close", silent)
	is("at once after a close", false, take(third))
	becomes("after a silence", third)
	if is, err := silent.Held(t.Context()); is || err == nil {
		t.Errorf("silent for too long, and held: %v, %v", is, err)
	}
}
