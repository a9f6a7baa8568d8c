// Package sweep runs grids of simulations. It reads the points that a file stands
// for, computes them, or those of one task among several, keeps the results and writes
// them.
package sweep

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/ostrich/plural"
)

// Flags returns the options of a sweep except the formats of its table.
func Flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "keep results in `DIR`, which is made if it is not there, and continue from what is there"},
		&cli.StringFlag{Name: "csv", Usage: "write the table of all points to `FILE` too"},
		&cli.StringFlag{Name: "html", Usage: "write a page with pictures and the table to `FILE`"},
		&cli.StringFlag{Name: "svg", Usage: "draw the mean stretch of campaigns, of platforms the NSL of bags, of each point into `FILE`"},
		runs.WorkersFlag("point", nil),
	}, runs.ShareFlags("point")...)
}

// Run runs a sweep as the options and the argument ask.
func Run(c *cli.Context) error {
	if c.NArg() != 1 {
		return errors.New("sweep: name the file with the grid; see \"ostrich sweep --help\"")
	}
	if err := runs.CheckShare(c, "out", "csv", "html", "svg"); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := console.Writable(c, "csv", "html", "svg"); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	r, err := read(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return r.list()
	}
	if err := r.store.Make(); err != nil {
		return fmt.Errorf("sweep: --out: %w", err)
	}
	if c.IsSet("task") {
		return r.task()
	}
	return r.whole()
}

// whole computes the points that no task and no earlier run has computed, and writes
// all.
func (r *run) whole() error {
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
		console.Say(r.c.App.ErrWriter, "sweep: %s in %s already", plural.Sprintf("%d of "+format.Plural(len(points), "point")+" {is|are}", n), r.store.Dir)
	}
	return missing, nil
}

// task computes the missing points of one task.
func (r *run) task() error {
	first, end, err := runs.ShareOf(r.c).Of(len(r.Points), "point")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	missing, err := r.missing(r.all()[first:end])
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := r.compute(missing); err != nil {
		return err
	}
	computed := 0
	for _, i := range missing {
		if r.results[i] != nil {
			computed++
		}
	}
	console.Say(r.c.App.ErrWriter, "sweep: task %d: %s computed, from %d on", r.c.Int("task"), format.Plural(computed, "point"), missing[0])
	return nil
}
