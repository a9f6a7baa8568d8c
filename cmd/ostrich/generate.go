//go:build !client

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/simulation"
)

func generateCommand() *cli.Command {
	o, fit := &simulation.ModelOptions{}, &simulation.FitOptions{}
	return plainCommand(cli.Command{
		Name:      "generate",
		Usage:     "write a workload of campaigns, as the papers draw them or with programs, in the Standard Workload Format",
		ArgsUsage: "hipc|ppam|programs|bot",
		Description: "  hipc      HiPC 2012, section VII: 10 processors, jobs of 1 to 100 s, few users own most campaigns\n" +
			"  ppam      PPAM 2013, section 6: 64 processors, users with jobs of up to an hour and users with jobs of up to ten\n" +
			"  programs  users with some programs each (field 14), of lengths of their own, coarse limits, and failures\n" +
			"  bot       HPDC 2008, section 3: bags (field 14) of sequential tasks, with peak hours, as on seven grids\n\n" +
			"Fields 17 and 18 say to which campaign a job belongs: its preceding job is the last one of the user's campaign\n" +
			"before, all of which has to end, and the think time follows. Submit times are those of a user alone on an\n" +
			"unlimited machine; those of bot wait for nothing. The same options give the same log. Replay it with\n" +
			"\"ostrich simulate --replay closed\", and one of bot with --replay open.\n\n" +
			"With --fit, bot writes no log. It finds the bags of a log, and prints the distributions of greatest likelihood\n" +
			"for them: D is their distance by Kolmogorov and Smirnov, and the best has the least. Of several logs the\n" +
			"average system has the least mean D, and its family is the best of a log if it is within 0.01 of the least.\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted. The file is written whole or not at all.",
	}, slices.Concat(slices.Insert(o.Flags(), 1, cli.Flag(
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` that the draw begins with", Value: 1})), []cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write, compressed if it ends in .gz", DefaultText: "standard output"},
	}, fit.Flags(), console.Formats("docs/simulation.md")), func(c *cli.Context) error {
		o.Given = c.IsSet
		err := generate(c, o, fit)
		if err != nil {
			err = fmt.Errorf("generate: %w", err)
		}
		return err
	})
}

func generate(c *cli.Context, o *simulation.ModelOptions, fit *simulation.FitOptions) error {
	if c.NArg() != 1 {
		return fmt.Errorf("name a model: %s", console.List(simulation.ModelNames()))
	}
	if c.IsSet("fit") {
		return fitBags(c, fit)
	}
	for _, f := range slices.Concat(fit.Flags(), console.Formats("docs/simulation.md")) {
		if name := f.Names()[0]; c.IsSet(name) {
			return fmt.Errorf("--%s goes with --fit", name)
		}
	}
	m, err := o.Model(c.Args().First())
	if err == nil {
		err = console.Writable(c, "out")
	}
	if err != nil {
		return err
	}
	return simulation.Generate(c.Context, m, c.Uint64("seed"), c.String("out"), c.App.Writer)
}

// fitBags prints the model of bags-of-tasks of logs.
func fitBags(c *cli.Context, o *simulation.FitOptions) error {
	if model := c.Args().First(); model != "bot" {
		return fmt.Errorf("--fit goes with bot, not %s", model)
	}
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; c.IsSet(name) && name != "help" && !o.Has(name) {
			return fmt.Errorf("--%s draws a log, and --fit reads one", name)
		}
	}
	o.Given = c.IsSet
	f, err := o.Fit(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.JSON(c, f)
	}
	return console.Tables(c, f.Table())
}
