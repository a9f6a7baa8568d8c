package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/orderbench"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// quickLogs is how many logs --quick takes.
const quickLogs = 3

func benchCommand() *cli.Command {
	o := &replay.LogOptions{}
	return plainCommand(cli.Command{
		Name:  "bench",
		Usage: "measure orders of the queue on workload logs, as ratios to the first one",
		Description: "Each log is cut into parts, each part is replayed several times under each policy with EASY backfilling, the\n" +
			"first time as it is and then with every user's submissions moved by up to two hours. A figure is the ratio to\n" +
			"the first policy on the same part, with its standard error over the parts. Campaigns are those of rule max in\n" +
			"the recorded times, and their stretch is bounded: flow over max(W/m, longest job, --floor).\n\n" +
			"Policies, comma-separated, each [LABEL=]NAME[:SETTING=VALUE]..., as in ostrich:gate=off:memory=7d:\n" +
			orderbench.Usage() +
			"\nBackfilling goes by time limits, whatever the policy goes by. Standard output has a row a policy, first over\n" +
			"all logs, then by log; docs/simulation.md explains the columns, and the fields of --json.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. With --resume, finished runs are kept and not made again.",
	}, slices.Concat([]cli.Flag{
		&cli.StringSliceFlag{Name: "swf", Usage: "`FILE` with a log, once for each log; must be given"},
		&cli.StringFlag{Name: "policy", Usage: "the `POLICIES`, comma-separated; the others are compared with the first", Value: "fairshare,ostrich"},
		&cli.StringFlag{Name: "loop", Usage: "`LOOP` is open (jobs come when they were logged) or closed (a campaign comes when the user's last one has ended and the think time has passed)", Value: "open"},
		&cli.IntFlag{Name: "parts", Usage: "`NUMBER` of parts of each log, evenly spread", Value: 5},
		&cli.IntFlag{Name: "part-jobs", Usage: "`NUMBER` of jobs that a part has at most", Value: 60_000},
		&cli.IntFlag{Name: "shakes", Usage: "`NUMBER` of replays of each part; the first is the log as it is", Value: 3},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` from which the shakes are drawn", Value: 1},
		&cli.DurationFlag{Name: "floor", Usage: "`TIME` that a campaign counts as long as, at least", Value: 10 * time.Second},
		&cli.BoolFlag{Name: "quick", Usage: "only the first three logs, and one shake"},
		&cli.StringFlag{Name: "resume", Usage: "keep finished runs in `FILE`, or in runs.jsonl in that folder, and make those only that it lacks"},
		&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
		&cli.StringFlag{Name: "markdown", Usage: "write the tables to `FILE` in Markdown, as docs/order.md has them"},
		&cli.BoolFlag{Name: "summary", Usage: "write the figures over all logs only"},
		&cli.IntFlag{Name: "workers", Usage: "`NUMBER` of replays at a time", DefaultText: "one a core"},
	}, o.Flags(), console.Formats()), func(c *cli.Context) error {
		o.Given = c.IsSet
		return bench(c, o)
	})
}

func bench(c *cli.Context, o *replay.LogOptions) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(400)) // it does not live long
	}
	settings, err := benchSettings(c)
	if err != nil {
		return err
	}
	policies, err := orderbench.ParsePolicies(c.String("policy"))
	if err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	if err = console.Writable(c, "html", "markdown"); err != nil {
		return err
	}
	logs, err := benchLogs(c, o)
	if err != nil {
		return err
	}
	code, err := replay.CodeVersion()
	if err != nil {
		return err
	}
	b, err := orderbench.New(logs, policies, settings, code)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err = makeRuns(c, b, settings); err != nil {
		return err
	}
	result := b.Result()
	if path := c.String("html"); path != "" {
		if err = atomicfile.Write(path, result.WriteHTML); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if path := c.String("markdown"); path != "" {
		command := benchLine(c)
		if err = atomicfile.Write(path, func(w io.Writer) error { return result.WriteMarkdown(w, command) }); err != nil {
			return fmt.Errorf("--markdown: %w", err)
		}
	}
	if c.Bool("json") {
		return console.JSON(c, result)
	}
	return writeRatios(c, result)
}

// benchLine is the command that makes these figures, without what says where they
// go and how fast; logs are named without their folder.
func benchLine(c *cli.Context) string {
	var line strings.Builder
	line.WriteString("ostrich bench")
	for _, path := range c.StringSlice("swf") {
		line.WriteString(" \\\n  --swf " + filepath.Base(path))
	}
	for _, option := range []string{"policy", "loop", "parts", "part-jobs", "shakes", "seed", "floor"} {
		if c.IsSet(option) {
			fmt.Fprintf(&line, " \\\n  --%s '%v'", option, c.Value(option))
		}
	}
	return line.String()
}

// benchSettings are the options that say how orders are measured.
func benchSettings(c *cli.Context) (orderbench.Settings, error) {
	s := orderbench.Settings{
		Parts: c.Int("parts"), PartJobs: c.Int("part-jobs"), Shakes: c.Int("shakes"), Seed: c.Uint64("seed"),
		Floor: ostrich.Duration(c.Duration("floor") / time.Second), Loop: c.String("loop"),
	}
	var errs []error
	for _, option := range []string{"parts", "part-jobs", "shakes", "workers"} {
		if n := c.Int(option); n < 1 && (option != "workers" || c.IsSet(option)) {
			errs = append(errs, fmt.Errorf("--%s %d: at least 1", option, n))
		}
	}
	if d := c.Duration("floor"); d < 0 || d%time.Second != 0 {
		errs = append(errs, fmt.Errorf("--floor %v: whole seconds, at least 0", d))
	}
	if _, err := console.Named[uint8](orderbench.Loops, s.Loop); err != nil {
		errs = append(errs, fmt.Errorf("--loop %w", err))
	}
	if c.Bool("quick") {
		if c.IsSet("shakes") && s.Shakes != 1 {
			errs = append(errs, fmt.Errorf("--quick makes one shake, not %d", s.Shakes))
		}
		s.Shakes = 1
	}
	return s, errors.Join(errs...)
}

// benchLogs reads the logs.
func benchLogs(c *cli.Context, o *replay.LogOptions) ([]orderbench.Log, error) {
	paths := c.StringSlice("swf")
	if len(paths) == 0 {
		return nil, errors.New("bench: --swf FILE: no log is named; see \"ostrich bench --help\"")
	}
	if c.Bool("quick") && len(paths) > quickLogs {
		console.Say(c.App.ErrWriter, "--quick: %s left out", format.Plural(len(paths)-quickLogs, "log"))
		paths = paths[:quickLogs]
	}
	var logs []orderbench.Log
	for _, path := range paths {
		w, err := o.Workload(c.Context, path, replay.RuleNames, sim.ByLimit)
		if err != nil {
			return nil, err
		}
		w.Tell(c.App.ErrWriter)
		logs = append(logs, orderbench.Log{Name: w.Name, Procs: w.Procs, Jobs: w.Jobs})
	}
	return logs, nil
}

// makeRuns makes the runs that are not in the file of --resume, several at a
// time, and keeps each there as soon as it is done.
func makeRuns(c *cli.Context, b *orderbench.Bench, settings orderbench.Settings) error {
	keep := func(*orderbench.Run, orderbench.Measures) error { return nil }
	path := c.String("resume")
	if path != "" {
		store, err := orderbench.OpenStore(path, settings)
		if err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
		// The process may end while a run is still being added: then it is the
		// system that closes the file.
		if n := store.Restore(b); n > 0 {
			console.Say(c.App.ErrWriter, "%d of %s were made before", n, format.Plural(len(b.Runs()), "run"))
		}
		keep = store.Add
	}
	var runs []*orderbench.Run
	var jobs []int
	for i := range b.Runs() {
		if r := &b.Runs()[i]; !b.Done(r) {
			runs, jobs = append(runs, r), append(jobs, r.Jobs)
		}
	}
	var failed atomic.Bool
	var mu sync.Mutex
	errs := make([]error, len(runs))
	err := replay.Each(c.Context, c.App.ErrWriter, c.Int("workers"), jobs, func(i int, ended func(n int)) {
		if failed.Load() || c.Err() != nil {
			return
		}
		m, err := b.Do(runs[i], ended)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			b.Keep(runs[i], m)
			err = keep(runs[i], m)
		}
		if err != nil {
			failed.Store(true)
			errs[i] = err
		}
	})
	if errors.Is(err, console.ErrInterrupted) && path != "" {
		return console.Interruption("finished runs are kept in " + path + "; the same command again goes on")
	}
	return cmp.Or(err, cmp.Or(errs...))
}

// writeRatios writes a table over all logs and one by log.
func writeRatios(c *cli.Context, r *orderbench.Result) error {
	t := format.Table{Header: append([]string{"POLICY"}, orderbench.Heads()...)}
	for i := range r.Policies {
		p := &r.Policies[i]
		t.Add(append([]any{p.Policy}, ratioCells(p)...)...)
	}
	if c.Bool("summary") {
		return console.Tables(c, t)
	}
	logs := format.Table{Header: append([]string{"LOG", "POLICY"}, orderbench.Heads()...)}
	for i := range r.Logs {
		for k := range r.Logs[i].Policies {
			p := &r.Logs[i].Policies[k]
			logs.Add(append([]any{r.Logs[i].Log, p.Policy}, ratioCells(p)...)...)
		}
	}
	return console.Tables(c, t, logs)
}

// ratioCells are the ratios of a policy in a table.
func ratioCells(p *orderbench.PolicyRatios) []any {
	var cells []any
	for _, r := range p.All() {
		cells = append(cells, r.String())
	}
	return cells
}
