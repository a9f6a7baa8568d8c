package comparison

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"slurm-ostrich/cmd/internal/format"
)

//go:embed ratios.html
var ratiosText string

var ratiosTemplate = template.Must(template.Must(template.New("page").Parse(pageText)).New("ratios").Parse(ratiosText))

// Ratio is a figure divided by that of the first policy, with its standard
// error; NaN where that is not known.
type Ratio struct{ Value, Error float64 }

// text writes the ratio.
func (r Ratio) text() string {
	if math.IsNaN(r.Error) {
		return fmt.Sprintf("%.2f", r.Value)
	}
	return fmt.Sprintf("%.2f ± %.2f", r.Value, r.Error)
}

// RatioGroup are the ratios of one log, or of all, by policy and measure.
type RatioGroup struct {
	Name   string // in charts
	Title  string // of the table
	Ratios [][]Ratio
}

// RatioPolicy is a policy, with its settings.
type RatioPolicy struct{ Name, Settings string }

// RatioWord is a word of a page and what it means.
type RatioWord struct{ Word, Meaning string }

// Ratios is a page that sets policies beside the first one, measure by measure.
type Ratios struct {
	Title, Where string
	Lead         []string
	Policies     []RatioPolicy
	Measures     []string // the first one is drawn by log too
	All          RatioGroup
	Logs         []RatioGroup
	Words        []RatioWord
}

// ratiosPage is what the template shows.
type ratiosPage struct {
	Title, Where, First, Main string
	Lead                      []string
	Legend                    []key
	Chart, LogChart           template.HTML
	All, Settings             format.Table
	Logs                      []format.Table
	Words                     []RatioWord
}

// WriteHTML writes a page that stands alone, as Comparison.WriteHTML does.
func (r *Ratios) WriteHTML(w io.Writer) error {
	p := ratiosPage{
		Title: r.Title, Where: r.Where, First: r.Policies[0].Name, Main: r.Measures[0], Lead: r.Lead, Words: r.Words,
		All: r.table(&r.All), Settings: format.Table{Header: []string{"policy", "settings"}, Names: 2},
	}
	for i, policy := range r.Policies {
		p.Settings.Rows = append(p.Settings.Rows, []string{policy.Name, policy.Settings})
		if i > 0 {
			d := drawing{width: 40, height: 12, title: "line and mark of this policy"}
			d.line("whisker "+style(i), 1, 6, 39, 6)
			d.mark("dot "+style(i), i, 20, 6)
			p.Legend = append(p.Legend, key{policy.Name, d.svg()})
		}
	}
	if len(r.Policies) > 1 {
		p.Chart = r.chart("Differences over all logs in per cent of "+p.First, r.Measures,
			func(policy, row int) Ratio { return r.All.Ratios[policy][row] })
		var names []string
		for i := range r.Logs {
			names = append(names, r.Logs[i].Name)
		}
		p.LogChart = r.chart("Differences of the "+p.Main+" by log in per cent of "+p.First, names,
			func(policy, row int) Ratio { return r.Logs[row].Ratios[policy][0] })
	}
	for i := range r.Logs {
		p.Logs = append(p.Logs, r.table(&r.Logs[i]))
	}
	var whole bytes.Buffer // nothing half-written
	if err := ratiosTemplate.Execute(&whole, p); err != nil {
		return fmt.Errorf("comparison: writing the page: %w", err)
	}
	if _, err := whole.WriteTo(w); err != nil {
		return fmt.Errorf("comparison: writing the page: %w", err)
	}
	return nil
}

// table has a row a policy.
func (r *Ratios) table(g *RatioGroup) format.Table {
	t := format.Table{Title: g.Title, Header: append([]string{"policy"}, r.Measures...), Names: 1}
	for i, policy := range r.Policies {
		row := []string{policy.Name}
		for _, x := range g.Ratios[i] {
			row = append(row, x.text())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// chart draws ratios as differences from 1, a lane for each policy but the first
// in each row.
func (r *Ratios) chart(title string, rows []string, at func(policy, row int) Ratio) template.HTML {
	const left, right, top, bottom, lane = 360.0, 26.0, 10.0, 44.0, 14.0
	const sure = 1.96 // standard errors of a 95 % interval
	most := 0.05
	for row := range rows {
		for i := 1; i < len(r.Policies); i++ {
			x := at(i, row)
			most = max(most, 1.1*math.Abs(x.Value-1))
			if !math.IsNaN(x.Error) {
				most = max(most, math.Abs(x.Value-1)+min(sure*x.Error, 0.5))
			}
		}
	}
	height := lane*float64(len(r.Policies)-1) + 8
	d := &drawing{width: 2 * chartWidth, height: top + bottom + height*float64(len(rows)), title: title}
	x := signedAxis(d, left, right, top, bottom, min(most, 10), 0.1, func(part float64) string {
		return format.Signed(part, format.Number(100*math.Abs(part))) + " %"
	})
	d.write("", "middle", x(0), d.height-6, "difference from "+r.Policies[0].Name+", per cent of it")
	for row, name := range rows {
		y := top + height*float64(row)
		d.name("name", left-124, y+height/2+4, name, 34)
		for i := 1; i < len(r.Policies); i++ {
			one, middle := at(i, row), y+4+lane*(float64(i)-0.5)
			d.name("small", left-8, middle+4, r.Policies[i].Name, 20)
			class := "dot "
			if !math.IsNaN(one.Error) {
				low, high := one.Value-1-sure*one.Error, one.Value-1+sure*one.Error
				d.line("whisker "+style(i), x(low), middle, x(high), middle)
				if low < 0 && high > 0 {
					class = "hollow "
				}
			}
			d.mark(class+style(i), i, x(one.Value-1), middle)
		}
		d.line("grid", 0, y+height, d.width-right, y+height)
	}
	return d.svg()
}
