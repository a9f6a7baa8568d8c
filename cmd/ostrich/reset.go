//go:build !client

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func resetCommand() *cli.Command {
	return command(cli.Command{
		Name:  "reset",
		Usage: "take back what ostrichd wrote: every job gets the priority that stock Slurm gives it",
		Description: "Needs slurmctld and the journal, not the database. Stop ostrichd first: it would write again what is\n" +
			"taken back. Exit code 0: all given back; 1: error, or a job that Slurm did not change.",
	}, []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: "also give back what the journal does not know: SiteFactors (channel sitefactor), negative nice values (channel nice), priorities that were set (channel priority)"},
		&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written; write nothing"},
		configuration.ClusterFlag(),
	}, func(c *cli.Context, config configuration.Config) error {
		if _, err := os.Stat(config.Journal); errors.Is(err, fs.ErrNotExist) {
			if c.Bool("all") {
				console.Say(c.App.ErrWriter, "there is no journal %s; only what Slurm itself shows is given back", config.Journal)
			} else {
				console.Say(c.App.ErrWriter, "there is no journal %s, so nothing is known to be ours; --all gives back what Slurm shows", config.Journal)
			}
		}
		now := ostrich.Time(time.Now().Unix())
		changes, outcomes, err := sidecar.Reset(c.Context, config, now, c.Bool("all"), c.Bool("dry-run"), func(repaired error) {
			console.Say(c.App.ErrWriter, "warning: %v", repaired)
		})
		if err != nil && len(outcomes) == 0 {
			return err
		}
		if c.Bool("dry-run") {
			return writeChanges(c.App.Writer, config.Priority.Channel, changes)
		}
		return errors.Join(err, writeOutcomes(c.App.Writer, outcomes))
	})
}

// writeChanges prints what would be given back.
func writeChanges(w io.Writer, channel priority.Channel, changes []priority.Change) error {
	for _, ch := range changes {
		if _, err := fmt.Fprintf(w, "job %d: %s %d -> %d\n", ch.Job, channel, ch.From, ch.To); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s would be given back to stock ordering\n", format.Plural(len(changes), "job"))
	return err
}

// mostErrors is how many jobs that were not given back are named, at most.
const mostErrors = 10

// writeOutcomes prints what was given back, and returns what was not.
func writeOutcomes(w io.Writer, outcomes []priority.Change) error {
	given, gone, undone := 0, 0, 0
	var bad []error
	for _, o := range outcomes {
		switch o.Status {
		case priority.Applied, priority.Unknown:
			given++
		case priority.Undone:
			given++
			undone++
		case priority.Gone:
			gone++
		case priority.Refused, priority.NotApplied, priority.Unsent:
			err := fmt.Errorf("job %d: %s", o.Job, o.Status)
			if o.Words != "" {
				err = fmt.Errorf("%w: %s", err, o.Words)
			}
			bad = append(bad, err)
		}
	}
	text := format.Plural(given, "job") + " given back to stock ordering"
	if gone > 0 {
		text += fmt.Sprintf(", %d no longer pending", gone)
	}
	if undone > 0 {
		text += fmt.Sprintf("; the backfill scheduler put %s back in their places until slurmctld computes priorities anew (PriorityCalcPeriod)", format.Plural(undone, "job"))
	}
	if more := len(bad) - mostErrors; more > 0 {
		bad = append(bad[:mostErrors], fmt.Errorf("%s more not given back; the journal names them", format.Plural(more, "job")))
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		return err
	}
	return errors.Join(bad...)
}
