package figures

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of all charts. Those of data are from the palette of Okabe and
// Ito, which stays apart for those who see few colours, and differ in lightness.
var (
	ink        = color.NRGBA{0x1b, 0x1e, 0x23, 0xff}
	gridColour = color.NRGBA{0xe1, 0xe4, 0xe9, 0xff}
	old        = color.NRGBA{0xd5, 0x5e, 0x00, 0xff} // what a paper sets out from: FCFS, the log
	fair       = color.NRGBA{0x00, 0x72, 0xb2, 0xff} // what it proposes: FairCamp, OStrich
)

// chartStyle has the colours of charts on a dark page. The chart library writes
// colours into each element, so the rules name them.
const chartStyle = `
@media screen and (prefers-color-scheme:dark){
.chart text{fill:#e4e7ec!important}
.chart .ground{fill:#16181d}
.chart path[style*="stroke:#1B1E23"]{stroke:#a7afbd!important}
.chart path[style*="stroke:#E1E4E9"]{stroke:#2c313a!important}
.chart path[style*="stroke:#0072B2"]{stroke:#56b4e9!important}
.chart path[style*="fill:#0072B2"]{fill:#56b4e9!important}
.chart path[style*="stroke:#D55E00"]{stroke:#f0883e!important}
.chart path[style*="fill:#D55E00"]{fill:#f0883e!important}
}
`

// typeface is as wide as the fonts that stand in for it where it is missing.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

const (
	chartWidth  = 480 * vg.Inch / 72
	chartHeight = 300 * vg.Inch / 72
)

// chart is a plot in the style of all figures. It remembers the first error
// of what was added to it, for svg to return.
type chart struct {
	*plot.Plot
	width, height vg.Length
	err           error
}

// newChart is an empty chart with the titles of its axes, units included.
func newChart(title, x, y string) *chart {
	c := &chart{Plot: plot.New(), width: chartWidth, height: chartHeight}
	style := func(s *text.Style, size vg.Length) {
		s.Font = font.From(typeface, size)
		s.Color = ink
	}
	c.BackgroundColor = nil // svg paints it, margins included
	c.Title.Text = title
	c.Title.Padding = 8
	style(&c.Title.TextStyle, 12)
	for _, axis := range []*plot.Axis{&c.X, &c.Y} {
		style(&axis.Label.TextStyle, 10.5)
		style(&axis.Tick.Label, 9.5)
		axis.Color, axis.Tick.Color = ink, ink
		axis.Padding = 0
	}
	c.X.Label.Text, c.Y.Label.Text = x, y
	c.X.Label.Padding, c.Y.Label.Padding = 4, 4
	style(&c.Legend.TextStyle, 10)
	c.Legend.Top, c.Legend.Left = true, true
	c.Legend.XOffs, c.Legend.Padding = 10, 2
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = gridColour
	c.Add(grid)
	return c
}

// series is a line of data.
type series struct {
	name   string // in the legend; "" for not there
	points plotter.XYs
	colour color.NRGBA
	marks  bool
	dashed bool
	error  []float64 // half the height of the error bar of each point; nil for none
}

// line adds a line.
func (c *chart) line(s series) {
	l, err := plotter.NewLine(s.points)
	if err != nil {
		c.err = errors.Join(c.err, err)
		return
	}
	l.Color, l.Width = s.colour, 1.6
	if s.dashed {
		l.Dashes, l.Width = []vg.Length{5, 3}, 1.2
	}
	c.Add(l)
	shown := []plot.Thumbnailer{l}
	if s.marks {
		m, err := plotter.NewScatter(s.points)
		if err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
		m.GlyphStyle = draw.GlyphStyle{Color: s.colour, Radius: 2.8, Shape: draw.CircleGlyph{}}
		c.Add(m)
		shown = append(shown, m)
	}
	if s.error != nil {
		bars, err := plotter.NewYErrorBars(withErrors{s.points, s.error})
		if err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
		bars.Color, bars.Width = s.colour, 1
		c.Add(bars)
	}
	if s.name != "" {
		c.Legend.Add(s.name, shown...)
	}
}

type withErrors struct {
	plotter.XYs
	half []float64
}

func (e withErrors) YError(i int) (low, high float64) { return e.half[i], e.half[i] }

// bar is a rectangle from the base of a chart.
type bar struct{ from, to, height float64 }

