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
func open(t testing.TB, db *slurmdbtest.DB) *slurmdb.Reader {
	t.Helper()
	r, err := slurmdb.Open(t.Context(), slurmdb.Config{
		Addresses: []string{db.Server.Socket}, User: "root", Database: db.Name, Cluster: db.Cluster, Config: ledger.Config{History: day},
	})
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
