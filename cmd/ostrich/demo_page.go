package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

//go:embed demo.html.tmpl
var demoTemplateText string

var demoTemplate = template.Must(template.New("demo").Funcs(template.FuncMap{"drawings": svg.Style}).Parse(demoTemplateText))

// demoPage is what the template is filled with.
type demoPage struct {
	Live    bool // loads itself again
	About   []string
	Caveat  string
	Legend  []legend
	Runs    [2]demoChart
	Panels  [2]template.HTML
	Table   []demoRow
	All     demoRow
	Figures []figureRow
}

// legend is a user and a colour.
type legend struct {
	Class, Name, Account, About string
}

// demoChart is the schedule of one run.
type demoChart struct {
	Title   string
	Chart   template.HTML
	Going   bool
	Caption string
}

// demoRow is a line of the table.
type demoRow struct {
	Class, Name string
	Cells       [8]string
}

// figureRow is a line about the runs as a whole.
type figureRow struct {
	Name  string
	Cells [2]string
}

// page writes the page of the runs as they stand.
func (d *demo) page(w io.Writer, runs [2]demoRun) error {
	p := demoPage{About: d.about(runs), Caveat: demoCaveat}
	var both [2]measured
	span := ostrich.Duration(0)
	for i := range runs {
		both[i] = d.measure(&runs[i])
		p.Live = p.Live || !runs[i].Over
		if runs[i].Now > 0 {
			span = max(span, ostrich.Duration(runs[i].Now-demoBegin))
		}
	}
	// A page that is live keeps its scale for as long as it can.
	span = max(span, ostrich.Duration(d.Hours)*3600)
	for i, u := range d.Users {
		p.Legend = append(p.Legend, legend{demoClass(i), u.Name, u.Account, u.About})
	}
	titles := [2]string{"Stock fairshare", "OStrich"}
	for i := range runs {
		g := demoChart{Title: titles[i], Going: !runs[i].Over, Chart: d.gantt(titles[i], &runs[i], both[i].Jobs, span)}
		g.Caption = fmt.Sprintf("utilisation %.3f over %.1f h, %d of %d jobs ended", both[i].Utilisation, hours(both[i].Makespan), runs[i].ended, d.Total)
		p.Runs[i] = g
	}
	p.Panels = [2]template.HTML{
		d.compare("Mean stretch", both, func(u report.User) float64 { return u.MeanStretch }),
		d.compare("Maximum stretch", both, func(u report.User) float64 { return u.MaxStretch }),
	}
	for i, u := range d.Users {
		p.Table = append(p.Table, demoRow{demoClass(i), u.Name, cellsOf(both[0].Users[i], both[1].Users[i])})
	}
	p.All = demoRow{"", "all", cellsOf(both[0].All, both[1].All)}
	pair := func(name, format string, of func(i int) any) {
		p.Figures = append(p.Figures, figureRow{name, [2]string{fmt.Sprintf(format, of(0)), fmt.Sprintf(format, of(1))}})
	}
	pair("utilisation", "%.3f", func(i int) any { return both[i].Utilisation })
	pair(d.early(), "%.3f", func(i int) any { return both[i].Early })
	pair("makespan (h)", "%.1f", func(i int) any { return hours(both[i].Makespan) })
	pair("cycles of the sidecar", "%d", func(i int) any { return runs[i].Cycles })
	pair("values written", "%d", func(i int) any { return runs[i].Writes })
	var whole bytes.Buffer // nothing half-written
	if err := demoTemplate.Execute(&whole, p); err != nil {
		return err
	}
	_, err := whole.WriteTo(w)
	return err
}

func cellsOf(a, b report.User) [8]string {
	var cells [8]string
	for i, u := range [2]report.User{a, b} {
		cells[i] = strconv.Itoa(u.Campaigns)
		cells[2+i], cells[4+i], cells[6+i] = "–", "–", "–"
		if u.Campaigns > 0 {
			cells[2+i] = fmt.Sprintf("%.2f", u.MeanStretch)
			cells[4+i] = fmt.Sprintf("%.2f", u.MaxStretch)
			cells[6+i] = fmt.Sprintf("%.0f", meanFlow(u))
		}
	}
	return cells
}

// gantt draws the schedule of a run, a row for each processor.
func (d *demo) gantt(title string, r *demoRun, jobs []report.Job, span ostrich.Duration) template.HTML {
	panel := svg.Panel{Lanes: make([]string, demoProcs), Boxes: d.boxes(jobs)}
	if r.Now > 0 && !r.Over {
		panel.Now = hours(ostrich.Duration(r.Now - demoBegin))
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

// boxes are the jobs of a schedule, in hours. A job is drawn on the free
// processors with the lowest numbers; which ones it had does not matter to the
// emulation.
func (d *demo) boxes(jobs []report.Job) []svg.Box {
	user := make(map[ostrich.UserID]int)
	for i, u := range d.Users {
		user[u.UID] = i
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b report.Job) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	var free [demoProcs]ostrich.Time // when each processor is
	var list []svg.Box
	for _, j := range jobs {
		left := j.Procs
		for l := 0; l < demoProcs && left > 0; l++ {
			first := l
			for l < demoProcs && left > 0 && free[l] <= j.Start {
				free[l] = j.End
				left--
				l++
			}
			if l > first {
				list = append(list, svg.Box{
					From: hours(ostrich.Duration(j.Start - demoBegin)), To: hours(ostrich.Duration(j.End - demoBegin)),
					Top: float64(first), Height: float64(l - first), Class: demoClass(user[j.User]), What: d.Users[user[j.User]].Name,
				})
			}
		}
	}
	return list
}

// demoClass is the class of the colour of a user.
func demoClass(user int) string { return "u" + strconv.Itoa(user) }

// compare draws two bars for each user.
func (d *demo) compare(title string, both [2]measured, of func(report.User) float64) template.HTML {
	chart := svg.Rows{Title: title, Text: title + " of each user", Width: 430, Bars: true}
	most := 1.0
	line := func(name string, pair ...report.User) {
		row := svg.Row{Name: name}
		for k, u := range pair {
			most = max(most, of(u))
			v := svg.Value{Class: []string{"r0", "r1"}[k], At: of(u), Label: "–"}
			if u.Campaigns > 0 {
				v.Label = fmt.Sprintf("%.2f", of(u))
			}
			row.Values = append(row.Values, v)
		}
		chart.Rows = append(chart.Rows, row)
	}
	for i, u := range d.Users {
		line(u.Name, both[0].Users[i], both[1].Users[i])
	}
	line("all", both[0].All, both[1].All)
	chart.X = svg.UpTo("", most)
	return chart.Draw().Inline()
}
