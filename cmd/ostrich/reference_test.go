package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/scripttest"
)

// The reference in the tree is what the command says of itself.
func TestReference(t *testing.T) {
	scripttest.Golden(t, "../../docs/reference/ostrich.md", program(app(io.Discard, io.Discard)).Markdown())
}

// The words of a folder, and of an invalid day, are an error.
func TestReferenceErrors(t *testing.T) {
	a := app(io.Discard, io.Discard)
	for _, args := range [][]string{nil, {""}, {"a", "b"}} {
		if err := writeReference(a, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := writeReference(a, []string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "yesterday") {
		t.Errorf("SOURCE_DATE_EPOCH=yesterday: %v", err)
	}
}

// The manual pages bear the day of the sources: a package built twice is the same.
func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	folder := t.TempDir()
	if err := writeReference(app(io.Discard, io.Discard), []string{folder}); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "man", "*"))
	if want := len(app(io.Discard, io.Discard).Commands) + 1; err != nil || len(pages) != want {
		t.Fatalf("%d manual pages, want %d: %v %v", len(pages), want, pages, err)
	}
	for _, page := range pages {
		text, bad := os.ReadFile(page)
		if bad != nil {
			t.Fatal(bad)
		}
		if !strings.Contains(string(text), " 2023-11-14 ") {
			t.Errorf("%s does not bear the day of SOURCE_DATE_EPOCH", page)
		}
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc to check the pages: ", err)
	}
	if out, err := exec.CommandContext(t.Context(), mandoc, append([]string{"-Tlint", "-Wwarning"}, pages...)...).CombinedOutput(); err != nil {
		t.Errorf("mandoc: %v\n%s", err, out)
	}
}

// The examples name commands and options that there are.
func TestExamples(t *testing.T) {
	a := app(io.Discard, io.Discard)
	for _, e := range program(a).Examples {
		words := arguments.OfCommand(a, strings.Fields(e.Text))
		i := slices.IndexFunc(a.Commands, func(c *cli.Command) bool { return c.Name == words[1] })
		if i < 0 {
			t.Errorf("%s: no such command", e.Text)
			continue
		}
		known := arguments.TakesValue(a.Commands[i].Flags)
		for _, word := range words[2:] {
			name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if _, ok := known[name]; !ok && strings.HasPrefix(word, "-") {
				t.Errorf("%s: no option %s", e.Text, word)
			}
		}
	}
}
