//go:build !client

package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/demo"
	"slurm-ostrich/cmd/internal/memslurm"
)

func demoCommand() *cli.Command {
	o := &demo.Options{}
	return plainCommand(cli.Command{
		Name:      "demo",
		Usage:     "run one load under stock fairshare and then with OStrich, on an emulated Slurm",
		UsageText: "ostrich demo [command options] [ADDRESS]",
		ArgsUsage: "[ADDRESS]",
		Description: "Nothing has to be installed, and nothing of a real Slurm is touched. slurmctld, the accounting tables and the\n" +
			"clock are emulated. The cycle is that of ostrichd --apply with its default settings, the same code: it reads\n" +
			"what accounting tells, steps the virtual schedule, orders the queue, plans and writes priorities. Slurm's\n" +
			"commands, SQL and the journal take no part.\n\n" +
			"Users submit campaigns, wait until all jobs have ended, think, and submit the next. The same seed gives the same\n" +
			"campaigns in both runs, and the same output. Prints the mean and the maximum stretch of every user's campaigns\n" +
			"(flow time over max(W/m, longest job)), and writes a page with both schedules.\n\n" +
			"With --serve the page is live: both runs go on side by side, slowly enough to watch, and then the page stays until\n" +
			"Ctrl-C. ADDRESS is where it is served, " + demo.DefaultAddress + " unless given.\n\n" +
			"Exit code: 0 when both runs were done, 130 when it was interrupted before that, 1 for anything else. The\n" +
			"page is written whole, once both runs are done, or not at all.",
	}, []cli.Flag{
		&cli.IntFlag{Name: "users", Usage: "`NUMBER` of users, 2 to 8", Value: 6, Destination: &o.Users},
		&cli.IntFlag{Name: "hours", Usage: "users submit for about this `NUMBER` of hours, 1 to 96", Value: 24, Destination: &o.Hours},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` from which the load is drawn", Value: 1, Destination: &o.Seed},
		&cli.StringFlag{Name: "fairshare", Usage: "of the emulated Slurm: `RULE` is tree (Slurm's default, Fair Tree) or classic (NO_FAIR_TREE)", Value: memslurm.RuleNames[memslurm.FairTree], Destination: &o.Fairshare},
		&cli.StringFlag{Name: "out", Usage: "write the page to `FILE`; with \"\" to none", Value: "ostrich-demo.html", Destination: &o.Out},
		&cli.BoolFlag{Name: "serve", Usage: "serve the page while it happens, at ADDRESS", Destination: &o.Serve},
		configuration.NewSpanFlag(&o.Pace, 30*time.Minute, "pace", "emulated `TIME` that goes by in a second, with --serve", ""),
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/simulation.md describes"},
	}, func(c *cli.Context) error { return runDemo(c, o) })
}

func runDemo(c *cli.Context, o *demo.Options) error {
	switch {
	case c.IsSet("pace") && !o.Serve:
		return errors.New("demo: --pace goes with --serve")
	case c.NArg() > 0 && !o.Serve:
		return fmt.Errorf("demo: unexpected argument %q; an address belongs to --serve", c.Args().First())
	case c.NArg() > 1:
		return fmt.Errorf("demo: unexpected argument %q; see \"ostrich demo --help\"", c.Args().Get(1))
	}
	if err := console.Writable(c, "out"); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	o.Address = c.Args().First()
	return demo.Run(c.Context, *o, c.App.ErrWriter, func(r *demo.Result) error {
		if c.Bool("json") {
			return console.JSON(c, r.Document())
		}
		_, err := io.WriteString(c.App.Writer, r.Text())
		return err
	})
}
