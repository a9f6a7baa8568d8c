package ostrich_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The house rules, executable: who imports whom, who may look at the clock,
// start a process or speak SQL, how long a file is, and what stands on the top level.
//
// The test reads the sources itself. Files it opens are part of the key of
// go's test cache; what a child process such as `go list` reads is not, and a
// rule broken since the last run would go unseen.

const module = "slurm-ostrich"

// linesOfFile is how many lines a file may have, linesOfTest how many a test.
const (
	linesOfFile = 500
	linesOfTest = 1000
)

// topLevel is everything the top level may hold beside dot files and what
// .gitignore names.
var topLevel = []string{
	"cmd", "slurmdb", "ostrich", "priority", "contrib", "docs", "findings",
	"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md",
}

// pure are the packages that are told the time and the news, and return what
// follows. impure is what they do without, each with all below it.
var (
	pure   = []string{"ostrich", "ostrich/campaign", "ostrich/lengths", "ostrich/scalar", "ostrich/sharing", "priority"}
	impure = []string{
		"context", "time", "os", "net", "log", "syscall", "database", "math/rand", "crypto/rand", "sync", "path/filepath", "testing",
	}
)

// apart are packages that do not know one another, beside tests.
var apart = map[string][]string{
	"priority/slurm":   {"priority/journal"},
	"priority/journal": {"priority/slurm"},
}

// ours says which packages of this module a folder's packages import, beside
// those in the folder itself. The closest folder counts; one that is not named imports any.
var ours = map[string][]string{
	"ostrich":          {},
	"ostrich/campaign": {"ostrich/scalar"},
	"ostrich/lengths":  {"ostrich/scalar"},
	"ostrich/scalar":   {},
	"ostrich/sharing":  {"ostrich/scalar"},
	"slurmdb":          {"ostrich", "ostrich/accounting", "ostrich/accounting/ledger", "ostrich/accounting/tools", "ostrich/plural"},
	"priority":         {"ostrich", "ostrich/plural", "ostrich/scalar"},
	"docs":             {},
}

// oursInTests says what a folder's tests import in addition. Tests replay
// through the simulator and ask the testbed for a real Slurm.
var oursInTests = []string{"ostrich", "contrib"}

// thirdParty is what a folder below ostrich imports beside the standard
// library, each with its reason in docs/adr.
var thirdParty = map[string][]string{
	"ostrich/bot":               {"gonum.org/v1/gonum/stat/distuv", "gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/optimize"},
	"ostrich/report/confidence": {"gonum.org/v1/gonum/stat/distuv"},
	"ostrich/trace":             {"github.com/klauspost/compress/gzip"},
}

// only says where a package that reaches out of the process may be imported,
// beside tests.
var only = map[string][]string{
	"os/exec":      {"priority/slurm", "cmd/internal/solver", "cmd/internal/scripttest", "contrib", "slurmdb/slurmdbtest"},
	"database/sql": {"slurmdb"},
}

// clockReaders is where time.Now is read, beside tests. Everybody else is told
// the time.
var clockReaders = []string{"cmd", "contrib", "priority/slurm/slurmtest/fakeslurm"}

