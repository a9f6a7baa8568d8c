package slurmdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// sizes formats the sizes in events, with times from t0.
func sizes(events []ostrich.Event) string {
	var s strings.Builder
	for _, e := range events {
		if e.Kind == ostrich.Capacity {
			fmt.Fprintf(&s, "%d %s%d\n", e.At-t0, e.Pool, e.Procs)
		}
	}
	return s.String()
}

func TestMachine(t *testing.T) {
	const (
		down, idle, mixed = 1, 2, 5
		drain, fail       = 0x200, 0x2000
	)
	type DB = slurmdbtest.DB
	for _, tt := range []struct {
		name  string
		pools []ledger.Pool
		steps []func(*DB)
		live  string
		cold  string
	}{
		{"no size known", nil, []func(*DB){func(*DB) {}}, "", ""},
		{
			"outages", nil,
			[]func(*DB){
				func(db *DB) { db.Size(32, 8, t0-900, 0) },
				func(db *DB) { db.Node("n1", down, 4, t0+50, 0); db.Node("n2", idle|drain, 4, t0+60, 0) },
				func(db *DB) { db.Node("n1", down, 4, t0+50, t0+170) },
				func(db *DB) { db.Node("n3", mixed|drain, 4, t0+250, 0); db.Node("n4", idle|fail, 4, t0+260, 0) },
				func(db *DB) { db.Node("n5", down, 4, t0+310, t0+320); db.Node("n6", idle, 4, t0+330, 0) },
			},
			"-900 32\n50 28\n60 24\n170 28\n260 24\n310 20\n320 24\n", "",
		},
		{
			"registered again with another size", nil,
			[]func(*DB){
				func(db *DB) { db.Size(32, 8, t0-900, 0); db.Node("n1", down, 4, t0-500, 0) },
				func(db *DB) { db.Size(32, 8, t0-900, t0+50); db.Node("n1", down, 4, t0-500, t0+50) },
				func(db *DB) { db.Size(40, 10, t0+50, 0); db.Node("n1", down, 4, t0+50, 0) },
			},
			"-900 32\n-500 28\n50 32\n50 36\n", "-900 32\n-500 28\n50 36\n",
		},
		{
			"pools",
			[]ledger.Pool{{Name: "a=", Nodes: []string{"n1", "n2"}}, {Name: "b=", Nodes: []string{"n2", "n3", "n4"}}},
			[]func(*DB){
				func(db *DB) { db.Size(32, 4, t0-900, 0) },
				func(db *DB) { db.Node("n1", down, 8, t0+50, 0) },
				func(db *DB) { db.Node("n2", down, 8, t0+150, 0); db.Node("n9", down, 8, t0+160, 0) },
			},
			"-900 a=16\n-900 b=24\n50 a=8\n150 a=0\n150 b=16\n", "",
		},
		{
			"pools of unlike nodes",
			[]ledger.Pool{{Name: "a=", Nodes: []string{"n1", "n2"}, Procs: 8}, {Name: "b=", Nodes: []string{"n3", "n4"}, Procs: 24}},
			[]func(*DB){
				func(db *DB) { db.Size(32, 4, t0-900, 0) },
				func(db *DB) { db.Node("n3", down, 16, t0+50, 0) },
			},
			"-900 a=8\n-900 b=24\n50 b=8\n", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := slurmdbtest.New(t, slurmdbtest.R2411)
			c := config(db)
			c.Pools = tt.pools
			r := open(t, c)
			var live strings.Builder
			for i, step := range tt.steps {
				step(db)
				r.SetClock(ostrich.Time(t0 + perStep*i))
				live.WriteString(sizes(poll(t, r).Events))
				if again := sizes(poll(t, r).Events); again != "" {
					t.Errorf("step %d: told again: %s", i, again)
				}
			}
			if diff := cmp.Diff(tt.live, live.String()); diff != "" {
				t.Errorf("step by step (-want +got):\n%s", diff)
			}
			want := tt.cold
			if want == "" {
				want = tt.live
			}
			fresh := open(t, c)
			fresh.SetClock(ostrich.Time(t0 + perStep*len(tt.steps)))
			if diff := cmp.Diff(want, sizes(poll(t, fresh).Events)); diff != "" {
				t.Errorf("cold start (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFirstSizeCountsFromTheFirstJob(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Size(32, 8, t0-100, 0)
	db.Put(slurmdbtest.Job{ID: 1, Submit: t0 - 500})
	r := open(t, config(db))
	r.SetClock(t0)
	if got := sizes(poll(t, r).Events); got != "-500 32\n" {
		t.Errorf("got %s", got)
	}
}

func TestShares(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			const parent = 0x7fffffff
			type assoc = slurmdbtest.Assoc
			db := slurmdbtest.New(t, release)
			db.Associate(
				assoc{ID: 3, Account: "physics", Above: "root", Shares: 20},
				assoc{ID: 4, Account: "theory", Above: "physics", Shares: parent},
				assoc{ID: 5, Account: "strings", Above: "theory", Shares: 3},
				assoc{ID: 6, Account: "gone", Above: "root", Shares: 3, Deleted: 1},
				assoc{ID: 7, Account: "orphan", Above: "gone", Shares: 4},
				assoc{ID: 10, User: "ann", Account: "physics", Shares: 2},
				assoc{ID: 11, User: "ann", Account: "physics", Partition: "gpu", Shares: 5},
				assoc{ID: 12, User: "bob", Account: "theory", Shares: parent},
				assoc{ID: 13, User: "cat", Account: "strings", Shares: 0},
				assoc{ID: 14, User: "dan", Account: "physics", Shares: 1, Deleted: 1},
			)
			db.Run("UPDATE c1_assoc_table SET mod_time = 1")
			db.Put(
				slurmdbtest.Job{ID: 1, User: 1001, Assoc: 11, Submit: t0 - 50, Name: "fit", Account: "physics"},
				slurmdbtest.Job{ID: 2, User: 1009, Submit: t0 - 50},
			)
			c := config(db)
			c.Shares = ledger.Tree
			r := open(t, c)
			r.SetClock(t0)
			want := &ostrich.Shares{
				Accounts: []ostrich.Account{
					{Name: "orphan", Weight: 4}, {Name: "physics", Weight: 20}, {Name: "strings", Parent: "physics", Weight: 3},
				},
				Users: []ostrich.UserShare{
					{User: 2, Weight: 1},
					{User: 10, Account: "physics", Weight: 2},
					{User: 11, Account: "physics", Weight: 5},
					{User: 12, Account: "physics", Weight: 1},
					{User: 13, Account: "strings", Weight: 0},
				},
			}
			reshares := func() []ostrich.Event {
				var all []ostrich.Event
				for _, e := range poll(t, r).Events {
					if e.Kind == ostrich.Reshare {
						all = append(all, e)
					}
				}
				return all
			}
			if diff := cmp.Diff([]ostrich.Event{{At: t0 - 50, Kind: ostrich.Reshare, Shares: want}}, reshares()); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if again := reshares(); again != nil {
				t.Errorf("told again: %v", again)
			}
			for id, name := range map[ostrich.UserID]string{11: "physics/ann", 13: "strings/cat", 99: "99"} {
				if got := r.UserName(id); got != name {
					t.Errorf("UserName(%d) = %q, want %q", id, got, name)
				}
			}
			db.Run("UPDATE c1_assoc_table SET shares = 21, mod_time = 2 WHERE id_assoc = 3")
			want.Accounts[1].Weight = 21
			if diff := cmp.Diff([]ostrich.Event{{At: t0, Kind: ostrich.Reshare, Shares: want}}, reshares()); diff != "" {
				t.Errorf("after sacctmgr (-want +got):\n%s", diff)
			}

			got, ok := r.Record(1)
			got.Job = unnumbered(got.Job)
			record := ledger.Record{
				Job: ostrich.Job{
					ID: 1, User: 11, Partition: "main", QOS: "normal", Tasks: 1, Procs: 1, Estimate: 3600, Submit: t0 - 50,
				},
				UserName: "ann", Account: "physics", Partition: "main", QOS: "normal", Name: "fit", UID: 1001, Assoc: 11,
				ArrayTask: ledger.NoTask, Eligible: t0 - 50, Limit: 3600,
			}
			if diff := cmp.Diff(record, got); !ok || diff != "" {
				t.Errorf("Record (-want +got):\n%s", diff)
			}
			live := r.Live()
			if len(live) != 2 || live[0].Job.ID != 1 || live[1].UserName != "1009" {
				t.Fatalf("Live = %v", live)
			}
			db.Run("UPDATE c1_job_table SET timelimit = 30 WHERE id_job = 1")
			reshares()
			if now := r.Live(); now[0].Limit != 1800 || live[0].Limit != 3600 || now[0] == live[0] || now[1] != live[1] {
				t.Errorf("Live = %v, was %v: only the record of job 1 is another", now, live)
			}
			if _, ok := r.Record(3); ok {
				t.Error("there is no job 3")
			}

			c.Shares = ledger.Flat
			r = open(t, c)
			if all := reshares(); all != nil {
				t.Errorf("flat shares are told: %v", all)
			}
			if got := r.UserName(1001) + " " + r.UserName(1009); got != "ann 1009" {
				t.Errorf("names %s", got)
			}
			// What leaves the tables is not known any more, as after a restart.
			db.Run("DELETE FROM c1_assoc_table WHERE id_assoc = 11")
			if reshares(); r.UserName(1001) != "1001" {
				t.Errorf("the name %s of an association that is gone", r.UserName(1001))
			}
		})
	}
}

// TestOutagesOfNoLength: a node that goes away and comes back within a second has its
// processors, however many do.
func TestOutagesOfNoLength(t *testing.T) {
	l, err := slurmdb.NewLedger(slurmdb.Config{Cluster: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	poll := l.Begin(t0)
	poll.Nodes(accounting.NodeEvent{From: t0 - 900, TRES: accounting.TRES{CPUs: 400, Nodes: 100}})
	for i := range ostrich.Time(100) {
		at := t0 - 500 + i%10
		poll.Nodes(accounting.NodeEvent{Node: fmt.Sprint("n", i), From: at, To: at, State: 1, TRES: accounting.TRES{CPUs: 4}})
	}
	var events []ostrich.Event
	poll.Enter(func(e ostrich.Event) { events = append(events, e) })
	if got, want := sizes(events), "-900 400\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOutagesReadAgain: each poll reads the outages that go on once more. As long as they are the same that costs
// little, however many nodes are out.
func TestOutagesReadAgain(t *testing.T) {
	l, err := slurmdb.NewLedger(slurmdb.Config{Cluster: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	var events []ostrich.Event
	read := func(to ostrich.Time) {
		poll := l.Begin(t0)
		poll.Nodes(accounting.NodeEvent{From: t0 - 90_000, TRES: accounting.TRES{CPUs: 4000, Nodes: 1000}})
		for i := range ostrich.Time(200) {
			poll.Nodes(accounting.NodeEvent{Node: fmt.Sprint("n", i), From: t0 - 500 + i, To: to, State: 1, TRES: accounting.TRES{CPUs: 4}})
		}
		poll.Enter(func(e ostrich.Event) { events = append(events, e) })
	}
	read(0)
	allocs := testing.AllocsPerRun(1, func() { events = nil; read(0) })
	if allocs > 1000 || len(events) != 0 {
		t.Errorf("%.0f allocations, %d events", allocs, len(events))
	}
	read(t0)
	if got, want := sizes(events), "0 4000\n"; got != want {
		t.Errorf("all are back: got\n%swant\n%s", got, want)
	}
}
