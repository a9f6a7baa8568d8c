package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"regexp"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

func main() {
	os.Exit(run(os.Args)) //nolint:forbidigo // this is func main
}

// run returns the exit code: 1 for an error, 130 after an interrupt.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newApp(os.Stdout, os.Stderr).RunContext(ctx, args)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "load:", err)
	if errors.Is(err, context.Canceled) {
		return 130
	}
	return 1
}

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:           "load",
		Usage:          "submit closed-loop campaigns to a testbed and measure their stretch",
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{
			{
				Name:      "run",
				Usage:     "run a scenario and print the results of each user's campaigns",
				UsageText: "load run --scenario FILE [--run NAME] [--seed N] [--json FILE]",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "scenario", Usage: "scenario `FILE`", Required: true},
					&cli.StringFlag{Name: "run", Usage: "`NAME` of the run, first part of its jobs' names (default: load and the time)"},
					&cli.Uint64Flag{Name: "seed", Usage: "seed of the jitter, in place of the scenario's"},
					&cli.StringFlag{Name: "json", Usage: "write every campaign to `FILE`"},
					&cli.BoolFlag{Name: "history", Usage: "run the scenario's history in place of its users; nothing is measured"},
					&cli.DurationFlag{Name: "report", Usage: "time between lines of progress, 0 for none", Value: 10 * time.Second},
				},
				Action: runAction,
			},
			{
				Name:      "compare",
				Usage:     "print two measured runs of one load side by side",
				UsageText: "load compare [--json FILE] FIRST.json SECOND.json",
				Flags:     []cli.Flag{&cli.StringFlag{Name: "json", Usage: "write the comparison to `FILE`"}},
				Action:    compareAction,
			},
			{
				Name:      "table",
				Usage:     "put comparisons of several seeds of several scenarios into tables, with intervals",
				UsageText: "load table [--json FILE] [--write PAGE] COMPARISON.json...",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "json", Usage: "write the tables' figures to `FILE`"},
					&cli.StringFlag{Name: "write", Usage: "put the tables between their marks in a `PAGE`, in place of those that stand there"},
				},
				Action: tableAction,
			},
			{
				Name:      "jobs",
				Usage:     "print the jobs of a recording, for debian/record: second, user, length, options of sbatch",
				UsageText: "load jobs [--seed N] [--jobs N] [--slower N]",
				Flags: []cli.Flag{
					&cli.Uint64Flag{Name: "seed", Usage: "seed of the jobs", Value: 1},
					&cli.IntFlag{Name: "jobs", Usage: "how many", Value: 500},
					&cli.IntFlag{Name: "slower", Usage: "all times are `N` times as long: jobs of 40 s on average are for 1", Value: 1},
				},
				Action: jobsAction,
			},
			{
				Name:      "check",
				Usage:     "read scenario files and say what is wrong with them",
				UsageText: "load check FILE...",
				Action:    checkAction,
			},
		},
	}
}

// environment returns a variable that the testbed's env file sets.
func environment(name string) (string, error) {
	if v := os.Getenv(name); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("%s is not set: source the testbed's env file", name)
}

// runName matches the first part of a job's name: without the dots that separate the
// parts, and without what scancel treats as a list.
var runName = regexp.MustCompile(`^[a-z0-9-]+$`)

// workFolder returns the folder in which tools work, of all users. It goes with the testbed.
func workFolder() (string, error) {
	bed, err := environment("OSTRICH_TESTBED")
	if err != nil {
		return "", err
	}
	folder := path.Join(bed, "workflows")
	if err = os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o777|os.ModeSticky)
}

// alone returns an error if arguments follow the options of a command that takes none.
// Options after an argument would not count.
func alone(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("%s: takes no argument, such as %q", c.Command.Name, c.Args().First())
	}
	return nil
}

