package comparison

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/report"
)

//go:embed head.html
var headText string

//go:embed page.html
var pageText string

// WritePage writes a complete page or nothing. The template in text may call "head", for
// data with a Title and a Where, and "cells", for a format.Table.
func WritePage(w io.Writer, text string, data any) error {
	page := template.New("").Funcs(template.FuncMap{
		"drawings": svg.Style, "swatch": svg.Swatch, "plural": format.Plural, "percent": format.Percent, "number": format.Number,
	})
	for _, part := range []string{headText, text} {
		template.Must(page.Parse(part))
	}
	var whole bytes.Buffer
	if err := page.Execute(&whole, data); err != nil {
		return fmt.Errorf("comparison: writing the page: %w", err)
	}
	if _, err := whole.WriteTo(w); err != nil {
		return fmt.Errorf("comparison: writing the page: %w", err)
	}
	return nil
}

const (
	sideRows  = 20   // users in a table of winners or losers
	worstRows = 10   // users in a table of those furthest from an equal share
	userRows  = 1000 // users in the full table
)

// page is the data of the template.
type page struct {
	Title, Where string
	Verdict      []string
	Far          bool
	Changes      []Changes
	Baseline     string
	Lead         format.Table
	Floor        string
	Measured     string
	Legend       []key
	Figures      []figureRow
	Heads        []string
	ChangeChart  template.HTML
	Stretch      template.HTML
	Wait         template.HTML
	Utilisation  template.HTML
	Sides        []sides
	Kept         []kept
	InTime       format.Table
	Accepted     string
	Promise      []format.Table // the users furthest from an equal share, by run
	Lengths      *format.Table
	WhichLength  string
	Agreement    *format.Table
	Gantt        template.HTML
	GanttNote    string
	Virtual      bool
	Users        format.Table
	UsersLeft    int
	Notes        []string
	Margin       string
	Fewest       int
	Resamples    int
	Seed         uint64
	Parts        int
}

// kept says how a run kept the promise.
type kept struct{ Name, Kept, Mean, P95 string }

// key is an entry of the legend.
type key struct {
	Name  string
	Chart template.HTML
}

// figureRow is a measure, with a cell for each run.
type figureRow struct {
	Name  string
	Cells []figureCell
}

// figureCell is a value, and below it the difference from the baseline.
type figureCell struct{ Value, Change, Reading string }

// sides are the users for whom a run changed something.
type sides struct {
	Run           string
	Chart         template.HTML
	Worse, Better format.Table
	More          string // what the tables leave out
}

// WriteHTML writes the comparison as one self-contained page: it loads nothing
// and needs no script. It is well-formed XML except for the doctype. Times are in
// the location of the input.
func (c *Comparison) WriteHTML(w io.Writer) error {
	p := page{
		Title: c.Title, Verdict: c.Verdict, Far: c.Agreement == nil || c.Agreement.Far, Changes: c.Changes, Baseline: c.Baseline,
		ChangeChart: c.changeChart(), Stretch: c.stretchChart(), Wait: c.waitChart(), Utilisation: c.utilisationChart(),
		Gantt: c.ganttChart(), Notes: c.Notes,
		Margin: format.Percent(report.EnvyMargin), Fewest: report.Fewest, Resamples: c.Resamples, Seed: c.Seed, Parts: timeParts,
	}
	p.Lead, p.Measured = c.runTable(false), c.Measured
	if c.Floor > 0 {
		p.Floor = format.Length(float64(c.Floor))
	}
	base := &c.Runs[c.baseline]
	p.Where = strings.Join([]string{
		c.Source, moment(c.From, c.location) + " to " + moment(c.To, c.location), format.Plural(c.Procs, "processor"),
		format.Plural(base.Jobs, "job"), format.Plural(base.Users, "user"), format.Plural(base.Campaigns, "campaign"),
	}, " · ")
	for i := range c.Runs {
		p.Legend = append(p.Legend, key{c.Runs[i].Run, svg.Swatch("curve", i, "line and mark of this run")})
		p.Heads = append(p.Heads, c.Runs[i].Run)
	}
	p.Figures = c.figureRows()
	p.InTime, p.Accepted = c.satisfactionTable(), c.Runs[0].Satisfaction.Accepted
	for _, w := range c.Changes {
		p.Sides = append(p.Sides, c.pageSides(w.Run))
	}
	for i := range c.Runs {
		f := &c.Runs[i]
		p.Kept = append(p.Kept, kept{f.Run, format.Percent(f.Rho.Le1), format.Number(f.Rho.Mean), format.Number(f.Rho.P95)})
		worst := c.worstOff(f.Run)
		if len(worst) > 0 {
			p.Promise = append(p.Promise, c.withoutAccounts(c.rhoTable(f.Run, worst[:min(len(worst), worstRows)])))
		}
	}
	if len(c.Predictors) > 0 {
		t := c.lengthTable()
		p.Lengths, p.WhichLength = &t, c.Lengths
	}
	if t := c.agreementTable(); len(t.Rows) > 0 {
		p.Agreement = &t
	}
	if g := c.charts.gantt; g != nil {
		p.GanttNote, p.Virtual = g.note(), len(g.lanes) > len(c.Runs)
	}
	users := c.Users[:min(len(c.Users), userRows)]
	p.Users, p.UsersLeft = c.withoutAccounts(c.userTable(users)), len(c.Users)-len(users)
	return WritePage(w, pageText, p)
}

