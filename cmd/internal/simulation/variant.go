package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// Variant is a policy with settings of its own, as people name it:
//
//	[LABEL=]NAME[:SETTING=VALUE]...
//
// The words are the same in simulate, sweep, bench and compare. Which settings there are
// depends on the policy, and on what it is replayed with; VariantHelp lists them.
type Variant struct {
	*Policy
	Label     string // its name in results: LABEL, or the whole text
	Canonical string // all its settings in their one spelling, whatever its label; the same order has the same text
	Tuning    Tuning // what holds where nothing else is said
	with      Need
	chosen    []assignment
	wherever  bool // it was named by "all": left out where it refuses the log or the options
}

type assignment struct{ key, value string }

// Tuning is what settings of policies change. Each policy uses a part of it.
type Tuning struct {
	Options  ostrich.Options  // of the virtual schedule; Inside is the order inside campaigns under any policy
	HalfLife ostrich.Duration // of usage, under priority/multifactor
	Period   ostrich.Duration // between two calculations of the factors of thesis 2.4
	Classes  priority.ClassBy // of OStrich's order at a site

	estimate  uint8            // of estimates: by what lengths the policy goes
	rho       uint8            // of rhos: how the jobs of a campaign are placed, where whole campaigns are
	place     policy.Placement // where FairCamp begins a campaign
	length    ostrich.Duration // of a planning horizon; 0 is until all that was planned has ended
	budget    time.Duration    // of a plan
	nodes     int64            // of a plan, in its place; below 0 is no limit in schedules
	objective optimal.Objective
}

// tuned returns what holds for a policy without any setting. At a site that is what the
// site says, which replaces a part of it.
func (p *Policy) tuned() (Tuning, error) {
	t := Tuning{
		Options:  ostrich.Options{Machine: p.virtual, Gate: p.gate, Inside: p.inside},
		HalfLife: 7 * 24 * 3600, Period: 300, length: 3600, budget: 100 * time.Millisecond, nodes: -1,
	}
	if p.needs == Clusters {
		t.Options.Predictor = lengths.ByLast
	}
	var err error
	if p.Settings != nil {
		t.Options, err = p.Settings()
	}
	return t, err
}

// estimates are the lengths that a policy may go by.
var estimates = []string{"limit", "exact"}

// Exact reports whether the policy knows how long jobs run.
func (t *Tuning) Exact() bool { return t.estimate == 1 }

// planned are the objectives for which a queue can be planned: a plan knows no
// campaigns.
var planned = optimal.ObjectiveNames[:optimal.Cmax+1]

// placing returns how whole campaigns are placed, but for the processors.
func (t *Tuning) placing() policy.Machine { return policy.Machine{Rho: rhos[t.rho], Place: t.place} }

// horizon returns how queues are planned, for the waits that users accept.
func (t *Tuning) horizon(accept satisfaction.Acceptance) sim.Horizon {
	plan := optimal.Planner{Solver: optimal.Own{}, Accept: accept, Objective: t.objective}
	switch nodes, limit := t.nodes, t.budget; {
	case nodes >= 0:
		plan.Budget = func() optimal.Budget { return optimal.Budget{Nodes: nodes} }
	case limit > 0:
		plan.Budget = func() optimal.Budget {
			end := time.Now().Add(limit)
			return optimal.Budget{Nodes: optimal.Unlimited, Stop: func() bool { return time.Now().After(end) }}
		}
	}
	return sim.Horizon{Length: t.length, Plan: plan.Plan}
}

// EveryPolicy is the name that stands for all policies that can be replayed with something.
const EveryPolicy = "all"

// Every returns what it stands for; WQR-4 is that of the paper.
func Every(with Need) []string {
	return format.Texts(Policies(with), func(p *Policy) string { return strings.Replace(p.Name, "WQR-n", "WQR-4", 1) })
}

