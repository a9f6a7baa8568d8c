package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/platform"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

// PlatformOptions say on which platform of several clusters the bags of a log are
// run, and how (HPDC 2008, section 2), in the words of a command line.
type PlatformOptions struct {
	Platform                string // "" is one machine
	Architecture, Selection string // several are separated by commas
	Homes, Redraw, Scope    string
	Monitor, Until          time.Duration
	TargetLoad, Inaccuracy  float64
	InaccuracySeed          uint64
}

// byField is the value of --homes with which the log names them.
const byField = "field"

// homesNames are the values of --homes.
var homesNames = append(slices.Clone(grid.HomesNames), byField)

// selectionNames returns the values of --selection.
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

// flags returns the options, which fill o.
func (o *PlatformOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "platform", Usage: "run bags of sequential tasks on the clusters of `PLATFORM`, a YAML file or " + console.List(platform.Names()), DefaultText: "one machine", Destination: &o.Platform},
		&cli.StringFlag{Name: "architecture", Usage: "of a platform, or several: `ARCHITECTURE` is " + console.List(grid.ArchitectureNames), Value: grid.CSP.String(), Destination: &o.Architecture},
		&cli.StringFlag{Name: "selection", Usage: "which tasks are eligible on a platform, or several: `SELECTION` is " + console.List(selectionNames()), Value: selectionNames()[0], Destination: &o.Selection},
		&cli.StringFlag{Name: "homes", Usage: "cluster to which a user submits: `HOMES` is sized (as many users as fit its size), even (as many for each) or field (16 of the log)", Value: grid.HomesNames[grid.Sized], Destination: &o.Homes},
		&cli.DurationFlag{Name: "monitor", Usage: "`TIME` between two looks of csp at the clusters; 0s tells it of each end at once", Value: time.Duration(grid.DefaultMonitor) * time.Second, Destination: &o.Monitor},
		&cli.StringFlag{Name: "redraw", Usage: "the eligible tasks are drawn anew when all of them have `DONE`: " + console.List(grid.RedrawNames), Value: grid.RedrawNames[grid.Started], Destination: &o.Redraw},
		&cli.StringFlag{Name: "scope", Usage: "tasks from which a policy that predicts learns on a platform: those of the same `SCOPE`, " + console.List(grid.ScopeNames), Value: grid.ScopeNames[grid.ByBag], Destination: &o.Scope},
		&cli.Float64Flag{Name: "target-load", Usage: "`PART` of a platform that the tasks use, to which the times between submissions are stretched", DefaultText: "what the log puts on it", Destination: &o.TargetLoad},
		&cli.Float64Flag{Name: "inaccuracy", Usage: "policies of a platform that know run times know them with errors of up to `PERCENT`", DefaultText: "none", Destination: &o.Inaccuracy},
		&cli.Uint64Flag{Name: "inaccuracy-seed", Usage: "`NUMBER` that the draw of these errors begins with", Value: 1, Destination: &o.InaccuracySeed},
		&cli.DurationFlag{Name: "until", Usage: "a run on a platform ends so much `TIME` after the first submission, whatever has not ended", DefaultText: "when all has ended", Destination: &o.Until},
	}
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
	probe := grid.Experiment{Platform: grid.HPDC2008(), Selection: selectionNames()[0], Policy: name, Predictor: ostrich.ByLast}
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

// defaultClusterPolicy is the policy on a platform unless another is named, as in
// most of the paper's Table 5.
const defaultClusterPolicy = "FPLT"

// with returns what the options replay policies with.
func (o *Options) with() Need {
	if o.Platform != "" {
		return Clusters
	}
	return Log
}

// onPlatforms are the options that mean nothing to one machine.
var onPlatforms = format.Texts((&PlatformOptions{}).flags(), func(f cli.Flag) string { return f.Names()[0] })

// onOneMachine are the options that mean nothing to a platform.
var onOneMachine = []string{
	"procs", "backfill", "replay", "offsets", "dependencies", "event-order", "estimate", "kill", "cut",
}

