package comparison

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/cmd/internal/svg/svgtest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

func htmlOf(t testing.TB, c *Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements reads a page as strict XML and lists its elements, with attributes.
func elements(t *testing.T, text string) []xml.StartElement {
	t.Helper()
	var list []xml.StartElement
	d := xml.NewDecoder(strings.NewReader(text))
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			list = append(list, e.Copy())
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are left open", depth)
	}
	return list
}

// TestPageStandsAlone: nothing is fetched, no script is needed, and the page is
// well-formed and small, also with many users.
func TestPageStandsAlone(t *testing.T) {
	for _, users := range []int{1, 20, 300} {
		text := htmlOf(t, compare(t, madeUp(users, 25)))
		if len(text) > 2_000_000 {
			t.Errorf("%d users: %d bytes", users, len(text))
		}
		count := make(map[string]int)
		for _, e := range elements(t, text) {
			count[e.Name.Local]++
			for _, a := range e.Attr {
				if slices.Contains([]string{"src", "href", "srcset", "action", "data", "style", "onload"}, a.Name.Local) {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
			if e.Name.Local == "th" && !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "scope" }) {
				t.Error("a head of a table without scope")
			}
		}
		if count["script"] != 0 || count["link"] != 0 || count["img"] != 0 || count["details"] != 1 {
			t.Errorf("%d users: elements %v", users, count)
		}
		for _, fetched := range []string{"http:", "https:", "url(", "@import", "//"} {
			if strings.Contains(text, fetched) {
				t.Errorf("the page holds %q", fetched)
			}
		}
		for _, needed := range []string{"prefers-color-scheme: dark", "@media print", "Gantt chart of the campaigns", "virtual schedule", "envy count", "3 jobs left out: no run time"} {
			if !strings.Contains(text, needed) {
				t.Errorf("%d users: no %q", users, needed)
			}
		}
	}
}

// pictures are the drawings of a page by name.
func pictures(t *testing.T, text string) map[string]*svgtest.Picture {
	t.Helper()
	byName := make(map[string]*svgtest.Picture)
	for _, p := range svgtest.ReadAll(t, text) {
		byName[p.Name] = p
	}
	return byName
}

// picture is the drawing whose name begins so.
func picture(t *testing.T, text, name string) *svgtest.Picture {
	t.Helper()
	for full, p := range pictures(t, text) {
		if strings.HasPrefix(full, name) {
			return p
		}
	}
	t.Fatalf("no drawing %q", name)
	return nil
}

// TestDistributions: a curve rises from 0 to 100 %, and is further right than
// another where its quantile is greater.
func TestDistributions(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	text := htmlOf(t, c)
	for name, of := range map[string]func(*Figures) []float64{
		"Which part of the campaigns": func(f *Figures) []float64 { return f.StretchQuantiles },
		"Which part of the jobs":      func(f *Figures) []float64 { return f.WaitQuantiles },
	} {
		p := picture(t, text, name)
		bottom, top := p.Find(t, "0 %").Y-4, p.Find(t, "100 %").Y-4
		first := p.All("curve", "r0")[0].Points
		for r := range c.Runs {
			curve, q := p.All("curve", svg.Run(r))[0].Points, of(&c.Runs[r])
			if len(curve) != len(q) {
				t.Fatalf("%s: %d points of %d quantiles", name, len(curve), len(q))
			}
			for i, at := range curve {
				if want := bottom - (bottom-top)*float64(i)/float64(len(q)-1); math.Abs(at.Y-want) > 0.02 {
					t.Errorf("%s, run %d: quantile %d is at %v, want the height %v", name, r, i, at, want)
				}
				if i > 0 && at.X < curve[i-1].X || (at.X-first[i].X)*(q[i]-of(&c.Runs[0])[i]) < 0 {
					t.Errorf("%s, run %d: quantile %v is at %v", name, r, q[i], at.X)
				}
			}
		}
	}
}

// TestUtilisationChart: steps are as high as the part that is busy.
func TestUtilisationChart(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	p := picture(t, htmlOf(t, c), "Utilisation")
	bottom, top := p.Find(t, "0 %").Y-4, p.Find(t, "100 %").Y-4
	for r := range c.Runs {
		busy := c.s.runs[r].busy
		steps := p.All("curve", svg.Run(r))[0].Points
		for i, b := range busy {
			want := bottom - min(b, 1)*(bottom-top)
			if math.Abs(steps[2*i].Y-want) > 0.02 || math.Abs(steps[2*i+1].Y-want) > 0.02 || steps[2*i].X >= steps[2*i+1].X {
				t.Errorf("run %d, part %d: from %v to %v, want the height %v", r, i, steps[2*i], steps[2*i+1], want)
			}
		}
	}
}