func TestHouseRules(t *testing.T) {
	broken, err := housebreaks(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

// TestHouseRulesBite breaks each rule once.
func TestHouseRulesBite(t *testing.T) {
	for _, tt := range []struct {
		name, file, source string
		want               []string
	}{
		{"standard library in the model", "ostrich/a.go", `import "cmp"`, nil},
		{"our own below the model", "ostrich/sim/a.go", `import "slurm-ostrich/ostrich"`, nil},
		{"files below the model", "ostrich/trace/a.go", `import "os"`, nil},
		{"third party in a test of the model", "ostrich/a_test.go", `import "pgregory.net/rapid"`, nil},
		{"clock in the model", "ostrich/a.go", `import "time"`, []string{
			"ostrich/a.go:2: imports time: package ostrich does without",
		}},
		{"files in the model", "ostrich/a.go", `import fs "os/signal"`, []string{
			"ostrich/a.go:2: imports os/signal: package ostrich does without",
		}},
		{"atomics in the model", "ostrich/a.go", `import "sync/atomic"`, []string{
			"ostrich/a.go:2: imports sync/atomic: package ostrich does without",
		}},
		{"numbers below lengths", "ostrich/lengths/a.go", `import "slurm-ostrich/ostrich/scalar"`, nil},
		{"the machine in a test of lengths", "ostrich/lengths/a_test.go", `import "slurm-ostrich/ostrich"`, nil},
		{"the machine below lengths", "ostrich/lengths/a.go", `import "slurm-ostrich/ostrich"`, []string{
			"ostrich/lengths/a.go:2: imports slurm-ostrich/ostrich: ostrich/lengths may not know it",
		}},
		{"lengths below campaigns", "ostrich/campaign/a.go", `import "slurm-ostrich/ostrich/lengths"`, []string{
			"ostrich/campaign/a.go:2: imports slurm-ostrich/ostrich/lengths: ostrich/campaign may not know it",
		}},
		{"jobs below the shares", "ostrich/sharing/a.go", `import "slurm-ostrich/ostrich"`, []string{
			"ostrich/sharing/a.go:2: imports slurm-ostrich/ostrich: ostrich/sharing may not know it",
		}},
		{"clock in lengths", "ostrich/lengths/a.go", `import "time"`, []string{
			"ostrich/lengths/a.go:2: imports time: package ostrich/lengths does without",
		}},
		{"third party in the model", "ostrich/a.go", `import "gonum.org/v1/plot"`, []string{
			"ostrich/a.go:2: imports gonum.org/v1/plot: ostrich needs the standard library only",
		}},
		{"third party below the model", "ostrich/sim/a.go", `import _ "github.com/rs/zerolog"`, []string{
			"ostrich/sim/a.go:2: imports github.com/rs/zerolog: ostrich needs the standard library only",
		}},
		{"third party with a reason", "ostrich/trace/a.go", `import "github.com/klauspost/compress/gzip"`, nil},
		{"statistics with a reason", "ostrich/bot/a.go", `import "gonum.org/v1/gonum/stat/distuv"`, nil},
		{"the same elsewhere", "ostrich/sim/a.go", `import "github.com/klauspost/compress/gzip"`, []string{
			"ostrich/sim/a.go:2: imports github.com/klauspost/compress/gzip: ostrich needs the standard library only",
		}},
		{"C in the model", "ostrich/a.go", `import "C"`, []string{
			"ostrich/a.go:2: imports C: ostrich needs the standard library only",
		}},
		{"database below the model", "ostrich/sim/a.go", `import "slurm-ostrich/slurmdb"`, []string{
			"ostrich/sim/a.go:2: imports slurm-ostrich/slurmdb: ostrich may not know it",
		}},
		{"database in a test of the model", "ostrich/a_test.go", `import "slurm-ostrich/slurmdb"`, []string{
			"ostrich/a_test.go:2: imports slurm-ostrich/slurmdb: ostrich may not know it",
		}},

		{"reader knows the model", "slurmdb/a.go", `import "slurm-ostrich/ostrich"`, nil},
		{"reader speaks SQL", "slurmdb/a.go", `import "database/sql"`, nil},
		{"reader's tests start a server", "slurmdb/slurmdbtest/a.go", `import "os/exec"`, nil},
		{"reader's tests simulate", "slurmdb/a_test.go", `import "slurm-ostrich/ostrich/sim"`, nil},
		{"reader simulates", "slurmdb/a.go", `import "slurm-ostrich/ostrich/sim"`, []string{
			"slurmdb/a.go:2: imports slurm-ostrich/ostrich/sim: slurmdb may not know it",
		}},
		{"reader writes", "slurmdb/a.go", `import "slurm-ostrich/priority"`, []string{
			"slurmdb/a.go:2: imports slurm-ostrich/priority: slurmdb may not know it",
		}},
		{"reader's test writes", "slurmdb/a_test.go", `import "slurm-ostrich/priority"`, []string{
			"slurmdb/a_test.go:2: imports slurm-ostrich/priority: slurmdb may not know it",
		}},
		{"reader starts a process", "slurmdb/a.go", `import "os/exec"`, []string{
			"slurmdb/a.go:2: imports os/exec: belongs in priority/slurm, cmd/internal/solver, cmd/internal/scripttest, contrib, slurmdb/slurmdbtest",
		}},
		{"reader reads the clock", "slurmdb/a.go", `import "time"; var start = time.Now()`, []string{
			"slurmdb/a.go:2: time.Now: time is an argument outside cmd, contrib, priority/slurm/slurmtest/fakeslurm",
		}},
		{"reader measures with the clock", "slurmdb/a.go", `import t "time"; var age = t.Since(t.Time{})`, []string{
			"slurmdb/a.go:2: time.Since: time is an argument outside cmd, contrib, priority/slurm/slurmtest/fakeslurm",
		}},
		{"reader hides the clock", "slurmdb/a.go", `import . "time"`, []string{
			"slurmdb/a.go:2: imports time with a dot: hides who reads the clock",
		}},
		{"reader waits", "slurmdb/a.go", `import "time"; const limit = 2 * time.Second`, nil},
		{"reader's test reads the clock", "slurmdb/a_test.go", `import "time"; var start = time.Now()`, nil},

		{"writer knows the model", "priority/a.go", `import "slurm-ostrich/ostrich"`, nil},
		{"planner starts a process", "priority/a.go", `import "os/exec"`, []string{
			"priority/a.go:2: imports os/exec: package priority does without",
		}},
		{"planner opens a file", "priority/a.go", `import "os"`, []string{
			"priority/a.go:2: imports os: package priority does without",
		}},
		{"planner asks a server", "priority/a.go", `import "net/http"`, []string{
			"priority/a.go:2: imports net/http: package priority does without",
		}},
		{"planner waits", "priority/a.go", `import "context"`, []string{
			"priority/a.go:2: imports context: package priority does without",
		}},
		{"planner reads a database", "priority/a.go", `import "database/sql/driver"`, []string{
			"priority/a.go:2: imports database/sql/driver: package priority does without",
		}},
		{"planner's test opens a file", "priority/a_test.go", `import "os"`, nil},
		{"commands start a process", "priority/slurm/a.go", `import "os/exec"`, nil},
		{"commands know the planner", "priority/slurm/a.go", `import "slurm-ostrich/priority"`, nil},
		{"commands know the journal", "priority/slurm/a.go", `import "slurm-ostrich/priority/journal"`, []string{
			"priority/slurm/a.go:2: imports slurm-ostrich/priority/journal: priority/slurm may not know it",
		}},
		{"test of commands knows the journal", "priority/slurm/a_test.go", `import "slurm-ostrich/priority/journal"`, nil},
		{"journal opens a file", "priority/journal/a.go", `import "os"`, nil},
		{"journal knows the commands", "priority/journal/a.go", `import "slurm-ostrich/priority/slurm"`, []string{
			"priority/journal/a.go:2: imports slurm-ostrich/priority/slurm: priority/journal may not know it",
		}},
		{"journal starts a process", "priority/journal/a.go", `import "os/exec"`, []string{
			"priority/journal/a.go:2: imports os/exec: belongs in priority/slurm, cmd/internal/solver, cmd/internal/scripttest, contrib, slurmdb/slurmdbtest",
		}},
		{"writer reads", "priority/a.go", `import "slurm-ostrich/slurmdb"`, []string{
			"priority/a.go:2: imports slurm-ostrich/slurmdb: priority may not know it",
		}},
		{"writer speaks SQL", "priority/slurm/a.go", `import "database/sql"`, []string{
			"priority/slurm/a.go:2: imports database/sql: belongs in slurmdb",
		}},
		{"writer runs commands", "priority/a.go", `import "slurm-ostrich/cmd/ostrich"`, []string{
			"priority/a.go:2: imports slurm-ostrich/cmd/ostrich: priority may not know it",
		}},

		{"command knows both", "cmd/ostrich/a.go", `import ("slurm-ostrich/slurmdb"; "slurm-ostrich/priority")`, nil},
		{"command reads the clock", "cmd/ostrichd/a.go", `import "time"; var now = time.Now`, nil},
		{"solvers are started", "cmd/internal/solver/a.go", `import "os/exec"`, nil},
		{"command starts a process", "cmd/ostrichd/a.go", `import "os/exec"`, []string{
			"cmd/ostrichd/a.go:2: imports os/exec: belongs in priority/slurm, cmd/internal/solver, cmd/internal/scripttest, contrib, slurmdb/slurmdbtest",
		}},
		{"command speaks SQL", "cmd/ostrich/a.go", `import "database/sql"`, []string{
			"cmd/ostrich/a.go:2: imports database/sql: belongs in slurmdb",
		}},
		{"testbed knows both", "contrib/testbed/a.go", `import ("os/exec"; "slurm-ostrich/slurmdb"; "slurm-ostrich/priority")`, nil},

		{"a long file", "ostrich/a.go", strings.Repeat("\n", linesOfFile-1), nil},
		{"too long a file", "ostrich/a.go", strings.Repeat("\n", linesOfFile), []string{"ostrich/a.go: has 501 lines, more than 500"}},
		{"a long test", "cmd/ostrich/a_test.go", strings.Repeat("\n", linesOfTest-1), nil},
		{"too long a test", "cmd/ostrich/a_test.go", strings.Repeat("\n", linesOfTest), []string{
			"cmd/ostrich/a_test.go: has 1001 lines, more than 1000",
		}},

		{"another folder", "internal/a.go", ``, []string{"internal: does not belong on the top level"}},
		{"another file", "Makefile", ``, []string{"Makefile: does not belong on the top level"}},
		{"dot file", ".golangci.yml", ``, nil},
		{"built file", "bin/ostrichd", ``, nil},
		{"built test", "sim.test", ``, nil},
		{"test data", "ostrich/testdata/a.go", `import "time"`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := tt.source
			if strings.HasSuffix(tt.file, ".go") {
				source = "package p\n" + source
			}
			got, err := housebreaks(fstest.MapFS{
				".gitignore": {Data: []byte("# built\n/bin/\n*.test\n")},
				tt.file:      {Data: []byte(source)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s", diff)
			}
		})
	}
}

// housebreaks lists how the tree breaks the house rules, by file and line.
func housebreaks(tree fs.FS) ([]string, error) {
	broken, err := strangers(tree)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		source, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		found, err := breaks(file, source)
		broken = append(broken, found...)
		return err
	})
	return broken, err
}

// strangers lists what should not be on the top level.
func strangers(tree fs.FS) ([]string, error) {
	ignored, err := fs.ReadFile(tree, ".gitignore")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		built := func(line string) bool {
			match, err := path.Match(strings.Trim(strings.TrimSpace(line), "/"), name)
			return err == nil && match
		}
		if strings.HasPrefix(name, ".") || slices.Contains(topLevel, name) ||
			slices.ContainsFunc(strings.Split(string(ignored), "\n"), built) {
			continue
		}
		found = append(found, name+": does not belong on the top level")
	}
	return found, nil
}

