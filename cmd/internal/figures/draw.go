package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/priority/privilege"
)

// Options say which figures are drawn and where they are written.
type Options struct {
	Out   string // folder
	All   bool   // all figures, and it is an error if one cannot be drawn without a log
	Input        // of all of them; without Traces, figures that need logs are left out; 0 Workers are one a core
}

// Named returns the figures of these names, or all, in the order of the papers.
func Named(names []string) ([]Figure, error) {
	all := All()
	if len(names) == 0 {
		return all, nil
	}
	known := format.Texts(all, func(f Figure) string { return f.Name })
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("figures: %q is none of %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(f Figure) bool { return !slices.Contains(names, f.Name) }), nil
}

// Run draws the named figures, or all, and writes them. It leaves out those whose logs are
// not there. If one of these was named, it returns an error beside what could be drawn.
func (o *Options) Run(ctx context.Context, stderr io.Writer, names []string) ([]Drawn, error) {
	if o.All && len(names) > 0 {
		return nil, fmt.Errorf("figures: --all is all figures, without %s", strings.Join(names, ", "))
	}
	list, err := Named(names)
	if err != nil {
		return nil, err
	}
	if o.Out == "" {
		return nil, errors.New("figures: name a folder to write into: --out DIR")
	}
	list, missing, err := o.withLogs(list, stderr)
	if err != nil {
		return nil, err
	}
	var drawn []Drawn
	if len(list) > 0 {
		// Before the drawing, which may take a quarter of an hour.
		if err = privilege.Do(o.Out, func() error { return os.MkdirAll(o.Out, 0o755) }); err != nil {
			return nil, fmt.Errorf("figures: making the folder of the figures: %w", err)
		}
		if drawn, err = o.draw(ctx, list, stderr); err != nil {
			return nil, err
		}
		if err = Write(o.Out, drawn); err != nil {
			return nil, fmt.Errorf("figures: %w", err)
		}
		console.Say(stderr, "%s in %s", format.Plural(len(drawn), "figure"), filepath.Join(o.Out, Index))
	}
	if len(missing) > 0 && (o.All || len(names) > 0) {
		err = fmt.Errorf("figures: %s: named, and could not be drawn without a log", strings.Join(missing, ", "))
	}
	return drawn, err
}

// withLogs returns the figures whose logs are there, and the names of the others.
func (o *Options) withLogs(list []Figure, stderr io.Writer) (there []Figure, missing []string, err error) {
	for _, f := range list {
		why, err := o.lacks(f.Logs)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("figures: %s: %w", f.Name, err)
		case why != "":
			missing = append(missing, f.Name)
			console.Say(stderr, "%s is left out: %s", f.Name, why)
		default:
			there = append(there, f)
		}
	}
	return there, missing, nil
}

// lacks says why the logs cannot be read; "" if all are there.
func (o *Options) lacks(logs []string) (string, error) {
	if len(logs) > 0 && o.Traces == "" {
		return "it needs " + strings.Join(logs, ", ") + "; name its folder with --traces or OSTRICH_TRACES", nil
	}
	for _, log := range logs {
		switch _, err := os.Stat(filepath.Join(o.Traces, log)); {
		case errors.Is(err, fs.ErrNotExist):
			return log + " is not in " + o.Traces, nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// steps is how many steps of progress a second of a figure's processor time has.
const steps = 1000

// costs are about how many seconds of processor time the figures take that take more than one second.
var costs = map[string]int{
	"bot-4": 90, "bot-5": 120, "bot-6": 20, "bot-7": 110, "bot-8": 450, "bot-9": 50, "bot-10": 17, "bot-11": 65, "hipc-4": 70, "hipc-5": 10, "milp-4": 5, "milp-5": 190, "rl-5": 15,
}

// draw computes the figures, several at a time. The first error ends all of it.
func (o *Options) draw(ctx context.Context, list []Figure, stderr io.Writer) ([]Drawn, error) {
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	// Figures compute with workers of their own, so the number of cores is set
	// here rather than counted out.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	at, done := console.Progress(stderr, "drawing "+format.Plural(len(list), "figure"))
	defer done()
	var mu sync.Mutex
	parts, sum, all := make([]int, len(list)), 0, 0
	for _, f := range list {
		all += steps * max(1, costs[f.Name])
	}
	tell := func(i, part int) {
		mu.Lock()
		defer mu.Unlock()
		if part > parts[i] {
			sum += part - parts[i]
			parts[i] = part
			at(sum, all)
		}
	}
	drawing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	drawn, err := runs.Each(drawing, workers, len(list), func(i int) (Drawn, error) {
		in, long := o.Input, max(1, costs[list[i].Name])
		in.Workers, in.Progress = workers, func(done, total int) {
			if total > 0 {
				tell(i, int(int64(steps)*int64(long)*int64(done)/int64(total)))
			}
		}
		result, err := list[i].Draw(drawing, in)
		if err != nil {
			cancel(fmt.Errorf("figures: %s: %w", list[i].Name, err))
			return Drawn{}, err
		}
		tell(i, steps*long)
		return Drawn{Figure: list[i], Result: result}, nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, console.ErrInterrupted
	case err != nil:
		return nil, context.Cause(drawing)
	}
	return drawn, nil
}

// NumberTables returns the papers' numbers beside ours, a table for each figure that
// has some.
func NumberTables(drawn []Drawn) []format.Table {
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
	return list
}
