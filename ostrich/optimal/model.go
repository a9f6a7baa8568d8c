package optimal

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Model is a mixed-integer linear programme that is to be minimised. No column is
// below 0.
type Model struct {
	Columns []Column
	Rows    []Row
	Starts  []int // the columns of the jobs' starts, in the order of the instance
}

// Column is a variable.
type Column struct {
	Name   string
	Cost   float64 // its factor in the objective
	Binary bool    // 0 or 1, else any number from 0 on
}

// Row is a constraint.
type Row struct {
	Name  string
	Terms []Term
	Sense Sense
	Right float64
}

// Term is a column with its factor.
type Term struct {
	Column int
	Factor float64
}

// Sense is how the left side of a row relates to the right one.
type Sense uint8

// The senses of a row. The zero value is AtMost.
const (
	AtMost Sense = iota
	AtLeast
	Equal
)

func (m *Model) column(name string, cost float64, binary bool) int {
	m.Columns = append(m.Columns, Column{Name: name, Cost: cost, Binary: binary})
	return len(m.Columns) - 1
}

func (m *Model) row(name string, sense Sense, right float64, terms ...Term) {
	terms = slices.DeleteFunc(terms, func(t Term) bool { return t.Factor == 0 })
	m.Rows = append(m.Rows, Row{Name: name, Terms: terms, Sense: sense, Right: right})
}

// name makes a name of a letter and numbers from 1 on.
func name(letter string, indices ...int) string {
	var b strings.Builder
	b.WriteString(letter)
	for _, i := range indices {
		b.WriteByte('_')
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String()
}

// WriteLP writes the model in the LP format of CPLEX, which cbc and most
// other solvers read.
func (m *Model) WriteLP(w io.Writer) error {
	out := lines{bufio.NewWriter(w)}
	out.text("Minimize\n obj:")
	var cost []Term
	for i, c := range m.Columns {
		if c.Cost != 0 {
			cost = append(cost, Term{i, c.Cost})
		}
	}
	if len(cost) == 0 && len(m.Columns) > 0 {
		cost = []Term{{0, 0}} // some readers want a term
	}
	out.terms(m, cost)
	out.text("\nSubject To\n")
	for _, r := range m.Rows {
		out.text(" " + r.Name + ":")
		out.terms(m, r.Terms)
		out.text(" " + [...]string{"<=", ">=", "="}[r.Sense] + " " + decimal(r.Right) + "\n")
	}
	out.text("Binaries\n")
	for _, c := range m.Columns {
		if c.Binary {
			out.text(" " + c.Name + "\n")
		}
	}
	out.text("End\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("optimal: LP file: %w", err)
	}
	return nil
}

// lines writes a file. Flush returns the first error.
type lines struct{ *bufio.Writer }

func (w lines) text(s string) { _, _ = w.WriteString(s) }

// terms writes a sum, a few terms a line: readers limit the length of a line.
func (w lines) terms(m *Model, terms []Term) {
	for k, t := range terms {
		if k > 0 && k%6 == 0 {
			w.text("\n  ")
		}
		sign, factor := " + ", t.Factor
		if factor < 0 {
			sign, factor = " - ", -factor
		}
		w.text(sign)
		if factor != 1 {
			w.text(decimal(factor) + " ")
		}
		w.text(m.Columns[t.Column].Name)
	}
}

// decimal writes a number without an exponent, which not all readers take.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// WriteMPS writes the model in the free MPS format.
func (m *Model) WriteMPS(w io.Writer) error {
	out := lines{bufio.NewWriter(w)}
	out.text("NAME ostrich FREE\nROWS\n N obj\n")
	entries := make([][]string, len(m.Columns))
	for _, r := range m.Rows {
		out.text(" " + [...]string{"L", "G", "E"}[r.Sense] + " " + r.Name + "\n")
		for _, t := range r.Terms {
			entries[t.Column] = append(entries[t.Column], r.Name+" "+decimal(t.Factor))
		}
	}
	out.text("COLUMNS\n")
	integer := false
	marker := func(binary bool) {
		if binary != integer {
			integer = binary
			out.text(" M 'MARKER' " + map[bool]string{true: "'INTORG'", false: "'INTEND'"}[binary] + "\n")
		}
	}
	for i, c := range m.Columns {
		marker(c.Binary)
		if c.Cost != 0 || len(entries[i]) == 0 {
			out.text(" " + c.Name + " obj " + decimal(c.Cost) + "\n")
		}
		for _, e := range entries[i] {
			out.text(" " + c.Name + " " + e + "\n")
		}
	}
	marker(false)
	out.text("RHS\n")
	for _, r := range m.Rows {
		if r.Right != 0 {
			out.text(" rhs " + r.Name + " " + decimal(r.Right) + "\n")
		}
	}
	out.text("BOUNDS\n")
	for _, c := range m.Columns {
		if c.Binary {
			out.text(" UP bound " + c.Name + " 1\n")
		}
	}
	out.text("ENDATA\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("optimal: MPS file: %w", err)
	}
	return nil
}
