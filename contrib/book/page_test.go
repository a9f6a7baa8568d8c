package book

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// page is a page of the documentation.
type page struct {
	name   string // its path in the tree
	blocks []Block
}

// root returns the folder of the source tree.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// texts returns the paths, in the tree, of all pages in it.
func texts(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if name, err := filepath.Rel(root(t), path); err == nil && strings.HasSuffix(name, ".md") {
			out = append(out, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pages returns the pages that tell people what to type, and of these those
// that have a block for the place; "" for all of them.
func pages(t *testing.T, where string) []page {
	t.Helper()
	var out []page
	for _, name := range texts(t) {
		shown := name == "README.md" || filepath.Dir(name) == "docs" || strings.HasPrefix(name, "contrib/") && filepath.Base(name) == "README.md"
		if !shown {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := Parse(string(text))
		if err != nil {
			t.Errorf("%s:%v", name, err)
			continue
		}
		if where == "" || slices.ContainsFunc(blocks, func(b Block) bool { return b.Where == where }) {
			out = append(out, page{name, blocks})
		}
	}
	return out
}

// Every block of every page says where it runs, or why it does not.
func TestEveryCommandHasItsPlace(t *testing.T) {
	const most = 43 // of blocks that are not run: raise it only with a good reason
	run, not := 0, 0
	for _, p := range pages(t, "") {
		for _, b := range p.blocks {
			if b.Where != "" {
				run++
				continue
			}
			not++
			t.Logf("not run: %s:%d: %s", p.name, b.Line, b.Reason)
			if len(b.Reason) < 12 {
				t.Errorf("%s:%d: not run: %q is no reason", p.name, b.Line, b.Reason)
			}
		}
	}
	t.Logf("%d blocks are run, %d are not", run, not)
	if not > most {
		t.Errorf("%d blocks are not run; at most %d may be", not, most)
	}
	if run == 0 {
		t.Error("no block is run")
	}
}

func TestLinks(t *testing.T) {
	for _, name := range texts(t) {
		links, err := Dead(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			t.Errorf("%s: %s", name, l)
		}
	}
}

// The chapters lead from one to the next, each once, and the README links each.
func TestChaptersFollowOneAnother(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]string{}
	for _, name := range texts(t) {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		last := strings.TrimSpace(string(text))
		last = last[strings.LastIndex(last, "\n")+1:]
		if m := link.FindStringSubmatch(last); m != nil && strings.HasPrefix(last, "Next: ") {
			next[name] = filepath.Join(filepath.Dir(name), m[1])
		}
	}
	chapters := 1
	for at := "docs/get-started.md"; ; chapters++ {
		if !strings.Contains(string(readme), "]("+at+")") {
			t.Errorf("the README does not link the chapter %s", at)
		}
		to := next[at]
		if delete(next, at); to == "" {
			break
		}
		at = to
	}
	if chapters < 10 || len(next) > 0 {
		t.Errorf("%d chapters follow one another from docs/get-started.md on; these are apart: %v", chapters, next)
	}
}

func TestParse(t *testing.T) {
	const f = "```"
	for _, test := range []struct {
		name, text string
		want       []Block
		wrong      string
	}{
		{"a command", f + "console\n$ a\nx\ny\n$ b\n" + f, []Block{{Line: 1, Where: "anywhere", Commands: []Command{{2, "a", []string{"x", "y"}}, {5, "b", nil}}}}, ""},
		{"marked", "<!-- run: cluster, exit 2, exact -->\n\n" + f + "console\n$ a\n" + f, []Block{{Line: 3, Where: "cluster", Exit: 2, Exact: true, Commands: []Command{{4, "a", nil}}}}, ""},
		{"not run", "<!-- not run: needs the moon -->\n" + f + "sh\n# why\na\n\nb\n" + f, []Block{{Line: 2, Reason: "needs the moon", Commands: []Command{{4, "a", nil}, {6, "b", nil}}}}, ""},
		{"several lines", f + "console\n$ a \\\n  b\n$ cat <<END\n> $ x\n> END\nout\n" + f, []Block{{Line: 1, Where: "anywhere", Commands: []Command{{2, "a \\\n  b", nil}, {4, "cat <<END\n$ x\nEND", []string{"out"}}}}}, ""},
		{"other blocks", f + "yaml\na: b\n" + f + "\n\n    W = p·q\n", nil, ""},
		{"an unknown place", "<!-- run: moon -->\n" + f + "sh\na\n" + f, nil, `1: run: "moon"`},
		{"an unknown word", "<!-- run: cluster, twice -->\n" + f + "sh\na\n" + f, nil, `1: run: cluster, "twice"`},
		{"a misspelt comment", "<!-- runs: cluster -->\n" + f + "sh\na\n" + f, nil, "1: <!-- runs"},
		{"no reason", "<!-- not run: -->\n" + f + "sh\na\n" + f, nil, "1: not run: needs a reason"},
		{"two comments", "<!-- run: cluster -->\n<!-- run: compose -->\n" + f + "sh\na\n" + f, nil, "2: "},
		{"a comment before nothing", "<!-- run: cluster -->\nwords\n", nil, "2: no block follows"},
		{"a comment at the end", "<!-- run: cluster -->\n", nil, "2: no block follows"},
		{"a comment before no commands", "<!-- run: cluster -->\n" + f + "yaml\na: b\n" + f, nil, "2: commands stand in"},
		{"an unmarked console", f + "\n$ a\n" + f, nil, "1: commands stand in"},
		{"an unmarked command", f + "\ncontrib/testbed/debian/up\n" + f, nil, "1: commands stand in"},
		{"an indented command", "words\n\n    ostrich plan\n", nil, "3: a command outside"},
		{"an indented block", "- words\n\n  " + f + "sh\n  a\n  " + f, nil, "3: a command outside"},
		{"no end", f + "sh\na\n", nil, "1: the block has no end"},
		{"no end of a command", f + "sh\na \\\n" + f, nil, "2: the command has no end"},
		{"output first", f + "console\nx\n" + f, nil, "2: the block does not begin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text)
			if test.wrong != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.wrong) {
					t.Errorf("error %v, want one that begins with %q", err, test.wrong)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestDiffers(t *testing.T) {
	for _, test := range []struct {
		name, shown, printed string
		exact                bool
		want                 string
	}{
		{"the same", "a b", "a b", false, ""},
		{"other numbers and widths", "JOB  PLACE\n12   0.5 x", "JOB PLACE\n1234 -17 x\n", false, ""},
		{"another word", "JOB  PLACE", "JOB PLACES", false, "JOB  PLACE"},
		{"exact", "12 0.5", "12 0.6", true, "12 0.5"},
		{"a part of a line", "12 … end", "7 whatever it is end", false, ""},
		{"lines left out", "a\n…\nd", "a\nb\nc\nd", false, ""},
		{"no lines left out", "a\n…\nb", "a\nb", false, ""},
		{"left out to the end", "a\n…", "a\nb\nc", false, ""},
		{"more than shown", "a", "a\nb", false, "(the end) before b"},
		{"less than shown", "a\nb", "a", false, "b"},
		{"never there", "a\n…\nz", "a\nb", false, "z"},
	} {
		got, missing := differs(strings.Split(test.shown, "\n"), strings.Split(test.printed, "\n"), test.exact)
		if got != test.want || missing != (test.want != "") {
			t.Errorf("%s: %q, %v, want %q", test.name, got, missing, test.want)
		}
	}
}

func TestDead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# What it `costs`, [here](b.md)\n## Twice\n## Twice\n```\n# no heading\n```\n",
		"b.md": "[1](a.md) [2](a.md#what-it-costs-here) [3](a.md#twice-1) [4](#b) [5](a.md#no-heading) [6](c.md) `[7](c.md)` [8](https://example.org/c)\n## B\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Dead(filepath.Join(dir, "b.md"))
	want := []string{"a.md#no-heading: no such heading", "c.md: no such file"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
