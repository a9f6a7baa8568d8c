package main

import (
	"fmt"
	"io"
	"os/user"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/asking"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/view"
)

func forecastCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:  "forecast",
		Usage: "say when a job would start that is not submitted yet",
		Description: "As sbatch --test-only, but with odds: from what runs, what waits in the order in force, how long the users'\n" +
			"earlier jobs ran, and who usually comes at which hour. Nothing is submitted. Only ostrichd knows, so it\n" +
			"is an error to give a setting or another cluster. Exit code 0: a time is said; 1: it never starts, and why.\n\n" + asking.Text,
	}, append([]cli.Flag{
		&cli.StringFlag{Name: "cpus", Usage: "`N` processors that it asks for", DefaultText: "1"},
		&cli.StringFlag{Name: "nodes", Aliases: []string{"N"}, Usage: "`N` nodes that it asks for, at least", DefaultText: "any"},
		&cli.StringFlag{Name: "mem", Usage: "memory of each node, `MEMORY`, as sbatch takes it: 4000, 4G", DefaultText: "what nobody lacks"},
		&cli.StringFlag{Name: "gres", Usage: "generic resources of each node, `GRES`, as sbatch takes them: gpu:2, gpu:a100:1", DefaultText: "none"},
		&cli.StringFlag{Name: "time", Aliases: []string{"t"}, Usage: "its time limit, `LIMIT`, as sbatch takes it: 30, 2:00:00, 1-12:00:00", DefaultText: "that of the partition: DefaultTime, or else MaxTime"},
		&cli.StringFlag{Name: "partition", Aliases: []string{"p"}, Usage: "in this `PARTITION`", DefaultText: "Slurm's default"},
		&cli.StringFlag{Name: "odds", Usage: "say by when it starts with these odds too, `PERCENT[,PERCENT...]` from 1 to 99", DefaultText: "none"},
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/api.md describes"},
	}, asking.Flags()...), func(c *cli.Context) error {
		by := &view.Selection{Partitions: view.Split(c.String("partition"))}
		for name, list := range by.New.Lists() {
			*list = view.Split(c.String(name))
			if c.IsSet(name) && len(*list) == 0 {
				return fmt.Errorf("forecast: --%s: empty", name)
			}
		}
		if err := by.ParseNew(); err != nil {
			return fmt.Errorf("forecast: --%w", err)
		}
		if me, err := user.Current(); err == nil {
			by.Users = []string{me.Username}
		}
		a, err := asking.Anybody(c, view.AskForecast, by)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return console.JSON(c, a)
		}
		_, err = io.WriteString(c.App.Writer, a.String())
		return err
	})
}
