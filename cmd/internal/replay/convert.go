package replay

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trace"
)

// ConvertOptions say which records are written in another form, in the words of a command line.
type ConvertOptions struct {
	simulation.LogOptions
	SWF       []string // one, or none
	To        string   // one of forms
	Out, Key  string   // files; "" is standard output, and none
	Anonymize bool
}

// forms are what records can be written as.
var forms = []string{"swf", "batsim", "batsim-csv", "sacct"}

// Flags returns the options, which fill o, but for sacct.
func (o *ConvertOptions) Flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "to", Usage: "`FORM` is swf (the Standard Workload Format), batsim (a workload for Batsim, in JSON), batsim-csv (the jobs that ran, as Batsim writes them) or sacct (a dump in one form)", Value: forms[0], Destination: &o.To},
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write, compressed if it ends in .gz", DefaultText: "standard output", Destination: &o.Out},
		&cli.StringFlag{Name: "key", Usage: "write what the numbers of users, accounts, QOS and partitions stand for to `FILE`, as CSV", Destination: &o.Key},
		&cli.BoolFlag{Name: "anonymize", Usage: "of swf, leave out the names of cluster, QOS and partitions; of sacct, replace those of users, accounts and jobs, and leave out uids, folders and lines of submission", Destination: &o.Anonymize},
		&cli.StringSliceFlag{Name: "swf", Usage: "take the jobs of the log in `FILE`; - is standard input"},
	}, o.DumpFlags(), o.LogOptions.Flags(), []cli.Flag{o.UserFlag()})
}

// Convert writes the records as the options want it. load reads the configuration, if the tables
// of slurmdbd are needed.
func (o *ConvertOptions) Convert(ctx context.Context, load func() (configuration.Config, error), stdout, stderr io.Writer) error {
	if _, err := console.Named[uint8](forms, o.To); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	names := []string{"cluster"}
	tables := len(o.SWF) == 0 && len(o.Sacct) == 0
	switch {
	case len(o.SWF) > 1:
		return errors.New("--swf is given twice: one log at a time")
	case len(o.SWF) > 0 && o.WasGiven("clusters"):
		return errors.New("--clusters goes with dumps and the tables: a log is of one cluster")
	}
	if !tables {
		var err error
		if names, err = o.Logs("convert", o.SWF); err != nil {
			return err
		}
	}
	toDump := o.To == "sacct"
	switch {
	case toDump && o.Key != "":
		return errors.New("--key does not go with --to sacct")
	case toDump && len(o.Sacct) > 0:
		return o.copy(ctx, stdout, stderr)
	}
	var log *trace.Log
	var err error
	if tables {
		var h *accounting.History
		if h, err = o.readTables(ctx, load, stderr); err != nil {
			return err
		}
		if toDump {
			return o.writeDump(ctx, h, names[0], stdout, stderr)
		}
		log, err = simulation.ToLog(h)
	} else if log, err = o.Read(ctx, names[0]); err == nil {
		log, err = o.Choose(names[0], log)
		if err == nil && slices.ContainsFunc([]string{"user", "starttime", "endtime", "load"}, o.WasGiven) {
			rewriteHeader(log)
		}
	}
	if err != nil {
		return err
	}
	if toDump {
		h, bad := o.dated(log)
		if bad != nil {
			return fmt.Errorf("%s: %w", names[0], bad)
		}
		return o.writeDump(ctx, h, o.LogName(names[0]), stdout, stderr)
	}
	o.tell(stderr, o.LogName(names[0]), log)
	if o.Key != "" && log.Key == nil {
		return errors.New("--key: a log has no names")
	}
	if o.WasGiven("procs") {
		if o.Procs < 1 {
			return fmt.Errorf("--procs %d: at least 1", o.Procs)
		}
		leaveOut(log, "MaxProcs")
		log.Header = append(log.Header, fmt.Sprintf(" MaxProcs: %d", o.Procs))
	}
	write := log.Write
	switch {
	case o.To == "batsim-csv":
		jobs := simulation.LogRan(log)
		if len(jobs) == 0 {
			return fmt.Errorf("%s: %w tells when it started", names[0], trace.ErrEmpty)
		}
		if left := len(log.Records) - len(jobs); left > 0 {
			console.Say(stderr, "%s: %s left out: no start, no run time or no processors", o.LogName(names[0]), format.Plural(left, "job"))
		}
		m, _ := report.Peak(jobs)
		write = func(w io.Writer) error { return report.WriteJobs(w, o.LogName(names[0]), jobs, max(m, o.Procs)) }
	case o.To == "batsim":
		m, bad := o.Processors(log)
		if bad != nil {
			return fmt.Errorf("%s: %w", names[0], bad)
		}
		o.tellBatsim(stderr, o.LogName(names[0]), log, m)
		write = func(w io.Writer) error { return WriteBatsim(w, log, m) }
	case o.Anonymize:
		leaveOut(log, "Computer", "Queue", "Partition")
		for i, line := range log.Header { // a note has the first text that cannot be true
			log.Header[i], _, _ = strings.Cut(line, ". The first: ")
		}
	}
	return simulation.WriteWhole(ctx, o.Out, stdout, func(w io.Writer) error {
		if bad := write(w); bad != nil || o.Key == "" {
			return bad
		}
		// The log takes its place behind the key, or neither does.
		return atomicfile.Write(o.Key, func(w io.Writer) error { return writeKey(w, log) })
	})
}

