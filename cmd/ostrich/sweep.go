package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay/sweep"
)

func sweepCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:      "sweep",
		Usage:     "run a grid of simulations, on all cores or as a job array on Slurm",
		ArgsUsage: "FILE",
		Description: "FILE is YAML with lists that are combined with one another:\n\n" +
			"  traces: [KTH.swf.gz, {generate: hipc, users: 20}]  # paths relative to FILE, options of generate\n" +
			"  seeds: [1-5]                                       # of the generated ones\n" +
			"  policies: [fcfs, ostrich]\n" +
			"  backfill: [none, easy]\n" +
			"  replay: [open]\n" +
			"  parameters: {load: [1, 1.2], inside: [lpt, spt]}   # any option of simulate that takes a value\n\n" +
			"Each point is what \"ostrich simulate\" with its options computes. Options that mean nothing to a policy are left\n" +
			"out where it is the policy, and combinations that cannot be simulated too; standard error counts both.\n\n" +
			"With --out the result of each point is kept as soon as it is there, so that the same command again computes what\n" +
			"is missing. The table of all is then written to DIR/sweep.csv, and what each point took to DIR/timing.csv.\n" +
			"docs/simulation.md describes columns and fields. They are the same bytes however many cores or tasks computed them.\n\n" +
			"With --slurm the points are computed by the tasks of a job array; DIR and FILE, the traces and this command have\n" +
			"to be on a file system that the nodes share.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted.",
	}, slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "keep results in `DIR`, which is made if it is not there, and continue from what is there"},
		&cli.StringFlag{Name: "csv", Usage: "write the table of all points to `FILE` too"},
		&cli.BoolFlag{Name: "list", Usage: "list the points with their options, and simulate nothing"},
		&cli.IntFlag{Name: "workers", Usage: "`NUMBER` of points at a time", DefaultText: "one a core"},
		&cli.BoolFlag{Name: "slurm", Usage: "submit a job array, wait for its end and collect the results"},
		&cli.StringSliceFlag{Name: "sbatch", Usage: "`OPTIONS` for sbatch, separated by blanks; may be given again"},
		&cli.IntFlag{Name: "per-task", Usage: "`NUMBER` of points for each task", DefaultText: "1, or as many as MaxArraySize asks for"},
		&cli.IntFlag{Name: "at-once", Usage: "at most `NUMBER` of tasks at the same time", DefaultText: "no limit"},
		&cli.BoolFlag{Name: "no-wait", Usage: "do not wait for the job array; --collect collects its results later"},
		&cli.BoolFlag{Name: "collect", Usage: "simulate nothing, and collect the results that are kept"},
		&cli.IntFlag{Name: "task", Usage: "compute only what belongs to task `NUMBER`, counted from 0, with --per-task points each"},
		&cli.StringFlag{Name: "slurm-bin", Usage: "`DIR` with sbatch, squeue and scontrol", DefaultText: "PATH", EnvVars: []string{"OSTRICH_SLURM_BIN"}},
		&cli.StringFlag{Name: "slurm-conf", Usage: "path of slurm.conf: `FILE`", DefaultText: "SLURM_CONF or Slurm's own", EnvVars: []string{"OSTRICH_SLURM_CONF"}},
	}, console.Formats()), runSweep)
}

func runSweep(c *cli.Context) error {
	if os.Getenv("GOGC") == "" {
		// As in simulate.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	if c.NArg() != 1 {
		return errors.New("sweep: name the file with the grid; see \"ostrich sweep --help\"")
	}
	if err := sweepOptions(c); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := console.Writable(c, "csv"); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	r, err := readSweep(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return r.list()
	}
	if r.folder != "" && !c.Bool("collect") {
		if err := r.folder.Make(); err != nil {
			return fmt.Errorf("sweep: --out: %w", err)
		}
	}
	switch {
	case c.IsSet("task"):
		return r.task()
	case c.Bool("collect"):
		return r.collect()
	case c.Bool("slurm"):
		return r.slurm()
	}
	return r.local()
}

