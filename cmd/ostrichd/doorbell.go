package main

import (
	"context"
	"time"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/priority/slurm"
)

// Why a cycle begins.
const (
	byStart    = "start"    // start of the daemon, or reload
	byInterval = "interval" // the longest pause is over
	byBell     = "bell"     // jobs were submitted, started or ended, or sdiag did not answer
	byEcho     = "echo"     // accounting knows by now what rang the bell
	byRest     = "rest"     // the last cycle left writes over
	byProbe    = "probe"    // slurmctld answers again after an outage
)

// causes are the values for the metric.
var causes = []string{byStart, byInterval, byBell, byEcho, byRest, byProbe}

// echoAfter is when accounting knows what the counters reported: slurmctld
// informs slurmdbd of new jobs every five seconds.
const echoAfter = 6 * time.Second

// lookEvery is the time between two looks at the counters: answering takes no lock of
// slurmctld's on jobs or nodes.
const lookEvery = time.Second

// doorbell decides when the next cycle begins, and when to read slurmctld's
// counters in between. It has no clock and does no I/O; times must not go back.
type doorbell struct {
	every time.Duration // between two looks at the counters; 0: no looks
	least time.Duration // from the beginning of one cycle to that of the next
	most  time.Duration // from the end of one cycle to the beginning of the next

	began, ended time.Time
	looked       time.Time       // the latest look, in a cycle or between two
	known        bool            // a cycle has succeeded
	heard        slurm.JobCounts // the counts that the last successful cycle read before the queue
	rung         bool            // the counters have moved since
	rest         bool            // that cycle left writes over
	echoes       []time.Time     // when accounting will know what moved, in order
	away         time.Duration   // in an outage, the pause until the next try; else 0
}

// set changes the settings and the slowdown. If no look could make a cycle come
// earlier, there are none.
func (b *doorbell) set(c *sidecar.Config, slowdown int) {
	slow := func(d time.Duration) time.Duration { return d * time.Duration(max(slowdown, 1)) }
	b.every, b.least, b.most = slow(lookEvery), slow(min(c.MinInterval, c.Interval)), slow(c.Interval)
	if max(b.every, b.least) >= b.most {
		b.every = 0
	}
}

// begin says that a cycle begins. It will read all that has moved up to now.
func (b *doorbell) begin(now time.Time) {
	b.began, b.looked, b.rung, b.rest = now, now, false, false
	for len(b.echoes) > 0 && !b.echoes[0].After(now) {
		b.echoes = b.echoes[1:]
	}
}

// end says that the cycle has succeeded, with the counts from its beginning.
// Before the first cycle something may have moved as well.
func (b *doorbell) end(now time.Time, counts slurm.JobCounts, rest bool) {
	if !b.known || counts != b.heard {
		b.echoes = append(b.echoes, b.began.Add(echoAfter))
	}
	b.ended, b.known, b.heard, b.rest, b.away = now, true, counts, rest, 0
}

// fail says that the cycle has failed, and after what pause the next one must
// come. Until then there are no looks.
func (b *doorbell) fail(now time.Time, pause time.Duration) {
	b.ended, b.away = now, pause
}

// hear processes the result of a look. After a failed look a cycle comes, which
// finds out what is wrong.
func (b *doorbell) hear(now time.Time, counts slurm.JobCounts, err error) {
	b.looked = now
	b.rung = b.rung || err != nil || counts != b.heard
}

// soonest returns when the next cycle may begin. After a long cycle comes an
// equally long rest, so that a doorbell that rings all the time takes half of the
// time.
func (b *doorbell) soonest() time.Time {
	at := b.began.Add(b.least)
	if rested := b.ended.Add(min(b.ended.Sub(b.began), b.most)); rested.After(at) {
		at = rested
	}
	return at
}

// due returns when the next cycle begins, and why.
func (b *doorbell) due() (at time.Time, by string) {
	if b.away > 0 {
		return b.ended.Add(b.away), byInterval
	}
	at, by = b.ended.Add(b.most), byInterval
	if b.every == 0 {
		return at, by
	}
	soonest := b.soonest()
	earlier := func(wanted time.Time, what string) {
		if wanted.Before(soonest) {
			wanted = soonest
		}
		if wanted.Before(at) {
			at, by = wanted, what
		}
	}
	if b.rung {
		earlier(soonest, byBell)
	}
	if b.rest {
		earlier(soonest, byRest)
	}
	if len(b.echoes) > 0 {
		earlier(b.echoes[0], byEcho)
	}
	return at, by
}

