package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/ostrich/accounting/tools"
)

// tooled has a job of a tool, 5, which is of the campaign r.c.1.
var tooled = &named{campaigns: map[string]string{"5": "r.c.1"}}

// TestTools: what load writes is what package tools reads: the step, and the run where the
// tool tells it.
func TestTools(t *testing.T) {
	t.Parallel()
	const run = "3f2a9c51-0b7e-4d2c-9a61-5e0f7c1b2d3e"
	for name, want := range map[string]tools.Said{
		"snakemake": {Tool: "Snakemake", Campaign: "run:" + run, Kind: "align", ByLine: true},
		"nextflow":  {Tool: "Nextflow", Campaign: "run:/w/ob-bob/3f2a9c51", Kind: "ALIGN"},
		"submitit":  {Tool: "submitit", Kind: "submitit in /w/ob-bob/align"},
	} {
		args, script, folders := byTool[name](&job{run: run, folder: "/w/ob-bob", step: "align", number: 3, procs: 2, limit: 61, sleep: "sleep 5"})
		var texts tools.Texts
		for i, arg := range args {
			switch arg {
			case "--job-name":
				texts.Name = []byte(args[i+1])
			case "-D":
				texts.Folder = []byte(args[i+1])
			}
		}
		for line := range strings.Lines(script) {
			for _, option := range []string{"#SBATCH -J ", "#SBATCH --job-name="} {
				if value, is := strings.CutPrefix(line, option); is {
					texts.Name = []byte(strings.TrimSpace(value))
				}
			}
		}
		texts.Line = []byte("sbatch --parsable " + strings.Join(args, " "))
		if diff := cmp.Diff(want, tools.Table(nil).Read(&texts), cmpopts.IgnoreFields(tools.Said{}, "Row", "Parts", "Digits")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if len(folders) == 0 {
			t.Errorf("%s: needs no folder, and writes its logs nowhere", name)
		}
	}
}

// A step begins when the one before has ended.
func TestSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCluster()
		r := &Run{Name: "r", Seed: 1, Cluster: f, Log: io.Discard}
		plans, err := r.Do(t.Context(), []Loop{{User: "a", Campaigns: 1, Shapes: []Shape{{
			Jobs: 3, Length: 10 * time.Second, Tool: "snakemake", Step: "align", Then: []Shape{{Jobs: 1, Length: 5 * time.Second, Step: "merge"}},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"r.a.1", "r.a.1"}, f.submitted); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if gap := f.at[1] - f.at[0]; gap < 10*time.Second || gap > 10*time.Second+2*pollEvery {
			t.Errorf("the second step came after %v", gap)
		}
		if len(plans) != 1 || plans[0].jobs() != 4 || r.done != 1 {
			t.Errorf("%d campaigns, %d done", len(plans), r.done)
		}
	})
}

// Wrong tools and steps are refused.
func TestToolScenario(t *testing.T) {
	t.Parallel()
	for shape, want := range map[string]string{
		"{jobs: 1, length: 1s, tool: make, step: a}":                                             `shapes[0]: tool: "make" is none of nextflow, snakemake, submitit`,
		"{jobs: 1, length: 1s, tool: nextflow}":                                                  "shapes[0]: give both tool and step, or neither",
		"{jobs: 1, length: 1s, tool: nextflow, step: a, then: [{jobs: 1, length: 1s}]}":          "shapes[0]: then[0]: give both tool and step, or neither",
		"{jobs: 1, length: 1s, then: [{jobs: 1, length: 1s, deadline: 9s}]}":                     "shapes[0]: then[0]: a further step has no tool, deadline or then of its own",
		"{jobs: 1, length: 1s, tool: nextflow, step: a, then: [{jobs: 0, length: 1s, step: b}]}": "shapes[0]: then[0]: give either array or jobs, at least 1",
	} {
		_, err := ParseScenario(strings.NewReader("name: x\nusers:\n  - {user: a, campaigns: 1, shapes: [" + shape + "]}\n"))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", shape, err, want)
		}
	}
}
