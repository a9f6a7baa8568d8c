package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/lengths"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
)

// compareInput are the options that say which jobs are compared.
func compareInput() []cli.Flag {
	return []cli.Flag{
		clusterFlag(),
		&cli.StringFlag{Name: "swf", Usage: "take the jobs of the log in `FILE`, in the Standard Workload Format; - is standard input"},
		&cli.StringSliceFlag{Name: "sacct", Usage: "take the jobs of the dump in `FILE`, of sacct --parsable2 in Open XDMoD's columns or with a header; may be given again"},
		&cli.StringFlag{Name: "starttime", Aliases: []string{"S"}, Usage: "jobs that ran or waited at `TIME` or later, in sacct's syntax; of a log, seconds since its start", DefaultText: "30 days ago; of a file, its start"},
		&cli.StringFlag{Name: "endtime", Aliases: []string{"E"}, Usage: "and were submitted before `TIME`", DefaultText: "now; of a file, its end"},
		&cli.StringFlag{Name: "timezone", Usage: "`ZONE` of times in dumps and options, as in Europe/Warsaw", DefaultText: "UTC for dumps, else that of this host"},
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines of a file that are malformed, and count them"},
		&cli.Float64Flag{Name: "load", Usage: "divide the times between the submissions of a log by `FACTOR`", Value: 1},
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what Slurm or the header of the log says"},
		&cli.IntFlag{Name: "nodes", Usage: "`NODES` of the machine", DefaultText: "what Slurm says"},
	}
}

// compareSite are the options that say how Slurm is configured there.
func compareSite() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "slurm-config", Usage: "`FILE` with what \"scontrol show config\" wrote, or a slurm.conf", DefaultText: "slurmctld is asked, unless the jobs come from a file"},
		&cli.StringFlag{Name: "partitions", Usage: "`FILE` with what \"scontrol show partition\" wrote", DefaultText: "the same"},
		&cli.StringFlag{Name: "associations", Usage: "`FILE` with what \"" + sacct.AssociationsCommand + "\" wrote", DefaultText: "the association table, unless the jobs come from a file"},
		&cli.StringFlag{Name: "qos-file", Usage: "`FILE` with what \"" + sacct.QOSCommand + "\" wrote", DefaultText: "the same"},
	}
}

// source is where the jobs of a comparison come from, and what is known of the
// site.
type source struct {
	name       string
	history    *accounting.History
	setup      replay.Setup
	location   *time.Location // nil for a log, whose times count from its start
	zero       ostrich.Time   // of a log, the moment of its start
	now        time.Time
	recorded   bool // it tells when jobs started
	limits     bool // it tells time limits
	lengths    lengths.Options
	notes      []string
	live       *live // what the controller says now; nil if nobody asked
	controller *comparison.Controller
}

// check compares the model of the site's priorities with what the controller
// says, and lets go of the history, which is large.
func (s *source) check(site *replay.Study) (err error) {
	if l := s.live; l != nil {
		s.controller, err = site.Check(s.history, l.at, l.shares, l.queue)
	}
	s.history.Jobs = nil
	return err
}

// live is what the controller says of priorities at a moment.
type live struct {
	at     ostrich.Time
	shares []slurm.Share
	queue  []priority.Queued
}

// time reads a moment as the options write it.
func (s *source) time(text string) (ostrich.Time, error) {
	if s.location != nil {
		return sacct.ParseTime(strings.TrimSpace(text), s.now, s.location)
	}
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err != nil {
		return 0, fmt.Errorf("%q: seconds since the start of the log", text)
	}
	return s.zero + ostrich.Time(seconds), nil
}

