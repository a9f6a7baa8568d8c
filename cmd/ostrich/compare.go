//go:build !client

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/live/fetch"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich/accounting"
)

func compareCommand() *cli.Command {
	o := &replay.SiteOptions{}
	o.Load = 1 // as logged
	compare := command(cli.Command{
		Name:  "compare",
		Usage: "replay a site's own jobs under its fairshare and under OStrich, and tell who would wait less, and who more",
		Description: "The jobs come from the accounting tables, from dumps of sacct (--sacct) or from a workload log (--swf). What\n" +
			"happened stands beside a simulation of the site's own priority/multifactor, so that one sees how far the\n" +
			"simulation is from what happened before it claims anything of OStrich. The configuration of Slurm is asked of\n" +
			"slurmctld and read from the association table, or read from files. Nothing is changed anywhere.\n\n" +
			"Policies:\n" + simulation.Help(simulation.Site, 16) + "\n" + simulation.VariantHelp(simulation.Site, 16) + "\n" +
			"With --before DATE nothing is replayed: what happened after that moment stands beside what happened before it, as once\n" +
			"OStrich orders the queue, over equal lengths of time.\n\n" +
			"With --trial nothing is replayed either: what happened in the periods that were drawn for OStrich stands beside what happened\nin those drawn for stock Slurm. docs/trial.md explains it.\n\n" +
			"What if:\n  " + strings.ReplaceAll(replay.WhatIfUsage, "\n", "\n  ") + "\n\n" +
			"docs/compare.md says how to read the result, docs/compare-reference.md explains each figure.\nExit code: 0 done, 1 an error, 130 interrupted.",
	}, slices.Concat([]cli.Flag{configuration.ClusterFlag()}, o.SourceFlags(), o.SiteFlags(), []cli.Flag{
		&cli.StringFlag{Name: "measure-rule", Usage: "measure every policy in the campaigns that `RULE` finds in the recorded times: max, last, arrival=TIME or window=TIME", Value: "max", Destination: &o.MeasureRule},
		&cli.StringFlag{Name: "before", Usage: "compare what happened before `DATE` with what happened after it, instead; in the syntax of --starttime, whose default, but for a file, is then as long before DATE as now is after it", Destination: &o.Before},
		&cli.BoolFlag{Name: "trial", Usage: "analyse the trial of this cluster (mode: trial) by what was drawn, instead"},
		&cli.BoolFlag{Name: "trial-draw", Usage: "print the draw of the trial that the settings say, or that goes on, instead; reads no jobs"},
		&cli.BoolFlag{Name: "trial-plan", Usage: "say from the last three months how many weeks a trial takes to see 5 and 10 %, instead"},
		&cli.StringFlag{Name: "trial-file", Usage: "with --trial and --trial-draw, `FILE` in which ostrichd keeps the draw and what was in force", DefaultText: "that of journal, with .trial added", Destination: &o.TrialFile},
		&cli.StringSliceFlag{Name: "what-if", Usage: "and also with `CHANGE`, or several comma-separated ones at once; may be given again"},
		&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
		&cli.BoolFlag{Name: "long", Aliases: []string{"l"}, Usage: "list all measures and all users, not only the leading ones and those with the greatest changes"},
		&cli.BoolFlag{Name: "first-difference", Usage: "list the jobs in the order in which they started, from the first that the simulated baseline starts at another time: when and where in truth and in the simulation, and what held it", Destination: &o.FirstDifference},
		&cli.BoolFlag{Name: "forecast", Usage: "measure how good forecasts of starts and of ends of campaigns are, instead, in replays under each policy; docs/forecast-tested.md explains the figures"},
		&cli.IntFlag{Name: "questions", Usage: "with --forecast, about `NUMBER` of questions for each policy and pool", Value: 2000, Destination: &o.Questions},
		&cli.BoolFlag{Name: "anonymize", Usage: "replace the names of users and accounts", Destination: &o.Anonymize},
		&cli.StringFlag{Name: "nightly", Usage: "compare yesterday, and the seven days before today, and write day.json, day.html, week.json and week.html in `FOLDER`, from where ostrichd shows them; ostrich-compare.timer does it each night"},
		&cli.BoolFlag{Name: "live", Usage: "show the comparison that a running ostrichd keeps, and what the nightly ones found, instead; it is asked as ostrich plan asks"},
		&cli.StringFlag{Name: "address", Usage: "with --live, `HOST:PORT` of ostrichd, or https://HOST:PORT", DefaultText: "listen of the configuration"},
		&cli.StringFlag{Name: "http-config", Usage: "with --address, `FILE` that says whom to trust (tls_config) and which password to give (basic_auth), in the format of Prometheus' HTTP clients"},
	}, console.Formats("docs/compare-reference.md")), func(c *cli.Context, config configuration.Config) error { return compare(c, o, config) })
	fromJobs := compare.Action
	compare.Action = func(c *cli.Context) error {
		if c.Bool("live") {
			return compareLive(c)
		}
		for _, name := range []string{"address", "http-config"} {
			if c.IsSet(name) {
				return fmt.Errorf("compare: --%s goes with --live", name)
			}
		}
		return fromJobs(c)
	}
	return compare
}