// TestUserChart: marks stand in the order of the changes, on their sides of 0,
// and are hollow unless the change is clear.
func TestUserChart(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	p := picture(t, htmlOf(t, c), "Change of the mean stretch of users under ostrich")
	zero, _, _, _ := p.All("zero")[0].Box()
	marks := append(p.All("dot"), p.All("hollow")...)
	type row struct{ x, change float64 }
	var rows []row
	for i := range c.Users {
		u := &c.Users[i]
		change := &u.change("ostrich").Stretch
		name := p.Find(t, u.Name)
		k := slices.IndexFunc(marks, func(m svgtest.Shape) bool { return math.Abs(m.Points[0].Y+4-name.Y) < 1 })
		if k < 0 {
			t.Fatalf("%s has no mark", u.Name)
		}
		m := marks[k]
		if sure := change.Reading == Better || change.Reading == Worse; m.Is("dot") != sure {
			t.Errorf("%s, %s: %s", u.Name, change.Reading, m.Class)
		}
		if (m.Points[0].X-zero)*change.Difference < 0 {
			t.Errorf("%s: a change of %v is at %v, 0 at %v", u.Name, change.Difference, m.Points[0].X, zero)
		}
		rows = append(rows, row{m.Points[0].X, change.Difference})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.change, b.change) })
	if !slices.IsSortedFunc(rows, func(a, b row) int { return cmp.Compare(a.x, b.x) }) {
		t.Errorf("changes and their places: %v", rows)
	}
}

// TestChangeChart: each leading measure has a row, with a mark and an interval
// for each difference that has one.
func TestChangeChart(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	p := picture(t, htmlOf(t, c), "Differences of the measures")
	zero, _, _, _ := p.All("zero")[0].Box()
	for _, m := range measures {
		if m.Show == report.LongOnly {
			continue
		}
		name := m.Name
		if m.Good > 0 {
			name += " (more is better)"
		}
		row := p.Find(t, name)
		for i := range c.Differences {
			d := &c.Differences[i]
			if d.Measure != m.Key {
				continue
			}
			class := svg.Run(slices.IndexFunc(c.Runs, func(f Figures) bool { return f.Run == d.Run }))
			near := func(s svgtest.Shape) bool { return math.Abs(s.Points[0].Y+4-row.Y) > 15 }
			whiskers := slices.DeleteFunc(p.All("whisker", class), near)
			marks := slices.DeleteFunc(append(p.All("dot", class), p.All("hollow", class)...), near)
			if len(marks) != 1 || len(whiskers) > 1 || (len(whiskers) == 1) != (d.Interval != nil) {
				t.Fatalf("%s, %s: %d marks and %d intervals", d.Run, name, len(marks), len(whiskers))
			}
			if (marks[0].Points[0].X-zero)*d.Difference*d.Baseline < 0 {
				t.Errorf("%s, %s: %v is at %v, 0 at %v", d.Run, name, d.Difference, marks[0].Points[0].X, zero)
			}
			if len(whiskers) == 1 {
				left, _, right, _ := whiskers[0].Box()
				if crosses := left <= zero && right >= zero; crosses != (d.Interval.Low <= 0 && d.Interval.High >= 0) || marks[0].Is("hollow") && !crosses {
					t.Errorf("%s, %s: the interval %v is from %v to %v, 0 at %v, the mark %s", d.Run, name, *d.Interval, left, right, zero, marks[0].Class)
				}
			}
		}
	}
}

// TestHostileNames: whatever users are called, they stay text.
func TestHostileNames(t *testing.T) {
	in := madeUp(20, 25)
	in.UserName = func(u ostrich.UserID) string { return fmt.Sprintf(`<script>alert("%d")</script>&'`, u) }
	in.AccountName = func(ostrich.UserID) string { return `"><img src=x onerror=alert(1)>` }
	in.Title, in.Source = "</title><script>1</script>", "<b>"
	in.Notes = []string{"<i>"}
	in.Runs[2].Name = `ostrich, <u>"`
	text := htmlOf(t, compare(t, in))
	names := 0
	for _, e := range elements(t, text) {
		if slices.Contains([]string{"script", "img", "b", "i", "u"}, e.Name.Local) {
			t.Fatalf("the page has an element %s", e.Name.Local)
		}
	}
	if names = strings.Count(text, "&lt;script&gt;"); names < 40 {
		t.Errorf("%d names on the page", names)
	}
}

