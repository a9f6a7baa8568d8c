package configuration

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting/tools"
)

// TestTools reads a site's own tools; what is wrong is named with its line and what was expected.
func TestTools(t *testing.T) {
	c := Default()
	err := c.Read("ostrich.yaml", []byte(`tools:
  pipeline:
    name: ^pipe_(?P<class>[a-z]+)
    comment: '^batch=(?P<campaign>\w+)$'
  workers:
    pilot: true
    line: start-worker\.sh
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []tools.Row{
		{Name: "pipeline", Patterns: []tools.Source{{In: tools.Name, Text: `^pipe_(?P<class>[a-z]+)`}, {In: tools.Comment, Text: `^batch=(?P<campaign>\w+)$`}}},
		{Name: "workers", Patterns: []tools.Source{{In: tools.Line, Text: `start-worker\.sh`}}, Pilot: true},
	}
	if diff := cmp.Diff(want, c.Tools); diff != "" {
		t.Error(diff)
	}
	source, err := c.Source()
	if err != nil {
		t.Fatal(err)
	}
	said := source.Tools.Read(&tools.Texts{Name: []byte("pipe_sort_7")})
	if said.Tool != "pipeline" || said.Kind != "sort" || said.Row != 1 || said.Campaign != "" {
		t.Errorf("the reader knows another: %+v", said)
	}
	for file, want := range map[string]string{
		"tools:\n  a:\n    name: '(?P<class>'\n":               "3: tools: a: name: error parsing regexp: missing closing ): `(?P<class>`; expected a regular expression of RE2's",
		"tools:\n  a:\n    name: '(?P<class>a{999})'\n":        "3: tools: a: name: too large: compiled it has 1003 steps; expected at most 250, so that it is quick (repetitions such as {40} count as often as they repeat)",
		"tools:\n  a:\n    title: '(?P<class>a)'\n":            "3: tools: a: title: expected name, folder, line, comment or pilot",
		"tools:\n  a:\n    name: [x]\n":                        "3: tools: a: name: expected one word",
		"tools:\n  a:\n    name: (?P<class>a)\n    pilot: 1\n": `4: tools: a: pilot: "1" is neither true nor false`,
		"tools:\n  a:\n    name: x\n":                          "2: tools: a: declares nothing; expected a group (?P<campaign>…) or (?P<class>…) in a pattern, or pilot: true",
		"tools:\n  a: x\n":                                     "2: tools: a: expected patterns for name, folder, line, comment, and maybe pilot",
		"tools:\n  a: {pilot: true}\n":                         "2: tools: a: no pattern; expected one for name, folder, line, comment",
		"tools: [a]\n":                                         "1: tools: expected names of tools, each with its patterns",
		"tools:\n  a: {name: x, pilot: true, name: y}\n":       "2: tools: a: name: set already",
	} {
		before := c.Tools
		err := c.Read("F", []byte(file))
		if want = "configuration: F:" + want; err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", file, err, want)
		}
		if diff := cmp.Diff(before, c.Tools); diff != "" {
			t.Errorf("%s: an error changed the setting: %s", file, diff)
		}
	}
	if err := (siteTools{&c.Tools}).Set("{a: {name: x}}"); err == nil || !strings.HasPrefix(err.Error(), "a: declares nothing") {
		t.Error(err)
	}
	if err := (siteTools{&c.Tools}).Set(""); err != nil || len(c.Tools) != 0 {
		t.Errorf("%v, %v", c.Tools, err)
	}
}
