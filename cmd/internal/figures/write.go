package figures

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/svg"
)

// Drawn is a figure with its result.
type Drawn struct {
	Figure
	*Result
}

// Index is the file name of the page.
const Index = "index.html"

// fileName matches allowed names of pictures and tables.
var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// Write writes the pictures as SVG, the tables as CSV and a page with all of them
// into a folder. It builds everything before it writes, and replaces each older file at
// once. The page comes last. The same results give the same bytes.
func Write(dir string, drawn []Drawn) error {
	files, err := build(drawn)
	if err != nil {
		return err
	}
	for _, f := range files {
		err := atomicfile.Write(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		})
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	return nil
}

type file struct {
	name string
	data []byte
}

// build builds all files, the page last.
func build(drawn []Drawn) ([]file, error) {
	var files []file
	taken := map[string]string{Index: "the page"}
	add := func(figure, name, extension string, data []byte) error {
		if !fileName.MatchString(name) {
			return fmt.Errorf("figure %s: %q cannot be the name of a file", figure, name)
		}
		name += extension
		if other, ok := taken[name]; ok {
			return fmt.Errorf("figure %s: %s is also a file of %s", figure, name, other)
		}
		taken[name] = figure
		files = append(files, file{name, data})
		return nil
	}
	for _, d := range drawn {
		for _, p := range d.Pictures {
			if err := add(d.Name, p.Name, ".svg", p.File(d.Title, d.From)); err != nil {
				return nil, err
			}
		}
		for _, t := range d.Tables {
			data, err := t.csv()
			if err != nil {
				return nil, fmt.Errorf("figure %s, table %s: %w", d.Name, t.Name, err)
			}
			if err := add(d.Name, t.Name, ".csv", data); err != nil {
				return nil, err
			}
		}
	}
	page, err := page(drawn)
	if err != nil {
		return nil, err
	}
	return append(files, file{Index, page}), nil
}

func (t *Table) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i, row := range t.Rows {
		if len(row) != len(t.Header) {
			return nil, fmt.Errorf("row %d has %d cells under a header of %d", i+1, len(row), len(t.Header))
		}
	}
	if err := errors.Join(w.Write(t.Header), w.WriteAll(t.Rows)); err != nil {
		return nil, fmt.Errorf("writing CSV: %w", err)
	}
	return b.Bytes(), nil
}

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"style":      svg.Style,
		"paragraphs": func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") },
		"same":       func(n Number) bool { return n.Why == "" && n.Paper != "" && n.Paper == n.Ours },
	}).Parse(pageText))
})

// page returns the page with the figures and the papers' numbers beside ours. It
// is self-contained and loads nothing.
func page(drawn []Drawn) ([]byte, error) {
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, drawn); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}
