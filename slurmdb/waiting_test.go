package slurmdb_test

import (
	"cmp"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestExpect: what slurmctld says of a job that waits makes the job that its row makes.
func TestExpect(t *testing.T) {
	const (
		submit    = t0 - 5
		snakemake = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	)
	jobs := []struct {
		row  job
		says ledger.Waiting
	}{
		{job{}, ledger.Waiting{Limit: 3600}},
		{job{CPUs: 6, Limit: 5}, ledger.Waiting{Procs: 6, Limit: 300}},
		// Without a limit slurmctld shows the partition's, and where that has none, none.
		{job{Limit: slurmdbtest.NoVal}, ledger.Waiting{Limit: 7200}},
		{job{Limit: slurmdbtest.NoVal, Partition: "endless"}, ledger.Waiting{Partition: "endless"}},
		{job{Limit: slurmdbtest.Infinite}, ledger.Waiting{}},
		{job{Array: 6, Mask: "0x3E", Tasks: 5, CPUs: 2}, ledger.Waiting{Array: 6, Tasks: 5, Procs: 2, Limit: 3600}},
		{job{Het: 7}, ledger.Waiting{Het: 7, Limit: 3600}},
		{job{Het: 7, CPUs: 2}, ledger.Waiting{Het: 7, Procs: 2, Limit: 3600}},
		{job{Name: "fit:run-17", WCKey: "pdf"}, ledger.Waiting{Name: "fit:run-17", WCKey: "pdf", Limit: 3600}},
		{job{WCKey: "*pdf"}, ledger.Waiting{WCKey: "*pdf", Limit: 3600}},
		// Snakemake's rule stands in the comment, which the line of submission has too.
		{
			job{Name: snakemake, Submitted: "sbatch --job-name " + snakemake + " --comment rule_align_wildcards_s=a -o x.log a.sh"},
			ledger.Waiting{Name: snakemake, Comment: "rule_align_wildcards_s=a", Limit: 3600},
		},
		{job{Name: "snakejob_sort_7"}, ledger.Waiting{Name: "snakejob_sort_7", Comment: "anything", Limit: 3600}},
		{job{User: 1002, Account: "bio", Assoc: 6}, ledger.Waiting{UID: 1002, User: "bob", Account: "bio", Limit: 3600}},
		{job{Partition: "short", Assoc: 5}, ledger.Waiting{Partition: "short", Limit: 3600}},
	}
	classes := []ledger.ClassBy{ledger.ByName, ledger.NoClass, ledger.ByScript, ledger.ByName, ledger.ByKind} // by declared
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2205, slurmdbtest.R2505} {
		for by, first := range map[ledger.ShareBy]string{ledger.Flat: "ann", ledger.Tree: "bio/ann"} {
			db := slurmdbtest.New(t, release)
			db.Associate(
				slurmdbtest.Assoc{ID: 1, Account: "root"}, slurmdbtest.Assoc{ID: 2, Account: "bio", Above: "root", Shares: 1},
				slurmdbtest.Assoc{ID: 3, User: "ann", Account: "bio", Partition: "main", Shares: 1, Deleted: 1},
				slurmdbtest.Assoc{ID: 4, User: "ann", Account: "bio", Shares: 1},
				slurmdbtest.Assoc{ID: 5, User: "ann", Account: "bio", Partition: "short", Shares: 1},
				slurmdbtest.Assoc{ID: 6, User: "bob", Account: "bio", Shares: 1},
			)
			for declared, how := range ledger.DeclareNames {
				t.Run(fmt.Sprintf("%s/%v/%s", release, by, how), func(t *testing.T) {
					db.Run("DELETE FROM c1_job_table")
					c := config(db)
					c.Shares, c.Declared, c.Class = by, ledger.DeclareBy(declared), classes[declared]
					c.Partitions = map[string]ledger.Partition{"main": {MaxTime: 7200}}
					r := open(t, c)
					r.SetClock(t0)
					poll(t, r)
					var expected []ledger.Record
					for i, tt := range jobs {
						w, row := tt.says, tt.row
						row.ID, row.Submit = uint32(i+1), submit
						w.ID, w.Submit = ostrich.JobID(row.ID), submit
						if w.UID == 0 {
							w.UID, w.User, w.Account, row.User = 1001, "ann", "bio", 1001
						}
						row.Assoc = cmp.Or(row.Assoc, 4)
						w.Partition, w.QOS = cmp.Or(w.Partition, "main"), "normal"
						w.Name = cmp.Or(w.Name, fmt.Sprint("job", row.ID))
						w.Tasks, w.Procs = max(w.Tasks, 1), max(w.Procs, 1)
						rec, ok := r.Expect(&w)
						if !ok {
							t.Fatalf("job %d is not expected", row.ID)
						}
						expected = append(expected, rec)
						db.Put(row)
					}
					if name := r.UserName(expected[0].Job.User); name != first {
						t.Errorf("user %q of a job that is expected, want %q", name, first)
					}
					var told []ledger.Record
					for _, e := range jobEvents(poll(t, r).Events) {
						if e.Kind == ostrich.Submit {
							rec, _ := r.Record(e.Job.ID)
							rec.Job, rec.Limit = e.Job, expected[len(told)].Limit // squeue shows the partition's
							rec.UserName, rec.Assoc, rec.Eligible = "", 0, 0
							told = append(told, rec)
						}
					}
					if diff := gocmp.Diff(told, expected); diff != "" {
						t.Errorf("row - expected +\n%s", diff)
					}
				})
			}
		}
	}
}

// TestExpectNot: what cannot be ordered without its row is not expected.
func TestExpectNot(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	c := config(db)
	c.Shares = ledger.Tree
	r := open(t, c)
	poll(t, r)
	for what, w := range map[string]ledger.Waiting{
		"no processors":     {ID: 1, Tasks: 1, Submit: t0, User: "root", Account: "root"},
		"too many":          {ID: 1, Tasks: 1, Procs: 1<<31 + 1, Submit: t0, User: "root", Account: "root"},
		"no tasks":          {ID: 1, Procs: 1, Submit: t0, User: "root", Account: "root"},
		"no time":           {ID: 1, Tasks: 1, Procs: 1, User: "root", Account: "root"},
		"unknown to shares": {ID: 1, Tasks: 1, Procs: 1, Submit: t0, User: "zoe", Account: "bio"},
	} {
		if j, ok := r.Expect(&w); ok {
			t.Errorf("%s: %+v", what, j)
		}
	}
}
