package report_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/report"
)

// TestMeasuresAreWhole: a command can compute and print each measure that it lists, and
// tells it from the others.
func TestMeasuresAreWhole(t *testing.T) {
	t.Parallel()
	check := func(list string, all []*report.Measure) {
		t.Helper()
		seen := make(map[string]bool)
		for _, m := range all {
			if m.Key == "" || m.Name == "" || seen[m.Key] {
				t.Errorf("%s: key %q, name %q: empty, or twice", list, m.Key, m.Name)
			}
			seen[m.Key] = true
			if m.Of == nil {
				t.Errorf("%s: %s cannot be computed", list, m.Key)
			}
		}
	}
	var compared, benched []*report.Measure
	for _, m := range report.Comparison {
		compared = append(compared, m.Measure)
	}
	for _, m := range report.Bench {
		benched = append(benched, m.Measure)
	}
	check("Comparison", compared)
	check("Periods", report.Periods)
	check("Bench", benched)
}

// TestSummaryIsListed: each number in the JSON of a summary is a column of its CSV, under
// the same name, and the other way round.
func TestSummaryIsListed(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(struct {
		report.Run
		report.Punctual // adds jobs and campaigns, which are counts in the run
	}{})
	if err != nil {
		t.Fatal(err)
	}
	// Both have fields of the names jobs and campaigns; those of the run have more depth.
	counts, err := json.Marshal(report.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, text := range [][]byte{raw, counts} {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		leaves(object, "", found)
	}
	for _, other := range []string{"seconds", "jobs_per_second", "jobs_count", "campaigns_count"} { // no measures
		delete(found, other)
	}
	var listed []string
	for _, c := range report.CampaignSummary {
		listed = append(listed, c.Key)
	}
	for _, c := range report.RunSummary {
		listed = append(listed, c.Key)
	}
	for _, c := range report.PunctualSummary {
		listed = append(listed, c.Key)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(found)), listed); diff != "" {
		t.Errorf("(-JSON +columns)\n%s", diff)
	}
}

// leaves collects the paths of the numbers in an object, with _ between names.
func leaves(object map[string]any, path string, found map[string]bool) {
	for name, x := range object {
		if below, ok := x.(map[string]any); ok {
			leaves(below, path+name+"_", found)
		} else {
			found[path+name] = true
		}
	}
}

// TestMeasuresAreDocumented: the tables of docs/simulation.md have the columns and fields
// of each command, in their order, and no others.
func TestMeasuresAreDocumented(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	var benchHeads, benchKeys []string
	for _, m := range report.Bench {
		benchHeads, benchKeys = append(benchHeads, m.Head), append(benchKeys, "`"+m.Key+"`")
	}
	heads := append(headsOf(report.CampaignSummary), headsOf(report.RunSummary)...)
	for _, tt := range []struct {
		table  string // how its first line begins
		column int
		skip   int // lines below it that are no measures
		want   []string
	}{
		{"| column | of the summaries |", 0, 2, heads},
		{"| column | of the users |", 0, 1, headsOf(report.UserColumns)},
		{"| column | field of `--json` | |", 0, 1, benchHeads},
		{"| column | field of `--json` | |", 1, 1, benchKeys},
		{"| LOAD |", 0, 0, slices.Concat([]string{"REALISED"}, headsOf(report.BagColumns), []string{"GOODPUT", "USED", "UTILISATION"})},
	} {
		if diff := cmp.Diff(tt.want, documented(string(raw), tt.table, tt.column, tt.skip)); diff != "" {
			t.Errorf("%s column %d (-program +page)\n%s", tt.table, tt.column, diff)
		}
	}
}

func headsOf[T any](columns []report.Column[T]) []string {
	var list []string
	for _, c := range columns {
		if c.Head != "" {
			list = append(list, c.Head)
		}
	}
	return list
}

// documented returns the names in a column of a table, whose cells list them with commas.
func documented(page, table string, column, skip int) []string {
	_, rest, _ := strings.Cut(page, "\n"+table)
	var names []string
	for number, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if number >= skip {
			cell := strings.Split(line, "|")[column+1]
			names = append(names, regexp.MustCompile(`, *`).Split(strings.TrimSpace(cell), -1)...)
		}
	}
	return names
}
