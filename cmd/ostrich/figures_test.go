package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"slurm-ostrich/cmd/internal/figures"
)

// TestFiguresInterrupted: what is interrupted leaves the folder as it was.
func TestFiguresInterrupted(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, figures.Index)
	if err := os.WriteFile(page, []byte("of yesterday"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"ostrich", "figures", "thesis-2.6", "hipc-4", "--out", dir}, &out, &errs)
	if want := "ostrich: figures: interrupted; no file was written\n"; code != int(interrupted) || errs.String() != want || out.Len() > 0 {
		t.Errorf("code %d, %q, %q", code, &out, &errs)
	}
	if data, err := os.ReadFile(page); err != nil || string(data) != "of yesterday" {
		t.Errorf("the page is %q, %v", data, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
