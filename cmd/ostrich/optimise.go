//go:build !client

package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/optimise"
	"slurm-ostrich/ostrich/optimal"
)

func optimiseCommand() *cli.Command {
	o := &optimise.Options{}
	return plainCommand(cli.Command{
		Name:  "optimise",
		Usage: "order the queue of a workload log at an instant so that users wait no longer than they accept",
		Description: "The queue is what had been submitted and had not started, in front of what ran. EASY serves it in the order\n" +
			"of arrival; the search begins there, and never ends with a worse schedule. BOUND is what no schedule is below,\n" +
			"GAP the part of VALUE by which one might be better. Times are in seconds; those of jobs count from the instant.\n\n" +
			"  sum-u        jobs that start later than their users accept\n" +
			"  sum-t        by how much, summed up\n" +
			"  cmax         when the last job of the queue ends\n" +
			"  sum-stretch  of the campaigns: flow time over max(W/m, longest job)\n" +
			"  max-stretch  the largest of these\n\n" +
			"cbc gets the queue as a linear programme, if it is installed; when it fails, EASY's order\n" +
			"stands. docs/optimise.md explains the models and the own search.\n\n" +
			"Exit code: 0 done, also if a program failed; 1 an error, 130 interrupted. A file is written whole or not at all.",
	}, append(append(o.Flags(),
		&cli.StringFlag{Name: "write-lp", Usage: "write the linear programme to `FILE` in the LP format"},
		&cli.StringFlag{Name: "write-mps", Usage: "write the linear programme to `FILE` in the free MPS format"},
	), console.Formats("docs/json.md")...), func(c *cli.Context) error {
		o.Given, o.Sacct = c.IsSet, c.StringSlice("sacct")
		if err := optimiseQueue(c, o); err != nil {
			return fmt.Errorf("optimise: %w", err)
		}
		return nil
	})
}

func optimiseQueue(c *cli.Context, o *optimise.Options) error {
	if err := console.Writable(c, "write-lp", "write-mps"); err != nil {
		return err
	}
	out, err := o.Run(c.Context, time.Now)
	if err != nil {
		return err
	}
	for _, note := range out.Notes {
		console.Say(c.App.ErrWriter, "%s: %s", out.Log, note)
	}
	inFormat := func(format func(*optimal.Model, io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error {
			m, err := out.Model()
			if err != nil {
				return err
			}
			return format(m, w)
		}
	}
	if err := errors.Join(
		console.WriteFile(c, "write-lp", inFormat((*optimal.Model).WriteLP)),
		console.WriteFile(c, "write-mps", inFormat((*optimal.Model).WriteMPS)),
	); err != nil {
		return err
	}
	if c.Bool("json") {
		return console.JSON(c, out)
	}
	return console.Tables(c, out.Tables()...)
}
