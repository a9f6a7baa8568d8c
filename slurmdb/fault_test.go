package slurmdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// stages are two moments of a cluster with rows of every kind, 100 s apart.
func stages(db *slurmdbtest.DB) (first, second func()) {
	empty := func() {
		for _, table := range []string{"job", "suspend", "event", "step"} {
			db.Run("DELETE FROM c1_" + table + "_table")
		}
	}
	first = func() {
		empty()
		db.Size(32, 2, t0-1000, 0)
		db.Node("n1", 1, 16, t0-50, t0-40)
		db.Associate(slurmdbtest.Assoc{ID: 5, User: "ann", Account: "physics", Shares: 2})
		put(job{ID: 1, Submit: -90, Start: -80, End: -20, Comment: "done", WCKey: "w"},
			job{ID: 2, Submit: -90, Start: -80, Assoc: 5, Account: "physics"},
			job{ID: 3, Submit: -70},
			job{ID: 4, Submit: -70, Array: 4, Mask: "0x7E", Tasks: 6},
			job{ID: 5, Submit: -60, Eligible: -1},
			job{ID: 6, Submit: -60, Start: -50},
			job{ID: 7, Submit: -60, Start: -55, End: -30, State: 1024},
			job{ID: 7, Submit: -29})(db)
		pauseOf(db, 6, -60, -40, -30)
	}
	second = func() {
		db.Node("n2", 1, 16, t0+50, 0)
		put(job{ID: 2, Submit: -90, Start: -80, End: 60, Assoc: 5, Account: "physics"},
			job{ID: 3, Submit: -70, Start: 20},
			job{ID: 4, Submit: -70, Array: 4, Mask: "0x7C", Tasks: 5},
			job{ID: 8, Submit: -70, Array: 4, Task: 1, Start: 30},
			job{ID: 5, Submit: -60, Eligible: -1, End: 70, State: 4},
			job{ID: 9, Submit: 40, CPUs: 4})(db)
	}
	return first, second
}

// pauseOf writes a suspension that is over, with its sum in the job's row.
func pauseOf(db *slurmdbtest.DB, id uint32, submit, start, end int64) {
	db.Pause(id, t0+submit, t0+start, t0+end)
	db.Run("UPDATE c1_job_table SET time_suspended = ? WHERE id_job = ?", end-start, id)
}

// at polls a reader at a time from t0.
func at(t testing.TB, r *slurmdb.Reader, now ostrich.Time) ([]ostrich.Event, error) {
	t.Helper()
	r.SetClock(t0 + now)
	b, err := tryPoll(t, r)
	if len(b.Skipped) > 0 {
		t.Errorf("left out: %v", b.Skipped)
	}
	return b.Events, err
}

// must polls a reader that nothing disturbs.
func must(t testing.TB, r *slurmdb.Reader, now ostrich.Time) []ostrich.Event {
	t.Helper()
	events, err := at(t, r, now)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestConnectionCut: the connection is cut after any number of bytes, and in a
// second case killed by the server before any request. A poll that did not get
// everything is as if it had not been.
func TestConnectionCut(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	first, second := stages(db)
	w := newWire(t, db.Server.Socket)
	c := account(t, db, "SELECT")
	c.Addresses = []string{w.path}
	first()
	calm := open(t, config(db))
	want := [2][]ostrich.Event{must(t, calm, 0)}
	second()
	want[1] = must(t, calm, 100)
	if len(jobEvents(want[0])) < 10 || len(jobEvents(want[1])) < 6 {
		t.Fatalf("%v", want)
	}
	// disturbed does both polls, each disturbed and again until it succeeds.
	disturbed := func(what string, disturb func(), calmed func() bool) (undisturbed bool) {
		t.Helper()
		undisturbed = true
		first()
		r, err := slurmdb.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }() // Its connection may have been killed.
		for i, now := range []ostrich.Time{0, 100} {
			if i == 1 {
				second()
			}
			disturb()
			events, err := at(t, r, now)
			whole := calmed()
			undisturbed = undisturbed && whole
			switch {
			case err != nil && whole:
				t.Fatalf("%s: %v", what, err)
			case err != nil:
				if len(events) > 0 {
					t.Errorf("%s: told of %v with %v", what, events, err)
				}
				events = must(t, r, now)
			}
			if diff := cmp.Diff(want[i], events); diff != "" {
				t.Fatalf("%s, poll %d (-want +got):\n%s", what, i, diff)
			}
		}
		return undisturbed
	}
	cuts := 0
	for n := 0; !disturbed(fmt.Sprintf("cut after %d bytes", n), func() { w.cutAfter(n) }, w.whole); n += 211 {
		cuts++
	}
	if cuts < 10 {
		t.Errorf("%d cuts: nothing was cut", cuts)
	}
	for n := 1; ; n++ {
		killed := false
		kill := func() {
			w.beforeEach(func(at int) {
				if at == n {
					killed = true
					db.Cut(c.User)
				}
			})
		}
		calmed := func() bool {
			w.beforeEach(nil)
			defer func() { killed = false }()
			return !killed
		}
		if disturbed(fmt.Sprintf("killed before request %d", n), kill, calmed) {
			if n < 5 {
				t.Errorf("only %d requests", n)
			}
			break
		}
	}
}

