package demo

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"sync"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("demo").Funcs(template.FuncMap{"drawings": svg.Style}).Parse(pageText))
})

// page is what the template is filled with.
type page struct {
	*Result
	Live    bool // loads itself again
	About   []string
	Caveat  string
	Tail    string
	Runs    [2]chart
	Panels  [2]template.HTML
	Table   [][8]string // by user, then of all
	Figures []figureRow
}

// chart is the schedule of one run.
type chart struct {
	Title   string
	Chart   template.HTML
	Going   bool
	Caption string
}

// WritePage writes the page of the runs as they stand.
func (r *Result) WritePage(w io.Writer) error {
	p := page{Result: r, About: r.about(), Caveat: caveat, Tail: tail, Figures: r.figures()}
	// A page that is live keeps its scale for as long as it can.
	span := ostrich.Duration(r.Hours) * 3600
	for i := range r.both {
		m := &r.both[i]
		p.Live = p.Live || !m.Over
		if m.Now > 0 {
			span = max(span, ostrich.Duration(m.Now-begin))
		}
	}
	for i, title := range []string{"Stock fairshare", "OStrich"} {
		m := &r.both[i]
		p.Runs[i] = chart{
			Title: title, Going: !m.Over, Chart: r.gantt(title, m, span),
			Caption: fmt.Sprintf("utilisation %.3f over %.1f h, %d of %d jobs ended", m.Utilisation, hours(m.Makespan), m.ended, r.Total),
		}
	}
	p.Panels = [2]template.HTML{
		r.compare("Mean stretch", func(u *report.Brief) float64 { return u.Mean }),
		r.compare("Maximum stretch", func(u *report.Brief) float64 { return u.Max }),
	}
	for i := range len(r.Users) + 1 {
		p.Table = append(p.Table, cellsOf(r.pair(i)))
	}
	p.Figures = append(p.Figures,
		r.row("cycles of the sidecar", "%d", func(m *measured) any { return m.Cycles }),
		r.row("values written", "%d", func(m *measured) any { return m.Writes }))
	var whole bytes.Buffer // nothing half-written
	if err := pageTemplate().Execute(&whole, p); err != nil {
		return err
	}
	_, err := whole.WriteTo(w)
	return err
}

func cellsOf(pair [2]report.Brief) [8]string {
	var cells [8]string
	for i, u := range pair {
		cells[i] = strconv.Itoa(u.Campaigns)
		cells[2+i], cells[4+i], cells[6+i] = "–", "–", "–"
		if u.Campaigns > 0 {
			cells[2+i] = fmt.Sprintf("%.2f", u.Mean)
			cells[4+i] = fmt.Sprintf("%.2f", u.Max)
			cells[6+i] = fmt.Sprintf("%.0f", u.MeanFlow)
		}
	}
	return cells
}

// gantt draws the schedule of a run, a row for each processor.
func (d *demo) gantt(title string, m *measured, span ostrich.Duration) template.HTML {
	panel := svg.Panel{Lanes: make([]string, procs), Boxes: d.boxes(m.Started)}
	if m.Now > 0 && !m.Over {
		panel.Now = hours(ostrich.Duration(m.Now - begin))
	}
	axis := svg.UpTo("", hours(span))
	axis.Max = hours(span)
	for i := range axis.Ticks {
		axis.Ticks[i].Label += " h"
	}
	chart := svg.Gantt{
		Text: title + ": the jobs, a row for each processor, coloured by user", Width: 960, Lane: 9, X: axis, Panels: []svg.Panel{panel},
	}
	return chart.Draw().Inline()
}

// boxes returns the jobs of a schedule, in hours. A job is drawn on the free
// processors with the lowest numbers; which ones it had does not matter to the
// emulation.
func (d *demo) boxes(jobs []report.Job) []svg.Box {
	user := make(map[ostrich.UserID]int)
	for i, u := range d.Users {
		user[u.UID] = i
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b report.Job) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	var list []svg.Box
	for i, blocks := range report.Allocate(jobs, procs) {
		j := &jobs[i]
		for _, b := range blocks {
			list = append(list, svg.Box{
				From: hours(ostrich.Duration(j.Start - begin)), To: hours(ostrich.Duration(j.End - begin)),
				Top: float64(b.First), Height: float64(b.Last - b.First + 1), Class: "u" + strconv.Itoa(user[j.User]), What: d.Users[user[j.User]].Name,
			})
		}
	}
	return list
}

// compare draws two bars for each user.
func (r *Result) compare(title string, of func(*report.Brief) float64) template.HTML {
	chart := svg.Rows{Title: title, Text: title + " of each user", Width: 430, Bars: true}
	most := 1.0
	for i := range len(r.Users) + 1 {
		row := svg.Row{Name: "all"}
		if i < len(r.Users) {
			row.Name = r.Users[i].Name
		}
		for k, u := range r.pair(i) {
			at := of(&u)
			most = max(most, at)
			v := svg.Value{Class: []string{"r0", "r1"}[k], At: at, Label: "–"}
			if u.Campaigns > 0 {
				v.Label = fmt.Sprintf("%.2f", at)
			}
			row.Values = append(row.Values, v)
		}
		chart.Rows = append(chart.Rows, row)
	}
	chart.X = svg.UpTo("", most)
	return chart.Draw().Inline()
}
