package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// outage is a series of failed cycles.
type outage struct {
	failures  int
	since     time.Time
	unstocked string // why a trial could not give back last, which is logged once
}

const (
	// Twice firstPause is the first pause of the back-off, longestPause the last.
	firstPause   = 10 * time.Second
	longestPause = 5 * time.Minute
	// probePause is the time between two probes of a controller in an outage.
	probePause = 5 * time.Second
)

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
		d.status.change(func(is *statuspage.Daemon) {
			is.Failures, is.Since = d.outage.failures, statuspage.Unix(d.outage.since)
			is.LastError, is.LastErrorAt = forAll(err), statuspage.Unix(d.now())
		})
	case d.outage.failures > 0:
		d.log.Info().Int("failures", d.outage.failures).Float64("after_seconds", d.now().Sub(d.outage.since).Seconds()).Msg("recovered")
		d.outage = outage{}
		d.status.change(func(is *statuspage.Daemon) { is.Failures, is.Since = 0, 0 })
	}
}

// forAll returns why a cycle failed in words that everybody may read: the page and its API
// ask nobody who they are, and errors name addresses, accounts, files and hosts. The log has
// the error itself.
func forAll(err error) string {
	what := err.Error()
	if strings.ContainsAny(what, "/@:'\"0123456789") {
		what = "an error that may name a place or an account"
	}
	for _, known := range []struct {
		is    error
		words string
	}{
		{slurmdb.ErrDenied, "the accounting database denies access"},
		{slurmdb.ErrConnect, "the accounting database does not answer"},
		{slurmdb.ErrStale, "the accounting database is behind what was read before"},
		{slurmdb.ErrCluster, "the accounting database does not have the cluster"},
		{slurmdb.ErrColumns, "the accounting database lacks tables, columns or rights"},
		{slurm.ErrUnreachable, "slurmctld does not answer"},
		{slurm.ErrDenied, "Slurm denies the right to change jobs"},
		{slurm.ErrSlow, "slurmctld is slow"},
		{sidecar.ErrClock, "a clock is wrong"},
		{sidecar.ErrLost, "the right to write was lost"},
		{priority.ErrUndecided, "Slurm does not tell its QOS and what they may preempt, so nothing is written"},
		{priority.ErrImpossible, "settings of Slurm do not go with those of ostrichd"},
		{configuration.ErrConfig, "the settings cannot work"},
	} {
		if errors.Is(err, known.is) {
			what = known.words
			break
		}
	}
	if _, unwritten := errors.AsType[sidecar.JournalError](err); unwritten {
		what = "the journal cannot be read or written"
	}
	if what == err.Error() {
		return what
	}
	return what + "; see ostrichd's log"
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

// doubt records that accounting's clock is wrong: the daemon is not ready, and begins
// anew if it has used that clock.
func (d *daemon) doubt(err error) {
	if !errors.Is(err, sidecar.ErrClock) {
		return
	}
	d.status.distrust(err)
	if !errors.Is(err, sidecar.ErrAnew) {
		return
	}
	if err := d.close(); err != nil {
		d.log.Warn().Err(err).Msg("not closed cleanly")
	}
}

// probing asks again and again during an outage whether the controller answers,
// until the next cycle. If a cycle still fails after an answer, the controller
// was not to blame or answers only in part; then the pauses between the probes
// double too.
type probing struct {
	running <-chan heard // nil: none
	vain    int          // probes followed by a cycle that failed
	hurried bool         // the running cycle follows one of those
	timer   *time.Timer
}

// arm sets the time of the next probe, if there is an outage.
func (d *daemon) arm() {
	switch {
	case d.probe == nil || d.outage.failures == 0:
		d.probing.vain, d.probing.hurried = 0, false
		d.probing.timer.Stop()
	default:
		if d.probing.hurried {
			d.probing.vain++
		}
		d.probing.hurried = false
		d.probing.timer.Reset(min(probePause<<min(d.probing.vain, 10), longestPause))
	}
}

// ask begins a probe, and returns the channel of its answer.
func (d *daemon) ask(ctx context.Context) <-chan heard {
	answer := make(chan heard, 1)
	config := d.config
	go func() {
		diag, err := d.probe(ctx, config)
		answer <- heard{diag.Jobs, err}
	}()
	return answer
}

// answered reports whether to do a cycle at once.
func (d *daemon) answered(err error) bool {
	switch {
	case d.outage.failures == 0:
		return false // a cycle has succeeded meanwhile
	case err != nil:
		d.probing.timer.Reset(probePause)
		return false
	}
	d.probing.hurried = true
	return true
}

// probe asks for slurmctld's counters. A ping costs as little, but a controller
// that serves nobody answers it, and it waits for every backup that is down.
func probe(ctx context.Context, c configuration.Config) (slurm.Diag, error) {
	return c.Commands().Diag(ctx)
}
