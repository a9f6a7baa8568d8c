package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/report"
)

// SiteOptions say which jobs of a site are replayed, how its Slurm is
// configured, how the jobs are replayed and how the runs are measured, in the
// words of a command line. With --swf the log is chosen by [simulation.LogOptions], whose Load must be 1.
type SiteOptions struct {
	simulation.Options
	Cluster string
	SWF     string
	Nodes   int
	Place   string // "nodes", the default, or "processors"

	SlurmConfig []string // files

	WhatIf      []string
	MeasureRule string
	Before      string // the moment of BeforeAfter
	Anonymize   bool

	TrialFile string       // where a draw and what was in force is; "" beside the journal
	since     ostrich.Time // where a database is read from if no option says; 0: 30 days ago

	FirstDifference bool
	Questions       int  // of a replay, for Forecasts
	NoPage          bool // nothing is drawn of the result, so what only pages have is left out
}

// SourceFlags returns the options that say which jobs are compared, and how Slurm is
// configured there. They fill o, but for sacct.
func (o *SiteOptions) SourceFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "take the jobs of the log in `FILE`, in the Standard Workload Format; - is standard input", Destination: &o.SWF},
	}, o.ReadFlags(), []cli.Flag{
		&cli.StringFlag{Name: "starttime", Aliases: []string{"S"}, Usage: "jobs that ran or waited at `TIME` or later, in sacct's syntax; of a log, seconds since its start", DefaultText: "30 days ago; of a file, its start", Destination: &o.Start},
		&cli.StringFlag{Name: "endtime", Aliases: []string{"E"}, Usage: "and were submitted before `TIME`", DefaultText: "now; of a file, its end", Destination: &o.End},
		&cli.StringFlag{Name: "timezone", Usage: "`ZONE` of times in dumps and options, as in Europe/Warsaw", DefaultText: "UTC for dumps, else that of this host", Destination: &o.Timezone},
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines of a file that are malformed, and count them", Destination: &o.Lenient},
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what Slurm or the header of the log says", Destination: &o.Procs},
		&cli.IntFlag{Name: "nodes", Usage: "`NODES` of the machine", DefaultText: "what Slurm says", Destination: &o.Nodes},
		&cli.StringFlag{Name: "place", Usage: "where jobs are placed: `WHAT` is nodes, or processors as if all were alike", DefaultText: "nodes where they are known and the machine has their size", Destination: &o.Place},
		&cli.StringSliceFlag{Name: "slurm-config", Usage: "`FILE` with a slurm.conf, or with what one of these wrote, which its text tells: scontrol show config, partition, node or reservation, " + sacct.AssociationsCommand + ", " + sacct.QOSCommand + ", sacctmgr --parsable2 show event, or show reservation; may be given again", DefaultText: "slurmctld and the tables are asked, unless the jobs come from a file"},
	})
}

// candidate is a replay that is compared with others, and its result.
type candidate struct {
	comparison.Run
	study  *Study
	policy *simulation.Variant
}

// Compare replays the jobs of a site under the policies, and compares the runs
// with one another and with what happened.
func (o *SiteOptions) Compare(ctx context.Context, config *configuration.Config, stderr io.Writer) (*comparison.Comparison, error) {
	settings, err := o.Loop()
	if err != nil {
		return nil, err
	}
	policies, err := simulation.ParseVariants(o.Policy, simulation.Site)
	if err != nil {
		return nil, err
	}
	source, err := o.readSource(ctx, config, stderr)
	if err != nil {
		return nil, err
	}
	if o.FirstDifference && !source.recorded {
		return nil, errors.New("compare: --first-difference needs jobs that tell when they started")
	}
	source.setup.Run = settings
	foretold := source.foretell()
	site, err := New(source.history, source.setup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.name, err)
	}
	in := source.known(site, config)
	in.Title, in.Closed, in.Share, in.Lengths = "Comparison of scheduling policies", site.Run.Closed, site.Share(), foretold
	in.Classes = site.Classes.Names
	if source.asked != 0 {
		if in.Controller, err = site.Check(source.history, source.asked, source.shares, source.queue); err != nil {
			return nil, err
		}
	}
	source.history.Jobs = nil // they are many
	runs, err := o.candidates(site, policies)
	if err != nil {
		return nil, err
	}
	if err = o.replayAll(ctx, stderr, runs); err != nil {
		return nil, err
	}
	clear(site.split.of)
	runtime.GC()                    // what the replays held
	in.Runs = source.happened(site) // not before: memory has most to hold while jobs are replayed
	in.Baseline = len(in.Runs)
	if o.FirstDifference {
		if in.Differ, err = runs[0].study.differences(runs[0].policy); err != nil {
			return nil, err
		}
	}
	for _, r := range runs {
		r.study.Jobs, r.study.split = nil, nil // they are many, too
	}
	if err = o.show(&in, site, runs); err != nil {
		return nil, err
	}
	result, err := comparison.Compare(ctx, in)
	if errors.Is(err, context.Canceled) {
		err = console.ErrInterrupted
	}
	return result, err
}

