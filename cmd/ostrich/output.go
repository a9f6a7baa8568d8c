package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/format"
)

// formats are the options that choose how rows are written, with Slurm's names.
func formats() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "write JSON, as docs/json.md describes, or docs/simulation.md for a log"},
		&cli.BoolFlag{Name: "parsable2", Aliases: []string{"P"}, Usage: "separate columns by | instead of aligning them"},
		&cli.BoolFlag{Name: "noheader", Aliases: []string{"n"}, Usage: "leave the header and the summary out"},
	}
}

// writeTables puts tables out as the options of the command say, each below its
// title. Between two of them is an empty line, unless titles were left out.
func writeTables(c *cli.Context, tables ...format.Table) error {
	header := !c.Bool("noheader")
	for i := range tables {
		t := &tables[i]
		head := ""
		if i > 0 && (header || t.Title == "") {
			head = "\n"
		}
		if header && t.Title != "" {
			head += t.Title + "\n"
		}
		if _, err := io.WriteString(c.App.Writer, head); err != nil {
			return err
		}
		if err := t.Write(c.App.Writer, header, c.Bool("parsable2")); err != nil {
			return err
		}
	}
	return nil
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
