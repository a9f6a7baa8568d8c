package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/platform"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/trace"
)

// PlatformOptions say on which platform of several clusters the bags of a log are
// run, and how (HPDC 2008, section 2), in the words of a command line.
type PlatformOptions struct {
	LogOptions
	Platform                string
	Policy, Satisfaction    string
	Architecture, Selection string // several are separated by commas
	Homes, Redraw, Scope    string
	Flock                   string
	Monitor, Until, WarmUp  time.Duration
	TargetLoad, Inaccuracy  float64
	InaccuracySeed          uint64
	settings
}

// DefaultPlatform returns options with their defaults.
func DefaultPlatform() *PlatformOptions {
	o := &PlatformOptions{}
	o.begin("platform", slices.Concat(o.Flags(), o.CampaignFlags()))
	o.Given = o.has
	return o
}

// byField is the value of --homes with which the log names them.
const byField = "field"

// homesNames are the values of --homes.
var homesNames = append(slices.Clone(grid.HomesNames), byField)

func selectionNames() []string {
	return format.Texts(grid.Selections(), func(c grid.Choice) string { return c.Name })
}

// SelectionHelp lists the selections, a line each.
func SelectionHelp(width int) string {
	var b strings.Builder
	for _, c := range grid.Selections() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name, c.Usage)
	}
	return b.String()
}

// Flags returns the options except [LogOptions.CampaignFlags]. They fill o.
func (o *PlatformOptions) Flags() []cli.Flag {
	return slices.Concat(o.choiceFlags(), []cli.Flag{
		o.UserFlag(),
		&cli.StringFlag{Name: "platform", Usage: "the clusters of `PLATFORM`, a YAML file or " + console.List(platform.Names()) + "; must be given", Destination: &o.Platform},
		policyFlag("FPLT", &o.Policy), // in most of the paper's Table 5
		&cli.StringFlag{Name: "architecture", Usage: "how tasks come to the clusters, or several ways: `ARCHITECTURE` is " + console.List(grid.ArchitectureNames), Value: grid.CSP.String(), Destination: &o.Architecture},
		&cli.StringFlag{Name: "selection", Usage: "which tasks are eligible, or several: `SELECTION` is " + console.List(selectionNames()), Value: selectionNames()[0], Destination: &o.Selection},
		&cli.StringFlag{Name: "homes", Usage: "cluster to which a user submits: `HOMES` is sized (as many users as fit its size), even (as many for each) or field (16 of the log)", Value: grid.HomesNames[grid.Sized], Destination: &o.Homes},
		configuration.NewSpanFlag(&o.Monitor, 0, "monitor", "`TIME` between two looks of csp at the clusters; 0s tells it of each end at once", ""),
		&cli.StringFlag{Name: "flock", Usage: "a user of fcondor goes to the next cluster after each `AMOUNT` that has to wait: " + console.List(grid.FlockNames), Value: grid.FlockNames[grid.ByTask], Destination: &o.Flock},
		&cli.StringFlag{Name: "redraw", Usage: "the next eligible tasks are drawn when all of them have `DONE`, started or ended, or as called: when a bag comes and when a task ends", Value: grid.RedrawNames[grid.Started], Destination: &o.Redraw},
		&cli.StringFlag{Name: "scope", Usage: "tasks from which a policy that predicts learns: those of the same `SCOPE`, " + console.List(grid.ScopeNames), Value: grid.ScopeNames[grid.ByBag], Destination: &o.Scope},
		&cli.Float64Flag{Name: "target-load", Usage: "`PART` of the platform that the tasks use, to which the times between submissions are stretched", DefaultText: "what the log puts on it", Destination: &o.TargetLoad},
		&cli.Float64Flag{Name: "inaccuracy", Usage: "policies that know run times know them with errors of up to `PERCENT`", DefaultText: "none", Destination: &o.Inaccuracy},
		&cli.Uint64Flag{Name: "inaccuracy-seed", Usage: "`NUMBER` that the draw of these errors begins with", Value: 1, Destination: &o.InaccuracySeed},
		configuration.NewSpanFlag(&o.Until, 0, "until", "a run ends so much `TIME` after the first submission, whatever has not ended", "when all has ended"),
		configuration.NewSpanFlag(&o.WarmUp, 0, "warm-up", "bags that come in the `TIME` after the first submission are run and not measured", "none"),
		SatisfactionFlag(", by which lateness is measured", &o.Satisfaction),
	})
}