// readSource reads the jobs and the site.
func readSource(c *cli.Context, config *sidecar.Config) (*source, error) {
	s := &source{now: time.Now(), location: time.Local, recorded: true, limits: true}
	files := c.IsSet("swf") || c.IsSet("sacct")
	switch {
	case c.IsSet("swf") && c.IsSet("sacct"):
		return nil, errors.New("compare: --swf or --sacct, not both")
	case files && c.IsSet("clusters"):
		return nil, errors.New("compare: --clusters names one of the database, and the jobs come from a file")
	case !files && c.IsSet("lenient"):
		return nil, errors.New("compare: --lenient goes with --swf and --sacct")
	case !c.IsSet("swf") && c.IsSet("load"):
		return nil, errors.New("compare: --load goes with --swf")
	case c.IsSet("procs") && c.Int("procs") < 1 || c.IsSet("nodes") && c.Int("nodes") < 1:
		return nil, errors.New("compare: --procs and --nodes: at least 1")
	}
	if name := c.String("timezone"); name != "" {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return nil, fmt.Errorf("--timezone %s: %w", name, err)
		}
		s.location = zone
	} else if c.IsSet("sacct") {
		s.location = time.UTC
	}
	options, err := config.ScheduleOptions()
	if err != nil {
		return nil, err
	}
	s.setup = replay.Setup{Procs: c.Int("procs"), Nodes: c.Int("nodes"), Options: options, Tree: config.Schedule.Shares == "tree"}
	s.setup.Location = s.location
	s.lengths = lengths.Options{
		Predictor: config.Schedule.Predictor, Class: config.Schedule.Class, Tree: s.setup.Tree,
		DefaultLimit: ostrich.Duration(config.Schedule.DefaultLimit / time.Second),
	}
	if err = s.readFiles(c); err != nil {
		return nil, err
	}
	switch {
	case c.IsSet("swf"):
		err = s.readSWF(c)
	case c.IsSet("sacct"):
		err = s.readDumps(c)
	default:
		err = s.readTables(c, config)
	}
	if files && err == nil && s.lengths.Class == slurmdb.NoClass.String() {
		for i := range s.history.Jobs {
			s.history.Jobs[i].Class = 0
		}
	}
	return s, err
}

// foretell tests the predictors on the jobs; the zero value where time limits are
// not known, as these bound all predictions.
func (s *source) foretell() lengths.Result {
	if !s.limits {
		return lengths.Result{}
	}
	s.lengths.MaxTime = make(map[string]ostrich.Duration)
	for _, p := range s.setup.Partitions {
		if p.MaxTime != priority.Unlimited {
			s.lengths.MaxTime[p.Name] = p.MaxTime
		}
	}
	return lengths.Test(s.history, s.lengths)
}

// readFiles reads the configuration of Slurm from the files that are named.
func (s *source) readFiles(c *cli.Context) error {
	read := func(option string, take func(text string) error) error {
		path := c.String(option)
		if path == "" {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			err = take(string(raw))
		}
		if err != nil {
			return fmt.Errorf("--%s: %s: %w", option, path, err)
		}
		return nil
	}
	site := &accounting.Site{}
	return errors.Join(
		read("slurm-config", func(text string) error {
			controller, err := slurm.ParseController(text)
			if err != nil {
				return err
			}
			s.setup.Controller = &controller
			if !c.IsSet("partitions") && strings.Contains(text, "PartitionName=") { // a slurm.conf
				s.setup.Partitions, err = slurm.ParsePartitions(text)
			}
			return err
		}),
		read("partitions", func(text string) (err error) {
			s.setup.Partitions, err = slurm.ParsePartitions(text)
			return err
		}),
		read("associations", func(text string) error {
			s.setup.Site = site
			return sacct.ReadAssociations(site, strings.NewReader(text), c.String("associations"), c.String("clusters"))
		}),
		read("qos-file", func(text string) error {
			s.setup.Site = site
			return sacct.ReadQOS(site, strings.NewReader(text), c.String("qos-file"))
		}),
	)
}

// readSWF reads a workload log.
func (s *source) readSWF(c *cli.Context) error {
	path := c.String("swf")
	s.name, s.location, s.zero = replay.LogName(path), nil, 1
	o := replay.LogOptions{
		Procs: c.Int("procs"), Lenient: c.Bool("lenient"), Start: c.String("starttime"), End: c.String("endtime"),
		Load: c.Float64("load"), Given: c.IsSet,
	}
	log, err := o.Read(c.Context, path)
	if err != nil {
		return err
	}
	if note := replay.Skipped(log); note != "" {
		s.notes = append(s.notes, note+".")
	}
	if log, err = o.Choose(path, log); err != nil {
		return err
	}
	m, err := o.Processors(log)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.recorded = slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Wait >= 0 })
	s.limits = slices.ContainsFunc(log.Records, func(r trace.Record) bool { return r.Limit > 0 })
	if s.history, err = replay.FromLog(log, m); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if nodes := log.Number("MaxNodes"); nodes > 0 {
		s.history.Nodes = int(nodes)
	}
	return nil
}

