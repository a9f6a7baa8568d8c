package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// page keeps what the status page shows. Each cycle is described when it ends: the
// schedules may only be looked at between cycles, and what was there when somebody asked
// last may be of yesterday. Who asks while the first cycle runs waits for it a little;
// while a later one runs, the page shows what was before it.
type page struct {
	shown  chan struct{}                               // closed with the first cycle; nil where nobody can ask or no cycles run
	latest atomic.Pointer[func() *statuspage.Snapshot] // makes that of the latest cycle, once

	mu     sync.Mutex
	daemon statuspage.Daemon
}

const (
	// patience is how long a request waits for the end of the first cycle.
	patience = 2 * time.Second
	// mostWritesShown is how many lines of the journal the page shows.
	mostWritesShown = 50
)

// know changes what the daemon knows beside its cycles.
func (p *page) know(change func(*statuspage.Daemon)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.daemon)
}

// configured takes settings that are in effect from now on.
func (p *page) configured(c *sidecar.Config) {
	p.know(func(d *statuspage.Daemon) {
		d.Cluster, d.Mode, d.Channel, d.PriorityMode = c.Cluster, c.Mode, c.Priority.Channel, c.Priority.Mode
		d.Interval, d.Journal = c.Interval, c.Journal
	})
}

// observe takes a cycle.
func (p *page) observe(c *sidecar.Cycle) {
	p.know(func(d *statuspage.Daemon) {
		d.Lag, d.Took, d.Skipped, d.Odd = c.Lag, c.Took, len(c.Skipped), len(c.Odd)
		d.Written, d.Refused, d.NoEffect = count(c.Outcomes, priority.Applied), count(c.Outcomes, priority.Refused), count(c.Outcomes, priority.NotApplied)
	})
}

// show takes a described cycle, and what the comparison had found by then.
func (p *page) show(cycle *view.Cycle, found *livecompare.Report) {
	snapshot := sync.OnceValue(func() *statuspage.Snapshot { return statuspage.New(cycle, found) })
	if p.latest.Swap(&snapshot) == nil {
		close(p.shown)
	}
}

// await waits for the first cycle, but not for long.
func (p *page) await(ctx context.Context) {
	if p.shown == nil {
		return
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case <-p.shown:
	case <-enough.C:
	case <-ctx.Done():
	}
}

// snapshot is what there is to show now.
func (d *daemon) snapshot(ctx context.Context) *statuspage.Snapshot {
	p := &d.page
	p.await(ctx)
	s := statuspage.New(nil, nil)
	if latest := p.latest.Load(); latest != nil {
		s = (*latest)()
	}
	p.mu.Lock()
	known := p.daemon
	p.mu.Unlock()
	now := d.now()
	known.Ready = d.status.ready(now)
	if known.Journal != "" {
		known.Writes, known.Unread = journal.Tail(known.Journal, mostWritesShown)
	}
	return s.With(&known, now)
}
