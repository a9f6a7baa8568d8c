package view

import (
	"encoding/json"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// A campaign says how it was found, in words and in JSON.
func TestFound(t *testing.T) {
	const run = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	record := func(id ostrich.JobID, tool, kind string) ledger.Record {
		return ledger.Record{Job: ostrich.Job{ID: id}, Tool: tool, Kind: kind}
	}
	live := []ledger.Record{
		record(1, "Snakemake", "sort"), record(2, "Snakemake", "align"), record(3, "Snakemake", "align"), record(4, "Nextflow", "BWA"),
		record(5, "", ""), record(6, "Toil", "a"), record(7, "Toil", "b"), record(8, "Toil", "c"), record(9, "Toil", "d"),
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
		{"", []ostrich.JobID{1}, ledger.ByTool, true, "Snakemake by campaign.rule: max, rule sort", `{"by":"rule","rule":"max","tool":"Snakemake","kinds":["sort"]}`},
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
