package figures

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamed: names are told apart, each is drawn once, in the order of
// the papers.
func TestNamed(t *testing.T) {
	list, err := Named([]string{"thesis-6.1", "thesis-2.6", "thesis-6.1"})
	if err != nil || len(list) != 2 || list[0].Name != "thesis-2.6" || list[1].Name != "thesis-6.1" {
		t.Errorf("%v, %v", list, err)
	}
	for name := range costs {
		if _, err := Named([]string{name}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Named([]string{"thesis-6.1", "Thesis-2.6"}); err == nil || !strings.Contains(err.Error(), `"Thesis-2.6" is none of`) {
		t.Error(err)
	}
}

// TestFolderFirst: a folder that cannot be made is told before anything is drawn, which
// may take long.
func TestFolderFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is drawn
	o := Options{Out: file}
	if _, err := o.Run(ctx, io.Discard, []string{"hipc-4"}); err == nil || !strings.Contains(err.Error(), "making the folder") {
		t.Error(err)
	}
}
