package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// tables are a MariaDB database into which an emulated slurmdbd writes, and the account
// by which one daemon reads it.
type tables struct {
	*slurmdbtest.DB

	t    *testing.T
	user string
	door string // a link to the server's socket
	from *memslurm.Accounting
}

const (
	secret = "secret"
	assoc0 = 10 // the association of user 0
)

// tablesOf creates the tables of a cluster whose users never change.
func tablesOf(t *testing.T, server *slurmdbtest.Server, release slurmdbtest.Release, cluster *memslurm.Cluster, user string, users []memslurm.User) *tables {
	t.Helper()
	d := &tables{DB: server.New(t, release), t: t, user: user, door: filepath.Join(t.TempDir(), "s"), from: cluster.Reader()}
	d.SetMaxIdleConns(1) // the process has as many descriptors after a trouble as before
	d.Account(user, secret, "SELECT")
	d.open()
	accounts := make(map[string]bool)
	for _, u := range users {
		if !accounts[u.Account] {
			accounts[u.Account] = true
			d.Associate(slurmdbtest.Assoc{ID: uint32(100 + len(accounts)), Account: u.Account, Above: "root", Shares: 1})
		}
		d.Associate(slurmdbtest.Assoc{ID: assoc0 + uint32(u.UID), User: u.Name, Account: u.Account, Shares: 1})
	}
	d.Run("UPDATE c1_assoc_table SET mod_time = 1") // a day is long ago by the emulated clock
	return d
}

// source adds the database to the configuration of a daemon.
func (d *tables) source(c *configuration.Config) {
	c.Database.Addresses = []string{d.door}
	c.Database.User, c.Database.Password, c.Database.Name = d.user, secret, d.Name
}

// write writes what slurmdbd has been told of, up to the moment at which it went away;
// 0 means that it is there.
func (d *tables) write(ctx context.Context, frozen ostrich.Time, cluster *memslurm.Config) {
	d.t.Helper()
	d.from.Frozen = frozen
	var ids []ostrich.JobID
	jobs := make(map[ostrich.JobID]ostrich.Job)
	_, err := d.from.PollEach(ctx, func(e ostrich.Event) {
		if e.Kind == ostrich.Capacity {
			d.Size(e.Procs, cluster.Nodes, int64(e.At), 0)
			return
		}
		if _, again := jobs[e.Job.ID]; !again {
			ids = append(ids, e.Job.ID)
		}
		jobs[e.Job.ID] = e.Job
	})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, id := range ids {
		j := jobs[id]
		row := slurmdbtest.Job{
			ID: uint32(id), User: uint32(j.User), Assoc: assoc0 + uint32(j.User), CPUs: uint32(j.Procs), Limit: uint32(j.Estimate / 60),
			Submit: int64(j.Submit), Start: int64(j.Start), End: int64(j.End),
		}
		for _, u := range cluster.Users {
			if u.UID == j.User {
				row.Account = u.Account
			}
		}
		d.Put(row)
	}
}

