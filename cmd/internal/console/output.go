// Package console is how the commands of ostrich talk to a person: tables and JSON,
// progress while a command takes long, messages on standard error, and an end by a signal.
package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/scalar"
)

// Formats returns the options for the format of rows, with Slurm's names. The page describes the
// JSON.
func Formats(page string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "write JSON, as " + page + " describes"},
		&cli.BoolFlag{Name: "parsable2", Aliases: []string{"P"}, Usage: "separate columns by | instead of aligning them"},
		&cli.BoolFlag{Name: "noheader", Aliases: []string{"n"}, Usage: "leave the header and the summary out"},
	}
}

// OneFormat refuses two formats at once.
func OneFormat(c *cli.Context) error {
	if c.Bool("json") && c.Bool("parsable2") {
		return fmt.Errorf("%s: --parsable2 does not go with --json", c.Command.Name)
	}
	return nil
}

// Tables writes tables as the options of the command say, each below its title.
// An empty line separates them, unless titles are left out. They fit the [Width] of the
// output, where that is possible, and have the columns and rows that options of [Rows]
// choose, if the command has any.
func Tables(c *cli.Context, tables ...format.Table) error {
	header := !c.Bool("noheader")
	width := Width(c.App.Writer)
	for i := range tables {
		t := &tables[i]
		left, err := arrange(c, t)
		if err != nil {
			return err
		}
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
		if err := t.Write(c.App.Writer, header, c.Bool("parsable2"), width); err != nil {
			return err
		}
		if left > 0 && header && !c.Bool("parsable2") {
			if _, err := fmt.Fprintf(c.App.Writer, "and %s\n", format.Plural(left, "more row")); err != nil {
				return err
			}
		}
	}
	return nil
}

// Width returns the number of columns that a table written to w may fill: $COLUMNS if it
// is set, else that of the terminal, else 0, which is any.
func Width(w io.Writer) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil { // no terminal
		return 0
	}
	return int(size.Col)
}

// JSON writes one object.
func JSON(c *cli.Context, v any) error {
	e := json.NewEncoder(c.App.Writer)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// Alive writes a line with the elapsed seconds once a second if w is a terminal.
// The returned function removes the line.
func Alive(w io.Writer, what string) (done func()) {
	if !terminal(w) {
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
				_, _ = io.WriteString(w, "\r\x1b[K") // not worth an error
				return
			case <-tick.C:
				_, _ = fmt.Fprintf(w, "\r%s … %.0f s", what, time.Since(began).Seconds()) // not worth an error
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

// Writable reports files that cannot be written, or that an option before, one that is read or an
// argument names too, before the work begins.
func Writable(c *cli.Context, options ...string) error {
	for i, option := range options {
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
		same := sameAs(path)
		for _, f := range c.Command.Flags {
			other := f.Names()[0]
			if c.IsSet(other) && namesFile(f) && !slices.Contains(options[i:], other) && slices.ContainsFunc(append(c.StringSlice(other), c.String(other)), same) {
				return fmt.Errorf("--%s %s is the file of --%s", option, path, other)
			}
		}
		if slices.ContainsFunc(c.Args().Slice(), same) {
			return fmt.Errorf("--%s %s is the file that is read", option, path)
		}
	}
	return nil
}

// namesFile reports whether the value of an option is a file, as its help says.
func namesFile(f cli.Flag) bool {
	doc, is := f.(cli.DocGenerationFlag)
	return is && strings.Contains(doc.GetUsage(), "`FILE`")
}

// sameAs returns a function that reports whether a path names the same file. Pipes and devices
// may have several uses.
func sameAs(path string) func(string) bool {
	info, err := os.Stat(path)
	whole, _ := filepath.Abs(path)
	return func(other string) bool {
		there, bad := os.Stat(other)
		if err == nil && bad == nil {
			return info.Mode().IsRegular() && os.SameFile(info, there)
		}
		at, _ := filepath.Abs(other)
		return err != nil && bad != nil && at == whole
	}
}

// WriteFile writes the file that an option names. Without a name it does nothing.
// The file is written whole or not at all.
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

// Await calls a function that no signal can stop, and waits until it returns or a
// signal comes. After a signal the process ends, and the function with it.
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

// ErrInterrupted says that a signal stopped a command.
var ErrInterrupted = errors.New("interrupted")

// Interruption is an [ErrInterrupted] that says what the command leaves behind.
type Interruption string

func (i Interruption) Error() string { return "interrupted; " + string(i) }

// Is reports whether err is [ErrInterrupted].
func (i Interruption) Is(err error) bool { return err == ErrInterrupted }

// Say writes a line to standard error.
func Say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "ostrich: "+format+"\n", args...) // there is no other place for the error
}

// List formats names as "a, b or c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Named returns the constant of a name. The error lists the names.
func Named[T ~uint8](names []string, name string) (T, error) {
	t, err := scalar.Named[T](names, name)
	if err != nil {
		return 0, fmt.Errorf("%q: must be %s", name, List(names))
	}
	return t, nil
}

// Iterate calls do again and again, with a pause between the calls, until ctx ends. Then
// it returns [ErrInterrupted]. It returns an error of the first call, such as that an option
// is invalid. It hands later errors to say, because what does not answer may answer later.
func Iterate(ctx context.Context, pause time.Duration, do func() error, say func(error)) error {
	for first := true; ; first = false {
		err := do()
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err == nil:
		case first:
			return err
		default:
			say(err)
		}
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case <-time.After(pause):
		}
	}
}
