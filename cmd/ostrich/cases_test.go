package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A filed case is a small input of which the right values are known. TestCases and
// TestDumpCases have a table of them each.
type filedCase struct {
	name  string
	args  string            // of ostrich, in words; a word that is a file's name stands for the file
	files map[string]string // texts of files; others are in $OSTRICH_CASES

	// In the JSON output: paths and values, such as "runs.fairshare.makespan=7200". An
	// element of a list is named by its place, or by its name, run, measure or policy.
	json []string
	says []string // parts of what is printed, on standard output or error
	not  []string // what is not part of it
	bad  bool     // the input is refused: ostrich fails
}

// TestCases are cases of the machine, slurm.conf and associations.
func TestCases(t *testing.T) {
	for _, c := range []filedCase{
		{
			name: "nested partitions", args: "compare --sacct two-parts.txt --slurm-config mix3.conf --policy fairshare --json",
			json: []string{"processors=416"},
		},
		{
			name: "two pools", args: "compare --sacct two-parts.txt --slurm-config tp.conf --policy fairshare --json",
			json: []string{"processors=8", "runs.fairshare.makespan=7200"},
		},
	} {
		t.Run(c.name, func(t *testing.T) { checkCase(t, &c) })
	}
}

// checkCase runs ostrich on a case. It skips one whose files are not there.
func checkCase(t *testing.T, c *filedCase) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"ostrich"}, caseArgs(t, c)...)
	code := run(t.Context(), args, &stdout, &stderr)
	printed := stdout.String() + stderr.String()
	if c.bad != (code != 0) {
		t.Fatalf("%q: exit code %d\n%s", args, code, printed)
	}
	for _, part := range c.says {
		if !strings.Contains(printed, part) {
			t.Errorf("%q does not say %q:\n%s", args, part, printed)
		}
	}
	for _, part := range c.not {
		if strings.Contains(printed, part) {
			t.Errorf("%q says %q:\n%s", args, part, printed)
		}
	}
	if len(c.json) == 0 {
		return
	}
	var tree any
	decoder := json.NewDecoder(&stdout)
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, printed)
	}
	for _, want := range c.json {
		path, value, _ := strings.Cut(want, "=")
		if got := valueAt(tree, path); got != value {
			t.Errorf("%q: %s is %s, want %s\n%s", args, path, got, value, &stderr)
		}
	}
}

// caseArgs returns the arguments, with the paths of files.
func caseArgs(t *testing.T, c *filedCase) []string {
	t.Helper()
	args := strings.Fields(c.args)
	for i, word := range args {
		text, own := c.files[word]
		switch {
		case own:
			args[i] = writeFile(t, filepath.Join(t.TempDir(), word), text)
		case strings.HasSuffix(word, ".txt"), strings.HasSuffix(word, ".conf"), strings.HasSuffix(word, ".swf"):
			args[i] = filepath.Join(casesFolder(t), word)
		}
	}
	return args
}

// casesFolder returns $OSTRICH_CASES, or shared/cases beside the tree. It skips the test
// where there is none.
func casesFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OSTRICH_CASES")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "cases")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no cases: OSTRICH_CASES is not set, and there is no shared/cases beside the tree")
	}
	return folder
}

// valueAt returns the value at a path of decoded JSON: a number with at most three
// digits behind the point, a text, true, false or null.
func valueAt(tree any, path string) string {
	for word := range strings.SplitSeq(path, ".") {
		switch node := tree.(type) {
		case map[string]any:
			tree = node[word]
		case []any:
			tree = elementOf(node, word)
		default:
			return "not there"
		}
	}
	switch value := tree.(type) {
	case nil:
		return "null"
	case json.Number:
		if _, err := value.Int64(); err == nil {
			return value.String()
		}
		f, err := value.Float64()
		if err != nil {
			return value.String()
		}
		text := strings.TrimRight(strconv.FormatFloat(f, 'f', 3, 64), "0")
		return strings.TrimSuffix(text, ".")
	case []any:
		return fmt.Sprintf("a list of %d", len(value))
	}
	return fmt.Sprint(tree)
}

// elementOf returns the element of a list that has a place or a name.
func elementOf(list []any, word string) any {
	if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	for _, element := range list {
		fields, _ := element.(map[string]any)
		for _, key := range []string{"name", "run", "measure", "policy"} {
			if fields[key] == word {
				return element
			}
		}
	}
	return nil
}
