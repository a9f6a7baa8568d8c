package main

import (
	"context"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/priority/slurm"
)

// Why a cycle begins.
const (
	byStart      = "start"      // start of the daemon, or reload
	byInterval   = "interval"   // the longest pause is over
	byChange     = "change"     // jobs were submitted, started or ended, or sdiag did not answer
	byAccounting = "accounting" // accounting knows by now what changed
	byRest       = "rest"       // the last cycle left writes over
	byProbe      = "probe"      // slurmctld answers again after an outage
	bySwitch     = "switch"     // the arm of a trial changes
)

// causes are the values for the metric.
var causes = []string{byStart, byInterval, byChange, byAccounting, byRest, byProbe, bySwitch}

// accountingAfter is when accounting knows what the counters reported: slurmctld
// informs slurmdbd of new jobs every five seconds.
const accountingAfter = 6 * time.Second

// lookEvery is the time between two looks at the counters: answering takes no lock of
// slurmctld's on jobs or nodes.
const lookEvery = time.Second

// trigger decides when the next cycle begins, and when to read slurmctld's
// counters in between. It has no clock and does no I/O; times must not go back.
type trigger struct {
	every time.Duration // between two looks at the counters; 0: no looks
	least time.Duration // from the beginning of one cycle to that of the next
	most  time.Duration // from the end of one cycle to the beginning of the next

	began, ended time.Time
	looked       time.Time       // the latest look, in a cycle or between two
	known        bool            // a cycle has succeeded
	heard        slurm.JobCounts // the counts that the last successful cycle read before the queue
	moved        bool            // the counters have moved since
	rest         bool            // that cycle left writes over
	reports      []time.Time     // when accounting will know what moved, in order
	design       *trial.Design   // of mode trial, else nil
	away         time.Duration   // in an outage, the pause until the next try; else 0
}

// set changes the settings and the slowdown. If no look could make a cycle come
// earlier, there are none.
func (t *trigger) set(c *configuration.Config, slowdown int) {
	slow := func(d time.Duration) time.Duration { return d * time.Duration(max(slowdown, 1)) }
	t.every, t.least, t.most = slow(lookEvery), slow(min(c.MinInterval, c.Interval)), slow(c.Interval)
	t.design = nil
	if d, set := c.Design(); set && c.Mode == configuration.Trial {
		t.design = d
	}
	if max(t.every, t.least) >= t.most {
		t.every = 0
	}
}

// begin says that a cycle begins. It will read all that has moved up to now.
func (t *trigger) begin(now time.Time) {
	t.began, t.looked, t.moved, t.rest = now, now, false, false
	for len(t.reports) > 0 && !t.reports[0].After(now) {
		t.reports = t.reports[1:]
	}
}

// end says that the cycle has succeeded, with the counts from its beginning.
// Before the first cycle something may have moved as well.
func (t *trigger) end(now time.Time, counts slurm.JobCounts, rest bool) {
	if !t.known || counts != t.heard {
		t.reports = append(t.reports, t.began.Add(accountingAfter))
	}
	t.ended, t.known, t.heard, t.rest, t.away = now, true, counts, rest, 0
}

// fail says that the cycle has failed, and after what pause the next one must
// come. Until then there are no looks.
func (t *trigger) fail(now time.Time, pause time.Duration) {
	t.ended, t.away = now, pause
}

// hear processes the result of a look. After a failed look a cycle comes, which
// finds out what is wrong.
func (t *trigger) hear(now time.Time, counts slurm.JobCounts, err error) {
	t.looked = now
	t.moved = t.moved || err != nil || counts != t.heard
}

// soonest returns when the next cycle may begin. After a long cycle comes an
// equally long rest, so that a trigger that fires all the time takes half of the
// time.
func (t *trigger) soonest() time.Time {
	at := t.began.Add(t.least)
	if rested := t.ended.Add(min(t.ended.Sub(t.began), t.most)); rested.After(at) {
		at = rested
	}
	return at
}

// due returns when the next cycle begins, and why. The cycle after a switch of a trial
// does not wait for what triggers others, nor for the end of an outage.
func (t *trigger) due() (at time.Time, by string) {
	at, by = t.usual()
	if t.design == nil {
		return at, by
	}
	if began := ostrich.Time(t.began.Unix()); began < t.design.Until {
		if next := time.Unix(int64(t.design.Switch(began)), 0); next.Before(at) {
			return next, bySwitch
		}
	}
	return at, by
}

// usual returns when the next cycle begins apart from a trial, and why.
func (t *trigger) usual() (at time.Time, by string) {
	if t.away > 0 {
		return t.ended.Add(t.away), byInterval
	}
	at, by = t.ended.Add(t.most), byInterval
	if t.every == 0 {
		return at, by
	}
	soonest := t.soonest()
	earlier := func(wanted time.Time, what string) {
		if wanted.Before(soonest) {
			wanted = soonest
		}
		if wanted.Before(at) {
			at, by = wanted, what
		}
	}
	if t.moved {
		earlier(soonest, byChange)
	}
	if t.rest {
		earlier(soonest, byRest)
	}
	if len(t.reports) > 0 {
		earlier(t.reports[0], byAccounting)
	}
	return at, by
}

// nextLook returns when to look at the counters, unless a cycle begins before. A look
// before a cycle may begin is useless.
func (t *trigger) nextLook() (at time.Time, wanted bool) {
	if t.every == 0 || t.away > 0 || !t.known || t.moved {
		return time.Time{}, false
	}
	at = t.looked.Add(t.every)
	if soonest := t.soonest(); at.Before(soonest) {
		at = soonest
	}
	due, _ := t.due()
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
	d.trigger.hear(d.now(), a.counts, a.err)
	answer := "quiet"
	switch {
	case a.err != nil:
		answer = "failed"
		d.log.Debug().Err(a.err).Msg("sdiag did not answer; a cycle finds out why")
	case d.trigger.moved:
		answer = "moved"
	}
	d.metrics.trigger.WithLabelValues(answer).Inc()
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
	at, _ := d.trigger.due()
	next.Reset(max(0, at.Sub(now)))
	if at, wanted := d.trigger.nextLook(); wanted && d.probe != nil && d.looking.answer == nil {
		look.Reset(max(0, at.Sub(now)))
	}
}

// begin begins a cycle, and returns the channel of its outcome.
func (d *daemon) begin(ctx context.Context) <-chan outcome {
	d.stopLooking()
	by := d.cause
	if by == "" {
		_, by = d.trigger.due()
	}
	d.cause = ""
	d.metrics.begun.WithLabelValues(by).Inc()
	d.trigger.begin(d.now())
	return d.start(ctx)
}

// ended processes the outcome of a cycle.
func (d *daemon) ended(o outcome) {
	if o.err != nil {
		d.trigger.fail(d.now(), d.pause())
	} else {
		d.trigger.end(d.now(), o.cycle.Diag.Jobs, o.cycle.Left > 0 || o.cycle.Hurry)
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
	d.trigger.set(&d.config, d.slowdown)
	d.metrics.slowdown.Set(float64(max(d.slowdown, 1)))
	d.status.expect(3 * max(d.trigger.most, 20*time.Second))
}
