package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func resetCommand() *cli.Command {
	return command(cli.Command{
		Name:  "reset",
		Usage: "give every job back to stock ordering",
		Description: "Needs slurmctld and the journal, not the database. Stop ostrichd first: it would write again what is\n" +
			"taken back. Exit code 0: all given back; 1: error, or a job that Slurm refused to change.",
	}, []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: "also give back what the journal does not know: negative nice values (channel nice), priorities that were set (channel priority)"},
		&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written"},
		&cli.StringFlag{Name: "clusters", Aliases: []string{"M"}, Usage: "the `CLUSTER` to reset", DefaultText: "the local one"},
	}, func(c *cli.Context, config sidecar.Config) error {
		now := ostrich.Time(time.Now().Unix())
		changes, outcomes, err := sidecar.Reset(c.Context, config, now, c.Bool("all"), c.Bool("dry-run"))
		if err != nil {
			return err
		}
		w := c.App.Writer
		if c.Bool("dry-run") {
			for _, ch := range changes {
				fmt.Fprintf(w, "job %d: %s %d -> %d\n", ch.Job, config.Priority.Channel, ch.From, ch.To)
			}
			fmt.Fprintf(w, "%d jobs would be given back\n", len(changes))
			return nil
		}
		given, gone := 0, 0
		var bad []error
		for _, o := range outcomes {
			switch o.Status {
			case priority.Applied, priority.Unknown:
				given++
			case priority.Gone:
				gone++
			case priority.Refused, priority.NotApplied, priority.Unsent:
				bad = append(bad, fmt.Errorf("job %d: %s: %s", o.Job, o.Status, o.Words))
			}
		}
		fmt.Fprintf(w, "%d jobs given back to stock ordering", given)
		if gone > 0 {
			fmt.Fprintf(w, ", %d left the queue meanwhile", gone)
		}
		fmt.Fprintln(w)
		return errors.Join(bad...)
	})
}
