package slurm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestValues(t *testing.T) {
	dir := t.TempDir()
	squeue := `#!/bin/sh
case "$*" in
*%u) printf 'bob\nalice\nbob\n' ;;
*%P) printf 'main,long\nmain\n' ;;
*%i) printf '11_[1-2,7]\n20\n' ;;
*) echo 'squeue: error: no such field' >&2; exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "squeue"), []byte(squeue), 0o700); err != nil {
		t.Fatal(err)
	}
	s := Commands{Dir: dir, Timeout: 20 * time.Second}
	for field, want := range map[string][]string{"%u": {"alice", "bob"}, "%P": {"long", "main"}, "%i": {"11_[1-2,7]", "20"}} {
		if got, err := s.Values(t.Context(), field); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v, want %q", field, got, err, want)
		}
	}
	if got, err := s.Values(t.Context(), "%z"); err == nil || err.Error() != "squeue: exit status 1: squeue: error: no such field" {
		t.Errorf("%q %v", got, err)
	}
}
