package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// gantt is a Gantt chart: panels above one another, over one axis of time.
type gantt struct {
	name   string // of the file
	text   string // for those who do not see it
	axis   string // what the axis counts; "t" if empty
	tick   float64
	until  float64 // 0 is the end of the last box
	panels []panel
	users  []shade
}

// panel is a part of a chart with lanes of its own.
type panel struct {
	title  string
	lanes  []string // from the top
	boxes  []box
	marks  []mark
	lines  []mark  // dashed
	now    float64 // a dotted line; 0 for none
	halves bool    // a dashed line splits the lanes in two
}

// box is a stay of somebody on lanes. Heights are counted in lanes.
type box struct {
	from, to    float64
	top, height float64
	shade       int // 0 where nothing happens
	faded       bool
	label       string
	what        string // in full
}

// mark is a moment with a name: a submission, or a deadline among the lines.
type mark struct {
	at    float64
	label string
	lane  int // of a line, from 1; 0 for all lanes
}

const (
	ganttWidth  = 760.0
	ganttLeft   = 70.0
	ganttRight  = 18.0
	laneHeight  = 25.0
	panelHead   = 40.0
	panelGap    = 12.0
	axisHeight  = 42.0
	legendSpace = 26.0
)

// machines names lanes M1 to Mm.
func machines(m int) []string {
	lanes := make([]string, m)
	for i := range lanes {
		lanes[i] = "M" + strconv.Itoa(i+1)
	}
	return lanes
}

// end is where the axis ends.
func (g *gantt) end() float64 {
	until := g.until
	if until == 0 {
		for _, p := range g.panels {
			for _, b := range p.boxes {
				until = max(until, b.to)
			}
			for _, l := range p.lines {
				until = max(until, l.at)
			}
		}
	}
	return until
}

// picture draws the chart.
func (g *gantt) picture() Picture {
	height := axisHeight
	for _, p := range g.panels {
		height += panelHead + laneHeight*float64(len(p.lanes)) + panelGap
	}
	if len(g.users) > 0 {
		height += legendSpace
	}
	d := &drawing{name: g.name, text: g.text, width: ganttWidth, height: height}
	scale := (ganttWidth - ganttLeft - ganttRight) / g.end()
	x := func(t float64) float64 { return ganttLeft + t*scale }

	y := 0.0
	for i := range g.panels {
		y += panelHead
		g.panels[i].draw(d, g, x, y)
		y += laneHeight*float64(len(g.panels[i].lanes)) + panelGap
	}
	y -= panelGap - 4
	d.line("axis", x(0), y, x(g.end()), y)
	for n := 0.0; n*g.tick <= g.end()+1e-9; n++ {
		d.line("axis", x(n*g.tick), y, x(n*g.tick), y+4)
		d.write("small muted", "middle", x(n*g.tick), y+16, amount(n*g.tick))
	}
	axis := g.axis
	if axis == "" {
		axis = "t"
	}
	d.write("small muted", "end", x(g.end()), y+30, axis)
	d.legend(ganttLeft, height-12, g.users)
	return Picture{Name: g.name, Text: g.text, SVG: d.svg()}
}

