package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
)

// answering is the command "answering PATH READY [late]" of the scripts: a daemon that has
// done one cycle, just now or long ago, and answers at a socket until it is
// interrupted. It makes the file READY.
func answering() {
	app := &cli.App{Flags: configuration.Flags(false), Action: answerAt}
	if err := app.Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answerAt(c *cli.Context) error {
	config, err := configuration.Load(c)
	if err != nil {
		return err
	}
	s, err := sidecar.Open(c.Context, config, nil, nil)
	if err != nil {
		return err
	}
	var foresees *foresight.Foresight
	if c.Args().Get(2) == "foresees" {
		foresees = foresight.New()
		foresees.Begin(config.Cluster, config.Pools)
		s.Hear(foresees.Step)
	}
	cycle, err := s.Run(c.Context, false)
	if err != nil {
		return err
	}
	compared := live.New()
	compared.Observe(cycle, s)
	late := c.Args().Get(2) == "late"
	now := time.Unix(1700000600, 0)
	state := &statuspage.State{Cycle: view.Describe(s, cycle, nil), Report: compared.Report(), Ended: time.Unix(1700000000, 0)}
	state.Cycle.Foresight = foresees
	clock := func() time.Time { return now }
	answers := statuspage.NewAPI(statuspage.Options{
		State:  func(context.Context) *statuspage.State { return state },
		Viewer: (&access.Rules{Own: uint32(os.Getuid())}).Viewer, // its own user asks, who sees everything
		Late:   func(_, _ time.Time) bool { return late },
		Past:   func(error) {},
		Now:    clock,
	})
	server, err := socket.Open(c.Context, c.Args().Get(0), answers, clock, func(err error) { fmt.Fprintln(os.Stderr, err) })
	if err != nil {
		return err
	}
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	if err = os.WriteFile(c.Args().Get(1), nil, 0o600); err != nil {
		return err
	}
	<-interrupt
	return errors.Join(server.Close(), s.Close())
}

// Where jobs may be hidden, nobody is told that a user has none.
func TestNoJobs(t *testing.T) {
	for hidden, want := range map[bool]string{false: "No job of alice and bob waits or runs.\n", true: "No job of alice and bob that you may see waits or runs.\n"} {
		var out strings.Builder
		c := cli.NewContext(&cli.App{Writer: &out}, flag.NewFlagSet("", flag.ContinueOnError), nil)
		if err := explain(c, &view.Selection{Users: []string{"alice", "bob"}}, &view.Answer{Hidden: hidden}); err != nil || out.String() != want {
			t.Errorf("%q, want %q; %v", out.String(), want, err)
		}
	}
}
