package simulation

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestVariant: one language, wherever a policy is named; what a setting means nothing to
// refuses it by name.
func TestVariant(t *testing.T) {
	for _, tt := range []struct {
		text string
		with Need
		want string // Label and Canonical, or a part of the error
	}{
		{"fcfs", Log, "fcfs fcfs"},
		{"sjf", Log, "spt spt"},
		{"ostrich-sequential", Log, "ostrich-sequential ostrich-sequential:gate=strict:inside=lpt:predictor=limit:grace=off:memory=off:settle=off"},
		{"ostrich-sequential:gate=off:inside=spt", Log, "ostrich-sequential:gate=off:inside=spt ostrich-sequential:gate=off:inside=spt:predictor=limit:grace=off:memory=off:settle=off"},
		{"mine = ostrich-sequential : inside = spt", Log, "mine ostrich-sequential:gate=strict:inside=spt:predictor=limit:grace=off:memory=off:settle=off"},
		{"ostrich", Log, "ostrich ostrich:rule=max:late=reopen:machine=parallel:gate=off:inside=spt:predictor=alike:grace=1d:memory=7d:settle=on"},
		{"ostrich", Parts, "ostrich ostrich:rule=max:late=reopen:machine=parallel:gate=off:inside=spt:predictor=alike:grace=1d:memory=7d:settle=on:estimate=limit"},
		{"fairshare:period=1h:inside=spt", Log, "fairshare:period=1h:inside=spt fairshare:inside=spt:period=1h"},
		{"multifactor:halflife=14d", Log, "multifactor:halflife=14d multifactor:halflife=14d"},
		{"faircamp:rho=list:placement=packed", Log, "faircamp:rho=list:placement=packed faircamp:rho=list:placement=packed"},
		{"horizon:length=0s:nodes=50", Log, "horizon:length=0s:nodes=50 horizon:length=0s:nodes=50:objective=sum-u"},
		{"fairshare:halflife=1d", Site, "fairshare:halflife=1d fairshare:halflife=1d"},
		{"fcfs-campaigns:inside=spt", Site, "fcfs-campaigns:inside=spt fcfs-campaigns:inside=spt"},
		{"spt:estimate=exact", Parts, "spt:estimate=exact spt:estimate=exact"},
		{"ect-p:predictor=mean", Clusters, "ect-p:predictor=mean ECT-P:predictor=mean"},

		{"best", Log, `--policy "best": must be ostrich, `},
		{"ostrich:gate=shut", Log, `--policy "ostrich:gate=shut": not understood: gate: "shut" is none of demote, strict, off`},
		{"ostrich:gate", Log, `"gate": a setting is NAME=VALUE`},
		{"ostrich:gate=off:gate=off", Log, "each stands there once"},
		{"=ostrich", Log, "the label before = is empty"},
		{"fcfs:gate=off", Site, "fcfs has no settings"},
		{"multifactor:inside=spt", Log, `multifactor has no setting "inside"; they are halflife`},
		{"ostrich-sequential:period=1h", Log, `ostrich-sequential has no setting "period"; they are gate, inside, predictor, grace, memory, settle`},
		{"multicamp:placement=packed", Log, `multicamp has no setting "placement"; they are rho`},
		{"ostrich:gate=strict", Parts, `"strict" is none of demote, off`}, // ostrichd has none
		{"fairshare:halflife=0s", Site, "0s is too short; the least is 1s"},
		{"fairshare:period=0s", Log, "0s is too short; the least is 1s"},
		{"horizon:length=-1s", Log, `"-1s" is not a length of time`},
		{"horizon:budget=-1s", Log, `"-1s" is not a length of time`},
		{"horizon:nodes=-1", Log, "is no number from 0 on"},
		{"horizon:nodes=50:budget=1s", Log, "nodes and budget limit the same"},
		{"fplt:predictor=mean", Clusters, "FPLT has no settings"},
	} {
		v, err := ParseVariant(tt.text, tt.with)
		got := ""
		if err == nil {
			got = v.Label + " " + v.Canonical
		}
		if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.text, got, err, tt.want)
		}
	}
	if _, err := ParseVariants("fcfs, ostrich, fcfs", Log); err == nil || err.Error() != "--policy fcfs: is named twice" {
		t.Error(err)
	}
}

// TestCanonical: what Canonical writes means the same when it is read again, whatever was
// set, and the order of the settings means nothing.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		with := rapid.SampledFrom([]Need{Log, Site, Parts}).Draw(t, "with")
		p := rapid.SampledFrom(Policies(with)).Draw(t, "policy")
		tuning, err := p.tuned()
		if err != nil {
			t.Fatal(err)
		}
		words := []string{p.Name}
		for _, s := range p.settings(with, &tuning) {
			if !rapid.Bool().Draw(t, s.Key) {
				continue
			}
			values := strings.Split(s.Usage, ", ") // of words, the usage is all of them
			switch {
			case s.Key == "nodes":
				values = []string{"0", "50", "1000"}
			case strings.HasPrefix(s.Usage, "a time"):
				values = []string{"90s", "30m", "168h"}
			}
			words = append(words, s.Key+"="+rapid.SampledFrom(values).Draw(t, "value"))
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "nodes=") }) {
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "budget=") })
		}
		if !slices.Contains(words, "rule=arrival") && !slices.Contains(words, "rule=window") {
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "threshold=") })
		}
		one := variant(t, strings.Join(words, ":"), with)
		rest := rapid.Permutation(words[1:]).Draw(t, "order")
		two := variant(t, strings.Join(append([]string{p.Name}, rest...), ":"), with)
		if diff := cmp.Diff(one.Canonical, two.Canonical); diff != "" {
			t.Fatal(diff)
		}
		if p.Name == "paper" {
			return // whose defaults are not those of the name that is written
		}
		if again := variant(t, one.Canonical, with); again.Canonical != one.Canonical {
			t.Fatalf("%s is read as %s", one.Canonical, again.Canonical)
		}
	})
}

// TestVariantHelp: the help has each setting with its values once.
func TestVariantHelp(t *testing.T) {
	for _, with := range []Need{Log, Site, Parts} {
		text := VariantHelp(with, 16)
		for _, s := range allSettings(with) {
			if strings.Count(text, "\n  "+s.Key+strings.Repeat(" ", max(0, 16-len(s.Key)))+"  "+s.Usage+"\n") != 1 {
				t.Errorf("%s is not there once:\n%s", s.Key, text)
			}
		}
	}
}

// FuzzParseVariant: no text makes it panic, and what is accepted has a label.
func FuzzParseVariant(f *testing.F) {
	for _, text := range []string{"ostrich:gate=off", "a=spt:estimate=exact", "=", ":", "ostrich:::", "horizon:length=0", "fairshare:halflife=99999999999d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, with := range []Need{Log, Site, Parts, Clusters} {
			if v, err := ParseVariant(text, with); err == nil && (v.Label == "" || v.Canonical == "") {
				t.Errorf("%q: %+v", text, v)
			}
		}
	})
}

// variant is a policy with settings.
func variant(t rapid.TB, text string, with Need) *Variant {
	t.Helper()
	v, err := ParseVariant(text, with)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