// ParseVariants parses a comma-separated list of policies that can be replayed with
// something. No two may have the same label. "all" stands for those that are not named
// beside it.
func ParseVariants(text string, with Need) ([]*Variant, error) {
	var list []*Variant
	for one := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(one) == EveryPolicy {
			for _, name := range Every(with) {
				v, err := ParseVariant(name, with)
				if err != nil {
					return nil, err
				}
				v.wherever = true
				if !slices.ContainsFunc(list, func(w *Variant) bool { return w.Label == v.Label }) {
					list = append(list, v)
				}
			}
			continue
		}
		v, err := ParseVariant(strings.TrimSpace(one), with)
		if err != nil {
			return nil, err
		}
		switch i := slices.IndexFunc(list, func(w *Variant) bool { return w.Label == v.Label }); {
		case i < 0:
			list = append(list, v)
		case list[i].wherever:
			list[i] = v
		default:
			return nil, fmt.Errorf("--policy %s: is named twice", v.Label)
		}
	}
	return list, nil
}

// ParseVariant parses one policy; sjf is another name of spt.
func ParseVariant(text string, with Need) (*Variant, error) {
	label, name, chosen, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("--policy %q: not understood: %w", text, err)
	}
	v := &Variant{Label: label, with: with, chosen: chosen}
	if name == "sjf" {
		name = "spt"
	}
	if v.Policy = Find(name, with); with == Clusters {
		v.Policy = clusterPolicy(name)
	}
	if v.Policy == nil {
		return nil, fmt.Errorf("--policy %q: must be %s", name, console.List(Names(Policies(with))))
	}
	if len(chosen) == 0 && label == text {
		v.Label = v.Name // in its one spelling
	}
	if v.Tuning, err = v.tuned(); err == nil {
		err = v.spell()
	}
	if err != nil {
		return nil, fmt.Errorf("--policy %q: not understood: %w", text, err)
	}
	return v, nil
}

// spell makes the settings of the variant in its Tuning, and its Canonical.
func (v *Variant) spell() error {
	name, settings := v.Name, v.settings(v.with, &v.Tuning)
	if v.Settings != nil {
		name = "ostrich" // paper too, with its settings
	}
	err := tune(v.Name, settings, v.chosen, &v.Tuning)
	v.Canonical = spelt(name, settings, &v.Tuning)
	return err
}

// split takes the text of a variant apart.
func split(text string) (label, name string, chosen []assignment, err error) {
	label, spec := text, text
	if before, rest, named := strings.Cut(text, "="); named && !strings.Contains(before, ":") {
		if label, spec = strings.TrimSpace(before), strings.TrimSpace(rest); label == "" {
			return "", "", nil, errors.New("the label before = is empty")
		}
	}
	words := strings.Split(spec, ":")
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		a := assignment{strings.TrimSpace(key), strings.TrimSpace(value)}
		if !ok || slices.ContainsFunc(chosen, func(b assignment) bool { return a.key == b.key }) {
			return "", "", nil, fmt.Errorf("%q: a setting is NAME=VALUE, and each stands there once", word)
		}
		chosen = append(chosen, a)
	}
	return label, strings.TrimSpace(words[0]), chosen, nil
}

// Tune makes the settings of the variant in place of those of t.
func (v *Variant) Tune(t *Tuning) error {
	if v.submitted {
		t.Options.Inside = v.inside
	}
	return tune(v.Name, v.settings(v.with, t), v.chosen, t)
}

// tune makes assignments to the settings of something named, which t has.
func tune(name string, settings []configuration.Setting, chosen []assignment, t *Tuning) error {
	keys := format.Texts(settings, func(s configuration.Setting) string { return s.Key })
	set := func(key string) bool {
		return slices.ContainsFunc(chosen, func(a assignment) bool { return a.key == key })
	}
	for _, a := range chosen {
		i := slices.Index(keys, a.key)
		switch {
		case len(keys) == 0:
			return fmt.Errorf("%s has no settings", name)
		case i < 0:
			return fmt.Errorf("%s has no setting %q; they are %s", name, a.key, strings.Join(keys, ", "))
		}
		if err := settings[i].Value.Set(a.value); err != nil {
			return fmt.Errorf("%s: %w", a.key, err)
		}
	}
	switch r := &t.Options.Rule; {
	case set("threshold") && !r.By.Timed():
		return errors.New("threshold goes with rule=arrival or rule=window")
	case slices.Contains(keys, "rule") && r.By.Timed() && r.Threshold == 0 && !set("threshold"):
		r.Threshold = 30 * 60
	}
	if set("nodes") && set("budget") {
		return errors.New("nodes and budget limit the same: one of them")
	}
	if slices.Contains(keys, "gate") {
		return t.Options.Validate()
	}
	return nil
}

