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
	p := &r.Points[i]
	o := object{Point: i, Parameters: make(map[string]string), Summary: r.summary(i)}
	if p.Seeded {
		o.Seed = &p.Seed
	}
	for _, x := range p.Options {
		if !slices.Contains(listed, x.Name) {
			o.Parameters[x.Name] = x.Value
		}
	}
	return o
}

// summary is that of a point under the name that its trace has in this sweep.
func (r *run) summary(i int) replay.Summary {
	s := r.results[i].Summary
	s.Log = r.traces[r.Points[i].Trace].name
	return s
}

// write puts all points out: to the terminal, and into the files.
func (r *run) write() error {
	r.tellNotes()
	type file struct {
		path string
		rows [][]string
	}
	rows := r.rows()
	var files []file
	if path := r.c.String("csv"); path != "" {
		files = append(files, file{path, rows})
	}
	if r.folder != "" {
		files = append(files, file{r.folder.Path("sweep.csv"), rows}, file{r.folder.Path("timing.csv"), r.timing()})
	}
	for _, f := range files {
		if err := writeCSV(f.path, f.rows); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	if r.c.Bool("json") {
		objects := make([]object, len(r.Points))
		for i := range r.Points {
			objects[i] = r.object(i)
		}
		return console.JSON(r.c, objects)
	}
	return r.table()
}

func writeCSV(path string, rows [][]string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// tellNotes prints each note of the points once, as simulate does.
func (r *run) tellNotes() {
	seen := make(map[string]bool)
	for i := range r.Points {
		for _, note := range r.results[i].Notes {
			line := r.traces[r.Points[i].Trace].name + ": " + note
			if !seen[line] {
				seen[line] = true
				console.Say(r.c.App.ErrWriter, "%s", line)
			}
		}
	}
}

// parameters returns the options that the sweep varies, except those of these names.
func (r *run) parameters(but []string) []string {
	var names []string
	for _, a := range r.file.Axes {
		if name := a[0].Name; !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	return names
}

// seed returns the seed of a point as text, "" for a log.
func (r *run) seed(i int) string {
	if p := &r.Points[i]; p.Seeded {
		return strconv.FormatUint(p.Seed, 10)
	}
	return ""
}

func (r *run) table() error {
	parameters := r.parameters(listed)
	t := format.Table{Header: []string{"POINT", "LOG", "SEED", "POLICY", "BACKFILL", "REPLAY"}}
	for _, p := range parameters {
		t.Header = append(t.Header, strings.ToUpper(p))
	}
	platforms := t
	t.Header = append(t.Header, replay.Header...)
	platforms.Header = append(slices.DeleteFunc(slices.Clone(platforms.Header), func(column string) bool {
		return column == "BACKFILL" || column == "REPLAY" || slices.Contains(replay.PlatformHeader, column)
	}), replay.PlatformHeader...)
	for i := range r.Points {
		s := r.summary(i)
		cells := []any{i, s.Log, r.seed(i), s.Policy}
		if s.Clusters == nil {
			cells = append(cells, s.Backfill, s.Replay)
		}
		for _, p := range parameters {
			if s.Clusters == nil || !slices.Contains(replay.PlatformHeader, strings.ToUpper(p)) {
				cells = append(cells, r.Points[i].Option(p))
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
	for i := range r.Points {
		t.Add(i, r.traces[r.Points[i].Trace].name, r.seed(i), r.options(i))
	}
	return console.Tables(r.c, t)
}

// options returns the options of simulate that make a point.
func (r *run) options(i int) string {
	return strings.Join(format.Texts(r.Points[i].Options, func(o Option) string { return "--" + o.Name + "=" + o.Value }), " ")
}

// pointColumns are the columns that say what a point is, whatever the sweep
// varies.
var pointColumns = []string{"point", "log", "seed", "policy", "backfill", "procs", "replay", "offsets", "dependencies", "rule"}

// measureColumns are the columns of the summary, named as its fields are; of
// satisfaction those of all jobs and campaigns.
var measureColumns = []string{
	"jobs", "users", "campaigns", "stretch_optimal", "stretch_le_1_15", "stretch_lt_1_5", "stretch_lt_2", "stretch_gt_20",
	"stretch_mean", "stretch_p50", "stretch_p99", "stretch_max", "wait_mean", "wait_p50", "wait_p95", "wait_p99",
	"bounded_slowdown_mean", "utilisation", "makespan", "jobs_in_time", "jobs_lateness_mean", "jobs_tardiness_mean",
	"campaigns_in_time", "campaigns_lateness_mean", "campaigns_tardiness_mean",
}

// measureCells returns the measureColumns of a point.
func measureCells(s *replay.Summary) []any {
	d, w, jobs, campaigns := &s.Stretch, &s.Wait, &s.Satisfaction.All.Jobs, &s.Satisfaction.All.Campaigns
	return []any{
		s.Jobs, s.Users, s.Campaigns, d.Optimal, d.Le115, d.Lt15, d.Lt2, d.Gt20,
		d.Mean, d.P50, d.P99, d.Max, w.Mean, w.P50, w.P95, w.P99,
		s.BoundedSlowdown, s.Utilisation, s.Makespan, jobs.Share, jobs.Lateness, jobs.Tardiness,
		campaigns.Share, campaigns.Lateness, campaigns.Tardiness,
	}
}

// platformColumns returns the columns of a sweep with platforms besides: measures of
// all bags, and means of each class.
func platformColumns() []string {
	columns := []string{"load", "bags", "tasks", "done_bags", "finished", "ms", "nsl", "stretch", "worst_stretch", "goodput", "used"}
	for _, class := range grid.ClassNames {
		class = strings.NewReplacer("-", "_", " and over", "_").Replace(class)
		columns = append(columns, "ms_"+class, "nsl_"+class)
	}
	return columns
}

// platformCells returns the platformColumns of a point; empty ones for one machine.
func platformCells(p *replay.PlatformSummary) []any {
	if p == nil {
		return slices.Repeat([]any{""}, len(platformColumns()))
	}
	cells := []any{"", p.Bags, p.Tasks, p.DoneBags, p.Finished, p.MS, p.NSL, p.Stretch, p.WorstStretch, p.Goodput, p.Used}
	if p.Load != nil {
		cells[0] = *p.Load
	}
	for i := range p.Classes {
		cells = append(cells, p.Classes[i].MS, p.Classes[i].NSL)
	}
	return cells
}

// rows returns the table of all points as CSV, in full precision. It holds nothing
// that differs from run to run.
func (r *run) rows() [][]string {
	parameters := r.parameters(pointColumns)
	header := slices.Concat(pointColumns, parameters, measureColumns)
	platforms := slices.ContainsFunc(r.Points, func(p Point) bool { return p.Option("platform") != "" })
	if platforms {
		header = append(header, platformColumns()...)
	}
	rows := [][]string{header}
	for i := range r.Points {
		s := r.summary(i)
		cells := []any{i, s.Log, r.seed(i), s.Policy, s.Backfill, s.Procs, s.Replay, s.Offsets, s.Dependencies, s.Rule}
		for _, p := range parameters {
			cells = append(cells, r.Points[i].Option(p))
		}
		cells = append(cells, measureCells(&s)...)
		if platforms {
			cells = append(cells, platformCells(s.Clusters)...)
		}
		rows = append(rows, format.Texts(cells, exact))
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
	for i := range r.Points {
		s := &r.results[i].Summary
		rows = append(rows, []string{strconv.Itoa(i), exact(s.Seconds), exact(s.JobsPerSecond)})
	}
	return rows
}
