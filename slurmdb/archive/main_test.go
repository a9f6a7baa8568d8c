package archive_test

import (
	"os"
	"testing"

	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }

// open opens a test database as root.
func open(t testing.TB, db *slurmdbtest.DB, edits ...func(*slurmdb.Config)) *slurmdb.Reader {
	t.Helper()
	c := slurmdb.Config{
		Addresses: []string{db.Server.Socket}, User: "root", Database: db.Name, Cluster: db.Cluster, Config: ledger.Config{History: day},
	}
	for _, edit := range edits {
		edit(&c)
	}
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
