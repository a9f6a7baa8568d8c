// Package figures draws the figures of the source papers from our own
// computations, and compares the papers' numbers with ours.
package figures

import (
	"context"
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

// Figure is a figure of a paper.
type Figure struct {
	Name  string // on the command line: "thesis-5.6"
	Title string
	From  string   // paper, section and figure: "Pinheiro, thesis (2014), section 5.5, Fig. 5.6"
	Logs  []string // files of the workload logs that it needs, in Input.Traces

	// Draw computes the figure. The same input gives the same result, whatever
	// Workers is.
	Draw drawing
}

// drawing computes a figure.
type drawing func(ctx context.Context, in Input) (*Result, error)

// Input is the input of a figure.
type Input struct {
	Traces  string // folder of workload logs
	Workers int    // goroutines that compute, at least 1
	Short   bool   // fewer random instances than the paper, for a quick look
	small   bool   // of tests: workloads of HPDC 2008 are a fortieth, and the log LCG a fiftieth, of what they are

	// Progress is called by any worker with the progress of the figure. It may be
	// nil.
	Progress func(done, total int)
}

// either returns the number for a quick look, or that of the paper.
func (in Input) either(short, whole int) int {
	if in.Short {
		return short
	}
	return whole
}

// Result is a computed figure.
type Result struct {
	Pictures []*svg.Picture // named as their files, without extension
	Tables   []Table
	Numbers  []Number
	Text     string // what is drawn, which reading was used, and why it differs; paragraphs separated by empty lines
}

// Table is the data of a picture, written as CSV.
type Table struct {
	Name   string // of the file, without extension
	Header []string
	Rows   [][]string
}

func (t *Table) add(cells ...any) {
	t.Rows = append(t.Rows, format.Texts(cells, func(c any) string { return fmt.Sprint(c) }))
}

// Number is a number of the paper and ours.
type Number struct {
	What  string
	Paper string // as printed: "68.6 %"; "" if the paper has none
	Ours  string // in the same form
	Why   string // why it differs, or ""
}
