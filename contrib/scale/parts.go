package main

import (
	"fmt"
	"slices"
	"strings"
)

// part is what is measured at once: a run of go test.
type part struct {
	name    string
	args    []string // of go test
	env     []string
	figures []figure
}

// figure is one measured thing.
type figure struct {
	name   string // in the table and the envelope, after that of the part
	from   string // the benchmark; "" for an attribute of a test
	metric string // unit of the benchmark's result, or key of the attribute
	unit   string
	per    float64 // how many of the metric are one unit
}

// parts returns all that can be measured.
func parts() []part {
	return []part{
		{
			name: "cycle", args: []string{"-run=^$", "-bench=^BenchmarkCycle$", "slurm-ostrich/cmd/internal/sidecar"},
			figures: []figure{
				{"quiet", "BenchmarkCycle/unchanged", "ns/op", "ms", 1e6},
				{"campaign", "BenchmarkCycle/campaign", "ns/op", "ms", 1e6},
			},
		},
		{
			name: "cold", args: []string{"-run=^$", "-bench=^BenchmarkColdStart$", "-benchtime=3x", "slurm-ostrich/cmd/ostrichd", "-ended=1000000"},
			figures: []figure{
				{"time", "BenchmarkColdStart", "ns/op", "s", 1e9},
				{"processor", "BenchmarkColdStart", "cpu-s/op", "s", 1},
				{"memory", "BenchmarkColdStart", "MB-most", "MB", 1},
			},
		},
		{
			name: "poll", args: []string{"-run=^$", "-bench=^BenchmarkPoll$", "-benchtime=200x", "-timeout=60m", "slurm-ostrich/slurmdb", "-ended=10000000"},
			figures: []figure{
				{"quiet", "BenchmarkPoll/quiet", "ns/op", "ms", 1e6},
				{"busy", "BenchmarkPoll/busy", "ns/op", "ms", 1e6},
			},
		},
		{
			name: "slurm", args: []string{"-v", "-run=^TestScale$", "-timeout=120m", "slurm-ostrich/contrib/testbed"},
			env: []string{"OSTRICH_TEST_SLURM=1", "OSTRICH_TEST_SCALE=20000/10m"},
			figures: []figure{
				{"cycle", "", "cycle-seconds", "s", 1},
				{"memory", "", "rss-megabytes", "MB", 1},
				{"requests", "", "requests-hour", "an hour", 1},
				{"main scheduler, mean without", "", "main-cycle-without", "ms", 1000},
				{"main scheduler, mean with", "", "main-cycle-with", "ms", 1000},
				{"backfill, mean without", "", "backfill-cycle-without", "ms", 1000},
				{"backfill, mean with", "", "backfill-cycle-with", "ms", 1000},
				{"slurmctld without", "", "cpu-without", "% of a processor", 1},
				{"slurmctld with", "", "cpu-with", "% of a processor", 1},
			},
		},
	}
}

// chosen returns the parts with these names, each once.
func chosen(names []string) ([]part, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("name one or more of the parts: %s", strings.Join(partNames(), ", "))
	}
	var list []part
	for _, p := range parts() {
		if i := slices.Index(names, p.name); i >= 0 {
			list = append(list, p)
			names = slices.Delete(slices.Clone(names), i, i+1)
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("%q: there is no such part, or it is named twice; the parts are %s", names[0], strings.Join(partNames(), ", "))
	}
	return list, nil
}

func partNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// command returns the command line that measures the part.
func (p *part) command() string {
	words := slices.Concat(p.env, []string{"go", "test", "-count=1"}, p.args)
	for i, w := range words {
		if strings.ContainsAny(w, "$^") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}
