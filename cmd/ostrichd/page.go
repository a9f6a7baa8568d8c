package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/journal"
)

// page keeps what the status page shows. It describes each cycle when the cycle ends:
// the schedules may only be read between cycles, and what an earlier request saw
// may be a day old. Requests during the first cycle wait up to 2 s; later ones
// get the previous snapshot.
type page struct {
	shown  chan struct{}                               // closed after the first cycle; nil if there are no requests or no cycles
	latest atomic.Pointer[func() *statuspage.Snapshot] // makes the snapshot of the latest cycle, once
}

const (
	// patience is how long a request waits for the end of the first cycle.
	patience = 2 * time.Second
	// mostWritesShown is how many writes of the journal the page shows.
	mostWritesShown = 50
)

// show replaces the snapshot by one of a described cycle and the comparison so far.
func (p *page) show(cycle *view.Cycle, found *live.Report) {
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
	now := d.now()
	known := d.status.at(now)
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

// describe describes a cycle, unless it already has.
func (d *described) describe(c *sidecar.Cycle, from view.Source) *view.Cycle {
	if d.cycle != c {
		d.cycle, d.is = c, view.Describe(from, c, d.is)
	}
	return d.is
}
