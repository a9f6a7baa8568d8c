package slurmdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

func TestLifeOfAJob(t *testing.T) {
	for _, release := range []slurmdbtest.Release{slurmdbtest.R2011, slurmdbtest.R2205, slurmdbtest.R2411, slurmdbtest.R2505} {
		t.Run(string(release), func(t *testing.T) {
			db := slurmdbtest.New(t, release)
			now := db.Clock()
			t0 := now - 1000
			db.Size(32, 8, t0-100, 0)
			r := open(t, config(db))
			b := poll(t, r)
			if diff := cmp.Diff([]ostrich.Event{{At: ostrich.Time(t0 - 100), Kind: ostrich.Capacity, Procs: 32}}, b.Events); diff != "" {
				t.Fatalf("machine (-want +got):\n%s", diff)
			}
			job := ostrich.Job{ID: 7, User: 1001, Partition: "main", QOS: "normal", Tasks: 1, Procs: 4, Estimate: 3600, Submit: ostrich.Time(t0)}
			row := slurmdbtest.Job{ID: 7, User: 1001, Submit: t0, CPUs: 4}
			step := func(want ...ostrich.Event) {
				t.Helper()
				db.Put(row)
				if diff := cmp.Diff(want, poll(t, r).Events); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if again := poll(t, r); len(again.Events) != 0 {
					t.Errorf("told again: %v", again.Events)
				}
			}
			step(ostrich.Event{At: job.Submit, Kind: ostrich.Submit, Job: job})
			row.Start = t0 + 10
			job.Start = ostrich.Time(t0 + 10)
			step(ostrich.Event{At: job.Start, Kind: ostrich.Start, Job: job})
			row.End = t0 + 50
			job.End = ostrich.Time(t0 + 50)
			step(ostrich.Event{At: job.End, Kind: ostrich.End, Job: job})
		})
	}
}

// TestQOS: events name the QOS of a job, also one that the site has just made, and its
// change.
func TestQOS(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2505)
	r := open(t, config(db))
	r.SetClock(t0)
	row := slurmdbtest.Job{ID: 7, User: 1001, Submit: t0 - 5}
	told := func(kind ostrich.Kind, qos string) {
		t.Helper()
		db.Put(row)
		events := jobEvents(poll(t, r).Events)
		if len(events) != 1 || events[0].Kind != kind || events[0].Job.QOS != qos {
			t.Errorf("told %v, want %v with QOS %s", events, kind, qos)
		}
	}
	told(ostrich.Submit, "normal")
	r.SetClock(t0 + 3000)
	db.Run("INSERT INTO qos_table (creation_time, mod_time, id, name, priority, usage_factor, deleted) VALUES (0, 0, 9, 'urgent', 9, 1, 0)")
	row.QOS = 9
	told(ostrich.Change, "urgent")
	row.Start = t0 + 2990
	told(ostrich.Start, "urgent")
}

// A job that may run with any of several QOS, since 24.11, has all of them while it waits, as
// squeue lists them, whichever Slurm tried last. It runs with one.
func TestSeveralQOS(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	db.Run("INSERT INTO qos_table (creation_time, mod_time, id, name, priority, usage_factor, deleted) VALUES (0, 0, 9, 'urgent', 9, 1, 0)")
	r := open(t, config(db))
	r.SetClock(t0)
	row := slurmdbtest.Job{ID: 7, User: 1001, Submit: t0 - 5, QOS: 9, AnyQOS: "urgent,normal"}
	for _, step := range []struct {
		change func()
		kind   ostrich.Kind
		qos    string
	}{
		{func() {}, ostrich.Submit, "urgent,normal"},
		{func() { row.AnyQOS = "urgent" }, ostrich.Change, "urgent"},
		{func() { row.AnyQOS = "normal,urgent" }, ostrich.Change, "normal,urgent"},
		{func() { row.Start, row.QOS = t0-1, 1 }, ostrich.Start, "normal"},
	} {
		step.change()
		db.Put(row)
		events := jobEvents(poll(t, r).Events)
		if len(events) != 1 || events[0].Kind != step.kind || events[0].Job.QOS != step.qos {
			t.Errorf("told %v, want %v with QOS %s", events, step.kind, step.qos)
		}
		if rec, known := r.Record(7); !known || rec.QOS != step.qos {
			t.Errorf("record %+v, want QOS %s", rec, step.qos)
		}
	}
}
