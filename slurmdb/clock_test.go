package slurmdb_test

import (
	"errors"
	"fmt"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestClockJumpsForward: ten days for a while, in all new connections. Each poll
// that is not believed is as if it had not been, and takes no connection along
// whose clock may be wrong for good.
func TestClockJumpsForward(t *testing.T) {
	db := privateServer(t).New(t, slurmdbtest.R2505)
	db.Account("reader", "secret", "SELECT") // init_connect is for users without privileges
	now := db.Clock()
	errAhead := errors.New("ahead")
	c := config(db)
	c.User, c.Password = "reader", "secret"
	c.Believe = func(t ostrich.Time) error {
		if t > ostrich.Time(now)+1000 {
			return errAhead
		}
		return nil
	}
	r := open(t, c)
	db.Put(slurmdbtest.Job{ID: 1, User: 1001, Submit: now - 100, Start: now - 90, Limit: 60})
	if b, err := tryPoll(t, r); err != nil || len(b.Events) != 2 || len(b.Skipped) != 0 {
		t.Fatalf("%d events, %v, %v", len(b.Events), b.Skipped, err)
	}

	kill := func(init string) {
		t.Helper()
		db.Run("SET GLOBAL init_connect = ?", init)
		var id int // the pool is one of a single connection
		if err := db.QueryRowContext(t.Context(), "SELECT id FROM information_schema.processlist WHERE user = 'reader'").Scan(&id); err != nil {
			t.Fatal(err)
		}
		db.Run(fmt.Sprint("KILL ", id))
	}
	kill("SET timestamp=unix_timestamp()+864000")
	db.Put(slurmdbtest.Job{ID: 2, User: 1001, Submit: now - 50})
	for range 3 {
		if b, err := tryPoll(t, r); !errors.Is(err, errAhead) || len(b.Events)+len(b.Skipped) > 0 {
			t.Fatalf("ten days ahead: %v %v, %v", b.Events, b.Skipped, err)
		}
	}
	if _, known := r.Record(1); !known {
		t.Error("job 1 is a runaway")
	}
	db.Run("SET GLOBAL init_connect = ''") // and nobody kills the connection
	if b, err := tryPoll(t, r); err != nil || len(b.Events) != 1 || b.Events[0].Job.ID != 2 || len(b.Skipped) > 0 {
		t.Errorf("after: %v %v, %v", b.Events, b.Skipped, err)
	}
}

// privateServer is one whose settings a test may change.
func privateServer(t *testing.T) *slurmdbtest.Server {
	t.Helper()
	server, err := slurmdbtest.Start(t.Context(), slurmdbtest.Options{})
	if errors.Is(err, slurmdbtest.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}
