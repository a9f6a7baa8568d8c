package simulation

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

// Drawn is a replay in a picture: a bar in its row.
type Drawn struct {
	Row, Name string // of the log or the point, and of the bar
	Summary   Summary
}

// Drawing returns what simulate and platform draw of their replays: a row a log, a bar a policy.
func Drawing(list []*Simulation) []Drawn {
	var drawn []Drawn
	for _, s := range list {
		d := Drawn{Row: s.Workload.Name, Name: s.Run.Policy.Label, Summary: s.Summary()}
		if c := d.Summary.Clusters; c != nil {
			d.Name += ", " + c.Selection + ", " + c.Architecture
		}
		drawn = append(drawn, d)
	}
	return drawn
}

type drawnMeasure struct {
	title, axis string
	digits      int
	of          func(s *Summary) float64
}

// The measures that are drawn of one machine, and of bags on clusters. The first ones are the
// pictures of --svg.
var (
	machineMeasures = []drawnMeasure{
		{"Mean stretch of the campaigns", "stretch", 2, func(s *Summary) float64 { return s.Stretch.Mean }},
		{"Campaigns with a stretch above 20 (%)", "campaigns (%)", 1, func(s *Summary) float64 { return 100 * s.Stretch.Gt20 }},
		{"Mean wait of the jobs (s)", "wait (s)", 0, func(s *Summary) float64 { return s.Wait.Mean }},
		{"Mean bounded slowdown of the jobs", "bounded slowdown", 2, func(s *Summary) float64 { return s.BoundedSlowdown }},
		{"Utilisation (%)", "utilisation (%)", 1, func(s *Summary) float64 { return 100 * s.Utilisation }},
	}
	clusterMeasures = []drawnMeasure{
		{"Mean normalized schedule length of the bags", "NSL", 3, func(s *Summary) float64 { return s.Clusters.NSL }},
		{"Mean makespan of the bags (s)", "MS (s)", 0, func(s *Summary) float64 { return s.Clusters.MS }},
		{"Tasks that have ended (%)", "finished tasks (%)", 1, func(s *Summary) float64 { return 100 * s.Clusters.Finished }},
		{"Load that was realised until the last submission (%)", "realised load (%)", 1, func(s *Summary) float64 { return 100 * s.Clusters.Realised }},
	}
)

func drawnMeasures(list []Drawn) []drawnMeasure {
	if len(list) > 0 && list[0].Summary.Clusters != nil {
		return clusterMeasures
	}
	return machineMeasures
}

// chart draws a measure: a row for each log or point in their order, on a logarithmic axis
// where the values span more than two powers of ten. Bars of 0 have a label only. A page has the title above it.
func (m *drawnMeasure) chart(title string, list []Drawn) *svg.Picture {
	chart := svg.Rows{Title: title, Text: m.title + ", row by row.", Width: comparison.PageWidth, Bars: true}
	least, most := math.Inf(1), 0.0
	for i := range list {
		d := &list[i]
		k := slices.IndexFunc(chart.Rows, func(r svg.Row) bool { return r.Name == d.Row })
		if k < 0 {
			k = len(chart.Rows)
			chart.Rows = append(chart.Rows, svg.Row{Name: d.Row})
		}
		row := &chart.Rows[k]
		at := m.of(&d.Summary)
		if at > 0 {
			least, most = min(least, at), max(most, at)
		}
		row.Values = append(row.Values, svg.Value{Name: d.Name, Class: svg.Run(len(row.Values)), At: at, Label: format.Trimmed(at, m.digits)})
	}
	if most > 100*least {
		chart.X = svg.Log(m.axis, least/2, most)
		for k := range chart.Rows {
			chart.Rows[k].Values = slices.DeleteFunc(chart.Rows[k].Values, func(v svg.Value) bool { return !(v.At > 0) })
		}
	} else {
		chart.X = svg.UpTo(m.axis, most)
	}
	return chart.Draw()
}

// errNothing is what there is to say of a picture without a replay.
var errNothing = errors.New("no replay came to an end, so there is nothing to draw")

// WriteSVG draws the first measure of the replays.
func WriteSVG(w io.Writer, list []Drawn) error {
	if len(list) == 0 {
		return errNothing
	}
	m := drawnMeasures(list)[0]
	_, err := w.Write(m.chart(m.title, list).File())
	return err
}

//go:embed page.html
var pageText string

// WriteHTML writes the replays as one self-contained page: pictures of their measures, and
// the tables.
func WriteHTML(w io.Writer, title string, list []Drawn, tables []format.Table) error {
	if len(list) == 0 {
		return errNothing
	}
	type chart struct {
		Title   string
		Picture template.HTML
	}
	page := struct {
		Title, Where string
		Charts       []chart
		Tables       []format.Table
	}{Title: title, Where: format.Plural(len(list), "replay"), Tables: tables}
	for _, m := range drawnMeasures(list) {
		page.Charts = append(page.Charts, chart{m.title, m.chart("", list).Inline()})
	}
	if err := comparison.WritePage(w, pageText, page); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