func compare(c *cli.Context, o *replay.SiteOptions, config configuration.Config) error {
	defer collectAt(20)() // it may run on the machine of slurmctld, and there memory matters more
	if err := console.Writable(c, "html"); err != nil {
		return err
	}
	o.Given, o.Cluster, o.Sacct, o.WhatIf = c.IsSet, c.String("clusters"), c.StringSlice("sacct"), c.StringSlice("what-if")
	o.SlurmConfig, o.NoPage = c.StringSlice("slurm-config"), !c.IsSet("html") && !c.IsSet("nightly")
	if c.Bool("forecast") {
		found, err := o.Forecasts(c.Context, &config, c.App.ErrWriter)
		if err != nil {
			return err
		}
		return writeForecasts(c, found)
	}
	if c.IsSet("questions") {
		return errors.New("compare: --questions goes with --forecast")
	}
	if c.IsSet("nightly") {
		return nightly(c, o, &config)
	}
	if done, err := onTrial(c, o, &config); done || err != nil {
		return err
	}
	if c.IsSet("before") {
		result, err := o.BeforeAfter(c.Context, &config, c.App.ErrWriter)
		if err != nil {
			return err
		}
		return writeResult(c, result, result.Verdict, result.TextTables, result.Sentences)
	}
	result, err := o.Compare(c.Context, &config, c.App.ErrWriter)
	if err != nil {
		return err
	}
	tables := func() []format.Table { return result.TextTables(c.Bool("long") || c.Bool("parsable2")) }
	return writeResult(c, result, result.Verdict, tables, result.Sentences)
}

// nightly compares the days before today, and writes what is found of each period. A
// period in which no job ran keeps its files.
func nightly(c *cli.Context, o *replay.SiteOptions, config *configuration.Config) error {
	for _, name := range []string{"before", "starttime", "trial", "trial-draw", "trial-plan", "endtime", "swf", "html", "long", "json", "parsable2", "noheader"} {
		if c.IsSet(name) {
			return fmt.Errorf("compare: --%s does not go with --nightly", name)
		}
	}
	folder := c.String("nightly")
	if folder == "" {
		return errors.New("compare: --nightly: no folder is named")
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("compare: --nightly: there is no folder %s", folder)
	}
	const named = 0o640                               // they name users, of whom ostrichd shows what Slurm shows
	now, why := time.Now(), make(map[string][]string) // periods by why they failed
	var errs []error
	for _, p := range live.Periods {
		const date = "2006-01-02"
		o.Start, o.End = now.AddDate(0, 0, -p.Days).Format(date), now.Format(date)
		result, err := o.Compare(c.Context, config, c.App.ErrWriter)
		if errors.Is(err, replay.ErrNoJobs) || errors.Is(err, accounting.ErrEmpty) {
			_, _ = fmt.Fprintf(c.App.ErrWriter, "%s: %v; its files stay as they are\n", p.Name, err) // nobody may read it
			continue
		}
		path := filepath.Join(folder, p.Name)
		if err == nil {
			err = atomicfile.WriteNew(path+".html", named, result.WriteHTML)
		}
		if err == nil {
			err = atomicfile.WriteNew(path+".json", named, func(w io.Writer) error { return json.NewEncoder(w).Encode(result) })
		}
		if err != nil {
			if why[err.Error()] == nil {
				errs = append(errs, err)
			}
			why[err.Error()] = append(why[err.Error()], p.Name)
		}
	}
	for i, err := range errs {
		errs[i] = fmt.Errorf("%s: %w", format.List(why[err.Error()]), err)
	}
	return errors.Join(errs...)
}

// writeResult writes the page of a comparison, and its figures.
func writeResult(c *cli.Context, result interface{ WriteHTML(w io.Writer) error }, verdict []string, tables func() []format.Table, sentences func() string) error {
	if err := console.WriteFile(c, "html", result.WriteHTML); err != nil {
		return err
	}
	if c.Bool("json") {
		return console.JSON(c, result)
	}
	w := c.App.Writer
	words := !c.Bool("noheader") && !c.Bool("parsable2")
	if words {
		if _, err := fmt.Fprintf(w, "%s\n\n", strings.Join(verdict, "\n")); err != nil {
			return err
		}
	}
	if err := console.Tables(c, tables()...); err != nil || !words {
		return err
	}
	_, err := io.WriteString(w, sentences())
	return err
}

// compareLive writes the comparison that a running daemon keeps.
func compareLive(c *cli.Context) error {
	if err := onlyLive(c); err != nil {
		return err
	}
	report, raw, err := fetch.Report(c)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		var b bytes.Buffer
		if err = json.Indent(&b, raw, "", "  "); err == nil {
			_, err = b.WriteTo(c.App.Writer)
		}
		return err
	}
	for _, note := range report.Notes() {
		_, _ = fmt.Fprintln(c.App.ErrWriter, format.Fold(note, console.Width(c.App.ErrWriter))) // nobody may read it
	}
	if verdict := report.Verdict(); verdict != "" && !c.Bool("noheader") && !c.Bool("parsable2") {
		if _, err = fmt.Fprintln(c.App.Writer, verdict); err != nil {
			return err
		}
	}
	return console.Tables(c, report.Tables()...)
}

// onlyLive refuses arguments, and options that have no effect on a comparison that
// has been made already. The environment may have settings: they are for other
// commands too.
func onlyLive(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("compare: unexpected argument %q; see \"ostrich compare --help\"", c.Args().First())
	}
	with := []string{"live", "address", "http-config", "config", "socket", "listen"}
	for _, f := range console.Formats("docs/compare-reference.md") {
		with = append(with, f.Names()[0])
	}
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; c.IsSet(name) && !slices.Contains(with, name) && !arguments.FromEnvironment(f) {
			return fmt.Errorf("compare: --%s does not go with --live", name)
		}
	}
	if c.IsSet("http-config") && !c.IsSet("address") {
		return errors.New("compare: --http-config goes with --address")
	}
	return nil
}
