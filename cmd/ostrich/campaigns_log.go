package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// campaignsLogFlags are the options of campaigns that go with a log. Those that
// choose of it fill o.
func campaignsLogFlags(o *replay.LogOptions) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "take the campaigns of the log in `FILE` instead, in the Standard Workload Format; - is standard input"},
		&cli.BoolFlag{Name: "summary", Usage: "of a log, write how the stretch is distributed instead of the campaigns"},
	}, o.Flags(), o.RuleFlags(ostrich.ByNames, "what a campaign of a log is", "max"))
}

// onlyWithLog refuses options that mean nothing without a log.
func onlyWithLog(c *cli.Context) error {
	for _, f := range campaignsLogFlags(&replay.LogOptions{}) {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("campaigns: --%s goes with --swf", name)
		}
	}
	return nil
}

// onlyWithoutLog refuses options that mean nothing with a log. Settings of the
// daemon may stand in the environment all the time.
func onlyWithoutLog(c *cli.Context) error {
	inEnvironment := func(name string) bool {
		_, ok := os.LookupEnv(name)
		return ok
	}
	for _, f := range slices.Concat(selection(), sidecar.Flags(true)) {
		name := f.Names()[0]
		variables := f.(cli.DocGenerationFlag).GetEnvVars()
		if c.IsSet(name) && name != "user" && !slices.ContainsFunc(variables, inEnvironment) {
			return fmt.Errorf("campaigns: --%s does not go with --swf", name)
		}
	}
	return nil
}

// logCampaigns writes the campaigns of a log, from the logged times.
func logCampaigns(c *cli.Context, o *replay.LogOptions) error {
	if err := onlyWithoutLog(c); err != nil {
		return err
	}
	o.Given, o.User = c.IsSet, c.String("user")
	w, err := o.Workload(c.Context, c.String("swf"), ostrich.ByNames, sim.Exact)
	if err != nil {
		return err
	}
	if w.Timed {
		w.Tell(c.App.ErrWriter)
	}
	all, err := w.Campaigns()
	short := c.Bool("summary")
	switch {
	case err != nil:
		return err
	case c.Bool("json") && short:
		return console.JSON(c, all.Summary)
	case c.Bool("json"):
		return console.JSON(c, all)
	case short:
		return console.Tables(c, all.SummaryTable())
	}
	return console.Tables(c, all.Table())
}
