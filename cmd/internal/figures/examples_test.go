package figures

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/cmd/internal/svg/svgtest"
	"slurm-ostrich/ostrich"
)

// drawExamples draws the worked examples.
func drawExamples(t *testing.T) []Drawn {
	t.Helper()
	var list []Drawn
	for _, f := range figures(true) {
		r, err := f.Draw(t.Context(), Input{Workers: 1})
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		list = append(list, Drawn{f, r})
	}
	return list
}

// TestNumbers holds the examples to the numbers of the thesis. Those that differ
// are explained: Fig. 2.6 and 2.14, the contradiction of 5.2, and the rounding of
// 2.10 and 6.4 to 6.6.
func TestNumbers(t *testing.T) {
	type pair struct{ paper, ours string }
	same := func(s string) pair { return pair{s, s} }
	want := map[string][]pair{
		"thesis-2.6":  {same("A, E"), same("B, C, D, F"), same("A"), {"6", "5"}, {"", "(8, 10)"}},
		"thesis-2.9":  {same("2 h, 2 h"), same("2 h, 2 h"), same("1 h, 2 h"), same("yes")},
		"thesis-2.10": {{"2p = 20", "p + 1 = 11"}, {"", "22"}, {"", "11, 11"}, {"", "1, 1.1"}},
		"thesis-2.11": {{"without limit", "50"}, {"without limit", "1000"}, {"arbitrarily far from the optimum", "51, 1001"}},
		"thesis-2.12": {{"without limit", "5"}, {"without limit", "100"}, {"arbitrarily far from the optimum", "1.5, 11"}},
		"thesis-2.13": {
			same("dark M1-M3, medium M4-M6"), same("dark M1-M2, light M3-M4, medium M5-M6"), same("8 and 12"), {"", "15"},
		},
		"thesis-2.14": {
			same("0.5"), same("0.125"), same("1"), same("light gray user"),
			{"10", "11"},
			{"dark, light and medium gray", "dark gray and light gray"},
		},
		"thesis-3.3": {same("(2p + 2)/2 = 11"), same("(2p + 2)/(2p) = 1.1")},
		"thesis-4.1": {same("10"), same("16"), same("6"), same("12"), same("32")},
		"thesis-4.2": {same("yes"), same("yes"), {"", "1 of user 2, 1 of user 1, 2 of user 2, 2 of user 1, 3 of user 2"}, {"", "24"}},
		"thesis-5.1": {
			same("16, 6"), same("2"), same("23, 8, 7"), same("3"), same("5"),
			{"8", "7"},
			same("11"), same("1"),
			{"8", "7"},
			same("13"),
			{"equal", "17, 17"},
			same("18"),
		},
		"thesis-5.3": {same("1: 7 jobs"), same("2: 5 jobs and 1 job"), same("yes")},
		"thesis-5.4": {{"", "13"}, {"", "9: 1→3, 1→4, 1→5, 2→5, 4→6, 5→6, 3→7, 4→7, 5→7"}},
		"thesis-6.1": {same("yes"), same("yes"), same("yes"), same("yes"), same("yes"), {"", "16.5, 16.83"}, {"", "8.5"}},
		"thesis-6.2": {same("yes"), same("yes"), {"", "8.5, 2.5"}, {"", "2.75, 3"}},
		"thesis-6.3": {same("medium gray"), same("5"), same("5"), same("light gray"), same("11"), {"", "12, 8"}},
		"thesis-6.4": {same("1"), {"x = 6", "x + 1 = 7"}},
		"thesis-6.5": {same("3"), {"x + 3 = 9", "x + 3 = 9"}},
		"thesis-6.6": {same("1"), {"x + 1 = 7", "x + 1 = 7"}, {"", "2, 12"}},
	}
	for _, d := range drawExamples(t) {
		var got []pair
		for _, n := range d.Numbers {
			got = append(got, pair{n.Paper, n.Ours})
		}
		if diff := cmp.Diff(want[d.Name], got, cmp.AllowUnexported(pair{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", d.Name, diff)
		}
		delete(want, d.Name)
	}
	for name := range want {
		t.Errorf("%s is not drawn", name)
	}
}

// TestDifferencesAreExplained: a number that is not the paper's says why.
func TestDifferencesAreExplained(t *testing.T) {
	inOtherWords := map[string]bool{"equal": true, "without limit": true, "arbitrarily far from the optimum": true}
	for _, d := range drawExamples(t) {
		for _, n := range d.Numbers {
			if n.Paper != "" && n.Paper != n.Ours && n.Why == "" && !inOtherWords[n.Paper] {
				t.Errorf("%s: %s is %q and not %q, for no reason", d.Name, n.What, n.Ours, n.Paper)
			}
		}
		if strings.TrimSpace(d.Text) == "" || len(d.Pictures) == 0 || len(d.Tables) != len(d.Pictures) {
			t.Errorf("%s lacks a text, a picture or a table", d.Name)
		}
	}
}

// scale is where the values of an axis are, from the labels of two ticks that
// stand in one row (below) or in one column (beside).
func scale(t *testing.T, p *svgtest.Picture, below bool) func(value float64) float64 {
	t.Helper()
	place := func(text svgtest.Text) (along, across float64) {
		if below {
			return text.X, text.Y
		}
		return text.Y - 4, text.X
	}
	type tick struct{ value, at float64 }
	lines := make(map[float64][]tick)
	for _, text := range p.Texts {
		if value, err := strconv.ParseFloat(text.Text, 64); err == nil && text.Class == "" {
			along, across := place(text)
			lines[across] = append(lines[across], tick{value, along})
		}
	}
	for _, ticks := range lines {
		if len(ticks) >= 2 {
			first, last := ticks[0], ticks[len(ticks)-1]
			return func(value float64) float64 {
				return first.at + (value-first.value)*(last.at-first.at)/(last.value-first.value)
			}
		}
	}
	t.Fatalf("%s: no axis in %v", p.Name, p.Texts)
	return nil
}

// TestPictures holds each picture against its table: boxes, points and arrows
// are where their values are.
func TestPictures(t *testing.T) {
	for _, d := range drawExamples(t) {
		for i, drawn := range d.Pictures {
			p, rows := svgtest.Read(t, drawn.File()), d.Tables[i].Rows
			if drawn.Text == "" || p.Name != drawn.Text || drawn.Name != d.Tables[i].Name {
				t.Errorf("%s: picture %s of table %s is described as %q", d.Name, drawn.Name, d.Tables[i].Name, p.Name)
			}
			switch d.Tables[i].Header[0] {
			case "panel":
				samePanels(t, p, rows)
			case "point":
				samePoints(t, p, rows)
			default:
				sameArrows(t, p, rows)
			}
		}
	}
}

func samePanels(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	x := scale(t, p, true)
	titles := make(map[string]bool)
	var boxes []svgtest.Shape
	for _, s := range p.Shapes {
		if (s.Is("frame") || s.Is("box")) && s.Title != "" { // no key of the legend
			boxes = append(boxes, s)
		}
	}
	if len(boxes) != len(rows) {
		t.Fatalf("%s: %d boxes of %d rows", p.Name, len(boxes), len(rows))
	}
	for i, row := range rows {
		from, to := svgtest.Number(t, row[4]), svgtest.Number(t, row[5])
		left, _, right, _ := boxes[i].Box()
		if math.Abs(left-x(from)) > 0.05 || math.Abs(right-x(to)) > 0.05 {
			t.Errorf("%s: %q is drawn from %v to %v, want %v to %v", p.Name, row, left, right, x(from), x(to))
		}
		if boxes[i].Is("frame") != (row[2] == "idle") {
			t.Errorf("%s: %q is drawn as %s", p.Name, row, boxes[i].Class)
		}
		if row[2] != "idle" {
			p.Find(t, row[2]) // in the legend
		}
		titles[row[0]] = true
	}
	for title := range titles {
		p.Find(t, title)
	}
}

func samePoints(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	x, y := scale(t, p, true), scale(t, p, false)
	for _, row := range rows {
		px, py := svgtest.Number(t, row[1]), svgtest.Number(t, row[2])
		class := map[string]string{"optimal": "s1", "dominated": "s2", "bound": "s3"}[row[3]]
		dots := p.All("dot", class)
		if !slices.ContainsFunc(dots, func(s svgtest.Shape) bool {
			return math.Abs(s.Points[0].X-x(px)) <= 0.05 && math.Abs(s.Points[0].Y-y(py)) <= 0.05
		}) {
			t.Errorf("%s: %q is not drawn at %v %v, but %v", p.Name, row, x(px), y(py), dots)
		}
		at := p.Find(t, row[0])
		if key := dots[len(dots)-1].Points[0]; key.Y > at.Y-12 { // the legend has a key of it, above all points
			t.Errorf("%s: the key of %q is at %v, the point at %v", p.Name, row, key, at)
		}
	}
}

func sameArrows(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	arrows := p.All("line", "ink")
	if len(arrows) != len(rows) || len(p.All("head")) != len(rows) {
		t.Fatalf("%s: %d arrows of %d rows", p.Name, len(arrows), len(rows))
	}
	for i, row := range rows {
		to, from := p.Find(t, row[0]), p.Find(t, row[1])
		begin, end := arrows[i].Points[0], arrows[i].Points[1]
		if math.Hypot(begin.X-from.X, begin.Y-from.Y+4) > 20 || math.Hypot(end.X-to.X, end.Y-to.Y+4) > 30 || begin.X >= end.X {
			t.Errorf("%s: the arrow of %q goes from %v to %v, and these are at %v and %v", p.Name, row, begin, end, from, to)
		}
	}
}

// TestBoxes looks at the schedules that are drawn: two stays of one panel are
// never in one place, and in a panel of machines nothing is off them.
func TestBoxes(t *testing.T) {
	over := func(a, b svg.Box) bool {
		const near = 1e-4
		return a.From < b.To-near && b.From < a.To-near && a.Top < b.Top+b.Height-near && b.Top < a.Top+a.Height-near
	}
	check := func(name string, p *svg.Panel) {
		for i, a := range p.Boxes {
			if a.From < 0 || a.To <= a.From || a.Top < 0 || a.Height <= 0 || a.Top+a.Height > float64(len(p.Lanes))+1e-4 {
				t.Errorf("%s, %s: %+v", name, p.Title, a)
			}
			for _, b := range p.Boxes[:i] {
				if over(a, b) {
					t.Errorf("%s, %s: %+v and %+v", name, p.Title, a, b)
				}
			}
		}
	}
	for _, machine := range []struct {
		name string
		ostrich.Machine
	}{{"6.1", ostrich.Sequential}, {"6.2", ostrich.Parallel}} {
		_, chart := delay(machine.name, "", machine.Machine)
		for i := range chart.Panels {
			check(machine.name, &chart.Panels[i])
		}
	}
}

// TestLanes: no table of an example has two stays on one lane at one moment.
func TestLanes(t *testing.T) {
	type stay struct{ from, to float64 }
	for _, d := range drawExamples(t) {
		for _, table := range d.Tables {
			if table.Header[0] != "panel" {
				continue
			}
			lanes := make(map[string][]stay)
			for _, row := range table.Rows {
				from, errFrom := strconv.ParseFloat(row[4], 64)
				to, errTo := strconv.ParseFloat(row[5], 64)
				if errFrom != nil || errTo != nil || to <= from {
					t.Errorf("%s: %q", d.Name, row)
				}
				first, last, several := strings.Cut(row[1], "-")
				if !several {
					last = first
				}
				a, errA := strconv.Atoi(strings.TrimPrefix(first, "M"))
				b, errB := strconv.Atoi(strings.TrimPrefix(last, "M"))
				if errA != nil || errB != nil {
					continue // a user, a job, or a share of the machine
				}
				for n := a; n <= b; n++ {
					lane := row[0] + " " + strconv.Itoa(n)
					for _, o := range lanes[lane] {
						if o.from < to && from < o.to {
							t.Errorf("%s: %q, but there is another from %v to %v", d.Name, row, o.from, o.to)
						}
					}
					lanes[lane] = append(lanes[lane], stay{from, to})
				}
			}
		}
	}
}

// TestLoads: the virtual schedule serves each campaign of Fig. 5.1 its load,
// and those of parallel OStrich as much as was really run by then.
func TestLoads(t *testing.T) {
	r, _ := delay("", "", ostrich.Parallel)
	served := make(map[[2]int]float64)
	area := 0.0
	for _, p := range r.virtual.pieces {
		served[[2]int{int(p.user), p.campaign}] += p.work
		area += p.work
	}
	want := map[[2]int]float64{{2, 1}: 12, {1, 1}: 60, {3, 1}: 24, {2, 2}: 4}
	for c, work := range want {
		if got := served[c]; got < work-1e-6 || got > work+1e-6 {
			t.Errorf("campaign %d of user %d was served %v, want %v", c[1], c[0], got, work)
		}
	}
	if area < 100-1e-6 || area > 100+1e-6 {
		t.Errorf("%v were served, want 100, all that was run", area)
	}
}

// TestExamplesCancelled: a figure of an interrupted command is not drawn.
func TestExamplesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, f := range figures(true) {
		if _, err := f.Draw(ctx, Input{Workers: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// A mistake in the numbers of an example is an error of its figure.
func TestMistake(t *testing.T) {
	no := errors.New("no")
	f := example("0.0", "", "", func(string) *Result { return must[*Result](nil, no) })
	if r, err := f.Draw(t.Context(), Input{}); !errors.Is(err, no) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}
