package ostrich_test

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDaemonIsLean: ostrichd links neither the log reader with its gzip, nor Slurm's
// priorities and the papers' algorithms, nor the exact solver, nor "ostrich check" and what asks a daemon. One chain of imports that does it is shown.
func TestDaemonIsLean(t *testing.T) {
	const daemon = module + "/cmd/ostrichd"
	from := map[string]string{daemon: ""}
	for queue := []string{daemon}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range imports(t, queue[0]) {
			if _, known := from[imported]; known {
				continue
			}
			from[imported] = queue[0]
			if below(imported, module) {
				queue = append(queue, imported)
			}
		}
	}
	for _, heavy := range []string{
		module + "/ostrich/trace", module + "/ostrich/sim/swf", module + "/ostrich/sim/orders", module + "/ostrich/multifactor", module + "/ostrich/policy", module + "/ostrich/optimal",
		module + "/ostrich/grid", module + "/ostrich/bot", module + "/ostrich/report/confidence", module + "/ostrich/trial/conclusion", module + "/cmd/internal/check", module + "/cmd/internal/socket/client", module + "/cmd/internal/asking", "github.com/klauspost/compress/gzip",
	} {
		if _, linked := from[heavy]; linked {
			chain := []string{heavy}
			for at := from[heavy]; at != ""; at = from[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			t.Errorf("ostrichd links %s: %s", heavy, strings.Join(chain, " → "))
		}
	}
	if len(from) < 50 {
		t.Errorf("ostrichd links %d packages only: this test does not see its imports", len(from))
	}
}

// imports lists what the files of one of our packages import, tests left out.
func imports(t *testing.T, name string) []string {
	t.Helper()
	folder := path.Join("..", strings.TrimPrefix(name, module))
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path.Join(folder, f.Name()), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, imported)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
