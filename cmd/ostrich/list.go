package main

import (
	"errors"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/asking"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/view"
)

// selection returns the options that choose rows, with Slurm's meaning. Without a usage there
// is no option for jobs.
func selection(jobs string) []cli.Flag {
	flags := []cli.Flag{
		configuration.ClusterFlag(),
		&cli.StringFlag{Name: "user", Aliases: []string{"u"}, Usage: "only jobs of these `USERS`, comma-separated names or uids", DefaultText: "all"},
		&cli.BoolFlag{Name: "me", Usage: "only one's own jobs"},
		&cli.StringFlag{Name: "account", Aliases: []string{"A"}, Usage: "only jobs of these `ACCOUNTS`, comma-separated", DefaultText: "all"},
		&cli.StringFlag{Name: "partition", Aliases: []string{"p"}, Usage: "only jobs of these `PARTITIONS`, comma-separated", DefaultText: "all"},
	}
	if jobs == "" {
		return flags
	}
	return append(flags, &cli.StringFlag{Name: "jobs", Aliases: []string{"j"}, Usage: jobs, DefaultText: "all"})
}

func iterateFlag() cli.Flag {
	return &cli.IntFlag{Name: "iterate", Aliases: []string{"i"}, Usage: "list again every so many `SECONDS`, below the time, until interrupted", DefaultText: "once"}
}

// question builds a sub-command that asks a question of ostrichd, or of a cycle of its own.
func question(c cli.Command, flags []cli.Flag, do func(*cli.Context) error) *cli.Command {
	c.Description += "\n\n" + asking.Text + "\n" + asking.Itself
	return plainCommand(c, slices.Concat(flags, asking.Flags()), do)
}

// listing builds a sub-command that lists the answer to a question about the cluster, as
// squeue lists jobs. jobs is the usage of an option that chooses jobs, "" for none; list
// writes what the options choose.
func listing(c cli.Command, jobs string, more []cli.Flag, list func(*cli.Context, *view.Selection) error) *cli.Command {
	flags := slices.Concat(selection(jobs), console.Rows(), []cli.Flag{iterateFlag()}, console.Formats("docs/json.md"), more)
	return question(c, flags, func(c *cli.Context) error {
		err := console.CheckRows(c)
		var by *view.Selection
		if err == nil {
			by, err = selected(c)
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", c.Command.Name, err)
		case !c.IsSet("iterate"):
			return list(c, by)
		case c.Int("iterate") < 1:
			return fmt.Errorf("%s: --iterate: must be 1 second or more", c.Command.Name)
		}
		stamp := c.App.Writer
		if c.Bool("json") {
			stamp = io.Discard
		}
		err = console.Iterate(c.Context, time.Duration(c.Int("iterate"))*time.Second, func() error {
			if _, bad := fmt.Fprintln(stamp, time.Now().Format(time.ANSIC)); bad != nil {
				return bad
			}
			failed := list(c, by)
			if code := exitCode(0); errors.As(failed, &code) {
				failed = nil
			}
			_, bad := fmt.Fprintln(stamp)
			return errors.Join(failed, bad)
		}, func(err error) { console.Say(c.App.ErrWriter, "%v", err) })
		if errors.Is(err, console.ErrInterrupted) {
			return interrupted
		}
		return err
	})
}

// noteNone says on standard error that the options which choose rows leave none: a name may be
// mistyped, and nobody but Slurm knows all names. Scripts, which want no header, get none.
func noteNone(c *cli.Context, rows int, what string) {
	if rows > 0 || c.Bool("noheader") || c.Bool("parsable2") || c.Bool("json") {
		return
	}
	var given []string
	for _, f := range selection("jobs") {
		switch name := f.Names()[0]; {
		case !c.IsSet(name) || name == "clusters":
		case name == "me":
			given = append(given, "--me")
		default:
			given = append(given, "--"+name+" "+c.String(name))
		}
	}
	if len(given) > 0 {
		console.Say(c.App.ErrWriter, "there is no %s with %s", what, strings.Join(given, " "))
	}
}

// answered asks a question, and writes the answer.
func answered[Answer any](q view.Query[Answer], write func(*cli.Context, Answer) error) func(*cli.Context, *view.Selection) error {
	return func(c *cli.Context, by *view.Selection) error {
		answer, err := asking.Ask(c, q, by)
		if err != nil {
			return err
		}
		return write(c, answer)
	}
}

// selected returns what the options of selection choose.
func selected(c *cli.Context) (*view.Selection, error) {
	by := &view.Selection{
		Users: view.Split(c.String("user")), Accounts: view.Split(c.String("account")),
		Partitions: view.Split(c.String("partition")), Jobs: view.Split(c.String("jobs")),
	}
	for _, job := range by.Jobs {
		if _, err := view.ParseJob(job); err != nil {
			return nil, err
		}
	}
	if c.Bool("me") {
		me, err := user.Current()
		switch {
		case len(by.Users) > 0:
			return nil, errors.New("--me or --user, not both")
		case err != nil:
			return nil, fmt.Errorf("--me: %w", err)
		}
		by.Users = []string{me.Username}
	}
	return by, configuration.Readable(c).NamesOfUIDs(c.Context, by.Users)
}
