package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich/grid"
)

// object is what sweep --json writes of a point.
type object struct {
	Point      int               `json:"point"`
	Seed       *uint64           `json:"seed"` // nil for a log
	Parameters map[string]string `json:"parameters"`
	replay.Summary

	// Always nil, and so never written: how long a run took is another each
	// time, and the fields of these names in the summary are hidden.
	Seconds       any `json:"seconds,omitempty"`
	JobsPerSecond any `json:"jobs_per_second,omitempty"`
}

// object is a point as JSON.
func (r *run) object(i int) object {
	p := &r.points[i]
	o := object{Point: i, Parameters: make(map[string]string), Summary: r.summary(i)}
	if p.Seeded {
		o.Seed = &p.Seed
	}
	for _, x := range p.Options {
		if x.Name != "policy" && x.Name != "backfill" && x.Name != "replay" {
			o.Parameters[x.Name] = x.Value
		}
	}
	return o
}

// summary is that of a point under the name that its trace has in this sweep.
func (r *run) summary(i int) replay.Summary {
	s := r.results[i].Summary
	s.Log = r.traces[r.points[i].Trace].name
	return s
}

// write puts all points out: to the terminal, and into the files.
func (r *run) write() error {
	r.tellNotes()
	for _, f := range []struct {
		path string
		rows [][]string
	}{
		{r.c.String("csv"), r.rows()},
		{r.inFolder("sweep.csv"), r.rows()},
		{r.inFolder("timing.csv"), r.timing()},
	} {
		if f.path == "" {
			continue
		}
		err := atomicfile.Write(f.path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(f.rows) })
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	if r.c.Bool("json") {
		objects := make([]object, len(r.points))
		for i := range r.points {
			objects[i] = r.object(i)
		}
		return console.JSON(r.c, objects)
	}
	return r.table()
}

func (r *run) inFolder(name string) string {
	if r.folder == "" {
		return ""
	}
	return r.folder.Path(name)
}

// tellNotes prints each note of the points once, as simulate does.
func (r *run) tellNotes() {
	seen := make(map[string]bool)
	for i := range r.points {
		for _, note := range r.results[i].Notes {
			line := r.traces[r.points[i].Trace].name + ": " + note
			if !seen[line] {
				seen[line] = true
				console.Say(r.c.App.ErrWriter, "%s", line)
			}
		}
	}
}

// parameters returns the options that the sweep varies beside policy, backfill and
// replay, except those of these names.
func (r *run) parameters(but ...string) []string {
	var names []string
	for _, a := range r.file.Axes {
		if !slices.Contains([]string{"policy", "backfill", "replay"}, a.Option) && !slices.Contains(but, a.Option) {
			names = append(names, a.Option)
		}
	}
	return names
}

// seed returns the seed of a point as text, "" for a log.
func (r *run) seed(i int) string {
	if p := &r.points[i]; p.Seeded {
		return strconv.FormatUint(p.Seed, 10)
	}
	return ""
}

func (r *run) table() error {
	parameters := r.parameters()
	t := format.Table{Header: []string{"POINT", "LOG", "SEED", "POLICY", "BACKFILL", "REPLAY"}}
	for _, p := range parameters {
		t.Header = append(t.Header, strings.ToUpper(p))
	}
	platforms := t
	t.Header = append(t.Header, replay.Header...)
	platforms.Header = append(slices.DeleteFunc(slices.Clone(platforms.Header), func(column string) bool {
		return column == "BACKFILL" || column == "REPLAY" || slices.Contains(replay.PlatformHeader, column)
	}), replay.PlatformHeader...)
	for i := range r.points {
		s := r.summary(i)
		cells := []any{i, s.Log, r.seed(i), s.Policy}
		if s.Clusters == nil {
			cells = append(cells, s.Backfill, s.Replay)
		}
		for _, p := range parameters {
			if s.Clusters == nil || !slices.Contains(replay.PlatformHeader, strings.ToUpper(p)) {
				cells = append(cells, r.points[i].Option(p))
			}
		}
		if s.Clusters != nil {
			platforms.Add(append(cells, replay.PlatformCells(&s)...)...)
			continue
		}
		t.Add(append(cells, replay.Cells(&s.Run)...)...)
	}
	return console.Tables(r.c, slices.DeleteFunc([]format.Table{t, platforms}, func(t format.Table) bool { return len(t.Rows) == 0 })...)
}

// list writes the points without simulating them.
func (r *run) list() error {
	if r.c.Bool("json") {
		return errors.New("sweep: --list writes a table only, without --json")
	}
	t := format.Table{Header: []string{"POINT", "LOG", "SEED", "OPTIONS"}}
	for i := range r.points {
		t.Add(i, r.traces[r.points[i].Trace].name, r.seed(i), r.options(i))
	}
	return console.Tables(r.c, t)
}

// options returns the options of simulate that make a point.
func (r *run) options(i int) string {
	return strings.Join(format.Texts(r.points[i].Options, func(o Option) string { return "--" + o.Name + "=" + o.Value }), " ")
}

// pointColumns are the columns that say what a point is, whatever the sweep
// varies.
var pointColumns = []string{"point", "log", "seed", "policy", "backfill", "procs", "replay", "offsets", "dependencies", "rule"}

