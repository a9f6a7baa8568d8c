package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/journal"
)

// page keeps what those see who ask, at the socket and on the web. It describes each cycle
// when the cycle ends: the schedules may only be read between cycles, and what an earlier
// request saw may be a day old. Requests during the first cycle wait for its end, and not for
// long; later ones get the state before.
type page struct {
	shown  chan struct{} // closed after the first cycle; nil if there are no requests or no cycles
	latest atomic.Pointer[statuspage.State]
}

// mostWritesShown is how many writes of the journal are shown.
const mostWritesShown = 50

// show replaces the state by that after a described cycle, with the comparison so far.
func (p *page) show(cycle *view.Cycle, found *live.Report, ended time.Time) {
	s := &statuspage.State{Cycle: cycle, Report: found, Ended: ended, Snapshot: sync.OnceValue(func() *statuspage.Snapshot { return statuspage.New(cycle, found) })}
	if p.latest.Swap(s) == nil {
		close(p.shown)
	}
}

// await waits a short time for the first cycle.
func (p *page) await(ctx context.Context) {
	if p.shown == nil {
		return
	}
	enough := time.NewTimer(api.First)
	defer enough.Stop()
	select {
	case <-p.shown:
	case <-enough.C:
	case <-ctx.Done():
	}
}

// state returns what there is to show now.
func (d *daemon) state(ctx context.Context) *statuspage.State {
	d.page.await(ctx)
	latest := d.page.latest.Load()
	if latest == nil {
		latest = &statuspage.State{Report: d.metrics.compared.none, Snapshot: func() *statuspage.Snapshot { return statuspage.New(nil, nil) }}
	}
	s := *latest
	s.Snapshot = func() *statuspage.Snapshot {
		now := d.now()
		known := d.status.at(now)
		if known.Journal != "" {
			known.Writes, known.Unread = journal.Tail(known.Journal, mostWritesShown)
		}
		return latest.Snapshot().With(&known, now)
	}
	return &s
}

// described keeps the latest described cycle for the page and the metrics. It belongs
// to the daemon's loop.
type described struct {
	cycle *sidecar.Cycle
	is    *view.Cycle

	foresight *foresight.Foresight // nil: there is none yet
}

// describe describes a cycle, unless it already has.
func (d *described) describe(c *sidecar.Cycle, from view.Source) *view.Cycle {
	if d.cycle != c {
		d.cycle, d.is = c, view.Describe(from, c, d.is)
		d.is.Foresight = d.foresight
	}
	return d.is
}
