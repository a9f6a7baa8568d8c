package sacctsource_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/sacctsource"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// TestSuspensions: sacct prints a sum alone, and the polls tell when each began and ended.
func TestSuspensions(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	p := newPair(t, db, nil)
	defer func() { _ = p.reader.Close() }()
	j := slurmdbtest.Job{ID: 7, User: 1001, Submit: base, Start: base + 10}
	put := func(what string) {
		t.Helper()
		db.Put(j)
		p.agree(what)
	}
	put("runs")
	for i, at := range []int64{100, 200} {
		j.State, j.Suspended = 2, uint64(base+at)-j.Suspended
		db.Put(j)
		db.Pause(7, base, base+at, 0)
		p.agree("suspended")
		if i == 0 {
			j.State, j.Suspended = 1, uint64(base+at+30)-j.Suspended
			db.Pause(7, base, base+at, base+at+30)
			put("resumed")
		}
	}
	j.Suspended, j.State, j.End = uint64(base+260)-j.Suspended, 3, base+300
	db.Pause(7, base, base+200, base+260)
	put("ended")
}

// TestNoSubmission: a row without a time of submission is left out with a reason, once, and
// the others count. One of a known job does not end the job while squeue lists it. A node
// may be out since nobody knows when.
func TestNoSubmission(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 4, base-100, 0)
	db.Node("n3", 1, 2, 0, 0)
	db.Put(slurmdbtest.Job{ID: 1, User: 1001}, slurmdbtest.Job{ID: 2, User: 1001, Submit: base}, slurmdbtest.Job{ID: 3, User: 1001, Submit: base})
	p := newPair(t, db, nil)
	defer func() { _ = p.reader.Close() }()
	p.agree("cold start")
	db.Remove(3, base)
	db.Put(slurmdbtest.Job{ID: 3, User: 1001}, slurmdbtest.Job{ID: 4, User: 1001, Submit: base})
	p.twin.now = ostrich.Time(base + 900)
	for i, want := range []int{1, 0} {
		b, err := p.source.PollEach(t.Context(), func(ostrich.Event) {})
		if err != nil || len(b.Skipped) != want || len(p.source.Live()) != 3 {
			t.Errorf("poll %d: %v, left out %v, %d unfinished jobs", i, err, b.Skipped, len(p.source.Live()))
		}
	}
}

// TestFailure: a poll in which a command fails reports nothing, and the next one reports
// all. So the clock of the virtual schedule stands while sacct does not answer.
func TestFailure(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	p := newPair(t, db, nil)
	defer func() { _ = p.reader.Close() }()
	p.twin.now = ostrich.Time(base + 900)
	for _, state := range []slurmdbtest.Job{
		{ID: 1, User: 1001, Submit: base},
		{ID: 1, User: 1001, Submit: base, Start: base + 20},
		{ID: 1, User: 1001, Submit: base, Start: base + 20, End: base + 60},
	} {
		db.Put(state)
		for _, command := range []string{"sdiag", "squeue", "sacct", "sacctmgr", "event"} {
			if state.Start != 0 && (command == "sacctmgr" || command == "event") {
				continue // not asked within a minute
			}
			p.twin.fail = command
			_, err := p.source.PollEach(t.Context(), func(e ostrich.Event) { t.Errorf("%s fails, and yet %v", command, e) })
			if !errors.Is(err, errAway) {
				t.Errorf("%s fails: %v", command, err)
			}
		}
		p.twin.fail = ""
		p.agree("after the failures")
	}
}

