package svg_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/cmd/internal/svg/svgtest"
)

// near are pixels that differ by rounding only.
func near(a, b float64) bool { return math.Abs(a-b) < 0.02 }

// tick is where a labelled tick of an axis below is.
func tick(t *testing.T, p *svgtest.Picture, label string) float64 {
	t.Helper()
	return p.Find(t, label).X
}

// TestChartLine: points, error bars and ticks lie on the same scales, here two
// logarithmic ones, and larger values are further right and further up.
func TestChartLine(t *testing.T) {
	chart := svg.Chart{
		Name: "a", Title: "A & B", Text: "two lines", X: svg.Log("length", 1, 1000), Y: svg.Log("stretch", 1, 1000),
		Series: []svg.Series{
			{Name: "up", Class: "line r1", Marks: "dot r1", Points: []svg.Point{{X: 1, Y: 1}, {X: 10, Y: 20}, {X: 100, Y: 500}}, Error: []float64{0, 10, 0}},
			{Name: "flat", Class: "dashed ink", Points: []svg.Point{{X: 1, Y: 5}, {X: 1000, Y: 5}}},
		},
	}
	p := svgtest.Read(t, chart.Draw().File())
	if p.Name != "two lines" || p.Width != 720 || p.Height != 400 {
		t.Errorf("%q, %v by %v", p.Name, p.Width, p.Height)
	}
	x := func(label string) float64 { return slices.MaxFunc(labelled(p, label), byY).X }
	y := func(label string) float64 { return slices.MinFunc(labelled(p, label), byX).Y - 4 }
	if !near(x("100")-x("10"), x("10")-x("1")) || x("10") <= x("1") {
		t.Errorf("powers of ten at %v, %v and %v", x("1"), x("10"), x("100"))
	}
	if !near(y("100")-y("10"), y("1000")-y("100")) || y("100") >= y("10") {
		t.Errorf("powers of ten at the heights %v, %v and %v", y("10"), y("100"), y("1000"))
	}
	line := p.All("line", "r1")[0].Points
	want := []svg.Point{{X: x("1"), Y: y("1")}, {X: x("10"), Y: y("20")}, {X: x("100"), Y: y("500")}}
	for i, at := range want {
		if !near(line[i].X, at.X) || !near(line[i].Y, at.Y) {
			t.Errorf("point %d is at %v, its ticks at %v", i, line[i], at)
		}
		if dot := p.All("dot", "r1")[i].Points[0]; !near(dot.X, at.X) || !near(dot.Y, at.Y) {
			t.Errorf("mark %d is at %v, its ticks at %v", i, dot, at)
		}
	}
	chart.Series[0].Apart = true
	if apart := svgtest.Read(t, chart.Draw().File()); len(apart.All("line", "r1")) != len(p.All("line", "r1"))-1 || len(apart.All("dot", "r1")) != len(p.All("dot", "r1")) {
		t.Errorf("points apart have %d lines, and those on a line %d", len(apart.All("line", "r1")), len(p.All("line", "r1")))
	}
	// Three lines for each error bar, after the line itself: the second stands at 10.
	bar := p.All("line", "r1")[4]
	if left, top, right, bottom := bar.Box(); !near(left, x("10")) || !near(right, x("10")) || !near(bottom, y("10")) || top >= y("20") || top <= y("50") {
		t.Errorf("the error bar from 10 to 30 goes from %v to %v, at %v", bottom, top, left)
	}
	names := []svgtest.Text{p.Find(t, "up"), p.Find(t, "flat")}
	if names[0].Y >= names[1].Y {
		t.Errorf("the legend reads %v", names)
	}
	for i, class := range []string{"line r1", "dashed ink"} {
		drawn := p.All(strings.Fields(class)...)
		key := drawn[len(drawn)-1]
		if _, top, right, _ := key.Box(); math.Abs(top-names[i].Y+4) > 1 || right >= names[i].X {
			t.Errorf("the key of %s is at %v, its name at %v", class, key.Points, names[i])
		}
	}
}

func labelled(p *svgtest.Picture, label string) []svgtest.Text {
	return slices.DeleteFunc(slices.Clone(p.Texts), func(x svgtest.Text) bool { return x.Text != label })
}

func byX(a, b svgtest.Text) int { return int(100 * (a.X - b.X)) }
func byY(a, b svgtest.Text) int { return int(100 * (a.Y - b.Y)) }