// candidates returns the replays that the options ask for.
func (o *SiteOptions) candidates(site *Study, policies []*simulation.Variant) ([]*candidate, error) {
	var runs []*candidate
	for _, p := range policies {
		runs = append(runs, &candidate{comparison.Run{Name: p.Label}, site, p})
	}
	for _, what := range o.WhatIf {
		changed := site
		heeds := []string{} // nil is all
		for change := range strings.SplitSeq(what, ",") {
			next, heeded, err := changed.Change(strings.TrimSpace(change))
			if err != nil {
				return nil, fmt.Errorf("--what-if %w", err)
			}
			if changed = next; heeds == nil || heeded == nil {
				heeds = nil
			} else {
				heeds = append(heeds, heeded...)
			}
		}
		before := len(runs)
		for _, p := range policies {
			if heeds != nil && !slices.Contains(heeds, p.Name) {
				continue
			}
			name := p.Label + ", " + what
			if slices.ContainsFunc(runs, func(r *candidate) bool { return r.Name == name }) {
				return nil, fmt.Errorf("--what-if %s: is given twice", what)
			}
			runs = append(runs, &candidate{comparison.Run{Name: name, Procs: changed.Priority.Procs}, changed, p})
		}
		if len(runs) == before {
			return nil, fmt.Errorf("--what-if %s: means nothing to --policy %s", what, o.Policy)
		}
	}
	return runs, nil
}

// replayAll makes the replays, several at a time.
func (o *SiteOptions) replayAll(ctx context.Context, stderr io.Writer, list []*candidate) error {
	jobs := make([]int, len(list))
	for i, r := range list {
		jobs[i] = len(r.study.Jobs)
	}
	return runs.Replays(ctx, stderr, "simulating", 0, jobs, func(i int, ended func(n int)) error {
		r := list[i]
		ran, took, err := r.study.Replay(r.policy, ended)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		r.Jobs, r.Seconds = ran, took.Seconds()
		return nil
	})
}

// show puts the runs beside what happened, with what is drawn of them.
func (o *SiteOptions) show(in *comparison.Input, site *Study, runs []*candidate) error {
	for _, r := range runs {
		in.Runs = append(in.Runs, r.Run)
		if note := made(r.Name, r.Jobs); note != "" {
			in.Notes = append(in.Notes, note)
		}
	}
	base := in.Runs[in.Baseline].Jobs
	shown, drawn := base, site
	var err error
	if i := slices.IndexFunc(runs, func(r *candidate) bool { return r.policy.Name == "ostrich" }); i >= 0 {
		shown = runs[i].Jobs
		if drawn, _, err = runs[i].study.under(runs[i].policy); err != nil {
			return err
		}
	}
	if !o.NoPage {
		in.Window.From, in.Window.To = comparison.BusiestDay(base)
		in.Virtual, err = drawn.Virtual(shown)
	}
	if o.Anonymize {
		comparison.Anonymize(in)
	}
	return err
}

// notBefore are the options that mean nothing to a comparison of recorded times.
var notBefore = []string{
	"first-difference", "place", "policy", "backfill", "replay", "what-if", "long",
}

// BeforeAfter compares what happened at a site before --before with what happened
// after it. Nothing is simulated.
func (o *SiteOptions) BeforeAfter(ctx context.Context, config *configuration.Config, stderr io.Writer) (*comparison.Periods, error) {
	if o.Before == "" {
		return nil, errors.New("--before \"\": no date is named")
	}
	for _, option := range notBefore {
		if o.WasGiven(option) {
			return nil, fmt.Errorf("compare: --%s means nothing to --before, which simulates nothing", option)
		}
	}
	source, err := o.readSource(ctx, config, stderr)
	if err != nil {
		return nil, err
	}
	if !source.recorded {
		return nil, fmt.Errorf("%s: the log names no waits, so nothing tells when its jobs ran", source.name)
	}
	source.setup.Controller, source.setup.Happened = nil, true
	site, err := New(source.history, source.setup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.name, err)
	}
	in := comparison.PeriodsInput{Input: source.compared(site, config), Date: source.date, Ran: site.ran(source.history), Open: site.open}
	if o.Anonymize {
		comparison.Anonymize(&in.Input)
	}
	result, err := comparison.ComparePeriods(ctx, in)
	switch {
	case errors.Is(err, context.Canceled):
		err = console.ErrInterrupted
	case err != nil:
		err = fmt.Errorf("--before %s: %w", o.Before, err)
	}
	return result, err
}

// ran returns all jobs that started. Those that had not ended end with the data, or at
// their time limits.
func (s *Study) ran(h *accounting.History) []report.Job {
	var jobs []report.Job
	users := make(map[string]ostrich.UserID)
	for i := range h.Jobs {
		j := &h.Jobs[i]
		pool := s.poolOf(h.Partitions[j.Partition])
		if j.Start == 0 || j.Start >= h.To || j.Procs < 1 || pool < 0 {
			continue
		}
		name := h.Associations[j.Association].User
		if users[name] == 0 {
			users[name] = ostrich.UserID(len(users) + 1)
		}
		one := report.Job{ID: j.ID, User: users[name], Submit: j.Came(), Start: j.Start, End: j.End, Procs: min(int(j.Procs), s.Pools[pool].Procs)}
		if one.End == 0 {
			one.End = lastSeen(h, j, cmp.Or(j.Limit, s.Priority.Partitions[j.Partition].MaxTime))
		}
		one.Suspended = max(0, min(j.Suspended, ostrich.Duration(one.End-one.Start)))
		jobs = append(jobs, one)
	}
	return jobs
}

// sinceComplete returns the moment since which a dump has all jobs: sacct lists
// those that ended in its window or later, also if they were submitted long before.
func sinceComplete(h *accounting.History) ostrich.Time {
	first := h.To
	for i := range h.Jobs {
		if end := h.Jobs[i].End; end > 0 {
			first = min(first, end)
		}
	}
	return max(first, h.From)
}
