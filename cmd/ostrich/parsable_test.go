package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wideLog is a log of jobs that fill a machine of 4000 processors for days, so that
// most figures are above 999.
func wideLog(t *testing.T) (swf, dump string) {
	t.Helper()
	var log, lines strings.Builder
	log.WriteString("; MaxProcs: 4000\n; UnixStartTime: 1704067200\n")
	lines.WriteString("JobID|JobIDRaw|User|Account|Submit|Start|End|Elapsed|State|NCPUS|Timelimit\n")
	at := 0
	for i := range 240 {
		submit := i * 40000
		start := max(at, submit)
		at = start + 50000
		user := i%3 + 1
		fmt.Fprintf(&log, "%d %d %d 50000 4000 -1 -1 4000 100000 -1 1 %d 1 -1 1 -1 -1 -1\n", i+1, submit, start-submit, user)
		const zero = 1704067200
		fmt.Fprintf(&lines, "%[1]d|%[1]d|user%[2]d|phys|%[3]d|%[4]d|%[5]d|13:53:20|COMPLETED|4000|1-03:46:40\n", i+1, user, zero+submit, zero+start, zero+at)
	}
	dir := t.TempDir()
	swf, dump = filepath.Join(dir, "wide.swf"), filepath.Join(dir, "wide.txt")
	for path, text := range map[string]string{swf: log.String(), dump: lines.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return swf, dump
}

// TestWideNumbers: numbers above 999 are such for people and for programs.
func TestWideNumbers(t *testing.T) {
	swf, dump := wideLog(t)
	for _, command := range [][]string{
		{"compare", "--sacct", dump, "--procs", "4000", "--policy", "fairshare,fcfs", "--resamples", "5", "--long"},
		{"compare", "--swf", swf, "--policy", "fairshare,fcfs", "--resamples", "5", "--long"},
		{"compare", "--swf", swf, "--before", "4838400", "--measure-rule", "arrival=30m", "--resamples", "5"},
		{"simulate", "--swf", swf, "--policy", "fcfs,ostrich"},
		{"campaigns", "--swf", swf},
		{"campaigns", "--swf", swf, "--summary"},
		{"optimise", "--swf", swf, "--at", "400000", "--limit", "1s"},
		{"bench", "--swf", swf, "--policy", "fcfs,ostrich", "--parts", "2", "--shakes", "1"},
	} {
		for _, parsable := range []bool{false, true} {
			args := append([]string{"ostrich"}, command...)
			if parsable {
				args = append(args, "--parsable2")
			}
			var out, said bytes.Buffer
			if code := run(t.Context(), args, &out, &said); code != 0 {
				t.Errorf("%v: %d\n%s", args, code, &said)
			}
			text := out.String()
			if regexp.MustCompile(`\\[ux][0-9a-f]{2}`).MatchString(text) {
				t.Errorf("%v writes an escape:\n%s", args, text)
			}
			if command[0] == "compare" && command[3] != "--before" && !parsable && !regexp.MustCompile(`\d \d{3}`).MatchString(text) {
				t.Errorf("%v has no number above 999:\n%s", args, text)
			}
			if parsable {
				checkCells(t, args, text)
			}
		}
	}
}

// plainCell matches what need not be a number: a time as Slurm writes it, sizes as "2-4",
// "<=24h" or "at most 5", and a name or words, which begin with a letter. "wait<60" is one.
var plainCell = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|<=?[0-9a-z.]+|>[0-9a-z.]+|\d+-\d+|\*|[A-Za-z].*)?$`)

// checkCells wants each cell of tables for programs to be a plain number, or no number.
func checkCells(t *testing.T, args []string, text string) {
	t.Helper()
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
				t.Errorf("%v: %d cells under %d heads: %q", args, len(cells), width, line)
			}
			for _, cell := range cells {
				if _, err := strconv.ParseFloat(cell, 64); err != nil && !plainCell.MatchString(cell) || strings.ContainsAny(cell, "−–%±") {
					t.Errorf("%v: the cell %q of %q", args, cell, line)
				}
			}
		}
	}
}