// TestChartBars: bars are as high as their values, from the base, and as wide;
// those that touch are one shape.
func TestChartBars(t *testing.T) {
	chart := svg.Chart{
		Name: "bars", Text: "bars", X: svg.Linear("", 0, 8, 1), Y: svg.UpTo("part", 40), Right: true,
		Series: []svg.Series{
			{Name: "apart", Class: "bar r2", Bars: []svg.Bar{{From: 0, To: 1, Height: 10}, {From: 2, To: 4, Height: 40}}},
			{Name: "together", Class: "shade r1", Base: 5, Bars: []svg.Bar{{From: 5, To: 6, Height: 20}, {From: 6, To: 7, Height: 30}, {From: 7, To: 8, Height: 0}}},
		},
	}
	p := svgtest.Read(t, chart.Draw().File())
	x := func(v int) float64 { return slices.MaxFunc(labelled(p, strconv.Itoa(v)), byY).X }
	y := func(v int) float64 { return slices.MinFunc(labelled(p, strconv.Itoa(v)), byX).Y - 4 }
	five := (y(0) + y(10)) / 2
	apart, together := p.All("bar", "r2"), p.All("shade", "r1")
	if len(apart) != 2+1 || len(together) != 1+1 { // and the legend
		t.Fatalf("%d bars apart, %d shapes together", len(apart)-1, len(together)-1)
	}
	for i, want := range [][4]float64{{x(0), y(10), x(1), y(0)}, {x(2), y(40), x(4), y(0)}} {
		left, top, right, bottom := apart[i].Box()
		if !near(left, want[0]) || !near(top, want[1]) || !near(right, want[2]) || !near(bottom, want[3]) {
			t.Errorf("bar %d is from %v %v to %v %v, want %v", i, left, top, right, bottom, want)
		}
	}
	want := []svg.Point{
		{X: x(5), Y: five},
		{X: x(5), Y: y(20)},
		{X: x(6), Y: y(20)},
		{X: x(6), Y: y(30)},
		{X: x(7), Y: y(30)},
		{X: x(7), Y: y(0)},
		{X: x(8), Y: y(0)},
		{X: x(8), Y: five},
	}
	if !slices.EqualFunc(together[0].Points, want, func(a, b svg.Point) bool { return near(a.X, b.X) && near(a.Y, b.Y) }) {
		t.Errorf("the outline is %v, want %v", together[0].Points, want)
	}
	if at := p.Find(t, "together").X; at < p.Width/2 {
		t.Errorf("the legend on the right is at %v", at)
	}
	chart.Series[0].Name = "a name that needs more than a quarter of the width"
	if at := svgtest.Read(t, chart.Draw().File()).Find(t, chart.Series[0].Name).X; at > p.Width-310 {
		t.Errorf("a long name on the right is at %v", at)
	}
}