// rewriteHeader makes the header of a part of a log say what the part has.
func rewriteHeader(log *trace.Log) {
	leaveOut(log, "EndTime")
	for i, line := range log.Header {
		if name, _ := trace.Field(line); fieldOf(line, []string{"MaxJobs", "MaxRecords"}) {
			log.Header[i] = fmt.Sprintf(" %s: %d", name, len(log.Records))
		}
	}
	log.Header = append(log.Header, " Note: some of the jobs were chosen; other notes count all of them")
}

// leaveOut leaves lines of some names out of the header of a log, which gets one of its own.
func leaveOut(log *trace.Log, names ...string) {
	log.Header = slices.DeleteFunc(slices.Clone(log.Header), func(line string) bool { return fieldOf(line, names) })
}

// fieldOf reports whether a line of a header has the value of one of the names.
func fieldOf(line string, names []string) bool {
	is, _ := trace.Field(line)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(is, name) })
}

// tell writes on standard error what was lost.
func (o *ConvertOptions) tell(stderr io.Writer, name string, log *trace.Log) {
	notes := simulation.NotesOf(log)
	if log.Parts > 0 {
		notes = append(notes, plural.Sprintf("%d line{|s} of parts of jobs left out", log.Parts))
	}
	for _, note := range notes {
		console.Say(stderr, "%s: %s", name, note)
	}
}

// readTables reads slurmdbd's tables as compare does.
func (o *ConvertOptions) readTables(ctx context.Context, load func() (configuration.Config, error), stderr io.Writer) (*accounting.History, error) {
	for _, option := range []string{"user", "load", "lenient", "timezone", "columns", "delimiter"} {
		if o.WasGiven(option) {
			return nil, fmt.Errorf("--%s goes with --swf and --sacct", option)
		}
	}
	config, err := load()
	if err != nil {
		return nil, err
	}
	site := &SiteOptions{Cluster: o.Cluster, MeasureRule: "max"}
	site.Start, site.End, site.Given = o.Start, o.End, func(option string) bool {
		return slices.Contains([]string{"starttime", "endtime", "clusters"}, option) && o.WasGiven(option)
	}
	s, err := site.readSource(ctx, &config, stderr)
	if err != nil {
		return nil, err
	}
	h := s.history
	h.Jobs = slices.DeleteFunc(h.Jobs, func(j accounting.Job) bool { return j.End > 0 && j.End < h.From })
	return h, nil
}

// dated returns the jobs of a log that ran, as accounting has them. Without a date in its header a log begins with
// 1970.
func (o *ConvertOptions) dated(log *trace.Log) (*accounting.History, error) {
	m, err := o.Processors(log)
	if err != nil {
		return nil, err
	}
	h, err := FromLog(log, m)
	if err != nil {
		return nil, err
	}
	if start := ostrich.Time(log.Number("UnixStartTime")); start > 0 {
		for i := range h.Jobs {
			j := &h.Jobs[i]
			j.Submit, j.Start, j.End = j.Submit+start-1, j.Start+start-1, j.End+start-1
		}
	}
	return h, nil
}

// writeDump writes what was not read from a dump as one.
func (o *ConvertOptions) writeDump(ctx context.Context, h *accounting.History, name string, stdout, stderr io.Writer) error {
	for _, note := range h.Notes {
		console.Say(stderr, "%s: %s", name, strings.TrimSuffix(note, "."))
	}
	if len(h.Jobs) == 0 {
		return fmt.Errorf("%s: %w", name, accounting.ErrEmpty)
	}
	return simulation.WriteWhole(ctx, o.Out, stdout, func(w io.Writer) error { return sacct.Write(w, h, o.Anonymize) })
}

