package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/asking"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

func explainCommand() *cli.Command {
	return question(cli.Command{
		Name:      "explain",
		Usage:     "say why a job stands where it stands, or what became of it",
		ArgsUsage: "[JOB[,JOB...] ...]",
		Description: "JOB is an id as squeue shows it: 17, 17_4, 17+1. Of a waiting job it tells what it waits for, who is ahead,\n" +
			"when it may start, and what its priority is made of. Of a job that has started or ended it tells when, how long\n" +
			"it waited, and what started meanwhile.",
	}, slices.Concat([]cli.Flag{
		configuration.ClusterFlag(),
		&cli.StringFlag{Name: "user", Aliases: []string{"u"}, Usage: "explain the unfinished jobs of these `USERS`, comma-separated", DefaultText: "none"},
		&cli.BoolFlag{Name: "me", Usage: "explain one's own unfinished jobs"},
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/json.md describes"},
	}), func(c *cli.Context) error {
		by, err := explained(c)
		if err != nil {
			return err
		}
		answer, err := asking.Settled(c, by)
		if err != nil {
			return err
		}
		return explain(c, by, answer)
	})
}

// explained returns the jobs or the users that are asked for.
func explained(c *cli.Context) (*view.Selection, error) {
	names, err := view.ParseJobs(c.Args().Slice()...)
	if err != nil {
		return nil, err
	}
	by, err := selected(c)
	switch {
	case err != nil:
		return nil, fmt.Errorf("explain: %w", err)
	case len(names) == 0 && len(by.Users) == 0:
		return nil, errors.New("explain: name a job, or a user with -u")
	case len(names) > 0 && len(by.Users) > 0:
		return nil, errors.New("explain: name jobs or users, not both")
	}
	for _, name := range names {
		by.Jobs = append(by.Jobs, name.String())
	}
	return by, nil
}

// explain writes an answer. It writes the object of a single job if that is what is
// asked for. Jobs that are not known are errors.
func explain(c *cli.Context, by *view.Selection, a *view.Answer) error {
	var err error
	if len(a.Unknown) > 0 {
		names := "job " + a.Unknown[0]
		if len(a.Unknown) > 1 {
			names = "jobs " + format.List(a.Unknown)
		}
		err = errors.New(names + ": neither in the queue nor in accounting")
		if a.Incomplete != "" {
			err = fmt.Errorf("%s: not in the queue, and %s", names, a.Incomplete)
		}
	}
	if a.Incomplete != "" {
		why := a.Incomplete
		if a.Failed != nil { // the command asked itself
			why += ": " + a.Failed.Error()
		}
		console.Say(c.App.ErrWriter, "warning: jobs that have ended, and what started while others waited, are left out: %s", why)
	}
	one := len(by.Jobs) == 1
	switch {
	case one && len(a.Jobs) == 0:
		return err
	case c.Bool("json") && one:
		return console.JSON(c, a.Jobs[0])
	case c.Bool("json"):
		return errors.Join(console.JSON(c, a), err)
	}
	texts := format.Texts(a.Jobs, (*view.Explanation).String)
	if len(by.Users) > 0 && len(a.Jobs) == 0 {
		seen := ""
		if a.Hidden {
			seen = " that you may see"
		}
		texts = append(texts, fmt.Sprintf("No job of %s%s waits or runs.\n", format.List(by.Users), seen))
	}
	if a.LeftOut > 0 {
		texts = append(texts, fmt.Sprintf("%s more are left out. Name them to have them explained; ostrich plan -u %s lists those that wait.\n",
			format.Plural(a.LeftOut, "job"), strings.Join(by.Users, ",")))
	}
	_, bad := io.WriteString(c.App.Writer, strings.Join(texts, "\n"))
	return errors.Join(bad, err)
}
