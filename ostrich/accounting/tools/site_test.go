package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting/tools"
)

// site has a row that looks at all four texts.
var site = []tools.Row{{Name: "pipeline", Patterns: []tools.Source{
	{In: tools.Name, Text: `^pipe_(?P<class>[a-z]+)`},
	{In: tools.Comment, Text: `^batch=(?P<campaign>\w+)$`},
	{In: tools.Folder, Text: `^(?P<campaign>/proj/[^/]+)`},
}}, {Name: "workers", Pilot: true, Patterns: []tools.Source{{In: tools.Line, Text: `start-worker\.sh`}}}, {Name: "by folder", Patterns: []tools.Source{
	{In: tools.Folder, Text: `^/flows/(?P<campaign>[^/]+)`},
	{In: tools.Name, Text: `^flow_(?P<class>[a-z]+)`},
}}}

// TestSite: a site's own rows count before the known ones.
func TestSite(t *testing.T) {
	table, err := tools.With(site)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		texts tools.Texts
		want  tools.Said
	}{
		{tools.Texts{Name: []byte("pipe_sort_7"), Folder: []byte("/proj/x/a")}, tools.Said{Tool: "pipeline", Campaign: "run:/proj/x", Kind: "sort"}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Folder: []byte("/proj/x/a"), Line: []byte("sbatch --comment='batch=9' a.sh")}, tools.Said{Tool: "pipeline", Campaign: "run:9", Kind: "sort", ByLine: true}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Line: []byte("sbatch --comments=batch=9 a.sh")}, tools.Said{Tool: "pipeline", Kind: "sort"}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Line: []byte("sbatch --comments=batch=8 --comment=batch=9 a.sh")}, tools.Said{Tool: "pipeline", Campaign: "run:9", Kind: "sort", ByLine: true}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Line: []byte("sbatch --comment batch=9\ta.sh")}, tools.Said{Tool: "pipeline", Campaign: "run:9", Kind: "sort", ByLine: true}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Line: []byte("sbatch --comment=batch=9\nx --comment=batch=8")}, tools.Said{Tool: "pipeline", Campaign: "run:9", Kind: "sort", ByLine: true}},
		{tools.Texts{Name: []byte("pipe_sort_7"), Line: []byte("sbatch a.sh --comment")}, tools.Said{Tool: "pipeline", Kind: "sort"}},
		{tools.Texts{Name: []byte("wrap"), Line: []byte("sbatch start-worker.sh")}, tools.Said{Tool: "workers", Kind: "wrap", Pilot: true, ByLine: true}},
		{tools.Texts{Name: []byte("flow_cut"), Folder: []byte("/flows/7")}, tools.Said{Tool: "by folder", Campaign: "run:7", Kind: "cut"}},
		{tools.Texts{Name: []byte("other"), Folder: []byte("/flows/7")}, tools.Said{Tool: "by folder", Campaign: "run:7", Kind: "other"}},
		{tools.Texts{Name: []byte("snakejob_align_17")}, tools.Said{Tool: "Snakemake", Kind: "align"}},
	} {
		if diff := cmp.Diff(test.want, table.Read(&test.texts), noRow); diff != "" {
			t.Errorf("%s %s: %s", test.texts.Name, test.texts.Line, diff)
		}
	}
	if like := table.Like(tools.Line); len(like) < 2 || like[0] != "pipe_%" || like[1] != "%" {
		t.Errorf("the line of %v is asked for: a comment is in it, and a pattern without a name wants all", like)
	}
	if like := table.Like(tools.Folder); len(like) < 2 || like[0] != "pipe_%" || like[1] != "%" {
		t.Errorf("the folder of %v is asked for: where it decides itself, any name will do", like)
	}
}

