package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/figures"
	"slurm-ostrich/cmd/internal/format"
)

func figuresCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:      "figures",
		Usage:     "draw the figures of the source papers anew, and set the papers' numbers beside ours",
		ArgsUsage: "[NAME…]",
		Description: "Without a NAME all figures are drawn. Writes the pictures as SVG, what they were drawn from as CSV, and a page,\n" +
			figures.Index + ", that shows them with the papers' numbers, ours, and why they differ; then prints these numbers.\n" +
			"A figure whose workload log is not in --traces is left out, and an error if it was named. The figures are\n" +
			"computed on all cores; what is written does not depend on how many.\n\n" +
			"Exit code: 0 written, 1 an error, 130 interrupted.",
	}, []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "write into `DIR`, which is made if it is not there"},
		&cli.StringFlag{Name: "traces", Usage: "`DIR` with the workload logs of the Parallel Workloads Archive, as *.swf.gz", EnvVars: []string{"OSTRICH_TRACES"}},
		&cli.BoolFlag{Name: "short", Usage: "draw fewer random instances than the papers, for a first look"},
		&cli.BoolFlag{Name: "list", Usage: "list the figures with the logs that they need, and draw nothing"},
		&cli.IntFlag{Name: "workers", Usage: "compute on `NUMBER` cores", DefaultText: "all"},
	}, drawFigures)
}

func drawFigures(c *cli.Context) error {
	chosen, err := chosenFigures(c.Args().Slice())
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return listFigures(c, chosen)
	}
	workers := runtime.GOMAXPROCS(0)
	switch {
	case c.String("out") == "":
		return errors.New("figures: name a folder to write into: --out DIR")
	case c.IsSet("workers") && c.Int("workers") < 1:
		return fmt.Errorf("figures: --workers %d: at least 1", c.Int("workers"))
	case c.IsSet("workers"):
		workers = c.Int("workers")
	}
	chosen, missing, err := withLogs(c, chosen)
	if err != nil {
		return err
	}
	var drawn []figures.Drawn
	if len(chosen) > 0 {
		if drawn, err = drawAll(c, chosen, workers); err != nil {
			return err
		}
		if err := figures.Write(c.String("out"), drawn); err != nil {
			return fmt.Errorf("figures: %w", err)
		}
		if err := writeNumbers(c, drawn); err != nil {
			return err
		}
		console.Say(c.App.ErrWriter, "%s in %s", format.Plural(len(drawn), "figure"), filepath.Join(c.String("out"), figures.Index))
	}
	if len(missing) > 0 && c.NArg() > 0 {
		return fmt.Errorf("figures: %s: named, and could not be drawn without a log", strings.Join(missing, ", "))
	}
	return nil
}

// chosenFigures are the named figures, or all, in the order of the papers.
func chosenFigures(names []string) ([]figures.Figure, error) {
	all := figures.All()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, f := range all {
		known = append(known, f.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("figures: %q is none of %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(f figures.Figure) bool { return !slices.Contains(names, f.Name) }), nil
}

func listFigures(c *cli.Context, list []figures.Figure) error {
	t := format.Table{Header: []string{"NAME", "TITLE", "FROM", "LOG"}}
	for _, f := range list {
		t.Add(f.Name, f.Title, f.From, f.Log)
	}
	return console.Tables(c, t)
}

// withLogs are the figures whose logs are there; of the others it tells, and
// gives their names.
func withLogs(c *cli.Context, list []figures.Figure) (there []figures.Figure, missing []string, err error) {
	dir := c.String("traces")
	for _, f := range list {
		if f.Log == "" {
			there = append(there, f)
			continue
		}
		if dir == "" {
			missing = append(missing, f.Name)
			console.Say(c.App.ErrWriter, "%s is left out: it needs %s; name its folder with --traces or OSTRICH_TRACES", f.Name, f.Log)
			continue
		}
		switch _, err := os.Stat(filepath.Join(dir, f.Log)); {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, f.Name)
			console.Say(c.App.ErrWriter, "%s is left out: %s is not in %s", f.Name, f.Log, dir)
		case err != nil:
			return nil, nil, fmt.Errorf("figures: %s: %w", f.Name, err)
		default:
			there = append(there, f)
		}
	}
	return there, missing, nil
}

// steps is how finely the progress of one figure is told.
const steps = 1000

// drawAll computes the figures, several at a time. The first error ends all
// of it.
func drawAll(c *cli.Context, list []figures.Figure, workers int) ([]figures.Drawn, error) {
	// Figures compute with workers of their own, so the number of cores is set
	// here rather than counted out.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	at, done := console.Progress(c.App.ErrWriter, "drawing "+format.Plural(len(list), "figure"))
	defer done()
	var mu sync.Mutex
	parts, sum := make([]int, len(list)), 0
	tell := func(i, part int) {
		mu.Lock()
		defer mu.Unlock()
		if part > parts[i] {
			sum += part - parts[i]
			parts[i] = part
			at(sum, steps*len(list))
		}
	}

	drawn := make([]figures.Drawn, len(list))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, len(list)) {
		group.Go(func() {
			for i := range next {
				result, err := list[i].Draw(ctx, figures.Input{
					Traces: c.String("traces"), Workers: workers, Short: c.Bool("short"),
					Progress: func(done, total int) {
						if total > 0 {
							tell(i, int(int64(steps)*int64(done)/int64(total)))
						}
					},
				})
				if err != nil {
					cancel(fmt.Errorf("figures: %s: %w", list[i].Name, err))
					continue
				}
				drawn[i] = figures.Drawn{Figure: list[i], Result: result}
				tell(i, steps)
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if c.Err() != nil {
		return nil, console.ErrInterrupted
	}
	return drawn, context.Cause(ctx)
}

// writeNumbers writes the papers' numbers beside ours, a table for each figure.
func writeNumbers(c *cli.Context, drawn []figures.Drawn) error {
	var list []format.Table
	for _, d := range drawn {
		if len(d.Numbers) == 0 {
			continue
		}
		t := format.Table{Header: []string{d.Name, "PAPER", "OURS"}}
		for _, n := range d.Numbers {
			t.Add(n.What, n.Paper, n.Ours)
		}
		list = append(list, t)
	}
	return console.Tables(c, list...)
}
