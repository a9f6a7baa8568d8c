package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
)

func convertCommand() *cli.Command {
	o := &replay.ConvertOptions{}
	return plainCommand(cli.Command{
		Name:  "convert",
		Usage: "write a site's records, or a log, in another form",
		Description: "The jobs come from dumps of sacct in text or JSON, traces with named columns (--sacct), a workload log (--swf), or,\n" +
			"without either, slurmdbd's tables, as those of \"ostrich compare\".\n\n" +
			"  swf     the Standard Workload Format. Users, accounts, QOS and partitions are numbered, and --key has their\n" +
			"          names; a job has Slurm's id. The header says what was lost\n" +
			"  batsim  a workload for Batsim, in JSON, whose jobs are delays\n" +
			"  sacct   of dumps: text with a header, tabs between the columns, times in UTC. \"ostrich compare --sacct\" finds\n" +
			"          in it what it finds in the dump\n\n" +
			"Standard error has notes on what was lost. docs/simulation.md describes the fields.\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted. A file is written whole or not at all.",
	}, slices.Concat([]cli.Flag{sidecar.ClusterFlag()}, o.Flags(), sidecar.Flags(true)), func(c *cli.Context) error {
		defer shortLived()()
		o.Given, o.Sacct, o.Cluster = c.IsSet, c.StringSlice("sacct"), c.String("clusters")
		err := console.Writable(c, "out", "key")
		if err == nil {
			err = o.Convert(c.Context, func() (sidecar.Config, error) { return sidecar.LoadCluster(c) }, c.App.Writer, c.App.ErrWriter)
		}
		if err != nil {
			err = fmt.Errorf("convert: %w", err)
		}
		return err
	})
}
