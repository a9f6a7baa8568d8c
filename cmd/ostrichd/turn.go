package main

import (
	"context"
	"errors"
	"time"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/priority/slurm"
)

// turn logs whether we have the right to write, and what else keeps jobs from
// being written: once when it begins and once when it is over.
func (d *daemon) turn(c *sidecar.Cycle) {
	d.status.standBy(c.StandsBy)
	d.metrics.turn(c, d.config.Mode == sidecar.Enforce)
	d.page.know(func(is *statuspage.Daemon) { is.StandsBy = c.StandsBy })
	if by := c.StandsBy != ""; by != d.standsBy {
		d.standsBy = by
		if by {
			d.log.Info().Str("why", c.StandsBy).Msg("stands by: computes the order and writes nothing")
		} else {
			d.log.Info().Msg("takes over: writes priorities from now on")
		}
	}
	if slow := c.Slow != nil; slow != d.slow {
		d.slow = slow
		if slow {
			d.log.Warn().Err(c.Slow).Msg("the controller is slow; each cycle goes on with the rest, the head of the queue first")
		} else {
			d.log.Info().Msg("the controller keeps up again")
		}
	}
}

// rivals logs other writers, also after a cycle whose writing failed.
func (d *daemon) rivals(c *sidecar.Cycle) {
	if len(c.Rivals) > 0 {
		d.contested = d.now()
		if !d.contest {
			first := c.Rivals[0]
			d.log.Warn().Int("jobs", len(c.Rivals)).Uint32("job", uint32(first.Job)).Int64("ours", first.From).Int64("theirs", first.To).
				Msg("another writer changes priorities that are ours; those jobs are left alone for a while, see the journal")
		}
		d.contest = true
	}
	if d.contest && c.Plan.Rivals == 0 && d.now().Sub(d.contested) > longestContest {
		d.contest = false
		d.log.Info().Msg("no other writer changes priorities any more")
	}
}

const (
	// longestContest is how long another writer must stay away to count as gone:
	// longer than any job is left alone because of one.
	longestContest = 65 * time.Minute
	// probePause is the time between two probes of a controller in an outage.
	probePause = 5 * time.Second
)

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
func probe(ctx context.Context, c sidecar.Config) (slurm.Diag, error) {
	return c.Commands().Diag(ctx)
}

// release frees the right to write for other daemons.
func (d *daemon) release() {
	if d.lead == nil {
		return
	}
	if err := d.lead.Release(); err != nil {
		d.log.Warn().Err(err).Msg("the database's lock was not given back cleanly")
	}
}

// doubt records that the database's clock is wrong: the daemon is not ready, and
// begins anew if it has used that clock.
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