// nextLook returns when to look at the counters, unless a cycle begins before. A look
// before a cycle may begin is useless.
func (b *doorbell) nextLook() (at time.Time, wanted bool) {
	if b.every == 0 || b.away > 0 || !b.known || b.rung {
		return time.Time{}, false
	}
	at = b.looked.Add(b.every)
	if soonest := b.soonest(); at.Before(soonest) {
		at = soonest
	}
	due, _ := b.due()
	return at, at.Before(due)
}

// looking is a running look at the counters.
type looking struct {
	answer <-chan heard // nil: none
	stop   context.CancelFunc
}

// heard is the result of a look, or of a probe.
type heard struct {
	counts slurm.JobCounts
	err    error
}

// askCounts begins a look.
func (d *daemon) askCounts(ctx context.Context) {
	ctx, d.looking.stop = context.WithCancel(ctx)
	d.looking.answer = d.ask(ctx)
}

// hear processes the result of a look.
func (d *daemon) hear(a heard) {
	d.stopLooking()
	d.bell.hear(d.now(), a.counts, a.err)
	answer := "quiet"
	switch {
	case a.err != nil:
		answer = "failed"
		d.log.Debug().Err(a.err).Msg("sdiag did not answer; a cycle finds out why")
	case d.bell.rung:
		answer = "moved"
	}
	d.metrics.doorbell.WithLabelValues(answer).Inc()
}

// stopLooking ends a running look.
func (d *daemon) stopLooking() {
	if d.looking.answer != nil {
		d.looking.stop()
		d.looking.answer = nil
	}
}

// wait sets the timers for the next cycle and the next look.
func (d *daemon) wait(next, look *time.Timer) {
	look.Stop()
	if d.cause != "" {
		next.Reset(0)
		return
	}
	now := d.now()
	at, _ := d.bell.due()
	next.Reset(max(0, at.Sub(now)))
	if at, wanted := d.bell.nextLook(); wanted && d.probe != nil && d.looking.answer == nil {
		look.Reset(max(0, at.Sub(now)))
	}
}

// begin begins a cycle, and returns the channel of its outcome.
func (d *daemon) begin(ctx context.Context) <-chan outcome {
	d.stopLooking()
	by := d.cause
	if by == "" {
		_, by = d.bell.due()
	}
	d.cause = ""
	d.metrics.begun.WithLabelValues(by).Inc()
	d.bell.begin(d.now())
	return d.start(ctx)
}

// ended processes the outcome of a cycle.
func (d *daemon) ended(o outcome) {
	if o.err != nil {
		d.bell.fail(d.now(), d.pause())
	} else {
		d.bell.end(d.now(), o.cycle.Diag.Jobs, o.cycle.Left > 0 || o.cycle.Hurry)
	}
}

// governed applies the slowdown of a cycle, and logs once when it begins and once
// when it is over.
func (d *daemon) governed(c *sidecar.Cycle) {
	slowdown := max(c.Slowdown, 1)
	switch before := max(d.slowdown, 1); {
	case before == 1 && slowdown > 1:
		d.log.Warn().Str("why", c.Loaded).Msg("slurmctld is loaded; cycles and writes come slower until it is not")
	case before > 1 && slowdown == 1:
		d.log.Info().Msg("slurmctld is not loaded any more; cycles and writes come as set")
	}
	d.slowdown = slowdown
	d.status.change(func(is *statuspage.Daemon) { is.Slowdown, is.Loaded = slowdown, c.Loaded })
	d.pace()
}

// pace sets what depends on the interval: when cycles come, and how long the
// daemon stays ready without a success.
func (d *daemon) pace() {
	d.bell.set(&d.config, d.slowdown)
	d.metrics.slowdown.Set(float64(max(d.slowdown, 1)))
	d.status.expect(3 * max(d.bell.most, 20*time.Second))
}
