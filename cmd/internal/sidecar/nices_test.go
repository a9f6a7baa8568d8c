package sidecar

import (
	"path/filepath"
	"slices"
	"testing"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// ordered are the jobs of a cycle's order.
func ordered(c *Cycle) (ids []ostrich.JobID) {
	for _, p := range c.Pools[0].Schedule.Order() {
		ids = append(ids, p.Job)
	}
	return ids
}

// The queue's nice values order the jobs of a campaign, those of jobs that accounting has
// not reported too; what a user changes counts in the next cycle, also while it is the
// only change; and a restart finds the same.
func TestNices(t *testing.T) {
	w := newSite()
	for i := range 3 {
		w.submit(i+1, 1, 9000, "main")
	}
	w.submit(4, 2, 9500, "main")
	w.Pending[0].Nice = 100
	history := slices.Clone(w.Events)
	s := w.start(t)
	equal(t, "first cycle", []ostrich.JobID{4, 2, 3, 1}, ordered(run(t, s, false)))

	w.Pending[1].Nice, w.Now = 50, w.Now+5
	equal(t, "another has a value", []ostrich.JobID{4, 3, 2, 1}, ordered(run(t, s, false)))
	// Accounting's record of a changed job has no nice value.
	r := w.Records[1]
	r.Job.Estimate, w.Now = 700, w.Now+5
	w.Events = []ostrich.Event{{At: w.Now, Kind: ostrich.Change, Job: r.Job}}
	equal(t, "a time limit changed", []ostrich.JobID{4, 3, 2, 1}, ordered(run(t, s, false)))
	w.Pending[0].Nice, w.Pending[3].Nice, w.Now = 0, 1<<30, w.Now+5
	equal(t, "a value is gone", []ostrich.JobID{4, 3, 1, 2}, ordered(run(t, s, false)))
	generation := run(t, s, false).Generation
	equal(t, "a quiet cycle", generation, run(t, s, false).Generation)

	// Job 1 runs, gets a value meanwhile, and is requeued.
	first := w.Pending[0]
	first.Nice, w.Now = 60, w.Now+5
	r.Job.Start, w.Pending = w.Now, w.Pending[1:]
	w.Events = []ostrich.Event{{At: w.Now, Kind: ostrich.Start, Job: r.Job}}
	equal(t, "one runs", []ostrich.JobID{4, 3, 2}, ordered(run(t, s, false)))
	w.Now += 5
	w.Events = []ostrich.Event{{At: w.Now, Kind: ostrich.Requeue, Job: r.Job}}
	r.Job.Start = 0
	w.Pending = append([]priority.Queued{first}, w.Pending...)
	equal(t, "and comes back", []ostrich.JobID{4, 3, 2, 1}, ordered(run(t, s, false)))

	w.Events = slices.Concat(history, []ostrich.Event{{At: w.Now, Kind: ostrich.Change, Job: r.Job}})
	equal(t, "a restart", []ostrich.JobID{4, 3, 2, 1}, ordered(run(t, w.start(t), false)))
}

func TestNiceBeforeAccounting(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9990, "main")
	s := w.start(t)
	run(t, s, false)
	w.submit(2, 1, 9991, "main")
	w.submit(3, 1, 9991, "main")
	for i := range w.Pending {
		w.Pending[i].UID, w.Pending[i].CPUs, w.Pending[i].TimeLimit = 1, 2, 600
	}
	w.Pending[1].Nice = 10
	late := w.Events
	w.Events = nil
	delete(w.Records, 2)
	delete(w.Records, 3)
	equal(t, "not yet in accounting", []ostrich.JobID{1, 3, 2}, ordered(run(t, s, false)))
	w.Events, w.Now = late, w.Now+5
	for _, e := range late {
		w.Records[e.Job.ID] = &ledger.Record{Job: e.Job}
	}
	equal(t, "in accounting", []ostrich.JobID{1, 3, 2}, ordered(run(t, s, false)))
}

// A comment and a nice value do not take each other away, whichever changes first.
func TestNiceAndComment(t *testing.T) {
	r := &remarks{site: newSite()}
	for id := range 3 {
		r.remark(id+1, 9000, "")
	}
	s := r.begin(t)
	cycle := func(what string, work ostrich.Work, order ...ostrich.JobID) {
		t.Helper()
		s.comments.read = s.comments.read.Add(-configAge)
		r.Now += 60
		c := run(t, s, false)
		equal(t, what, order, ordered(c))
		equal(t, what+": work", work, c.Campaigns(0)[0].Work)
	}
	cycle("none", 2*(600+600+600), 1, 2, 3)
	r.comments[0].Text, r.Pending[0].Nice, r.Pending[2].Nice = "expect=1", 10, -10
	cycle("both", 2*(60+600+600), 3, 2, 1)
	r.Pending[0].Nice = 20
	cycle("another nice value", 2*(60+600+600), 3, 2, 1)
	r.comments[0].Text = "expect=2"
	cycle("another comment", 2*(120+600+600), 3, 2, 1)
}

// A pin takes a job's nice value away, and the journal remembers it. Channel nice has
// its own values there.
func TestNiceOfTheChannel(t *testing.T) {
	for _, tt := range []struct {
		channel priority.Channel
		want    []ostrich.JobID
	}{
		{priority.Priority, []ostrich.JobID{2, 1}},
		{priority.Nice, []ostrich.JobID{1, 2}},
	} {
		w := newSite()
		w.submit(1, 1, 9000, "main")
		w.submit(2, 1, 9000, "main")
		w.Pending[0].Nice = 30
		s := w.start(t, func(c *configuration.Config) { c.Priority.Channel = tt.channel })
		var err error
		if s.journal, err = journal.Open(filepath.Join(t.TempDir(), "journal")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.journal.Close() })
		equal(t, string(tt.channel), tt.want, ordered(run(t, s, true)))
		for _, c := range w.sent[0] {
			q := &w.Pending[c.Job-1]
			if tt.channel == priority.Nice {
				q.Nice = c.To
			} else {
				q.Priority, q.Pinned, q.Nice, q.SiteKnown = uint32(c.To), true, 0, false
			}
		}
		w.Now += 5
		equal(t, string(tt.channel)+" after its writes", tt.want, ordered(run(t, s, false)))
	}
}
