package statuspage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/ostrich"
)

// trendView is how wait and stretch went.
type trendView struct {
	Words  string
	Legend []link // the Link is a class
	Charts []chart
	Heads  []string
	Rows   []trendRow
}

type trendRow struct {
	At    moment
	Cells []string
}

// chart is one small drawing of lines, 120 pixels high below a head of 14.
type chart struct {
	Title, Words string
	Levels       []level
	Curves       []curve
	Ticks        []tick
}

// level is a horizontal line with its value; Y is in pixels.
type level struct {
	Y     int
	Label string
}

// curve is a line in thousandths of the width and the height.
type curve struct{ Class, Path string }

const (
	chartHead   = 14
	chartHeight = 120
)

// series are the lines of a chart, and the columns of the table.
var series = []struct {
	name, class string
	of          func(s *live.Spread) (quantile float64)
}{
	{"median", "k0", func(s *live.Spread) float64 { return s.P50 }},
	{"90th percentile", "k0 upper", func(s *live.Spread) float64 { return s.P90 }},
}

var measures = []struct {
	name  string
	write func(x float64) string
	of    func(p *live.Point) *live.Spread
}{
	{"wait", format.Span, func(p *live.Point) *live.Spread { return &p.Wait }},
	{"stretch", format.Rounded, func(p *live.Point) *live.Spread { return &p.Stretch }},
}

// trends returns nil if there is nothing to draw.
func (b *builder) trends() *trendView {
	points := b.s.Trends.Points
	seen := func(p live.Point) bool { return p.Wait.Count > 0 || p.Stretch.Count > 0 }
	if !slices.ContainsFunc(points, seen) {
		return nil
	}
	step := max(1, b.s.Trends.Step)
	v := &trendView{Words: fmt.Sprintf("Of jobs that started and of campaigns that ended, in steps of %s.", format.Span(float64(step)))}
	for _, s := range series {
		v.Legend = append(v.Legend, link{s.name, s.class})
	}
	v.Rows = make([]trendRow, len(points)) // the latest first
	for i := range points {
		v.Rows[len(points)-1-i].At = b.clock.at(float64(points[i].Time))
	}
	for _, m := range measures {
		c := chart{Title: strings.ToUpper(m.name[:1]) + m.name[1:], Ticks: b.past(points[0].Time)}
		words := []string{fmt.Sprintf("%s over %s", m.name, format.Counted(len(points), "step"))}
		values := make([][]float64, len(series)) // by point, NaN where nothing was counted
		top := 0.0
		for k, s := range series {
			v.Heads = append(v.Heads, m.name+", "+s.name)
			last := ""
			for i := range points {
				x, cell := math.NaN(), "–"
				if of := m.of(&points[i]); of.Count > 0 {
					x = s.of(of)
					cell = m.write(x)
					top, last = max(top, x), fmt.Sprintf("%s at last %s", s.name, cell)
				}
				values[k] = append(values[k], x)
				row := &v.Rows[len(points)-1-i]
				row.Cells = append(row.Cells, cell)
			}
			if last != "" {
				words = append(words, last)
			}
		}
		top = ceiling(top, m.name == "wait")
		for i := range 3 {
			l := level{Y: chartHead + chartHeight*i/2}
			if i < 2 { // the curves lie where 0 would be written
				l.Label = m.write(top * float64(2-i) / 2)
			}
			c.Levels = append(c.Levels, l)
		}
		for k, s := range series {
			c.Curves = append(c.Curves, curve{s.class, path(points, step, b.s.Health.Now, top, values[k])})
		}
		c.Words = strings.Join(words, "; ")
		v.Charts = append(v.Charts, c)
	}
	return v
}

// ceiling returns a round number not below x, for an axis.
func ceiling(x float64, seconds bool) float64 {
	if seconds {
		for _, round := range []float64{60, 120, 300, 600, 1200, 1800, 3600, 2 * 3600, 3 * 3600, 4 * 3600, 6 * 3600, 8 * 3600, 12 * 3600, 24 * 3600} {
			if x <= round {
				return round
			}
		}
		return 2 * 86400 * math.Ceil(x/(2*86400))
	}
	power := math.Pow(10, math.Floor(math.Log10(max(x, 1))))
	for _, f := range []float64{1, 2, 3, 4, 6, 8, 10} {
		if x <= f*power {
			return f * power
		}
	}
	return 10 * power
}

// path draws one line; it breaks where a step is missing.
func path(points []live.Point, step ostrich.Duration, now ostrich.Time, top float64, values []float64) string {
	var d strings.Builder
	from := points[0].Time
	whole := float64(max(1, now-from))
	var before ostrich.Time
	open := false
	for i := range points {
		p := &points[i]
		if math.IsNaN(values[i]) {
			open = false
			continue
		}
		middle := min(1, (float64(p.Time-from)+float64(step)/2)/whole)
		px, py := 1000*middle, 1000*(1-min(values[i], top)/top)
		if open && p.Time-before <= ostrich.Time(step) {
			fmt.Fprintf(&d, "L%.0f %.0f", px, py)
		} else {
			fmt.Fprintf(&d, "M%.0f %.0fh1", px, py) // so that a step alone shows as well
		}
		open, before = true, p.Time
	}
	return d.String()
}

// past returns the two ends of an axis from a moment to now.
func (b *builder) past(from ostrich.Time) []tick {
	begin := b.clock.at(float64(from))
	return []tick{{X: "0", Label: begin.Absolute + ", " + begin.Relative, Anchor: "start"}, {X: "100", Label: "now", Anchor: "end"}}
}