// spelt returns a name with its settings, those without effect left out.
func spelt(name string, settings []configuration.Setting, t *Tuning) string {
	words := []string{name}
	for _, s := range settings {
		switch {
		case s.Key == "threshold" && !t.Options.Rule.By.Timed():
		case s.Key == "nodes" && t.nodes < 0:
		case s.Key == "budget" && t.nodes >= 0:
		default:
			words = append(words, s.Key+"="+s.Value.String())
		}
	}
	return strings.Join(words, ":")
}

// settings returns the settings that a policy has where it is replayed with something.
func (p *Policy) settings(with Need, t *Tuning) []configuration.Setting {
	var list []configuration.Setting
	add := func(key, usage string, v configuration.Value) {
		list = append(list, configuration.Setting{Key: key, Usage: usage, Value: v})
	}
	names := func(key string, v configuration.Choice) { add(key, strings.Join(v.Names(), ", "), v) }
	if p.gated {
		for _, s := range configuration.OrderSettings(&t.Options) {
			switch {
			case with == Log && p.Settings == nil && slices.Contains([]string{"rule", "threshold", "late", "machine"}, s.Key): // --rule, and the policy, say it
			case with != Parts && s.Key == "gate": // ostrichd holds no job back; a simulation can
				names("gate", wordOf(&t.Options.Gate, ostrich.GateNames))
			default:
				list = append(list, s)
			}
		}
	}
	if p.gated && with == Site {
		names("classes", wordOf(&t.Classes, plus(priority.ClassByNames)))
	}
	if !p.gated && with&(Log|Site) != 0 && p.rank != nil && !p.byJob {
		names("inside", wordOf(&t.Options.Inside, ostrich.InsideNames))
	}
	if p.halves {
		add("halflife", "a time such as 7d", configuration.NewSeconds(&t.HalfLife, time.Second))
	}
	if p.Name == "fairshare" && with == Log {
		add("period", "a time such as 5m, between two calculations of the factors", configuration.NewSeconds(&t.Period, time.Second))
	}
	if p.place != nil {
		names("rho", wordOf(&t.rho, rhoNames))
	}
	if p.Name == "faircamp" {
		names("placement", wordOf(&t.place, policy.PlacementNames))
	}
	if p.plans {
		add("length", "a time such as 1h, of a horizon; 0s is until all that was planned in it has ended", configuration.NewSeconds(&t.length, 0))
		add("budget", "a time such as 100ms, for a plan; with 0s it goes as under fcfs with EASY backfilling", configuration.NewSpan(&t.budget, 0))
		add("nodes", "how many schedules are looked at for a plan, in place of budget: the same result on every machine", count{&t.nodes})
		names("objective", wordOf(&t.objective, planned))
	}
	if with == Clusters && p.knows == grid.History {
		names("predictor", wordOf(&t.Options.Predictor, lengths.PredictorNames))
	}
	if with == Parts && p.Estimates() {
		names("estimate", wordOf(&t.estimate, estimates))
	}
	return list
}

// VariantHelp describes the language of variants, and lists the settings of the policies
// that can be replayed with something. Names of policies fill the width.
func VariantHelp(with Need, width int) string {
	var b strings.Builder
	b.WriteString("A policy is [LABEL=]NAME[:SETTING=VALUE]..., as in ostrich:gate=off:inside=spt; all is all of them. Settings:\n")
	for _, p := range Policies(with) {
		t, err := p.tuned()
		list := p.settings(with, &t)
		if err != nil || len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, p.Name, strings.Join(format.Texts(list, func(s configuration.Setting) string { return s.Key }), ", "))
	}
	b.WriteString("Their values:\n")
	for _, s := range allSettings(with) {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, s.Key, s.Usage)
	}
	return b.String()
}

