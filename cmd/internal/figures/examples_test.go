package figures

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawExamples draws the worked examples.
func drawExamples(t *testing.T) []Drawn {
	t.Helper()
	var list []Drawn
	for _, f := range examples {
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

// TestPicturesAreSVG: each is one well-formed svg element with a name.
func TestPicturesAreSVG(t *testing.T) {
	for _, d := range drawExamples(t) {
		for _, p := range d.Pictures {
			if p.Text == "" {
				t.Errorf("%s is not described", p.Name)
			}
			elements, err := count(p.SVG)
			if err != nil || elements["svg"] != 1 || elements["rect"]+elements["circle"] < 3 {
				t.Errorf("%s: %v, %v", p.Name, elements, err)
			}
		}
	}
}

// count counts the elements of an XML document.
func count(data []byte) (map[string]int, error) {
	elements := make(map[string]int)
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, nil
		}
		if err != nil {
			return nil, err
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
}

// TestBoxes looks at the schedules that are drawn: two stays of one panel are
// never in one place, and in a panel of machines nothing is off them.
func TestBoxes(t *testing.T) {
	over := func(a, b box) bool {
		const near = 1e-4
		return a.from < b.to-near && b.from < a.to-near && a.top < b.top+b.height-near && b.top < a.top+a.height-near
	}
	check := func(name string, p panel) {
		for i, a := range p.boxes {
			if a.from < 0 || a.to <= a.from || a.top < 0 || a.height <= 0 || a.top+a.height > float64(len(p.lanes))+1e-4 {
				t.Errorf("%s, %s: %+v", name, p.title, a)
			}
			for _, b := range p.boxes[:i] {
				if over(a, b) {
					t.Errorf("%s, %s: %+v and %+v", name, p.title, a, b)
				}
			}
		}
	}
	for _, machine := range []struct {
		name string
		draw func(string) (*ran, *gantt, error)
	}{
		{"6.1", func(n string) (*ran, *gantt, error) { return delay(n, n, 0) }},
		{"6.2", func(n string) (*ran, *gantt, error) { return delay(n, n, 1) }},
	} {
		_, chart, err := machine.draw(machine.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range chart.panels {
			check(machine.name, p)
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
	r, _, err := delay("", "", 1)
	if err != nil {
		t.Fatal(err)
	}
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
	for _, f := range examples {
		if _, err := f.Draw(ctx, Input{Workers: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
