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
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/trace"
)

// ConvertOptions say which records are written in another form, in the words of a command line.
type ConvertOptions struct {
	LogOptions
	SWF       string
	Cluster   string // of the tables
	To        string // one of forms
	Out, Key  string // files; "" is standard output, and none
	Anonymize bool
}

// forms are what records can be written as.
var forms = []string{"swf", "batsim", "sacct"}

// Flags returns the options, which fill o, but for sacct.
func (o *ConvertOptions) Flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "to", Usage: "`FORM` is swf (the Standard Workload Format), batsim (a workload for Batsim, in JSON) or sacct (a dump in one form, of dumps)", Value: forms[0], Destination: &o.To},
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write, compressed if it ends in .gz", DefaultText: "standard output", Destination: &o.Out},
		&cli.StringFlag{Name: "key", Usage: "write what the numbers of users, accounts, QOS and partitions stand for to `FILE`, as CSV", Destination: &o.Key},
		&cli.BoolFlag{Name: "anonymize", Usage: "of swf, leave out the names of cluster, QOS and partitions; of sacct, replace those of users, accounts and jobs, and leave out uids, folders and lines of submission", Destination: &o.Anonymize},
		&cli.StringFlag{Name: "swf", Usage: "take the jobs of the log in `FILE`; - is standard input", Destination: &o.SWF},
	}, o.DumpFlags(), o.LogOptions.Flags(), []cli.Flag{o.userFlag()})
}

// Convert writes the records as the options want it. load reads the configuration, if the tables
// of slurmdbd are needed.
func (o *ConvertOptions) Convert(ctx context.Context, load func() (sidecar.Config, error), stdout, stderr io.Writer) error {
	if _, err := console.Named[uint8](forms, o.To); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	var files []string
	if o.SWF != "" {
		files = []string{o.SWF}
	}
	names := []string{"cluster"}
	tables := o.SWF == "" && len(o.Sacct) == 0
	if !tables {
		var err error
		if names, err = o.Logs("convert", files); err != nil {
			return err
		}
	}
	if o.Key != "" {
		if err := atomicfile.Check(o.Key); err != nil {
			return fmt.Errorf("--key: %w", err)
		}
		if o.Key == o.Out {
			return fmt.Errorf("--key %s is the file of --out", o.Key)
		}
	}
	if o.To == "sacct" {
		return o.copy(ctx, stdout, stderr)
	}
	var log *trace.Log
	var err error
	if tables {
		log, err = o.readTables(ctx, load, stderr)
	} else {
		if log, err = o.Read(ctx, names[0]); err == nil {
			log, err = o.Choose(names[0], log)
		}
	}
	if err != nil {
		return err
	}
	o.tell(stderr, LogName(names[0]), log)
	if o.Key != "" && log.Key == nil {
		return errors.New("--key: a log has no names")
	}
	if o.given("procs") {
		if o.Procs < 1 {
			return fmt.Errorf("--procs %d: at least 1", o.Procs)
		}
		log.Header = slices.DeleteFunc(slices.Clone(log.Header), func(line string) bool { return headerOf(line, "MaxProcs") })
		log.Header = append(log.Header, fmt.Sprintf(" MaxProcs: %d", o.Procs))
	}
	write := log.Write
	switch {
	case o.To == "batsim":
		m, bad := o.Processors(log)
		if bad != nil {
			return fmt.Errorf("%s: %w", names[0], bad)
		}
		write = func(w io.Writer) error { return WriteBatsim(w, log, m) }
	case o.Anonymize:
		log.Header = slices.DeleteFunc(slices.Clone(log.Header), func(line string) bool {
			return headerOf(line, "Computer") || headerOf(line, "Queue") || headerOf(line, "Partition")
		})
	}
	if err = writeWhole(ctx, o.Out, stdout, write); err != nil || o.Key == "" {
		return err
	}
	return atomicfile.Write(o.Key, func(w io.Writer) error { return writeKey(w, log.Key) })
}

// headerOf reports whether a line of a header has the value of a name.
func headerOf(line, name string) bool {
	before, _, _ := strings.Cut(line, ":")
	return strings.EqualFold(strings.TrimSpace(before), name)
}

// tell writes on standard error what was lost.
func (o *ConvertOptions) tell(stderr io.Writer, name string, log *trace.Log) {
	notes := doubts(log)
	if note := Skipped(log); note != "" {
		notes = append(notes, note)
	}
	if log.Parts > 0 {
		notes = append(notes, fmt.Sprintf("%d lines of parts of jobs left out", log.Parts))
	}
	if log.Key != nil {
		notes = append(notes, log.Key.Notes...)
	}
	for _, note := range notes {
		console.Say(stderr, "%s: %s", name, note)
	}
}

// readTables reads slurmdbd's tables as compare does, as a log.
func (o *ConvertOptions) readTables(ctx context.Context, load func() (sidecar.Config, error), stderr io.Writer) (*trace.Log, error) {
	for _, option := range []string{"user", "load", "lenient"} {
		if o.given(option) {
			return nil, fmt.Errorf("--%s goes with --swf and --sacct", option)
		}
	}
	config, err := load()
	if err != nil {
		return nil, err
	}
	site := &SiteOptions{Cluster: o.Cluster, MeasureRule: "max"}
	site.Start, site.End, site.Given = o.Start, o.End, func(option string) bool {
		return slices.Contains([]string{"starttime", "endtime", "clusters"}, option) && o.given(option)
	}
	s, err := site.readSource(ctx, &config, stderr)
	if err != nil {
		return nil, err
	}
	h := s.history
	h.Jobs = slices.DeleteFunc(h.Jobs, func(j accounting.Job) bool { return j.End > 0 && j.End < h.From })
	return ToLog(h)
}

// copy writes dumps in one form.
func (o *ConvertOptions) copy(ctx context.Context, stdout, stderr io.Writer) error {
	for _, option := range []string{"starttime", "endtime", "user", "load", "procs", "key"} {
		if o.given(option) {
			return fmt.Errorf("--%s does not go with --to sacct", option)
		}
	}
	if len(o.Sacct) == 0 {
		return errors.New("--to sacct writes dumps anew: with --sacct; of the tables, sacct itself makes one")
	}
	zone, err := o.zone()
	if err != nil {
		return err
	}
	var h *accounting.History
	err = writeWhole(ctx, o.Out, stdout, func(w io.Writer) (err error) {
		to := bufio.NewWriterSize(w, 1<<16)
		if h, err = o.readHistory(ctx, sacct.Options{Location: zone, Lenient: o.Lenient, Copy: &sacct.Copy{To: to, Anonymous: o.Anonymize}}); err != nil {
			return err
		}
		return to.Flush()
	})
	if err != nil {
		return err
	}
	for _, note := range h.Notes {
		console.Say(stderr, "%s: %s", o.dumpNames(), strings.TrimSuffix(note, "."))
	}
	return nil
}

// writeKey writes what the numbers of a log stand for.
func writeKey(w io.Writer, key *trace.Key) error {
	rows := [][]string{{"field", "number", "name"}}
	for _, kind := range []struct {
		field string
		names []string
	}{{"user", key.Users}, {"group", key.Groups}, {"queue", key.Queues}, {"partition", key.Partitions}} {
		for i, name := range kind.names {
			rows = append(rows, []string{kind.field, strconv.Itoa(i + 1), name})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
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

// batsimProfile says what a job does.
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
			j.Walltime = r.Limit
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