// allSettings lists the settings of all policies once, in the order of the table.
func allSettings(with Need) []configuration.Setting {
	var all []configuration.Setting
	for _, p := range Policies(with) {
		t, err := p.tuned()
		if err != nil {
			continue
		}
		for _, s := range p.settings(with, &t) {
			if !slices.ContainsFunc(all, func(o configuration.Setting) bool { return o.Key == s.Key }) {
				all = append(all, s)
			}
		}
	}
	return all
}

// wordOf returns a choice of constants by their names.
func wordOf[T ~uint8](at *T, names []string) configuration.Choice {
	return configuration.NewChoice(names, func() string { return names[*at] }, func(i int) { *at = T(i) })
}

// plus returns names with + in place of a comma, which separates policies.
func plus(names []string) []string {
	return format.Texts(names, func(name string) string { return strings.ReplaceAll(name, ",", "+") })
}

// count is a number of at least 0; below 0 is no limit.
type count struct{ at *int64 }

func (c count) String() string {
	if *c.at < 0 {
		return "no limit"
	}
	return strconv.FormatInt(*c.at, 10)
}

func (c count) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number from 0 on", text)
	}
	*c.at = n
	return nil
}

// gone are options that are settings of a policy now, each with those that have it where
// something is replayed.
var gone = []struct {
	option, key string
	of          map[Need]string
}{
	{"inside", "inside", map[Need]string{Log: "--policy ostrich", Site: "--policy ostrich", Clusters: "--selection OStrich"}},
	{"gate", "gate", map[Need]string{Log: "--policy ostrich", Site: "--policy ostrich", Clusters: "--selection OStrich"}},
	{"predictor", "predictor", map[Need]string{Log: "--policy ostrich", Site: "--policy ostrich", Clusters: "--policy ECT-P"}},
	{"period", "period", map[Need]string{Log: "--policy fairshare", Clusters: "--selection FairShare"}},
	{"rho", "rho", map[Need]string{Log: "--policy faircamp"}},
	{"placement", "placement", map[Need]string{Log: "--policy faircamp"}},
	{"horizon", "length", map[Need]string{Log: "--policy horizon"}},
	{"horizon-budget", "budget", map[Need]string{Log: "--policy horizon"}},
	{"horizon-nodes", "nodes", map[Need]string{Log: "--policy horizon"}},
	{"objective", "objective", map[Need]string{Log: "--policy horizon"}},
}

// inComparison are options that compare had, each with what is to be done now.
var inComparison = map[string]string{
	"associations": "is --slurm-config FILE now, which may be given again",
	"floor":        "is always 10s now; bench has it",
	"kill":         "is an option of simulate: ostrich simulate --kill",
	"load":         "is an option of simulate: ostrich simulate --load FACTOR",
	"partitions":   "is --slurm-config FILE now, which may be given again",
	"qos-file":     "is --slurm-config FILE now, which may be given again",
	"resamples":    "is always 1000 now",
	"seed":         "is always 1 now",
	"window":       "is always the day with most waiting now",
	"workers":      "is always one a core now; GOMAXPROCS=NUMBER makes it fewer",
}

// Gone says what became of an option, or of a parameter of a sweep, that is a setting of a
// policy now, or, of simulate, an option of platform, or that compare has no more; "" for any other.
func Gone(option string, with Need) string {
	for _, g := range gone {
		if g.option == option && g.of[with] != "" {
			return fmt.Sprintf("is a setting of the policy: %s:%s=VALUE", g.of[with], g.key)
		}
	}
	if with == Site && inComparison[option] != "" {
		return inComparison[option]
	}
	if with == Log && OnPlatforms(option) {
		one := "ostrich platform --swf FILE --platform PLATFORM"
		if option != "platform" {
			one += " --" + option + " " + strings.ToUpper(option)
		}
		return "is an option of another command: " + one
	}
	return ""
}
