package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/livecompare"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// cycler does cycles, and describes them. *sidecar.Sidecar is one.
type cycler interface {
	Run(ctx context.Context, apply bool) (*sidecar.Cycle, error)
	Writing() bool // safe while Run runs
	Close() error
	livecompare.Source
	Past() *sidecar.Past
}

// daemon runs cycles until it is stopped.
type daemon struct {
	config  sidecar.Config
	load    func() (sidecar.Config, error)
	open    func(context.Context, sidecar.Config) (cycler, error)
	log     zerolog.Logger
	metrics *metrics
	notify  notifier
	status  readiness
	page    page
	socket  *socket.Server // nil: none

	commands atomic.Pointer[slurm.Commands] // of the settings in effect, for the socket
	users    *socket.Directory              // for the socket and status.user_header
	private  atomic.Pointer[[]string]       // what Slurm hides of others; nil before the first cycle

	reload <-chan os.Signal
	now    func() time.Time

	opening sync.Mutex // held to set sidecar, and to read it while a cycle runs
	sidecar cycler     // nil until opened
	outage  outage
	frozen  bool      // the latest cycle found accounting behind
	harm    bool      // the latest cycle found a setting under which nothing may be written
	refused int       // priorities that the latest cycle could not change
	undoing time.Time // when the backfill scheduler last undid a write; zero: not recently

	server string // the database server read in the latest cycle, "" if there is but one
	passed bool   // it is not the first of several

	lead      *sidecar.Lead // decides which daemon writes; nil if there is no other
	standsBy  bool          // in the latest cycle another daemon had the right to write
	slow      bool          // the latest cycle left writes to the next one
	contest   bool          // another writer changes priorities
	contested time.Time     // when it was last seen
	probing   probing

	// probe asks for slurmctld's counters. nil: no probes.
	probe    func(context.Context, sidecar.Config) (slurm.Diag, error)
	bell     doorbell
	looking  looking
	cause    string // why the next cycle begins at once; "": the doorbell decides
	slowdown int    // how much slower everything is, see sidecar.Cycle; 0 before the first cycle
}

// outage is a series of failed cycles.
type outage struct {
	failures int
	since    time.Time
}

