// Package tracetest finds the workload logs for tests. They are too large for the
// tree.
package tracetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the folder of the workload logs: $OSTRICH_TRACES, or
// shared/traces beside the tree. Where there is none the test is skipped, but
// fails in CI, which leaves nothing out.
func Folder(tb testing.TB) string {
	tb.Helper()
	if folder := os.Getenv("OSTRICH_TRACES"); folder != "" {
		return folder
	}
	const missing = "no workload logs: OSTRICH_TRACES is not set, and there is no shared/traces beside the tree"
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		if _, err = os.Stat(filepath.Join(folder, "go.mod")); err != nil {
			continue
		}
		beside := filepath.Join(filepath.Dir(folder), "shared", "traces")
		if _, err = os.Stat(beside); err == nil {
			return beside
		}
		break
	}
	if os.Getenv("CI") != "" {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
	return ""
}