// draw puts a panel at a height.
func (p *panel) draw(d *drawing, g *gantt, x func(float64) float64, y float64) {
	bottom := y + laneHeight*float64(len(p.lanes))
	d.write("title", "start", 8, y-24, p.title)
	for i, lane := range p.lanes {
		at := y + laneHeight*float64(i)
		d.line("grid", x(0), at, x(g.end()), at)
		d.write("", "end", ganttLeft-8, at+laneHeight/2+4, lane)
	}
	d.line("grid", x(0), bottom, x(g.end()), bottom)
	for _, b := range p.boxes {
		left, top, w, h := x(b.from), y+b.top*laneHeight, x(b.to)-x(b.from), b.height*laneHeight
		if b.shade == 0 {
			d.hatch(left, top, w, h, b.what)
			continue
		}
		class := fmt.Sprintf("s%d", b.shade)
		if b.faded {
			class += " faded"
		}
		d.rect(class, left, top, w, h, b.what)
	}
	if p.halves {
		d.line("dashed", x(0), (y+bottom)/2, x(g.end()), (y+bottom)/2)
	}
	for _, m := range p.lines {
		first, last := 0.0, float64(len(p.lanes))
		if m.lane > 0 {
			first, last = float64(m.lane-1), float64(m.lane)
		}
		d.line("dashed", x(m.at), y+first*laneHeight-3, x(m.at), y+last*laneHeight)
	}
	for _, m := range together(p.lines) {
		d.write("small", "middle", x(m.at), y-8, m.label)
	}
	right := 0.0 // of the label before
	for _, m := range together(p.marks) {
		d.down(x(m.at), y-1)
		wide := 5.8 * float64(len([]rune(m.label)))
		left := max(x(m.at)-wide/2, ganttLeft, right+6)
		d.write("small", "start", left, y-11, m.label)
		right = left + wide
	}
	if p.now > 0 {
		d.line("dotted", x(p.now), y-4, x(p.now), bottom)
	}
	for _, b := range p.boxes { // above the lines
		if b.shade > 0 {
			d.inside(fmt.Sprintf("on%d", b.shade), x(b.from), y+b.top*laneHeight, x(b.to)-x(b.from), b.height*laneHeight, b.label)
		}
	}
}

// together joins the labels of marks at one moment.
func together(marks []mark) []mark {
	var list []mark
	for _, m := range slices.SortedStableFunc(slices.Values(marks), func(a, b mark) int { return cmp.Compare(a.at, b.at) }) {
		if n := len(list); n > 0 && list[n-1].at == m.at {
			list[n-1].label += ", " + m.label
			continue
		}
		list = append(list, m)
	}
	return list
}

// table lists the boxes of the chart.
func (g *gantt) table() Table {
	t := Table{Name: g.name, Header: []string{"panel", "lanes", "user", "what", "start", "end"}}
	name := make(map[int]string)
	for _, u := range g.users {
		name[u.shade] = u.name
	}
	for _, p := range g.panels {
		for _, b := range p.boxes {
			user := name[b.shade]
			if b.shade == 0 {
				user = "idle"
			}
			t.Rows = append(t.Rows, []string{p.title, p.span(b), user, b.label, format.Trimmed(b.from, 4), format.Trimmed(b.to, 4)})
		}
	}
	return t
}

// span names the lanes of a box: "M2", "M2-M4", or what share of them it is
// where it begins or ends within one.
func (p *panel) span(b box) string {
	first, last := math.Round(b.top), math.Round(b.top+b.height)
	if math.Abs(first-b.top) > 1e-9 || math.Abs(last-b.top-b.height) > 1e-9 {
		return fmt.Sprintf("%s of %d", format.Trimmed(b.height, 4), len(p.lanes))
	}
	if last-first == 1 {
		return p.lanes[int(first)]
	}
	return strings.Join([]string{p.lanes[int(first)], p.lanes[int(last)-1]}, "-")
}

// idle are the gaps of whole lanes until the last box ends, lanes that are idle
// together in one box.
func idle(boxes []box, lanes int) []box {
	moments := []float64{0}
	for _, b := range boxes {
		moments = append(moments, b.from, b.to)
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	var gaps []box
	for i := 1; i < len(moments); i++ {
		from, to := moments[i-1], moments[i]
		for lane := 0; lane < lanes; lane++ {
			top := lane
			for lane < lanes && !slices.ContainsFunc(boxes, func(b box) bool {
				return b.from <= from && b.to >= to && b.top <= float64(lane) && b.top+b.height >= float64(lane+1)
			}) {
				lane++
			}
			if lane > top {
				gaps = append(gaps, box{from: from, to: to, top: float64(top), height: float64(lane - top), what: "idle"})
			}
		}
	}
	return joined(gaps)
}

// joined makes one box of those that follow one another unchanged.
func joined(boxes []box) []box {
	var list []box
	for _, b := range boxes {
		i := slices.IndexFunc(list, func(o box) bool {
			return o.to == b.from && o.top == b.top && o.height == b.height && o.shade == b.shade && o.label == b.label
		})
		if i < 0 {
			list = append(list, b)
			continue
		}
		list[i].to = b.to
	}
	return list
}
