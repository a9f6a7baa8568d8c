package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

//go:embed demo.html.tmpl
var demoTemplateText string

var demoTemplate = template.Must(template.New("demo").Parse(demoTemplateText))

// The drawings, in units of their own: a page scales them to its width.
const (
	ganttWidth = 960.0
	ganttLane  = 9.0 // height of a processor
	barsWidth  = 330.0
)

// demoPage is what the template is filled with.
type demoPage struct {
	Live    bool // loads itself again
	About   []string
	Caveat  string
	Legend  []legend
	Gantts  [2]gantt
	Axis    axis
	Panels  [2]panel
	Table   []demoRow
	All     demoRow
	Figures []figureRow
}

// legend is a user and a colour.
type legend struct {
	Class, Name, Account, About string
}

// gantt is the schedule of one run.
type gantt struct {
	Title   string
	Users   []lanes
	Now     float64 // where the run stands, while it goes on
	Going   bool
	Caption string
}

// lanes are the jobs of one user, as the data of one path.
type lanes struct {
	Class, Name string
	Path        string
}

// axis is the time below the schedules.
type axis struct {
	Width, Height float64
	Total         float64 // height with the numbers
	Ticks         []tick
}

type tick struct {
	At   float64
	Text string
}

// panel compares the runs user by user.
type panel struct {
	Title  string
	Height float64
	Total  float64 // height with title and numbers
	Ticks  []tick
	Rows   []panelRow
}

type panelRow struct {
	Name   string
	Y      float64
	Bars   [2]float64 // lengths
	Values [2]string
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
	scale := ganttWidth / float64(span)
	p.Axis = axis{Width: ganttWidth, Height: ganttLane * demoProcs, Total: ganttLane*demoProcs + 20, Ticks: ticksOf(hours(span), 12, ganttWidth, " h")}
	for i, u := range d.Users {
		p.Legend = append(p.Legend, legend{fmt.Sprint("u", i), u.Name, u.Account, u.About})
	}
	titles := [2]string{"Stock fairshare", "OStrich"}
	for i := range runs {
		g := gantt{Title: titles[i], Going: !runs[i].Over, Users: d.draw(both[i].Jobs, scale)}
		if runs[i].Now > 0 {
			g.Now = float64(runs[i].Now-demoBegin) * scale
		}
		g.Caption = fmt.Sprintf("utilisation %.3f over %.1f h, %d of %d jobs ended", both[i].Utilisation, hours(both[i].Makespan), runs[i].ended, d.Total)
		p.Gantts[i] = g
	}
	p.Panels = [2]panel{
		d.compare("Mean stretch", both, func(u report.User) float64 { return u.MeanStretch }),
		d.compare("Maximum stretch", both, func(u report.User) float64 { return u.MaxStretch }),
	}
	for i, u := range d.Users {
		p.Table = append(p.Table, demoRow{fmt.Sprint("u", i), u.Name, cellsOf(both[0].Users[i], both[1].Users[i])})
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

// draw makes the paths of a schedule. A job is drawn on the free processors
// with the lowest numbers; which ones it had does not matter to the emulation.
func (d *demo) draw(jobs []report.Job, scale float64) []lanes {
	list := make([]lanes, len(d.Users))
	paths := make([]strings.Builder, len(d.Users))
	index := make(map[ostrich.UserID]int)
	for i, u := range d.Users {
		list[i].Class, list[i].Name = fmt.Sprint("u", i), u.Name
		index[u.UID] = i
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b report.Job) int {
		if a.Start != b.Start {
			return int(a.Start - b.Start)
		}
		return int(a.ID) - int(b.ID)
	})
	var free [demoProcs]ostrich.Time // when each processor is
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
				x, wide := float64(j.Start-demoBegin)*scale, float64(j.End-j.Start)*scale
				fmt.Fprintf(&paths[index[j.User]], "M%s %sh%sv%sh-%[3]sz",
					short(x), short(float64(first)*ganttLane), short(wide), short(float64(l-first)*ganttLane))
			}
		}
	}
	for i := range list {
		list[i].Path = paths[i].String()
	}
	return list
}

// short writes a coordinate with one decimal at most.
func short(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// compare makes a panel of bars, two for each user.
func (d *demo) compare(title string, both [2]measured, of func(report.User) float64) panel {
	const row, top = 36.0, 8.0
	p := panel{Title: title, Height: top + row*float64(len(d.Users)+1)}
	p.Total = p.Height + 45
	most := 1.0
	for _, m := range both {
		for _, u := range m.Users {
			most = max(most, of(u))
		}
	}
	p.Ticks = ticksOf(most, 5, barsWidth, "")
	line := func(name string, i int, pair [2]report.User) {
		r := panelRow{Name: name, Y: top + row*float64(i)}
		for k, u := range pair {
			r.Bars[k] = math.Round(10*of(u)/most*barsWidth) / 10
			r.Values[k] = "–"
			if u.Campaigns > 0 {
				r.Values[k] = fmt.Sprintf("%.2f", of(u))
			}
		}
		p.Rows = append(p.Rows, r)
	}
	for i, u := range d.Users {
		line(u.Name, i, [2]report.User{both[0].Users[i], both[1].Users[i]})
	}
	line("all", len(d.Users), [2]report.User{both[0].All, both[1].All})
	return p
}

// ticksOf are at most so many round numbers from 0 to the end of a scale.
func ticksOf(end float64, most int, width float64, unit string) []tick {
	step := 1.0
	for _, s := range []float64{1, 2, 3, 5, 6, 10, 12, 20, 24, 50, 100, 200, 500, 1000} {
		step = s
		if end/s <= float64(most) {
			break
		}
	}
	var list []tick
	for x := 0.0; x <= end; x += step {
		list = append(list, tick{math.Round(10*x/end*width) / 10, fmt.Sprintf("%g%s", x, unit)})
	}
	return list
}
