package slurmdb_test

import (
	"os"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }

// config reads a test database as root.
func config(db *slurmdbtest.DB) slurmdb.Config {
	return slurmdb.Config{
		Addresses: []string{db.Server.Socket}, User: "root", Database: db.Name, Cluster: db.Cluster, Config: ledger.Config{History: 86400},
	}
}

func open(t testing.TB, c slurmdb.Config) *slurmdb.Reader {
	t.Helper()
	r, err := slurmdb.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// batch is a batch with its events.
type batch struct {
	ledger.Batch
	Events []ostrich.Event
}

func tryPoll(t testing.TB, r *slurmdb.Reader) (b batch, err error) {
	b.Batch, err = r.PollEach(t.Context(), func(e ostrich.Event) { b.Events = append(b.Events, e) })
	return b, err
}

// unnumbered takes the numbers of what a job asks of nodes away, which are those of one reader: see TestNeeds.
func unnumbered(j ostrich.Job) ostrich.Job {
	j.Needs = 0
	return j
}

func poll(t testing.TB, r *slurmdb.Reader) batch {
	t.Helper()
	b, err := tryPoll(t, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Events {
		b.Events[i].Job = unnumbered(b.Events[i].Job)
	}
	return b
}

// jobEvents leaves out the events of the machine.
func jobEvents(all []ostrich.Event) []ostrich.Event {
	var jobs []ostrich.Event
	for _, e := range all {
		if e.Kind != ostrich.Capacity && e.Kind != ostrich.Reshare {
			jobs = append(jobs, e)
		}
	}
	return jobs
}
