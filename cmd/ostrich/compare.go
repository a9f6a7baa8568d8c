package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

func compareCommand() *cli.Command {
	compare := command(cli.Command{
		Name:  "compare",
		Usage: "replay a site's own jobs under its fairshare and under OStrich, and tell who would wait less, and who more",
		Description: "The jobs come from the accounting tables, from dumps of sacct (--sacct) or from a workload log (--swf). What\n" +
			"happened stands beside a simulation of the site's own priority/multifactor, so that one sees how far the\n" +
			"simulation is from what happened before it claims anything of OStrich. The configuration of Slurm is asked of\n" +
			"slurmctld and read from the association table, or read from files. Nothing is changed anywhere.\n\n" +
			"Policies:\n" + replay.Help(replay.Site, 16) + "\n" +
			"What if:\n" + indent(replay.WhatIfUsage) + "\n\n" +
			"docs/compare.md explains the figures. Exit code: 0 done, 1 an error, 130 interrupted.",
	}, slices.Concat(compareInput(), compareSite(), []cli.Flag{
		&cli.StringFlag{Name: "policy", Usage: "the `POLICIES`, comma-separated; the others are compared with the first", Value: "fairshare,ostrich"},
		&cli.StringFlag{Name: "backfill", Usage: "who may pass the first job in the order: `KIND` is " + console.List(sim.BackfillNames), Value: "slurm"},
		&cli.DurationFlag{Name: "floor", Usage: "campaigns shorter than `TIME` count as that long in the stretch; 0s is the papers' stretch", Value: 10 * time.Second},
		&cli.StringFlag{Name: "measure-rule", Usage: "measure every policy in the campaigns that `RULE` finds in the recorded times: max, last, arrival=TIME or window=TIME", Value: "max"},
		&cli.StringSliceFlag{Name: "what-if", Usage: "and also with `CHANGE`, or several comma-separated ones at once; may be given again"},
		&cli.BoolFlag{Name: "kill", Usage: "simulated jobs end at their time limits"},
		&cli.StringFlag{Name: "html", Usage: "write a page to `FILE`"},
		&cli.StringFlag{Name: "window", Usage: "the chart of the schedules shows `FROM,TO`, in the syntax of --starttime", DefaultText: "the day with most waiting"},
		&cli.BoolFlag{Name: "long", Aliases: []string{"l"}, Usage: "list all measures and all users, not only the leading ones and those with the greatest changes"},
		&cli.BoolFlag{Name: "anonymize", Usage: "replace the names of users and accounts"},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` from which the bootstrap draws", Value: 1},
		&cli.IntFlag{Name: "resamples", Usage: "`NUMBER` of resamples of the bootstrap", Value: 1000},
		&cli.IntFlag{Name: "workers", Usage: "`NUMBER` of replays at a time", DefaultText: "one a core"},
		&cli.BoolFlag{Name: "live", Usage: "show the comparison that a running ostrichd keeps, instead"},
		&cli.StringFlag{Name: "address", Usage: "with --live, `HOST:PORT` of ostrichd", DefaultText: "listen of the configuration"},
	}, console.Formats()), compare)
	live := compare.Action
	compare.Action = func(c *cli.Context) error {
		if c.Bool("live") {
			return compareLive(c)
		}
		if c.IsSet("address") {
			return errors.New("compare: --address goes with --live")
		}
		return live(c)
	}
	return compare
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// candidate is a run to be made.
type candidate struct {
	name   string
	study  *replay.Study
	policy replay.SitePolicy
	jobs   []report.Job
	took   time.Duration
	err    error
}

func compare(c *cli.Context, config sidecar.Config) error {
	if err := console.Writable(c, "html"); err != nil {
		return err
	}
	if n := c.Int("resamples"); n < 1 || n > 1_000_000 {
		return fmt.Errorf("--resamples %d: must be from 1 to 1000000", n)
	}
	if c.IsSet("workers") && c.Int("workers") < 1 {
		return fmt.Errorf("--workers %d: at least 1", c.Int("workers"))
	}
	if floor := c.Duration("floor"); floor < 0 || floor%time.Second != 0 || floor > 365*24*time.Hour {
		return fmt.Errorf("--floor %v: must be whole seconds, from 0 to a year", floor)
	}
	backfill, err := console.Named[sim.Backfill](sim.BackfillNames, c.String("backfill"))
	if err != nil {
		return fmt.Errorf("--backfill %w", err)
	}
	policies, err := comparedPolicies(c, backfill)
	if err != nil {
		return err
	}
	source, err := readSource(c, &config)
	if err != nil {
		return err
	}
	if source.setup.Measure, err = replay.ParseRule(c.String("measure-rule"), 0); err != nil {
		return fmt.Errorf("--measure-rule: %w", err)
	}
	foretold := source.foretell()
	site, err := replay.New(source.history, source.setup)
	if err != nil {
		return fmt.Errorf("%s: %w", source.name, err)
	}
	site.Kill = c.Bool("kill")
	site.Notes = append(source.notes, site.Notes...)
	if err = source.check(site); err != nil {
		return err
	}
	runs, err := candidates(c, site, policies)
	if err != nil {
		return err
	}
	if err = replayAll(c, runs); err != nil {
		return err
	}
	in, err := comparisonInput(c, source, site, runs)
	if err != nil {
		return err
	}
	in.Lengths = foretold
	result, err := comparison.Compare(c.Context, in)
	switch {
	case errors.Is(err, context.Canceled):
		return console.ErrInterrupted
	case err != nil:
		return err
	}
	if path := c.String("html"); path != "" {
		if err = atomicfile.Write(path, result.WriteHTML); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return writeComparison(c, result)
}

// comparedPolicies are the policies that the options name.
func comparedPolicies(c *cli.Context, backfill sim.Backfill) ([]replay.SitePolicy, error) {
	known := replay.Names(replay.Policies(replay.Site))
	var policies []replay.SitePolicy
	for name := range strings.SplitSeq(c.String("policy"), ",") {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("--policy %q: must be %s", name, console.List(known))
		case slices.ContainsFunc(policies, func(p replay.SitePolicy) bool { return p.Name == name }):
			return nil, fmt.Errorf("--policy %s: is named twice", name)
		}
		policies = append(policies, replay.SitePolicy{Name: name, Backfill: backfill})
	}
	return policies, nil
}

// candidates are the runs that the options ask for.
func candidates(c *cli.Context, site *replay.Study, policies []replay.SitePolicy) ([]*candidate, error) {
	var runs []*candidate
	for _, p := range policies {
		runs = append(runs, &candidate{name: p.Name, study: site, policy: p})
	}
	for _, what := range c.StringSlice("what-if") {
		changed := site
		var heeds []string // nil is all
		for change := range strings.SplitSeq(what, ",") {
			next, heeded, err := changed.Change(strings.TrimSpace(change), os.ReadFile)
			if err != nil {
				return nil, fmt.Errorf("--what-if: %w", err)
			}
			changed, heeds = next, widest(heeds, heeded, changed == site)
		}
		before := len(runs)
		for _, p := range policies {
			if !replay.Heeds(heeds, p.Name) {
				continue
			}
			name := p.Name + ", " + what
			if slices.ContainsFunc(runs, func(r *candidate) bool { return r.name == name }) {
				return nil, fmt.Errorf("--what-if %s: is given twice", what)
			}
			runs = append(runs, &candidate{name: name, study: changed, policy: p})
		}
		if len(runs) == before {
			return nil, fmt.Errorf("--what-if %s: means nothing to --policy %s", what, c.String("policy"))
		}
	}
	return runs, nil
}

// widest are the policies that see any of the changes.
func widest(a, b []string, first bool) []string {
	switch {
	case first:
		return b
	case a == nil || b == nil:
		return nil
	}
	return append(slices.Clone(a), b...)
}

// replayAll makes the runs, several at a time.
func replayAll(c *cli.Context, runs []*candidate) error {
	jobs := make([]int, len(runs))
	for i, r := range runs {
		jobs[i] = len(r.study.Jobs)
	}
	err := replay.Each(c.Context, c.App.ErrWriter, c.Int("workers"), jobs, func(i int, ended func(n int)) {
		r := runs[i]
		r.jobs, r.took, r.err = r.study.Replay(r.policy, ended)
	})
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.err != nil {
			return fmt.Errorf("%s: %w", r.name, r.err)
		}
	}
	return nil
}

// comparisonInput puts the runs beside what happened.
func comparisonInput(c *cli.Context, source *source, site *replay.Study, runs []*candidate) (comparison.Input, error) {
	in := comparison.Input{
		Title: "Comparison of scheduling policies", Source: source.name, From: source.history.From, To: source.history.To,
		Location: source.location, Procs: site.Procs, Notes: site.Notes,
		Floor: ostrich.Duration(c.Duration("floor") / time.Second), Measured: c.String("measure-rule"),
		Seed: c.Uint64("seed"), Resamples: c.Int("resamples"),
		UserName:    func(u ostrich.UserID) string { return site.Users[u-1].Name },
		AccountName: func(u ostrich.UserID) string { return site.Users[u-1].Account },
	}
	if source.recorded {
		in.Runs = append(in.Runs, comparison.Run{Name: "recorded", Recorded: true, Jobs: site.Recorded()})
		in.Baseline = 1
	}
	for _, r := range runs {
		in.Runs = append(in.Runs, comparison.Run{Name: r.name, Jobs: r.jobs, Seconds: r.took.Seconds()})
	}
	in.Share, in.Shares = site.Share(), site.Shares
	in.Controller = source.controller
	shown := in.Runs[in.Baseline].Jobs
	for _, r := range runs {
		if r.name == "ostrich" {
			shown = r.jobs
		}
	}
	var err error
	if in.Window.From, in.Window.To, err = ganttWindow(c, source, in.Runs[in.Baseline].Jobs); err != nil {
		return in, err
	}
	in.Virtual, err = virtualBlocks(site, shown)
	if c.Bool("anonymize") {
		comparison.Anonymize(&in)
	}
	return in, err
}

// virtualBlocks are the stays of the campaigns in the virtual schedule: a
// campaign starts there when it is submitted and the user's last one is
// completed (thesis 5.1).
func virtualBlocks(site *replay.Study, jobs []report.Job) ([]comparison.Block, error) {
	completed, err := site.Virtual(jobs)
	if err != nil {
		return nil, err
	}
	type stay struct {
		user   ostrich.UserID
		submit ostrich.Time
	}
	first := make([]stay, len(completed))
	for i := range jobs {
		j := &jobs[i]
		if s := &first[j.Campaign]; s.user == 0 || j.Submit < s.submit {
			*s = stay{j.User, j.Submit}
		}
	}
	last := make(map[ostrich.UserID]float64)
	var blocks []comparison.Block
	for n, end := range completed {
		s := first[n]
		if s.user == 0 || !(end > 0) {
			continue
		}
		start := max(float64(s.submit), last[s.user])
		if end < start {
			continue // completed with the one before
		}
		last[s.user] = end
		blocks = append(blocks, comparison.Block{User: s.user, Campaign: n, Start: start, End: end})
	}
	return blocks, nil
}

// ganttWindow is the window that the option names, or the day in which most
// processor-seconds were waited for.
func ganttWindow(c *cli.Context, source *source, jobs []report.Job) (from, to ostrich.Time, err error) {
	if text := c.String("window"); text != "" {
		first, last, ok := strings.Cut(text, ",")
		if !ok {
			return 0, 0, fmt.Errorf("--window %s: must be FROM,TO", text)
		}
		if from, err = source.time(first); err == nil {
			to, err = source.time(last)
		}
		if err == nil && to <= from {
			err = errors.New("ends before it begins")
		}
		if err != nil {
			return 0, 0, fmt.Errorf("--window %s: %w", text, err)
		}
		return from, to, nil
	}
	const day = ostrich.Time(24 * 3600)
	begin, end := report.Span(jobs)
	waited := make([]float64, (end-begin)/day+1)
	for i := range jobs {
		j := &jobs[i]
		for d := (j.Submit - begin) / day; d <= (j.Start-begin)/day; d++ {
			until, since := min(j.Start, begin+(d+1)*day), max(j.Submit, begin+d*day)
			waited[d] += float64(until-since) * float64(j.Procs)
		}
	}
	most := ostrich.Time(0)
	for d := range waited {
		if waited[d] > waited[most] {
			most = ostrich.Time(d)
		}
	}
	return begin + most*day, min(begin+(most+1)*day, end), nil
}

// mostRows is how many rows of a table about users are listed without --long.
const mostRows = 10

// writeComparison writes the figures.
func writeComparison(c *cli.Context, result *comparison.Comparison) error {
	if c.Bool("json") {
		return console.JSON(c, result)
	}
	w := c.App.Writer
	long := c.Bool("long") || c.Bool("parsable2")
	words := !c.Bool("noheader") && !c.Bool("parsable2")
	if words {
		if _, err := fmt.Fprintf(w, "%s\n\n", strings.Join(result.Verdict, "\n")); err != nil {
			return err
		}
	}
	tables := result.Tables(long)
	for i := range tables {
		t := &tables[i]
		if t.Users && len(t.Rows) > mostRows && !long {
			t.Title = fmt.Sprintf("%s: %d of %d users, all with --long", t.Title, mostRows, len(t.Rows))
			t.Rows = t.Rows[:mostRows]
		}
		for k, h := range t.Header {
			t.Header[k] = strings.ToUpper(h)
		}
	}
	if err := console.Tables(c, tables...); err != nil {
		return err
	}
	if !words {
		return nil
	}
	return writeSentences(w, result)
}

// writeSentences writes in words what changed.
func writeSentences(w io.Writer, result *comparison.Comparison) error {
	var b strings.Builder
	section := func(title string, sentences []string) {
		if len(sentences) > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
		for _, s := range sentences {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	for _, change := range result.Changes {
		section(change.Run+", compared with "+result.Baseline, change.Sentences)
	}
	if result.Lengths != "" {
		section("Lengths", []string{result.Lengths})
	}
	section("Notes", result.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}
