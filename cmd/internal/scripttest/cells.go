package scripttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// plainCell matches what need not be a number: a time as Slurm writes it, sizes as "2-4",
// "<=24h" or "at most 5", ids as "11_[1-4]", "11_5" and "40+1", and a name or words, which
// begin with a letter, or a path. "wait<60" is one.
var plainCell = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|<=?[0-9a-z.]+|>[0-9a-z.]+|\d+-\d+|\d+_(\d+|\[[0-9,-]+\])|\d+\+\d+|\*|[A-Za-z/$].*)?$`)

// united matches a number with a unit. Programs read numbers alone.
var united = regexp.MustCompile(`^[-+]?[0-9.]+ ?(s|min|h|d|days?|core-hours?|jobs?|%|K|M|G)$`)

// escape matches how text that cannot be printed is written.
var escape = regexp.MustCompile(`\\[ux][0-9a-f]{2}`)

// Escapes returns what is wrong with the characters of an output: an escape in place of
// one that the command chose itself.
func Escapes(text string) error {
	if found := escape.FindString(text); found != "" {
		return fmt.Errorf("it writes the escape %s", found)
	}
	return nil
}

// Cells returns what is wrong with the cells of tables for programs (--parsable2), each
// below its title and its header: a row of another width than the header's, or a cell that
// is neither a plain number nor a word.
func Cells(text string) error {
	for block := range strings.SplitSeq(text, "\n\n") {
		width := 0
		for line := range strings.Lines(block) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			switch {
			case len(cells) == 1 && width == 0: // a title
				continue
			case width == 0: // the header
				width = len(cells)
				continue
			case len(cells) != width:
				return fmt.Errorf("%d cells under %d heads: %q", len(cells), width, line)
			}
			for _, cell := range cells {
				_, err := strconv.ParseFloat(cell, 64)
				if err != nil && !plainCell.MatchString(cell) || united.MatchString(cell) || strings.ContainsAny(cell, "−–%±\u00a0\u202f") {
					return fmt.Errorf("the cell %q of %q", cell, line)
				}
			}
		}
	}
	return nil
}

// numeral matches a text that begins as a number for people does.
var numeral = regexp.MustCompile(`^[-+−]?[0-9][0-9\x{a0}\x{202f}. ]*( ?(s|min|h|d|days?|core-hours?|jobs?|%))?$`)

// Values returns what is wrong with the values of a JSON document: a text in place of a
// number, with a unit or with spaces between its thousands. Texts at the names in but may
// be digits.
func Values(document string, but ...string) error {
	var tree any
	if err := json.Unmarshal([]byte(document), &tree); err != nil {
		return err
	}
	return values(tree, "", but)
}

func values(tree any, name string, but []string) error {
	switch node := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if err := values(node[key], key, but); err != nil {
				return err
			}
		}
	case []any:
		for _, one := range node {
			if err := values(one, name, but); err != nil {
				return err
			}
		}
	case string:
		if numeral.MatchString(node) && !slices.Contains(but, name) {
			return fmt.Errorf("%s is the text %q", name, node)
		}
	}
	return nil
}

// valuesCommand implements "values FILE [NAME...]", see Values.
func valuesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: values FILE [NAME...]")
	}
	text := ts.ReadFile(args[0])
	ts.Check(Escapes(text))
	ts.Check(Values(text, args[1:]...))
}

// cellsCommand implements "cells FILE", see Cells and Escapes; FILE may be stdout.
func cellsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cells FILE")
	}
	text := ts.ReadFile(args[0])
	ts.Check(Escapes(text))
	ts.Check(Cells(text))
}
