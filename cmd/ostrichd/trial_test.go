package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// TestWakesAtASwitch: a cycle begins in the second in which the arm of a trial changes, and
// metrics, page and log say which it is.
func TestWakesAtASwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		c := &w.daemon.config
		c.Mode, c.Interval, c.MinInterval = configuration.Trial, 7*time.Minute, 7*time.Minute
		c.Experiment.Period, c.Experiment.Washout, c.Experiment.Seed = time.Hour, 5*time.Minute, 3
		c.Experiment.Until = ostrich.Time(time.Now().Add(12 * time.Hour).Unix())
		at := make(map[ostrich.Time]bool)
		w.step = func(context.Context, int) (*sidecar.Cycle, error) {
			now := ostrich.Time(time.Now().Unix())
			at[now] = true
			return &sidecar.Cycle{Trial: sidecar.TrialAt(c, now)}, nil
		}
		d, _ := c.Design()
		w.run(t, 12*time.Hour+2*time.Minute, func() {
			for now := ostrich.Time(time.Now().Unix()) + 1800; now < d.Until; now += 3600 {
				time.Sleep(time.Until(time.Unix(int64(now), 0)))
				p, _ := d.At(now)
				if got := counter(t, w.daemon.metrics, "ostrich_trial_state"); got != float64(p.Arm)+1 {
					t.Errorf("at %d, arm %v: ostrich_trial_state %v", now, p.Arm, got)
				}
				if got := counter(t, w.daemon.metrics, "ostrich_enforcing"); got != float64(p.Arm) {
					t.Errorf("at %d, arm %v: ostrich_enforcing %v", now, p.Arm, got)
				}
				if got := counter(t, w.daemon.metrics, "ostrich_trial_switch_timestamp_seconds"); got != float64(d.Switch(now)) {
					t.Errorf("at %d: switch at %v", now, got)
				}
				if h := asked(t, w.daemon); h.Trial == nil || h.Trial.Arm != p.Arm.String() || h.Trial.Until != d.Switch(now) || h.Mode != "trial" {
					t.Errorf("at %d the page says %+v", now, h.Trial)
				}
			}
			time.Sleep(31 * time.Minute)
		})
		if got := counter(t, w.daemon.metrics, "ostrich_trial_state"); got != 3 {
			t.Errorf("after its end: ostrich_trial_state %v", got)
		}
		switches := 0
		for now := d.Until - 12*3600; now < d.Until; switches++ {
			if now = d.Switch(now); !at[now] {
				t.Errorf("no cycle began at the switch at %d", now)
			}
		}
		if switches < 3 {
			t.Errorf("%d switches", switches)
		}
	})
}

// TestGivesBackInAnOutage: while cycles fail, the queue is given back from the second on in which stock Slurm is to
// order it, with the sidecar and its journal closed, until nothing is left; not while OStrich orders, nor if slurmctld is what
// is away. That it cannot be given back is logged once.
func TestGivesBackInAnOutage(t *testing.T) {
	refused := errors.New("squeue is refused")
	for _, tt := range []struct {
		away error
		left []priority.Change // at each try
		bad  error
	}{
		{slurmdb.ErrConnect, []priority.Change{{Job: 1, Status: priority.Applied}}, nil},
		{slurmdb.ErrConnect, nil, nil},
		{slurmdb.ErrConnect, nil, refused},
		{slurm.ErrUnreachable, nil, nil},
	} {
		away := tt.away
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			c := &w.daemon.config
			c.Mode = configuration.Trial
			c.Experiment.Period, c.Experiment.Washout, c.Experiment.Seed = time.Hour, 5*time.Minute, 3
			c.Experiment.Until = ostrich.Time(time.Now().Add(12*time.Hour + 7*time.Second).Unix())
			w.step = func(context.Context, int) (*sidecar.Cycle, error) { return nil, away }
			given := make(map[ostrich.Time]bool)
			tries := make(map[ostrich.Time]int) // by the end of what orders
			d, _ := c.Design()
			w.daemon.giveBack = func(_ context.Context, _ *configuration.Config, now ostrich.Time, _ func(error)) ([]priority.Change, error) {
				if w.daemon.sidecar != nil {
					t.Errorf("at %d the sidecar is open", now)
				}
				given[now] = true
				tries[sidecar.TrialAt(c, now).Until()]++
				return tt.left, tt.bad
			}
			began := ostrich.Time(time.Now().Unix())
			w.run(t, 12*time.Hour+2*time.Minute)
			if errors.Is(away, slurm.ErrUnreachable) {
				if len(given) > 0 {
					t.Errorf("without slurmctld: %v", given)
				}
				return
			}
			switches := 0
			for now := d.Switch(began); ; now = d.Switch(now) {
				p, on := d.At(now)
				if stock := !on || p.Arm == trial.Stock; given[now] != stock {
					t.Errorf("at the switch at %d given back: %v", now, given[now])
				}
				if switches++; !on {
					break
				}
			}
			for now := range given {
				if p, on := d.At(now); on && p.Arm == trial.OStrich {
					t.Errorf("given back at %d, when OStrich orders", now)
				}
			}
			if switches < 3 {
				t.Errorf("%d switches", switches)
			}
			for end, n := range tries {
				if again := tt.left != nil || tt.bad != nil; again != (n > 1) && end < math.MaxInt64 {
					t.Errorf("%d tries up to %d, with %d left at each and error %v", n, end, len(tt.left), tt.bad)
				}
			}
			lines := strings.Join(w.logged(t, zerolog.InfoLevel), "\n")
			if told := strings.Contains(lines, ": given back to stock Slurm"); told != (tt.left != nil) {
				t.Errorf("given back is told: %v", told)
			}
			if n := strings.Count(lines, "not given back to stock Slurm"); (n == 1) != (tt.bad != nil) {
				t.Errorf("not given back is told %d times", n)
			}
		})
	}
}

// TestNotAllGivenBack: a job that Slurm refuses to change may have a value of ours while a cycle waits with the next try.
func TestNotAllGivenBack(t *testing.T) {
	c := sidecar.Cycle{Trial: &sidecar.TrialState{Period: trial.Period{Arm: trial.Stock}, Switch: 99}}
	for _, refused := range []int{1, 0} {
		var d daemon
		c.Plan.Reasons = map[priority.Code]int{priority.WasRefused: refused}
		if d.stocks(&c); (d.stocked == 99) != (refused == 0) {
			t.Errorf("with %d refused, nothing of ours is left up to %d", refused, d.stocked)
		}
	}
}