// bars adds bars that stand on base, as one shape each, or as one shape for all
// if they touch. With shade the data behind them shows through.
func (c *chart) bars(name string, colour color.NRGBA, base float64, list []bar, shade bool) {
	if len(list) == 0 {
		return
	}
	touch := true
	for i := 1; i < len(list); i++ {
		touch = touch && list[i].from == list[i-1].to
	}
	var shapes []plotter.XYs
	if touch {
		outline := plotter.XYs{{X: list[0].from, Y: base}}
		for _, b := range list {
			outline = append(outline, plotter.XY{X: b.from, Y: b.height}, plotter.XY{X: b.to, Y: b.height})
		}
		shapes = append(shapes, append(outline, plotter.XY{X: list[len(list)-1].to, Y: base}))
	} else {
		for _, b := range list {
			shapes = append(shapes, plotter.XYs{{X: b.from, Y: base}, {X: b.from, Y: b.height}, {X: b.to, Y: b.height}, {X: b.to, Y: base}})
		}
	}
	fill := colour
	if shade {
		fill.A = 0x70
	}
	for i, outline := range shapes {
		shape, err := plotter.NewPolygon(outline)
		if err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
		shape.Color = fill
		shape.LineStyle.Color, shape.Width = colour, 0.6
		c.Add(shape)
		if i == 0 && name != "" {
			c.Legend.Add(name, shape)
		}
	}
}

// atRight moves the legend to the right, in front of the data by so much of
// the width of the chart.
func (c *chart) atRight(part float64) {
	c.Legend.XOffs = c.width * vg.Length(1-part)
}

// svg draws the chart into a file, with a text for those who do not see it.
func (c *chart) svg(what string) ([]byte, error) {
	if c.err != nil {
		return nil, fmt.Errorf("figures: %s: %w", c.Title.Text, c.err)
	}
	canvas := vgsvg.New(c.width, c.height)
	c.Draw(draw.Crop(draw.New(canvas), 4, -18, 4, -6))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("figures: %s: %w", c.Title.Text, err)
	}
	body := drawn.Bytes()
	at := bytes.Index(body, []byte("<g "))
	if at < 0 {
		return nil, fmt.Errorf("figures: %s: the drawing has no group", c.Title.Text)
	}
	body = bytes.ReplaceAll(body[at:], []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width="%g" height="%g" viewBox="0 0 %g %g">`+"\n",
		math.Round(c.width.Points()*1.5), math.Round(c.height.Points()*1.5), c.width.Points(), c.height.Points())
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(what), chartStyle)
	b.WriteString(`<rect class="ground" width="100%" height="100%" fill="#fff"/>` + "\n")
	b.Write(body)
	return b.Bytes(), nil
}

// picture draws the chart.
func (c *chart) picture(name, what string) (Picture, error) {
	svg, err := c.svg(what)
	return Picture{Name: name, Text: what, SVG: svg}, err
}

// logarithmic makes an axis logarithmic from min to max, with a labelled tick at
// 1, 2 and 5 times each power of ten.
func logarithmic(axis *plot.Axis, minimum, maximum float64) {
	axis.Scale = plot.LogScale{}
	axis.Min, axis.Max = minimum, maximum
	var ticks plot.ConstantTicks
	for power := math.Pow(10, math.Floor(math.Log10(minimum))); power <= maximum; power *= 10 {
		for digit := 1.0; digit < 10; digit++ {
			value := digit * power
			if value < minimum*(1-1e-9) || value > maximum*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: value}
			if digit == 1 || digit == 2 || digit == 5 {
				tick.Label = strconv.FormatFloat(value, 'f', -1, 64)
			}
			ticks = append(ticks, tick)
		}
	}
	axis.Tick.Marker = ticks
}

// linear sets an axis from min to max with a labelled tick every step.
func linear(axis *plot.Axis, minimum, maximum, step float64) {
	axis.Min, axis.Max = minimum, maximum
	var ticks plot.ConstantTicks
	for i := 0; minimum+float64(i)*step <= maximum*(1+1e-9); i++ {
		value := minimum + float64(i)*step
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'g', 6, 64)})
	}
	axis.Tick.Marker = ticks
}

// upTo sets an axis from 0 to a round number that is not below the largest
// value, with four to eight steps.
func upTo(axis *plot.Axis, largest float64) {
	step := math.Pow(10, math.Floor(math.Log10(largest)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if n := math.Ceil(largest / (step * part)); n <= 8 {
			linear(axis, 0, n*step*part, step*part)
			return
		}
	}
}

// months puts a tick at the first of each month, or with days set at each day
// of a month that days divides, from one moment to another in Unix seconds.
func months(axis *plot.Axis, from, before time.Time, days int) {
	axis.Min, axis.Max = float64(from.Unix()), float64(before.Unix())
	var ticks plot.ConstantTicks
	for at := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, from.Location()); !at.After(before); at = at.AddDate(0, 0, 1) {
		switch {
		case at.Before(from):
		case at.Day() == 1:
			ticks = append(ticks, plot.Tick{Value: float64(at.Unix()), Label: at.Format("2 Jan 06")})
		case days > 0 && at.Day()%days == 0 && at.Day() < 28:
			ticks = append(ticks, plot.Tick{Value: float64(at.Unix()), Label: at.Format("2 Jan")})
		}
	}
	axis.Tick.Marker = ticks
}
