package sweep_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"slurm-ostrich/cmd/internal/simulation/sweep"
)

func TestRead(t *testing.T) {
	f, err := sweep.Read("s.yaml", []byte(`traces:
  - a.swf
  - {generate: hipc, users: 20, lengths: [1-10, 5-50]}
  - log: b/a.swf
    name: second
policies: fcfs
parameters: {load: [1, 1.2], kill: true}
backfill: &b [none, easy]
seeds: [3, 7-9]
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &sweep.File{
		Name: "s.yaml",
		Traces: []sweep.Trace{
			{Log: "a.swf", Line: 2},
			{Generate: "hipc", Options: []sweep.Option{{"users", "20", 3}, {"lengths", "1-10", 3}, {"lengths", "5-50", 3}}, Line: 3},
			{Log: "b/a.swf", Name: "second", Line: 4},
		},
		Seeds: []uint64{3, 7, 8, 9},
		Axes: []sweep.Axis{
			{{"policy", "fcfs", 6}},
			{{"backfill", "none", 8}, {"backfill", "easy", 8}},
			{{"load", "1", 7}, {"load", "1.2", 7}},
			{{"kill", "true", 7}},
		},
	}
	if diff := cmp.Diff(want, f, cmpopts.IgnoreUnexported(sweep.File{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	const good = "traces: a.swf\npolicies: fcfs\n"
	for text, want := range map[string]string{
		"":                                       `s.yaml: empty; it has to name traces and policies`,
		"a: [":                                   `s.yaml:1: did not find expected node content`,
		"- a":                                    `s.yaml:1: file: expected keys and values`,
		good + "---\na: 1":                       `s.yaml:3: a second document; a sweep is one`,
		good + "polices: fcfs":                   `s.yaml:3: polices: unknown key; those of a sweep are traces, policies, backfill, replay, parameters and seeds`,
		good + "policies: spt":                   `s.yaml:3: policies: is in line 2 already`,
		"policies: fcfs":                         `s.yaml:1: traces: none is named`,
		"traces: a.swf":                          `s.yaml:1: policies: none is named`,
		"traces: []\npolicies: fcfs":             `s.yaml:1: traces: an empty list`,
		"traces: a\npolicies: []":                `s.yaml:2: policies: an empty list`,
		"traces: a\npolicies: [fcfs, ~]":         `s.yaml:2: policies: expected a value or a list of values`,
		"traces: [~]\npolicies: fcfs":            `s.yaml:1: traces: expected the path of a log, or a mapping with generate, log or sacct`,
		"traces: {users: 3}\npolicies: fcfs":     `s.yaml:1: traces: expected generate, log or sacct, one of the three`,
		"traces: {log: a, load: 3}\npolicies: a": `s.yaml:1: traces.load: unknown key of a log; options of simulate are parameters`,
		"traces: {generate: hipc, seed: 3}\npolicies: fcfs": `s.yaml:1: traces.seed: seeds stand under the key seeds of the file, and are those of all generated traces`,
		"traces: {generate: [hipc, ppam]}\npolicies: fcfs":  `s.yaml:1: traces.generate: expected one word` + "\n" + `s.yaml:1: traces: expected generate, log or sacct, one of the three`,
		good + "parameters: [1]":                            `s.yaml:3: parameters: expected keys and values`,
		good + "parameters:\n  load: {a: 1}":                `s.yaml:4: parameters.load: expected a value or a list of values`,
		good + "parameters:\n  policy: fcfs":                `s.yaml:4: parameters.policy: its values stand under the key policies of the file`,
		good + "seeds: [1, -2]":                             `s.yaml:3: seeds: "-2": neither a number from 0 on nor a range of them, as 1-10`,
		good + "seeds: [5-1]":                               `s.yaml:3: seeds: "5-1": neither a number from 0 on nor a range of them, as 1-10`,
		good + "seeds:\n  - 1-3\n  - 2":                     `s.yaml:5: seeds: 2 is in line 4 already`,
		good + "seeds: [1-1000000]":                         `s.yaml:3: seeds: 1-1000000: more than 100000`,
		good + "seeds: []\nbackfill: []\nnew: bad":          "s.yaml:3: seeds: an empty list\ns.yaml:4: backfill: an empty list\ns.yaml:5: new: unknown key; those of a sweep are traces, policies, backfill, replay, parameters and seeds",
	} {
		_, err := sweep.Read("s.yaml", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzRead: whatever is read, an error names the file, and what is read has
// traces, seeds and values.
func FuzzRead(f *testing.F) {
	f.Add("traces: [a.swf, {generate: hipc}]\npolicies: [fcfs]\nseeds: [1-3]\nparameters: {load: 1}")
	f.Add("traces: &a [b]\npolicies: *a")
	f.Add("a: &a [*a]")
	f.Add("traces: a\npolicies: b\nseeds: [18446744073709551615]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := sweep.Read("s.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.yaml:") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(file.Traces) == 0 || len(file.Seeds) == 0 || len(file.Axes) == 0 {
			t.Errorf("%q: %+v", text, file)
		}
		for _, a := range file.Axes {
			if len(a) == 0 {
				t.Errorf("%q: %+v", text, a)
			}
		}
	})
}
