package orderbench

import (
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
)

func TestParsePolicies(t *testing.T) {
	list, err := ParsePolicies("fairshare, ostrich:gate=off:inside=spt:predictor=alike:grace=24h:memory=7d:settle=on:rule=max," +
		"mine=paper:threshold=1h:late=append:machine=sequential:estimate=exact,quick=spt:estimate=exact,fcfs")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		got = append(got, list[i].Label+" "+list[i].Canonical)
	}
	want := []string{
		"fairshare fairshare:halflife=7d",
		"ostrich:gate=off:inside=spt:predictor=alike:grace=24h:memory=7d:settle=on:rule=max " +
			"ostrich:rule=max:late=reopen:machine=parallel:gate=off:inside=spt:predictor=alike:grace=1d:memory=7d:settle=on:estimate=limit",
		"mine ostrich:rule=window:threshold=1h:late=append:machine=sequential:gate=demote:inside=ljf:predictor=limit:grace=off:memory=off:settle=off:estimate=exact",
		"quick spt:estimate=exact",
		"fcfs fcfs",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if o := list[1].Tuning.Options; o.Grace != 86400 || o.Memory != 7*86400 || !o.Settle || o.Gate != ostrich.Off {
		t.Errorf("%+v", o)
	}
	// Settings of one policy leave the others as they are.
	again, err := ParsePolicies("paper")
	if err != nil || again[0].Tuning.Options != simulation.Paper {
		t.Errorf("%+v %v", again[0].Tuning.Options, err)
	}
}

func TestParsePoliciesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                `--policy "": must be fairshare, classic, ostrich, paper, fcfs or spt`,
		"lottery":                         `--policy "lottery": must be fairshare, classic, ostrich, paper, fcfs or spt`,
		"a=lottery":                       `--policy "lottery": must be`,
		"=spt":                            "the label before = is empty",
		"ostrich:colour=red":              `ostrich has no setting "colour"; they are rule, threshold, late, machine, gate, inside, predictor, grace, memory, settle, estimate`,
		"ostrich:gate=wide":               `gate: "wide" is none of demote, off`,
		"ostrich:gate":                    `"gate": a setting is NAME=VALUE`,
		"ostrich:gate=off:gate=off":       "each stands there once",
		"ostrich:rule=window:threshold=0": "threshold must be above 0 s",
		"paper:threshold=off":             "threshold must be above 0 s",
		"spt:estimate=guess":              `estimate: "guess" is none of limit, exact`,
		"spt:gate=off":                    `spt has no setting "gate"; they are estimate`,
		"fairshare:gate=off":              `fairshare has no setting "gate"; they are halflife`,
		"fcfs,fcfs":                       "is named twice",
		"a=fcfs,a=spt":                    "is named twice",
	} {
		_, err := ParsePolicies(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The help names every policy.
func TestUsage(t *testing.T) {
	for _, k := range simulation.Policies(simulation.Parts) {
		if !strings.Contains(Usage(), "\n  "+k.Name+" ") && !strings.HasPrefix(Usage(), "  "+k.Name+" ") {
			t.Errorf("%s is not named in\n%s", k.Name, Usage())
		}
	}
}
