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
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/report"
)

// object is what sweep --json writes of a point.
type object struct {
	Point      int               `json:"point"`
	Seed       *uint64           `json:"seed"` // nil for a log
	Parameters map[string]string `json:"parameters"`
	Refused    string            `json:"refused,omitempty"` // why it was not simulated
	simulation.Summary

	// Always nil, and so never written. They hide the fields of these names in the
	// summary: how long a run took differs each time.
	Seconds       any `json:"seconds,omitempty"`
	JobsPerSecond any `json:"jobs_per_second,omitempty"`
}

// object returns what sweep --json writes of a point.
func (r *run) object(i int) object {
	p := &r.Points[i]
	o := object{Point: i, Parameters: make(map[string]string), Summary: r.summary(i), Refused: r.refusal(i)}
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

// refusal returns why a point was not simulated, or "".
func (r *run) refusal(i int) string {
	if r.refused[i] == nil {
		return ""
	}
	return r.refused[i].Error()
}

// refusals reports whether some point was refused.
func (r *run) refusals() bool {
	return slices.ContainsFunc(r.refused, func(err error) bool { return err != nil })
}

// summary returns that of a point under the name that its trace has in this sweep. One that
// was refused has its names only.
func (r *run) summary(i int) simulation.Summary {
	var s simulation.Summary
	if r.results[i] != nil {
		s = r.results[i].Summary
	} else {
		p := &r.Points[i]
		s.Policy, s.Backfill, s.Replay = p.Option("policy"), p.Option("backfill"), p.Option("replay")
	}
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
	if r.store.Dir != "" {
		files = append(files, file{r.store.Path("sweep.csv"), rows}, file{r.store.Path("timing.csv"), r.timing()})
	}
	for _, f := range files {
		if err := atomicfile.Write(f.path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(f.rows) }); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	drawing := r.drawing()
	if err := errors.Join(
		console.WriteFile(r.c, "svg", func(w io.Writer) error { return simulation.WriteSVG(w, drawing) }),
		console.WriteFile(r.c, "html", func(w io.Writer) error {
			return simulation.WriteHTML(w, "A sweep", drawing, []format.Table{r.table()})
		}),
	); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if r.c.Bool("json") {
		objects := make([]object, len(r.Points))
		for i := range r.Points {
			objects[i] = r.object(i)
		}
		return console.JSON(r.c, objects)
	}
	return console.Tables(r.c, r.table())
}

// drawing returns the points that were simulated: in a row those that differ in the policy
// only, or on platforms in the selection or the architecture. A row is named by the options that
// have several values.
func (r *run) drawing() []simulation.Drawn {
	values, several := make(map[string]string), make(map[string]bool) // by option
	for i := range r.Points {
		for _, o := range r.Points[i].Options {
			if first, ok := values[o.Name]; ok && first != o.Value {
				several[o.Name] = true
			}
			values[o.Name] = o.Value
		}
	}
	var list []simulation.Drawn
	for i := range r.Points {
		if r.refused[i] != nil {
			continue
		}
		p := &r.Points[i]
		d := simulation.Drawn{Row: r.traces[p.Trace].name, Summary: r.summary(i)}
		d.Name = d.Summary.Policy
		if p.Seeded {
			d.Row += fmt.Sprintf(", seed %d", p.Seed)
		}
		for _, o := range p.Options {
			switch o.Name {
			case "policy", "platform":
			case "selection", "architecture":
				d.Name += ", " + o.Value
			default:
				if !several[o.Name] {
					continue
				}
				d.Row += ", " + o.Name + " " + o.Value
			}
		}
		list = append(list, d)
	}
	return list
}

// tellNotes prints each note of the points once, as simulate does.
func (r *run) tellNotes() {
	seen := make(map[string]bool)
	for i := range r.Points {
		if r.results[i] == nil {
			continue
		}
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

func (r *run) table() format.Table {
	parameters := r.parameters(listed)
	head, header := []string{"POINT", "LOG", "SEED", "POLICY", "BACKFILL", "REPLAY"}, simulation.Header
	if r.file.onPlatform() {
		head, header = head[:4], simulation.PlatformHeader
		parameters = slices.DeleteFunc(parameters, func(p string) bool { return slices.Contains(header, strings.ToUpper(p)) })
	}
	t := format.Table{Header: slices.Concat(head, format.Texts(parameters, strings.ToUpper), header)}
	if r.refusals() {
		t.Header = append(t.Header, "REFUSED")
	}
	for i := range r.Points {
		s := r.summary(i)
		cells := []any{i, s.Log, r.seed(i), s.Policy, s.Backfill, s.Replay}[:len(head)]
		for _, p := range parameters {
			cells = append(cells, r.Points[i].Option(p))
		}
		switch {
		case r.refused[i] != nil:
			for range header {
				cells = append(cells, "")
			}
		case s.Clusters != nil:
			cells = append(cells, simulation.PlatformCells(&s)...)
		default:
			cells = append(cells, simulation.Cells(&s.Run)...)
		}
		if r.refusals() {
			cells = append(cells, r.refusal(i))
		}
		t.Add(cells...)
	}
	return t
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

func (r *run) options(i int) string {
	return strings.Join(format.Texts(r.Points[i].Options, func(o Option) string { return "--" + o.Name + "=" + o.Value }), " ")
}

// pointColumns are the columns that say what a point is, whatever the sweep
// varies.
var pointColumns = []string{"point", "log", "seed", "policy", "backfill", "procs", "replay", "offsets", "dependencies", "rule"}

// column is a column, and what it holds of a point.
type column struct {
	name  string
	value any
}

// measures returns the columns of a summary, named as its fields are; of satisfaction
// those of all jobs and campaigns.
func measures(s *simulation.Summary) []column {
	return slices.Concat(columns(report.CampaignSummary, &s.Summary), columns(report.RunSummary, &s.Run), columns(report.PunctualSummary, &s.Satisfaction.All.Punctual))
}

func columns[T any](list []report.Column[T], of T) []column {
	var all []column
	for _, c := range list {
		if c.Key != "" {
			all = append(all, column{c.Key, c.From(of)})
		}
	}
	return all
}

// bags returns the further columns of a sweep with platforms: measures of all bags, and
// means of each class.
func bags(p *simulation.PlatformSummary) []column {
	load := any("")
	if p.Load != nil {
		load = *p.Load
	}
	list := slices.Concat([]column{{"load", load}, {"realised", p.Realised}}, columns(report.BagColumns, &p.Bags), []column{{"goodput", p.Goodput}, {"used", p.Used}})
	for i, class := range grid.ClassNames {
		var m report.Bags
		if i < len(p.Classes) {
			m = p.Classes[i]
		}
		class = strings.NewReplacer("-", "_", " and over", "_").Replace(class)
		list = append(list, column{"ms_" + class, m.MS}, column{"nsl_" + class, m.NSL})
	}
	return list
}

// rows returns the table of all points as CSV, in full precision. It holds nothing
// that differs from run to run.
func (r *run) rows() [][]string {
	parameters := r.parameters(pointColumns)
	name := func(c column) string { return c.name }
	header := slices.Concat(pointColumns, parameters, format.Texts(measures(&simulation.Summary{}), name))
	platforms := r.file.onPlatform()
	if platforms {
		header = append(header, format.Texts(bags(&simulation.PlatformSummary{}), name)...)
	}
	measured := len(header) - len(pointColumns) - len(parameters)
	if r.refusals() {
		header = append(header, "refused")
	}
	rows := [][]string{header}
	for i := range r.Points {
		s := r.summary(i)
		cells := []any{i, s.Log, r.seed(i), s.Policy, s.Backfill, s.Procs, s.Replay, s.Offsets, s.Dependencies, s.Rule}
		for _, p := range parameters {
			cells = append(cells, r.Points[i].Option(p))
		}
		if r.refused[i] != nil {
			cells[5] = "" // processors
			for range measured {
				cells = append(cells, "")
			}
		} else {
			columns := measures(&s)
			if platforms {
				columns = append(columns, bags(s.Clusters)...)
			}
			for _, c := range columns {
				cells = append(cells, c.value)
			}
		}
		if r.refusals() {
			cells = append(cells, r.refusal(i))
		}
		rows = append(rows, format.Texts(cells, exact))
	}
	return rows
}

// exact returns a number as text, in full precision.
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
		if r.results[i] == nil {
			rows = append(rows, []string{strconv.Itoa(i), "", ""})
			continue
		}
		s := &r.results[i].Summary
		rows = append(rows, []string{strconv.Itoa(i), exact(s.Seconds), exact(s.JobsPerSecond)})
	}
	return rows
}
