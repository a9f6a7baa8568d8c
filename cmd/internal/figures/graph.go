package figures

import (
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/svg"
)

// point is what two users get from a schedule.
type point struct {
	x, y float64
	name string
	kind string // of pointClasses
}

// pointClasses are the kinds of points: a Pareto-optimal schedule, another one, and a bound, which is none.
var pointClasses = map[string]string{"optimal": "s1", "dominated": "s2", "bound": "s3"}

// points is a small chart of what two users get from several schedules.
func points(name, text, x, y string, step float64, list []point) plot {
	largest := 0.0
	for _, q := range list {
		largest = max(largest, q.x, q.y)
	}
	largest = math.Floor(largest/step+1) * step
	chart := svg.Chart{Name: name, Text: text, Width: 430, Height: 342, X: svg.Linear(x, 0, largest, step), Y: svg.Linear(y, 0, largest, step)}
	t := Table{Name: name, Header: []string{"point", x, y, "kind"}}
	for _, q := range list {
		chart.Series = append(chart.Series, svg.Series{
			Marks: "dot " + pointClasses[q.kind], Points: []svg.Point{{X: q.x, Y: q.y}}, Labels: []string{q.name},
		})
		t.add(q.name, amount(q.x), amount(q.y), q.kind)
	}
	return plot{chart.Draw(), t}
}

// graph is a directed acyclic graph of jobs, each after all that it depends on. Edges
// are from the one that goes first; rows are where the nodes stand, from the top.
func graph(name, text string, nodes []string, edges [][2]int, rows []int) plot {
	column := make([]int, len(nodes))
	for range nodes {
		for _, e := range edges {
			column[e[1]] = max(column[e[1]], column[e[0]]+1)
		}
	}
	const step, rise, margin, radius = 130.0, 62.0, 44.0, 16.0
	p := &svg.Picture{
		Name: name, Text: text,
		Width:  2*margin + step*float64(slices.Max(column)),
		Height: 2*margin + rise*float64(slices.Max(rows)),
	}
	at := func(i int) (x, y float64) { return margin + step*float64(column[i]), margin + rise*float64(rows[i]) }
	t := Table{Name: name, Header: []string{"job", "depends on"}}
	for _, e := range edges {
		x1, y1 := at(e[0])
		x2, y2 := at(e[1])
		p.Arrow(x1, y1, x2, y2, radius+2)
		t.add(nodes[e[1]], nodes[e[0]])
	}
	for i, node := range nodes {
		x, y := at(i)
		p.Circle("box s3", x, y, radius)
		p.Write("on s3 name", "middle", x, y+4, node)
	}
	return plot{p, t}
}
