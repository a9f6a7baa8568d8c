// Package manual writes manual pages in roff, markdown for docs/reference and completion
// for shells, from the commands, options and settings of the programs themselves.
package manual

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority/privilege"
)

// Command is the hidden command with which both programs write their reference
// into a folder: "ostrich __reference DIR".
const Command = "__reference"

// Program is a program, with what its pages say beyond its help.
type Program struct {
	App     *cli.App
	Section int // of the manual: 1 for a tool, 8 for a daemon
	SeeAlso []string

	Exit        []Note // exit codes
	Environment []Note // variables beside those of options
	Files       []Note // files that the program reads or writes
	Examples    []Note // command lines
}

// Note says what a path, a variable, an exit code or a command line means.
type Note struct{ Text, Meaning string }

// notes returns the sections that say more than the help, in the order of man-pages(7).
func (m Program) notes() []notes {
	return slices.DeleteFunc([]notes{
		{"exit status", "exit code", `\fB`, m.Exit},
		{"environment", "variable", `\fB`, m.Environment},
		{"files", "file", `\fI`, m.Files},
		{"examples", "command", `\fB`, m.Examples},
	}, func(n notes) bool { return len(n.list) == 0 })
}

// notes is a section of notes: its heading, what it lists, and the font of that.
type notes struct {
	heading, what, font string
	list                []Note
}

// Page is a file of the reference: its path in the folder, and its text.
type Page struct{ Path, Text string }

// Write writes the pages of a program, and those that more returns for the same
// version and day, into the one folder in args, the arguments of Command.
func (m Program) Write(args []string, more func(version, date string) []Page) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("reference: name one folder")
	}
	date, err := today()
	if err != nil {
		return err
	}
	version := sidecar.Version()
	pages := append(m.Pages(version, date), Page{Path: m.App.Name + ".md", Text: m.Markdown()})
	for _, c := range Completions(m.App.Name) {
		pages = append(pages, Page{Path: filepath.Join("completions", c.Shell, c.File), Text: c.Text})
	}
	return write(args[0], append(pages, more(version, date)...))
}

// write writes pages into a folder, and creates it if needed.
func write(folder string, pages []Page) error {
	for _, p := range pages {
		path := filepath.Join(folder, p.Path)
		err := privilege.Do(path, func() error {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(p.Text), 0o644)
		})
		if err != nil {
			return fmt.Errorf("reference: %w", err)
		}
	}
	return nil
}

// today returns the date for manual pages, as 2006-01-02: that of
// $SOURCE_DATE_EPOCH, so that the same sources give the same pages, else today's.
func today() (string, error) {
	now := time.Now()
	if text, ok := os.LookupEnv("SOURCE_DATE_EPOCH"); ok {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("reference: SOURCE_DATE_EPOCH %q: not a number of seconds", text)
		}
		now = time.Unix(seconds, 0)
	}
	return now.UTC().Format(time.DateOnly), nil
}
