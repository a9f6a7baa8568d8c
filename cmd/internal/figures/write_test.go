package figures

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/svg"
)

// TestWriteTwice: two computations give the same files, byte by byte, and
// nothing else is left in the folder.
func TestWriteTwice(t *testing.T) {
	read := func() map[string]string {
		dir := t.TempDir()
		if err := Write(dir, drawExamples(t)); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		files := make(map[string]string)
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if ext := filepath.Ext(e.Name()); ext != ".svg" && ext != ".csv" && e.Name() != Index {
				t.Errorf("%s was left behind", e.Name())
			}
			files[e.Name()] = string(data)
		}
		return files
	}
	first := read()
	if diff := cmp.Diff(first, read()); diff != "" {
		t.Error(diff)
	}
	if len(first) != 1+2*21 { // two figures have two pictures
		t.Errorf("%d files", len(first))
	}
}

// TestPage: every figure, picture and number is on the page, which loads nothing.
func TestPage(t *testing.T) {
	drawn := drawExamples(t)
	data, err := page(drawn)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, d := range drawn {
		for _, want := range []string{`<section id="` + d.Name + `"`, `<a href="#` + d.Name + `">`} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s is there %d times", want, strings.Count(text, want))
			}
		}
		for _, p := range d.Pictures {
			if !strings.Contains(text, `href="`+p.Name+`.svg"`) {
				t.Errorf("%s is not linked", p.Name)
			}
		}
	}
	pictures := 0
	for _, d := range drawn {
		pictures += len(d.Pictures)
	}
	if n := strings.Count(text, "</svg>"); n != pictures || strings.Count(text, `role="img" aria-label="`) != pictures {
		t.Errorf("%d of %d pictures", n, pictures)
	}
	for _, bad := range []string{"<script", "<link", "src=", "@import", "<?xml"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	for part := range strings.SplitSeq(text, "url(") {
		if part != text[:len(part)] && !strings.HasPrefix(part, "#") {
			t.Errorf("the page loads %.40s", part)
		}
	}
}

// TestPageText: what stands in a result stays text.
func TestPageText(t *testing.T) {
	data, err := page([]Drawn{{
		Figure{Name: "a-1", Title: "p < q", From: "& so on"},
		&Result{
			Pictures: []*svg.Picture{{Name: "a-1", Text: `a "box"`}},
			Numbers:  []Number{{What: "<b>", Paper: "", Ours: "1"}, {What: "x", Paper: "2", Ours: "2"}, {What: "y", Paper: "2", Ours: "3", Why: "a > b"}},
			Text:     "one\n\ntwo",
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"p &lt; q", "&amp; so on", `aria-label="a &#34;box&#34;"`, "&lt;b&gt;", "not given", "the same", "a &gt; b", "<p>one</p>\n<p>two</p>",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not on the page", want)
		}
	}
}

// TestWriteNothing: what cannot be written whole is not written at all.
func TestWriteNothing(t *testing.T) {
	picture := func(name string) *svg.Picture { return &svg.Picture{Name: name} }
	table := Table{Name: "x", Header: []string{"a", "b"}, Rows: [][]string{{"1", "2"}, {"3"}}}
	for _, tt := range []struct {
		name   string
		result Result
		want   string
	}{
		{"a name twice", Result{Pictures: []*svg.Picture{picture("x"), picture("x")}}, "figure f: x.svg is also a file of f"},
		{"a path", Result{Pictures: []*svg.Picture{picture("../x")}}, `figure f: "../x" cannot be the name of a file`},
		{"a short row", Result{Tables: []Table{table}}, "figure f, table x: row 2 has 1 cells under a header of 2"},
	} {
		dir := t.TempDir()
		err := Write(dir, []Drawn{{Figure{Name: "f"}, &tt.result}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%s: %v, %v", tt.name, files, err)
		}
	}

	// A folder stands in the place of a file: the page is not replaced.
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "x.svg", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, []Drawn{{Figure{Name: "f"}, &Result{Pictures: []*svg.Picture{picture("x")}}}}); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestAll: the figures of a paper follow one another, and each has all that it needs.
func TestAll(t *testing.T) {
	seen := make(map[string]bool)
	last, before := "", []int(nil)
	for i, f := range All() {
		paper, number, _ := strings.Cut(f.Name, "-")
		var at []int
		for part := range strings.SplitSeq(number, ".") {
			n, _ := strconv.Atoi(part)
			at = append(at, n)
		}
		if seen[f.Name] || paper < last || paper == last && slices.Compare(at, before) <= 0 || f.Title == "" || f.From == "" || f.Draw == nil {
			t.Errorf("figure %d: %+v", i, f)
		}
		seen[f.Name], last, before = true, paper, at
	}
}
