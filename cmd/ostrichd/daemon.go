package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// cycler does cycles. *sidecar.Sidecar is one.
type cycler interface {
	Run(ctx context.Context, apply bool) (*sidecar.Cycle, error)
	Close() error
}

// daemon runs cycles until it is told to stop.
type daemon struct {
	config  sidecar.Config
	load    func() (sidecar.Config, error)
	open    func(context.Context, sidecar.Config) (cycler, error)
	log     zerolog.Logger
	metrics *metrics
	notify  notifier
	status  status
	reload  <-chan os.Signal
	now     func() time.Time

	sidecar cycler // nil until opened
	outage  outage
	frozen  bool // the latest cycle found accounting behind
}

// outage is a row of failed cycles.
type outage struct {
	failures int
	since    time.Time
}

// longestPause is where the back-off ends.
const longestPause = 5 * time.Minute

// once does a single cycle.
func (d *daemon) once(ctx context.Context) error {
	if err := d.cycle(ctx); err != nil {
		return err
	}
	return d.sidecar.Close()
}

// run does a cycle every interval until ctx ends, which is no error. It gives
// up only on an error that lasts and comes at the start: then somebody is there
// to mend the configuration.
func (d *daemon) run(ctx context.Context) error {
	server, err := d.serve(ctx)
	if err != nil {
		return err
	}
	defer server.Close()
	d.log.Info().Str("mode", d.config.Mode).Str("channel", d.config.Priority.Channel).
		Stringer("interval", d.config.Interval).Str("listen", d.config.Listen).Msg("started")
	d.enforcing()

	var watchdog <-chan time.Time
	if period := d.notify.period(); period > 0 {
		t := time.NewTicker(period)
		defer t.Stop()
		watchdog = t.C
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	first := true
	for {
		select {
		case <-ctx.Done():
			d.notify.stopping()
			d.log.Info().Msg("stopped")
			return d.close()
		case <-d.reload:
			d.reconfigure()
			timer.Reset(0)
		case <-watchdog:
			d.notify.alive()
		case <-timer.C:
			err := d.cycle(ctx)
			if ctx.Err() != nil {
				continue
			}
			if first && sidecar.Permanent(err) {
				return errors.Join(err, d.close())
			}
			d.judge(err)
			if first {
				d.notify.ready()
				first = false
			}
			d.notify.alive()
			timer.Reset(d.pause())
		}
	}
}

// cycle opens the sidecar if need be and does one cycle.
func (d *daemon) cycle(ctx context.Context) error {
	if d.sidecar == nil {
		s, err := d.open(ctx, d.config)
		if err != nil {
			return err
		}
		d.sidecar = s
	}
	c, err := d.sidecar.Run(ctx, d.config.Mode == sidecar.Enforce)
	if err != nil {
		return err
	}
	d.report(c)
	return nil
}

// report tells of a cycle: once for what it did, and once for each thing that
// an administrator may want to look at.
func (d *daemon) report(c *sidecar.Cycle) {
	d.metrics.observe(c, d.now())
	d.status.succeed(d.now())
	for _, s := range c.Skipped {
		d.log.Warn().Uint32("job", uint32(s.Job)).Str("why", s.Why).Msg("accounting row left out")
	}
	for _, err := range c.Odd {
		d.log.Warn().Err(err).Msg("event left out")
	}
	for _, o := range c.Outcomes {
		if o.Status == priority.Refused || o.Status == priority.NotApplied {
			d.log.Warn().Uint32("job", uint32(o.Job)).Int64("from", o.From).Int64("to", o.To).
				Str("result", string(o.Status)).Str("words", o.Words).Msg("priority not changed")
		}
	}
	if frozen := c.Lag > 0; frozen != d.frozen {
		d.frozen = frozen
		if frozen {
			d.log.Warn().Int64("behind", int64(c.Lag)).Msg("messages for slurmdbd wait in slurmctld: the virtual schedule stands still")
		} else {
			d.log.Info().Msg("slurmdbd is up to date again")
		}
	}
	summary := c.Plan.Summary
	event := d.log.Debug()
	if len(c.Outcomes) > 0 {
		event = d.log.Info()
	}
	event.Int("pending", summary.Pending).Int("managed", summary.Managed).Int("planned", summary.Writes).
		Int("written", written(c.Outcomes)).Float64("kendall_tau", summary.KendallTau).
		Int("rows", c.Rows).Float64("took_seconds", c.Took.Seconds()).Msg("cycle")
	d.notify.status(fmt.Sprintf("%s: %d pending, %d planned, %d written", d.config.Mode, summary.Pending, summary.Writes, written(c.Outcomes)))
}

// written counts the priorities that were changed.
func written(outcomes []priority.Outcome) int {
	return priority.Result{Outcomes: outcomes}.Count(priority.Applied)
}

// judge keeps count of failures: one error line when an outage begins, one
// line when it is over.
func (d *daemon) judge(err error) {
	switch {
	case err != nil:
		d.metrics.cycles.WithLabelValues("failed").Inc()
		if d.outage.failures == 0 {
			d.outage.since = d.now()
			d.log.Error().Err(err).Msg("cycle failed; the queue stays as it is")
			d.notify.status("failing: " + err.Error())
		} else {
			d.log.Debug().Err(err).Int("failures", d.outage.failures+1).Msg("cycle failed again")
		}
		d.outage.failures++
	case d.outage.failures > 0:
		d.log.Info().Int("failures", d.outage.failures).Float64("after_seconds", d.now().Sub(d.outage.since).Seconds()).Msg("recovered")
		d.outage = outage{}
	}
}

// pause is the time to the next cycle: the interval, doubled for each failure
// in a row up to longestPause.
func (d *daemon) pause() time.Duration {
	p := d.config.Interval
	for range d.outage.failures {
		if p >= longestPause {
			break
		}
		p *= 2
	}
	return max(d.config.Interval, min(p, longestPause))
}

// reconfigure takes a changed configuration, or keeps the one it has.
func (d *daemon) reconfigure() {
	d.notify.reloading()
	defer d.notify.ready()
	config, err := d.load()
	if err != nil {
		d.log.Error().Err(err).Msg("configuration not reloaded; the old one stays")
		return
	}
	if config.Listen != d.config.Listen {
		d.log.Warn().Str("listen", config.Listen).Msg("the address takes effect at the next start")
		config.Listen = d.config.Listen
	}
	if config.Log != d.config.Log {
		if level, err := zerolog.ParseLevel(cmp.Or(config.Log.Level, "info")); err == nil {
			d.log = d.log.Level(level)
		}
	}
	if err := d.close(); err != nil {
		d.log.Warn().Err(err).Msg("not closed cleanly")
	}
	d.config = config
	d.enforcing()
	d.log.Info().Str("mode", config.Mode).Str("channel", config.Priority.Channel).Msg("reloaded")
}

func (d *daemon) enforcing() {
	d.metrics.enforcing.Set(0)
	if d.config.Mode == sidecar.Enforce {
		d.metrics.enforcing.Set(1)
	}
	d.status.expect(3 * max(d.config.Interval, 20*time.Second))
}

func (d *daemon) close() error {
	if d.sidecar == nil {
		return nil
	}
	err := d.sidecar.Close()
	d.sidecar = nil
	return err
}