// clusterPolicies returns the task scheduling policies as rows of the table.
func clusterPolicies() []Policy {
	var list []Policy
	for _, c := range grid.Policies() {
		list = append(list, Policy{
			Name: c.Name, needs: Clusters, knows: c.Tasks,
			Usage: fmt.Sprintf("(%v, %v) %s", c.Processors, c.Tasks, c.Usage),
		})
	}
	return list
}

// clusterPolicy returns the task scheduling policy of a name, in any case; nil if
// there is none. WQR-4 is not in the table, which has WQR-n.
func clusterPolicy(name string) *Policy {
	probe := grid.Experiment{Platform: grid.HPDC2008(), Selection: selectionNames()[0], Policy: name, Predictor: lengths.ByLast}
	if probe.Validate() != nil {
		return nil
	}
	for _, p := range Policies(Clusters) {
		if strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return &Policy{Name: strings.ToUpper(name), needs: Clusters}
}

// OnPlatforms reports whether an option is of platforms alone.
func OnPlatforms(option string) bool {
	return slices.Contains(DefaultPlatform().Names, option) && !slices.Contains(Defaults().Names, option)
}

// clusters is how bags are run on a platform.
type clusters struct {
	grid.Experiment
	selection string     // its label
	spelt     string     // the selection in its one spelling, with all its settings
	homes     grid.Homes // of homesNames
}

// experiments returns the experiments that the options ask for but for their
// policies: one for each architecture and selection.
func (o *PlatformOptions) experiments() ([]*clusters, error) {
	if o.Platform == "" {
		return nil, errors.New("--platform PLATFORM: none is named; see \"ostrich platform --help\"")
	}
	var bad faults
	c := clusters{Experiment: grid.Experiment{
		Load: o.TargetLoad, Inaccuracy: o.Inaccuracy, Seed: o.InaccuracySeed,
		Monitor: ostrich.Duration(o.Monitor / time.Second), Until: ostrich.Duration(o.Until / time.Second),
		Warmup: ostrich.Duration(o.WarmUp / time.Second),
	}}
	var err error
	c.Platform, err = platform.Named(o.Platform)
	bad.note("platform", err)
	c.homes = named[grid.Homes](&bad, "homes", homesNames, o.Homes)
	c.Redraw = named[grid.Redraw](&bad, "redraw", grid.RedrawNames, o.Redraw)
	c.Flock = named[grid.Flock](&bad, "flock", grid.FlockNames, o.Flock)
	c.Scope = named[grid.Scope](&bad, "scope", grid.ScopeNames, o.Scope)
	switch {
	case o.WasGiven("target-load") && !(o.TargetLoad > 0 && o.TargetLoad <= 1000):
		bad.note("target-load", fmt.Errorf("%v: must be above 0, and at most 1000", o.TargetLoad))
	case o.WasGiven("target-load") && o.WasGiven("load"):
		bad.note("target-load", errors.New("says how far apart the submissions are, as --load does: one of the two"))
	}
	if !(o.Inaccuracy >= 0 && o.Inaccuracy <= 1e6) {
		bad.note("inaccuracy", fmt.Errorf("%v: must be from 0 to 1000000", o.Inaccuracy))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"monitor", o.Monitor}, {"until", o.Until}, {"warm-up", o.WarmUp}} {
		switch {
		case d.value < 0 || d.value%time.Second != 0 || d.value > math.MaxInt32*time.Second:
			bad.note(d.name, fmt.Errorf("%v: must be in whole seconds, from 0 to %d", d.value, math.MaxInt32))
		case d.name == "until" && o.WasGiven("until") && d.value == 0:
			bad.note(d.name, errors.New("0s: must be above 0"))
		}
	}
	o.platform = &c
	var list []*clusters
	for name := range strings.SplitSeq(o.Architecture, ",") {
		a := named[grid.Architecture](&bad, "architecture", grid.ArchitectureNames, strings.TrimSpace(name))
		for name := range strings.SplitSeq(o.Selection, ",") {
			one := c
			one.Architecture = a
			if err := one.selects(strings.TrimSpace(name)); err != nil {
				bad.note("selection", fmt.Errorf("%q: %w", name, err))
				continue
			}
			list = append(list, &one)
		}
	}
	return list, errors.Join(bad...)
}

