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

// page keeps what the status page shows. It reads each cycle when the cycle ends:
// the schedules may only be read between cycles, and what an earlier request saw
// may be a day old. Requests during the first cycle wait up to 2 s; later ones
// get the previous snapshot.
type page struct {
	wanted chan chan<- struct{} // requests that want the latest cycle read; nil if there are no requests or no cycles

	// The latest cycle. It belongs to the daemon's loop.
	cycle *sidecar.Cycle
	from  view.Source

	cycles atomic.Uint64 // so far
	latest atomic.Pointer[looked]

	mu     sync.Mutex
	daemon statuspage.Daemon
}

// looked is what reading a cycle found.
type looked struct {
	cycle    uint64
	state    *view.State
	report   *livecompare.Report
	snapshot func() *statuspage.Snapshot // makes it once
}

const (
	// patience is how long a request waits for the end of a running cycle.
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
		d.Interval, d.Journal = c.Interval, c.Journal
	})
}

// observe keeps a cycle.
func (p *page) observe(c *sidecar.Cycle, from view.Source) {
	p.cycle, p.from = c, from
	p.cycles.Add(1)
	p.know(func(d *statuspage.Daemon) {
		d.Lag, d.Took, d.Skipped, d.Odd = c.Lag, c.Took, len(c.Skipped), len(c.Odd)
		d.Written, d.Refused, d.NoEffect = count(c.Outcomes, priority.Applied), count(c.Outcomes, priority.Refused), count(c.Outcomes, priority.NotApplied)
	})
}

// look reads the latest cycle, unless that was done. No cycle may run meanwhile.
func (p *page) look(found *livecompare.Report) {
	n := p.cycles.Load()
	if before := p.latest.Load(); p.cycle == nil || (before != nil && before.cycle == n) {
		return
	}
	l := &looked{cycle: n, state: view.Look(p.from, p.cycle), report: found}
	l.snapshot = sync.OnceValue(func() *statuspage.Snapshot { return statuspage.Take(l.state, l.report) })
	p.latest.Store(l)
}

// await waits a short time until the latest cycle has been read.
func (p *page) await(ctx context.Context) {
	if l := p.latest.Load(); p.wanted == nil || (l != nil && l.cycle == p.cycles.Load()) {
		return
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	done := make(chan struct{}, 1)
	select {
	case p.wanted <- done:
	case <-enough.C:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// snapshot returns what there is to show now.
func (d *daemon) snapshot(ctx context.Context) *statuspage.Snapshot {
	p := &d.page
	p.await(ctx)
	s := statuspage.Take(nil, nil)
	if l := p.latest.Load(); l != nil {
		s = l.snapshot()
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
