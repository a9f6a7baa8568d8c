package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/scripttest"
)

// The reference in the tree is what the command says of itself.
func TestReference(t *testing.T) {
	scripttest.Golden(t, "../../docs/reference/ostrichd.md", program(app(io.Discard, io.Discard)).Markdown())
}

// The manual pages bear the day of the sources: a package built twice is the same.
func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	folder := t.TempDir()
	if err := writeReference(app(io.Discard, io.Discard), []string{folder}); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "man", "*"))
	if want := 2; err != nil || len(pages) != want {
		t.Fatalf("%d manual pages, want %d: %v %v", len(pages), want, pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), " 2023-11-14 ") {
			t.Errorf("%s does not bear the day of SOURCE_DATE_EPOCH", page)
		}
	}
}