// readDumps reads dumps of sacct.
func (s *source) readDumps(c *cli.Context) error {
	paths := c.StringSlice("sacct")
	s.name = strings.Join(paths, ", ")
	var all []*accounting.History
	for _, path := range paths {
		var h *accounting.History
		err := console.Await(c.Context, func() error {
			in, err := openDump(path)
			if err != nil {
				return err
			}
			defer func() { _ = in.Close() }() // it was only read
			h, err = sacct.Read(in, path, sacct.Options{Location: s.location, Lenient: c.Bool("lenient"), Cluster: c.String("clusters")})
			return err
		})
		if err != nil {
			return err
		}
		all = append(all, h)
	}
	var err error
	if s.history, err = accounting.Merge(all...); err != nil {
		return err
	}
	from, to, err := s.span(c, s.history.From, s.history.To+1)
	if err != nil {
		return err
	}
	s.history.From, s.history.To = from, to
	s.history.Jobs = slices.DeleteFunc(s.history.Jobs, func(j accounting.Job) bool { return j.Submit >= to })
	return nil
}

// openDump opens a dump, compressed or not; - is standard input.
func openDump(path string) (io.ReadCloser, error) {
	file := os.Stdin
	if path != "-" {
		var err error
		if file, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	in := bufio.NewReaderSize(file, 1<<16)
	if magic, err := in.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
		return readCloser{unzipped, file}, nil
	}
	return readCloser{in, file}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// span is the window that the options name, or the given one.
func (s *source) span(c *cli.Context, from, to ostrich.Time) (ostrich.Time, ostrich.Time, error) {
	for _, o := range []struct {
		option string
		at     *ostrich.Time
	}{{"starttime", &from}, {"endtime", &to}} {
		if text := c.String(o.option); text != "" {
			t, err := s.time(text)
			if err != nil {
				return 0, 0, fmt.Errorf("--%s %s: %w", o.option, text, err)
			}
			*o.at = t
		}
	}
	if to <= from {
		return 0, 0, fmt.Errorf("the window from %s to %s has no length", s.moment(from), s.moment(to))
	}
	return from, to, nil
}

func (s *source) moment(t ostrich.Time) string {
	return time.Unix(int64(t), 0).In(s.location).Format(time.RFC3339)
}

// warmUp is for how many half-lives before the window usage is read: what is
// older counts for a sixteenth.
const warmUp = 4

// readTables reads slurmdbd's tables, and asks slurmctld for what no file tells.
func (s *source) readTables(c *cli.Context, config *sidecar.Config) error {
	from, to, err := s.span(c, ostrich.Time(s.now.AddDate(0, 0, -30).Unix()), ostrich.Time(s.now.Unix()))
	if err != nil {
		return err
	}
	commands := config.Commands()
	if s.setup.Controller == nil {
		controller, bad := commands.Controller(c.Context)
		if bad != nil {
			return fmt.Errorf("%w; or give --slurm-config FILE", bad)
		}
		s.setup.Controller = &controller
		if config.Cluster == "" {
			config.Cluster = controller.ClusterName
		}
	}
	if s.setup.Partitions == nil && !c.IsSet("slurm-config") {
		if s.setup.Partitions, err = commands.Partitions(c.Context); err != nil {
			return fmt.Errorf("%w; or give --partitions FILE", err)
		}
	}
	if config.Cluster == "" {
		config.Cluster = s.setup.Controller.ClusterName
	}
	access, err := config.Source()
	if err != nil {
		return err
	}
	done := console.Alive(c.App.ErrWriter, "reading accounting")
	defer done()
	access.Classes = true
	r, err := slurmdb.Open(c.Context, access)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	s.name = "cluster " + config.Cluster
	before := ostrich.Time(warmUp * s.setup.Controller.DecayHalfLife)
	if s.history, err = archive.History(c.Context, r, from-before, to, nil); err != nil {
		if c.Err() != nil {
			return console.ErrInterrupted
		}
		return err
	}
	s.history.From = from
	if s.setup.Site == nil {
		if s.setup.Site, err = archive.Site(c.Context, r); err != nil {
			return err
		}
	}
	if !c.IsSet("endtime") && !c.IsSet("slurm-config") && s.setup.Controller.Multifactor() {
		s.ask(c.Context, commands)
	}
	return nil
}

// ask asks the controller for its priorities, to compare the model with them.
func (s *source) ask(ctx context.Context, commands slurm.Commands) {
	l := &live{at: ostrich.Time(time.Now().Unix())}
	var err error
	if l.shares, err = commands.Shares(ctx); err == nil {
		l.queue, err = commands.Queue(ctx)
	}
	if err != nil {
		s.notes = append(s.notes, fmt.Sprintf("The model was not compared with the controller's own priorities: %v.", err))
		return
	}
	s.live = l
}
