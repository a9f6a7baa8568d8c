package slurmdb_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestFind: the newest row of an id, of an array's task and of a component counts,
// whether it has ended or not.
func TestFind(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2411, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			now := db.Clock()
			t0 := now - 10_000
			db.Associate(slurmdbtest.Assoc{ID: 5, User: "alice", Account: "physics", Shares: 1})
			db.Put(
				slurmdbtest.Job{ID: 7, User: 1001, Assoc: 5, Submit: t0 - 9_000_000, Start: t0 - 9_000_000, End: t0 - 8_000_000},
				slurmdbtest.Job{ID: 7, User: 1002, Submit: t0, Start: t0 + 60, End: t0 + 600, State: 5, CPUs: 4, Suspended: 40, Account: "gone"},
				slurmdbtest.Job{ID: 7, User: 1003, Submit: t0 + 700, Deleted: 1},
				slurmdbtest.Job{ID: 8, User: 1001, Assoc: 5, Submit: t0, Eligible: t0 + 30, Start: t0 + 90},
				slurmdbtest.Job{ID: 9, User: 1001, Assoc: 5, Submit: t0, End: t0 + 70, State: 4},
				slurmdbtest.Job{ID: 20, User: 1001, Assoc: 5, Submit: t0, Start: t0 + 1, End: t0 + 2, Array: 20, Task: 9},
				slurmdbtest.Job{ID: 23, User: 1001, Assoc: 5, Submit: t0, Start: t0 + 3, Array: 20, Task: 4},
				slurmdbtest.Job{ID: 13, User: 1001, Assoc: 5, Submit: t0 - 9_000_000, Start: t0 - 9_000_000, End: t0 - 8_000_000, Array: 20, Task: 4},
				slurmdbtest.Job{ID: 31, User: 1001, Assoc: 5, Submit: t0, Start: t0 + 1, Het: 30},
			)
			type got struct {
				id    ostrich.JobID
				user  string
				state accounting.State
				wait  ostrich.Time // from the submission to the start
				end   ostrich.Time // from the submission
				procs int
			}
			r := open(t, config(db))
			for range 2 { // without a poll, and after one
				for _, test := range []struct {
					id           ostrich.JobID
					task, offset int
					want         got
				}{
					{7, -1, -1, got{7, "1002", accounting.Failed, 60, 600, 4}},
					{8, -1, -1, got{8, "alice", accounting.Running, 90, -ostrich.Time(t0), 1}},
					{9, -1, -1, got{9, "alice", accounting.Cancelled, -ostrich.Time(t0), 70, 1}},
					{20, -1, -1, got{20, "alice", accounting.Completed, 1, 2, 1}},
					{20, 4, -1, got{23, "alice", accounting.Running, 3, -ostrich.Time(t0), 1}},
					{30, -1, 1, got{31, "alice", accounting.Running, 1, -ostrich.Time(t0), 1}},
				} {
					j, ok, err := r.Find(t.Context(), test.id, test.task, test.offset)
					if err != nil || !ok {
						t.Fatalf("job %d: %v, %v", test.id, ok, err)
					}
					is := got{j.Job.ID, j.UserName, j.State, j.Job.Start - j.Job.Submit, j.Job.End - j.Job.Submit, j.Job.Procs}
					if is != test.want {
						t.Errorf("job %d: %+v, want %+v", test.id, is, test.want)
					}
				}
				for _, none := range [][3]int{{6, -1, -1}, {20, 5, -1}, {7, 0, -1}, {30, -1, 2}, {31, -1, 0}} {
					if j, ok, err := r.Find(t.Context(), ostrich.JobID(none[0]), none[1], none[2]); ok || err != nil {
						t.Errorf("job %v: %+v, %v", none, j, err)
					}
				}
				poll(t, r)
			}
			if j, _, _ := r.Find(t.Context(), 7, -1, -1); j.Job.Suspended != 40 || j.Account != "gone" {
				t.Errorf("suspended for %d s, account %s", j.Job.Suspended, j.Account)
			}
			if j, _, _ := r.Find(t.Context(), 8, -1, -1); j.Eligible != ostrich.Time(t0+30) || j.Account != "physics" {
				t.Errorf("eligible at %d, account %s", j.Eligible, j.Account)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if _, _, err := r.Find(t.Context(), 7, -1, -1); err == nil || !strings.HasPrefix(err.Error(), "slurmdb: read ") {
				t.Errorf("closed: %v", err)
			}
		})
	}
}

