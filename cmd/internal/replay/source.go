package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/backtest"
	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// source is where the jobs of a comparison come from, and what is known of the
// site.
type source struct {
	o        *SiteOptions
	name     string
	history  *accounting.History
	setup    Setup
	location *time.Location // nil for a log, whose times count from its start
	zero     ostrich.Time   // of a log, the moment of its start
	now      time.Time
	date     ostrich.Time // of --before; 0 if it was not given
	recorded bool         // starts of jobs are known
	limits   bool         // time limits are known
	lengths  backtest.Options
	tools    tools.Table // by which kinds are found
	notes    []string

	// What the controller says of priorities, and when; 0 if nobody asked.
	asked  ostrich.Time
	shares []slurm.Share
	queue  []priority.Queued
}

// time parses a moment as the options write it.
func (s *source) time(text string) (ostrich.Time, error) {
	if s.location != nil {
		return sacct.ParseTime(strings.TrimSpace(text), s.now, s.location)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: seconds since the start of the log", text)
	}
	return s.zero + ostrich.Time(seconds), nil
}

// readDate reads --before, if it was given.
func (s *source) readDate() (err error) {
	if !s.o.WasGiven("before") {
		return nil
	}
	if s.date, err = s.time(s.o.Before); err == nil && s.location != nil && s.date >= ostrich.Time(s.now.Unix()) {
		err = errors.New("is not over yet")
	}
	if err != nil {
		return fmt.Errorf("--before %s: %w", s.o.Before, err)
	}
	return nil
}

// checkSource refuses options that do not go together.
func (o *SiteOptions) checkSource() error {
	if err := o.CheckDumps(o.WasGiven); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	switch {
	case o.files() && o.WasGiven("clusters"):
		return errors.New("compare: --clusters names one of the database, and the jobs come from a file")
	case !o.files() && o.WasGiven("lenient"):
		return errors.New("compare: --lenient goes with --swf and --sacct")
	case o.WasGiven("swf") && o.WasGiven("timezone"):
		return errors.New("compare: --timezone means nothing to --swf: times of a log count from its start")
	case o.WasGiven("swf") && o.WasGiven("nodes"):
		return errors.New("compare: --nodes means nothing to --swf: jobs of a log have processors, not nodes")
	case o.WasGiven("procs") && o.Procs < 1 || o.WasGiven("nodes") && o.Nodes < 1:
		return errors.New("compare: --procs and --nodes: at least 1")
	}
	return nil
}

// identical reports whether the processors are to be taken as identical, whatever is known of
// the nodes: on demand, or because the machine is to have another size.
func (o *SiteOptions) identical() (bool, error) {
	switch o.Place {
	case "", "nodes":
	case "processors":
		return true, nil
	default:
		return false, fmt.Errorf("--place %q: must be nodes or processors", o.Place)
	}
	return o.WasGiven("procs") || slices.ContainsFunc(o.WhatIf, func(change string) bool {
		return strings.Contains(change, "procs:") || strings.Contains(change, "nodes:")
	}), nil
}

// files reports whether the jobs come from files.
func (o *SiteOptions) files() bool { return o.WasGiven("swf") || o.WasGiven("sacct") }