// TestController: what the live controller said is shown.
func TestController(t *testing.T) {
	in := madeUp(20, 25)
	tau := 0.875
	in.Controller = &Controller{Users: 17, MaxDelta: 0.000321, Jobs: 40, Tau: &tau}
	c := compare(t, in)
	text := htmlOf(t, c)
	for _, want := range []string{"of 17 users", "0.000321", "order of 40 pending jobs", "0.875"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if !strings.Contains(jsonOf(t, c), `"controller":{"users":17,"max_factor_difference":0.000321,"jobs":40,"kendall_tau":0.875}`) {
		t.Error("the JSON does not have it")
	}
}

// TestTables: each row has a cell a column, and the tables say what the figures
// do.
func TestTables(t *testing.T) {
	c := compare(t, madeUp(20, 25))
	var titles []string
	for _, table := range append(c.Tables(false), c.Tables(true)...) {
		titles = append(titles, fmt.Sprintf("%s: %d", table.Title, len(table.Rows)))
		for _, row := range table.Rows {
			if len(row) != len(table.Header) {
				t.Errorf("%s: %d cells under %d heads: %v", table.Title, len(row), len(table.Header), row)
			}
		}
	}
	bare := madeUp(20, 25)
	bare.AccountName = nameless
	b := compare(t, bare)
	whole, cut := b.userTable(b.Users), b.withoutAccounts(b.userTable(b.Users))
	if len(whole.Header) != len(cut.Header)+1 || len(whole.Rows[0]) != len(cut.Rows[0])+1 || cut.Rows[0][0] != whole.Rows[0][0] || cut.Rows[0][1] != whole.Rows[0][2] {
		t.Errorf("without accounts %v, %v", cut.Header, cut.Rows[0])
	}
	if head := `<th scope="col" class="l">account</th>`; strings.Contains(htmlOf(t, b), head) || !strings.Contains(htmlOf(t, c), head) {
		t.Error("the page has a column of accounts without any, or none with them")
	}
	worse, better := c.sides("ostrich")
	effect := func(u *User) float64 { return u.change("ostrich").Stretch.Difference }
	for _, side := range [][]*User{worse, better} {
		if !slices.IsSortedFunc(side, func(a, b *User) int { return cmp.Compare(math.Abs(effect(b)), math.Abs(effect(a))) }) {
			t.Error("the greatest effect does not come first")
		}
	}
	want := []string{
		"Runs: 3", "Differences from fairshare: 48", "How near the simulation is: 10",
		"Higher mean stretch under ostrich than under fairshare: 8", "Lower mean stretch under ostrich than under fairshare: 10",
		"Users furthest from an equal share of the machine under recorded: 20", "Users furthest from an equal share of the machine under fairshare: 20",
		"Users furthest from an equal share of the machine under ostrich: 20",
		"Runs: 3", "Differences from fairshare: 54", "How near the simulation is: 10",
		"Higher mean stretch under ostrich than under fairshare: 10", "Lower mean stretch under ostrich than under fairshare: 10",
		"Users furthest from an equal share of the machine under recorded: 20", "Users furthest from an equal share of the machine under fairshare: 20",
		"Users furthest from an equal share of the machine under ostrich: 20",
		"Within the accepted wait (median), by length: 27", "Users: 20",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("tables %q, want %q", titles, want)
	}
	short, long := c.Tables(false)[0], c.Tables(true)[0]
	first := []string{"run", "median campaign stretch", "mean stretch per user", "campaign stretch p95"}
	if !slices.Equal(short.Header[:4], first) || !slices.Equal(long.Header[:4], first) {
		t.Errorf("the table of runs begins with %q, want %q", short.Header[:4], first)
	}
	if plain := "mean campaign stretch, unbounded"; slices.Contains(short.Header, plain) || !slices.Contains(long.Header, plain) {
		t.Errorf("the unbounded mean is not in the long table alone: %q", short.Header)
	}
}

// TestBusiestDay: a log with a wild time in it has as many days as any other.
func TestBusiestDay(t *testing.T) {
	const day = 86400
	jobs := []report.Job{
		{Submit: 10, Start: 10, End: 20, Procs: 1},
		{Submit: 10 + 2*day, Start: 20 + 2*day, End: 30 + 2*day, Procs: 4}, // the first of two such days
		{Submit: 10 + 3*day, Start: 50 + 3*day, End: 60 + 3*day, Procs: 1},
		{Submit: 1e17, Start: 1e17 + 5, End: 1e17 + 9, Procs: 1},
	}
	if from, to := BusiestDay(jobs); from != 10+2*day || to != 10+3*day {
		t.Errorf("from %d to %d", from, to)
	}
	if from, to := BusiestDay(jobs[:1]); from != 10 || to != 20 {
		t.Errorf("nobody waits: from %d to %d", from, to)
	}
}

// TestGantt: the bars of a window are those of the jobs in it.
func TestGantt(t *testing.T) {
	in := madeUp(20, 25)
	s, err := study(&in)
	if err != nil {
		t.Fatal(err)
	}
	g, left := s.gantt()
	if len(g.Panels) != ganttUsers || left != "Left out: 7 users with less work in this window." || len(g.Panels[0].Lanes) != 4 {
		t.Fatalf("%d users, %q, lanes %v", len(g.Panels), left, g.Panels[0].Lanes)
	}
	for _, u := range g.Panels {
		var number [4]int
		for _, b := range u.Boxes {
			lane := int(b.Top)
			number[lane]++
			if b.Label != strconv.Itoa(number[lane]) || b.Wait < 0 || b.From > b.To {
				t.Errorf("%s, %s: %+v", u.Name, u.Lanes[lane], b)
			}
		}
		if number[0] != number[3] {
			t.Errorf("%s: %d real campaigns, %d virtual", u.Name, number[0], number[3])
		}
	}
	// The same bars from the jobs, and the work of the users.
	type stay struct{ submit, start, finish float64 }
	stays, work := make(map[string]map[stay]bool), make(map[string]float64)
	for first := 0; first < len(in.Runs[2].Jobs); {
		jobs := in.Runs[2].Jobs
		one, name := stay{float64(jobs[first].Submit), float64(jobs[first].Start), 0}, in.UserName(jobs[first].User)
		area, shown, after := 0.0, false, first
		for ; after < len(jobs) && jobs[after].Campaign == jobs[first].Campaign; after++ {
			j := &jobs[after]
			one.start, one.finish = min(one.start, float64(j.Start)), max(one.finish, float64(j.End))
			area += float64(j.Procs) * float64(j.End-j.Start)
			for r := range in.Runs {
				shown = shown || in.Runs[r].Jobs[after].End > in.Window.From && jobs[first].Submit < in.Window.To
			}
		}
		if stays[name] == nil {
			stays[name] = make(map[stay]bool)
		}
		stays[name][one] = true
		if shown {
			work[name] += area
		}
		first = after
	}
	for i, u := range g.Panels {
		for _, b := range u.Boxes {
			if int(b.Top) == 2 && !stays[u.Name][stay{b.From - b.Wait, b.From, b.To}] {
				t.Errorf("%s: no campaign for %+v", u.Name, b)
			}
		}
		if i > 0 && work[u.Name] > work[g.Panels[i-1].Name] {
			t.Errorf("%s comes behind %s, with less work", u.Name, g.Panels[i-1].Name)
		}
	}
	// What is drawn lies where it is in the window.
	p := picture(t, htmlOf(t, compare(t, in)), "Gantt chart")
	low, _, high, _ := p.All("floor")[0].Box()
	from, to := float64(in.Window.From), float64(in.Window.To)
	x := func(at float64) float64 { return low + min(max((at-from)/(to-from), 0), 1)*(high-low) }
	boxes := p.All("box")
	for i, u := range g.Panels {
		_, top, _, bottom := p.All("floor")[i].Box()
		if name := p.Find(t, u.Name); name.Y < top || name.Y > bottom {
			t.Errorf("%s is named at %v, beside %v to %v", u.Name, name.Y, top, bottom)
		}
		for _, b := range u.Boxes {
			if b.To <= from || b.From >= to {
				continue
			}
			drawn := &boxes[0]
			boxes = boxes[1:]
			begin, high, end, low := drawn.Box()
			lane := (bottom - top) / float64(len(u.Lanes))
			if drawn.Title != "campaign "+b.Label || math.Abs(begin-x(b.From)) > 0.02 || math.Abs(end-max(x(b.To), x(b.From)+0.8)) > 0.02 ||
				high < top+lane*math.Floor(b.Top) || low > top+lane*math.Ceil(b.Top) {
				t.Errorf("%s: %+v is drawn as %+v", u.Name, b, *drawn)
			}
		}
	}
	if len(boxes) != 0 {
		t.Errorf("%d boxes too many", len(boxes))
	}
	in.Window.To = in.Window.From
	if g, _ := s.gantt(); len(g.Panels) > 0 {
		t.Error("a chart of no time")
	}
}
