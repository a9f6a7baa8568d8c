package main

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

type trialMetrics struct{ state, washout, until prometheus.Gauge }

func newTrialMetrics(gauge func(name, help string) prometheus.Gauge) trialMetrics {
	return trialMetrics{
		state:   gauge("ostrich_trial_state", "Where a trial is: 0 there is none, 1 stock Slurm orders the queue, 2 OStrich does, 3 it is over."),
		washout: gauge("ostrich_trial_washout", "1 in the washout of a period of a trial, in which nothing is measured; else 0."),
		until:   gauge("ostrich_trial_switch_timestamp_seconds", "When the arm of a trial changes next, or the trial ends; 0 without a trial and once it is over."),
	}
}

// configured resets what another mode does not have.
func (m *trialMetrics) configured(c *configuration.Config) {
	if c.Mode != configuration.Trial {
		m.observe(&sidecar.Cycle{})
	}
}

func (m *trialMetrics) observe(c *sidecar.Cycle) {
	state, washout, until := 0, 0, 0.0
	if t := c.Trial; t != nil {
		switch state = 1; {
		case t.Over:
			state = 3
		case t.Orders():
			state = 2
		}
		if until = float64(t.Switch); t.Washout != 0 {
			washout = 1
		}
	}
	m.state.Set(float64(state))
	m.washout.Set(float64(washout))
	m.until.Set(until)
}

// onTrial tells the page where the trial is, and logs it once for each switch.
func (d *daemon) onTrial(c *sidecar.Cycle) {
	t := c.Trial
	if t == nil {
		d.status.change(func(is *statuspage.Daemon) { is.Trial = nil })
		d.news.trial = ""
		return
	}
	is := &statuspage.TrialArm{Arm: t.Arm.String(), Until: t.Switch, Washout: t.Washout, End: t.Design.Until, Words: t.Words()}
	d.status.change(func(s *statuspage.Daemon) { s.Trial = is })
	unwashed := *t
	if unwashed.Washout = 0; unwashed.Words() != d.news.trial {
		d.news.trial = unwashed.Words()
		d.log.Info().Str("arm", is.Arm).Int64("until", int64(t.Switch)).Bool("over", t.Over).Msg(is.Words)
	}
}

// stock gives the queue back where a trial has stock Slurm order it and a cycle has failed for another reason than the
// controller, until nothing of ours is left. The sidecar, which has the journal, is opened anew by the next cycle.
func (d *daemon) stock(ctx context.Context, failed error) {
	now := ostrich.Time(d.now().Unix())
	t := sidecar.TrialAt(&d.config, now)
	if d.giveBack == nil || t.Orders() || now < d.stocked || errors.Is(failed, slurm.ErrUnreachable) || errors.Is(failed, configuration.ErrConfig) {
		return
	}
	d.giving.Store(true)
	defer d.giving.Store(false)
	err := d.shut()
	outcomes, bad := d.giveBack(ctx, &d.config, now, func(repaired error) { d.log.Warn().Err(repaired).Msg("journal") })
	if err = errors.Join(err, bad); err != nil && d.outage.unstocked != err.Error() {
		d.outage.unstocked = err.Error()
		d.log.Warn().Err(err).Msg("trial: not given back to stock Slurm")
	}
	switch {
	case len(outcomes) > 0:
		d.log.Info().Int("jobs", count(outcomes, priority.Applied)).Msg("trial: given back to stock Slurm while cycles fail")
	case err == nil:
		d.stocked = t.Until()
	}
}

// stocks notes that a cycle has found nothing of ours where stock Slurm is to order.
func (d *daemon) stocks(c *sidecar.Cycle) {
	if !c.Trial.Orders() && len(c.Outcomes) == 0 && c.Left == 0 && c.Plan.Reasons[priority.WasRefused] == 0 {
		d.stocked = c.Trial.Until()
	}
}

// giveBack gives the queue back with the commands of the settings.
func giveBack(ctx context.Context, c *configuration.Config, now ostrich.Time, warn func(error)) ([]priority.Change, error) {
	return sidecar.GiveBack(ctx, c, c.Commands(), now, warn)
}
