package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// emulation is a daemon beside a cluster in memory. Its cycles are real ones, and
// come when a test wants them, ten seconds of the cluster's time apart.
type emulation struct {
	t      *testing.T
	daemon *daemon
	next   chan struct{} // wants a cycle
	done   chan error    // of each cycle, and of the whole
}

// emulate begins it. Three users have campaigns of some jobs again and again,
// on four processors, for more than three hours; bob's come seldom.
func emulate(t *testing.T) *emulation {
	t.Helper()
	cluster, err := memslurm.New(memslurm.Config{
		Cluster: "test", Nodes: 2, CPUs: 2,
		Users: []memslurm.User{{UID: 1, Name: "alice", Account: "a"}, {UID: 2, Name: "bob", Account: "b"}, {UID: 3, Name: "carol", Account: "c"}},
		Rule:  memslurm.Classic, Age: 1000, Fairshare: 10_000, MaxAge: 1000, HalfLife: 693, CalcPeriod: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	config := configuration.Default()
	config.Cluster, config.Mode, config.Campaign.Rule.By = "test", configuration.Enforce, campaign.Max
	config.Metrics.PerUser = true
	night(t, &config)
	controller, err := cluster.Controller.Controller(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	partitions, err := cluster.Partitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := sidecar.New(config, cluster.Accounting, refusing{cluster.Controller}, controller, partitions)
	if err != nil {
		t.Fatal(err)
	}
	e := &emulation{
		t: t, daemon: &daemon{config: config, metrics: newMetrics("test"), now: time.Now, log: zerolog.Nop(), sidecar: s, notify: notifier{tell: func(string) {}}},
		next: make(chan struct{}), done: make(chan error),
	}
	e.daemon.configured()
	e.daemon.foresee(s)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	t.Cleanup(func() {
		stop()
		<-ended
	})
	go func() {
		defer close(ended)
		err := cluster.Run(ctx, load(), memslurm.Every{Period: 10, Do: e.step})
		if err == nil {
			err = errors.New("the load has ended")
		}
		select {
		case e.done <- err:
		case <-ctx.Done():
		}
	}()
	return e
}

// step does a cycle once it is wanted.
func (e *emulation) step(ctx context.Context) error {
	select {
	case <-e.next:
	case <-ctx.Done():
		return ctx.Err()
	}
	o := e.daemon.cycle(ctx)
	e.daemon.report(o, zerolog.DebugLevel)
	e.daemon.judge(o.err)
	select {
	case e.done <- o.err:
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cycles lets the daemon do some more.
func (e *emulation) cycles(n int) {
	e.t.Helper()
	for range n {
		select {
		case e.next <- struct{}{}:
		case err := <-e.done:
			e.t.Fatal(err)
		}
		if err := <-e.done; err != nil {
			e.t.Fatal(err)
		}
	}
}

// handler is what Prometheus scrapes.
func (e *emulation) handler() http.Handler { return e.daemon.handler() }

func load() []sim.Campaign {
	const begin = 1_000_000
	var list []sim.Campaign
	for i := range 12 {
		for user := range 3 {
			if user == 1 && i%3 > 0 {
				continue
			}
			c := sim.Campaign{User: ostrich.UserID(user + 1), Submit: begin + ostrich.Time(i*1000+user*40)}
			for k := range []int{14, 3, 6}[user] {
				run := ostrich.Duration(40 + 17*(k+i)%90)
				c.Jobs = append(c.Jobs, &sim.Job{User: c.User, Submit: c.Submit, Procs: 1 + (k+user)%3, Run: run, Estimate: 2 * run})
			}
			list = append(list, c)
		}
	}
	return list
}

// refusing is a controller that refuses to change every seventh job.
type refusing struct{ slurmctld }

// slurmctld is a name that the method Controller leaves free.
type slurmctld = sidecar.Controller

func (r refusing) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	var taken []priority.Change
	var refused []priority.Change
	for _, c := range changes {
		if c.Job%7 == 0 {
			refused = append(refused, c.Outcome(priority.Refused, "no"))
		} else {
			taken = append(taken, c)
		}
	}
	result, err := r.slurmctld.Update(ctx, ch, taken)
	result.Outcomes = append(result.Outcomes, refused...)
	return result, err
}
