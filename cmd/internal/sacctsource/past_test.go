package sacctsource

import (
	"bytes"
	"errors"
	"testing"

	"slurm-ostrich/slurmdb"
)

// TestAtMost: rows are counted by the marks between their cells, however these come, and not by lines, of which a
// cell may have several.
func TestAtMost(t *testing.T) {
	const mark = "\x1eAB\x1e"
	text := []byte("id" + mark + "line\n" + "1" + mark + "a\nb\nc\n" + "2" + mark + mark[:1] + "d\n")
	for size := 1; size <= len(text); size++ {
		for most, want := range map[int]error{3: nil, 2: slurmdb.ErrTooMuch} {
			var got bytes.Buffer
			a := &atMost{to: &got, mark: []byte(mark), left: most}
			var err error
			for rest := text; len(rest) > 0 && err == nil; rest = rest[min(size, len(rest)):] {
				_, err = a.Write(rest[:min(size, len(rest))])
			}
			if !errors.Is(err, want) || err == nil && !bytes.Equal(got.Bytes(), text) {
				t.Errorf("%d bytes at a time, %d rows at most: %v, passed on %q", size, most, err, got.String())
			}
		}
	}
}
