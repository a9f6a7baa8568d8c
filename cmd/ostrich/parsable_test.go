package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/scripttest"
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

// TestWideNumbers: numbers above 999 are such for people and for programs. The script wide
// has the commands that look at a live cluster.
func TestWideNumbers(t *testing.T) {
	swf, dump := wideLog(t)
	grid := writeFile(t, filepath.Join(t.TempDir(), "grid.yaml"), "traces: ["+swf+"]\npolicies: [fcfs, ostrich]\nparameters: {load: [1, 1000.5]}\n")
	for _, command := range [][]string{
		{"compare", "--sacct", dump, "--procs", "4000", "--policy", "fairshare,fcfs", "--long"},
		{"compare", "--swf", swf, "--policy", "fairshare,fcfs", "--long"},
		{"compare", "--swf", swf, "--before", "4838400", "--measure-rule", "arrival=30m"},
		{"simulate", "--swf", swf, "--policy", "fcfs,ostrich"},
		{"campaigns", "--swf", swf},
		{"campaigns", "--swf", swf, "--summary"},
		{"optimise", "--swf", swf, "--at", "400000", "--limit", "1s"},
		{"sweep", grid},
		{"simulate", "--swf", swf, "--policy", "fcfs,ostrich", "--summary"},
		{"bench", "--swf", swf, "--policy", "fcfs,ostrich", "--parts", "2", "--shakes", "1"},
	} {
		for _, option := range []string{"--noheader=false", "--parsable2", "--json"} {
			args := append(append([]string{"ostrich"}, command...), option)
			var out, said bytes.Buffer
			if code := run(t.Context(), args, &out, &said); code != 0 {
				t.Errorf("%v: %d\n%s", args, code, &said)
			}
			text := out.String()
			if err := scripttest.Escapes(text); err != nil {
				t.Errorf("%v: %v:\n%s", args, err, text)
			}
			if command[0] == "compare" && command[3] != "--before" && option == "--noheader=false" && !regexp.MustCompile(`\d \d{3}`).MatchString(text) {
				t.Errorf("%v has no number above 999:\n%s", args, text)
			}
			var err error
			switch option {
			case "--parsable2":
				err = scripttest.Cells(text)
			case "--json":
				err = scripttest.Values(text, "load") // a parameter of a sweep is as it was given
			}
			if err != nil {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}
