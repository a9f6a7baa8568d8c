package svg

import (
	"cmp"
	"slices"
)

// Chart is data over two axes.
type Chart struct {
	Name, Text    string  // as in Picture
	Title         string  // above it
	Width, Height float64 // 720 by 400 if 0
	X, Y          Axis
	Series        []Series
	Right         bool // the legend stands on the right
}

// Series is some of the data: points on a line, or bars.
type Series struct {
	Name   string // in the legend; "" leaves it out
	Class  string // of the line and its colour: "line r1"; "" draws no line
	Marks  string // class of the points
	Points []Point
	Apart  bool      // no line joins the points
	Error  []float64 // half the height of the error bar of each point; nil for none
	Labels []string  // of the points; nil for none

	Bars []Bar // instead of points
	Base float64
}

// Bar is a rectangle from the base of a series.
type Bar struct{ From, To, Height float64 }

// Draw draws the chart.
func (c *Chart) Draw() *Picture {
	p := &Picture{Name: c.Name, Text: c.Text, Width: cmp.Or(c.Width, 720), Height: cmp.Or(c.Height, 400)}
	left, right, top, bottom := c.Y.margin(), p.Width-14, 10.0, p.Height-c.X.height()
	if c.Title != "" {
		p.Write("title", "middle", p.Width/2, 18, c.Title)
		top = 34
	}
	c.X.place(left, right)
	c.Y.place(bottom, top)
	c.Y.beside(p, left, right)
	if !slices.ContainsFunc(c.Series, func(s Series) bool { return len(s.Bars) > 0 }) {
		c.X.above(p, top, bottom)
	}
	c.X.below(p, bottom)
	p.Path("axis", []Point{{left, top}, {left, bottom}, {right, bottom}}, false)
	for i := range c.Series {
		s := &c.Series[i]
		s.bars(p, c)
		s.line(p, c)
	}
	x := left + 12
	if c.Right {
		x = left + 0.75*(right-left)
		for i := range c.Series {
			x = min(x, right-30-wide(c.Series[i].Name, 12))
		}
	}
	y := top + 6
	for i := range c.Series {
		if s := &c.Series[i]; s.Name != "" {
			s.key(p, x, y)
			y += 16
		}
	}
	return p
}

func (c *Chart) point(v Point) Point { return Point{c.X.pixel(v.X), c.Y.pixel(v.Y)} }

// bars draws one shape for each bar, or one for all if they touch.
func (s *Series) bars(p *Picture, c *Chart) {
	var outline []Point
	for i, b := range s.Bars {
		if outline == nil {
			outline = append(outline, c.point(Point{b.From, s.Base}))
		}
		outline = append(outline, c.point(Point{b.From, b.Height}), c.point(Point{b.To, b.Height}))
		if i+1 < len(s.Bars) && s.Bars[i+1].From == b.To {
			continue
		}
		p.Path(s.Class, append(outline, c.point(Point{b.To, s.Base})), true)
		outline = nil
	}
}

func (s *Series) line(p *Picture, c *Chart) {
	points := make([]Point, len(s.Points))
	for i, v := range s.Points {
		points[i] = c.point(v)
	}
	if s.Class != "" && len(points) > 0 && !s.Apart {
		p.Path(s.Class, points, false)
	}
	for i, at := range points {
		if s.Error != nil {
			low, high := c.Y.pixel(max(c.Y.Min, s.Points[i].Y-s.Error[i])), c.Y.pixel(s.Points[i].Y+s.Error[i])
			p.Line(s.Class, at.X, low, at.X, high)
			p.Line(s.Class, at.X-4, low, at.X+4, low)
			p.Line(s.Class, at.X-4, high, at.X+4, high)
		}
		if s.Marks != "" {
			p.Circle(s.Marks, at.X, at.Y, 4)
		}
		if s.Labels != nil {
			p.Write("name", "start", at.X+9, at.Y-7, s.Labels[i])
		}
	}
}

// key draws the line of the legend.
func (s *Series) key(p *Picture, x, y float64) {
	if len(s.Bars) > 0 {
		p.Rect(s.Class, x, y-5, 24, 10, "")
	} else {
		p.Line(s.Class, x, y, x+24, y)
		if s.Marks != "" {
			p.Circle(s.Marks, x+12, y, 4)
		}
	}
	p.Write("name", "start", x+30, y+4, s.Name)
}