// TestWrongRows says of each what was expected.
func TestWrongRows(t *testing.T) {
	for text, want := range map[string]string{
		`(?P<class>`:               "name: error parsing regexp: missing closing ): `(?P<class>`; expected a regular expression of RE2's",
		`(?P<class>a)(?=b)`:        "name: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; expected a regular expression of RE2's",
		`(?P<klass>a)`:             `name: a group "klass"; expected campaign or class, or one of them with a number behind it`,
		`a`:                        "declares nothing; expected a group (?P<campaign>…) or (?P<class>…) in a pattern, or pilot: true",
		`(?P<class>(?:ab){200})`:   "name: too large: compiled it has 404 steps; expected at most 250, so that it is quick (repetitions such as {40} count as often as they repeat)",
		strings.Repeat("a", 501):   "name: a pattern of 501 bytes; expected at most 500",
		`(?P<class>(a{30}){30})`:   "name: too large: compiled it has 964 steps; expected at most 250, so that it is quick (repetitions such as {40} count as often as they repeat)",
		`(?P<class>(a{50}){50}+)`:  "name: error parsing regexp: invalid repeat count: `{50}`; expected a regular expression of RE2's",
		`(?P<class>((a{9}){9}){9}`: "name: error parsing regexp: missing closing ): `(?P<class>((a{9}){9}){9}`; expected a regular expression of RE2's",
	} {
		_, err := tools.With([]tools.Row{{Name: "mine", Patterns: []tools.Source{{In: tools.Name, Text: text}}}})
		if err == nil || err.Error() != "mine: "+want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := tools.With([]tools.Row{{Name: "mine"}}); err == nil || err.Error() != "mine: no pattern; expected one for name, folder, line, comment" {
		t.Error(err)
	}
	if _, err := tools.With(make([]tools.Row, tools.MaxRows+1)); err == nil {
		t.Error("too many rows are taken")
	}
}

// like is LIKE of SQL, by its definition.
func like(text, pattern string) bool {
	switch {
	case pattern == "":
		return text == ""
	case pattern[0] == '%':
		return like(text, pattern[1:]) || text != "" && like(text[1:], pattern)
	case text == "":
		return false
	}
	return (pattern[0] == '_' || text[0] == pattern[0]) && like(text[1:], pattern[1:])
}

// TestLikeHolds: each name that a pattern matches is like what SQL is asked for, so that no text is
// left out of which a pattern says something. Where the line decides, each name is.
func TestLikeHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "_", "'", `\\`, `\.`, "é", "[(]", "(?:ab)", "(a|b)", "a|", "|", "x?", "b*", "a{0,2}", "^", "(?i:a)", ".", "%"})
		text := strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "pattern"), "")
		re, err := regexp.Compile(text)
		if err != nil {
			return
		}
		name := rapid.StringMatching(`[ab_'\\.é(x%A]{0,6}`).Draw(t, "name")
		table, err := tools.With([]tools.Row{{Name: "mine", Pilot: true, Patterns: []tools.Source{{In: tools.Name, Text: text}, {In: tools.Line, Text: "x"}}}})
		if err != nil {
			t.Fatal(err)
		}
		asked := table.Like(tools.Line)[0]
		if strings.Contains(asked, "'") {
			t.Errorf("%s would end the text in SQL", asked)
		}
		if name != "" && re.MatchString(name) && !like(name, asked) {
			t.Errorf("%q is of %q, and not like %q", name, text, asked)
		}
		if said := table.Read(&tools.Texts{Name: []byte(name)}); (said.Tool == "mine") != (name != "" && re.MatchString(name)) {
			t.Errorf("%q: tool %q", name, said.Tool)
		}
		if strings.Contains(asked, `\`) {
			t.Errorf("%s means another thing where the server has NO_BACKSLASH_ESCAPES", asked)
		}
		table, err = tools.With([]tools.Row{{Name: "mine", Pilot: true, Patterns: []tools.Source{{In: tools.Line, Text: "x"}, {In: tools.Name, Text: text}}}})
		if err != nil {
			t.Fatal(err)
		}
		if asked := table.Like(tools.Line)[0]; asked != "%" {
			t.Errorf("the line decides, and %q is not like %q", name, asked)
		}
	})
}

// BenchmarkSlowest reads the longest text with patterns that are as slow as a row may have.
func BenchmarkSlowest(b *testing.B) {
	for _, text := range []string{`(?P<class>(?:a|b|ab)*)(?:(?:a|b){0,20}c){3}$`, `(?P<class>(?:[^x]*[^y]*){20})z`, `(?P<class>(?:.?){60}.{60})z`} {
		table, err := tools.With([]tools.Row{{Name: "mine", Patterns: []tools.Source{{In: tools.Line, Text: text}}}})
		if err != nil {
			b.Fatal(err)
		}
		texts := tools.Texts{Line: []byte(strings.Repeat("ab", tools.MaxLine/2))}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				table.Read(&texts)
			}
		})
	}
}
