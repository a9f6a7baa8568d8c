package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay"
)

func generateCommand() *cli.Command {
	o := &replay.ModelOptions{}
	return plainCommand(cli.Command{
		Name:      "generate",
		Usage:     "write a workload of campaigns, as the papers draw them or with programs, in the Standard Workload Format",
		ArgsUsage: "hipc|ppam|programs",
		Description: "  hipc      HiPC 2012, section VII: 10 processors, jobs of 1 to 100 s, few users own most campaigns\n" +
			"  ppam      PPAM 2013, section 6: 64 processors, users with jobs of up to an hour and users with jobs of up to ten\n" +
			"  programs  users with some programs each (field 14), of lengths of their own, coarse limits, and failures\n\n" +
			"Fields 17 and 18 say to which campaign a job belongs: its preceding job is the last one of the user's campaign\n" +
			"before, all of which has to end, and the think time follows. Submit times are those of a user alone on an\n" +
			"unlimited machine. The same options give the same log. Replay it with \"ostrich simulate --replay closed\".\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted. The file is written whole or not at all.",
	}, append(slices.Insert(o.Flags(), 1, cli.Flag(
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` that the draw begins with", Value: 1})),
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write, compressed if it ends in .gz", DefaultText: "standard output"},
	), func(c *cli.Context) error {
		o.Given = c.IsSet
		return generate(c, o)
	})
}

func generate(c *cli.Context, o *replay.ModelOptions) error {
	if c.NArg() != 1 {
		return errors.New("generate: name a model: hipc, ppam or programs")
	}
	m, err := o.Model(c.Args().First(), o.Jobs)
	if err == nil {
		err = console.Writable(c, "out")
	}
	if err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	return replay.Generate(c.Context, m, c.Uint64("seed"), c.String("out"), c.App.Writer)
}
