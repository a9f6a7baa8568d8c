//go:build !client

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim/swf"
)

func campaignsCommand() *cli.Command {
	o := &simulation.LogOptions{}
	live := liveCampaigns("\n\n"+
		"With --swf or --sacct it lists the campaigns of a workload log, or of dumps of sacct, instead, and how long they\n"+
		"took there; times are in seconds since the start. Then neither the configuration nor Slurm is read.",
		campaignsLogFlags(o), func(c *cli.Context, by *view.Selection) error {
			if err := onlyWithLog(c); err != nil {
				return err
			}
			return answered(view.AskCampaigns, writeCampaigns)(c, by)
		})
	ofCluster := live.Action
	live.Action = func(c *cli.Context) error {
		if (c.IsSet("swf") || c.IsSet("sacct")) && c.NArg() == 0 {
			return logCampaigns(c, o)
		}
		return ofCluster(c)
	}
	return live
}

// campaignsLogFlags returns the options of campaigns for a log. Those that choose
// its jobs fill o.
func campaignsLogFlags(o *simulation.LogOptions) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "take the campaigns of the log in `FILE` instead, in the Standard Workload Format; - is standard input"},
	}, o.DumpFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "summary", Usage: "of a log, write how the stretch is distributed instead of the campaigns"},
	}, o.Flags(), o.RuleFlags(campaign.ByNames, "what a campaign of a log is", "max"))
}

// onlyWithLog refuses options that have no effect without a log.
func onlyWithLog(c *cli.Context) error {
	for _, f := range campaignsLogFlags(&simulation.LogOptions{}) {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("campaigns: --%s goes with --swf or --sacct", name)
		}
	}
	return nil
}

// onlyWithoutLog refuses options that have no effect with a log. Settings of the
// daemon may stand in the environment all the time.
func onlyWithoutLog(c *cli.Context) error {
	for _, f := range slices.Concat(selection("jobs"), []cli.Flag{iterateFlag()}, configuration.Flags(true)) {
		if name := f.Names()[0]; c.IsSet(name) && name != "user" && !arguments.FromEnvironment(f) {
			return fmt.Errorf("--%s does not go with --swf and --sacct", name)
		}
	}
	return nil
}

// logCampaigns writes the campaigns of a log, from the logged times.
func logCampaigns(c *cli.Context, o *simulation.LogOptions) error {
	if err := errors.Join(onlyWithoutLog(c), console.CheckRows(c)); err != nil {
		return fmt.Errorf("campaigns: %w", err)
	}
	o.Given, o.User, o.Sacct = c.IsSet, c.String("user"), c.StringSlice("sacct")
	logs := []string{c.String("swf")}
	if !c.IsSet("swf") {
		logs = nil
	}
	logs, err := o.Logs("campaigns", logs)
	if err != nil {
		return fmt.Errorf("campaigns: %w", err)
	}
	w, err := o.Workload(c.Context, logs[0], campaign.ByNames, swf.Exact)
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
