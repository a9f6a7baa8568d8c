//go:build !client

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/figures"
	"slurm-ostrich/cmd/internal/format"
)

func figuresCommand() *cli.Command {
	o := &figures.Options{}
	return plainCommand(cli.Command{
		Name:      "figures",
		Usage:     "draw the figures of the source papers anew, and set the papers' numbers beside ours",
		ArgsUsage: "[NAME…]",
		Description: "Without a NAME all figures are drawn, in one go with --all: then a missing log is an error. Writes the pictures as SVG, what they were drawn from as CSV, and a page,\n" +
			figures.Index + ", that shows them with the papers' numbers, ours, and why they differ; then prints these numbers.\n" +
			"A figure whose workload log is not in --traces is left out, and an error if it was named. The figures are\n" +
			"computed on all cores; what is written does not depend on how many. A bar tells how far they are.\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted.",
	}, []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "write into `DIR`, which is made if it is not there", Destination: &o.Out},
		&cli.StringFlag{Name: "traces", Usage: "`DIR` with the workload logs of the Parallel Workloads Archive, as *.swf.gz", EnvVars: []string{"OSTRICH_TRACES"}, Destination: &o.Traces},
		&cli.BoolFlag{Name: "all", Usage: "draw all figures; it is an error if the log of one is missing", Destination: &o.All},
		&cli.BoolFlag{Name: "short", Usage: "draw fewer random instances than the papers, for a first look, and one workload of HPDC 2008 where five are the rule", Destination: &o.Short},
		&cli.BoolFlag{Name: "list", Usage: "list the figures with the logs that they need, and draw nothing"},
		&cli.IntFlag{Name: "workers", Usage: "compute on `NUMBER` cores", DefaultText: "all", Destination: &o.Workers},
	}, func(c *cli.Context) error {
		if c.Bool("list") {
			for _, option := range []string{"out", "all", "short", "workers"} {
				if c.IsSet(option) {
					return fmt.Errorf("figures: --%s means nothing with --list", option)
				}
			}
			return listFigures(c)
		}
		if c.IsSet("workers") && o.Workers < 1 {
			return fmt.Errorf("figures: --workers %d: at least 1", o.Workers)
		}
		drawn, err := o.Run(c.Context, c.App.ErrWriter, c.Args().Slice())
		return errors.Join(console.Tables(c, figures.NumberTables(drawn)...), err)
	})
}

func listFigures(c *cli.Context) error {
	list, err := figures.Named(c.Args().Slice())
	if err != nil {
		return err
	}
	t := format.Table{Header: []string{"NAME", "TITLE", "FROM", "LOG"}}
	for _, f := range list {
		t.Add(f.Name, f.Title, f.From, strings.Join(f.Logs, ", "))
	}
	return console.Tables(c, t)
}
