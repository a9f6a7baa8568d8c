package sidecar

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
)

// backfilled is a site with a backfill cycle that ends at a time.
type backfilled struct {
	*site
	until time.Time
	asked func()
}

func (b *backfilled) Diag(ctx context.Context) (slurm.Diag, error) {
	d, err := b.site.Diag(ctx)
	if d.Backfilling = time.Now().Before(b.until); b.asked != nil {
		b.asked()
	}
	return d, err
}

func (b *backfilled) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	r, err := b.site.Update(ctx, ch, changes)
	r.Queue = slices.Clone(b.Pending)
	return r, err
}

// beside returns the sidecar of a site with two jobs and a journal, and a backfill
// cycle that lasts some time from now on.
func beside(t *testing.T, lasts time.Duration) (*backfilled, *Sidecar) {
	t.Helper()
	w := &backfilled{site: newSite(), until: time.Now().Add(lasts)}
	w.submit(1, 1, 9000, "main")
	w.submit(2, 2, 9000, "main")
	c := configuration.Default()
	c.Cluster = w.Conf.ClusterName
	s, err := New(c, w, w, w.Conf, w.Parts)
	if err != nil {
		t.Fatal(err)
	}
	if s.journal, err = journal.Open(filepath.Join(t.TempDir(), "journal")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.journal.Close() })
	return w, s
}

// A burst waits for the end of a backfill cycle, but not for long, and goes by
// the queue as it is then.
func TestBurstWaits(t *testing.T) {
	for _, tt := range []struct{ lasts, want time.Duration }{
		{0, 0}, {3 * time.Second, 3 * time.Second}, {time.Hour, longestWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, s := beside(t, tt.lasts)
			began := time.Now()
			w.asked = func() {
				if time.Since(began) > time.Second {
					w.Pending[1].Priority = 0 // held meanwhile
				}
			}
			c := run(t, s, true)
			equal(t, "waited", tt.want, time.Since(began))
			written := 1
			if tt.want == 0 {
				written = 2
			}
			equal(t, "written", written, len(c.Outcomes))
		})
	}
}

// Nobody waits for a daemon that is told to stop.
func TestBurstStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := beside(t, time.Hour)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := s.Run(ctx, true); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		equal(t, "bursts", 0, len(w.sent))
	})
}

// What is undone is written again, five times in ten minutes at most.
func TestUndoneIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := beside(t, 0)
		run(t, s, true)
		again := 0
		for minute := range 30 {
			for i := range w.Pending {
				q := &w.Pending[i]
				q.Computed = uint32(100 + q.Site)
				if q.Priority = q.Computed; q.Job == 1 {
					q.Priority = 100
				}
			}
			c := run(t, s, true)
			equal(t, "undone", 1, c.Plan.Summary.Undone)
			again += len(c.Outcomes)
			for _, o := range c.Outcomes {
				if o.Job != 1 || o.From != o.To || !o.Undone || o.Status != priority.Undone {
					t.Errorf("minute %d: %+v", minute, o)
				}
			}
			time.Sleep(time.Minute)
			s.asked = time.Now()
		}
		equal(t, "writes in half an hour", 15, again)
		words, _ := s.journal.Refused(priority.SiteFactor, 1, ostrich.Time(time.Now().Unix()))
		equal(t, "refused", "", words)
	})
}