// number asks for one.
func (d *tables) number(query string, args ...any) (n int) {
	d.t.Helper()
	if err := d.QueryRowContext(d.t.Context(), query, args...).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// holder is the connection that holds the lock by which one daemon writes, or 0.
func (d *tables) holder() int {
	d.t.Helper()
	return d.number("SELECT COALESCE(IS_USED_LOCK(?), 0)", "ostrich."+d.Name+"."+d.Cluster)
}

// unlock kills that connection, and returns when the lock is free.
func (d *tables) unlock() {
	d.t.Helper()
	for id := d.holder(); id != 0; id = d.holder() {
		d.kill("CONNECTION", id)
	}
}

// cut kills the account's connections but one, and returns when the server has ended them.
func (d *tables) cut(spared int) {
	d.t.Helper()
	const others = "SELECT COALESCE(MIN(id), 0) FROM information_schema.processlist WHERE user = ? AND id <> ?"
	for id := d.number(others, d.user, spared); id != 0; id = d.number(others, d.user, spared) {
		d.kill("CONNECTION", id)
	}
}

// kill kills a connection or its query. It may have ended meanwhile, which is an error.
func (d *tables) kill(what string, id int) {
	_, _ = d.ExecContext(d.t.Context(), fmt.Sprintf("KILL %s %d", what, id))
}

// open lets the daemon in.
func (d *tables) open() {
	d.t.Helper()
	if err := os.Symlink(d.Server.Socket, d.door); err != nil && !errors.Is(err, os.ErrExist) {
		d.t.Fatal(err)
	}
	d.Run("ALTER USER ?@'%' ACCOUNT UNLOCK", d.user)
}

// shut lets it in no more: the server denies access, or the socket is gone.
func (d *tables) shut(how trouble) {
	d.t.Helper()
	if how == denied {
		d.Run("ALTER USER ?@'%' ACCOUNT LOCK", d.user)
	} else if err := os.Remove(d.door); err != nil {
		d.t.Fatal(err)
	}
}

// during calls act with the id of the connection while a query of the account for a table
// waits in the server, and poll to make that query.
func (d *tables) during(table string, act func(id int), poll func()) {
	d.t.Helper()
	ctx := d.t.Context()
	holds, err := d.Conn(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = holds.Close() }() // it goes back to the pool
	if _, err = holds.ExecContext(ctx, "LOCK TABLES c1_"+table+"_table WRITE"); err != nil {
		d.t.Fatal(err)
	}
	over, acted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(acted)
		for {
			var id int
			bad := d.QueryRowContext(ctx, "SELECT COALESCE(MIN(id), 0) FROM information_schema.processlist "+
				"WHERE user = ? AND state LIKE 'Waiting for table%'", d.user).Scan(&id)
			if bad != nil {
				d.t.Error(bad)
				return
			}
			if id > 0 {
				act(id)
				return
			}
			select {
			case <-over:
				d.t.Errorf("nobody reads the table %s", table)
				return
			default:
			}
		}
	}()
	poll()
	close(over)
	<-acted
	if _, err = holds.ExecContext(ctx, "UNLOCK TABLES"); err != nil {
		d.t.Fatal(err)
	}
}

// clocks sets the clock that new connections of the accounts see, and ends the old ones.
func clocks(now ostrich.Time, all ...*tables) {
	for _, d := range all {
		d.t.Helper()
		d.Run(fmt.Sprintf("SET GLOBAL init_connect = 'SET timestamp = %d'", now))
		d.cut(d.holder())
	}
}

// opens returns how a daemon opens its sidecar. It may write when a
// lead says so.
func opens(ctl slurmctld, through func(*slurmdb.Reader) sidecar.Accounting, lead *sidecar.Lead) func(context.Context, configuration.Config) (cycler, error) {
	return func(ctx context.Context, c configuration.Config) (cycler, error) {
		controller, err := ctl.Controller(ctx)
		if err != nil {
			return nil, err
		}
		partitions, err := ctl.Partitions(ctx)
		if err != nil {
			return nil, err
		}
		source, err := c.Source()
		if err != nil {
			return nil, err
		}
		reader, err := slurmdb.Open(ctx, source)
		if err != nil {
			return nil, err
		}
		s, err := sidecar.New(c, through(reader), ctl, controller, partitions)
		if err == nil && lead != nil {
			err = s.Follow(lead, source)
		}
		if err != nil {
			return nil, errors.Join(err, reader.Close())
		}
		return s, nil
	}
}

// disturbed is a reader of the database that has trouble.
type disturbed struct {
	*slurmdb.Reader

	o *ordeal
}

// readTables are read in each poll.
var readTables = []string{"job", "event", "assoc"}

func (a *disturbed) PollEach(ctx context.Context, event func(ostrich.Event)) (batch ledger.Batch, err error) {
	o := a.o
	table := readTables[o.random.IntN(len(readTables))]
	during := func(ctx context.Context, act func(id int)) {
		o.tables.during(table, act, func() { batch, err = a.Reader.PollEach(ctx, event) })
		if err == nil {
			o.t.Error("a poll that was broken off succeeded")
		}
	}
	switch {
	case o.shut > 0: // the poll fails by that
	case o.strikes(queryKilled):
		during(ctx, func(id int) { o.tables.kill("QUERY", id) })
		return batch, err
	case o.strikes(connectionKilled):
		during(ctx, func(id int) { o.tables.kill("CONNECTION", id) })
		return batch, err
	case o.strikes(killedInQuery):
		ending, cancel := context.WithCancel(ctx)
		during(ending, func(int) { cancel() })
		panic(killed{})
	case o.strikes(killedAtPoll):
		left := o.random.IntN(20)
		_, err := a.Reader.PollEach(ctx, func(e ostrich.Event) {
			if left--; left < 0 {
				panic(killed{})
			}
			event(e)
		})
		if err != nil {
			o.t.Error(err)
		}
		panic(killed{})
	}
	return a.Reader.PollEach(ctx, event)
}