// TestCost: the first poll runs one sacct, after one that says which columns it knows, and
// one more for jobs that are not eligible.
// Where nothing has changed, one tells so, of what has ended lately.
func TestCost(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	for id := range uint32(50) {
		db.Put(slurmdbtest.Job{ID: id + 1, User: 1001, Submit: base + int64(id)})
	}
	p := newPair(t, db, nil)
	defer func() { _ = p.reader.Close() }()
	ran := func(what, want string) {
		t.Helper()
		p.twin.ran = nil
		p.agree(what)
		if got := strings.Join(p.twin.ran, " "); got != want {
			t.Errorf("%s: ran %s, want %s", what, got, want)
		}
	}
	ran("first", "sdiag squeue sacct sacct sacctmgr event")
	ran("quiet", "sdiag squeue sacct")
	db.Put(slurmdbtest.Job{ID: 60, User: 1001, Submit: base + 60, Eligible: -1})
	ran("a held job", "sdiag squeue sacct sacct")
	ran("quiet again", "sdiag squeue sacct")
	db.Put(slurmdbtest.Job{ID: 1, User: 1001, Submit: base, Start: base + 70, End: base + 80})
	ran("an end", "sdiag squeue sacct")
	asked := p.twin.now
	for _, tt := range []struct {
		after ostrich.Time
		want  string
	}{{200, "sdiag squeue sacct sacctmgr event"}, {259, "sdiag squeue sacct"}, {260, "sdiag squeue sacct sacctmgr event"}} {
		p.twin.ran, p.twin.now = nil, asked+tt.after
		if _, err := p.source.PollEach(t.Context(), func(ostrich.Event) {}); err != nil || strings.Join(p.twin.ran, " ") != tt.want {
			t.Errorf("after %d s: %v, ran %s, want %s", tt.after, err, p.twin.ran, tt.want)
		}
	}
}

// running is a twin whose squeue has all jobs as running, with the same text.
type running struct{ *twin }

func (w running) Unfinished(ctx context.Context) ([]slurm.Unfinished, error) {
	all, err := w.twin.Unfinished(ctx)
	for i := range all {
		all[i].Status, all[i].Text = slurm.Runs, "runs"
	}
	return all, err
}

