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
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
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
		"length": func(d ostrich.Duration) string { return format.Length(float64(d)) },
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
	*Comparison
	Where          string
	Lead           format.Table
	FigureRows     []figureRow
	ChangeChart    template.HTML
	StretchChart   template.HTML
	WaitChart      template.HTML
	Utilisation    template.HTML
	Sides          []sides
	Promise        []format.Table // the users furthest from an equal share, by run
	InTime         format.Table
	AgreementTable format.Table
	LeftTable      format.Table
	AssumedTable   format.Table
	GroupTables    []format.Table
	LengthTable    format.Table
	Gantt          template.HTML // "" if there is none
	GanttNote      string
	Virtual        bool
	UserTable      format.Table
	UsersLeft      int
	EnvyMargin     float64
	Fewest         int
	Parts          int
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
	base, users := &c.Runs[c.s.in.Baseline], c.Users[:min(len(c.Users), userRows)]
	p := page{
		Comparison: c, Lead: c.runTable(false), FigureRows: c.figureRows(),
		ChangeChart: c.changeChart(), StretchChart: c.stretchChart(), WaitChart: c.waitChart(), Utilisation: c.utilisationChart(),
		InTime: c.satisfactionTable(), AgreementTable: c.agreementTable(), LeftTable: c.leftTable(), AssumedTable: c.assumedTable(), LengthTable: c.lengthTable(), Virtual: len(c.s.in.Virtual) > 0,
		UserTable: c.withoutAccounts(c.userTable(users)), UsersLeft: len(c.Users) - len(users),
		EnvyMargin: report.EnvyMargin, Fewest: confidence.Fewest, Parts: timeParts,
	}
	p.Where = strings.Join([]string{
		c.Source, moment(c.From, c.s.in.Location) + " to " + moment(c.To, c.s.in.Location), format.Plural(c.Procs, "processor"),
		format.Plural(base.Jobs, "job"), format.Plural(base.Users, "user"), format.Plural(base.Campaigns, "campaign"),
	}, " · ")
	for i := range c.Groups {
		p.GroupTables = append(p.GroupTables, c.groupTable(i, true))
	}
	for _, w := range c.Changes {
		p.Sides = append(p.Sides, c.pageSides(w.Run))
	}
	for i := range c.Runs {
		if worst := c.worstOff(c.Runs[i].Run); len(worst) > 0 {
			p.Promise = append(p.Promise, c.withoutAccounts(c.rhoTable(c.Runs[i].Run, worst[:min(len(worst), worstRows)])))
		}
	}
	gantt, left := c.s.gantt()
	if len(gantt.Panels) > 0 {
		p.Gantt, p.GanttNote = gantt.Draw().Inline(), left
	}
	return WritePage(w, pageText, p)
}

// figureRows returns a row for each measure, with a cell for each run.
func (c *Comparison) figureRows() []figureRow {
	rows := make([]figureRow, len(measures))
	for m, about := range measures {
		rows[m].Name = about.Name
		for i := range c.Runs {
			cell := figureCell{Value: amount(about.Unit, c.Runs[i].values[m])}
			at := slices.IndexFunc(c.Differences, func(d Difference) bool { return d.Run == c.Runs[i].Run && d.Measure == about.Key })
			if at >= 0 {
				d := &c.Differences[at]
				cell.Change = change(d.Unit, d.Difference)
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