func runAction(c *cli.Context) error {
	if err := alone(c); err != nil {
		return err
	}
	s, err := ReadScenario(c.String("scenario"))
	if err != nil {
		return err
	}
	name := c.String("run")
	if name == "" {
		name = fmt.Sprintf("load-%d", time.Now().Unix())
	}
	if !runName.MatchString(name) {
		return fmt.Errorf("--run %q: only lower-case letters, digits and -", name)
	}
	if c.IsSet("seed") {
		s.Seed = c.Uint64("seed")
	}
	conf, err := environment("SLURM_CONF")
	if err != nil {
		return err
	}
	cluster, err := environment("TESTBED_CLUSTER")
	if err != nil {
		return err
	}
	slurm := Slurm{Conf: conf, named: &named{campaigns: make(map[string]string)}}
	if s.tools() {
		if slurm.folder, err = workFolder(); err != nil {
			return err
		}
	}
	m, err := slurm.Processors(c.Context, cluster)
	if err != nil {
		return err
	}
	s.ScaleTo(m)
	run := &Run{
		Name: name, Seed: s.Seed, Until: s.Until, Cluster: slurm,
		Log: c.App.ErrWriter, Report: c.Duration("report"),
	}
	if c.Bool("history") {
		run.Name += "-history"
		run.Until = 0
		_, err = run.Do(c.Context, s.History)
		return err
	}
	if err = run.unused(c.Context, slurm, s.Users); err != nil {
		return err
	}
	plans, err := run.Do(c.Context, s.Users)
	if err != nil {
		return err
	}
	list, background, err := run.Measure(c.Context, slurm, plans, m)
	if err != nil {
		return err
	}
	r := Result{Run: name, Scenario: s.Name, About: s.About, Seed: s.Seed, Processors: m, Campaigns: list, Background: background}
	if err = writeJSON(c.String("json"), r); err != nil {
		return err
	}
	return r.WriteText(c.App.Writer)
}

// mostRequests and mostSlower are the most that load jobs takes: with both, all times are
// still within what a time.Duration holds.
const mostRequests, mostSlower = 100_000, 1000

func jobsAction(c *cli.Context) error {
	if err := alone(c); err != nil {
		return err
	}
	if n := c.Int("jobs"); n < 1 || n > mostRequests {
		return fmt.Errorf("jobs: --jobs %d: not from 1 to %d", n, mostRequests)
	}
	if n := c.Int("slower"); n < 1 || n > mostSlower {
		return fmt.Errorf("jobs: --slower %d: not from 1 to %d", n, mostSlower)
	}
	return writeRequests(c.App.Writer, Requests(c.Uint64("seed"), c.Int("jobs"), c.Int("slower")))
}

func compareAction(c *cli.Context) error {
	if c.NArg() != 2 {
		return errors.New("compare: needs two files, written by load run --json")
	}
	var r [2]Result
	for i := range r {
		file := c.Args().Get(i)
		if err := readJSON(file, &r[i]); err != nil {
			return err
		}
		if r[i].Scenario == "" || r[i].Processors <= 0 || len(r[i].Campaigns) == 0 {
			return fmt.Errorf("%s: not a measured run that load run --json writes", file)
		}
	}
	cmp, err := Compare(r[0], r[1])
	if err != nil {
		return err
	}
	if err = writeJSON(c.String("json"), cmp); err != nil {
		return err
	}
	return cmp.WriteText(c.App.Writer)
}

func tableAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return errors.New("table: needs files, written by load compare --json")
	}
	cells, err := ReadMatrix(c.Args().Slice())
	if err != nil {
		return err
	}
	if err = writeJSON(c.String("json"), cells); err != nil {
		return err
	}
	if page := c.String("write"); page != "" {
		var text []byte
		if text, err = os.ReadFile(page); err != nil {
			return err
		}
		var written string
		if written, err = fillPage(string(text), cells); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if err = os.WriteFile(page, []byte(written), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(c.App.Writer, matrixTable(cells, nil))
	return err
}

func checkAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return errors.New("check: needs scenario files")
	}
	var errs []error
	for _, path := range c.Args().Slice() {
		s, err := ReadScenario(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, _ = fmt.Fprintf(c.App.Writer, "%s: %s, %d users\n", path, s.Name, len(s.Users))
	}
	return errors.Join(errs...)
}

// readJSON reads a value from a file.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON writes a value to a file; without a path it does nothing.
func writeJSON(path string, v any) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
