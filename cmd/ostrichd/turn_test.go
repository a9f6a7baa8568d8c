package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
	"slurm-ostrich/priority/slurm"
)

// The end of an outage is noticed by a probe, not by the next try.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		away := errors.New("slurmctld does not answer")
		until := 100 * time.Second
		answer := func() error {
			if at := time.Since(w.began); at >= 5*time.Second && at < until {
				return away
			}
			return nil
		}
		w.step = func(context.Context, int) (*sidecar.Cycle, error) {
			if err := answer(); err != nil {
				return nil, err
			}
			return &sidecar.Cycle{}, nil
		}
		w.daemon.probe = func(context.Context, configuration.Config) (slurm.Diag, error) { return slurm.Diag{}, answer() }
		w.run(t, 115*time.Second)
		diff(t, "cycles", []string{"0s observe", "10s observe", "30s observe", "1m10s observe", "1m40s observe", "1m50s observe"}, w.cycles)
	})
}

// A probe that succeeds while cycles fail does not hurry for ever.
func TestProbeInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(context.Context, int) (*sidecar.Cycle, error) {
			return nil, errors.New("no connection to the database")
		}
		w.daemon.probe = func(context.Context, configuration.Config) (slurm.Diag, error) { return slurm.Diag{}, nil }
		w.run(t, 160*time.Second)
		diff(t, "cycles", []string{"0s observe", "5s observe", "15s observe", "35s observe", "1m15s observe", "2m35s observe"}, w.cycles)
	})
}

// A probe opens nothing, and nothing is probed without an outage.
func TestProbeOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		probes := 0
		w.openErr = func(n int) error {
			if n <= 2 {
				return errors.New("slurmctld does not answer")
			}
			return nil
		}
		w.daemon.probe = func(context.Context, configuration.Config) (slurm.Diag, error) {
			probes++
			return slurm.Diag{}, errors.New("slurmctld does not answer")
		}
		w.run(t, 200*time.Second)
		diff(t, "opened", []string{"0s observe", "20s observe", "1m0s observe"}, w.opened)
		if probes < 10 || probes > 12 { // each 5 s, and two may come with a try or not
			t.Errorf("%d probes in an outage of a minute", probes)
		}
	})
}

// Who stands by is ready, says so, and is no writer; each change is one line.
func TestStandsBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.daemon.config.Mode = configuration.Enforce
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			c := &sidecar.Cycle{}
			if n > 1 && n < 5 {
				c.StandsBy = "another daemon writes"
			}
			return c, nil
		}
		check := func(after time.Duration, enforcing, standing float64, ready string) {
			time.Sleep(after - time.Since(w.began))
			if got := counter(t, w.daemon.metrics, "ostrich_enforcing"); got != enforcing {
				t.Errorf("after %v: enforcing %v", after, got)
			}
			if got := counter(t, w.daemon.metrics, "ostrich_standing_by"); got != standing {
				t.Errorf("after %v: standing by %v", after, got)
			}
			if body := get(t, w.daemon, "/readyz", http.StatusOK); !strings.HasPrefix(body, ready) {
				t.Errorf("after %v: /readyz says %s", after, body)
			}
			words := w.daemon.state(t.Context()).Snapshot().Health.Words
			if stands := strings.Contains(words, "stands by"); stands != (standing == 1) {
				t.Errorf("after %v: the page says %q", after, words)
			}
		}
		w.run(t, 60*time.Second, func() {
			check(5*time.Second, 1, 0, "ok\n")
			check(25*time.Second, 0, 1, "ok, stands by: another daemon writes")
			check(55*time.Second, 1, 0, "ok\n")
		})
		diff(t, "log", []string{
			"info started", "info stands by: computes the order and writes nothing", "info takes over: writes priorities from now on", "info stopped",
		}, w.logged(t, zerolog.InfoLevel))
	})
}

// Jobs that are refused or contested are counted, and a contest is two lines,
// however long it goes on.
func TestContest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.step = func(_ context.Context, n int) (*sidecar.Cycle, error) {
			c := &sidecar.Cycle{}
			if n < 60 {
				c.Plan.Reasons = map[priority.Code]int{priority.WasRefused: 2, priority.OtherWriter: 1}
			}
			if n == 1 || n == 30 {
				c.OtherWriters = []journal.Record{{Job: ostrich.JobID(n), From: 5, To: 7}}
			}
			if n == 3 || n == 4 {
				c.Slow = slurm.ErrSlow
			}
			return c, nil
		}
		w.run(t, 2*time.Hour, func() {
			time.Sleep(time.Minute)
			if given, contested := counter(t, w.daemon.metrics, "ostrich_given_up_jobs"), counter(t, w.daemon.metrics, "ostrich_contested_jobs"); given != 2 || contested != 1 {
				t.Errorf("%v given up, %v contested", given, contested)
			}
		})
		diff(t, "log", []string{
			"info started",
			"warn another writer changes priorities that are ours; those jobs are left alone for a while, see the journal",
			"warn the controller is slow; each cycle goes on with the rest, the head of the queue first: slow controller",
			"info the controller keeps up again",
			"info no other writer changes priorities any more",
			"info stopped",
		}, w.logged(t, zerolog.InfoLevel))
	})
}
