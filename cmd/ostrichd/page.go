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
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// page keeps what the status page shows. It describes each cycle when the cycle ends:
// the schedules may only be read between cycles, and what an earlier request saw
// may be a day old. Requests during the first cycle wait up to 2 s; later ones
// get the previous snapshot.
type page struct {
	shown  chan struct{}                               // closed after the first cycle; nil if there are no requests or no cycles
	latest atomic.Pointer[func() *statuspage.Snapshot] // makes the snapshot of the latest cycle, once

	mu     sync.Mutex
	daemon statuspage.Daemon
}

const (
	// patience is how long a request waits for the end of the first cycle.
	patience = 2 * time.Second
	// mostWritesShown is how many writes of the journal the page shows.
	mostWritesShown = 50
)

// know changes what the daemon knows besides its cycles.
func (p *page) know(change func(*statuspage.Daemon)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.daemon)
}

// configured sets the settings that are in effect from now on.
func (p *page) configured(c *sidecar.Config) {
	p.know(func(d *statuspage.Daemon) {
		d.Cluster, d.Mode, d.Channel, d.PriorityMode = c.Cluster, c.Mode, c.Priority.Channel, c.Priority.Mode
		d.Interval, d.Journal = ostrich.Duration(c.Interval/time.Second), c.Journal
	})
}

// observe keeps the figures of a cycle.
func (p *page) observe(c *sidecar.Cycle) {
	p.know(func(d *statuspage.Daemon) {
		d.Lag, d.Took, d.Skipped, d.Odd = c.Lag, c.Took.Seconds(), len(c.Skipped), len(c.Odd)
		d.Written, d.Refused, d.NoEffect = count(c.Outcomes, priority.Applied), count(c.Outcomes, priority.Refused), count(c.Outcomes, priority.NotApplied)
	})
}

// show replaces the snapshot by one of a described cycle and the comparison so far.
func (p *page) show(cycle *view.Cycle, found *livecompare.Report) {
	snapshot := sync.OnceValue(func() *statuspage.Snapshot { return statuspage.New(cycle, found) })
	if p.latest.Swap(&snapshot) == nil {
		close(p.shown)
	}
}

// await waits a short time for the first cycle.
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

// snapshot returns what there is to show now.
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
	known.Unready = d.status.ready(now)
	if known.Journal != "" {
		known.Writes, known.Unread = journal.Tail(known.Journal, mostWritesShown)
	}
	return s.With(&known, now)
}

// described keeps the latest described cycle for the page and the metrics. It belongs
// to the daemon's loop.
type described struct {
	cycle *sidecar.Cycle
	is    *view.Cycle
}

// of describes a cycle, unless it already has.
func (d *described) of(c *sidecar.Cycle, from view.Source) *view.Cycle {
	if d.cycle != c {
		d.cycle, d.is = c, view.Describe(from, c, d.is)
	}
	return d.is
}
