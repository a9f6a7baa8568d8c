package slurmdb_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestNoScan asks the server how it runs the statements of a poll, on a table
// large enough for the answer to count.
func TestNoScan(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			const first = 1_700_000_000
			db.Seed(slurmdbtest.Seeding{Ended: 20000, Live: 200, Users: 20, First: first, Every: 60})
			db.Run(`INSERT INTO c1_suspend_table (job_db_inx, id_assoc, time_start, time_end)
				SELECT job_db_inx, 1, time_start, time_end FROM c1_job_table WHERE time_end > 0`)
			db.Run(`INSERT INTO c1_event_table (node_name, time_start, time_end, reason, state)
				SELECT CONCAT('n', seq % 100), 1600000000 + seq, 1600000001 + seq, '', 1 FROM ` + db.Sequence(20000))
			c := config(db)
			c.Class, c.Hints, c.Declared = ledger.ByScript, true, ledger.InComment // all that can be read
			r := open(t, c)
			poll(t, r)
			noScan(t, db, r.PollQueries(ostrich.Time(first+20000*60-120)), 1000)
		})
	}
}

// noScan asks the server how it runs statements, and wants indexes that lead to the
// most rows or fewer.
func noScan(t testing.TB, db *slurmdbtest.DB, queries map[string]string, most int64) {
	t.Helper()
	for name, query := range queries {
		for _, a := range db.Explain(query) {
			t.Logf("%-8s %s: %s by %s, %d rows", name, a.Table, a.Kind, a.Key, a.Rows)
			if !slices.Contains([]string{"ref", "range", "const", "eq_ref"}, a.Kind) || a.Rows > most {
				t.Errorf("%s: %s of %s with %d rows: %s", name, a.Kind, a.Table, a.Rows, query)
			}
		}
	}
}

// TestPastNoScan asks the server how it reads a window.
func TestPastNoScan(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			const first = 1_700_000_000
			db.Seed(slurmdbtest.Seeding{Ended: 20000, Live: 200, Users: 20, First: first, Every: 60})
			r := open(t, config(db))
			for i, query := range r.CountQueries(first + 19700*60) {
				accesses := db.Explain(query)
				if a := accesses[len(accesses)-1]; !a.Covered {
					t.Errorf("%d: %s by %s reads the rows that it counts: %s", i, a.Kind, a.Key, query)
				}
			}
			for i, query := range r.PastQueries(first+19700*60, first+20000*60) {
				for _, a := range db.Explain(query) {
					if !slices.Contains([]string{"ref", "range"}, a.Kind) || a.Key == "" || a.Rows > 1000 {
						t.Fatalf("%d: %s by %s with %d rows: %s", i, a.Kind, a.Key, a.Rows, query)
					}
				}
			}
		})
	}
}
