package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

// logFlags are the options that choose a workload log and what of it is taken.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what the header of the log says"},
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines that are malformed, and count them"},
		&cli.StringFlag{Name: "starttime", Usage: "leave out what was submitted before `TIME`: seconds since the start of the log, or YYYY-MM-DD[THH:MM:SS] in UTC", DefaultText: "the start"},
		&cli.StringFlag{Name: "endtime", Usage: "leave out what was submitted at `TIME` or later", DefaultText: "the end"},
		&cli.Float64Flag{Name: "load", Usage: "divide the times between submissions by `FACTOR`", Value: 1},
	}
}

// ruleFlags are the options that say what a campaign is, with a usage of the rule.
func ruleFlags(names []string, usage, text string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rule", Usage: usage + ": `RULE` is " + console.List(names), DefaultText: text},
		&cli.DurationFlag{Name: "threshold", Usage: "`TIME` of the rules arrival and window", Value: 30 * time.Minute},
	}
}

// workload is a log as a command takes it.
type workload struct {
	name  string // of the file, without folder and extensions
	procs int
	jobs  []sim.Logged
	rule  rule
	timed bool // it tells of some job when it ended
	notes []string
}

// readWorkload reads a log by the options of the command. Its rules are those
// of these names.
func readWorkload(c *cli.Context, path string, names []string, estimates sim.Estimates) (*workload, error) {
	log, err := readLog(c, path, trace.Options{Lenient: c.Bool("lenient")})
	if err != nil {
		if note := skipped(log); note != "" {
			err = fmt.Errorf("%w: %s", err, note)
		}
		return nil, err
	}
	return newWorkload(c, path, log, names, estimates)
}

// skipped tells of the malformed lines of a log, if there were any.
func skipped(log *trace.Log) string {
	if log == nil || log.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("%s skipped, the first: %v", format.Plural(log.Skipped, "malformed line"), log.Faults[0])
}

// newWorkload takes what the options of the command choose of a log that was
// read from path, which it leaves as it is.
func newWorkload(c *cli.Context, path string, log *trace.Log, names []string, estimates sim.Estimates) (*workload, error) {
	w := &workload{name: logName(path)}
	if note := skipped(log); note != "" {
		w.notes = append(w.notes, note)
	}
	log, err := chooseJobs(c, path, log)
	if err != nil {
		return nil, err
	}
	if w.procs, err = processors(c, log); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if told := log.Processors(); told > 0 && told != int64(w.procs) {
		w.notes = append(w.notes, fmt.Sprintf("--procs %d, and the header says %d", w.procs, told))
	}
	if w.rule, err = campaignRule(c, names, log); err != nil {
		return nil, err
	}
	var in sim.Import
	w.jobs, in, err = sim.FromLog(log, w.procs, estimates)
	w.timed = in.NoWait < in.Jobs
	if w.rule.fields {
		in.NoWait = 0 // and no wait counts
	}
	w.notes = append(w.notes, in.Notes()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", path, err, strings.Join(w.notes, "; "))
	}
	return w, nil
}

// readLog reads a log from a file, or from standard input for "-".
func readLog(c *cli.Context, path string, o trace.Options) (*trace.Log, error) {
	if path == "" {
		return nil, errors.New("--swf \"\": no log is named")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	var log *trace.Log
	err := console.Await(c.Context, func() (err error) { // nobody waits for a pipe that has gone quiet
		if path == "-" {
			log, err = trace.Read(os.Stdin, "standard input", o)
		} else {
			log, err = trace.Open(path, o)
		}
		return err
	})
	if errors.Is(err, console.Interrupted) {
		return nil, err // log may be written to still
	}
	return log, err
}

// logName names a log after its file.
func logName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".swf")
}

// chooseJobs applies the options that choose jobs of the log in a file.
func chooseJobs(c *cli.Context, path string, log *trace.Log) (*trace.Log, error) {
	var f trace.Filter
	var err error
	if f.From, err = logTime(c, "starttime", log); err != nil {
		return nil, err
	}
	if f.Before, err = logTime(c, "endtime", log); err != nil {
		return nil, err
	}
	if c.IsSet("endtime") && f.Before <= f.From {
		return nil, fmt.Errorf("--endtime %s: not after the start", c.String("endtime"))
	}
	if f.Users, err = logUsers(c); err != nil {
		return nil, err
	}
	if f.Load, err = loadFactor(c); err != nil {
		return nil, err
	}
	part, err := f.Apply(log)
	if errors.Is(err, trace.ErrEmpty) {
		var chosen []string
		for _, option := range []string{"starttime", "endtime", "user"} {
			if c.IsSet(option) {
				chosen = append(chosen, fmt.Sprintf("--%s %s", option, c.String(option)))
			}
		}
		return nil, fmt.Errorf("%s: %s: %w is left of %d", path, strings.Join(chosen, " "), trace.ErrEmpty, len(log.Records))
	}
	return part, err
}

// logUsers are the users that the option names.
func logUsers(c *cli.Context) ([]int64, error) {
	text := c.String("user")
	if text == "" {
		return nil, nil
	}
	var all []int64
	for name := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(name), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--user %q: users of a log are numbers", name)
		}
		all = append(all, id)
	}
	return all, nil
}

func loadFactor(c *cli.Context) (float64, error) {
	f := c.Float64("load")
	if !(f > 0) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("--load %v: must be above 0 and finite", f)
	}
	return f, nil
}

// logTime is an option that names a moment of the log, in seconds since its start.
func logTime(c *cli.Context, option string, log *trace.Log) (int64, error) {
	text := c.String(option)
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

// processors is the size of the machine.
func processors(c *cli.Context, log *trace.Log) (int, error) {
	m, source := log.Processors(), "the header of the log says %d processors"
	if c.IsSet("procs") {
		m, source = int64(c.Int("procs")), "--procs %d"
	} else if m == 0 {
		return 0, errors.New("the header of the log tells neither MaxProcs nor MaxNodes: give --procs")
	}
	if m < 1 || m >= math.MaxInt32 {
		return 0, fmt.Errorf(source+": must be from 1 to %d", m, math.MaxInt32-1)
	}
	return int(m), nil
}

// ruleNames are the rules of campaigns in a log.
var ruleNames = append(slices.Clone(ostrich.ByNames), "fields")

// campaignRule is the rule by which a log is split into campaigns. Where the
// option is not given, it is MAX, unless the log names preceding jobs and knows
// of no start.
func campaignRule(c *cli.Context, names []string, log *trace.Log) (rule, error) {
	name := c.String("rule")
	if name == "" {
		if c.IsSet("threshold") {
			return rule{}, errors.New("--threshold goes with --rule arrival or window")
		}
		started := slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Wait >= 0 })
		linked := !started && slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Preceding > 0 })
		return rule{fields: linked}, nil
	}
	by, err := console.Named[ostrich.By](names, name)
	if err != nil {
		return rule{}, fmt.Errorf("--rule %w", err)
	}
	if int(by) == len(ostrich.ByNames) {
		return rule{fields: true}, nil
	}
	r := rule{Rule: ostrich.Rule{By: by}}
	switch {
	case by == ostrich.Arrival || by == ostrich.Window:
		r.Threshold = ostrich.Duration(c.Duration("threshold") / time.Second)
	case c.IsSet("threshold"):
		return rule{}, fmt.Errorf("--threshold goes with --rule arrival or window, not %s", name)
	}
	return r, r.Validate()
}

// tell writes notes on standard error.
func (w *workload) tell(c *cli.Context) {
	for _, note := range w.notes {
		console.Say(c.App.ErrWriter, "%s: %s", w.name, note)
	}
}
