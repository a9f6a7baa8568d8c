package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// A campaign says how it was found, in words and in JSON.
func TestFound(t *testing.T) {
	const run = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	record := func(id ostrich.JobID, tool, kind string) *ledger.Record {
		return &ledger.Record{Job: ostrich.Job{ID: id}, Tool: tool, Kind: kind}
	}
	live := []*ledger.Record{
		record(1, "Snakemake", "sort"), record(2, "Snakemake", "align"), record(3, "Snakemake", "align"), record(4, "Nextflow", "BWA"),
		record(5, "", ""), record(6, "Toil", "a"), record(7, "Toil", "b"), record(8, "Toil", "c"), record(9, "Toil", "d"),
		record(10, "Snakemake", ""), record(11, "Nextflow", "SORT"),
	}
	for _, test := range []struct {
		name     string
		jobs     []ostrich.JobID
		declared ledger.DeclareBy
		byTool   bool
		want     string
		json     string
	}{
		{"run:" + run, []ostrich.JobID{1}, ledger.ByTool, true, "Snakemake run " + run + ", rule sort", `{"by":"auto","tool":"Snakemake","run":"` + run + `","kinds":["sort"]}`},
		{"run:" + run, []ostrich.JobID{1, 2, 3}, ledger.ByTool, true, "Snakemake run " + run + ", rules align, sort", `{"by":"auto","tool":"Snakemake","run":"` + run + `","kinds":["align","sort"]}`},
		{"run:/w", []ostrich.JobID{4}, ledger.ByTool, true, "Nextflow run /w, process BWA", `{"by":"auto","tool":"Nextflow","run":"/w","kinds":["BWA"]}`},
		{"run:x", []ostrich.JobID{9, 8, 7, 6}, ledger.ByTool, true, "Toil run x, steps a, b, c and 1 more", `{"by":"auto","tool":"Toil","run":"x","kinds":["a","b","c","d"]}`},
		{"run:x", nil, ledger.ByTool, true, "run x", `{"by":"auto","run":"x"}`},
		{"", []ostrich.JobID{1}, ledger.ByTool, true, "Snakemake, rule sort; by max", `{"by":"rule","rule":"max","tool":"Snakemake","kinds":["sort"]}`},
		{"", []ostrich.JobID{10}, ledger.ByTool, true, "Snakemake; by max", `{"by":"rule","rule":"max","tool":"Snakemake"}`},
		{"run:/w", []ostrich.JobID{4, 11}, ledger.ByTool, true, "Nextflow run /w, processes BWA, SORT", `{"by":"auto","tool":"Nextflow","run":"/w","kinds":["BWA","SORT"]}`},
		{"", []ostrich.JobID{5}, ledger.ByTool, true, "by campaign.rule: max", `{"by":"rule","rule":"max"}`},
		{"", []ostrich.JobID{1}, ledger.NotDeclared, false, "by campaign.rule: max", `{"by":"rule","rule":"max"}`},
		{"paper", []ostrich.JobID{5}, ledger.InComment, false, "declared by comment", `{"by":"comment"}`},
	} {
		s := &Cycle{Declared: test.declared, Rule: "max", ByTool: test.byTool, known: known{live: live}}
		f := s.found(test.name, test.jobs)
		if got := f.String(); got != test.want {
			t.Errorf("%s %v: %q, want %q", test.name, test.jobs, got, test.want)
		}
		if got, err := json.Marshal(f); err != nil || string(got) != test.json {
			t.Errorf("%s %v: %s, %v, want %s", test.name, test.jobs, got, err, test.json)
		}
	}
}

// TestManyKinds: of many kinds the first are told and how many more there are, and long ones are
// shortened, as users may write anything.
func TestManyKinds(t *testing.T) {
	const jobs = 50_000
	s := &Cycle{Declared: ledger.ByTool, ByTool: true}
	ids := make([]ostrich.JobID, jobs)
	for i := range ids {
		ids[i] = ostrich.JobID(i + 1)
		s.live = append(s.live, &ledger.Record{Job: ostrich.Job{ID: ids[i]}, Tool: "Toil", Kind: strings.Repeat("é", i%30) + strings.Repeat("x", i%3*100)})
	}
	f := s.found("run:x", ids)
	if len(f.Kinds) != mostKinds || f.MoreKinds != 30-1-mostKinds || !slices.IsSorted(f.Kinds) {
		t.Errorf("%d kinds and %d more: %q", len(f.Kinds), f.MoreKinds, f.Kinds)
	}
	for _, k := range f.Kinds {
		if n := utf8.RuneCountInString(k); n > kindLength || strings.Contains(k, "x") != (n == kindLength && strings.HasSuffix(k, "x…")) {
			t.Errorf("%q has %d characters", k, n)
		}
	}
	if !slices.Contains(f.Kinds, "é"+strings.Repeat("x", 62)+"…") {
		t.Errorf("%q", f.Kinds)
	}
	if got := f.String(); !strings.HasSuffix(got, " and 26 more") {
		t.Error(got)
	}
	if text, err := json.Marshal(f); err != nil || !strings.HasSuffix(string(text), `],"more_kinds":9}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestNotFound: a daemon that does not tell how a campaign was found leaves it out.
func TestNotFound(t *testing.T) {
	if got := (*Found)(nil).String(); got != "" {
		t.Errorf("%q", got)
	}
	e := &Explanation{User: "bob", Campaign: &ExplainedCampaign{Campaign: 7, Waiting: true}}
	for _, line := range e.Lines() {
		if line.Label == "found" {
			t.Error(line)
		}
	}
}