// selects has tasks selected by a selection with settings, in the language of variants.
func (c *clusters) selects(text string) error {
	label, name, chosen, err := split(text)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(selectionNames(), func(s string) bool { return strings.EqualFold(s, name) })
	if i < 0 {
		return fmt.Errorf("must be %s", console.List(selectionNames()))
	}
	c.Selection = selectionNames()[i]
	if c.selection = label; len(chosen) == 0 && label == text {
		c.selection = c.Selection
	}
	t := Tuning{Options: ostrich.Options{Gate: ostrich.Demote, Inside: ostrich.LPT}, Period: 300}
	p := Policy{Name: strings.ToLower(c.Selection), gated: c.Selection == "OStrich"} // of one machine
	settings := p.settings(Log, &t)
	if err = tune(c.Selection, settings, chosen, &t); err != nil {
		return err
	}
	c.OStrich, c.Period, c.spelt = t.Options, t.Period, spelt(c.Selection, settings, &t)
	return nil
}

// one returns the run that the options ask for, which name one policy, one architecture
// and one selection.
func (o *PlatformOptions) one() (platformRun, error) {
	list, err := o.runs()
	switch {
	case err != nil:
		return platformRun{}, err
	case len(list) > 1:
		return platformRun{}, errors.New("--policy, --architecture, --selection: one at a time here")
	}
	return list[0], nil
}

// CheckAlone checks the value of one option, as far as that can be done without a log,
// and returns it in its one spelling. For --platform that is the content of the file, so
// that a changed file is another platform.
func (o *PlatformOptions) CheckAlone(name string) (string, error) {
	switch name {
	case "platform":
		p, err := platform.Named(o.Platform)
		if err != nil {
			return "", fmt.Errorf("--platform %w", err)
		}
		return fmt.Sprintf("%+v", p), nil
	case "policy":
		v, err := ParseVariant(o.Policy, Clusters)
		if err != nil {
			return "", err
		}
		return v.Canonical, nil
	}
	probe := *o
	probe.Platform, probe.Given = platform.Names()[0], func(option string) bool { return option == name }
	r, err := probe.one()
	if err != nil {
		return "", err
	}
	switch name {
	case "architecture":
		return r.Architecture.String(), nil
	case "selection":
		return r.spelt, nil
	case "satisfaction":
		return spelling(o.Satisfaction), nil
	}
	return o.Text(name), o.checkAlone(name, o.Text(name))
}

// Label gives a summary the labels of the policy and the selection.
func (o *PlatformOptions) Label(s *Summary) error {
	r, err := o.one()
	if err == nil {
		s.Policy, s.Clusters.Selection = r.Policy.Label, r.selection
	}
	return err
}

// CheckTogether returns an error for options that do not go together, of a log or of a
// generated workload.
func (o *PlatformOptions) CheckTogether(bool) error {
	r, err := o.one()
	if err == nil {
		_, err = o.rule(RuleNames, &trace.Log{})
	}
	if err != nil {
		return err
	}
	return r.Check()
}

// MeansNothing returns why an option has no effect beside the others, or "".
func (o *PlatformOptions) MeansNothing(option string) string {
	r, err := o.one()
	if err != nil { // which CheckTogether refuses
		return ""
	}
	return cmp.Or(r.idle(option), o.LogOptions.MeansNothing(option))
}

// idle returns why an option has no effect on a run, or "".
func (r *platformRun) idle(option string) string {
	knows := r.Policy.knows
	switch {
	case option == "monitor" && r.Architecture != grid.CSP:
		return fmt.Sprintf("--monitor means nothing to --architecture %v", r.Architecture)
	case option == "flock" && r.Architecture != grid.FCondor:
		return fmt.Sprintf("--flock means nothing to --architecture %v", r.Architecture)
	case option == "homes" && r.Architecture == grid.CSP:
		return "--homes means nothing to --architecture csp"
	case option == "inaccuracy" && knows != grid.Known, option == "inaccuracy-seed" && knows != grid.Known,
		option == "scope" && knows != grid.History:
		return fmt.Sprintf("--%s means nothing to --policy %s", option, r.Policy.Name)
	case option == "inaccuracy-seed" && r.Inaccuracy == 0:
		return "--inaccuracy-seed goes with --inaccuracy"
	}
	return ""
}