func (o *SiteOptions) readSource(ctx context.Context, config *configuration.Config, stderr io.Writer) (*source, error) {
	if err := o.checkSource(); err != nil {
		return nil, err
	}
	s := &source{o: o, now: time.Now(), location: time.Local, recorded: true, limits: true}
	if o.Timezone != "" || o.WasGiven("sacct") {
		zone, err := o.Zone()
		if err != nil {
			return nil, err
		}
		s.location = zone
	}
	options, err := config.ScheduleOptions()
	if err != nil {
		return nil, err
	}
	s.setup = Setup{Procs: o.Procs, Nodes: o.Nodes, Options: options, Tree: config.Schedule.Shares == ledger.Tree, Location: s.location, Cut: !o.files() || o.Start != ""}
	if s.setup.Identical, err = o.identical(); err != nil {
		return nil, err
	}
	if s.setup.Identical && !o.WasGiven("swf") && !o.WasGiven("procs") && o.Place != "processors" {
		s.notes = append(s.notes, "As --what-if changes the machine, no run places jobs on nodes; every pool of partitions changes in proportion.")
	}
	s.setup.Divided = len(config.Pools) > 0
	s.setup.Weight, s.setup.ClassBy = config.Priority.Mode == priority.Weight, config.Priority.Classes
	s.lengths = backtest.Options{
		Predictor: config.Schedule.Predictor.String(), Class: config.Schedule.Class.String(), Tree: s.setup.Tree,
		DefaultLimit: slurmdb.DefaultLimit,
	}
	if s.tools, err = config.KnownTools(); err != nil {
		return nil, err
	}
	s.lengths.Tools = s.tools
	if err = s.readFiles(); err != nil {
		return nil, err
	}
	switch {
	case o.WasGiven("swf"):
		err = s.readSWF(ctx)
	case o.WasGiven("sacct"):
		if err = s.count(config); err == nil {
			err = s.readDumps(ctx)
		}
	default:
		err = s.readTables(ctx, config, stderr)
	}
	if err != nil {
		return nil, err
	}
	if !o.WasGiven("swf") {
		most, at := peak(s.history)
		if err = o.checkProcs(most, most, "at "+s.moment(at)); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if s.setup.Site != nil {
		s.history.Assign(s.setup.Site)
	}
	s.classes()
	if s.setup.Measure, err = configuration.ParseRule(o.MeasureRule); err != nil {
		return nil, fmt.Errorf("--measure-rule: %w", err)
	}
	return s, nil
}

// floor is how long a campaign counts as, at least, in the stretch.
const floor = 10

// compared returns what is known of a comparison of the site's jobs before any is
// replayed: what happened, if that is recorded.
func (s *source) compared(site *Study, config *configuration.Config) comparison.Input {
	in := s.known(site, config)
	in.Runs = s.happened(site)
	return in
}

// known is compared without what happened.
func (s *source) known(site *Study, config *configuration.Config) comparison.Input {
	o := s.o
	in := comparison.Input{
		Source: s.name, From: s.history.From, To: s.history.To, Location: s.location, Procs: site.Procs, Shares: site.Shares,
		Floor: floor, Measured: o.MeasureRule, Accept: config.Satisfaction, Seed: 1, Resamples: 1000,
		UserName:    func(u ostrich.UserID) string { return site.Users[u-1].Name },
		AccountName: func(u ostrich.UserID) string { return site.Users[u-1].Account },
		Notes:       append(s.notes, site.Notes...), LeftOut: site.left.rows(), Assumed: site.placement.rows(), Placed: site.placement != nil, Groupings: site.groupings(s.history),
	}
	return in
}

// happened returns what happened as a run, none if that is not recorded.
func (s *source) happened(site *Study) []comparison.Run {
	if !s.recorded {
		return nil
	}
	return []comparison.Run{{Name: "recorded", Recorded: true, Jobs: site.Recorded()}}
}

// classes drops the classes of jobs from a file that the settings do not want. It
// notes those that the settings want and the file does not have.
func (s *source) classes() {
	if !s.o.files() {
		return
	}
	jobs := s.history.Jobs
	named := func(j accounting.Job) bool { return j.NameClass != 0 }
	switch s.lengths.Class {
	case ledger.NoClass.String():
		for i := range jobs {
			jobs[i].Class = 0
		}
		return
	case ledger.ByKind.String():
		for i := range jobs {
			jobs[i].Class = jobs[i].KindClass
		}
	}
	if s.date == 0 && !s.o.WasGiven("trial") && !s.o.WasGiven("trial-plan") && s.o.WasGiven("sacct") && s.lengths.Class != ledger.ByScript.String() && !slices.ContainsFunc(jobs, named) {
		s.notes = append(s.notes, "The dump has no names of jobs (sacct's column jobname): where ostrichd, with schedule.class: "+s.lengths.Class+", predicts lengths by "+
			"name, this comparison cannot, and it does not tell how good that would be.")
	}
}

// foretell tests the predictors on the jobs. It returns the zero value if time
// limits are not known, as these bound all predictions.
func (s *source) foretell() backtest.Result {
	if !s.limits {
		return backtest.Result{}
	}
	s.lengths.MaxTime = priority.MaxTimes(s.setup.Partitions)
	return backtest.Test(s.history, s.lengths)
}

// readSWF reads a workload log.
func (s *source) readSWF(ctx context.Context) error {
	o, path := s.o, s.o.SWF
	s.name, s.location, s.zero = simulation.LogName(path), nil, 1
	log, err := o.Read(ctx, path)
	if err != nil {
		return err
	}
	if note := simulation.Skipped(log); note != "" {
		s.notes = append(s.notes, note+".")
	}
	for _, note := range simulation.LogDoubts(log) {
		s.notes = append(s.notes, note+".")
	}
	if s.o.WasGiven("before") {
		seconds, bad := o.Moment("before", o.Before, log)
		if bad != nil {
			return bad
		}
		s.date = s.zero + ostrich.Time(seconds)
	}
	if log, err = o.Choose(path, log); err != nil {
		return err
	}
	m, err := o.Processors(log)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	header, ran := int(log.Processors()), simulation.LogRan(log)
	most, at := simulation.LogPeak(log, ran)
	enough := most
	if header > 0 { // jobs of a log overlap where its times are rounded
		enough = min(most, header)
	}
	if header > 0 && most > header && !o.WasGiven("procs") {
		if above := report.Above(ran, header); above >= overfull {
			s.notes = append(s.notes, plural.Sprintf("The header of the log says %d processor{|s}, and the jobs used more for %.0f %% of the time, up to %d: they shared them, or it counts nodes: then give --procs.",
				header, 100*above, most))
		}
	}
	if err = o.checkProcs(most, enough, fmt.Sprintf("%d s after the start of the log", at)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.recorded = slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Wait >= 0 })
	s.limits = slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Limit > 0 })
	nodes := log.Number("MaxNodes")
	if s.history, err = FromLog(log, m); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if nodes > 0 {
		s.history.Nodes = int(nodes)
	}
	return nil
}