// TestQueryKilled: somebody kills a query that is being answered.
func TestQueryKilled(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	first, second := stages(db)
	first()
	c := account(t, db, "SELECT")
	r := open(t, c)
	must(t, r, 0)
	second()
	db.Run("RENAME TABLE c1_event_table TO c1_event_real")
	db.Run("CREATE VIEW c1_event_table AS SELECT * FROM c1_event_real WHERE SLEEP(60) = 0")
	type answer struct {
		events []ostrich.Event
		err    error
	}
	polled := make(chan answer)
	go func() {
		events, err := at(t, r, 100)
		polled <- answer{events, err}
	}()
	for {
		var id int
		err := db.QueryRowContext(t.Context(), "SELECT id FROM information_schema.processlist WHERE user = ? AND state = 'User sleep'", c.User).Scan(&id)
		if err == nil {
			db.Run(fmt.Sprintf("KILL QUERY %d", id))
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	a := <-polled
	if a.err == nil || len(a.events) > 0 || !strings.Contains(a.err.Error(), "read nodes") || !strings.Contains(a.err.Error(), "interrupted") {
		t.Errorf("a killed query: %v, %v", a.events, a.err)
	}
	db.Run("DROP VIEW c1_event_table")
	db.Run("RENAME TABLE c1_event_real TO c1_event_table")
	if events := jobEvents(must(t, r, 100)); len(events) < 6 {
		t.Errorf("after: %v", events)
	}
}

// TestPurge: slurmdbd archives and purges before any request of a poll: the ended
// jobs with their steps and suspensions, and the events of nodes; then even the live
// ones. No poll fails, no job is told of twice or forgotten, and in the end a reader
// knows what a new one does.
func TestPurge(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	first, second := stages(db)
	w := newWire(t, db.Server.Socket)
	c := config(db)
	c.Addresses = []string{w.path}
	for _, purge := range [][]string{
		{
			"DELETE s FROM c1_suspend_table s JOIN c1_job_table j USING (job_db_inx) WHERE j.time_end > 0",
			"DELETE FROM c1_event_table WHERE time_end > 0", "DELETE FROM c1_job_table WHERE time_end > 0",
		},
		{"DELETE FROM c1_suspend_table", "DELETE FROM c1_event_table WHERE node_name <> ''", "DELETE FROM c1_job_table"},
	} {
		for n := 1; ; n++ {
			first()
			r := open(t, c)
			told := must(t, r, 0)
			second()
			reached := false
			w.beforeEach(func(at int) {
				if at != n {
					return
				}
				reached = true
				for _, statement := range purge {
					if _, err := db.ExecContext(t.Context(), statement); err != nil {
						t.Error(err)
					}
				}
			})
			told = append(told, must(t, r, 100)...)
			w.beforeEach(nil)
			if !reached {
				break
			}
			told = append(told, must(t, r, 130)...)
			if err := lawful(told); err != nil {
				t.Fatalf("purged before request %d: %v\n%s", n, err, tellAll(told))
			}
			fresh := open(t, c)
			must(t, fresh, 130)
			if diff := cmp.Diff(brief(fresh), brief(r)); diff != "" {
				t.Fatalf("purged before request %d: live (-new +old):\n%s", n, diff)
			}
			open := map[ostrich.JobID]bool{}
			for _, e := range jobEvents(told) {
				open[e.Job.ID] = e.Kind != ostrich.End
			}
			for _, l := range fresh.Live() {
				delete(open, l.Job.ID)
			}
			for id, forgotten := range open {
				if forgotten {
					t.Errorf("purged before request %d: job %d has neither ended nor is it there\n%s", n, id, tellAll(told))
				}
			}
		}
	}
}

// brief is what is live. A requeued job's first submission is in a row that a new
// reader may not find any more.
func brief(r *slurmdb.Reader) (all []string) {
	for _, l := range r.Live() {
		all = append(all, fmt.Sprintf("%d of %d, %d x %d since %d, %v", l.Job.ID, l.UID, l.Job.Tasks, l.Job.Procs, l.Job.Start, l.State))
	}
	return all
}

// TestNulls: every column that may be NULL is, in every row of every table, and then
// is again what it was.
func TestNulls(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2411, slurmdbtest.R2505} {
		db := slurmdbtest.New(t, release)
		first, _ := stages(db)
		c := config(db)
		c.Hints, c.Declared, c.Shares, c.Class = true, ledger.InComment, ledger.Tree, ledger.ByScript
		c.Classes = true
		first()
		live := open(t, c)
		want := must(t, live, 0)
		nulls := 0
		for _, table := range []string{"job_table", "step_table", "event_table", "suspend_table", "assoc_table"} {
			var columns string
			if err := db.QueryRowContext(t.Context(), `SELECT COALESCE(GROUP_CONCAT(column_name), '') FROM information_schema.columns
				WHERE table_schema = DATABASE() AND table_name = ? AND is_nullable = 'YES'`, "c1_"+table).Scan(&columns); err != nil {
				t.Fatal(err)
			}
			for column := range strings.FieldsFuncSeq(columns, func(r rune) bool { return r == ',' }) {
				nulls++
				db.Run("UPDATE c1_" + table + " SET `" + column + "` = NULL")
			}
		}
		if nulls < 10 {
			t.Errorf("%s: %d columns may be NULL", release, nulls)
		}
		for what, r := range map[string]*slurmdb.Reader{"a new reader": open(t, c), "without shares": open(t, config(db))} {
			got := must(t, r, 0)
			if what == "a new reader" {
				if diff := cmp.Diff(tellAll(want), tellAll(got)); diff != "" {
					t.Errorf("%s: %s (-values +nulls):\n%s", release, what, diff)
				}
			}
			if a, b := len(live.Live()), len(r.Live()); a != b {
				t.Errorf("%s: %s: %d jobs are live, want %d", release, what, b, a)
			}
		}
		if events := must(t, live, 1); len(jobEvents(events)) > 0 {
			t.Errorf("%s: NULLs are news: %s", release, tellAll(events))
		}
		first()
		if events := must(t, live, 2); slices.ContainsFunc(events, func(e ostrich.Event) bool { return e.Kind == ostrich.End }) {
			t.Errorf("%s: the values again: %s", release, tellAll(events))
		}
	}
}

// TestLongValues: every text that is read is as long as its column allows, and those
// that are not are longer still. What they garble is left out, in few words.
func TestLongValues(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	long := func(n int) string { return strings.Repeat("ü7F", n/4) }
	put(job{ID: 1, Name: long(255), Account: long(255), WCKey: long(255), Comment: long(65535)},
		job{ID: 2, Partition: long(255)},
		job{ID: 3, TRESReq: long(65535)},
		job{ID: 4, TRES: long(65535), Start: 10},
		job{ID: 5, Array: 5, Mask: "0x" + strings.Repeat("F", 65533), Tasks: 7},
		job{ID: 6, Array: 6, Mask: long(65535), Tasks: 7})(db)
	db.Run("UPDATE c1_job_table SET submit_line = REPEAT('x', 10000000) WHERE id_job < 3")
	c := config(db)
	c.Hints, c.Declared = true, ledger.InComment
	r := open(t, c)
	r.SetClock(t0 + 100)
	for range 2 {
		b := poll(t, r)
		for _, s := range b.Skipped {
			if len(s.Why) > 300 || s.Job < 3 {
				t.Errorf("job %d: %d bytes: %.100s", s.Job, len(s.Why), s.Why)
			}
		}
	}
	var known []string
	for _, l := range r.Live() {
		known = append(known, fmt.Sprintf("%d x %d", l.Job.ID, l.Job.Tasks))
	}
	if diff := cmp.Diff([]string{"1 x 1", "2 x 1", "5 x 7"}, known); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
}
