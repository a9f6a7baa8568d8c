// Package sweep runs grids of simulations. It reads the points that a file stands
// for, computes them here or in a job array, keeps the results and writes them.
package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
)

// Flags returns the options of a sweep except the formats of its table.
func Flags() []cli.Flag {
	return []cli.Flag{
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
	}
}

// Run runs a sweep as the options and the argument ask.
func Run(c *cli.Context) error {
	if c.NArg() != 1 {
		return errors.New("sweep: name the file with the grid; see \"ostrich sweep --help\"")
	}
	if err := check(c); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := console.Writable(c, "csv"); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	r, err := read(c)
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

// check refuses options that do not go together.
func check(c *cli.Context) error {
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

// local computes the missing points in this process, and writes all.
func (r *run) local() error {
	missing, err := r.missing(r.all())
	if err == nil && len(missing) > 0 {
		err = r.compute(missing)
	}
	if err != nil {
		return err
	}
	return r.write()
}

// missing returns which points are to be computed, and prints how many need not be.
func (r *run) missing(points []int) ([]int, error) {
	missing, err := r.find(points)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	if n := len(points) - len(missing); n > 0 {
		console.Say(r.c.App.ErrWriter, "sweep: %d of %s are in %s already", n, format.Plural(len(points), "point"), r.folder)
	}
	return missing, nil
}

// task computes the missing points of one task.
func (r *run) task() error {
	first, end := Chunk(len(r.Points), max(1, r.c.Int("per-task")), r.c.Int("task"))
	if first == end {
		return fmt.Errorf("sweep: --task %d: there are %s, fewer than would make that task", r.c.Int("task"), format.Plural(len(r.Points), "point"))
	}
	mine := r.all()[first:end]
	if err := r.asSubmitted(mine); err != nil {
		return err
	}
	missing, err := r.missing(mine)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := r.compute(missing); err != nil {
		return err
	}
	console.Say(r.c.App.ErrWriter, "sweep: task %d: %s computed, from %d on", r.c.Int("task"), format.Plural(len(missing), "point"), missing[0])
	return nil
}

// collect writes all, if all of it is there.
func (r *run) collect() error {
	missing, err := r.find(r.all())
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if n := len(missing); n > 0 {
		return fmt.Errorf("sweep: %s: %d of %s have no result yet, the first: %s", r.folder, n, format.Plural(len(r.Points), "point"), r.describe(missing[0]))
	}
	return r.write()
}