// TestStarted: what started in [from, to), ended or not, and nothing else.
func TestStarted(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2505)
	from := db.Clock() - 5000
	db.Put(
		slurmdbtest.Job{ID: 1, User: 1001, Submit: from - 100, Start: from - 1, End: from + 50},
		slurmdbtest.Job{ID: 2, User: 1001, Submit: from - 100, Start: from, End: from + 50},
		slurmdbtest.Job{ID: 3, User: 1001, Submit: from - 100, Start: from + 99},
		slurmdbtest.Job{ID: 4, User: 1001, Submit: from - 100, Start: from + 100},
		slurmdbtest.Job{ID: 5, User: 1001, Submit: from + 50, Start: from + 50, End: from + 400},
		slurmdbtest.Job{ID: 6, User: 1001, Submit: from + 50},
		slurmdbtest.Job{ID: 7, User: 1001, Submit: from + 50, End: from + 60, State: 4},
		slurmdbtest.Job{ID: 8, User: 1001, Submit: from - 100, Start: from - 50, End: from - 10},
	)
	r := open(t, config(db))
	var ids []ostrich.JobID
	visit := func(j *accounting.Row) { ids = append(ids, j.ID) }
	if err := r.Started(t.Context(), ostrich.Time(from), ostrich.Time(from+100), visit); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	if want := []ostrich.JobID{2, 3, 5}; !slices.Equal(ids, want) {
		t.Errorf("started: %v, want %v", ids, want)
	}
	err := r.Started(t.Context(), ostrich.Time(from-86400), ostrich.Time(from), visit)
	if !errors.Is(err, slurmdb.ErrTooMuch) || err.Error() != "too much to read: it was submitted earlier than database.history reaches back" {
		t.Errorf("before the history: %v", err)
	}
	db.Run("INSERT INTO c1_job_table (id_job, time_submit, time_start, time_end, id_assoc, id_user, id_group, id_qos, id_resv, id_wckey, id_array_job, id_array_task, het_job_id, het_job_offset, "+
		"job_name, `partition`, priority, state, timelimit, cpus_req, nodes_alloc, account, state_reason_prev, job_db_inx, tres_alloc, tres_req) "+
		"SELECT 1000 + seq, ?, ?, ?, 0, 1, 1, 1, 0, 0, 0, 4294967294, 0, 4294967294, 'x', 'main', 0, 3, 60, 1, 1, 'a', 0, 1000 + seq, '1=1', '1=1' FROM "+db.Sequence(200001), from, from, from+1)
	n := len(ids)
	err = r.Started(t.Context(), ostrich.Time(from), ostrich.Time(from+100), visit)
	if !errors.Is(err, slurmdb.ErrTooMuch) || len(ids) != n || !strings.Contains(err.Error(), "more than 200000 jobs have ended since its submission") {
		t.Errorf("too many: %v, %d visited", err, len(ids)-n)
	}
}

// TestFindNoScan asks the server how it finds a job in a large table.
func TestFindNoScan(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			db.Seed(slurmdbtest.Seeding{Ended: 20000, Live: 200, Users: 20, First: 1_700_000_000, Every: 60})
			db.Run("UPDATE c1_job_table SET id_array_job = id_job - id_job % 1000, id_array_task = id_job % 1000")
			db.Run("ANALYZE TABLE c1_job_table")
			for i, query := range open(t, config(db)).FindQueries(5000) {
				for _, a := range db.Explain(query) {
					t.Logf("%d: %s by %s, %d rows", i, a.Kind, a.Key, a.Rows)
					if !slices.Contains([]string{"ref", "range", "const", "ref|filter"}, a.Kind) || a.Key == "" || a.Rows > 1000 {
						t.Errorf("%s by %s with %d rows: %s", a.Kind, a.Key, a.Rows, query)
					}
				}
			}
		})
	}
}