// TestHalfWritten: slurmctld tells slurmdbd of the step of a job that starts at once before it tells of the job, whose row is then one of a
// pending job with a start (findings/sacct-job-before-its-name.sh). It is read again until the job runs there, too.
func TestHalfWritten(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	db.Put(slurmdbtest.Job{ID: 1, User: 1001, Submit: base, Start: base})
	write := func(state accounting.State) {
		if _, err := db.ExecContext(t.Context(), "UPDATE c1_job_table SET state = ?", uint32(state)); err != nil {
			t.Fatal(err)
		}
	}
	write(accounting.Pending)
	s, err := sacctsource.New(running{&twin{t: t, db: db, now: ostrich.Time(base + 1)}}, slurmdb.Config{Cluster: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	poll := func() (starts int) {
		if _, err := s.PollEach(t.Context(), func(e ostrich.Event) {
			if e.Kind == ostrich.Start {
				starts++
			}
		}); err != nil {
			t.Fatal(err)
		}
		return starts
	}
	if n := poll(); n != 0 {
		t.Errorf("%d started by a half-written row", n)
	}
	write(accounting.Running)
	if n := poll(); n != 1 {
		t.Errorf("%d started by the whole row, want 1", n)
	}
}

// TestRefused: without a cluster there is no source, and by a clock that is not believed
// nothing is read.
func TestRefused(t *testing.T) {
	w := &twin{t: t, now: 7}
	if _, err := sacctsource.New(w, slurmdb.Config{}); !errors.Is(err, slurmdb.ErrConfig) {
		t.Errorf("without a cluster: %v", err)
	}
	wrong := errors.New("wrong")
	s, err := sacctsource.New(w, slurmdb.Config{Cluster: "c1", Believe: func(now ostrich.Time) error {
		if now != 7 {
			t.Errorf("asked of %d", now)
		}
		return wrong
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.PollEach(t.Context(), func(e ostrich.Event) { t.Error(e) }); !errors.Is(err, wrong) || len(w.ran) != 1 {
		t.Errorf("%v, ran %q", err, w.ran)
	}
}

// TestPast: questions about single jobs have the answers that the tables give.
func TestPast(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	base := db.Clock() - 1000
	db.Size(8, 1, base-100, 0)
	db.Associate(slurmdbtest.Assoc{ID: 11, User: "user1001", Account: "physics"})
	db.Put(
		slurmdbtest.Job{ID: 1, User: 1001, Assoc: 11, Account: "physics", Submit: base, Start: base + 5, End: base + 50},
		slurmdbtest.Job{ID: 2, User: 1001, Assoc: 11, Account: "physics", Submit: base, Start: base + 5, End: base + 50, State: 1024},
		slurmdbtest.Job{ID: 2, User: 1001, Assoc: 11, Account: "physics", Submit: base + 50},
		slurmdbtest.Job{ID: 4, User: 1001, Assoc: 11, Account: "physics", Submit: base, Array: 3, Task: 9, Start: base + 100},
		slurmdbtest.Job{ID: 6, User: 1001, Assoc: 11, Account: "physics", Submit: base, Het: 5},
		slurmdbtest.Job{ID: 8, User: 1002, Account: "nobody's", Submit: base}, // without an association
		slurmdbtest.Job{ID: 9, User: 1002, Account: "nobody's", Submit: base, Start: base, End: base + 9},
		slurmdbtest.Job{ID: 10, User: 1001, Assoc: 11, Account: "physics", Submit: base, Start: base + 60}, // too late to have started before
	)
	p := newPair(t, db, nil)
	defer func() { _ = p.reader.Close() }()
	for _, q := range []struct {
		id           ostrich.JobID
		task, offset int
	}{{1, -1, -1}, {2, -1, -1}, {3, 9, -1}, {3, 8, -1}, {5, -1, 1}, {8, -1, -1}, {9, -1, -1}, {77, -1, -1}} {
		want, known, err := p.reader.Find(t.Context(), q.id, q.task, q.offset)
		got, knows, bad := p.source.Find(t.Context(), q.id, q.task, q.offset)
		got.QOS, got.Job.QOS = "", "" // each row of sacct's names it, and the reader has not polled
		if err != nil || bad != nil || known != knows || want != got {
			t.Errorf("%v: %+v, %v, %v; by sacct %+v, %v, %v", q, want, known, err, got, knows, bad)
		}
	}
	started := func(from func(visit func(*accounting.Row)) error) (ids []ostrich.JobID) {
		if err := from(func(r *accounting.Row) { ids = append(ids, r.ID) }); err != nil {
			t.Error(err)
		}
		slices.Sort(ids)
		return ids
	}
	from, to := ostrich.Time(base), ostrich.Time(base+60)
	p.twin.now = ostrich.Time(base + 500)
	want := started(func(visit func(*accounting.Row)) error { return p.reader.Started(t.Context(), from, to, visit) })
	got := started(func(visit func(*accounting.Row)) error { return p.source.Started(t.Context(), from, to, visit) })
	if !slices.Equal(want, got) || len(got) != 3 {
		t.Errorf("started: %v; by sacct %v", want, got)
	}
	for what, started := range map[string]func(context.Context, ostrich.Time, ostrich.Time, func(*accounting.Row)) error{
		"tables": p.reader.Started, "sacct": p.source.Started,
	} {
		err := started(t.Context(), p.twin.now-86_401, to, func(r *accounting.Row) { t.Errorf("%s: %+v", what, r) })
		if !errors.Is(err, slurmdb.ErrTooMuch) {
			t.Errorf("%s: before the history: %v", what, err)
		}
	}
	known, err := p.reader.Known(t.Context())
	knows, bad := p.source.Known(t.Context())
	if diff := cmp.Diff(known, knows); diff != "" || err != nil || bad != nil {
		t.Errorf("%v, %v; names (-tables +sacct):\n%s", err, bad, diff)
	}
	for most, want := range map[int]error{9: nil, 8: slurmdb.ErrTooMuch} { // 8 rows and their head
		h, err := p.source.History(t.Context(), from-5, most)
		if !errors.Is(err, want) || err == nil && (len(h.Jobs) == 0 || h.From != from-5) {
			t.Errorf("a history of %d lines: %+v, %v", most, h, err)
		}
	}
}
