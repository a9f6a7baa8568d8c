// Package console is what the commands of ostrich have in common between them
// and a person: tables and JSON, a bar while it takes long, a word on standard
// error, and a signal that ends it.
package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
)

// Formats are the options that choose how rows are written, with Slurm's names.
func Formats() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "write JSON, as docs/json.md describes, or docs/simulation.md for a log"},
		&cli.BoolFlag{Name: "parsable2", Aliases: []string{"P"}, Usage: "separate columns by | instead of aligning them"},
		&cli.BoolFlag{Name: "noheader", Aliases: []string{"n"}, Usage: "leave the header and the summary out"},
	}
}

// Tables puts tables out as the options of the command say, each below its
// title. Between two of them is an empty line, unless titles were left out.
func Tables(c *cli.Context, tables ...format.Table) error {
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

// JSON puts one object out.
func JSON(c *cli.Context, v any) error {
	e := json.NewEncoder(c.App.Writer)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Alive writes a line with the seconds that have passed, once a second, if w
// is a terminal. The function it returns takes the line away.
func Alive(w io.Writer, what string) (done func()) {
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

// Writable tells early, before the work, of files that cannot be written.
func Writable(c *cli.Context, options ...string) error {
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

// WriteFile writes the file that an option names, whole or not at all, if it names
// one.
func WriteFile(c *cli.Context, option string, write func(io.Writer) error) error {
	path := c.String(option)
	if path == "" {
		return nil
	}
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("--%s: %w", option, err)
	}
	return nil
}

// Await does what no signal can stop, and waits for its end or for a signal.
// After a signal the process ends, and that with it.
func Await(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ErrInterrupted
	}
}

// ErrInterrupted ends a command that a signal has stopped.
var ErrInterrupted = errors.New("interrupted")

// Interruption is [ErrInterrupted] for a command that leaves something behind: it
// says what.
type Interruption string

func (i Interruption) Error() string { return "interrupted; " + string(i) }

// Is tells that it is [ErrInterrupted].
func (i Interruption) Is(err error) bool { return err == ErrInterrupted }

// Say writes a line to standard error.
func Say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "ostrich: "+format+"\n", args...) // There is nobody else to tell.
}

// List writes names as "a, b or c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Named is which of the names an option has, as a constant of their type.
func Named[T ~uint8](names []string, name string) (T, error) {
	t, err := ostrich.Named[T](names, name)
	if err != nil {
		return 0, fmt.Errorf("%q: must be %s", name, List(names))
	}
	return t, nil
}
