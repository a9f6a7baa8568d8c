package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// cycler does cycles, and describes them. *sidecar.Sidecar is one.
type cycler interface {
	Run(ctx context.Context, apply bool) (*sidecar.Cycle, error)
	Writing() bool // safe while Run runs
	Close() error
	live.Source
	Nodes() (asked []ledger.Needs, out []ledger.Outage)
	Past() *sidecar.Past
}

// daemon runs cycles until it is stopped.
type daemon struct {
	config  configuration.Config
	load    func() (configuration.Config, error)
	loader  *configuration.Loader // behind load; nil: load cannot tell where settings are from
	open    func(context.Context, configuration.Config) (cycler, error)
	log     zerolog.Logger
	metrics *metrics
	notify  notifier
	status  status
	page    page
	socket  *socket.Server // nil: none

	commands atomic.Pointer[slurm.Commands] // of the settings in effect, for the socket
	users    *access.Directory              // for the socket and the web

	asked     sync.Once
	answering *statuspage.API // at both, once it was asked
	hosts     []string        // status.hosts, likewise
	proof     *access.Proof   // of who asks on the web, likewise

	reload <-chan os.Signal
	now    func() time.Time

	opening sync.Mutex // held to set sidecar, and to read it while a cycle runs
	sidecar cycler     // nil until opened
	outage  outage
	probing probing
	news    news

	foreseeing foreseeing

	lead *sidecar.Lead // decides which daemon writes; nil if there is no other

	// probe asks for slurmctld's counters. nil: no probes.
	probe func(context.Context, configuration.Config) (slurm.Diag, error)
	// giveBack is sidecar.GiveBack with the commands of the settings.
	giveBack func(ctx context.Context, c *configuration.Config, now ostrich.Time, warn func(error)) ([]priority.Change, error)
	giving   atomic.Bool  // it runs
	stocked  ostrich.Time // until when stock Slurm orders a queue in which nothing of ours is left
	trigger  trigger
	looking  looking
	cause    string // why the next cycle begins at once; "": the trigger decides
	slowdown int    // how much slower everything is, see sidecar.Cycle; 0 before the first cycle
}

const (
	// longestCycle is when a cycle counts as hung, and systemd's watchdog may
	// act. Each step of a cycle has a limit of its own; thousands of writes to a
	// controller that throttles them take long.
	longestCycle = time.Hour
	// lastCycle is how long a cycle that does not write may go on after the
	// daemon was stopped.
	lastCycle = 1500 * time.Millisecond
	// signOfLife is how often the daemon reports to systemd if there is no watchdog.
	signOfLife = 20 * time.Second
)

// outcome is the result of a cycle. With an error the cycle is nil, or only some
// of its writes may have been made.
type outcome struct {
	cycle *sidecar.Cycle
	err   error
}

// once does a single cycle.
func (d *daemon) once(ctx context.Context) error {
	running := d.start(ctx)
	var o outcome
	select {
	case o = <-running:
	case <-ctx.Done():
		var ended bool
		if o, ended = d.last(running); !ended {
			return ctx.Err() // open files end with the process
		}
	}
	d.report(o, zerolog.InfoLevel)
	err := errors.Join(o.err, notChanged(o.cycle), d.close())
	d.release()
	return err
}

