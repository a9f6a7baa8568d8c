package figures

import (
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/svg"
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

func (p *points) picture() *svg.Picture {
	largest := 0.0
	for _, q := range p.list {
		largest = max(largest, q.x, q.y)
	}
	largest = math.Floor(largest/p.step+1) * p.step
	chart := svg.Chart{
		Name: p.name, Text: p.text, Width: 430, Height: 342,
		X: svg.Linear(p.x, 0, largest, p.step), Y: svg.Linear(p.y, 0, largest, p.step),
	}
	for _, q := range p.list {
		class := "dot s2"
		switch {
		case q.bound:
			class = "dot s3"
		case q.better:
			class = "dot s1"
		}
		chart.Series = append(chart.Series, svg.Series{Marks: class, Points: []svg.Point{{X: q.x, Y: q.y}}, Labels: []string{q.name}})
	}
	return chart.Draw()
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
		t.add(q.name, amount(q.x), amount(q.y), kind)
	}
	return t
}

// graph is a directed acyclic graph of jobs, each after all that it depends on.
type graph struct {
	name, text string
	nodes      []string
	edges      [][2]int // from the one that goes first
	rows       []int    // where nodes stand, from the top
}

func (g *graph) picture() *svg.Picture {
	column := make([]int, len(g.nodes))
	for range g.nodes {
		for _, e := range g.edges {
			column[e[1]] = max(column[e[1]], column[e[0]]+1)
		}
	}
	const step, rise, margin, radius = 130.0, 62.0, 44.0, 16.0
	p := &svg.Picture{
		Name: g.name, Text: g.text,
		Width:  2*margin + step*float64(slices.Max(column)),
		Height: 2*margin + rise*float64(slices.Max(g.rows)),
	}
	at := func(i int) (x, y float64) { return margin + step*float64(column[i]), margin + rise*float64(g.rows[i]) }
	for _, e := range g.edges {
		x1, y1 := at(e[0])
		x2, y2 := at(e[1])
		p.Arrow(x1, y1, x2, y2, radius+2)
	}
	for i, name := range g.nodes {
		x, y := at(i)
		p.Circle("box s3", x, y, radius)
		p.Write("on s3 name", "middle", x, y+4, name)
	}
	return p
}

func (g *graph) table() Table {
	t := Table{Name: g.name, Header: []string{"job", "depends on"}}
	for _, e := range g.edges {
		t.add(g.nodes[e[1]], g.nodes[e[0]])
	}
	return t
}
