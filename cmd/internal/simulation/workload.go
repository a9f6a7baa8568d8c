package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// Workload is what a command uses of a log.
type Workload struct {
	Name  string // of the file, without folder and extensions
	Procs int
	Jobs  []sim.Job
	Rule  Rule
	Timed bool // the end of some job is known
	Notes []string
	Key   *trace.Key // nil for a log that was read

	requests []nodes.Request // of jobs that are placed on nodes

	homes map[ostrich.UserID]int64 // clusters of users by field 16, from 1, if somebody asks for it
}

// Workload reads a log by the options. names are the rules that it may use.
func (o *LogOptions) Workload(ctx context.Context, path string, names []string, estimates swf.Estimates) (*Workload, error) {
	log, err := o.Read(ctx, path)
	if err != nil {
		if note := Skipped(log); note != "" {
			err = fmt.Errorf("%w: %s", err, note)
		}
		return nil, err
	}
	return o.Take(path, log, names, estimates)
}

// Skipped returns a note on the malformed lines of a log, "" if there are none.
func Skipped(log *trace.Log) string {
	if log == nil || log.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("%s skipped, the first: %v", format.Plural(log.Skipped, "malformed line"), log.Faults[0])
}

// NotesOf returns notes on what was lost when a log was read or made, and on its header.
func NotesOf(log *trace.Log) (notes []string) {
	if note := Skipped(log); note != "" {
		notes = append(notes, note)
	}
	notes = append(notes, LogDoubts(log)...)
	if log.Key != nil {
		notes = append(notes, log.Key.Notes...)
	}
	return notes
}

// Take returns what the options choose of a log that was read from path. It does
// not change the log.
func (o *LogOptions) Take(path string, log *trace.Log, names []string, estimates swf.Estimates) (*Workload, error) {
	w := &Workload{Name: o.LogName(path), Key: log.Key, Notes: NotesOf(log)}
	log, err := o.Choose(path, log)
	if err != nil {
		return nil, err
	}
	if w.Procs, err = o.Processors(log); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if header := log.Processors(); header > 0 && header != int64(w.Procs) && o.platform == nil && o.floor == nil {
		w.Notes = append(w.Notes, fmt.Sprintf("--procs %d, and the header says %d", w.Procs, header))
	}
	if w.Rule, err = o.rule(names, log); err != nil {
		return nil, err
	}
	var in swf.Import
	if o.floor == nil {
		w.Jobs, in, err = swf.Jobs(log, w.Procs, estimates)
	} else {
		w.Jobs, w.requests, in, err = swf.Placed(log, w.Procs, estimates, func(r *nodes.Request) bool {
			_, impossible := o.floor.Want(r, -1)
			return impossible == nil
		})
	}
	if o.platform != nil && homesNames[o.platform.homes] == byField {
		w.homes = fieldHomes(log)
	}
	w.Timed = in.NoWait < in.Jobs
	if w.Rule.Fields {
		w.Rule.links = swf.Links(log)
		in.NoWait = 0 // and no wait counts
	}
	w.Notes = append(w.Notes, in.Notes()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", path, err, strings.Join(w.Notes, "; "))
	}
	return w, nil
}

// Read reads a log from a file, or from standard input for "-"; or the dumps of the options, whatever the path.
func (o *LogOptions) Read(ctx context.Context, path string) (*trace.Log, error) {
	if len(o.Sacct) > 0 {
		return o.readDumps(ctx)
	}
	if path == "" {
		return nil, errors.New("--swf \"\": no log is named")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	var log *trace.Log
	err := console.Await(ctx, func() error { // nobody waits for a pipe that has gone quiet
		return readFile("swf", path, o.Lenient, func(in io.Reader, name string) (err error) {
			log, err = trace.Read(in, name, trace.Options{Lenient: o.Lenient})
			return err
		})
	})
	if errors.Is(err, console.ErrInterrupted) {
		return nil, err // log may be written to still
	}
	return log, err
}

// LogName names what is read after its file, or the first of several.
func (o *LogOptions) LogName(path string) string {
	if len(o.Sacct) > 1 {
		return fmt.Sprintf("%s and %d more", LogName(o.Sacct[0]), len(o.Sacct)-1)
	}
	return LogName(path)
}

// LogName names a log after its file.
func LogName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".swf")
}