// measureColumns are the columns of the summary, named as its fields are; of
// satisfaction those of all jobs and campaigns.
var measureColumns = []struct {
	name string
	of   func(*replay.Summary) any
}{
	{"jobs", func(s *replay.Summary) any { return s.Jobs }},
	{"users", func(s *replay.Summary) any { return s.Users }},
	{"campaigns", func(s *replay.Summary) any { return s.Campaigns }},
	{"stretch_optimal", func(s *replay.Summary) any { return s.Stretch.Optimal }},
	{"stretch_le_1_15", func(s *replay.Summary) any { return s.Stretch.Le115 }},
	{"stretch_lt_1_5", func(s *replay.Summary) any { return s.Stretch.Lt15 }},
	{"stretch_lt_2", func(s *replay.Summary) any { return s.Stretch.Lt2 }},
	{"stretch_gt_20", func(s *replay.Summary) any { return s.Stretch.Gt20 }},
	{"stretch_mean", func(s *replay.Summary) any { return s.Stretch.Mean }},
	{"stretch_p50", func(s *replay.Summary) any { return s.Stretch.P50 }},
	{"stretch_p99", func(s *replay.Summary) any { return s.Stretch.P99 }},
	{"stretch_max", func(s *replay.Summary) any { return s.Stretch.Max }},
	{"wait_mean", func(s *replay.Summary) any { return s.Wait.Mean }},
	{"wait_p50", func(s *replay.Summary) any { return s.Wait.P50 }},
	{"wait_p95", func(s *replay.Summary) any { return s.Wait.P95 }},
	{"wait_p99", func(s *replay.Summary) any { return s.Wait.P99 }},
	{"bounded_slowdown_mean", func(s *replay.Summary) any { return s.BoundedSlowdown }},
	{"utilisation", func(s *replay.Summary) any { return s.Utilisation }},
	{"makespan", func(s *replay.Summary) any { return s.Makespan }},
	{"jobs_in_time", func(s *replay.Summary) any { return s.Satisfaction.All.Jobs.Share }},
	{"jobs_lateness_mean", func(s *replay.Summary) any { return s.Satisfaction.All.Jobs.Lateness }},
	{"jobs_tardiness_mean", func(s *replay.Summary) any { return s.Satisfaction.All.Jobs.Tardiness }},
	{"campaigns_in_time", func(s *replay.Summary) any { return s.Satisfaction.All.Campaigns.Share }},
	{"campaigns_lateness_mean", func(s *replay.Summary) any { return s.Satisfaction.All.Campaigns.Lateness }},
	{"campaigns_tardiness_mean", func(s *replay.Summary) any { return s.Satisfaction.All.Campaigns.Tardiness }},
}

// platformColumns are the columns of a sweep with platforms besides. They are empty
// for points on one machine.
var platformColumns = []struct {
	name string
	of   func(*replay.PlatformSummary) any
}{
	{"load", func(p *replay.PlatformSummary) any {
		if p.Load == nil {
			return ""
		}
		return *p.Load
	}},
	{"bags", func(p *replay.PlatformSummary) any { return p.Bags }},
	{"tasks", func(p *replay.PlatformSummary) any { return p.Tasks }},
	{"done_bags", func(p *replay.PlatformSummary) any { return p.DoneBags }},
	{"finished", func(p *replay.PlatformSummary) any { return p.Finished }},
	{"ms", func(p *replay.PlatformSummary) any { return p.MS }},
	{"nsl", func(p *replay.PlatformSummary) any { return p.NSL }},
	{"stretch", func(p *replay.PlatformSummary) any { return p.Stretch }},
	{"worst_stretch", func(p *replay.PlatformSummary) any { return p.WorstStretch }},
	{"goodput", func(p *replay.PlatformSummary) any { return p.Goodput }},
	{"used", func(p *replay.PlatformSummary) any { return p.Used }},
}

// platformCells returns the platformColumns and the means of the classes of bags,
// or their names.
func platformCells(p *replay.PlatformSummary, names bool) []string {
	var cells []string
	for _, c := range platformColumns {
		switch {
		case names:
			cells = append(cells, c.name)
		case p == nil:
			cells = append(cells, "")
		default:
			cells = append(cells, exact(c.of(p)))
		}
	}
	for i, class := range grid.ClassNames {
		switch {
		case names:
			class = strings.ReplaceAll(strings.ReplaceAll(class, "-", "_"), " and over", "_")
			cells = append(cells, "ms_"+class, "nsl_"+class)
		case p == nil:
			cells = append(cells, "", "")
		default:
			cells = append(cells, exact(p.Classes[i].MS), exact(p.Classes[i].NSL))
		}
	}
	return cells
}

// rows returns the table of all points as CSV, in full precision. It holds nothing
// that differs from run to run.
func (r *run) rows() [][]string {
	parameters := r.parameters(pointColumns...)
	header := slices.Concat(pointColumns, parameters)
	for _, m := range measureColumns {
		header = append(header, m.name)
	}
	platforms := slices.ContainsFunc(r.points, func(p Point) bool { return p.Option("platform") != "" })
	if platforms {
		header = append(header, platformCells(nil, true)...)
	}
	rows := [][]string{header}
	for i := range r.points {
		s := r.summary(i)
		row := []string{
			strconv.Itoa(i), s.Log, r.seed(i), s.Policy, s.Backfill, strconv.Itoa(s.Procs), s.Replay, s.Offsets,
			strconv.FormatBool(s.Dependencies), s.Rule,
		}
		for _, p := range parameters {
			row = append(row, r.points[i].Option(p))
		}
		for _, m := range measureColumns {
			row = append(row, exact(m.of(&s)))
		}
		if platforms {
			row = append(row, platformCells(s.Clusters, false)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// exact is a number as text, in full precision.
func exact(number any) string {
	if x, ok := number.(float64); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprint(number)
}

// timing returns how long each point took when it was computed.
func (r *run) timing() [][]string {
	rows := [][]string{{"point", "seconds", "jobs_per_second"}}
	for i := range r.points {
		s := &r.results[i].Summary
		rows = append(rows, []string{strconv.Itoa(i), exact(s.Seconds), exact(s.JobsPerSecond)})
	}
	return rows
}
