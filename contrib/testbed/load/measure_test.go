package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich/report"
)

func TestProcessors(t *testing.T) {
	t.Parallel()
	for tres, want := range map[string]int{
		"cpu=32,mem=8,node=8,billing=32": 32, "mem=1,cpu=4": 4, "": 0, "mem=1": 0, "cpu=x": 0, "cpu=0": 0,
	} {
		got, err := processors(tres)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("processors(%q) = %d, %v; want %d", tres, got, err, want)
		}
	}
}

func TestParseRows(t *testing.T) {
	t.Parallel()
	got, err := parseRows("1|100|102|112|4|COMPLETED|r.a.1\n2|100|Unknown|Unknown|0|PENDING|r.a.1\n3|100|None|105|0|CANCELLED by 0|r.b.1\n5_[1-2]|100|None|105|0|COMPLETED|nf-A|b\n", tooled.name)
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{Name: "r.a.1", Submit: 100, Start: 102, End: 112, Procs: 4, State: "COMPLETED"},
		{Name: "r.a.1", Submit: 100, State: "PENDING"},
		{Name: "r.b.1", Submit: 100, End: 105, State: "CANCELLED by 0"},
		{Name: "r.c.1", Submit: 100, End: 105, State: "COMPLETED"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, bad := range []string{"1|1|2|3|4|COMPLETED\n", "1|2026-01-01T00:00:00|2|3|4|COMPLETED|r.a.1\n"} {
		if _, err := parseRows(bad, tooled.name); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func FuzzParseRows(f *testing.F) {
	f.Add("1|100|102|112|4|COMPLETED|r.a.1\n")
	f.Fuzz(func(t *testing.T, out string) {
		rows, err := parseRows(out, tooled.name)
		if err == nil && len(rows) > strings.Count(out, "\n")+1 {
			t.Errorf("%d rows of %q", len(rows), out)
		}
	})
}

// On 4 processors: a campaign bound by its work, one bound by its longest job,
// and one below the grain of Slurm's clock.
func TestCampaigns(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Name: "r.b.1", Submit: 101, Start: 110, End: 130, Procs: 2},
		{Name: "r.b.1", Submit: 100, Start: 100, End: 120, Procs: 4},
		{Name: "r.a.2", Submit: 100, Start: 150, End: 160, Procs: 1},
		{Name: "r.a.1", Submit: 100, Start: 103, End: 103, Procs: 1},
	}
	want := []Campaign{
		{User: "a", Seq: 1, Jobs: 1, Submit: 100, End: 103, Flow: 3, Stretch: 3},
		{User: "a", Seq: 2, Jobs: 1, Submit: 100, End: 160, Work: 10, Longest: 10, Flow: 60, Stretch: 6},
		{User: "b", Seq: 1, Jobs: 2, Submit: 100, End: 130, Work: 120, Longest: 20, Flow: 30, Stretch: 1},
	}
	got, err := campaigns(rows, 4)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, name := range []string{"x", "r.a.b.1", "r.a.x"} {
		if _, err := campaigns([]Row{{Name: name}}, 4); err == nil {
			t.Errorf("no error for a job named %q", name)
		}
	}
}

func TestCompare(t *testing.T) { // not in parallel: cli writes to its own flags
	stock := Result{Run: "stock", Scenario: "s", Seed: 1, Processors: 4, Campaigns: []Campaign{
		{User: "a", Seq: 1, Jobs: 2, Submit: 100, End: 110, Flow: 10, Stretch: 2, Deadline: 9},
		{User: "a", Seq: 2, Jobs: 2, Submit: 120, End: 140, Flow: 20, Stretch: 4, Deadline: 20},
		{User: "b", Seq: 1, Jobs: 1, Submit: 105, End: 135, Flow: 30, Stretch: 9},
	}, Background: []Background{{User: "d", Jobs: 100, Ended: 7}}}
	ostrich := Result{Run: "ostrich", Scenario: "s", Seed: 1, Processors: 4, Campaigns: []Campaign{
		{User: "a", Seq: 1, Jobs: 2, Submit: 100, End: 105, Flow: 5, Stretch: 1, Deadline: 9},
		{User: "c", Seq: 1, Jobs: 1, Submit: 110, End: 117, Flow: 7, Stretch: 1.5},
	}}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}
	for i, r := range []Result{stock, ostrich} {
		if err := writeJSON(files[i], r); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	both := filepath.Join(dir, "both.json")
	err := newApp(&out, os.Stderr).RunContext(t.Context(), append([]string{"load", "compare", "--json", both}, files...))
	if err != nil {
		t.Fatal(err)
	}
	want := `                       campaigns        mean stretch         max stretch         mean flow (s)       deadlines met
user             stock   ostrich      stock  ostrich      stock  ostrich       stock   ostrich      stock  ostrich
a                    2         1       3.00     1.00       4.00     1.00        15.0       5.0        1/2      1/1
b                    1         0       9.00     0.00       9.00     0.00        30.0       0.0          -        -
c                    0         1       0.00     1.50       0.00     1.50         0.0       7.0          -        -
all                  3         2       5.00     1.25       9.00     1.50        20.0       6.0        1/2      1/1
stock: 40 s from the first submission to the last end; until then 7 of 100 jobs of d, who is not waited for
ostrich: 17 s from the first submission to the last end
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	data, err := os.ReadFile(both)
	if err != nil {
		t.Fatal(err)
	}
	var c Comparison
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	all := [2]Summary{
		{Brief: report.Brief{Campaigns: 3, Jobs: 5, Mean: 5, Max: 9, MeanFlow: 20}, Deadlines: 2, Met: 1},
		{Brief: report.Brief{Campaigns: 2, Jobs: 3, Mean: 1.25, Max: 1.5, MeanFlow: 6}, Deadlines: 1, Met: 1},
	}
	if diff := cmp.Diff(all, c.All, cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreUnexported(report.Brief{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	ostrich.Seed = 2
	if _, err := Compare(stock, ostrich); err == nil {
		t.Error("no error for runs of different seeds")
	}
}

func TestResultText(t *testing.T) {
	t.Parallel()
	r := Result{Run: "r", Campaigns: []Campaign{
		{User: "a", Jobs: 3, End: 10, Flow: 10, Stretch: 2, Deadline: 10}, {User: "b", Jobs: 1, End: 20, Flow: 20, Stretch: 3},
	}}
	var out strings.Builder
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `user         campaigns   jobs mean stretch max stretch  mean flow (s)  deadlines
a                    1      3         2.00        2.00           10.0        1/1
b                    1      1         3.00        3.00           20.0          -
all                  2      4         2.50        3.00           15.0        1/1
r: 20 s from the first submission to the last end
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCommandErrors(t *testing.T) {
	scenario := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(scenario, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", "")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--scenario", "none.yaml"}, "none.yaml"},
		{[]string{"run", "--scenario", scenario, "--run", "a.b"}, `--run "a.b"`},
		{[]string{"run", "--scenario", scenario}, "SLURM_CONF is not set"},
		{[]string{"compare", "one.json"}, "needs two files"},
		{[]string{"compare", scenario, scenario}, "invalid character"},
		{[]string{"compare", empty, empty}, "empty.json: not a measured run"},
		{[]string{"check", "none.yaml"}, "none.yaml"},
		{[]string{"check"}, "needs scenario files"},
		{[]string{"jobs", "--jobs", "-5"}, "--jobs -5: not from 1 to 100000"},
		{[]string{"jobs", "--slower", "1000000000"}, "--slower 1000000000: not from 1 to 1000"},
		{[]string{"jobs", "7", "--jobs", "1"}, `"7"`},
		{[]string{"run", "--scenario", scenario, "another"}, `"another"`},
	} {
		err := newApp(&strings.Builder{}, &strings.Builder{}).RunContext(t.Context(), append([]string{"load"}, tt.args...))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("load %v: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}

// Of what nobody waits for, the tasks that ended are counted, and the work of
// all that started.
func TestServed(t *testing.T) {
	t.Parallel()
	r := &Run{Name: "r"}
	plans := []Plan{{User: "a", Seq: 1, Count: 3}, {User: "a", Seq: 2, Count: 50}, {User: "b", Seq: 1, Count: 1}}
	rows := []Row{
		{Name: "r.a.1", Start: 100, End: 110, Procs: 2, State: "COMPLETED"},
		{Name: "r.a.2", Start: 110, End: 114, Procs: 1, State: "CANCELLED by 0"},
		{Name: "r.a.2", End: 114, State: "CANCELLED by 0"},
		{Name: "r.c.1", Start: 110, End: 114, Procs: 1, State: "COMPLETED"},
	}
	want := []Background{{User: "a", Jobs: 53, Ended: 1, Work: 24}, {User: "b", Jobs: 1}}
	if diff := cmp.Diff(want, r.served(plans, rows)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