// figureRows has a row a measure and a column a run.
func (c *Comparison) figureRows() []figureRow {
	rows := make([]figureRow, numMeasures)
	for m, about := range measures {
		rows[m].Name = about.name
		for i := range c.Runs {
			d := Difference{Unit: about.unit}
			cell := figureCell{Value: d.amount(c.Runs[i].values[m])}
			at := slices.IndexFunc(c.Differences, func(d Difference) bool { return d.Run == c.Runs[i].Run && d.Measure == about.key })
			if at >= 0 {
				d = c.Differences[at]
				cell.Change = d.signed(d.Difference)
				if d.Difference == 0 {
					cell.Change = "±0"
				}
				if d.Interval != nil {
					cell.Change += " (" + between(d.Interval, d.Unit) + ")"
				}
				if d.Reading.clear() {
					cell.Reading = string(d.Reading)
				}
			}
			rows[m].Cells = append(rows[m].Cells, cell)
		}
	}
	return rows
}

// pageSides returns the tables and the chart of a run, cut to the greatest
// effects.
func (c *Comparison) pageSides(run string) sides {
	worse, better := c.sides(run)
	top := func(list []*User) []*User { return list[:min(len(list), sideRows)] }
	s := sides{
		Run:    run,
		Worse:  c.withoutAccounts(c.sideTable("Higher mean stretch under "+run, run, top(worse))),
		Better: c.withoutAccounts(c.sideTable("Lower mean stretch under "+run, run, top(better))),
	}
	drawn := slices.Clone(top(better))
	slices.Reverse(drawn)
	if drawn = slices.Concat(top(worse), drawn); len(drawn) > 0 {
		s.Chart = c.userChart(run, drawn)
	}
	if left := len(worse) + len(better) - len(drawn); left > 0 {
		s.More = fmt.Sprintf("Shown are those with the greatest change, at most %d each way, of %d whose stretch rose and %d whose stretch fell. "+
			"All users are in the table further below.", sideRows, len(worse), len(better))
	}
	return s
}

// note says what the chart leaves out; "" if nothing.
func (g *gantt) note() string {
	var list []string
	if g.left > 0 {
		list = append(list, format.Plural(g.left, "user")+" with less work in this window")
	}
	campaigns := 0
	for _, u := range g.users {
		campaigns += u.left
	}
	if campaigns > 0 {
		list = append(list, format.Plural(campaigns, "campaign")+" with less work of users with many")
	}
	if len(list) == 0 {
		return ""
	}
	return "Left out: " + format.List(list) + "."
}
