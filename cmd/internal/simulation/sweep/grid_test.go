package sweep_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/simulation/sweep"
)

func expand(t *testing.T, text string) ([]string, []string, error) {
	t.Helper()
	f, err := sweep.Read("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Expand()
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

// TestEvery: "all" is each policy that the file does not name and that has a point by itself,
// in its place; the others are counted, and no error unless they are named.
func TestEvery(t *testing.T) {
	for _, tt := range []struct {
		with        simulation.Need
		named, rest string
	}{{simulation.Log, "lpt", "backfill: easy"}, {simulation.Clusters, "ECT", "parameters: {platform: hpdc2008}"}} {
		every := simulation.Every(tt.with)
		var want []string
		for _, name := range append([]string{tt.named}, slices.DeleteFunc(slices.Clone(every), func(name string) bool { return name == tt.named })...) {
			points, _, err := expand(t, "traces: a\npolicies: "+name+"\n"+tt.rest)
			if err == nil {
				want = append(want, points...)
			}
		}
		points, notes, err := expand(t, "traces: a\npolicies: ["+tt.named+", all]\n"+tt.rest)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, points); diff != "" {
			t.Errorf("%s: points -want +got:\n%s", tt.rest, diff)
		}
		if left := len(every) - len(points); left != len(notes) || len(points) < 2 {
			t.Errorf("%s: %d points, %d left out: %q", tt.rest, len(points), left, notes)
		}
		if again, _, err := expand(t, "traces: a\npolicies: [all, "+tt.named+"]\n"+tt.rest); err != nil || len(again) != len(points) {
			t.Errorf("%s: %q, %v", tt.rest, again, err)
		}
	}
	if points, _, err := expand(t, "traces: a\npolicies: [spaceshare, all]\nbackfill: easy"); err == nil || !strings.Contains(err.Error(), "policy spaceshare is in no point") {
		t.Errorf("a policy that is named: %q, %v", points, err)
	}
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, text    string
		points, notes []string
	}{
		{
			"the last parameter varies fastest", "traces: [a, {generate: hipc}]\npolicies: [spt, lpt]\nseeds: [1, 2]\nparameters: {load: [1, 2]}",
			[]string{
				"trace 0 policy=spt load=1", "trace 0 policy=spt load=2", "trace 0 policy=lpt load=1", "trace 0 policy=lpt load=2",
				"trace 1 seed 1 policy=spt load=1", "trace 1 seed 1 policy=spt load=2", "trace 1 seed 1 policy=lpt load=1", "trace 1 seed 1 policy=lpt load=2",
				"trace 1 seed 2 policy=spt load=1", "trace 1 seed 2 policy=spt load=2", "trace 1 seed 2 policy=lpt load=1", "trace 1 seed 2 policy=lpt load=2",
			},
			[]string{"seeds mean nothing to a log: left out of 1 trace"},
		},
		{
			"one seed where none is named", "traces: {generate: hipc}\npolicies: fcfs",
			[]string{"trace 0 seed 1 policy=fcfs"},
			nil,
		},
		{
			"once for a rule that does not take it", "traces: a\npolicies: [fcfs, 'ostrich:gate=off']\nparameters: {rule: [max, window], threshold: [5m, 10m]}",
			[]string{
				"trace 0 policy=fcfs rule=max", "trace 0 policy=fcfs rule=window threshold=5m", "trace 0 policy=fcfs rule=window threshold=10m",
				"trace 0 policy=ostrich:gate=off rule=max", "trace 0 policy=ostrich:gate=off rule=window threshold=5m", "trace 0 policy=ostrich:gate=off rule=window threshold=10m",
			},
			[]string{"--threshold goes with --rule arrival or window, not max: left out of 2 points"},
		},
		{
			"combinations that cannot be", "traces: a\npolicies: [spaceshare, spt]\nbackfill: [none, easy]\nparameters: {load: [1, 2]}",
			[]string{
				"trace 0 policy=spaceshare backfill=none load=1", "trace 0 policy=spaceshare backfill=none load=2",
				"trace 0 policy=spt backfill=none load=1", "trace 0 policy=spt backfill=none load=2",
				"trace 0 policy=spt backfill=easy load=1", "trace 0 policy=spt backfill=easy load=2",
			},
			[]string{"2 combinations left out: --policy spaceshare lets no job of a user pass another: --backfill none only"},
		},
		{
			"used by a log only", "traces: [{generate: hipc}, a]\npolicies: ostrich\nparameters: {dependencies: [true, false]}",
			[]string{"trace 0 seed 1 policy=ostrich dependencies=false", "trace 1 policy=ostrich dependencies=true", "trace 1 policy=ostrich dependencies=false"},
			[]string{"1 combination left out: --dependencies come from logged ends, and a log whose fields tell the campaigns has none"},
		},
		{
			"users of dumps have names", "traces: [{sacct: [a, b]}, c]\npolicies: fcfs\nparameters: {user: [ann, 3]}",
			[]string{"trace 0 policy=fcfs user=ann", "trace 0 policy=fcfs user=3", "trace 1 policy=fcfs user=3"},
			[]string{"1 combination left out: --user \"ann\": users of a log are numbers"},
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
		"traces: a\npolicies: fcfs\nbackfill: wrong\nreplay: wrong":                                       "s.yaml:3: --backfill \"wrong\": must be none, easy, greedy, conservative or slurm\ns.yaml:4: --replay \"wrong\": must be closed or open",
		"traces: a\npolicies: fcfs\nparameters:\n  load: [1, 1]":                                          "s.yaml:4: load 1: is in line 4 already",
		"traces: a\npolicies: fcfs\nparameters:\n  load:\n  - 1\n  - 1.0":                                 "s.yaml:6: load 1.0: is 1, which is in line 5 already",
		"traces: a\npolicies: fcfs\nparameters:\n  gate: [demote, off]":                                   "s.yaml:4: gate: is a setting of the policy: policies: [ostrich:gate=VALUE]",
		"traces: a\npolicies: [ostrich-sequential, ostrich-sequential:gate=strict]":                       "s.yaml:2: policy ostrich-sequential:gate=strict: is ostrich-sequential, which is in line 2 already",
		"traces: a\npolicies: fcfs\nparameters:\n  procs: [010, 10]":                                      "s.yaml:4: procs 10: is 010, which is in line 4 already",
		"traces: a\npolicies: FPLT\nparameters:\n  platform: hpdc2008\n  selection: [OStrich, x=OStrich]": "s.yaml:5: selection x=OStrich: is OStrich, which is in line 5 already",
		"traces: a\npolicies: fcfs\nparameters: {rule: max, threshold: [5m]}":                             "s.yaml:3: threshold 5m is in no point: --threshold goes with --rule arrival or window, not max",
		"traces: a\npolicies: [spt, spaceshare]\nbackfill: easy":                                          "s.yaml:2: policy spaceshare is in no point: --policy spaceshare lets no job of a user pass another: --backfill none only",
		"traces: {generate: a}\npolicies: [fcfs]\nseeds: [1-60000]\nbackfill: [none, easy]":               "s.yaml: more than 100000 points",
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
		policies := append(pick("policies", "fcfs", "spaceshare", "ostrich-sequential:gate=off"), "ostrich-sequential")
		backfill, times := append(pick("backfill", "easy", "conservative"), "none"), pick("times", "5m", "10m")
		rules := append(pick("rules", "last", "max"), "window")
		f, err := sweep.Read("s.yaml", fmt.Appendf(nil, "traces: [a, b]\npolicies: [%s]\nbackfill: [%s]\nparameters: {rule: [%s], threshold: [%s]}",
			strings.Join(policies, ","), strings.Join(backfill, ","), strings.Join(rules, ","), strings.Join(times, ",")))
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Expand()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for trace := range 2 {
			for _, p := range policies {
				for _, b := range backfill {
					if p == "spaceshare" && b != "none" {
						continue
					}
					for _, rule := range rules {
						for i, time := range times {
							if rule != "window" {
								if time = ""; i > 0 {
									continue
								}
							}
							want = append(want, fmt.Sprint(trace, p, b, rule, time))
						}
					}
				}
			}
		}
		var got []string
		for _, p := range g.Points {
			got = append(got, fmt.Sprint(p.Trace, p.Option("policy"), p.Option("backfill"), p.Option("rule"), p.Option("threshold")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}
