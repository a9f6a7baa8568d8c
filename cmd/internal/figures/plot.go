package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
)

// plot is a picture with its data.
type plot struct {
	picture *svg.Picture
	table   Table
}

func of(text string, numbers []Number, plots ...plot) *Result {
	r := &Result{Text: text, Numbers: numbers}
	r.add(plots...)
	return r
}

func (r *Result) add(plots ...plot) {
	for _, p := range plots {
		r.Pictures, r.Tables = append(r.Pictures, p.picture), append(r.Tables, p.table)
	}
}

// tone returns the class of a user's shade: 1 is dark, 2 medium and 3 light.
func tone(user ostrich.UserID) string { return "s" + strconv.Itoa(int(user)) }

// amount formats a number for a text.
func amount(x float64) string { return format.Trimmed(x, 2) }

// machines names lanes M1 to Mm.
func machines(m int) []string {
	lanes := make([]string, m)
	for i := range lanes {
		lanes[i] = "M" + strconv.Itoa(i+1)
	}
	return lanes
}

// gantt draws the chart of an example, with a tick every so often, and lists its
// boxes. The axis counts "t" if it has no title, and ends with the last box if it has no end.
func gantt(tick float64, g svg.Gantt) plot {
	g.Width, g.Lane = 760, 25
	t := Table{Name: g.Name, Header: []string{"panel", "lanes", "user", "what", "start", "end"}}
	users := map[string]string{"": "idle"} // by class
	for _, u := range g.Legend {
		users[u.Class] = u.Name
	}
	last := 0.0
	for i := range g.Panels {
		p := &g.Panels[i]
		for k := range p.Boxes {
			b := &p.Boxes[k]
			last = max(last, b.To)
			t.add(p.Title, lanesOf(p, b), users[b.Class], b.Label, format.Trimmed(b.From, 4), format.Trimmed(b.To, 4))
		}
		for _, l := range p.Lines {
			last = max(last, l.At)
		}
	}
	g.X = svg.Linear(cmp.Or(g.X.Title, "t"), 0, cmp.Or(g.X.Max, last), tick)
	return plot{g.Draw(), t}
}

// lanesOf names the lanes of a box: "M2", "M2-M4", or its share of them if it
// begins or ends within a lane.
func lanesOf(p *svg.Panel, b *svg.Box) string {
	first, last := math.Round(b.Top), math.Round(b.Top+b.Height)
	if math.Abs(first-b.Top) > 1e-9 || math.Abs(last-b.Top-b.Height) > 1e-9 {
		return fmt.Sprintf("%s of %d", format.Trimmed(b.Height, 4), len(p.Lanes))
	}
	if last-first == 1 {
		return p.Lanes[int(first)]
	}
	return strings.Join([]string{p.Lanes[int(first)], p.Lanes[int(last)-1]}, "-")
}

// idle returns the gaps of the lanes until the last box ends. What is idle together is one box.
func idle(boxes []svg.Box, lanes int) []svg.Box {
	const near = 1e-5 // shares of lanes are rounded
	moments := []float64{0}
	for _, b := range boxes {
		moments = append(moments, b.From, b.To)
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	boxes = slices.SortedStableFunc(slices.Values(boxes), func(a, b svg.Box) int { return cmp.Compare(a.Top, b.Top) })
	boxes = append(boxes, svg.Box{To: moments[len(moments)-1], Top: float64(lanes)})
	var gaps []svg.Box
	for i, to := range moments[1:] {
		from, top := moments[i], 0.0
		for _, b := range boxes {
			if b.From > from || b.To < to {
				continue
			}
			if b.Top > top+near {
				gaps = append(gaps, svg.Box{From: from, To: to, Top: top, Height: b.Top - top, What: "idle"})
			}
			top = b.Top + b.Height
		}
	}
	return joined(gaps)
}

// joined joins boxes that follow one another unchanged.
func joined(boxes []svg.Box) []svg.Box {
	var list []svg.Box
	for _, b := range boxes {
		i := slices.IndexFunc(list, func(o svg.Box) bool {
			return o.To == b.From && o.Top == b.Top && o.Height == b.Height && o.Class == b.Class && o.Label == b.Label
		})
		if i < 0 {
			list = append(list, b)
			continue
		}
		list[i].To = b.To
	}
	return list
}

// point is what two users get from a schedule.
type point struct {
	x, y float64
	name string
	kind string // of pointKinds
}

var pointKinds = []struct{ kind, class, legend string }{
	{"optimal", "s1", "Pareto-optimal"}, {"dominated", "s2", "dominated"}, {"bound", "s3", "bound, no schedule"},
}

// points returns a small chart of what two users get from several schedules.
func points(name, text, x, y string, step float64, list []point) plot {
	largest := 0.0
	for _, q := range list {
		largest = max(largest, q.x, q.y)
	}
	largest = math.Floor(largest/step+1) * step
	chart := svg.Chart{
		Name: name, Text: text, Width: 430, Height: 342,
		X: svg.Linear(x, 0, largest, step), Y: svg.Linear(y, 0, largest+step, step), // with room for the legend
	}
	t := Table{Name: name, Header: []string{"point", x, y, "kind"}}
	for _, k := range pointKinds {
		s := svg.Series{Name: k.legend, Marks: "dot " + k.class}
		for _, q := range list {
			if q.kind == k.kind {
				s.Points, s.Labels = append(s.Points, svg.Point{X: q.x, Y: q.y}), append(s.Labels, q.name)
			}
		}
		if len(s.Points) > 0 {
			chart.Series = append(chart.Series, s)
		}
	}
	for _, q := range list {
		t.add(q.name, amount(q.x), amount(q.y), q.kind)
	}
	return plot{chart.Draw(), t}
}

// graph returns a directed acyclic graph of jobs, each after all that it depends on. Edges
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
