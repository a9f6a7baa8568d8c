package orderbench

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

//go:embed page.html
var pageText string

// page is the data of the template.
type page struct {
	*Result
	Title    string
	Where    string
	Measures []string // charts by log show the first one only
	All      format.Table
	ByLog    []format.Table
	Chart    template.HTML // "" without another policy, as is LogChart
	LogChart template.HTML
}

// WriteHTML writes the result as one self-contained page.
func (r *Result) WriteHTML(w io.Writer) error {
	p := page{Result: r, Title: "Orders of the queue, compared with " + r.Policies[0].Policy, Measures: names(), All: r.page("", r.Policies)}
	jobs := 0
	for i := range r.Logs {
		l := &r.Logs[i]
		jobs += l.Jobs
		title := fmt.Sprintf("%s: %s in %s, %s", l.Log, format.Plural(l.Jobs, "job"), format.Plural(l.Parts, "part"), format.Plural(l.Procs, "processor"))
		p.ByLog = append(p.ByLog, r.page(title, l.Policies))
	}
	p.Where = fmt.Sprintf("%s · %s in %s of each · %s of each part · %s loop", format.Plural(len(r.Logs), "log"), format.Plural(jobs, "job"),
		format.Plural(r.Parts, "part"), format.Plural(r.Shakes, "replay"), r.Loop)
	if len(r.Policies) > 1 {
		p.Chart = r.chart("", "Differences over all logs", names(), func(policy, row int) *Ratio { return &r.Policies[policy].Ratios[row] }).Inline()
		p.LogChart = r.logChart("").Inline()
	}
	return comparison.WritePage(w, pageText, p)
}

// WriteSVG draws the mean campaign stretch by log, as a file of its own.
func (r *Result) WriteSVG(w io.Writer) error {
	if len(r.Policies) < 2 {
		return fmt.Errorf("there is no other policy to compare with %s", r.Policies[0].Policy)
	}
	of := ""
	if len(r.Policies) == 2 {
		of = " under " + r.Policies[1].Policy
	}
	title := fmt.Sprintf("The %s%s, beside %s. Left of 0 is better; lines are 95 %% intervals, and a hollow mark has 0 in its own.",
		measures[0].Name, of, r.Policies[0].Policy)
	_, err := w.Write(r.logChart(title).File())
	return err
}

// page returns the ratios of policies as a table of a page.
func (r *Result) page(title string, policies []PolicyRatios) format.Table {
	t := format.Table{Title: title, Header: append([]string{"policy"}, names()...), Names: 1}
	for i := range policies {
		t.Rows = append(t.Rows, policies[i].row(" ± ", format.Cells(policies[i].Policy)))
	}
	return t
}

// logChart draws the first measure, of all logs and then by log.
func (r *Result) logChart(title string) *svg.Picture {
	rows := []string{"all logs"}
	for i := range r.Logs {
		rows = append(rows, r.Logs[i].Log)
	}
	return r.chart(title, "Differences of the "+measures[0].Name+" by log", rows, func(policy, row int) *Ratio {
		if row == 0 {
			return &r.Policies[policy].Ratios[0]
		}
		return &r.Logs[row-1].Policies[policy].Ratios[0]
	})
}

// chart draws ratios as differences from 1. Each row has a lane for each policy
// but the first.
func (r *Result) chart(title, text string, rows []string, at func(policy, row int) *Ratio) *svg.Picture {
	first := r.Policies[0].Policy
	chart := svg.Rows{Title: title, Text: text + " in per cent of " + first, Width: comparison.PageWidth}
	most := 0.05
	for row, name := range rows {
		one := svg.Row{Name: name}
		for i := 1; i < len(r.Policies); i++ {
			x, reach := at(i, row), at(i, row).reach()
			v := svg.Value{Class: svg.Run(i), Number: i, At: x.Ratio - 1, Low: x.Ratio - 1 - reach, High: x.Ratio - 1 + reach}
			v.Hollow = v.Low < 0 && v.High > 0
			if len(r.Policies) > 2 {
				v.Name = r.Policies[i].Policy
			}
			most = max(most, 1.1*math.Abs(v.At))
			if !math.IsNaN(reach) {
				most = max(most, math.Abs(v.At)+min(reach, 0.5))
			}
			one.Values = append(one.Values, v)
		}
		chart.Rows = append(chart.Rows, one)
	}
	chart.X = comparison.Differences(first, most)
	return chart.Draw()
}
