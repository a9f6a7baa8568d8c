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
		&cli.StringFlag{Name: "rule", Usage: usage + ": `RULE` is " + list(names), DefaultText: text},
		&cli.DurationFlag{Name: "threshold", Usage: "`TIME` of the rules arrival and window", Value: 30 * time.Minute},
	}
}

// list writes names as "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// workload is a log as a command takes it.
type workload struct {
	name  string // of the file, without folder and extensions
	procs int
	jobs  []sim.Logged
	rule  rule
	notes []string
}

// readWorkload reads a log by the options of the command.
func readWorkload(c *cli.Context, path string, estimates sim.Estimates) (*workload, error) {
	log, err := readLog(path, trace.Options{Lenient: c.Bool("lenient")})
	if err != nil {
		return nil, err
	}
	w := &workload{name: logName(path)}
	if log.Skipped > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%s skipped, the first: %v", plural(log.Skipped, "malformed line"), log.Faults[0]))
	}
	if log, err = chooseJobs(c, log); err != nil {
		return nil, err
	}
	if w.procs, err = processors(c, log); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var in sim.Import
	w.jobs, in, err = sim.FromLog(log, w.procs, estimates)
	w.notes = append(w.notes, in.Notes()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", path, err, strings.Join(w.notes, "; "))
	}
	w.rule, err = campaignRule(c, log)
	return w, err
}

// readLog reads a log from a file, or from standard input for "-".
func readLog(path string, o trace.Options) (*trace.Log, error) {
	if path == "-" {
		return trace.Read(os.Stdin, "standard input", o)
	}
	return trace.Open(path, o)
}

// logName names a log after its file.
func logName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".swf")
}

// chooseJobs applies the options that choose jobs.
func chooseJobs(c *cli.Context, log *trace.Log) (*trace.Log, error) {
	var f trace.Filter
	var err error
	if f.From, err = logTime(c, "starttime", log); err != nil {
		return nil, err
	}
	if f.Before, err = logTime(c, "endtime", log); err != nil {
		return nil, err
	}
	if text := c.String("user"); text != "" {
		for name := range strings.SplitSeq(text, ",") {
			id, err := strconv.ParseInt(strings.TrimSpace(name), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("--user %q: users of a log are numbers", name)
			}
			f.Users = append(f.Users, id)
		}
	}
	if f.Load = c.Float64("load"); f.Load <= 0 {
		return nil, fmt.Errorf("--load %v: must be above 0", f.Load)
	}
	return f.Apply(log)
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
	m := log.Processors()
	if c.IsSet("procs") {
		m = int64(c.Int("procs"))
	} else if m == 0 {
		return 0, errors.New("the header of the log tells no MaxProcs: give --procs")
	}
	if m < 1 || m >= math.MaxInt32 {
		return 0, fmt.Errorf("a machine of %d processors", m)
	}
	return int(m), nil
}

// ruleNames are the rules of campaigns in a log.
var ruleNames = append(slices.Clone(ostrich.ByNames), "fields")

// campaignRule is the rule by which a log is split into campaigns. Where the
// option is not given, it is MAX, unless the log names preceding jobs and knows
// of no start.
func campaignRule(c *cli.Context, log *trace.Log) (rule, error) {
	name := c.String("rule")
	if name == "" {
		linked, started := false, false
		for i := range log.Records {
			r := &log.Records[i]
			linked = linked || r.Preceding > 0
			started = started || r.Wait >= 0
		}
		return rule{fields: linked && !started}, nil
	}
	by, err := ostrich.Named[ostrich.By](ruleNames, name)
	if err != nil {
		return rule{}, fmt.Errorf("--rule %w", err)
	}
	if int(by) == len(ostrich.ByNames) {
		return rule{fields: true}, nil
	}
	r := rule{Rule: ostrich.Rule{By: by}}
	if by == ostrich.Arrival || by == ostrich.Window {
		r.Threshold = ostrich.Duration(c.Duration("threshold") / time.Second)
	}
	return r, r.Validate()
}

// tell writes notes on standard error.
func (w *workload) tell(c *cli.Context) {
	for _, note := range w.notes {
		say(c.App.ErrWriter, "%s: %s", w.name, note)
	}
}
