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
)

// gantt is a Gantt chart of an example, with its table.
type gantt struct {
	name   string // of the file
	text   string // description for people who cannot see it
	axis   string // what the axis counts; "t" if empty
	tick   float64
	until  float64 // 0 is the end of the last box
	panels []svg.Panel
	users  []svg.Key
}

// tone returns the class of a shade: 1 is dark, 2 medium and 3 light. It is ""
// for 0, an idle area.
func tone(shade int) string {
	if shade == 0 {
		return ""
	}
	return "s" + strconv.Itoa(shade)
}

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

// end returns where the axis ends.
func (g *gantt) end() float64 {
	until := g.until
	if until == 0 {
		for _, p := range g.panels {
			for _, b := range p.Boxes {
				until = max(until, b.To)
			}
			for _, l := range p.Lines {
				until = max(until, l.At)
			}
		}
	}
	return until
}

// picture draws the chart.
func (g *gantt) picture() *svg.Picture {
	axis := svg.Axis{Title: cmp.Or(g.axis, "t"), Max: g.end()}
	for n := 0.0; n*g.tick <= axis.Max+1e-9; n++ {
		axis.Ticks = append(axis.Ticks, svg.Tick{At: n * g.tick, Label: amount(n * g.tick)})
	}
	chart := svg.Gantt{Name: g.name, Text: g.text, Width: 760, Lane: 25, X: axis, Panels: g.panels, Legend: g.users}
	return chart.Draw()
}

// table lists the boxes of the chart.
func (g *gantt) table() Table {
	t := Table{Name: g.name, Header: []string{"panel", "lanes", "user", "what", "start", "end"}}
	name := make(map[string]string)
	for _, u := range g.users {
		name[u.Class] = u.Name
	}
	for i := range g.panels {
		p := &g.panels[i]
		for k := range p.Boxes {
			b := &p.Boxes[k]
			user := name[b.Class]
			if b.Class == "" {
				user = "idle"
			}
			t.add(p.Title, lanesOf(p, b), user, b.Label, format.Trimmed(b.From, 4), format.Trimmed(b.To, 4))
		}
	}
	return t
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

// idle returns the gaps of whole lanes until the last box ends. Lanes that are
// idle together are one box.
func idle(boxes []svg.Box, lanes int) []svg.Box {
	moments := []float64{0}
	for _, b := range boxes {
		moments = append(moments, b.From, b.To)
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	var gaps []svg.Box
	for i := 1; i < len(moments); i++ {
		from, to := moments[i-1], moments[i]
		for lane := 0; lane < lanes; lane++ {
			top := lane
			for lane < lanes && !slices.ContainsFunc(boxes, func(b svg.Box) bool {
				return b.From <= from && b.To >= to && b.Top <= float64(lane) && b.Top+b.Height >= float64(lane+1)
			}) {
				lane++
			}
			if lane > top {
				gaps = append(gaps, svg.Box{From: from, To: to, Top: float64(top), Height: float64(lane - top), What: "idle"})
			}
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