// breaks lists how one Go file breaks the rules. The file's path is relative
// to the top level.
func breaks(file string, source []byte) ([]string, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var (
		found  []string
		folder = path.Dir(file)
		isTest = strings.HasSuffix(file, "_test.go")
		clock  = "" // the name under which the file knows package time
	)
	report := func(at ast.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: ", file, fset.Position(at.Pos()).Line)+fmt.Sprintf(format, args...))
	}

	limit := linesOfFile
	if isTest {
		limit = linesOfTest
	}
	if lines := bytes.Count(source, []byte("\n")); lines > limit {
		found = append(found, fmt.Sprintf("%s: has %d lines, more than %d", file, lines, limit))
	}

	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		if why := refusal(folder, imported, isTest); why != "" {
			report(spec, "imports %s: %s", imported, why)
		}
		switch {
		case imported != "time":
		case spec.Name == nil:
			clock = "time"
		case spec.Name.Name == ".":
			report(spec, "imports time with a dot: hides who reads the clock")
		default:
			clock = spec.Name.Name
		}
	}

	if isTest || clock == "" || belowAny(folder, clockReaders) {
		return found, nil
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := selector.X.(*ast.Ident)
		if ok && from.Name == clock && slices.Contains([]string{"Now", "Since", "Until"}, selector.Sel.Name) {
			report(selector, "time.%s: time is an argument outside %s", selector.Sel.Name, strings.Join(clockReaders, ", "))
		}
		return true
	})
	return found, nil
}

