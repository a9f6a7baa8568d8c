package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table has rows of text under a header.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
	Names  int  // leading columns that hold names, on a page
	Users  bool // each row is a user, and there may be too many to show all
}

// Add adds a row.
func (t *Table) Add(cells ...any) {
	t.Rows = append(t.Rows, Texts(cells, func(c any) string { return fmt.Sprint(c) }))
}

// Write writes the table without its title: columns separated by |, or aligned,
// with "-" for empty cells. No cell adds a line or a column, see Plain. Aligned lines that
// are wider than width are folded; 0 is any width.
func (t *Table) Write(w io.Writer, header, parsable bool, width int) error {
	rows := t.Rows
	if header {
		rows = append([][]string{t.Header}, rows...)
	}
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i] = slices.Clone(r)
		for j, cell := range r {
			rows[i][j] = Plain(cell)
		}
	}
	if parsable {
		for _, r := range rows {
			for j, cell := range r {
				r[j] = strings.ReplaceAll(cell, "|", `\x7c`)
			}
			if _, err := fmt.Fprintln(w, strings.Join(r, "|")); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range rows {
		for j, cell := range r {
			if cell == "" {
				r[j] = "-"
			}
		}
	}
	_, err := io.WriteString(w, fold(rows, width))
	return err
}
