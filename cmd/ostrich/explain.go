package main

import (
	"errors"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/view"
)

func explainCommand() *cli.Command {
	return asking(cli.Command{
		Name:      "explain",
		Usage:     "say why a job stands where it stands",
		ArgsUsage: "JOB",
		Description: "JOB is an id as squeue shows it: 17, 17_4, 17+1. Tells its campaign, who is ahead, what Slurm's own\n" +
			"factors add, and whether and why OStrich leaves it alone.",
	}, slices.Concat([]cli.Flag{
		clusterFlag(),
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/json.md describes"},
	}), func(c *cli.Context) error {
		if c.NArg() != 1 {
			return errors.New("explain: name one job")
		}
		if _, err := view.ParseJob(c.Args().First()); err != nil {
			return err
		}
		e, err := ask(c, view.AskExplain, &view.Selection{Jobs: c.Args().Slice()})
		switch {
		case err != nil:
			return err
		case c.Bool("json"):
			return console.JSON(c, e)
		}
		_, err = io.WriteString(c.App.Writer, e.String())
		return err
	})
}
