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
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
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
		if count["script"] != 0 || count["link"] != 0 || count["img"] != 0 || count["svg"] < 6 || count["details"] != 1 {
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
	bare.AccountName = nil
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
		"Runs: 3", "Differences from fairshare: 40", "How near the simulation is: 8",
		"Higher mean stretch under ostrich than under fairshare: 10", "Lower mean stretch under ostrich than under fairshare: 10",
		"Users furthest from an equal share of the machine under recorded: 20", "Users furthest from an equal share of the machine under fairshare: 20",
		"Users furthest from an equal share of the machine under ostrich: 20",
		"Runs: 3", "Differences from fairshare: 42", "How near the simulation is: 8",
		"Higher mean stretch under ostrich than under fairshare: 10", "Lower mean stretch under ostrich than under fairshare: 10",
		"Users furthest from an equal share of the machine under recorded: 20", "Users furthest from an equal share of the machine under fairshare: 20",
		"Users furthest from an equal share of the machine under ostrich: 20",
		"Users: 20",
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

// TestGantt: the bars of a window are those of the jobs in it.
func TestGantt(t *testing.T) {
	in := madeUp(20, 25)
	s, err := study(&in)
	if err != nil {
		t.Fatal(err)
	}
	g := s.gantt()
	if len(g.users) != ganttUsers || g.left != 7 || len(g.lanes) != 4 {
		t.Fatalf("%d users, %d left out, lanes %v", len(g.users), g.left, g.lanes)
	}
	for _, u := range g.users {
		for l, bars := range u.bars {
			for k, b := range bars {
				if b.number != k+1 || b.submit > b.start || b.start > b.finish {
					t.Errorf("%s, %s: %+v", u.name, g.lanes[l], b)
				}
			}
		}
		if len(u.bars[0]) != len(u.bars[3]) {
			t.Errorf("%s: %d real campaigns, %d virtual", u.name, len(u.bars[0]), len(u.bars[3]))
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
	for i, u := range g.users {
		for _, b := range u.bars[2] {
			if !stays[u.name][stay{b.submit, b.start, b.finish}] {
				t.Errorf("%s: no campaign for %+v", u.name, b)
			}
		}
		if i > 0 && work[u.name] > work[g.users[i-1].name] {
			t.Errorf("%s comes behind %s, with less work", u.name, g.users[i-1].name)
		}
	}
	in.Window.To = in.Window.From
	if s.gantt() != nil {
		t.Error("a chart of no time")
	}
}
