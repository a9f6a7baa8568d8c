package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerateInterrupted: what is interrupted leaves no file.
func TestGenerateInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"ostrich", "generate", "hipc", "--out", filepath.Join(dir, "x.swf")}, &out, &errs)
	if want := "ostrich: generate: interrupted; no file was written\n"; code != int(interrupted) || errs.String() != want || out.Len() > 0 {
		t.Errorf("code %d, %q, %q", code, &out, &errs)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