// copy writes dumps in one form.
func (o *ConvertOptions) copy(ctx context.Context, stdout, stderr io.Writer) error {
	for _, option := range []string{"starttime", "endtime", "user", "load", "procs"} {
		if o.WasGiven(option) {
			return fmt.Errorf("--%s does not go with --to sacct of a dump", option)
		}
	}
	zone, err := o.Zone()
	if err != nil {
		return err
	}
	var h *accounting.History
	var bad error // of the dump, and not of the file that is written
	err = simulation.WriteWhole(ctx, o.Out, stdout, func(w io.Writer) error {
		to := bufio.NewWriterSize(w, 1<<16)
		h, bad = o.ReadHistory(ctx, sacct.Options{Location: zone, Lenient: o.Lenient, Cluster: o.Cluster, Copy: &sacct.Copy{To: to, Anonymous: o.Anonymize}})
		return errors.Join(bad, to.Flush())
	})
	if err = cmp.Or(bad, err); err != nil {
		return err
	}
	for _, note := range h.Notes {
		console.Say(stderr, "%s: %s", o.DumpNames(), strings.TrimSuffix(note, "."))
	}
	return nil
}

// writeKey writes what the numbers in the records of a log stand for.
func writeKey(w io.Writer, log *trace.Log) error {
	rows := [][]string{{"field", "number", "name"}}
	for _, kind := range []struct {
		field string
		names []string
		of    func(r *trace.Record) int64
	}{
		{"user", log.Key.Users, func(r *trace.Record) int64 { return r.User }},
		{"group", log.Key.Groups, func(r *trace.Record) int64 { return r.Group }},
		{"queue", log.Key.Queues, func(r *trace.Record) int64 { return r.Queue }},
		{"partition", log.Key.Partitions, func(r *trace.Record) int64 { return r.Partition }},
	} {
		there := make([]bool, len(kind.names)+1)
		for i := range log.Records {
			if n := kind.of(&log.Records[i]); n > 0 {
				there[n] = true
			}
		}
		for i, name := range kind.names {
			if there[i+1] {
				rows = append(rows, []string{kind.field, strconv.Itoa(i + 1), name})
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// tellBatsim writes on standard error what a workload for Batsim loses.
func (o *ConvertOptions) tellBatsim(stderr io.Writer, name string, log *trace.Log, m int) {
	var left, narrow, longer int
	for i := range log.Records {
		switch r := &log.Records[i]; {
		case !r.Runnable() || r.Submit < 0:
			left++
		case r.Procs() > int64(m):
			narrow++
		case r.Limit > 0 && r.Run > r.Limit:
			longer++
		}
	}
	for _, n := range []struct {
		count int
		text  string
	}{
		{left, "left out: no run time, no processors or no submission"},
		{narrow, "wider than the machine: as wide as it is"},
		{longer, "ran longer than asked for: the walltime is the run time"},
	} {
		if n.count > 0 {
			console.Say(stderr, "%s: %s %s", name, format.Plural(n.count, "job"), n.text)
		}
	}
}

// batsimJob is a job of a workload of Batsim's. Times are in seconds.
type batsimJob struct {
	ID       string `json:"id"`
	Submit   int64  `json:"subtime"`
	Walltime int64  `json:"walltime"` // -1: no limit
	Procs    int64  `json:"res"`
	Profile  string `json:"profile"`
	User     int64  `json:"user"` // which Batsim keeps for the scheduler
}

type batsimProfile struct {
	Type  string `json:"type"`
	Delay int64  `json:"delay"` // seconds
}

// WriteBatsim writes the jobs of a log that ran as a workload for Batsim on m processors: in the order of their
// submission, wider ones as wide as the machine. Their profiles are delays, one for each length. A number that an
// earlier job has gets a suffix.
func WriteBatsim(w io.Writer, log *trace.Log, m int) error {
	workload := struct {
		Procs    int                      `json:"nb_res"`
		Jobs     []batsimJob              `json:"jobs"`
		Profiles map[string]batsimProfile `json:"profiles"`
	}{m, []batsimJob{}, map[string]batsimProfile{}}
	seen := make(map[int64]int)
	for i := range log.Records {
		r := &log.Records[i]
		if !r.Runnable() || r.Submit < 0 {
			continue
		}
		j := batsimJob{ID: strconv.FormatInt(r.Number, 10), Submit: r.Submit, Walltime: trace.Unknown, Procs: min(r.Procs(), int64(m)), Profile: fmt.Sprintf("delay%d", r.Run), User: r.User}
		if seen[r.Number]++; seen[r.Number] > 1 {
			j.ID += fmt.Sprintf("_%d", seen[r.Number])
		}
		if r.Limit > 0 {
			j.Walltime = max(r.Limit, r.Run) // a job that Slurm let run longer did not end at its limit
		}
		workload.Profiles[j.Profile] = batsimProfile{"delay", r.Run}
		workload.Jobs = append(workload.Jobs, j)
	}
	if len(workload.Jobs) == 0 {
		return fmt.Errorf("%w ran", trace.ErrEmpty)
	}
	slices.SortStableFunc(workload.Jobs, func(a, b batsimJob) int { return cmp.Compare(a.Submit, b.Submit) })
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(workload)
}
