//go:build !client

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

func simulateCommand() *cli.Command {
	o, workers, step := &simulation.Options{}, 0, time.Duration(0)
	return plainCommand(cli.Command{
		Name:  "simulate",
		Usage: "replay a workload log under a scheduling policy, and measure what comes of it",
		Description: "The log is in the Standard Workload Format, compressed with gzip or not; - is standard input. Several\n" +
			"logs and several policies (comma-separated) run at once on all cores, each as if alone.\n\n" +
			"Policies:\n" + simulation.Help(simulation.Log, 18) + "\n" + simulation.VariantHelp(simulation.Log, 18) + "\n" +
			"A campaign is what --rule finds in the logged times. With --replay closed a user's next campaign comes when the\n" +
			"last one has really ended and the logged think time has passed. The columns are those of\n" +
			"docs/simulation.md, as are the fields of --json. Nothing of Slurm is needed or touched.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. A file is written whole, once the replay is done, or not at all.",
	}, slices.Concat(o.LogsFlags(), o.Flags(), simulationFlags(&workers, &step), o.CampaignFlags(), console.Formats("docs/simulation.md")), func(c *cli.Context) error {
		o.Given, o.Sacct = c.IsSet, c.StringSlice("sacct")
		return simulate(c, o, workers, step, simulation.Tables)
	})
}

// simulationFlags returns the options for what comes out of replays.
func simulationFlags(workers *int, step *time.Duration) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "summary", Usage: "write the summary only, no users"},
		&cli.StringFlag{Name: "jobs-csv", Usage: "write a row a job to `FILE`, in Batsim's columns"},
		&cli.StringFlag{Name: "campaigns-csv", Usage: "write a row a campaign to `FILE`"},
		&cli.StringFlag{Name: "utilisation-csv", Usage: "write the utilisation over time to `FILE`"},
		configuration.NewSpanFlag(step, time.Hour, "step", "`TIME` between two rows of --utilisation-csv", ""),
		&cli.StringFlag{Name: "html", Usage: "write a page with pictures and the summaries to `FILE`"},
		&cli.StringFlag{Name: "svg", Usage: "draw the mean stretch of campaigns, of platform the NSL of bags, of each log under each policy into `FILE`"},
		runs.WorkersFlag("replay", workers),
	}
}

// simulations are what options ask for.
type simulations interface {
	Simulations(ctx context.Context, stderr io.Writer, logs []string) ([]*simulation.Simulation, error)
}

// tables are those of replays; whole is whether more than their summaries is wanted.
type tables func(list []*simulation.Simulation, whole bool) []format.Table

// simulate makes replays, and writes what comes out.
func simulate(c *cli.Context, o simulations, workers int, step time.Duration, show tables) error {
	defer shortLived()()
	if step < time.Second {
		return fmt.Errorf("--step %v: at least 1 s", step)
	}
	if err := console.Writable(c, slices.Concat(csvOptions, drawnOptions)...); err != nil {
		return err
	}
	list, err := o.Simulations(c.Context, c.App.ErrWriter, c.StringSlice("swf"))
	if err != nil {
		return err
	}
	if err = csvAllowed(c, len(list)); err != nil {
		return err
	}
	plans := func(s *simulation.Simulation) bool { return s.Run.Policy.Name == "horizon" }
	if c.IsSet("satisfaction") && c.Bool("summary") && !c.Bool("json") && !slices.ContainsFunc(list, plans) {
		return errors.New("--satisfaction is for the table of lateness, which --summary leaves out: without --summary, or with --json")
	}
	if list, err = simulation.Simulate(c.Context, c.App.ErrWriter, workers, list, !c.Bool("summary")); err != nil {
		return err
	}
	if err = writeCSVs(c, list[0], step); err != nil {
		return err
	}
	whole := !c.Bool("summary")
	if c.IsSet("html") || c.IsSet("svg") {
		drawing := simulation.Drawing(list)
		if err = errors.Join(
			console.WriteFile(c, "svg", func(w io.Writer) error { return simulation.WriteSVG(w, drawing) }),
			console.WriteFile(c, "html", func(w io.Writer) error { return simulation.WriteHTML(w, "Replays", drawing, show(list, false)) }),
		); err != nil {
			return err
		}
	}
	if !c.Bool("json") {
		return console.Tables(c, show(list, whole)...)
	}
	document, err := simulation.Document(list, whole)
	if err != nil {
		return err
	}
	return console.JSON(c, document)
}

// drawnOptions name the pictures that simulate and sweep write.
var drawnOptions = []string{"html", "svg"}

// csvOptions name the files that simulate writes.
var csvOptions = []string{"jobs-csv", "campaigns-csv", "utilisation-csv"}

// csvAllowed refuses files of several replays, as there is one file for each option.
func csvAllowed(c *cli.Context, replays int) error {
	for _, option := range csvOptions {
		if c.IsSet(option) && replays > 1 {
			return fmt.Errorf("--%s: one log and one policy at a time, not %d replays", option, replays)
		}
	}
	if c.IsSet("step") && !c.IsSet("utilisation-csv") {
		return errors.New("--step goes with --utilisation-csv")
	}
	return nil
}

// writeCSVs writes the files that the options ask for.
func writeCSVs(c *cli.Context, s *simulation.Simulation, step time.Duration) error {
	o, m := s.Outcome, s.Run.Procs
	if c.IsSet("jobs-csv") {
		runtime.GC() // it reuses the memory of the replay
	}
	return errors.Join(
		console.WriteFile(c, "jobs-csv", func(w io.Writer) error { return report.WriteJobs(w, s.Workload.Name, o.Jobs, m) }),
		console.WriteFile(c, "campaigns-csv", func(w io.Writer) error { return report.WriteCampaigns(w, o.Campaigns, m) }),
		console.WriteFile(c, "utilisation-csv", func(w io.Writer) error {
			return report.WriteUtilisation(w, o.Jobs, m, ostrich.Duration(step/time.Second))
		}),
	)
}
