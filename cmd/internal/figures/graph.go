package figures

import (
	"fmt"
	"math"
	"slices"
)

// points is a small chart of what two users get from several schedules.
type points struct {
	name, text string
	x, y       string // what the axes count
	step       float64
	list       []point
}

type point struct {
	x, y   float64
	name   string
	bound  bool // a bound, not a schedule
	better bool // Pareto-optimal
}

func (p *points) picture() Picture {
	const left, right, top, bottom, side = 60.0, 90.0, 16.0, 46.0, 280.0
	d := &drawing{name: p.name, text: p.text, width: left + side + right, height: top + side + bottom}
	largest := 0.0
	for _, q := range p.list {
		largest = max(largest, q.x, q.y)
	}
	largest = math.Floor(largest/p.step+1) * p.step
	x := func(v float64) float64 { return left + v/largest*side }
	y := func(v float64) float64 { return top + side - v/largest*side }
	for n := 0.0; n*p.step <= largest; n++ {
		v := n * p.step
		d.line("grid", x(v), y(0), x(v), y(largest))
		d.line("grid", x(0), y(v), x(largest), y(v))
		d.write("small muted", "middle", x(v), y(0)+14, amount(v))
		d.write("small muted", "end", x(0)-6, y(v)+4, amount(v))
	}
	d.line("axis", x(0), y(0), x(largest), y(0))
	d.line("axis", x(0), y(0), x(0), y(largest))
	d.write("small muted", "middle", x(largest/2), y(0)+34, p.x)
	fmt.Fprintf(&d.body, `<text class="small muted" text-anchor="middle" transform="translate(16 %s)rotate(-90)">%s</text>`+"\n", pixels(y(largest/2)), p.y)
	for _, q := range p.list {
		class := "s2"
		switch {
		case q.bound:
			class = "s3"
		case q.better:
			class = "s1"
		}
		d.circle(class, x(q.x), y(q.y), 6)
		d.write("", "start", x(q.x)+9, y(q.y)-7, q.name)
	}
	return Picture{Name: p.name, Text: p.text, SVG: d.svg()}
}

func (p *points) table() Table {
	t := Table{Name: p.name, Header: []string{"point", p.x, p.y, "kind"}}
	for _, q := range p.list {
		kind := "dominated"
		switch {
		case q.bound:
			kind = "bound"
		case q.better:
			kind = "optimal"
		}
		t.Rows = append(t.Rows, []string{q.name, amount(q.x), amount(q.y), kind})
	}
	return t
}

// graph is a directed acyclic graph of jobs, each behind all that it depends
// on.
type graph struct {
	name, text string
	nodes      []string
	edges      [][2]int // from the one that goes first
	rows       []int    // where nodes stand, from the top
}

func (g *graph) picture() Picture {
	column := make([]int, len(g.nodes))
	for range g.nodes {
		for _, e := range g.edges {
			column[e[1]] = max(column[e[1]], column[e[0]]+1)
		}
	}
	const step, rise, margin, radius = 130.0, 62.0, 44.0, 16.0
	d := &drawing{
		name: g.name, text: g.text,
		width:  2*margin + step*float64(slices.Max(column)),
		height: 2*margin + rise*float64(slices.Max(g.rows)),
	}
	at := func(i int) (x, y float64) { return margin + step*float64(column[i]), margin + rise*float64(g.rows[i]) }
	for _, e := range g.edges {
		x1, y1 := at(e[0])
		x2, y2 := at(e[1])
		d.arrow(x1, y1, x2, y2, radius+2)
	}
	for i, name := range g.nodes {
		x, y := at(i)
		d.circle("s3", x, y, radius)
		d.write("on3", "middle", x, y+4, name)
	}
	return Picture{Name: g.name, Text: g.text, SVG: d.svg()}
}

func (g *graph) table() Table {
	t := Table{Name: g.name, Header: []string{"job", "depends on"}}
	for _, e := range g.edges {
		t.Rows = append(t.Rows, []string{g.nodes[e[1]], g.nodes[e[0]]})
	}
	return t
}