func (s *source) readDumps(ctx context.Context) error {
	s.name = s.o.DumpNames()
	var err error
	if s.history, err = s.o.ReadHistory(ctx, sacct.Options{Unit: s.setup.Counted.Unit, Tools: s.tools, Location: s.location, Lenient: s.o.Lenient, Cluster: s.o.Cluster}); err != nil {
		return err
	}
	if s.history.Unstarted {
		s.recorded = false
		s.limits = slices.ContainsFunc(s.history.Jobs, func(j accounting.Job) bool { return j.Limit > 0 })
		s.notes = append(s.notes, "The trace tells of no starts: nothing is known of what happened, and its times count from 1970 on.")
	}
	if err = s.readDate(); err != nil {
		return err
	}
	from, to, err := s.span(sinceComplete(s.history), s.history.To+1)
	if err != nil {
		return err
	}
	s.history.From, s.history.To = from, to
	s.history.Jobs = slices.DeleteFunc(s.history.Jobs, func(j accounting.Job) bool { return j.Submit >= to })
	return nil
}

// span returns the window that the options name, or the given one. With --before it
// ends with the data, as nothing is known of what comes after them.
func (s *source) span(from, to ostrich.Time) (ostrich.Time, ostrich.Time, error) {
	end, quiet := to, ostrich.Time(0)
	if s.o.files() {
		quiet = 86400 // a dump ends with its last submission, which may be some hours before the end of its window
	}
	for _, x := range []struct {
		option, text string
		at           *ostrich.Time
	}{{"starttime", s.o.Start, &from}, {"endtime", s.o.End, &to}} {
		if x.text != "" {
			t, err := s.time(x.text)
			if err != nil {
				return 0, 0, fmt.Errorf("--%s %s: %w", x.option, x.text, err)
			}
			*x.at = t
		}
	}
	if s.date > 0 && to > end+quiet {
		s.notes = append(s.notes, fmt.Sprintf("--endtime %s is later than the end of the data, which is taken: %s.", s.o.End, s.moment(end)))
		to = end
	}
	switch {
	case from < to:
		return from, to, nil
	case s.o.End == "":
		return 0, 0, fmt.Errorf("--starttime %s is not before the end of the data, %s", s.moment(from), s.moment(to))
	case s.o.Start == "":
		return 0, 0, fmt.Errorf("--endtime %s is not after the beginning of the data, %s", s.moment(to), s.moment(from))
	}
	return 0, 0, fmt.Errorf("--starttime %s is not before --endtime %s", s.moment(from), s.moment(to))
}

func (s *source) moment(t ostrich.Time) string {
	return time.Unix(int64(t), 0).In(s.location).Format(time.RFC3339)
}

// FromLog converts a workload log to accounting on a machine of m processors. Its
// users and groups are numbers, and become user5 in group2. Times are those of the
// log, from 1 on; the window is that of the submissions. Without a job it returns
// swf.ErrNoJobs.
func FromLog(log *trace.Log, m int) (*accounting.History, error) {
	jobs, in, err := swf.Jobs(log, m, swf.Asked)
	if err != nil {
		return nil, err
	}
	h := &accounting.History{Procs: m, Partitions: []string{""}, QOS: []string{""}, From: jobs[0].Submit + 1}
	for _, note := range in.Notes() {
		h.Notes = append(h.Notes, note+".")
	}
	groups := make(map[int64]int64)
	for i := range log.Records {
		groups[log.Records[i].User] = log.Records[i].Group
	}
	places := make(map[ostrich.UserID]int32) // of the users' associations
	h.Jobs = make([]accounting.Job, 0, len(jobs))
	for i := range jobs {
		l := &jobs[i]
		place, known := places[l.User]
		if !known {
			a := accounting.Association{User: "nobody"}
			if l.User != sim.Nobody {
				a.User = fmt.Sprintf("user%d", l.User)
				if group := groups[int64(l.User)]; group >= 0 {
					a.Account = fmt.Sprintf("group%d", group)
				}
			}
			place = int32(len(h.Associations))
			places[l.User] = place
			h.Associations = append(h.Associations, a)
		}
		j := accounting.Job{
			ID: l.ID, Association: place, State: accounting.Completed, Procs: int32(l.Procs), Asked: int32(l.Procs),
			Submit: l.Submit + 1, Start: l.Start + 1, End: l.Start + 1 + ostrich.Time(l.Run), Limit: l.Estimate,
			Class: l.Class, NameClass: l.Class, KindClass: l.Class, // field 14, the program
		}
		if l.Outcome != lengths.Done {
			j.State = accounting.Failed // field 11 does not say who ended a job that was cancelled
		}
		h.Jobs = append(h.Jobs, j)
		h.To = max(h.To, j.Submit+1)
	}
	return h, nil
}