// refusal says why a package in folder may not import another one, or "".
func refusal(folder, imported string, isTest bool) string {
	top, _, _ := strings.Cut(folder, "/")
	own, isOurs := strings.CutPrefix(imported, module+"/")
	home := folder
	known, limited := ours[folder]
	if !limited {
		home = top
		known, limited = ours[top]
	}
	switch {
	case isOurs && !limited:
	case isOurs:
		if !below(own, home) && !slices.Contains(known, own) && (!isTest || !belowAny(own, oursInTests)) {
			return home + " may not know it"
		}
		if !isTest && belowAny(own, apart[folder]) {
			return folder + " may not know it"
		}
	case isTest:
	case top == "ostrich" && !isStandard(imported) && !slices.Contains(thirdParty[folder], imported):
		return "ostrich needs the standard library only"
	case slices.Contains(pure, folder) && belowAny(imported, impure):
		return "package " + folder + " does without"
	default:
		if homes := only[imported]; homes != nil && !belowAny(folder, homes) {
			return "belongs in " + strings.Join(homes, ", ")
		}
	}
	return ""
}

// isStandard tells the standard library from other modules the way go itself
// does: its paths have no dot in their first element.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return imported != "C" && !strings.Contains(first, ".")
}

// below reports whether a slash-separated path is parent or lies below it.
func below(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

func belowAny(name string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool { return below(name, parent) })
}
