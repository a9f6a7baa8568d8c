package comparison

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

// Ratio is a figure divided by that of the first policy, with its standard error;
// NaN if that is not known.
type Ratio struct{ Value, Error float64 }

// text formats the ratio.
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

// RatioWord is a word of a page and its meaning.
type RatioWord struct{ Word, Meaning string }

// Ratios is a page that compares policies with the first one, measure by measure.
type Ratios struct {
	Title, Where string
	Lead         []string
	Policies     []RatioPolicy
	Measures     []string // charts by log show the first one only
	All          RatioGroup
	Logs         []RatioGroup
	Words        []RatioWord
}

// ratiosPage is the data of the template.
type ratiosPage struct {
	Title, Where, First, Main string
	Lead                      []string
	Legend                    []key
	Chart, LogChart           template.HTML
	All, Settings             format.Table
	Logs                      []format.Table
	Words                     []RatioWord
}

// WriteHTML writes a self-contained page, as Comparison.WriteHTML does.
func (r *Ratios) WriteHTML(w io.Writer) error {
	p := ratiosPage{
		Title: r.Title, Where: r.Where, First: r.Policies[0].Name, Main: r.Measures[0], Lead: r.Lead, Words: r.Words,
		All: r.table(&r.All), Settings: format.Table{Header: []string{"policy", "settings"}, Names: 2},
	}
	for i, policy := range r.Policies {
		p.Settings.Rows = append(p.Settings.Rows, []string{policy.Name, policy.Settings})
		if i > 0 {
			p.Legend = append(p.Legend, key{policy.Name, svg.Swatch("whisker", i, "line and mark of this policy")})
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
	return writePage(w, "ratios.html", p)
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

// chart draws ratios as differences from 1. Each row has a lane for each policy
// but the first.
func (r *Ratios) chart(text string, rows []string, at func(policy, row int) Ratio) template.HTML {
	const sure = 1.96 // standard errors of a 95 % interval
	chart := svg.Rows{Text: text, Width: pageWidth}
	most := 0.05
	for row, name := range rows {
		one := svg.Row{Name: name}
		for i := 1; i < len(r.Policies); i++ {
			x := at(i, row)
			v := svg.Value{Name: r.Policies[i].Name, Class: svg.Run(i), Number: i, At: x.Value - 1, Low: x.Value - 1 - sure*x.Error, High: x.Value - 1 + sure*x.Error}
			v.Hollow = v.Low < 0 && v.High > 0
			most = max(most, 1.1*math.Abs(v.At))
			if !math.IsNaN(x.Error) {
				most = max(most, math.Abs(v.At)+min(sure*x.Error, 0.5))
			}
			one.Values = append(one.Values, v)
		}
		chart.Rows = append(chart.Rows, one)
	}
	chart.X = differences(r.Policies[0].Name, most)
	return chart.Draw().Inline()
}