const (
	// firstPause is the first pause of the back-off, longestPause the last.
	firstPause   = 10 * time.Second
	longestPause = 5 * time.Minute
	// longestCycle is when a cycle counts as hung, and systemd's watchdog may
	// act. Each step of a cycle has a limit of its own; thousands of writes to a
	// controller that throttles them take long.
	longestCycle = time.Hour
	// lastCycle is how long a cycle that does not write may go on after the
	// daemon was stopped.
	lastCycle = 1500 * time.Millisecond
	// signOfLife is how often a cycle reports to systemd if there is no watchdog.
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

// notChanged returns an error if Slurm did not make all changes of a cycle.
func notChanged(c *sidecar.Cycle) error {
	switch {
	case c == nil:
		return nil
	case c.StandsBy != "":
		return fmt.Errorf("nothing was written: %s", c.StandsBy)
	}
	bad := count(c.Outcomes, priority.Refused) + count(c.Outcomes, priority.NotApplied)
	if bad == 0 {
		return notInForce(c.Outcomes)
	}
	first := firstUnchanged(c.Outcomes)
	return fmt.Errorf("%d of %d priorities not changed, first that of job %d: %s",
		bad, len(c.Outcomes), first.Job, cmp.Or(first.Words, string(first.Status)))
}

// run does cycles as the doorbell says until ctx ends, which is no error. It
// gives up only on a permanent error at the start, when somebody is there to fix
// the configuration.
func (d *daemon) run(ctx context.Context) error {
	d.page.configured(&d.config)
	d.page.know(func(is *statuspage.Daemon) { is.Version, is.Started = sidecar.Version(), statuspage.Unix(d.now()) })
	d.users = d.directory()
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
	d.log.Info().Str("mode", d.config.Mode).Str("channel", d.config.Priority.Channel).
		Stringer("interval", d.config.Interval).Stringer("doorbell", d.config.Doorbell).Str("listen", d.config.Listen).Str("status_listen", d.config.Status.Listen).Msg("started")
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

// show gives a cycle to those who are asked between cycles.
func (d *daemon) show(c *sidecar.Cycle) {
	if d.page.shown == nil && d.socket == nil {
		return
	}
	described, compared := d.metrics.described.of(c, d.sidecar), d.metrics.compared.latest.Load()
	if d.page.shown != nil {
		d.page.show(described, compared)
	}
	if d.socket != nil {
		d.socket.Show(&socket.State{Cycle: described, Report: compared, Ended: d.now()})
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
			writing := d.sidecar != nil && d.sidecar.Writing()
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

// cycle does one cycle. If the database server does not answer any more, or one
// before it does again, it does the cycle anew at the one whose turn it is.
func (d *daemon) cycle(ctx context.Context) outcome {
	o := d.attempt(ctx)
	if !errors.Is(o.err, sidecar.ErrElsewhere) {
		return o
	}
	d.opening.Lock()
	err := d.close()
	d.opening.Unlock()
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
		d.opening.Lock()
		d.sidecar = s
		d.opening.Unlock()
	}
	c, err := d.sidecar.Run(ctx, d.config.Mode == sidecar.Enforce)
	return outcome{c, err}
}

// report logs a cycle: what it did, at level quiet if it did nothing, and what an
// administrator may want to look at.
func (d *daemon) report(o outcome, quiet zerolog.Level) {
	c := o.cycle
	if c == nil {
		return
	}
	d.metrics.compared.observe(c, d.sidecar) // the comparison is valid even if writing failed
	d.page.observe(c)
	d.private.Store(&c.Controller.PrivateData)
	d.metrics.wrote(c.Outcomes)
	d.unchanged(c.Outcomes)
	if c.Names != nil {
		d.log.Warn().Err(c.Names).Msg("settings name what Slurm does not know; mode enforce would not begin")
	}
	if c.Journal != nil {
		d.log.Warn().Err(c.Journal).Msg("the journal was not as it was left")
	}
	if c.Unplanned != nil {
		d.log.Warn().Err(c.Unplanned).Msg("the queue could not be planned; it keeps the order without a plan")
	}
	d.rivals(c)
	d.governed(c)
	if o.err != nil {
		return
	}
	d.metrics.observe(c, d.sidecar, d.now())
	d.status.succeed(d.now())
	d.page.know(func(is *statuspage.Daemon) { is.LastSuccess = statuspage.Unix(d.now()) })
	d.leftOut(c)
	d.harmful(c)
	d.undone(c)
	d.turn(c)
	d.moved(c)
	if frozen := c.Lag > 0; frozen != d.frozen {
		d.frozen = frozen
		if frozen {
			d.log.Warn().Int64("behind_seconds", int64(c.Lag)).Msg("accounting is behind: messages for slurmdbd wait in slurmctld, or it does not tell of new jobs; the virtual schedule stands still")
		} else {
			d.log.Info().Msg("accounting is up to date again")
		}
	}
	summary, written := c.Plan.Summary, count(c.Outcomes, priority.Applied)
	level := quiet
	if len(c.Outcomes) > 0 {
		level = zerolog.InfoLevel
	}
	d.log.WithLevel(level).Int("pending", summary.Pending).Int("managed", summary.Managed).Int("planned", summary.Writes).
		Int("written", written).Float64("kendall_tau", summary.KendallTau).
		Int("rows", c.Rows).Float64("took_seconds", c.Took.Seconds()).Msg("cycle")
	mode := d.config.Mode
	if c.StandsBy != "" {
		mode += ", stands by"
	}
	d.notify.status(fmt.Sprintf("%s: %d pending, %d planned, %d written", mode, summary.Pending, summary.Writes, written))
}

// mostLines is how many lines of one kind a cycle logs.
const mostLines = 10

// leftOut logs the accounting rows that were left out and the events that were
// rejected.
func (d *daemon) leftOut(c *sidecar.Cycle) {
	for _, s := range c.Skipped[:min(len(c.Skipped), mostLines)] {
		d.log.Warn().Uint32("job", uint32(s.Job)).Str("why", s.Why).Msg("accounting row left out")
	}
	for _, err := range c.Odd[:min(len(c.Odd), mostLines)] {
		d.log.Warn().Err(err).Msg("event rejected")
	}
	if more := max(0, len(c.Skipped)-mostLines) + max(0, len(c.Odd)-mostLines); more > 0 {
		d.log.Warn().Int("more", more).Msg("more rows left out and events rejected")
	}
}

// unchanged logs priorities that were not changed. It logs again only when their
// number grows, because the next cycles try again.
func (d *daemon) unchanged(outcomes []priority.Change) {
	refused, ignored := count(outcomes, priority.Refused), count(outcomes, priority.NotApplied)
	before := d.refused
	d.refused = refused + ignored
	if d.refused <= before {
		return
	}
	first := firstUnchanged(outcomes)
	d.log.Warn().Int("refused", refused).Int("unchanged", ignored).Uint32("job", uint32(first.Job)).
		Int64("from", first.From).Int64("to", first.To).Str("words", first.Words).Msg("priorities not changed; the journal names each job")
}

// firstUnchanged returns the first write that was refused or had no effect; there
// is one.
func firstUnchanged(outcomes []priority.Change) priority.Change {
	return outcomes[slices.IndexFunc(outcomes, func(o priority.Change) bool {
		return o.Status == priority.Refused || o.Status == priority.NotApplied
	})]
}

// count returns the number of writes with a status.
func count(outcomes []priority.Change, status priority.Status) int {
	return priority.Result{Outcomes: outcomes}.Count(status)
}

// judge counts failures. It logs one error when an outage begins, and one line
// when it is over.
func (d *daemon) judge(err error) {
	d.doubt(err)
	switch {
	case err != nil:
		d.metrics.failed(err)
		if d.lead != nil && !d.lead.Mine() {
			d.metrics.enforcing.Set(0) // nothing is written, and another daemon may write
		}
		if d.outage.failures == 0 {
			d.outage.since = d.now()
			d.log.Error().Err(err).Msg("cycle failed; the queue stays as it is, and the next tries come at growing pauses")
			d.notify.status("failing: " + err.Error())
		} else {
			d.log.Debug().Err(err).Int("failures", d.outage.failures+1).Msg("cycle failed again")
		}
		d.outage.failures++
		d.page.know(func(is *statuspage.Daemon) {
			is.Failures, is.Since = d.outage.failures, statuspage.Unix(d.outage.since)
			is.LastError, is.LastErrorAt = err.Error(), statuspage.Unix(d.now())
		})
	case d.outage.failures > 0:
		d.log.Info().Int("failures", d.outage.failures).Float64("after_seconds", d.now().Sub(d.outage.since).Seconds()).Msg("recovered")
		d.outage = outage{}
		d.page.know(func(is *statuspage.Daemon) { is.Failures, is.Since = 0, 0 })
	}
}

// pause returns the time to the next cycle in an outage: firstPause, or the
// interval if that is less, doubled for each failure in a row up to longestPause;
// at least one interval.
func (d *daemon) pause() time.Duration {
	p := min(d.config.Interval, firstPause)
	for range d.outage.failures {
		if p >= longestPause {
			break
		}
		p *= 2
	}
	return max(d.config.Interval, min(p, longestPause))
}

func (d *daemon) close() error {
	if d.sidecar == nil {
		return nil
	}
	err := d.sidecar.Close()
	d.sidecar = nil
	return err
}