// sweepOptions refuses options that do not go together.
func sweepOptions(c *cli.Context) error {
	modes := slices.DeleteFunc([]string{"list", "slurm", "collect", "task"}, func(m string) bool { return !c.IsSet(m) })
	if len(modes) > 1 {
		return fmt.Errorf("--%s and --%s: one of the two", modes[0], modes[1])
	}
	mode := strings.Join(modes, "")
	for _, o := range []struct {
		name  string
		modes []string // in which it means something; "" is none of the above
	}{
		{"out", []string{"", "slurm", "collect", "task"}},
		{"csv", []string{"", "slurm", "collect"}},
		{"workers", []string{"", "task"}},
		{"sbatch", []string{"slurm"}},
		{"per-task", []string{"slurm", "task"}},
		{"at-once", []string{"slurm"}},
		{"no-wait", []string{"slurm"}},
	} {
		switch {
		case !c.IsSet(o.name) || slices.Contains(o.modes, mode):
		case mode == "":
			return fmt.Errorf("--%s goes with --%s", o.name, strings.Join(o.modes, " or --"))
		default:
			return fmt.Errorf("--%s means nothing with --%s", o.name, mode)
		}
	}
	for _, name := range []string{"workers", "per-task", "at-once"} {
		if c.IsSet(name) && c.Int(name) < 1 {
			return fmt.Errorf("--%s %d: at least 1", name, c.Int(name))
		}
	}
	switch {
	case c.IsSet("task") && c.Int("task") < 0:
		return fmt.Errorf("--task %d: tasks are counted from 0", c.Int("task"))
	case c.String("out") == "" && (c.IsSet("out") || mode == "slurm" || mode == "collect" || mode == "task"):
		return errors.New("name a folder for the results: --out DIR")
	case c.Bool("no-wait") && c.IsSet("csv"):
		return errors.New("--csv goes with --collect when nobody waits")
	}
	return nil
}

// local computes what is missing in this process, and writes all.
func (r *sweepRun) local() error {
	missing, err := r.find(r.all())
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	r.tellKept(len(r.points), len(missing))
	if len(missing) > 0 {
		if err := r.compute(missing); err != nil {
			return err
		}
	}
	return r.write()
}

// tellKept tells of points that need not be computed again.
func (r *sweepRun) tellKept(points, missing int) {
	if n := points - missing; n > 0 {
		console.Say(r.c.App.ErrWriter, "sweep: %d of %s are in %s already", n, format.Plural(points, "point"), r.folder)
	}
}

// task computes what is missing of the points of one task.
func (r *sweepRun) task() error {
	first, end := sweep.Chunk(len(r.points), max(1, r.c.Int("per-task")), r.c.Int("task"))
	if first == end {
		return fmt.Errorf("sweep: --task %d: there are %s, fewer than would make that task", r.c.Int("task"), format.Plural(len(r.points), "point"))
	}
	mine := r.all()[first:end]
	if err := r.asSubmitted(mine); err != nil {
		return err
	}
	missing, err := r.find(mine)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	r.tellKept(len(mine), len(missing))
	if len(missing) == 0 {
		return nil
	}
	if err := r.compute(missing); err != nil {
		return err
	}
	console.Say(r.c.App.ErrWriter, "sweep: task %d: %s computed, from %d on", r.c.Int("task"), format.Plural(len(missing), "point"), missing[0])
	return nil
}

// collect writes all, if all of it is there.
func (r *sweepRun) collect() error {
	missing, err := r.find(r.all())
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if n := len(missing); n > 0 {
		return fmt.Errorf("sweep: %s: %d of %s have no result yet, the first: %s", r.folder, n, format.Plural(len(r.points), "point"), r.describe(missing[0]))
	}
	return r.write()
}
