//go:build !client

package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/simulation/sweep"
)

func sweepCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:      "sweep",
		Usage:     "run a grid of simulations, on all cores",
		ArgsUsage: "FILE",
		Description: "FILE is YAML with lists that are combined with one another:\n\n" +
			"  traces: [KTH.swf.gz, {generate: hipc, users: 20}]  # paths relative to FILE, options of generate\n" +
			"  seeds: [1-5]                                       # of the generated ones\n" +
			"  policies: [fcfs, ostrich]                          # all is all of them\n" +
			"  backfill: [none, easy]\n" +
			"  replay: [open]\n" +
			"  parameters: {load: [1, 1.2], rule: [max, last]}    # any option of simulate that takes a value\n\n" +
			"Each point is what \"ostrich simulate\" with its options computes, or \"ostrich platform\" if platform is a\n" +
			"parameter. Options that mean nothing to a policy are left out where it is the policy, and combinations that\n" +
			"cannot be simulated too; standard error counts both.\n\n" +
			"With --out the result of each point is kept as soon as it is there, so that the same command again computes what\n" +
			"is missing. The table of all is then written to DIR/sweep.csv, and what each point took to DIR/timing.csv.\n" +
			"docs/simulation.md describes columns and fields. They are the same bytes however many cores or tasks computed them.\n\n" +
			"With --task one of several processes computes its part into DIR and writes no table; contrib/sweeps/array.sh\n" +
			"is the batch script of a job array of them.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted.",
	}, slices.Concat(sweep.Flags(), console.Formats("docs/simulation.md")), func(c *cli.Context) error {
		defer shortLived()()
		return sweep.Run(c)
	})
}
