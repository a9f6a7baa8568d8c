package comparison

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

// Ratio is a figure divided by that of the first policy, with its standard error and
// how far its 95 % interval reaches each way; NaN if these are not known.
type Ratio struct{ Value, Error, Reach float64 }

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
		p.Settings.Add(policy.Name, policy.Settings)
		if i > 0 {
			p.Legend = append(p.Legend, key{policy.Name, svg.Swatch("whisker", i, "line and mark of this policy")})
		}
	}
	if len(r.Policies) > 1 {
		p.Chart = r.chart("", "Differences over all logs in per cent of "+p.First, r.Measures,
			func(policy, row int) Ratio { return r.All.Ratios[policy][row] }).Inline()
		p.LogChart = r.logChart("").Inline()
	}
	for i := range r.Logs {
		p.Logs = append(p.Logs, r.table(&r.Logs[i]))
	}
	return writePage(w, "ratios.html", p)
}

// WriteSVG draws the first measure by log, as a file of its own.
func (r *Ratios) WriteSVG(w io.Writer) error {
	if len(r.Policies) < 2 {
		return fmt.Errorf("there is no other policy to compare with %s", r.Policies[0].Name)
	}
	of := ""
	if len(r.Policies) == 2 {
		of = " under " + r.Policies[1].Name
	}
	title := fmt.Sprintf("The %s%s, beside %s. Left of 0 is better; lines are 95 %% intervals, and a hollow mark has 0 in its own.",
		r.Measures[0], of, r.Policies[0].Name)
	_, err := w.Write(r.logChart(title).File())
	return err
}

// logChart draws the first measure, of all logs and then by log.
func (r *Ratios) logChart(title string) *svg.Picture {
	groups := slices.Concat([]RatioGroup{r.All}, r.Logs)
	names := format.Texts(groups, func(g RatioGroup) string { return g.Name })
	return r.chart(title, "Differences of the "+r.Measures[0]+" by log in per cent of "+r.Policies[0].Name, names,
		func(policy, row int) Ratio { return groups[row].Ratios[policy][0] })
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
func (r *Ratios) chart(title, text string, rows []string, at func(policy, row int) Ratio) *svg.Picture {
	chart := svg.Rows{Title: title, Text: text, Width: pageWidth}
	most := 0.05
	for row, name := range rows {
		one := svg.Row{Name: name}
		for i := 1; i < len(r.Policies); i++ {
			x := at(i, row)
			v := svg.Value{Class: svg.Run(i), Number: i, At: x.Value - 1, Low: x.Value - 1 - x.Reach, High: x.Value - 1 + x.Reach}
			v.Hollow = v.Low < 0 && v.High > 0
			if len(r.Policies) > 2 {
				v.Name = r.Policies[i].Name
			}
			most = max(most, 1.1*math.Abs(v.At))
			if !math.IsNaN(x.Reach) {
				most = max(most, math.Abs(v.At)+min(x.Reach, 0.5))
			}
			one.Values = append(one.Values, v)
		}
		chart.Rows = append(chart.Rows, one)
	}
	chart.X = differences(r.Policies[0].Name, most)
	return chart.Draw()
}
