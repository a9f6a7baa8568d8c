//go:build !client

package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/simulation"
)

func platformCommand() *cli.Command {
	o, workers, step := &simulation.PlatformOptions{}, 0, time.Duration(0)
	return plainCommand(cli.Command{
		Name:  "platform",
		Usage: "run the bags of a workload log on clusters of several speeds, and measure what comes of it",
		Description: "The jobs of a log are sequential tasks, their campaigns bags, and the clusters of a platform run them at speeds\n" +
			"of their own (HPDC 2008). Several logs, policies, selections and architectures (comma-separated) run at once on\n" +
			"all cores, each as if alone. --policy says where a task runs, what it knows of (processors, tasks) being known,\n" +
			"history or unknown:\n" + simulation.Help(simulation.Clusters, 16) + "\n" +
			"and --selection which tasks are eligible:\n" + simulation.SelectionHelp(16) + "\n" +
			"A campaign is what --rule finds in the logged times. docs/simulation.md describes files of platforms, the columns,\n" +
			"and the fields of --json. Nothing of Slurm is needed or touched.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. A file is written whole, once the run is done, or not at all.",
	}, slices.Concat(o.LogsFlags(), o.Flags(), simulationFlags(&workers, &step), o.CampaignFlags(), console.Formats("docs/simulation.md")), func(c *cli.Context) error {
		o.Given, o.Sacct = c.IsSet, c.StringSlice("sacct")
		return simulate(c, o, workers, step, simulation.PlatformTables)
	})
}
