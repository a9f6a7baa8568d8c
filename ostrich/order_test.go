package ostrich_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestFilesInOrder: a file of the core calls functions of itself and of files before it
// only, in the order that the package's doc.go lists under "# The files".
func TestFilesInOrder(t *testing.T) {
	s := &sources{fset: token.NewFileSet(), known: make(map[string]*types.Package)}
	s.library = importer.ForCompiler(s.fset, "source", nil)
	for _, name := range []string{module + "/ostrich/sharing", module + "/ostrich"} {
		for _, up := range s.upwards(t, name, listed(t, name)) {
			t.Error(up)
		}
	}
	wrong := listed(t, module+"/ostrich/sharing")
	slices.Reverse(wrong)
	if len(s.upwards(t, module+"/ostrich/sharing", wrong)) == 0 {
		t.Error("no use runs upwards in the reverse order: this test does not see them")
	}
}

// listed returns the files that a package's doc.go lists.
func listed(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(path.Join("..", strings.TrimPrefix(name, module), "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "// # The files\n")
	list, _, _ = strings.Cut(list, "\n// # ")
	var files []string
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" \n,():;", r) }) {
		if word = strings.TrimSuffix(word, "."); strings.HasSuffix(word, ".go") {
			files = append(files, word)
		}
	}
	return files
}

// sources reads packages from their sources, tests left out.
type sources struct {
	fset    *token.FileSet
	library types.Importer
	known   map[string]*types.Package
}

// Import is for the type checker.
func (s *sources) Import(name string) (*types.Package, error) {
	if !below(name, module) {
		return s.library.Import(name)
	}
	if s.known[name] == nil {
		if err := s.check(name, nil); err != nil {
			return nil, err
		}
	}
	return s.known[name], nil
}

// check reads one of our packages.
func (s *sources) check(name string, info *types.Info) error {
	folder := path.Join("..", strings.TrimPrefix(name, module))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, broken := parser.ParseFile(s.fset, path.Join(folder, e.Name()), nil, parser.SkipObjectResolution)
		if broken != nil {
			return broken
		}
		files = append(files, f)
	}
	s.known[name], err = (&types.Config{Importer: s}).Check(name, s.fset, files, info)
	return err
}

// upwards lists the calls of a package's files that run to a file behind, and the files that
// are not in the order.
func (s *sources) upwards(t *testing.T, name string, order []string) []string {
	t.Helper()
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	if err := s.check(name, info); err != nil {
		t.Fatal(err)
	}
	place := func(at token.Pos) (string, int) {
		file := path.Base(s.fset.Position(at).Filename)
		return file, slices.Index(order, file)
	}
	found := make(map[string]bool)
	for _, o := range info.Defs {
		if f, ok := o.(*types.Func); ok {
			if file, i := place(f.Pos()); i < 0 {
				found[fmt.Sprintf("%s: doc.go does not list %s", name, file)] = true
			}
		}
	}
	for id, o := range info.Uses {
		f, ok := o.(*types.Func)
		if !ok || f.Pkg() != s.known[name] {
			continue
		}
		from, i := place(id.Pos())
		to, k := place(f.Origin().Pos())
		if k > i {
			found[fmt.Sprintf("%s: %s calls %s of %s, which comes after it", name, from, f.Name(), to)] = true
		}
	}
	list := make([]string, 0, len(found))
	for text := range found {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}
