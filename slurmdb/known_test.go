package slurmdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestKnown(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			db.Associate(
				slurmdbtest.Assoc{ID: 9, Account: "physics", Above: "root", Shares: 3},
				slurmdbtest.Assoc{ID: 10, User: "alice", Account: "physics", Shares: 1},
				slurmdbtest.Assoc{ID: 13, User: "alice", Account: "physics", Partition: "gpu", Shares: 5},
				slurmdbtest.Assoc{ID: 11, User: "bob", Account: "physics", Shares: 1, Deleted: 1},
			)
			db.Run("INSERT INTO qos_table (creation_time, mod_time, id, name, priority, usage_factor, deleted) " +
				"VALUES (1, 1, 2, 'high', 100, 0.5, 0), (1, 1, 3, 'old', 9, 1, 1)")
			got, err := open(t, config(db)).Known(t.Context())
			want := slurmdb.Known{
				Users: []string{"alice", "bob", "root"}, Accounts: []string{"physics", "root"}, QOS: []string{"high", "normal", "old"},
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}