// Choose applies the options that choose jobs of the log in a file.
func (o *LogOptions) Choose(path string, log *trace.Log) (*trace.Log, error) {
	var f trace.Filter
	var err error
	if f.From, err = o.Moment("starttime", o.Start, log); err != nil {
		return nil, err
	}
	if f.Before, err = o.Moment("endtime", o.End, log); err != nil {
		return nil, err
	}
	if o.WasGiven("endtime") && f.Before <= f.From {
		return nil, fmt.Errorf("--endtime %s: not after the start", o.End)
	}
	if f.Users, err = o.users(log.Key); err != nil {
		return nil, err
	}
	if f.Load, err = o.factor(); err != nil {
		return nil, err
	}
	part, err := f.Apply(log)
	if errors.Is(err, trace.ErrEmpty) {
		var chosen []string
		for _, x := range []struct{ option, value string }{{"starttime", o.Start}, {"endtime", o.End}, {"user", o.User}} {
			if o.WasGiven(x.option) {
				chosen = append(chosen, fmt.Sprintf("--%s %s", x.option, x.value))
			}
		}
		return nil, fmt.Errorf("%s: %s: %w is left of %d", path, strings.Join(chosen, " "), trace.ErrEmpty, len(log.Records))
	}
	return part, err
}

// users returns the users that the option names: by numbers, or by the names that a key has.
func (o *LogOptions) users(key *trace.Key) ([]int64, error) {
	text := o.User
	if text == "" {
		return nil, nil
	}
	var all []int64
	for name := range strings.SplitSeq(text, ",") {
		if key != nil {
			at := slices.Index(key.Users, strings.TrimSpace(name))
			if at < 0 {
				return nil, fmt.Errorf("--user %q: no job is of a user of that name", name)
			}
			all = append(all, int64(at)+1)
			continue
		}
		id, err := strconv.ParseInt(strings.TrimSpace(name), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--user %q: users of a log are numbers", name)
		}
		all = append(all, id)
	}
	return all, nil
}

func (o *LogOptions) factor() (float64, error) {
	f := o.Load
	if !(f > 0) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("--load %v: must be above 0 and finite", f)
	}
	return f, nil
}

// Moment returns an option that names a moment of the log, in seconds since its
// start.
func (o *LogOptions) Moment(option, text string, log *trace.Log) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds < 0 {
			return 0, fmt.Errorf("--%s %s: before the start of the log", option, text)
		}
		return seconds, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		start := log.Number("UnixStartTime")
		if start <= 0 {
			return 0, fmt.Errorf("--%s %s: the header of the log has no UnixStartTime, so name seconds since its start", option, text)
		}
		if t.Unix() < start {
			return 0, fmt.Errorf("--%s %s: the log starts at %s UTC", option, text, time.Unix(start, 0).UTC().Format("2006-01-02T15:04:05"))
		}
		return t.Unix() - start, nil
	}
	return 0, fmt.Errorf("--%s %q: neither seconds nor YYYY-MM-DD[THH:MM:SS]", option, text)
}

// Processors returns the size of the machine.
func (o *LogOptions) Processors(log *trace.Log) (int, error) {
	m, source := log.Processors(), "the header of the log says %d processors"
	if o.platform != nil {
		return o.platform.Platform.Procs(), nil
	}
	if o.floor != nil {
		return o.floor.CPUs(), nil
	}
	if o.WasGiven("procs") {
		m, source = int64(o.Procs), "--procs %d"
	} else if m == 0 {
		text := "the header of the log tells neither MaxProcs nor MaxNodes: give --procs"
		if log.Key != nil {
			text = "nothing tells how many processors the machine has: give --procs"
		}
		ran := LogRan(log)
		switch most, _ := LogPeak(log, ran); {
		case most > 0 && len(ran) > 0:
			text += fmt.Sprintf("; --procs %d, the most that were in use at once, would do, or fewer if the log's times are rounded", most)
		case most > 0:
			text += fmt.Sprintf("; at least --procs %d, for the widest job", most)
		}
		return 0, errors.New(text)
	}
	if m < 1 || m >= math.MaxInt32 {
		return 0, fmt.Errorf(source+": must be from 1 to %d", m, math.MaxInt32-1)
	}
	return int(m), nil
}

// RuleNames are the rules of campaigns in a log.
var RuleNames = append(slices.Clone(campaign.ByNames), "fields")

