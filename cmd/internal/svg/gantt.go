package svg

import (
	"cmp"
	"slices"
)

// Gantt shows what runs where and when: panels of lanes above one time axis.
type Gantt struct {
	Name, Text string // as in Picture
	Width      float64
	Lane       float64 // height of a lane
	X          Axis
	Panels     []Panel
	Legend     []Key
}

// Panel is a part of the chart with lanes of its own.
type Panel struct {
	Title  string   // above it
	Name   string   // before it
	Lanes  []string // from the top; "" for one without a name
	Boxes  []Box
	Marks  []Mark  // triangles above
	Lines  []Mark  // dashed
	Now    float64 // a line; 0 for none
	Halves bool    // a dashed line splits the lanes in two
}

// Box is a stretch of time on some lanes. Heights are counted in lanes.
type Box struct {
	From, To    float64
	Top, Height float64
	Class       string // of its colour; "" is hatched
	Label       string
	What        string  // full description
	Wait        float64 // this long before From
}

// Mark is a moment with a name.
type Mark struct {
	At    float64
	Label string
	Lane  int // of a line, from 1; 0 for all lanes
}

// Key is an entry of the legend.
type Key struct{ Class, Name string }

const (
	ganttHead = 44.0 // above the lanes of a panel with a title
	ganttGap  = 12.0 // below them
)

// head returns the room above the lanes.
func (a *Panel) head() float64 {
	if a.Title == "" {
		return 0
	}
	return ganttHead
}

// Draw draws the chart.
func (g *Gantt) Draw() *Picture {
	p := &Picture{Name: g.Name, Text: g.Text, Width: g.Width}
	names, lanes, bottom, hatched := 0.0, 0.0, 6.0, false
	for i := range g.Panels {
		a := &g.Panels[i]
		names = max(names, wide(a.Name, 12))
		for _, lane := range a.Lanes {
			lanes = max(lanes, wide(lane, min(12, g.Lane-4)))
		}
		bottom += a.head() + g.Lane*float64(len(a.Lanes)) + ganttGap
		hatched = hatched || slices.ContainsFunc(a.Boxes, func(b Box) bool { return b.Class == "" })
	}
	bottom -= ganttGap
	names, lanes = min(names, wide("m", 12)*mostValue), min(lanes, wide("m", 12)*mostValue)
	left := 0.0
	for _, room := range []float64{names, lanes} {
		if room > 0 {
			left += room + 14
		}
	}
	p.Height = bottom + g.X.height()
	if len(g.Legend) > 0 {
		p.Height += 26
	}
	if hatched {
		p.pattern()
	}
	g.X.place(left, g.Width-18)
	y := 6.0
	for i := range g.Panels {
		a := &g.Panels[i]
		y += a.head()
		low := y + g.Lane*float64(len(a.Lanes))
		p.Rect("floor", left, y, g.X.last-left, low-y, "")
		g.X.above(p, y, low)
		p.name("name", names+6, (y+low)/2+4, a.Name, mostValue)
		a.draw(p, &g.X, y, g.Lane)
		y = low + ganttGap
	}
	p.Line("axis", left, bottom, g.X.last, bottom)
	g.X.below(p, bottom)
	x := left
	for _, k := range g.Legend {
		p.Rect("box "+k.Class, x, p.Height-22, 14, 12, "")
		p.Write("name", "start", x+20, p.Height-12, k.Name)
		x += 36 + wide(k.Name, 12)
	}
	return p
}

// draw draws the panel at a height.
func (a *Panel) draw(p *Picture, x *Axis, y, lane float64) {
	bottom := y + lane*float64(len(a.Lanes))
	if a.Title != "" {
		p.Write("title", "start", 8, y-28, a.Title)
	}
	for i, name := range a.Lanes {
		at := y + lane*float64(i)
		if name != "" {
			p.Line("grid", x.first, at, x.last, at)
			p.name([]string{"small", "name"}[min(int(lane/20), 1)], x.first-8, at+lane/2+4, name, mostValue)
		}
	}
	for _, b := range a.Boxes {
		b.draw(p, x, y, lane)
	}
	if a.Halves {
		p.Line("dashed ink", x.first, (y+bottom)/2, x.last, (y+bottom)/2)
	}
	for _, m := range a.Lines {
		from, to := y, bottom
		if m.Lane > 0 {
			from, to = y+lane*float64(m.Lane-1), y+lane*float64(m.Lane)
		}
		p.Line("dashed ink", x.pixel(m.At), from-3, x.pixel(m.At), to)
	}
	a.labels(p, x, y)
	if a.Now > 0 {
		p.Line("dotted ink", x.pixel(a.Now), y-4, x.pixel(a.Now), bottom)
	}
	for _, b := range a.Boxes { // above the lines
		if b.Class != "" {
			p.inside("on "+b.Class, x.pixel(b.From), y+b.Top*lane, x.pixel(b.To)-x.pixel(b.From), b.Height*lane, b.Label)
		}
	}
}

// labels writes the labels of lines and marks above the lanes.
func (a *Panel) labels(p *Picture, x *Axis, y float64) {
	for _, m := range together(a.Lines) {
		half := wide(m.Label, 10) / 2
		p.Write("small", "middle", min(x.pixel(m.At), p.Width-half), y-8, m.Label)
	}
	right := 0.0 // of the label before
	for _, m := range together(a.Marks) {
		p.down(x.pixel(m.At), y-1)
		room := wide(m.Label, 10)
		left := min(max(x.pixel(m.At)-room/2, x.first, right+6), p.Width-room)
		p.Write("small", "start", left, y-11, m.Label)
		right = left + room
	}
}

// draw draws the part of the box that is on the axis.
func (b *Box) draw(p *Picture, x *Axis, y, lane float64) {
	top, height := y+b.Top*lane, b.Height*lane
	if since := x.pixel(b.From - b.Wait); x.pixel(b.From) > since {
		p.Line("waiting "+b.Class, since, top+height/2, x.pixel(b.From), top+height/2)
	}
	if b.To <= x.Min || b.From >= x.Max {
		return
	}
	from := x.pixel(b.From)
	room := max(x.pixel(b.To)-from, 0.8) // wide enough to be seen
	if b.Class == "" {
		p.hatch(from, top, room, height, b.What)
		return
	}
	p.Rect("box "+b.Class, from, top, room, height, b.What)
}

// together joins the labels of marks at the same moment.
func together(marks []Mark) []Mark {
	var list []Mark
	for _, m := range slices.SortedStableFunc(slices.Values(marks), func(a, b Mark) int { return cmp.Compare(a.At, b.At) }) {
		if n := len(list); n > 0 && list[n-1].At == m.At {
			list[n-1].Label += ", " + m.Label
			continue
		}
		list = append(list, m)
	}
	return list
}
