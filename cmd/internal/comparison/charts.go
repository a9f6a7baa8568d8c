package comparison

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
)

// charts is what the charts need beside the figures.
type charts struct {
	busy  [][]float64 // by run, the utilisation in each part of the window
	part  float64     // length of a part, in seconds
	gantt *gantt      // nil if none was asked for
}

func (s *studied) chartData() charts {
	c := charts{part: float64(s.part()), gantt: s.gantt()}
	for r := range s.runs {
		c.busy = append(c.busy, s.runs[r].busy)
	}
	return c
}

// A chart has room for labels around it.
const (
	chartWidth, chartHeight = 520.0, 270.0
	chartLeft, chartRight   = 46.0, 14.0
	chartTop, chartBottom   = 10.0, 44.0
)

// axes draws the frame of a chart of parts of a whole, 0 to 100 %, and tells
// where a part is.
func axes(d *drawing, what string) (y func(float64) float64) {
	y = func(part float64) float64 { return chartTop + (1-part)*(d.height-chartTop-chartBottom) }
	for i := range 5 {
		part := float64(i) / 4
		d.line("grid", chartLeft, y(part), d.width-chartRight, y(part))
		d.write("", "end", chartLeft-6, y(part)+4, fmt.Sprintf("%.0f %%", 100*part))
	}
	d.write("", "middle", (chartLeft+d.width-chartRight)/2, d.height-6, what)
	return y
}

// tick is a value with its label.
type tick struct {
	at    float64
	label string
}

// distribution draws, for each run, which part of the values is at most x. scale
// makes x linear, from 0 up.
func distribution(title, what string, quantiles [][]float64, ticks []tick, scale func(float64) float64) template.HTML {
	d := &drawing{width: chartWidth, height: chartHeight, title: title}
	y := axes(d, what)
	most := 0.0
	for _, q := range quantiles {
		most = max(most, scale(q[len(q)-1]))
	}
	if most == 0 {
		most = 1
	}
	x := func(v float64) float64 {
		return chartLeft + min(max(scale(v), 0)/most, 1)*(d.width-chartLeft-chartRight)
	}
	right := math.Inf(-1)
	for _, t := range ticks {
		if scale(t.at) > most*1.0001 || x(t.at)-right < 34 {
			continue
		}
		right = x(t.at)
		d.line("grid", x(t.at), chartTop, x(t.at), d.height-chartBottom)
		d.write("", "middle", x(t.at), d.height-chartBottom+16, t.label)
	}
	for r, q := range quantiles {
		var points [][2]float64
		for i, v := range q {
			points = append(points, [2]float64{x(v), y(float64(i) / float64(len(q)-1))})
		}
		d.steps("curve "+style(r), points)
	}
	return d.svg()
}

// stretchChart is the distribution of the campaigns' stretch.
func (c *Comparison) stretchChart() template.HTML {
	var ticks []tick
	for unit := 1.0; unit < 1e12; unit *= 10 {
		for _, f := range []float64{1, 2, 5} {
			ticks = append(ticks, tick{f * unit, format.Grouped(f * unit)})
		}
	}
	return distribution("Which part of the campaigns has at most a stretch", "stretch of a campaign", c.quantiles(func(f *Figures) []float64 { return f.StretchQuantiles }),
		ticks, func(v float64) float64 { return math.Log(max(v, 1)) })
}

// waitChart is the distribution of the jobs' waits.
func (c *Comparison) waitChart() template.HTML {
	const minute, hour, day = 60, 3600, 86400
	ticks := []tick{
		{0, "0"},
		{minute, "1 min"},
		{10 * minute, "10 min"},
		{hour, "1 h"},
		{6 * hour, "6 h"},
		{day, "1 d"},
		{3 * day, "3 d"},
		{10 * day, "10 d"},
		{30 * day, "30 d"},
		{100 * day, "100 d"},
		{365 * day, "365 d"},
	}
	return distribution("Which part of the jobs waits at most for a time", "wait of a job", c.quantiles(func(f *Figures) []float64 { return f.WaitQuantiles }),
		ticks, func(v float64) float64 { return math.Log(1 + v/minute) })
}

func (c *Comparison) quantiles(of func(*Figures) []float64) [][]float64 {
	var list [][]float64
	for i := range c.Runs {
		list = append(list, of(&c.Runs[i]))
	}
	return list
}

// utilisationChart shows the utilisation over the window.
func (c *Comparison) utilisationChart() template.HTML {
	d := &drawing{width: 2 * chartWidth, height: chartHeight - 50, title: "Utilisation of the processors over the window"}
	y := axes(d, "")
	window := float64(c.To - c.From)
	x := func(t float64) float64 { return chartLeft + min(t/window, 1)*(d.width-chartLeft-chartRight) }
	for i := range 5 {
		at := window * float64(i) / 4
		anchor := []string{"start", "middle", "middle", "middle", "end"}[i]
		d.line("grid", x(at), chartTop, x(at), d.height-chartBottom)
		d.write("", anchor, x(at), d.height-chartBottom+16, moment(c.From+(c.To-c.From)*ostrich.Time(i)/4, c.location))
	}
	for r, busy := range c.charts.busy {
		var points [][2]float64
		for i, b := range busy {
			points = append(points, [2]float64{x(float64(i) * c.charts.part), y(min(b, 1))}, [2]float64{x(float64(i+1) * c.charts.part), y(min(b, 1))})
		}
		d.steps("curve "+style(r), points)
	}
	return d.svg()
}

