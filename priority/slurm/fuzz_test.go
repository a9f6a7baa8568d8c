package slurm

import (
	"strings"
	"testing"
)

// addLines seeds a fuzz target with the lines of what a real Slurm printed, one
// at a time, each below a head without which nothing of it is read.
//
// Seeds are small. The fuzzer shortens whatever reaches new code, trying
// every range of its bytes, and counts none of these runs: with 4 kB of squeue's
// output as the only seed it did so for a minute, and fuzzed 5 times.
func addLines(f *testing.F, head, text string) {
	f.Helper()
	f.Add(head)
	for line := range strings.Lines(text) {
		f.Add(head + line)
	}
}

// addRecords is addLines for what squeue printed, by its records.
func addRecords(f *testing.F, text string) {
	f.Helper()
	f.Add("")
	for record := range strings.SplitSeq(strings.TrimPrefix(text, mark), mark) {
		f.Add(mark + record)
	}
}
