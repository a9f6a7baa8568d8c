package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/view"
)

// selection are the options that choose rows, with Slurm's meaning. Without a usage there
// is no option for jobs.
func selection(jobs string) []cli.Flag {
	flags := []cli.Flag{
		clusterFlag(),
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

// listing builds a sub-command that lists what a question of the cluster is answered, as
// squeue lists jobs. jobs is the usage of an option that chooses jobs, "" for none; list
// writes what the options choose.
func listing(c cli.Command, jobs string, more []cli.Flag, list func(*cli.Context, *view.Selection) error) *cli.Command {
	flags := slices.Concat(selection(jobs), console.Rows(), []cli.Flag{iterateFlag()}, console.Formats(), more)
	return asking(c, flags, func(c *cli.Context) error {
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
		return iterate(c.Context, time.Duration(c.Int("iterate"))*time.Second, func() error {
			if _, err := fmt.Fprintln(stamp, time.Now().Format(time.ANSIC)); err != nil {
				return err
			}
			err := list(c, by)
			_, bad := fmt.Fprintln(stamp)
			return errors.Join(err, bad)
		}, func(err error) { console.Say(c.App.ErrWriter, "%v", err) })
	})
}

// iterate calls a function, and again after each pause, until ctx ends. An error of the
// first call ends it, as of options that are not understood; later ones are said, since
// what is away may come back.
func iterate(ctx context.Context, pause time.Duration, do func() error, say func(error)) error {
	var code exitCode
	for first := true; ; first = false {
		err := do()
		switch {
		case ctx.Err() != nil:
			return interrupted
		case err == nil || errors.As(err, &code):
		case first:
			return err
		default:
			say(err)
		}
		select {
		case <-ctx.Done():
			return interrupted
		case <-time.After(pause):
		}
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
	return by, namesOfUIDs(c, by.Users)
}

// namesOfUIDs replaces uids by names, in place.
func namesOfUIDs(c *cli.Context, users []string) error {
	for i, name := range users {
		if _, err := strconv.ParseUint(name, 10, 32); err != nil {
			continue
		}
		if u, err := user.LookupId(name); err == nil {
			users[i] = u.Username
			continue
		}
		found, ok := usersOfSlurm(c)[name]
		if !ok {
			return fmt.Errorf("invalid user: %s", name)
		}
		users[i] = found
	}
	return nil
}

// knownUsers refuses names of users that there are not. A user is whom the answer, the
// system or Slurm knows: a static program sees only /etc/passwd of the system's.
func knownUsers(c *cli.Context, names []string, answer interface{ HasUser(name string) bool }) error {
	var ofSlurm map[string]string // nil until Slurm is asked
	for _, name := range names {
		if _, err := user.Lookup(name); err == nil || answer.HasUser(name) {
			continue
		}
		if ofSlurm == nil {
			ofSlurm = usersOfSlurm(c)
		}
		if ofSlurm[name] == "" {
			return fmt.Errorf("%s: invalid user: %s", c.Command.Name, name)
		}
	}
	return nil
}

// usersOfSlurm returns the users that slurmctld knows or that have jobs, by name and by
// uid. What Slurm does not answer is left out.
func usersOfSlurm(c *cli.Context) map[string]string {
	config, err := sidecar.Load(c)
	if err != nil {
		config = sidecar.Default() // not everybody may read the file
	}
	slurm := config.Commands()
	found := make(map[string]string)
	add := func(uid, name string) {
		if _, isName := found[uid]; !isName {
			found[uid] = name
		}
		found[name] = name
	}
	if users, err := slurm.Users(c.Context); err == nil {
		for _, u := range users {
			add(strconv.FormatUint(uint64(u.UID), 10), u.Name)
		}
	}
	if users, err := slurm.Values(c.Context, "%U=%u"); err == nil {
		for _, u := range users {
			uid, name, _ := strings.Cut(u, "=")
			add(uid, name)
		}
	}
	return found
}
