//go:build !client

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/forecasts"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/orderbench"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
)

func benchCommand() *cli.Command {
	o := &orderbench.Options{}
	return plainCommand(cli.Command{
		Name:  "bench",
		Usage: "measure orders of the queue on workload logs, as ratios to the first one",
		Description: "Each log is cut into parts, each part is replayed several times under each policy with EASY backfilling, the\n" +
			"first time as it is and then with every user's submissions moved by up to two hours. A figure is the ratio to\n" +
			"the first policy on the same part, with its standard error over the parts. Campaigns are those of rule max in\n" +
			"the recorded times, and their stretch is bounded: flow over max(W/m, longest job, --floor).\n\n" +
			"Policies, comma-separated:\n" + orderbench.Usage() +
			"\nBackfilling goes by time limits, whatever the policy goes by. Standard output has a row a policy, first over\n" +
			"all logs, then by log; docs/simulation.md explains the columns, and the fields of --json.\n\n" +
			"With --task one of several processes makes its part of the runs, keeps them in --resume and writes no table;\n" +
			"contrib/sweeps/bench-array.sh does it as a job array. The same command without --task then makes what is\n" +
			"missing, and the table.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. With --resume, finished runs are kept and not made again.",
	}, slices.Concat(o.LogsFlags(), []cli.Flag{
		simulation.PoliciesFlag(&o.Policy),
		simulation.LoopFlag("loop", &o.Loop),
		&cli.IntFlag{Name: "parts", Usage: "`NUMBER` of parts of each log, evenly spread", Value: 5, Destination: &o.Parts},
		&cli.IntFlag{Name: "part-jobs", Usage: "`NUMBER` of jobs that a part has at most", Value: 60_000, Destination: &o.PartJobs},
		&cli.IntFlag{Name: "shakes", Usage: "`NUMBER` of replays of each part; the first is the log as it is", Value: 3, Destination: &o.Shakes},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` from which the shakes are drawn", Value: 1, Destination: &o.Seed},
		simulation.FloorFlag(&o.Floor),
		simulation.SatisfactionFlag("", &o.Satisfaction),
		&cli.BoolFlag{Name: "forecast", Usage: "measure how good forecasts of starts and of ends of campaigns are, instead: of the first --part-jobs jobs of each log, under each policy"},
		&cli.IntFlag{Name: "questions", Usage: "with --forecast, about `NUMBER` of questions for each log and policy", Value: 2000, Destination: &o.Questions},
		&cli.BoolFlag{Name: "quick", Usage: "only the first three logs, and one shake", Destination: &o.Quick},
		&cli.StringFlag{Name: "resume", Usage: "keep finished runs in `DIR`, which is made if it is not there, and make those only that it lacks", Destination: &o.Resume},
		&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
		&cli.StringFlag{Name: "svg", Usage: "draw the mean campaign stretch by log into `FILE`"},
		&cli.StringFlag{Name: "markdown", Usage: "write the tables to `FILE` in Markdown, as docs/order.md has them"},
		&cli.BoolFlag{Name: "summary", Usage: "write the figures over all logs only"},
		runs.WorkersFlag("replay", &o.Workers),
	}, runs.ShareFlags("run"), o.Flags(), console.Formats("docs/simulation.md")), func(c *cli.Context) error { return bench(c, o) })
}

func bench(c *cli.Context, o *orderbench.Options) error {
	defer shortLived()()
	if err := console.Writable(c, "html", "svg", "markdown"); err != nil {
		return err
	}
	if err := runs.CheckShare(c, "resume", "html", "svg", "markdown", "summary"); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	o.Given, o.Logs, o.Sacct, o.Share = c.IsSet, c.StringSlice("swf"), c.StringSlice("sacct"), runs.ShareOf(c)
	if c.Bool("forecast") {
		f, err := o.Forecasts(c.Context, c.App.ErrWriter)
		if err != nil {
			return err
		}
		if whole, err := makeRuns(c, o, f); !whole {
			return err
		}
		return writeForecasts(c, &f.Result)
	}
	b, err := o.Bench(c.Context, c.App.ErrWriter)
	if err != nil {
		return err
	}
	whole, err := makeRuns(c, o, b)
	if !whole {
		return err
	}
	result := b.Result()
	if err = errors.Join(
		console.WriteFile(c, "html", result.WriteHTML),
		console.WriteFile(c, "svg", result.WriteSVG),
		console.WriteFile(c, "markdown", func(w io.Writer) error { return result.WriteMarkdown(w, benchLine(c)) }),
	); err != nil {
		return err
	}
	if c.Bool("json") {
		return console.JSON(c, result)
	}
	return console.Tables(c, result.Tables(!c.Bool("summary"))...)
}

// makeRuns lists runs, or makes those of the share, as is asked. It returns whether they are all, so that what came of them is to
// be written.
func makeRuns(c *cli.Context, o *orderbench.Options, p orderbench.Plan) (whole bool, err error) {
	if c.Bool("list") {
		return false, console.Tables(c, p.Runs())
	}
	err = o.Make(c.Context, c.App.ErrWriter, p)
	return err == nil && !o.Share.Tasked, err
}

// writeForecasts writes what came of forecasts, and says where nothing did.
func writeForecasts(c *cli.Context, found *forecasts.Result) error {
	for _, r := range found.Rows {
		if r.Asked == 0 {
			console.Say(c.App.ErrWriter, "%s: %s: no job was asked for: none waited after the first %s, which are only learned from",
				r.Log, r.Policy, format.Plural(int(forecasts.Learning/86400), "day"))
		}
	}
	if c.Bool("json") {
		return console.JSON(c, found)
	}
	return console.Tables(c, found.Tables()...)
}

// benchLine returns the command that makes these figures, without options for the
// output and the speed. It names logs without their folder.
func benchLine(c *cli.Context) string {
	var line strings.Builder
	line.WriteString("ostrich bench")
	for _, from := range []string{"swf", "sacct"} {
		for _, path := range c.StringSlice(from) {
			line.WriteString(" \\\n  --" + from + " " + filepath.Base(path))
		}
	}
	for option := range strings.FieldsSeq("columns delimiter timezone policy loop parts part-jobs shakes seed floor satisfaction quick procs lenient starttime endtime load") {
		switch value := c.Value(option); {
		case value == true:
			line.WriteString(" \\\n  --" + option)
		case value != false && c.IsSet(option):
			fmt.Fprintf(&line, " \\\n  --%s '%v'", option, value)
		}
	}
	return line.String()
}
