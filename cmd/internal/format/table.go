package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table has rows of cells under a header.
type Table struct {
	Title  string
	Header []string
	Rows   [][]Cell
	Names  int  // leading columns that hold names, on a page
	Users  bool // each row is a user, and there may be too many to show all

	// Pairs are the columns whose cells hold two numbers each, and the names of the two
	// columns that programs read instead.
	Pairs map[int][2]string
}

// Add adds a row.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, Texts(cells, cellOf)) }

// Write writes the table without its title: for programs columns separated by |, with
// plain numbers; for people aligned, with "-" for empty cells. No cell adds a line or a
// column, see Plain. Aligned lines that are wider than width are folded; 0 is any width.
func (t *Table) Write(w io.Writer, header, parsable bool, width int) error {
	if parsable {
		return t.parsable(w, header)
	}
	var rows [][]string
	if header {
		rows = append(rows, Texts(Cells(t.Header...), Cell.person))
	}
	for _, r := range t.Rows {
		rows = append(rows, Texts(r, Cell.person))
	}
	_, err := ordinary.WriteString(w, fold(rows, width))
	return err
}

// parsable writes the table for programs.
func (t *Table) parsable(w io.Writer, header bool) error {
	heads := make([][]string, len(t.Header))
	for i, name := range t.Header {
		heads[i] = []string{name}
		if pair, ok := t.Pairs[i]; ok {
			heads[i] = pair[:]
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString(strings.Join(cells, "|"))
		b.WriteByte('\n')
	}
	if header {
		line(Texts(slices.Concat(heads...), inColumn))
	}
	for _, r := range t.Rows {
		var cells []string
		for i, c := range r {
			n := 1
			if i < len(heads) {
				n = len(heads[i])
			}
			cells = append(cells, c.programs(n)...)
		}
		line(cells)
	}
	_, err := fmt.Fprint(w, b.String())
	return err
}