// changeChart shows the differences of all measures in per cent of the baseline.
func (c *Comparison) changeChart() template.HTML {
	type bar struct {
		run            int
		value          float64
		low, high      float64
		sure, interval bool
	}
	type row struct {
		name string
		bars []bar
	}
	var rows []row
	most := 0.05
	for m, about := range measures {
		if about.show == longOnly {
			continue
		}
		one := row{name: about.name}
		if about.good > 0 {
			one.name += " (more is better)"
		}
		for i := range c.Differences {
			d := &c.Differences[i]
			if d.Measure != measures[m].key || d.Baseline == 0 {
				continue
			}
			b := bar{run: c.runIndex(d.Run), value: d.Difference / d.Baseline, sure: d.clear() || d.Reading == NoneFor}
			most = max(most, math.Abs(b.value))
			if d.Interval != nil {
				b.interval, b.low, b.high = true, d.Interval.Low/d.Baseline, d.Interval.High/d.Baseline
				most = max(most, min(math.Abs(b.low), 2*math.Abs(b.value)+0.2), min(math.Abs(b.high), 2*math.Abs(b.value)+0.2))
			}
			one.bars = append(one.bars, b)
		}
		if len(one.bars) > 0 {
			rows = append(rows, one)
		}
	}
	const left, right, top, bottom, lane = 250.0, 26.0, 10.0, 44.0, 13.0
	d := &drawing{width: 2 * chartWidth, title: "Differences of the measures in per cent of " + c.Baseline, height: top + bottom}
	for _, r := range rows {
		d.height += lane*float64(len(r.bars)) + 8
	}
	x := signedAxis(d, left, right, top, bottom, min(most, 10), 0.1, func(part float64) string {
		return format.Signed(part, format.Number(100*math.Abs(part))) + " %"
	})
	d.write("", "middle", x(0), d.height-6, "difference from "+c.Baseline+", per cent of it")
	y := top
	for _, r := range rows {
		height := lane*float64(len(r.bars)) + 8
		d.write("name", "end", left-12, y+height/2+4, r.name)
		for i, b := range r.bars {
			at := y + 4 + lane*(float64(i)+0.5)
			if b.interval {
				d.line("whisker "+style(b.run), x(b.low), at, x(b.high), at)
			}
			class := "dot "
			if b.interval && !b.sure {
				class = "hollow "
			}
			d.mark(class+style(b.run), b.run, x(b.value), at)
		}
		y += height
		d.line("grid", left, y, d.width-right, y)
	}
	return d.svg()
}

func (c *Comparison) runIndex(name string) int {
	return slices.IndexFunc(c.Runs, func(f Figures) bool { return f.Run == name })
}

// signedAxis draws an axis from −most to most that is linear around 0, up to
// about knee, and logarithmic far from it, and tells where a value is.
func signedAxis(d *drawing, left, right, top, bottom, most, knee float64, label func(float64) string) (x func(float64) float64) {
	end := math.Asinh(most / knee)
	x = func(v float64) float64 {
		return left + (min(max(math.Asinh(v/knee)/end, -1), 1)+1)/2*(d.width-left-right)
	}
	d.line("zero", x(0), top, x(0), d.height-bottom)
	d.write("", "middle", x(0), d.height-bottom+16, "0")
	for _, side := range []float64{-1, 1} {
		last := x(0)
		for unit := knee / 100; unit <= most; unit *= 10 {
			for _, f := range []float64{1, 2, 5} {
				at := x(side * f * unit)
				if f*unit > most || math.Abs(at-last) < 56 {
					continue
				}
				last = at
				d.line("grid", at, top, at, d.height-bottom)
				d.write("", "middle", at, d.height-bottom+16, label(side*f*unit))
			}
		}
	}
	return x
}

// userChart shows the change of the mean stretch of users, with intervals,
// as signedAxis has them.
func (c *Comparison) userChart(run string, users []*User) template.HTML {
	const left, right, top, bottom, lane = 170.0, 24.0, 8.0, 44.0, 18.0
	most := 0.5
	for _, u := range users {
		change := &u.change(run).Stretch
		most = max(most, math.Abs(change.Difference))
		if i := change.Interval; i != nil {
			most = max(most, min(max(math.Abs(i.Low), math.Abs(i.High)), 3*math.Abs(change.Difference)+1))
		}
	}
	d := &drawing{
		width: 2 * chartWidth, height: top + bottom + lane*float64(len(users)),
		title: "Change of the mean stretch of users under " + run,
	}
	x := signedAxis(d, left, right, top, bottom, most*1.05, 1, signed)
	d.write("", "middle", x(0), d.height-6, "change of the mean stretch: left of 0 better, right of 0 worse")
	r := c.runIndex(run)
	for i, u := range users {
		y := top + lane*(float64(i)+0.5)
		d.name("name", left-10, y+4, u.Name, 22)
		change := &u.change(run).Stretch
		if change.Interval != nil {
			d.line("whisker "+style(r), x(change.Interval.Low), y, x(change.Interval.High), y)
		}
		class := "hollow "
		if change.Reading == Better || change.Reading == Worse {
			class = "dot "
		}
		d.mark(class+style(r), r, x(change.Difference), y)
	}
	return d.svg()
}
