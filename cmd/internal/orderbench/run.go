package orderbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim/swf"
)

// quickLogs is how many logs a quick bench takes.
const quickLogs = 3

// Options say which logs are measured under which policies, in the words of a
// command line.
type Options struct {
	simulation.LogOptions
	Settings
	Logs    []string // files
	Policy  string
	Floor   time.Duration // Settings.Floor
	Quick   bool          // the first logs only, and one shake
	Resume  string        // folder of runs that are kept; "" keeps none
	Share   runs.Share    // of the runs; what is found is that of all
	Workers int

	Questions int // of a replay, for Forecasts
}

// maxShakes is how often a part of a log may be replayed: the list of runs has to fit the memory.
const maxShakes = 10_000

// check returns what is wrong with the options, and completes the settings.
func (o *Options) check() error {
	var errs []error
	for _, x := range []struct {
		option string
		n      int
	}{{"parts", o.Parts}, {"part-jobs", o.PartJobs}, {"shakes", o.Shakes}} {
		if x.n < 1 {
			errs = append(errs, fmt.Errorf("--%s %d: at least 1", x.option, x.n))
		}
	}
	if o.Shakes > maxShakes {
		errs = append(errs, fmt.Errorf("--shakes %d: at most %d", o.Shakes, maxShakes))
	}
	if o.Floor < 0 || o.Floor%time.Second != 0 {
		errs = append(errs, fmt.Errorf("--floor %v: whole seconds, at least 0", o.Floor))
	}
	o.Settings.Floor = ostrich.Duration(o.Floor / time.Second)
	if _, err := console.Named[uint8](Loops, o.Loop); err != nil {
		errs = append(errs, fmt.Errorf("--loop %w", err))
	}
	if accept, err := satisfaction.Parse(o.Satisfaction); err != nil {
		errs = append(errs, fmt.Errorf("--satisfaction %w", err))
	} else {
		o.Satisfaction = accept.String()
	}
	if o.Quick {
		if o.Given("shakes") && o.Shakes != 1 {
			errs = append(errs, fmt.Errorf("--quick makes one shake, not %d", o.Shakes))
		}
		o.Shakes = 1
	}
	return errors.Join(errs...)
}

// Bench returns the runs that are to be made, none of which is.
func (o *Options) Bench(ctx context.Context, stderr io.Writer) (*Bench, error) {
	if err := errors.Join(o.checkAlone(), o.check()); err != nil {
		return nil, err
	}
	policies, err := ParsePolicies(o.Policy)
	if err != nil {
		return nil, err
	}
	logs, err := o.read(ctx, stderr)
	if err != nil {
		return nil, err
	}
	code, err := runs.CodeVersion()
	if err != nil {
		return nil, err
	}
	b, err := New(logs, policies, o.Settings, code)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return b, nil
}

// A Plan is runs that can be made apart from each other and whose results are kept, by number.
type Plan interface {
	// Runs says what the runs are, a row each.
	Runs() format.Table
	// sizes are how many jobs each run replays.
	sizes() []int
	// restore takes the result of a run that is kept, if there is one.
	restore(i int, store *runs.Store) (found bool, err error)
	// make makes a run and keeps its result. It calls ended with the number of its jobs that have ended.
	make(i int, store *runs.Store, ended func(n int)) error
}

func (o *Options) read(ctx context.Context, stderr io.Writer) ([]Log, error) {
	paths, err := o.LogOptions.Logs("bench", o.Logs)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if o.Quick && len(paths) > quickLogs {
		console.Say(stderr, "--quick: %s left out", format.Plural(len(paths)-quickLogs, "log"))
		paths = paths[:quickLogs]
	}
	var logs []Log
	for _, path := range paths {
		w, err := o.Workload(ctx, path, simulation.RuleNames, swf.ByLimit)
		if err != nil {
			return nil, err
		}
		w.Tell(stderr)
		logs = append(logs, Log{Name: w.Name, Procs: w.Procs, Jobs: w.Jobs})
	}
	return logs, nil
}

// Make makes the runs of the share that are not kept from before, several at a time, and keeps
// each as soon as it is done. The first error ends all of it.
func (o *Options) Make(ctx context.Context, stderr io.Writer, p Plan) error {
	store, sizes := &runs.Store{Dir: o.Resume}, p.sizes()
	first, end, err := o.Share.Of(len(sizes), "run")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer store.Close()
	if err = store.Make(); err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	var missing, jobs []int
	for i := first; i < end; i++ {
		switch found, bad := p.restore(i, store); {
		case bad != nil:
			return fmt.Errorf("--resume: %w", bad)
		case !found:
			missing, jobs = append(missing, i), append(jobs, sizes[i])
		}
	}
	if n := end - first - len(missing); n > 0 {
		console.Say(stderr, "%s made before", plural.Sprintf("%d of "+format.Plural(end-first, "run")+" {was|were}", n))
	}
	err = runs.Replays(ctx, stderr, "simulating", o.Workers, jobs, func(n int, ended func(n int)) error {
		return p.make(missing[n], store, ended)
	})
	switch {
	case errors.Is(err, console.ErrInterrupted):
		return store.Interrupted("runs")
	case err == nil && o.Share.Tasked:
		console.Say(stderr, "bench: task %d: %s made, from %d on", o.Share.Task, format.Plural(len(missing), "run"), first)
	}
	return err
}

// Tables returns a table of the ratios over all logs, a row a policy, and with byLog
// another one of the ratios by log.
func (r *Result) Tables(byLog bool) []format.Table {
	t := format.Table{Header: append([]string{"POLICY"}, heads()...), Pairs: pairs(1)}
	for i := range r.Policies {
		t.Rows = append(t.Rows, r.Policies[i].row("±", format.Cells(r.Policies[i].Policy)))
	}
	if !byLog {
		return []format.Table{t}
	}
	logs := format.Table{Header: append([]string{"LOG", "POLICY"}, heads()...), Pairs: pairs(2)}
	for i := range r.Logs {
		for k := range r.Logs[i].Policies {
			p := &r.Logs[i].Policies[k]
			logs.Rows = append(logs.Rows, p.row("±", format.Cells(r.Logs[i].Log, p.Policy)))
		}
	}
	return []format.Table{t, logs}
}

// row returns the row of a table that begins with some cells.
func (p *PolicyRatios) row(sign string, cells []format.Cell) []format.Cell {
	for i := range p.Ratios {
		cells = append(cells, p.Ratios[i].cell(sign))
	}
	return cells
}