// rule returns the rule that splits a log into campaigns. Without the option it is
// MAX, unless the log names preceding jobs and knows of no start.
func (o *LogOptions) rule(names []string, log *trace.Log) (Rule, error) {
	name := o.Rule
	if name == "" {
		if o.WasGiven("threshold") {
			return Rule{}, errors.New("--threshold goes with --rule arrival or window")
		}
		started := slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Wait >= 0 })
		linked := !started && slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Preceding > 0 })
		return Rule{Fields: linked}, nil
	}
	by, err := console.Named[campaign.By](names, name)
	if err != nil {
		return Rule{}, fmt.Errorf("--rule %w", err)
	}
	if int(by) == len(campaign.ByNames) {
		return Rule{Fields: true}, nil
	}
	r := Rule{Rule: campaign.Rule{By: by}}
	switch {
	case by == campaign.Arrival || by == campaign.Window:
		r.Threshold = ostrich.Duration(o.Threshold / time.Second)
	case o.WasGiven("threshold"):
		return Rule{}, fmt.Errorf("--threshold goes with --rule arrival or window, not %s", name)
	}
	return r, r.Validate()
}

// Tell writes the notes on standard error.
func (w *Workload) Tell(to io.Writer) {
	for _, note := range w.Notes {
		console.Say(to, "%s: %s", w.Name, note)
	}
}

// Campaigns holds the campaigns of a log as it ran.
type Campaigns struct {
	Log       string     `json:"log"`
	Procs     int        `json:"procs"`
	Campaigns []Campaign `json:"campaigns"`

	Summary report.Summary `json:"-"`
}

// Campaign is a campaign of a log.
type Campaign struct {
	Campaign  int              `json:"campaign"`
	User      ostrich.UserID   `json:"user"`
	Name      string           `json:"name,omitempty"` // of the user, of a dump
	Jobs      int              `json:"jobs"`
	Submitted ostrich.Time     `json:"submitted"` // seconds since the start of the log, as the next one
	Ended     ostrich.Time     `json:"ended"`
	Work      float64          `json:"work_core_hours"`
	Longest   ostrich.Duration `json:"longest"` // seconds
	Stretch   float64          `json:"stretch"`
}

// Campaigns returns the campaigns by the logged times.
func (w *Workload) Campaigns() (*Campaigns, error) {
	if !w.Timed {
		return nil, errors.New("campaigns: the log tells no waits, and so not when its jobs ended; \"ostrich simulate\" can replay it")
	}
	numbers, err := sim.Numbers(w.Jobs, w.Rule.Rule)
	if err != nil {
		return nil, err
	}
	jobs := make([]report.Job, len(w.Jobs))
	for i := range w.Jobs {
		jobs[i] = w.Jobs[i].Recorded(numbers[i])
	}
	campaigns := report.Campaigns(jobs)
	if len(campaigns) == 0 {
		return nil, errors.New("campaigns: no job of the log tells its user, and so there is no campaign")
	}
	all := &Campaigns{Log: w.Name, Procs: w.Procs, Summary: report.Summarise(jobs, campaigns, w.Procs)}
	for i := range campaigns {
		k := &campaigns[i]
		name := ""
		if w.Key != nil {
			name = w.Key.User(int64(k.User))
		}
		all.Campaigns = append(all.Campaigns, Campaign{
			Campaign: i, User: k.User, Name: name, Jobs: k.Jobs, Submitted: k.Submit, Ended: k.End, Work: format.CoreHours(k.Work),
			Longest: k.Longest, Stretch: k.Stretch(w.Procs),
		})
	}
	return all, nil
}

// Table returns a row for each campaign.
func (c *Campaigns) Table() format.Table {
	t := format.Table{Header: []string{"CAMPAIGN", "USER", "JOBS", "SUBMITTED", "ENDED", "WORK", "LONGEST", "STRETCH"}}
	for _, k := range c.Campaigns {
		user := cmp.Or(k.Name, strconv.FormatUint(uint64(k.User), 10))
		t.Add(k.Campaign, user, k.Jobs, k.Submitted, k.Ended, fmt.Sprintf("%.2f", k.Work), k.Longest, fmt.Sprintf("%.2f", k.Stretch))
	}
	return t
}

// SummaryTable returns the distribution of the stretch.
func (c *Campaigns) SummaryTable() format.Table {
	t := format.Table{Header: SummaryHeader}
	t.Add(SummaryCells(&c.Summary)...)
	return t
}
