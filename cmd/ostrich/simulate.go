package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

func simulateCommand() *cli.Command {
	o := &replay.Options{}
	return plainCommand(cli.Command{
		Name:  "simulate",
		Usage: "replay a workload log under a scheduling policy, and measure what comes of it",
		Description: "The log is in the Standard Workload Format, compressed with gzip or not; - is standard input. Several\n" +
			"logs and several policies (comma-separated) run at once on all cores, each as if alone.\n\n" +
			"Policies:\n" + replay.Help(replay.Log, 16) + "\n" +
			"A campaign is what --rule finds in the logged times. With --replay closed a user's next campaign comes when the\n" +
			"last one has really ended and the logged think time has passed. The columns are those of\n" +
			"docs/simulation.md, as are the fields of --json. Nothing of Slurm is needed or touched.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. A file is written whole, once the replay is done, or not at all.",
	}, simulateFlags(o), func(c *cli.Context) error {
		o.Given = c.IsSet
		return simulate(c, o)
	})
}

// simulateFlags are the options of simulate. Those of the replay fill o.
func simulateFlags(o *replay.Options) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringSliceFlag{Name: "swf", Usage: "`FILE` with the log, once for each log; must be given"},
	}, o.Flags(), []cli.Flag{
		&cli.BoolFlag{Name: "summary", Usage: "write the summary only, no users"},
		&cli.StringFlag{Name: "jobs-csv", Usage: "write a row a job to `FILE`, in Batsim's columns"},
		&cli.StringFlag{Name: "campaigns-csv", Usage: "write a row a campaign to `FILE`"},
		&cli.StringFlag{Name: "utilisation-csv", Usage: "write the utilisation over time to `FILE`"},
		&cli.DurationFlag{Name: "step", Usage: "`TIME` between two rows of --utilisation-csv", Value: time.Hour},
		&cli.IntFlag{Name: "workers", Usage: "`NUMBER` of replays at a time", DefaultText: "one a core"},
	}, o.CampaignFlags(), console.Formats())
}

// plainCommand builds a sub-command that reads no configuration.
func plainCommand(c cli.Command, flags []cli.Flag, do func(*cli.Context) error) *cli.Command {
	c.Flags = flags
	c.UseShortOptionHandling = true
	c.HideHelpCommand = true
	c.OnUsageError = usageError("ostrich "+c.Name, "")
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return fmt.Errorf("%s: unexpected argument %q; see \"ostrich %[1]s --help\"", c.Name, ctx.Args().First())
		}
		return do(ctx)
	}
	return &c
}

func simulate(c *cli.Context, o *replay.Options) error {
	if os.Getenv("GOGC") == "" {
		// It does not live long, and keeps most of what it allocates.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	settings, err := o.Run()
	if err = errors.Join(err, simulateLimits(c)); err != nil {
		return err
	}
	if err = console.Writable(c, csvOptions...); err != nil {
		return err
	}
	list, err := simulations(c, o, settings)
	if err != nil {
		return err
	}
	if err := csvAllowed(c, len(list)); err != nil {
		return err
	}
	if err := runAll(c, list); err != nil {
		return err
	}
	if err := writeCSVs(c, list[0]); err != nil {
		return err
	}
	return writeSimulations(c, list)
}

// simulateLimits refuses numbers that are too small.
func simulateLimits(c *cli.Context) error {
	var errs []error
	if c.Duration("step") < time.Second {
		errs = append(errs, fmt.Errorf("--step %v: at least 1 s", c.Duration("step")))
	}
	if c.IsSet("workers") && c.Int("workers") < 1 {
		errs = append(errs, fmt.Errorf("--workers %d: at least 1", c.Int("workers")))
	}
	return errors.Join(errs...)
}

// simulations are the replays that the command asks for, a log and a policy each.
func simulations(c *cli.Context, o *replay.Options, settings replay.Run) ([]*replay.Simulation, error) {
	policies, err := o.Policies()
	if err != nil {
		return nil, err
	}
	estimates, err := o.Estimates()
	if err != nil {
		return nil, err
	}
	if len(c.StringSlice("swf")) == 0 {
		return nil, errors.New("simulate: --swf FILE: no log is named; see \"ostrich simulate --help\"")
	}
	var all []*replay.Simulation
	for _, path := range c.StringSlice("swf") {
		w, err := o.Workload(c.Context, path, replay.RuleNames, estimates)
		if err != nil {
			return nil, err
		}
		w.Tell(c.App.ErrWriter)
		runtime.GC() // the replays reuse the memory of the log's records
		for _, p := range policies {
			s, err := replay.NewSimulation(w, p, settings)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// runAll runs the simulations, several at a time.
func runAll(c *cli.Context, list []*replay.Simulation) error {
	jobs := make([]int, len(list))
	for i, s := range list {
		jobs[i] = len(s.Workload.Jobs)
	}
	short := c.Bool("summary")
	err := replay.Each(c.Context, c.App.ErrWriter, c.Int("workers"), jobs, func(i int, ended func(n int)) {
		s := list[i]
		o, err := s.Run.Do(s.Workload.Jobs, func(n, _ int) { ended(n) })
		if err == nil && short && len(list) > 1 {
			o.Jobs, o.Campaigns = nil, nil // nobody looks at them
		}
		s.Outcome, s.Err = o, err
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Err != nil {
			return fmt.Errorf("%s: %s: %w", s.Workload.Name, s.Run.Policy.Name, s.Err)
		}
	}
	for _, s := range list {
		for _, note := range s.Outcome.Notes {
			console.Say(c.App.ErrWriter, "%s: %s: %s", s.Workload.Name, s.Run.Policy.Name, note)
		}
	}
	return nil
}

func writeSimulations(c *cli.Context, list []*replay.Simulation) error {
	short := c.Bool("summary")
	if c.Bool("json") {
		objects := make([]any, len(list))
		for i, s := range list {
			if short {
				objects[i] = s.Summary()
				continue
			}
			object, err := s.Figures()
			if err != nil {
				return err
			}
			objects[i] = object
		}
		if len(objects) == 1 {
			return console.JSON(c, objects[0])
		}
		return console.JSON(c, objects)
	}
	t := format.Table{Header: append([]string{"LOG", "POLICY", "BACKFILL"}, replay.Header...)}
	for _, s := range list {
		t.Add(append([]any{s.Workload.Name, s.Run.Policy.Name, sim.BackfillNames[s.Run.Backfill]}, replay.Cells(&s.Outcome.Run)...)...)
	}
	if short {
		return console.Tables(c, t)
	}
	users := format.Table{Header: []string{"LOG", "POLICY", "USER", "JOBS", "CAMPAIGNS", "WORK", "FLOW", "STRETCH", "MEAN", "MAX"}}
	for _, s := range list {
		for _, u := range report.Users(s.Outcome.Campaigns, s.Run.Procs) {
			users.Add(s.Workload.Name, s.Run.Policy.Name, u.User, u.Jobs, u.Campaigns, fmt.Sprintf("%.2f", format.CoreHours(u.Work)),
				fmt.Sprintf("%.0f", u.Flow), fmt.Sprintf("%.2f", u.Stretch), fmt.Sprintf("%.2f", u.MeanStretch), fmt.Sprintf("%.2f", u.MaxStretch))
		}
	}
	return console.Tables(c, t, users)
}