// run does cycles as the trigger says until ctx ends, which is no error. It
// gives up only on a permanent error at the start, when somebody is there to fix
// the configuration.
func (d *daemon) run(ctx context.Context) error {
	d.status.configured(&d.config)
	d.status.change(func(is *statuspage.Daemon) { is.Version, is.Started = sidecar.Version(), statuspage.Unix(d.now()) })
	d.users = d.directory()
	if d.page.shown == nil && d.config.Socket+d.config.Listen+d.config.Status.Listen != "" {
		d.page.shown = make(chan struct{})
	}
	d.api() // before a reload
	server, err := d.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }() // nothing is lost with it
	if d.socket, err = d.answers(ctx); err != nil {
		return err
	}
	defer func() {
		if d.socket != nil {
			_ = d.socket.Close() // nothing is lost with it
		}
	}()
	d.log.Info().Str("mode", d.config.Mode).Str("channel", string(d.config.Priority.Channel)).
		Stringer("interval", d.config.Interval).Str("listen", d.config.Listen).Str("status_listen", d.config.Status.Listen).Msg("started")
	if odd := d.took(&d.config); odd != "" {
		d.log.Info().Msg(odd)
	}
	d.configured()
	defer d.release()

	d.probing.timer = time.NewTimer(time.Hour)
	d.probing.timer.Stop()
	tick := time.NewTicker(cmp.Or(d.notify.period, signOfLife))
	defer tick.Stop()
	next, look := time.NewTimer(0), time.NewTimer(time.Hour)
	look.Stop()
	defer next.Stop()
	defer look.Stop()
	d.cause = byStart
	var running <-chan outcome // the cycle in progress, nil between two
	var began time.Time
	first := true
	for {
		reload, probe := d.reload, d.probing.timer.C
		if running != nil {
			reload, probe = nil, nil // a cycle ends with the configuration that it began with
		}
		select {
		case <-ctx.Done():
			ended := true
			if running != nil {
				var o outcome
				o, ended = d.last(running)
				d.report(o, zerolog.DebugLevel)
			}
			d.notify.stopping()
			if ended {
				d.keep()
			}
			d.log.Info().Msg("stopped")
			if !ended {
				return nil // open files end with the process
			}
			return d.close()
		case <-reload:
			d.reconfigure(ctx)
			d.cause = byStart
			d.wait(next, look)
		case <-tick.C:
			if running == nil || d.now().Sub(began) < longestCycle {
				d.notify.alive()
			}
			if first {
				d.notify.starting()
			}
		case <-probe:
			d.probing.running = d.ask(ctx)
		case a := <-d.probing.running:
			if d.probing.running = nil; running == nil && d.answered(a.err) {
				d.cause = byProbe
				d.wait(next, look)
			}
		case <-look.C:
			d.askCounts(ctx)
		case a := <-d.looking.answer:
			d.hear(a)
			d.wait(next, look)
		case <-next.C:
			d.probing.timer.Stop()
			look.Stop()
			running, began = d.begin(ctx), d.now()
		case o := <-running:
			running = nil
			d.report(o, zerolog.DebugLevel)
			if ctx.Err() != nil {
				continue
			}
			if first && sidecar.Permanent(o.err) {
				return errors.Join(o.err, d.close())
			}
			d.judge(o.err)
			if first {
				d.notify.ready()
				first = false
			}
			d.notify.alive()
			d.arm()
			d.ended(o)
			d.wait(next, look)
			if o.cycle != nil {
				d.answersNow(ctx)
				d.show(o.cycle)
			}
		}
	}
}

// show passes a cycle to those who ask, who are answered between cycles.
func (d *daemon) show(c *sidecar.Cycle) {
	if d.page.shown != nil {
		d.page.show(d.metrics.described.describe(c, d.sidecar), d.metrics.compared.latest.Load(), d.now())
	}
}

// last waits for the running cycle after the daemon was stopped, and reports
// whether it ended. A cycle that steps through a long history does not notice
// ctx, so last waits no longer than lastCycle unless the cycle writes.
func (d *daemon) last(running <-chan outcome) (o outcome, ended bool) {
	for {
		select {
		case o = <-running:
			return o, true
		case <-time.After(lastCycle):
			d.opening.Lock()
			writing := d.sidecar != nil && d.sidecar.Writing() || d.giving.Load()
			d.opening.Unlock()
			if !writing {
				return o, false
			}
		}
	}
}

// start begins a cycle, and returns the channel of its outcome.
func (d *daemon) start(ctx context.Context) <-chan outcome {
	running := make(chan outcome, 1)
	go func() { running <- d.cycle(ctx) }()
	return running
}

// cycle does one cycle. Where it fails, a trial gives back all the same what stock Slurm is to order.
func (d *daemon) cycle(ctx context.Context) outcome {
	o := d.look(ctx)
	switch {
	case o.err != nil && o.cycle == nil && ctx.Err() == nil:
		d.stock(ctx, o.err)
	case o.err == nil && o.cycle != nil:
		d.stocks(o.cycle)
	}
	return o
}

// look does one cycle. If the database server has stopped answering, one before it answers
// again, or Slurm's settings make other classes of jobs or another unit of work, it opens the sidecar anew and does
// the cycle there.
func (d *daemon) look(ctx context.Context) outcome {
	o := d.attempt(ctx)
	if !errors.Is(o.err, sidecar.ErrElsewhere) && !errors.Is(o.err, sidecar.ErrClasses) && !errors.Is(o.err, sidecar.ErrUnit) {
		return o
	}
	err := d.shut()
	if o = d.attempt(ctx); o.err != nil {
		o.err = errors.Join(o.err, err)
	}
	return o
}

// attempt opens the sidecar if needed and does one cycle.
func (d *daemon) attempt(ctx context.Context) outcome {
	if d.sidecar == nil {
		s, err := d.open(ctx, d.config)
		if err != nil {
			return outcome{err: err}
		}
		d.foresee(s)
		d.opening.Lock()
		d.sidecar = s
		d.opening.Unlock()
	}
	c, err := d.sidecar.Run(ctx, d.config.Writes())
	return outcome{c, err}
}

func (d *daemon) close() error {
	if d.sidecar == nil {
		return nil
	}
	err := d.sidecar.Close()
	d.sidecar = nil
	return err
}

// shut is close while a cycle runs.
func (d *daemon) shut() error {
	d.opening.Lock()
	defer d.opening.Unlock()
	return d.close()
}

// release frees the right to write for other daemons.
func (d *daemon) release() {
	if d.lead == nil {
		return
	}
	if err := d.lead.Release(); err != nil {
		d.log.Warn().Err(err).Msg("the lock was not given back cleanly")
	}
}
