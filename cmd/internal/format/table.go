package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
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
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// Write writes the table without its title: columns separated by |, or aligned,
// with "-" for empty cells.
func (t *Table) Write(w io.Writer, header, parsable bool) error {
	rows := t.Rows
	if header {
		rows = append([][]string{t.Header}, rows...)
	}
	if parsable {
		for _, r := range rows {
			if _, err := fmt.Fprintln(w, strings.Join(r, "|")); err != nil {
				return err
			}
		}
		return nil
	}
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		cells := slices.Clone(r)
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "-"
			}
		}
		if _, err := fmt.Fprintln(aligned, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return aligned.Flush()
}