// TestAxes: ticks stand in the order of their values on every scale, labels do
// not touch, and what is beyond an end is drawn at it.
func TestAxes(t *testing.T) {
	percent := func(part float64) string { return fmt.Sprintf("%+.0f %%", 100*part) }
	for name, tt := range map[string]struct {
		axis   svg.Axis
		labels []string
	}{
		"linear":   {svg.Linear("x", 1, 7, 2), []string{"1", "3", "5", "7"}},
		"to 42":    {svg.UpTo("", 42), []string{"0", "10", "20", "30", "40", "50"}},
		"to 25.5":  {svg.UpTo("", 25.5), []string{"0", "5", "10", "15", "20", "25", "30"}},
		"to 1":     {svg.UpTo("", 1), []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		"to 0":     {svg.UpTo("", 0), []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		"log":      {svg.Log("x", 5, 200), []string{"5", "10", "20", "50", "100", "200"}},
		"long log": {svg.Log("x", 1, 2e6), []string{"1", "10", "100", "1000", "10000", "100000", "1000000"}},
		"quarters": {svg.Quarters("", 0, 1, percent), []string{"+0 %", "+25 %", "+50 %", "+75 %", "+100 %"}},
		"signed":   {svg.Signed("x", 1, 0.1, percent), []string{"-100 %", "-50 %", "-20 %", "-10 %", "-5 %", "0", "+5 %", "+10 %", "+20 %", "+50 %", "+100 %"}},
	} {
		most := tt.axis.Max
		chart := svg.Chart{
			Name: "a", Text: name, X: tt.axis, Y: svg.Linear("", 0, 1, 1),
			Series: []svg.Series{{Class: "line r1", Points: []svg.Point{{X: tt.axis.Min, Y: 0}, {X: 10 * most, Y: 0.5}, {X: most, Y: 1}}}},
		}
		p := svgtest.Read(t, chart.Draw().File())
		bottom := slices.MaxFunc(p.Texts, func(a, b svgtest.Text) int {
			if a.Text == tt.axis.Title || b.Text == tt.axis.Title {
				return 0
			}
			return byY(a, b)
		}).Y
		var shown []svgtest.Text
		for _, text := range p.Texts {
			if text.Y == bottom && text.Text != tt.axis.Title {
				shown = append(shown, text)
			}
		}
		slices.SortFunc(shown, byX)
		var labels []string
		for i, text := range shown {
			labels = append(labels, text.Text)
			if i > 0 && text.X-shown[i-1].X < 5.5*float64(len(text.Text)+len(shown[i-1].Text))/2 {
				t.Errorf("%s: %q and %q touch", name, shown[i-1].Text, text.Text)
			}
		}
		if !slices.Equal(labels, tt.labels) {
			t.Errorf("%s: labels %q, want %q", name, labels, tt.labels)
		}
		line := p.All("line", "r1")[0].Points
		if line[0].X >= line[2].X || !near(line[1].X, line[2].X) {
			t.Errorf("%s: the ends are at %v and %v, what is beyond at %v", name, line[0].X, line[2].X, line[1].X)
		}
	}
}

// TestRows: marks stand where their values are, within their intervals, left of
// 0 if below it, and each in a lane of its own.
func TestRows(t *testing.T) {
	long := strings.Repeat("long ", 20)
	none := math.NaN()
	rows := svg.Rows{
		Text: "rows", Width: 1000, X: svg.Signed("difference", 10, 1, func(v float64) string { return fmt.Sprintf("%+g", v) }),
		Rows: []svg.Row{
			{Name: "first", Values: []svg.Value{
				{Name: "one", Class: "r1", Number: 1, At: -5, Low: -10, High: 2, Hollow: true},
				{Name: "two", Class: "r2", Number: 2, At: 5, Low: none, High: none},
			}},
			{Name: long, Values: []svg.Value{{Class: "r3", Number: 3, At: 1, Low: 0.5, High: 1000}}},
		},
	}
	p := svgtest.Read(t, rows.Draw().File())
	mark := func(classes ...string) svg.Point { return p.All(classes...)[0].Points[0] }
	at := func(label string) float64 { return tick(t, p, label) }
	one, two, three := mark("hollow", "r1"), mark("dot", "r2"), mark("dot", "r3")
	zero, _, _, _ := p.All("zero")[0].Box()
	if !near(zero, at("0")) || !near(at("+5")-zero, zero-at("-5")) {
		t.Errorf("0 is at %v, its label at %v, 5 at %v and -5 at %v", zero, at("0"), at("+5"), at("-5"))
	}
	if !near(two.X, at("+5")) || !near(one.X, at("-5")) || !near(three.X, at("+1")) {
		t.Errorf("5, -5 and 1 are at %v, %v and %v", two.X, one.X, three.X)
	}
	if one.Y >= two.Y || two.Y >= three.Y {
		t.Errorf("lanes at %v, %v and %v", one.Y, two.Y, three.Y)
	}
	if left, y, right, _ := p.All("whisker", "r1")[0].Box(); left >= one.X || right <= one.X || !near(y, one.Y) || !near(right, at("+2")) {
		t.Errorf("the interval goes from %v to %v at %v, the mark is at %v", left, right, y, one)
	}
	if left, _, right, _ := p.All("whisker", "r3")[0].Box(); left >= three.X || right > p.Width-20 || right <= at("+5") {
		t.Errorf("an interval beyond the axis goes from %v to %v", left, right)
	}
	if len(p.All("whisker", "r2")) != 0 {
		t.Error("a value without an interval has one")
	}
	if name := p.Texts[slices.IndexFunc(p.Texts, func(x svgtest.Text) bool { return x.Title != "" })]; name.Title != long || !strings.HasSuffix(name.Text, "…") {
		t.Errorf("a long name: %+v", name)
	}
	if math.Abs(p.Find(t, "two").Y-4-two.Y) > 0.1 {
		t.Errorf("the name of a lane is at %v, its mark at %v", p.Find(t, "two"), two)
	}
}

// TestRoom: the margin of names is as wide as they are in DejaVu Sans, and not much wider; and
// lines below a file are not cut.
func TestRoom(t *testing.T) {
	for name, wide := range map[string]float64{"AdpExpSmooth": 92, "100-199": 50, "1000 and over": 89, "WWWWWW": 71} {
		rows := svg.Rows{Text: "rows", Width: 400, Bars: true, X: svg.UpTo("", 1), Rows: []svg.Row{{Name: name, Values: []svg.Value{{Class: "r1", At: 1}}}}}
		if x := svgtest.Read(t, rows.Draw().File()).Find(t, name).X; x < wide || x > 1.6*wide {
			t.Errorf("%q ends at %v, and is %v wide", name, x, wide)
		}
	}
	p := svg.Picture{Text: "small", Width: 60, Height: 40}
	long := "HPCS 2016, section V.C, Fig. 5: Tardiness"
	file := svgtest.Read(t, p.File("one", long))
	if line := file.Find(t, long); file.Width < 240 || line.Y <= file.Find(t, "one").Y || line.Y < 60 || line.Y >= file.Height {
		t.Errorf("a file of %v by %v with lines %+v", file.Width, file.Height, file.Texts)
	}
	if strings.Contains(string(p.Inline()), "one") {
		t.Error("a page has the lines of the file")
	}
}

// TestRowsOfBars: bars go from 0 to their values, with a label at the end.
func TestRowsOfBars(t *testing.T) {
	rows := svg.Rows{Title: "Stretch", Text: "bars", Width: 400, Bars: true, X: svg.UpTo("", 4), Rows: []svg.Row{
		{Name: "alice", Values: []svg.Value{{Class: "r0", At: 4, Label: "4.00, a long label"}, {Class: "r1", At: 1, Label: "1.00, a long label"}}},
	}}
	p := svgtest.Read(t, rows.Draw().File())
	for class, v := range map[string]float64{"r0": 4, "r1": 1} {
		left, _, right, _ := p.All("bar", class)[0].Box()
		label := p.Find(t, fmt.Sprintf("%.2f, a long label", v))
		if !near(left, tick(t, p, "0")) || !near(right, tick(t, p, fmt.Sprint(v))) || label.X <= right {
			t.Errorf("the bar of %v goes from %v to %v, its label is at %v", v, left, right, label.X)
		}
	}
}

// TestGantt: boxes lie where their times and lanes are, as far as they are on
// the axis.
func TestGantt(t *testing.T) {
	axis := svg.Linear("t", 0, 10, 1)
	chart := svg.Gantt{
		Name: "g", Text: "a schedule", Width: 760, Lane: 25, X: axis, Legend: []svg.Key{{Class: "s1", Name: "dark"}, {Class: "s3", Name: "light"}},
		Panels: []svg.Panel{
			{
				Title: "above", Lanes: []string{"M1", "M2"}, Now: 5, Halves: true,
				Boxes: []svg.Box{
					{From: 1, To: 4, Top: 0, Height: 2, Class: "s1", Label: "3", What: "job <1>"},
					{From: 4, To: 6, Top: 1, Height: 1, What: "idle"},
					{From: 6, To: 6.1, Top: 1, Height: 1, Class: "s2", Label: "no room"},
				},
				Marks: []svg.Mark{{At: 6, Label: "b"}, {At: 0, Label: "a"}, {At: 6, Label: "c"}},
				Lines: []svg.Mark{{At: 8, Label: "8", Lane: 2}},
			},
			{Name: "user", Lanes: []string{"run"}, Boxes: []svg.Box{
				{From: 3, To: 20, Wait: 2, Height: 1, Class: "r1 sheer"},
				{From: 11, To: 12, Wait: 4, Height: 1, Class: "r2"},
				{From: -5, To: 0, Wait: 4, Height: 1, Class: "r3"},
			}},
		},
	}
	p := svgtest.Read(t, chart.Draw().File())
	at := func(v int) float64 { return slices.MaxFunc(labelled(p, strconv.Itoa(v)), byY).X }
	m1, m2, run := p.Find(t, "M1").Y-4-12.5, p.Find(t, "M2").Y-4-12.5, p.Find(t, "run").Y-4-12.5
	box := func(what string, s *svgtest.Shape, left, top, right, bottom float64) {
		t.Helper()
		l, o, r, b := s.Box()
		if !near(l, left) || !near(o, top) || !near(r, right) || !near(b, bottom) {
			t.Errorf("%s is at %v %v to %v %v, want %v %v to %v %v", what, l, o, r, b, left, top, right, bottom)
		}
	}
	job := p.All("box", "s1")[0]
	box("the job", &job, at(1), m1, at(4), m2+25)
	if label := p.Find(t, "3"); job.Title != "job <1>" || !near(label.X, (at(1)+at(4))/2) || !strings.HasPrefix(label.Class, "on s1") {
		t.Errorf("the job is %q, its label %+v", job.Title, label)
	}
	box("the gap", &p.All("frame")[0], at(4), m2, at(6), m2+25)
	if slices.ContainsFunc(p.Texts, func(x svgtest.Text) bool { return x.Text == "no room" }) {
		t.Error("a label wider than its box")
	}
	box("half of the lanes", &p.All("dashed")[0], at(0), m2, at(10), m2)
	box("the deadline", &p.All("dashed")[1], at(8), m2-3, at(8), m2+25)
	box("now", &p.All("dotted")[0], at(5), m1-4, at(5), m2+25)
	if joined, first := p.Find(t, "b, c"), p.Find(t, "a"); math.Abs(joined.X-at(6)) > 20 || first.X >= joined.X {
		t.Errorf("marks at %v and %v", first, joined)
	}
	long := p.All("box", "r1")[0]
	box("what goes on", &long, at(3), run, at(10), run+25)
	box("its wait", &p.All("waiting", "r1")[0], at(1), run+12.5, at(3), run+12.5)
	box("the wait of what begins later", &p.All("waiting", "r2")[0], at(7), run+12.5, at(10), run+12.5)
	if n := len(p.All("box", "r2")) + len(p.All("r3")); n != 0 {
		t.Errorf("%d shapes of what is not on the axis", n)
	}
	if name := p.Find(t, "user"); name.X >= p.Find(t, "run").X {
		t.Errorf("the name of a panel is at %v", name)
	}
	if run < m2+25+5 {
		t.Errorf("a panel at %v, the one above ends at %v", run, m2+25)
	}
	keys, before := p.All("box"), 0.0
	for i, want := range []string{"dark", "light"} {
		key, name := keys[len(keys)-2+i], p.Find(t, want)
		if left, _, right, _ := key.Box(); !key.Is([]string{"s1", "s3"}[i]) || left <= before || right >= name.X || name.X-right > 10 {
			t.Errorf("the key of %s is %+v, its name at %v", want, key, name.X)
		}
		before = name.X
	}
}

// TestText: whatever a picture is called and says, it stays text, in a file and
// in a page; and only a file has a style of its own.
func TestText(t *testing.T) {
	const hostile = `</text><script>"1"</script>&'`
	p := svg.Picture{Name: "p", Text: hostile, Width: 400, Height: 100}
	p.Write("name", "start", 10, 20, hostile)
	p.Rect("bar r1", 10, 30, 20, 20, hostile)
	for name, data := range map[string]string{"file": string(p.File()), "page": string(p.Inline())} {
		got := svgtest.Read(t, []byte(data))
		if got.Name != hostile || got.Texts[0].Text != hostile || got.All("bar")[0].Title != hostile {
			t.Errorf("%s: %+v", name, got)
		}
		if alone := strings.Contains(data, "<style>"); alone != (name == "file") || alone != strings.Contains(data, "xmlns=") {
			t.Errorf("%s has a style: %v", name, alone)
		}
	}
	if !strings.Contains(string(svg.Style()), "@media screen and (prefers-color-scheme: dark)") {
		t.Error("no dark mode")
	}
}

// TestMarks: the marks of six numbers differ, as their colours do.
func TestMarks(t *testing.T) {
	seen := make(map[string]bool)
	for i := range 6 {
		text := string(svg.Swatch("curve", i, "line"))
		p := svgtest.Read(t, []byte(text))
		if !p.Shapes[0].Is("curve", svg.Run(i)) || !p.Shapes[1].Is("dot", svg.Run(i)) {
			t.Errorf("number %d: %+v", i, p.Shapes)
		}
		_, shape, _ := strings.Cut(text, "M20 6")
		seen[shape] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d shapes of 6 numbers", len(seen))
	}
}
