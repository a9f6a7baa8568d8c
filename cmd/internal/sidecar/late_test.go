package sidecar

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// A user whom the host does not know is excluded by the name that accounting has.
func TestExcludedUserWithoutName(t *testing.T) {
	w := newSite()
	for i, shown := range []string{"1001", "nobody", "u3", "u4"} {
		w.submit(i+1, i+1, 9000, "main")
		w.Records[ostrich.JobID(i+1)].UserName = fmt.Sprint("u", i+1)
		w.Pending[i].User = shown
	}
	s := w.start(t, func(c *configuration.Config) { c.Exclude.Users = []string{"u1", "u2", "u3"} })
	c := run(t, s, true)
	equal(t, "managed", 1, c.Plan.Summary.Managed)
	equal(t, "written", ostrich.JobID(4), w.sent[0][0].Job)
}

// slow is a site whose tables take long to read.
type slow struct {
	*site
	takes time.Duration
}

func (s *slow) PollEach(ctx context.Context, event func(ostrich.Event)) (ledger.Batch, error) {
	time.Sleep(s.takes)
	if s.takes > 0 {
		s.Pending[1].Priority = 0 // held meanwhile
	}
	return s.site.PollEach(ctx, event)
}

// A queue that has grown old while the tables were read is read again.
func TestSlowReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{site: newSite(), takes: time.Minute}
		w.submit(1, 1, 9000, "main")
		w.submit(2, 2, 9000, "main")
		c := configuration.Default()
		c.Cluster = w.Conf.ClusterName
		s, err := New(c, w, w, w.Conf, w.Parts)
		if err != nil {
			t.Fatal(err)
		}
		first := run(t, s, true)
		equal(t, "calls", []string{"diag", "queue", "poll", "queue", "diag", "update"}, w.calls)
		equal(t, "written", 1, len(first.Outcomes))
		w.takes, w.calls = 0, nil
		s.asked = time.Now() // the controller's configuration is not due
		run(t, s, false)
		equal(t, "calls of a normal cycle", []string{"diag", "queue", "poll"}, w.calls)
	})
}

// A deep queue is written over several cycles, the head of the order first.
func TestMostWrites(t *testing.T) {
	w := newSite()
	for i := range mostWrites + 10 {
		w.submit(i+1, i%7+1, 9000, "main")
	}
	s := w.start(t, func(c *configuration.Config) { c.Priority.Depth = 2 * mostWrites })
	for i, want := range []int{mostWrites, 10, 0} {
		c := run(t, s, true)
		equal(t, fmt.Sprint("writes of cycle ", i), want, len(c.Outcomes))
		if i == 0 {
			equal(t, "head", c.Plan.Entries[0].Job, c.Outcomes[0].Job)
			equal(t, "last", c.Plan.Entries[mostWrites-1].Job, c.Outcomes[mostWrites-1].Job)
		}
	}
}

// Accounting has reported a job with an invalid row, so the clock goes on.
func TestSkippedJobIsHeard(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	w.Skipped = []ledger.Skip{{Job: 2, Why: "of no size"}} // told before the queue has it
	run(t, s, false)
	w.submit(2, 2, 10_010, "main")
	w.Events = nil
	delete(w.Records, 2)
	for _, now := range []ostrich.Time{10_020, 10_080, 10_200, 10_300} {
		w.Now = now
		c := run(t, s, false)
		equal(t, "clock", now, c.Time)
		equal(t, "why", "accounting row left out: of no size", c.Plan.Entries[1].Why.String())
	}
	// Another row of the job is told of while it waits, and then one that is right.
	w.Skipped = []ledger.Skip{{Job: 2, Why: "of no user"}}
	equal(t, "why", "accounting row left out: of no user", run(t, s, false).Plan.Entries[1].Why.String())
	queue := w.Pending
	w.Pending = w.Pending[:1]
	w.submit(2, 2, 10_010, "main")
	w.Pending = queue
	equal(t, "managed", 2, run(t, s, false).Plan.Summary.Managed)
	w.Pending = w.Pending[:1]
	run(t, s, false)
	equal(t, "remembered after it left", 0, len(s.skipped))
}

// Nothing is written once the end has come, as nobody may wait for it.
func TestNoWriteAfterTheEnd(t *testing.T) {
	w := newSite()
	w.submit(1, 1, 9000, "main")
	s := w.start(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if c, err := s.Run(ctx, true); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("%v, %v", c, err)
	}
	equal(t, "bursts", 0, len(w.sent))
	if s.Writing() {
		t.Error("still writing")
	}
}