// clusters is how bags are run on a platform.
type clusters struct {
	grid.Experiment
	selection string     // its label
	spelt     string     // the selection in its one spelling, with all its settings
	homes     grid.Homes // of homesNames
}

// experiments returns the experiments that the options ask for but for their
// policies: one for each architecture and selection; none without a platform.
func (o *Options) experiments() ([]*clusters, error) {
	if o.Platform == "" {
		for _, name := range onPlatforms {
			if o.given(name) {
				return nil, fmt.Errorf("--%s goes with --platform", name)
			}
		}
		return nil, nil
	}
	for _, name := range onOneMachine {
		if o.given(name) {
			return nil, fmt.Errorf("--%s means nothing to --platform", name)
		}
	}
	var bad faults
	c := clusters{Experiment: grid.Experiment{
		Load: o.TargetLoad, Inaccuracy: o.Inaccuracy, Seed: o.InaccuracySeed,
		Monitor: ostrich.Duration(o.Monitor / time.Second), Until: ostrich.Duration(o.Until / time.Second),
	}}
	var err error
	c.Platform, err = platform.Named(o.Platform)
	bad.note("platform", err)
	c.homes = named[grid.Homes](&bad, "homes", homesNames, o.Homes)
	c.Redraw = named[grid.Redraw](&bad, "redraw", grid.RedrawNames, o.Redraw)
	c.Scope = named[grid.Scope](&bad, "scope", grid.ScopeNames, o.Scope)
	switch {
	case o.given("target-load") && !(o.TargetLoad > 0 && o.TargetLoad <= 1000):
		bad.note("target-load", fmt.Errorf("%v: must be above 0, and at most 1000", o.TargetLoad))
	case o.given("target-load") && o.given("load"):
		bad.note("target-load", errors.New("says how far apart the submissions are, as --load does: one of the two"))
	}
	if !(o.Inaccuracy >= 0 && o.Inaccuracy <= 1e6) {
		bad.note("inaccuracy", fmt.Errorf("%v: must be from 0 to 1000000", o.Inaccuracy))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"monitor", o.Monitor}, {"until", o.Until}} {
		switch {
		case d.value < 0 || d.value%time.Second != 0 || d.value > math.MaxInt32*time.Second:
			bad.note(d.name, fmt.Errorf("%v: must be in whole seconds, from 0 to %d", d.value, math.MaxInt32))
		case d.name == "until" && o.given("until") && d.value == 0:
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

// Labels returns the labels of a policy that is replayed with something and, on a platform,
// of a selection, whose text is "" for the default one.
func Labels(with Need, policy, selection string) (of, selected string, err error) {
	v, err := ParseVariant(policy, with)
	if err != nil {
		return "", "", err
	}
	if with != Clusters {
		return v.Label, "", nil
	}
	var c clusters
	err = c.selects(cmp.Or(selection, selectionNames()[0]))
	return v.Label, c.selection, err
}

// one returns the experiment that the options ask for, which name one architecture
// and one selection; nil without a platform.
func (o *Options) one() (*clusters, error) {
	list, err := o.experiments()
	switch {
	case err != nil || len(list) == 0:
		return nil, err
	case len(list) > 1:
		return nil, errors.New("--architecture, --selection: one at a time here")
	}
	return list[0], nil
}

// checkPlatform checks the value of one option of a platform, and returns it in its
// one spelling. For --platform that is the content of the file, so that a changed file
// is another platform.
func (o *Options) checkPlatform(name string) (string, error) {
	if name == "platform" {
		p, err := platform.Named(o.Platform)
		if err != nil {
			return "", fmt.Errorf("--platform %w", err)
		}
		return fmt.Sprintf("%+v", p), nil
	}
	probe := *o
	probe.Platform, probe.Given = platform.Names()[0], func(option string) bool { return option == name }
	c, err := probe.one()
	if err != nil {
		return "", err
	}
	switch name {
	case "architecture":
		return c.Architecture.String(), nil
	case "selection":
		return c.spelt, nil
	}
	return o.Text(name), nil
}

// idle returns why an option has no effect on a policy on a platform, or "".
func (c *clusters) idle(option string, p *Variant) string {
	switch {
	case c == nil: // one machine
	case option == "monitor" && c.Architecture != grid.CSP:
		return fmt.Sprintf("--monitor means nothing to --architecture %v", c.Architecture)
	case option == "homes" && c.Architecture == grid.CSP:
		return "--homes means nothing to --architecture csp"
	case option == "inaccuracy" && p.knows != grid.Known, option == "inaccuracy-seed" && p.knows != grid.Known,
		option == "scope" && p.knows != grid.History:
		return fmt.Sprintf("--%s means nothing to --policy %s", option, p.Name)
	}
	return ""
}

// fieldHomes returns the homes that a log names in field 16. Of a user the first job that
// names one counts.
func fieldHomes(log *trace.Log) map[ostrich.UserID]int64 {
	homes := make(map[ostrich.UserID]int64)
	for i := range log.Records {
		r := &log.Records[i]
		if user := ostrich.UserID(r.User); r.User >= 0 && homes[user] == 0 {
			homes[user] = r.Partition
		}
	}
	return homes
}

// bags returns the campaigns of a log as bags, each with a home.
func (r *Run) bags(log []sim.Logged) ([]grid.Bag, error) {
	campaigns, err := r.rule.campaigns(log)
	if err != nil {
		return nil, err
	}
	bags := make([]grid.Bag, len(campaigns))
	for i := range campaigns {
		c := &campaigns[i]
		bags[i] = grid.Bag{User: c.User, Submit: c.Submit, Tasks: make([]grid.Task, len(c.Tasks))}
		for k := range c.Tasks {
			bags[i].Tasks[k] = grid.Task{ID: c.Tasks[k].ID, Run: c.Tasks[k].Run}
		}
	}
	if homesNames[r.clusters.homes] != byField {
		return bags, grid.Spread(bags, r.clusters.Platform, r.clusters.homes)
	}
	for i := range bags {
		b, n := &bags[i], len(r.clusters.Platform.Clusters)
		home := r.homes[b.User]
		if home < 1 || home > int64(n) {
			return nil, fmt.Errorf("--homes field: field 16 of the jobs of user %d is %d: not the number of a cluster, 1 to %d", b.User, home, n)
		}
		b.Home = int(home - 1)
	}
	return bags, nil
}

// onPlatform runs the bags of a log on a platform.
func (r *Run) onPlatform(o *Outcome, log []sim.Logged, at func(done, total int)) error {
	bags, err := r.bags(log)
	if err != nil {
		return err
	}
	x := r.clusters.Experiment
	x.Policy, x.Progress, x.Predictor = r.Policy.Name, at, r.Policy.Tuning.Options.Predictor
	began := time.Now()
	result, err := x.Run(bags)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	o.Jobs = result.Jobs()
	measures := result.Measures()
	o.Clusters = newPlatformSummary(&x, &measures)
	o.Clusters.Selection = r.clusters.selection
	o.Clusters.Load = format.Finite(grid.Load(result.Bags, x.Platform))
	done := make([]bool, len(result.Bags))
	for _, d := range result.Done() {
		done[d.Bag] = true
	}
	if n := wide(log); n > 0 {
		o.Notes = append(o.Notes, format.Plural(n, "job")+" on several processors: taken as a task on one")
	}
	o.Campaigns = report.Campaigns(slices.DeleteFunc(slices.Clone(o.Jobs), func(j report.Job) bool { return !done[j.Campaign] }))
	o.Run = report.SummariseRun(o.Jobs, o.Campaigns, r.Procs, took)
	o.Run.Utilisation = measures.Utilisation
	o.Accepted = report.Satisfy(o.Jobs, r.Procs, r.accept)
	if took > 0 {
		o.Run.JobsPerSecond = float64(measures.Tasks) / took
	}
	return nil
}
