//go:build !client

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay"
)

func convertCommand() *cli.Command {
	o := &replay.ConvertOptions{}
	return plainCommand(cli.Command{
		Name:  "convert",
		Usage: "write a site's records, or a log, in another form",
		Description: "The jobs come from dumps of sacct in text or JSON, traces with named columns (--sacct), a workload log (--swf), or,\n" +
			"without either, slurmdbd's tables, as those of \"ostrich compare\".\n\n" +
			"  swf         the Standard Workload Format. Users, accounts, QOS and partitions are numbered, and --key has their\n" +
			"              names; a job has Slurm's id. The header says what was lost\n" +
			"  batsim      a workload for Batsim, in JSON, whose jobs are delays\n" +
			"  batsim-csv  the jobs that ran, in the CSV that Batsim writes of jobs\n" +
			"  sacct       text with a header, tabs between the columns, times in UTC. In that of a dump \"ostrich compare --sacct\"\n" +
			"              finds what it finds in the dump; tables and logs do not have all that a dump has\n\n" +
			"Standard error has notes on what was lost. docs/simulation.md describes the fields. Of the tables --starttime and\n" +
			"--endtime take sacct's syntax, and without them the last 30 days are read.\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted. A file is written whole or not at all.",
	}, slices.Concat([]cli.Flag{configuration.ClusterFlag()}, o.Flags(), configuration.Flags(true)), func(c *cli.Context) error {
		defer shortLived()()
		o.Given, o.SWF, o.Sacct, o.Cluster = c.IsSet, c.StringSlice("swf"), c.StringSlice("sacct"), c.String("clusters")
		err := console.Writable(c, "out", "key")
		if err == nil {
			err = o.Convert(c.Context, func() (configuration.Config, error) { return configuration.LoadCluster(c) }, c.App.Writer, c.App.ErrWriter)
		}
		if err != nil {
			err = fmt.Errorf("convert: %w", err)
		}
		return err
	})
}
