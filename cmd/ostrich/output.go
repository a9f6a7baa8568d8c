package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
)

// formats are the options that choose how rows are written, with Slurm's names.
func formats() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "write JSON, as docs/json.md describes, or docs/simulation.md for a log"},
		&cli.BoolFlag{Name: "parsable2", Aliases: []string{"P"}, Usage: "separate columns by | instead of aligning them"},
		&cli.BoolFlag{Name: "noheader", Aliases: []string{"n"}, Usage: "leave the header and the summary out"},
	}
}

// table is rows of text under a header.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// write puts the table out as the options of the command say.
func (t *table) write(c *cli.Context) error {
	rows := t.rows
	if !c.Bool("noheader") {
		rows = append([][]string{t.header}, rows...)
	}
	if c.Bool("parsable2") {
		for _, r := range rows {
			if _, err := fmt.Fprintln(c.App.Writer, strings.Join(r, "|")); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		cells := slices.Clone(r)
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "-"
			}
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeJSON puts one object out.
func writeJSON(c *cli.Context, v any) error {
	e := json.NewEncoder(c.App.Writer)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// chosen tells whether a value is among those an option lists; an option that
// is not given lists all.
func chosen(c *cli.Context, option, value string) bool {
	want := c.String(option)
	if want == "" {
		return true
	}
	have := strings.Split(value, ",") // a job can be in several partitions
	for name := range strings.SplitSeq(want, ",") {
		if slices.Contains(have, strings.TrimSpace(name)) {
			return true
		}
	}
	return false
}

// alive writes a line with the seconds that have passed, once a second, if w
// is a terminal. The function it returns takes the line away.
func alive(w io.Writer, what string) (done func()) {
	file, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		began := time.Now()
		for {
			select {
			case <-stop:
				_, _ = io.WriteString(w, "\r\x1b[K") // Not worth an error.
				return
			case <-tick.C:
				_, _ = fmt.Fprintf(w, "\r%s … %.0f s", what, time.Since(began).Seconds()) // Not worth an error.
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

// writable tells early, before the work, of files that cannot be written.
func writable(c *cli.Context, options ...string) error {
	for _, option := range options {
		path := c.String(option)
		switch path {
		case "":
			continue
		case "-":
			return fmt.Errorf("--%s -: for standard output use /dev/stdout", option)
		}
		if err := atomicfile.Check(path); err != nil {
			return fmt.Errorf("--%s: %w", option, err)
		}
	}
	return nil
}

// await does what no signal can stop, and waits for its end or for a signal.
// After a signal the process ends, and that with it.
func await(c *cli.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-c.Done():
		return interrupted
	}
}
