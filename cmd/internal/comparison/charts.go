package comparison

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// PageWidth is the width of charts as wide as the page.
const PageWidth = 1040

// parts returns an axis of parts of a whole.
func parts() svg.Axis {
	return svg.Quarters("", 0, 1, func(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) })
}

// distribution draws, for each run, the part of the values that is at most x. The
// axis has no end yet.
func (c *Comparison) distribution(text string, x svg.Axis, quantiles func(*Figures) []float64) template.HTML {
	chart := svg.Chart{Text: text, Width: PageWidth / 2, Height: 270, X: x, Y: parts()}
	for r := range c.Runs {
		q := quantiles(&c.Runs[r])
		chart.X.Max = max(chart.X.Min, chart.X.Max, q[len(q)-1])
		s := svg.Series{Class: "curve " + svg.Run(r)}
		for i, v := range q {
			s.Points = append(s.Points, svg.Point{X: v, Y: float64(i) / float64(len(q)-1)})
		}
		chart.Series = append(chart.Series, s)
	}
	return chart.Draw().Inline()
}

// stretchChart draws the distribution of the campaigns' stretch.
func (c *Comparison) stretchChart() template.HTML {
	x := svg.Axis{Title: "stretch of a campaign", Min: 1, Scale: math.Log}
	for unit := 1.0; unit < 1e12; unit *= 10 {
		for _, f := range []float64{1, 2, 5} {
			x.Ticks = append(x.Ticks, svg.Tick{At: f * unit, Label: format.Grouped(f * unit)})
		}
	}
	return c.distribution("Which part of the campaigns has at most a stretch", x, func(f *Figures) []float64 { return f.StretchQuantiles })
}

// waitChart draws the distribution of the jobs' waits.
func (c *Comparison) waitChart() template.HTML {
	const minute, hour, day = 60, 3600, 86400
	x := svg.Axis{
		Title: "wait of a job", Scale: func(v float64) float64 { return math.Log(1 + v/minute) },
		Ticks: []svg.Tick{
			{At: 0, Label: "0"},
			{At: minute, Label: "1 min"},
			{At: 10 * minute, Label: "10 min"},
			{At: hour, Label: "1 h"},
			{At: 6 * hour, Label: "6 h"},
			{At: day, Label: "1 d"},
			{At: 3 * day, Label: "3 d"},
			{At: 10 * day, Label: "10 d"},
			{At: 30 * day, Label: "30 d"},
			{At: 100 * day, Label: "100 d"},
			{At: 365 * day, Label: "365 d"},
		},
	}
	return c.distribution("Which part of the jobs waits at most for a time", x, func(f *Figures) []float64 { return f.WaitQuantiles })
}

func times(from, to ostrich.Time, in *time.Location) svg.Axis {
	return svg.Quarters("", float64(from), float64(to), func(t float64) string { return moment(ostrich.Time(t), in) })
}

// utilisationChart draws the utilisation over the window.
func (c *Comparison) utilisationChart() template.HTML {
	chart := svg.Chart{
		Text: "Utilisation of the processors over the window", Width: PageWidth, Height: 220,
		X: times(c.From, c.To, c.s.in.Location), Y: parts(),
	}
	part := float64(c.s.part())
	for r := range c.Runs {
		s := svg.Series{Class: "curve " + svg.Run(r)}
		for i, b := range c.s.runs[r].busy {
			at := float64(c.From) + float64(i)*part
			s.Points = append(s.Points, svg.Point{X: at, Y: b}, svg.Point{X: at + part, Y: b})
		}
		chart.Series = append(chart.Series, s)
	}
	return chart.Draw().Inline()
}

// changeChart draws the differences of all measures in per cent of the baseline.
func (c *Comparison) changeChart() template.HTML {
	chart := svg.Rows{Text: "Differences of the measures in per cent of " + c.Baseline, Width: PageWidth}
	most := 0.05
	for _, about := range measures {
		if about.Show == report.LongOnly {
			continue
		}
		row := svg.Row{Name: about.Label()}
		for i := range c.Differences {
			d := &c.Differences[i]
			if d.Measure != about.Key || d.Baseline == 0 {
				continue
			}
			sure := d.Interval == nil || d.Reading.clear() || d.Reading == NoneFor
			v := c.value(d.Run, d.Difference/d.Baseline, d.Interval, d.Baseline, sure)
			most = max(most, math.Abs(v.At))
			if d.Interval != nil {
				most = max(most, min(math.Abs(v.Low), 2*math.Abs(v.At)+0.2), min(math.Abs(v.High), 2*math.Abs(v.At)+0.2))
			}
			row.Values = append(row.Values, v)
		}
		if len(row.Values) > 0 {
			chart.Rows = append(chart.Rows, row)
		}
	}
	chart.X = Differences(c.Baseline, most)
	return chart.Draw().Inline()
}

// Differences returns an axis of differences, as parts of the baseline.
func Differences(baseline string, most float64) svg.Axis {
	return svg.Signed("difference from "+baseline+", per cent of it", min(most, 10), 0.1, func(part float64) string {
		return format.Signed(part, format.Number(100*math.Abs(part))) + " %"
	})
}

// value returns a difference of a run with its interval, as parts of a whole. It is
// hollow if the difference is not sure.
func (c *Comparison) value(run string, x float64, interval *report.Interval, whole float64, sure bool) svg.Value {
	r := slices.IndexFunc(c.Runs, func(f Figures) bool { return f.Run == run })
	v := svg.Value{Class: svg.Run(r), Number: r, At: x, Low: math.NaN(), High: math.NaN(), Hollow: !sure}
	if interval != nil {
		v.Low, v.High = interval.Low/whole, interval.High/whole
	}
	return v
}

// ratioValue returns a ratio with its interval as differences from 1, and how far an axis has to reach for it.
func ratioValue(ratio float64, interval *report.Interval, reading Reading) (v svg.Value, reach float64) {
	v = svg.Value{Class: svg.Run(1), Number: 1, At: ratio - 1, Low: math.NaN(), High: math.NaN(), Hollow: !reading.clear()}
	reach = 1.1 * math.Abs(v.At)
	if interval != nil {
		v.Low, v.High = interval.Low-1, interval.High-1
		reach = max(reach, min(max(math.Abs(v.Low), math.Abs(v.High)), 3*math.Abs(v.At)+1))
	}
	return v, reach
}

// userChart draws the change of the mean stretch of users, with intervals.
func (c *Comparison) userChart(run string, users []*User) template.HTML {
	chart := svg.Rows{Text: "Change of the mean stretch of users under " + run, Width: PageWidth}
	most := 0.5
	for _, u := range users {
		change := &u.change(run).Stretch
		v := c.value(run, change.Difference, change.Interval, 1, change.Reading == Better || change.Reading == Worse)
		most = max(most, math.Abs(v.At))
		if change.Interval != nil {
			most = max(most, min(max(math.Abs(v.Low), math.Abs(v.High)), 3*math.Abs(v.At)+1))
		}
		chart.Rows = append(chart.Rows, svg.Row{Name: u.Name, Values: []svg.Value{v}})
	}
	chart.X = svg.Signed("change of the mean stretch: left of 0 better, right of 0 worse", most*1.05, 1, signed)
	return chart.Draw().Inline()
}
