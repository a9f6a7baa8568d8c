package figures

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/trace/tracetest"
)

// beginnings is a folder with the first jobs of logs.
func beginnings(t *testing.T, logs []string, jobs int) string {
	t.Helper()
	from, to := tracetest.Folder(t), t.TempDir()
	for _, name := range logs {
		var b bytes.Buffer
		begin(t, filepath.Join(from, name), gzip.NewWriter(&b), jobs)
		if err := os.WriteFile(filepath.Join(to, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// begin copies the header and the first jobs of a log.
func begin(t *testing.T, path string, to io.WriteCloser, jobs int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(plain); jobs > 0 && lines.Scan(); {
		line := lines.Bytes()
		if len(line) > 0 && line[0] != ';' {
			jobs--
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}

// same compares pictures by their files.
var same = cmp.Comparer(func(a, b *svg.Picture) bool { return a.Name == b.Name && bytes.Equal(a.File(), b.File()) })

// TestWorkers: the number of workers changes nothing in any figure that computes, on the
// beginnings of the logs. Here the race detector sees what they do at the same time; it
// need not see the long computations of the other tests, which build without it.
func TestWorkers(t *testing.T) {
	// Other parameters of what bot-3, bot-5, bot-10, hipc-5 and milp-4 do.
	again := []string{"bot-4", "bot-6", "bot-7", "bot-8", "bot-9", "hipc-4", "milp-5"}
	for _, f := range figures(false) {
		if slices.Contains(again, f.Name) {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			in := Input{Short: true, small: len(f.Logs) == 0}
			if len(f.Logs) > 0 {
				jobs := 300
				if f.Name == "rl-5" {
					jobs = 3000 // of which sequences are drawn
				}
				in.Traces = beginnings(t, f.Logs, jobs)
			}
			draw := func(workers int) *Result {
				in.Workers = workers
				return drawFigure(t, f.Name, in)
			}
			if diff := cmp.Diff(draw(1), draw(3), same); diff != "" {
				t.Errorf("one worker against three: -one +three\n%s", diff)
			}
		})
	}
}
