package sweep_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/replay/sweep"
)

// meaning is that of a small simulator: "gate" means nothing to policy fcfs,
// "place" takes no backfill, and 1.0 is 1.
type meaning struct{}

func (meaning) Canonical(o sweep.Option) (string, error) {
	if o.Value == "wrong" {
		return "", fmt.Errorf("--%s %q: must be right", o.Name, o.Value)
	}
	return strings.TrimSuffix(o.Value, ".0"), nil
}

func (meaning) Judge(generated bool, options []sweep.Option) (map[string]string, error) {
	is := make(map[string]string)
	for _, o := range options {
		is[o.Name] = o.Value
	}
	idle := make(map[string]string)
	if _, there := is["gate"]; there && is["policy"] == "fcfs" {
		idle["gate"] = "gate means nothing to fcfs"
	}
	switch {
	case is["policy"] == "place" && is["backfill"] == "easy":
		return nil, errors.New("place takes no backfill")
	case generated && is["rule"] == "max":
		return nil, errors.New("a generated trace has its own rule")
	}
	return idle, nil
}

func expand(t *testing.T, text string) ([]string, []string, error) {
	t.Helper()
	f, err := sweep.Read("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Expand(meaning{})
	if err != nil {
		return nil, nil, err
	}
	var points []string
	for _, p := range g.Points {
		words := []string{fmt.Sprintf("trace %d", p.Trace)}
		if p.Seeded {
			words = append(words, fmt.Sprintf("seed %d", p.Seed))
		}
		for _, o := range p.Options {
			words = append(words, o.Name+"="+o.Value)
		}
		points = append(points, strings.Join(words, " "))
	}
	return points, g.Notes, nil
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, text    string
		points, notes []string
	}{
		{
			"the last parameter varies fastest", "traces: [a, {generate: hipc}]\npolicies: [x, y]\nseeds: [1, 2]\nparameters: {load: [1, 2]}",
			[]string{
				"trace 0 policy=x load=1", "trace 0 policy=x load=2", "trace 0 policy=y load=1", "trace 0 policy=y load=2",
				"trace 1 seed 1 policy=x load=1", "trace 1 seed 1 policy=x load=2", "trace 1 seed 1 policy=y load=1", "trace 1 seed 1 policy=y load=2",
				"trace 1 seed 2 policy=x load=1", "trace 1 seed 2 policy=x load=2", "trace 1 seed 2 policy=y load=1", "trace 1 seed 2 policy=y load=2",
			},
			[]string{"seeds mean nothing to a log: left out of 1 trace"},
		},
		{
			"one seed where none is named", "traces: {generate: hipc}\npolicies: x",
			[]string{"trace 0 seed 1 policy=x"},
			nil,
		},
		{
			"once for a policy that does not take it", "traces: a\npolicies: [fcfs, x]\nparameters: {gate: [on, off]}",
			[]string{"trace 0 policy=fcfs", "trace 0 policy=x gate=on", "trace 0 policy=x gate=off"},
			[]string{"gate means nothing to fcfs: left out of 1 point"},
		},
		{
			"combinations that cannot be", "traces: a\npolicies: [place, x]\nbackfill: [none, easy]\nparameters: {load: [1, 2]}",
			[]string{
				"trace 0 policy=place backfill=none load=1", "trace 0 policy=place backfill=none load=2",
				"trace 0 policy=x backfill=none load=1", "trace 0 policy=x backfill=none load=2",
				"trace 0 policy=x backfill=easy load=1", "trace 0 policy=x backfill=easy load=2",
			},
			[]string{"2 combinations left out: place takes no backfill"},
		},
		{
			"used by a log only", "traces: [{generate: hipc}, a]\npolicies: x\nparameters: {rule: [max, last]}",
			[]string{"trace 0 seed 1 policy=x rule=last", "trace 1 policy=x rule=max", "trace 1 policy=x rule=last"},
			[]string{"1 combination left out: a generated trace has its own rule"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			points, notes, err := expand(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.points, points); diff != "" {
				t.Errorf("points -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("notes -want +got:\n%s", diff)
			}
		})
	}
}

func TestExpandErrors(t *testing.T) {
	for text, want := range map[string]string{
		"traces: a\npolicies: [x, wrong]\nbackfill: wrong":                               "s.yaml:2: --policy \"wrong\": must be right\ns.yaml:3: --backfill \"wrong\": must be right",
		"traces: a\npolicies: x\nparameters:\n  load: [1, 1]":                            "s.yaml:4: load 1: is in line 4 already",
		"traces: a\npolicies: x\nparameters:\n  load:\n  - 1\n  - 1.0":                   "s.yaml:6: load 1.0: is 1, which is in line 5 already",
		"traces: a\npolicies: fcfs\nparameters:\n  gate: [on, off]":                      "s.yaml:4: gate on is in no point: gate means nothing to fcfs\ns.yaml:4: gate off is in no point: gate means nothing to fcfs",
		"traces: a\npolicies: [x, place]\nbackfill: easy":                                "s.yaml:2: policy place is in no point: place takes no backfill",
		"traces: {generate: a}\npolicies: [x]\nseeds: [1-60000]\nbackfill: [none, easy]": "s.yaml: more than 100000 points",
	} {
		_, _, err := expand(t, text)
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// TestExpandHasAll: of any grid, each combination that makes sense is there
// once, and nothing else is.
func TestExpandHasAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, all ...string) []string {
			n := rapid.IntRange(1, len(all)).Draw(t, name)
			return rapid.Permutation(all).Draw(t, name)[:n]
		}
		policies := append(pick("policies", "fcfs", "place", "y"), "x")
		backfill, gates := append(pick("backfill", "easy", "greedy"), "none"), pick("gates", "on", "off")
		f, err := sweep.Read("s.yaml", fmt.Appendf(nil, "traces: [a, b]\npolicies: [%s]\nbackfill: [%s]\nparameters: {gate: [%s]}",
			strings.Join(policies, ","), strings.Join(backfill, ","), strings.Join(gates, ",")))
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Expand(meaning{})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for trace := range 2 {
			for _, p := range policies {
				for _, b := range backfill {
					if p == "place" && b == "easy" {
						continue
					}
					for i, gate := range gates {
						if p == "fcfs" {
							if gate = ""; i > 0 {
								continue
							}
						}
						want = append(want, fmt.Sprint(trace, p, b, gate))
					}
				}
			}
		}
		var got []string
		for _, p := range g.Points {
			got = append(got, fmt.Sprint(p.Trace, p.Option("policy"), p.Option("backfill"), p.Option("gate")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}
