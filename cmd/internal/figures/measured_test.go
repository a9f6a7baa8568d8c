package figures

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/svg/svgtest"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// figures are the worked examples, which are those of the thesis that need no log, or
// the others.
func figures(examples bool) []Figure {
	return slices.DeleteFunc(All(), func(f Figure) bool {
		return (strings.HasPrefix(f.Name, "thesis-") && len(f.Logs) == 0) != examples
	})
}

func drawFigure(t *testing.T, name string, in Input) *Result {
	t.Helper()
	list, err := Named([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	result, err := list[0].Draw(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var (
	shorts   = make(map[string]*Result)
	shortsMu sync.Mutex
)

// drawShort draws a figure with few instances, once for all tests.
func drawShort(t *testing.T, name string) *Result {
	t.Helper()
	shortsMu.Lock()
	defer shortsMu.Unlock()
	if shorts[name] == nil {
		shorts[name] = drawFigure(t, name, Input{Workers: 2, Short: true, small: true})
	}
	return shorts[name]
}

// lpcInput is the input of figures that are drawn from whole logs.
func lpcInput(t *testing.T) Input {
	t.Helper()
	return Input{Traces: tracetest.Folder(t), Workers: 1}
}

// number is what a figure has found.
func (r *Result) number(t *testing.T, what string) string {
	t.Helper()
	for _, n := range r.Numbers {
		if n.What == what {
			return n.Ours
		}
	}
	t.Fatalf("no number %q in %v", what, r.Numbers)
	return ""
}

func TestInstances(t *testing.T) {
	square := func(i int) (int, error) { return i * i, nil }
	for _, workers := range []int{0, 1, 4, 100} {
		var told []int
		in := Input{Workers: workers, Progress: func(done, total int) { told = append(told, done, total) }}
		got, err := instances(t.Context(), in, 3, square)
		if err != nil || !slices.Equal(got, []int{0, 1, 4}) {
			t.Errorf("%d workers: %v, %v", workers, got, err)
		}
		if want := []int{1, 3, 2, 3, 3, 3}; !slices.Equal(told, want) {
			t.Errorf("%d workers: told %v, want %v", workers, told, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := instances(ctx, Input{Workers: 2, Progress: func(done, _ int) {
		if done == 5 {
			cancel()
		}
	}}, 1_000_000, square)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestMeasuredCancelled: a figure that is not wanted any more says so.
func TestMeasuredCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	logs := 0
	for _, f := range figures(false) {
		if len(f.Logs) > 0 {
			if logs++; logs > 1 { // reading it takes a while
				continue
			}
		}
		t.Run(f.Name, func(t *testing.T) {
			in := Input{Workers: 2}
			if len(f.Logs) > 0 {
				in.Traces = tracetest.Folder(t)
			}
			if _, err := f.Draw(ctx, in); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

func TestHalf(t *testing.T) {
	var told [][2]int
	in := Input{Progress: func(done, total int) { told = append(told, [2]int{done, total}) }}
	in.half(0).Progress(3, 5)
	in.half(1).Progress(3, 5)
	in.part(1, 19, 20).Progress(2, 5)
	if diff := cmp.Diff([][2]int{{3, 10}, {8, 10}, {43, 100}}, told); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if (Input{}).half(1).Progress != nil {
		t.Error("nobody is told")
	}
}

// TestDrawn compares the campaigns in the order in which they were drawn with
// those that sim finds by their links.
func TestDrawn(t *testing.T) {
	model := trace.PPAM(5)
	model.Jobs, model.New = 300, 0.2
	log, err := model.Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := swf.Jobs(log, 64, swf.Exact)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := sim.Linked(jobs, swf.Links(log))
	if err != nil {
		t.Fatal(err)
	}
	var want, got [][]ostrich.JobID
	for _, c := range linked {
		var ids []ostrich.JobID
		for _, task := range c.Jobs {
			ids = append(ids, task.ID)
		}
		want = append(want, ids)
	}
	slices.SortFunc(want, slices.Compare) // by the first job, as drawn
	for _, records := range drawn(log) {
		var ids []ostrich.JobID
		for _, r := range records {
			ids = append(ids, ostrich.JobID(r.Number))
		}
		got = append(got, ids)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n", diff)
	}
	if len(got) < 30 {
		t.Errorf("only %d campaigns", len(got))
	}
}

func TestConfident(t *testing.T) {
	// Student's t for 4 degrees of freedom is 2.776.
	mean, half := confident([]float64{1, 2, 3, 4, 5})
	if math.Abs(mean-3) > 1e-12 || math.Abs(half-2.776*math.Sqrt(0.5)) > 1e-3 {
		t.Errorf("%v ± %v", mean, half)
	}
	if mean, half := confident([]float64{7}); mean != 7 || half != 0 {
		t.Errorf("of one: %v ± %v", mean, half)
	}
}

// TestCharts holds the charts against their tables, and looks for what must
// stand in them.
func TestCharts(t *testing.T) {
	for _, tt := range []struct {
		figure string
		want   []string // texts of the first picture
		same   func(t *testing.T, p *svgtest.Picture, rows [][]string)
	}{
		{"hipc-3", []string{"max-stretch", "length p of the longer jobs (s)", "FCFS", "FairCamp", "optimum", "1000"}, sameLines},
		{"hipc-5", []string{"max-stretch", "instances (%)", "FCFS", "FairCamp", "20 instances with 20 users"}, sameOutline},
		{"ppam-2", []string{"stretch", "campaigns (%)", "above 20", "below 2", "FCFS", "OStrich"}, sameBars},
	} {
		r := drawShort(t, tt.figure)
		for i, drawn := range r.Pictures {
			p := svgtest.Read(t, drawn.File())
			if p.Name != drawn.Text {
				t.Errorf("%s: title %q, want %q", drawn.Name, p.Name, drawn.Text)
			}
			if i > 0 {
				continue
			}
			for _, want := range tt.want {
				p.Find(t, want)
			}
			tt.same(t, p, r.Tables[i].Rows)
		}
	}
}

// sameLines: both axes are logarithmic, and 1 and 1000 are among the lengths.
func sameLines(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	line := p.All("line", old)[0].Points
	first, last := rows[0], rows[len(rows)-1]
	part := func(row, column int) float64 {
		low, high := math.Log(svgtest.Number(t, first[column])), math.Log(svgtest.Number(t, last[column]))
		return (math.Log(svgtest.Number(t, rows[row][column])) - low) / (high - low)
	}
	for i, at := range line {
		x := line[0].X + part(i, 0)*(line[len(line)-1].X-line[0].X)
		y := line[0].Y + part(i, 1)*(line[len(line)-1].Y-line[0].Y)
		if math.Abs(at.X-x) > 0.1 || math.Abs(at.Y-y) > 0.1 {
			t.Errorf("%q is drawn at %v, want %v %v", rows[i], at, x, y)
		}
	}
	if len(line) != len(rows) || line[0].Y <= line[len(line)-1].Y || line[0].X >= line[len(line)-1].X {
		t.Errorf("FCFS: %v", line)
	}
}

// sameOutline: the highest place of a part is that of the most instances.
func sameOutline(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	highest := func(column int) (most float64) {
		for _, row := range rows {
			most = max(most, svgtest.Number(t, row[column]))
		}
		return most
	}
	_, topOld, _, base := p.All("shade", old)[0].Box()
	_, topFair, _, _ := p.All("shade", fair)[0].Box()
	if want, got := highest(2)/highest(3), (base-topOld)/(base-topFair); math.Abs(got-want) > 0.01 {
		t.Errorf("the highest parts of FCFS and FairCamp are as %v, drawn as %v", want, got)
	}
}

// sameBars: the bars of a policy are as high as its numbers.
func sameBars(t *testing.T, p *svgtest.Picture, rows [][]string) {
	t.Helper()
	for column, class := range []string{old, fair} {
		bars := p.All("bar", class)
		_, first, _, base := bars[0].Box()
		left := 0.0
		for i, row := range rows {
			l, top, r, bottom := bars[i].Box()
			if want := (base - first) * svgtest.Number(t, row[1+column]) / svgtest.Number(t, rows[0][1+column]); math.Abs(base-top-want) > 0.1 || bottom != base {
				t.Errorf("%q: a bar of %v, want %v", row, base-top, want)
			}
			if name := p.Find(t, row[0]); l <= left || math.Abs((l+r)/2-name.X) > (r-l)*0.6 {
				t.Errorf("%q: a bar from %v to %v, its name is at %v", row, l, r, name.X)
			}
			left = r
		}
	}
}

// TestMeasured: a figure without its log says which file is missing.
func TestMeasured(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range figures(false) {
		if seen[f.Name] || f.Title == "" || f.From == "" {
			t.Errorf("figure %+v", f)
		}
		seen[f.Name] = true
		if len(f.Logs) == 0 {
			continue
		}
		folder := t.TempDir()
		_, err := f.Draw(t.Context(), Input{Traces: folder, Workers: 1})
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(folder, f.Logs[0])) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestMeasuredFiles: what the figures give can be written as files.
func TestMeasuredFiles(t *testing.T) {
	var all []Drawn
	for _, f := range figures(false) {
		if f.Name == "hipc-3" || f.Name == "hipc-5" || f.Name == "ppam-2" {
			all = append(all, Drawn{Figure: f, Result: drawShort(t, f.Name)})
		}
	}
	files, err := build(all)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2+2+4+1 {
		t.Errorf("%d files", len(files))
	}
}
