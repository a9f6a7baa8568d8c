// Package simulation replays workload logs under policies: simulate, platform, and what fills
// their options. The words for policies and their settings, [Variant], are those of every command.
package simulation

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/arguments"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// LogOptions choose the jobs of a workload log, and say what a campaign is.
type LogOptions struct {
	Procs      int
	Lenient    bool
	Start, End string
	User       string
	Dumps      // in place of a log
	Load       float64
	Rule       string // "" is what the log asks for
	Threshold  time.Duration

	// Given reports whether an option was given; nil if none was.
	Given func(option string) bool

	platform *clusters    // that the jobs run on; nil for one machine with Procs
	floor    *nodes.Floor // on which the jobs are placed; nil for identical processors
}

// WasGiven reports whether an option was given.
func (o *LogOptions) WasGiven(option string) bool { return o.Given != nil && o.Given(option) }

// LogsFlags returns the options that name logs, or dumps that make one. They fill o, but for
// swf and sacct.
func (o *LogOptions) LogsFlags() []cli.Flag {
	return append([]cli.Flag{&cli.StringSliceFlag{Name: "swf", Usage: "`FILE` with the log, once for each log; this or sacct must be given"}}, o.DumpFlags()...)
}

// Flags returns the options that choose jobs of a log except by their users. They
// fill o.
func (o *LogOptions) Flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what the header of the log says", Destination: &o.Procs},
	}, o.choiceFlags()...)
}

// choiceFlags returns [LogOptions.Flags] but for the size of the machine.
func (o *LogOptions) choiceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines that are malformed, and count them", Destination: &o.Lenient},
		&cli.StringFlag{Name: "starttime", Usage: "leave out what was submitted before `TIME`: seconds since the start of the log, or YYYY-MM-DD[THH:MM:SS] in UTC", DefaultText: "the start", Destination: &o.Start},
		&cli.StringFlag{Name: "endtime", Usage: "leave out what was submitted at `TIME` or later", DefaultText: "the end", Destination: &o.End},
		&cli.Float64Flag{Name: "load", Usage: "divide the times between submissions by `FACTOR`", Value: 1, Destination: &o.Load},
	}
}

// UserFlag returns the option that chooses jobs by their users.
func (o *LogOptions) UserFlag() cli.Flag {
	return &cli.StringFlag{Name: "user", Aliases: []string{"u"}, Usage: "only jobs of these `USERS`, comma-separated", DefaultText: "all", Destination: &o.User}
}

// CampaignFlags returns the options that say what a campaign of a replayed log is. They
// fill o.
func (o *LogOptions) CampaignFlags() []cli.Flag {
	return o.RuleFlags(RuleNames, "what a campaign is", "max, or fields where the log names preceding jobs and no waits")
}

// RuleFlags returns the options that say what a campaign is, by one of these
// rules, with a usage and a default text of the rule. They fill o.
func (o *LogOptions) RuleFlags(names []string, usage, text string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rule", Usage: usage + ": `RULE` is " + console.List(names), DefaultText: text, Destination: &o.Rule},
		configuration.NewSpanFlag(&o.Threshold, 30*time.Minute, "threshold", "`TIME` of the rules arrival and window", ""),
	}
}

// Options say which jobs of a log are replayed, and how, in the words of a command
// line.
type Options struct {
	LogOptions
	Policy, Backfill string
	Replay, Offsets  string
	Nodes            string
	Dependencies     bool
	EventOrder       string
	Estimate         string
	Kill             bool
	Cut              time.Duration
	Satisfaction     string
	settings
}

// Flags returns the options of a replay except [LogOptions.CampaignFlags]. They fill
// o.
func (o *Options) Flags() []cli.Flag {
	return slices.Concat(o.LogOptions.Flags(), []cli.Flag{
		&cli.StringFlag{Name: "nodes", Usage: inventory.NodesUsage, DefaultText: "identical processors", Destination: &o.Nodes},
		o.UserFlag(), policyFlag("ostrich", &o.Policy),
		o.backfillFlag("none"), LoopFlag("replay", &o.Replay),
		&cli.StringFlag{Name: "offsets", Usage: "jobs of a campaign: `WHEN` is keep (at their logged distance from its first) or drop (all at once)", Value: "keep", Destination: &o.Offsets},
		&cli.BoolFlag{Name: "dependencies", Usage: "a job waits for the jobs of its campaign that had ended in the log before it was submitted", Destination: &o.Dependencies},
		&cli.StringFlag{Name: "event-order", Usage: "of an instant: `ORDER` is batched (ends, submissions, one pass) or per-event", Value: "batched", Destination: &o.EventOrder},
		&cli.StringFlag{Name: "estimate", Usage: "how long a job is expected to run: `ESTIMATE` is limit (requested time, or run time if longer), exact (run time) or asked (requested time, even if shorter)", Value: "limit", Destination: &o.Estimate},
		&cli.BoolFlag{Name: "kill", Usage: "end a job at its requested time (implies --estimate asked)", Destination: &o.Kill},
		configuration.NewSpanFlag(&o.Cut, 0, "cut", "cut out downtimes of this `TIME` or longer, in which nothing ran or came", "none"),
		SatisfactionFlag(", by which lateness is measured, and for which policy horizon plans", &o.Satisfaction),
	})
}

func policyFlag(value string, policy *string) cli.Flag {
	return &cli.StringFlag{Name: "policy", Usage: "the `POLICY`, or several, comma-separated", Value: value, Destination: policy}
}

// SiteFlags returns the options of a replay that the jobs of a site have too. They
// fill o.
func (o *Options) SiteFlags() []cli.Flag {
	return []cli.Flag{PoliciesFlag(&o.Policy), o.backfillFlag("slurm"), LoopFlag("replay", &o.Replay)}
}

func (o *Options) backfillFlag(value string) cli.Flag {
	return &cli.StringFlag{Name: "backfill", Usage: "who may pass the first job in the order: `KIND` is " + console.List(sim.BackfillNames), Value: value, Destination: &o.Backfill}
}

// PoliciesFlag returns the option that names policies to be compared.
func PoliciesFlag(policies *string) cli.Flag {
	return &cli.StringFlag{Name: "policy", Usage: "the `POLICIES`, comma-separated; the others are compared with the first", Value: "fairshare,ostrich", Destination: policies}
}

// FloorFlag returns the option that says how long a campaign counts as, at least.
func FloorFlag(floor *time.Duration) cli.Flag {
	return configuration.NewSpanFlag(floor, 10*time.Second, "floor", "campaigns shorter than `TIME` count as that long in the stretch; 0s is the papers' stretch", "")
}

// SatisfactionFlag returns the option that says how long users accept to wait. use says
// for what that counts, after a comma; it may be "".
func SatisfactionFlag(use string, accepted *string) cli.Flag {
	return &cli.StringFlag{Name: "satisfaction", Usage: "the wait that users accept" + use + ": `WAIT` is " + satisfaction.Usage, Value: satisfaction.Median.Name, Destination: accepted}
}

// LoopFlag returns the option, of some name, that says how users react.
func LoopFlag(name string, loop *string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: "`LOOP` is open (submitted as logged) or closed (after the user's last campaign)", Value: "open", Destination: loop}
}

// Defaults returns options with their defaults.
func Defaults() *Options {
	o := &Options{}
	o.begin("simulate", slices.Concat(o.Flags(), o.CampaignFlags()))
	o.Given = o.has
	return o
}

// settings are options that are set one by one, by their names.
type settings struct {
	Names []string // that can be set
	set   *flag.FlagSet
	err   error // why none can
	// wanted says, by the name of an option, what its value must be.
	wanted map[string]string
}

func (s *settings) begin(command string, flags []cli.Flag) {
	s.set, s.wanted = flag.NewFlagSet(command, flag.ContinueOnError), map[string]string{}
	for _, f := range flags {
		s.err = errors.Join(s.err, f.Apply(s.set))
		s.Names = append(s.Names, f.Names()[0])
		s.wanted[f.Names()[0]] = arguments.Wanted(f)
	}
}

// Set sets an option by its name.
func (s *settings) Set(name, value string) error {
	err := cmp.Or(s.err, s.set.Set(name, arguments.Decimal(value, s.wanted[name])))
	switch {
	case err == nil:
		return nil
	case s.err == nil && s.wanted[name] != "" && err.Error() == "parse error":
		return fmt.Errorf("--%s %q: not %s", name, value, s.wanted[name])
	}
	return fmt.Errorf("--%s %q: %w", name, value, err)
}

// Text returns the value of an option as text, the same for all spellings of it.
func (s *settings) Text(name string) string {
	return fmt.Sprint(s.set.Lookup(name).Value.(flag.Getter).Get())
}

func (s *settings) has(name string) bool {
	found := false
	s.set.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// faults collects what is wrong with options.
type faults []error

// note adds what is wrong with an option, if err is not nil.
func (f *faults) note(option string, err error) {
	if err != nil {
		*f = append(*f, fmt.Errorf("--%s %w", option, err))
	}
}

// named returns the constant of the name that an option has.
func named[T ~uint8](f *faults, option string, names []string, name string) T {
	t, err := console.Named[T](names, name)
	f.note(option, err)
	return t
}

// Loop returns the part of a run that logs and sites have in common.
func (o *Options) Loop() (Run, error) {
	r := Run{Machine: sim.Machine{Kill: o.Kill}}
	var bad faults
	r.Backfill = named[sim.Backfill](&bad, "backfill", sim.BackfillNames, o.Backfill)
	r.Closed = named[uint8](&bad, "replay", []string{"closed", "open"}, o.Replay) == 0
	return r, errors.Join(bad...)
}

// Run returns the part of a run that is the same for all logs and policies.
func (o *Options) Run() (Run, error) {
	r, err := o.Loop()
	r.Dependencies = o.Dependencies
	bad := faults{err}
	r.EventOrder = named[sim.EventOrder](&bad, "event-order", sim.EventOrderNames, o.EventOrder)
	r.Offsets = named[uint8](&bad, "offsets", []string{"keep", "drop"}, o.Offsets) == 0
	var misnamed, unacceptable error
	if r.Cluster, o.floor, misnamed = inventory.Named(o.Nodes); misnamed != nil {
		bad = append(bad, misnamed)
	}
	if r.Cluster != nil && o.WasGiven("procs") {
		bad = append(bad, errors.New("--nodes says how many processors the machine has: without --procs"))
	}
	r.accept, unacceptable = satisfaction.Parse(o.Satisfaction)
	if r.cut = ostrich.Duration(o.Cut / time.Second); r.cut < 0 || o.WasGiven("cut") && r.cut < 1 {
		bad.note("cut", fmt.Errorf("%v: at least 1 s", o.Cut))
	}
	bad.note("satisfaction", unacceptable)
	return r, errors.Join(bad...)
}

// Estimates returns how long jobs are expected to run.
func (o *Options) Estimates() (swf.Estimates, error) {
	e, err := console.Named[swf.Estimates](swf.EstimateNames, o.Estimate)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--estimate %w", err)
	case !o.Kill:
		return e, nil
	case o.WasGiven("estimate") && e != swf.Asked:
		return 0, fmt.Errorf("--kill ends jobs at their requested time, which --estimate %s hides", o.Estimate)
	}
	return swf.Asked, nil
}

// CheckAlone checks the value of one option, as far as that can be done without
// a log, and returns it in its one spelling. For --nodes that is what they are, so that a
// changed file is other nodes.
func (o *Options) CheckAlone(name string) (text string, err error) {
	text = o.Text(name)
	switch name {
	case "policy":
		v, bad := ParseVariant(o.Policy, Log)
		if bad != nil {
			return "", bad
		}
		return v.Canonical, nil
	case "estimate":
		_, err = o.Estimates()
	case "satisfaction":
		if _, err = o.Run(); err == nil {
			text = spelling(text)
		}
	case "nodes":
		var r Run
		if r, err = o.Run(); r.Cluster != nil {
			text = runs.Key(fmt.Sprintf("%+v", *r.Cluster))
		}
	default:
		if _, err = o.Run(); err == nil {
			err = o.checkAlone(name, text)
		}
	}
	return text, err
}

// spelling returns the wait that users accept in its one spelling.
func spelling(accepted string) string {
	a, err := satisfaction.Parse(accepted)
	if err != nil {
		return accepted
	}
	return a.String()
}

// checkAlone checks the value of an option that chooses jobs, or says what a campaign
// is.
func (o *LogOptions) checkAlone(name, text string) (err error) {
	switch name {
	case "rule":
		if _, err = console.Named[campaign.By](RuleNames, o.Rule); err != nil {
			err = fmt.Errorf("--rule %w", err)
		}
	case "procs":
		_, err = o.Processors(&trace.Log{})
	case "load":
		_, err = o.factor()
	case "user":
		_, err = o.users(nil)
	case "starttime", "endtime":
		// The log that this time is one of is yet to be read.
		_, err = o.Moment(name, text, &trace.Log{Header: []string{"UnixStartTime: 1"}})
	}
	return err
}

// Label gives a summary the label of the policy, which must be one.
func (o *Options) Label(s *Summary) error {
	v, err := ParseVariant(o.Policy, Log)
	if err == nil {
		s.Policy = v.Label
	}
	return err
}

// CheckTogether returns an error for options that do not go together in a replay
// under the policy, which must be one, of a log, or of a generated workload. Whether the
// fields of a log name its campaigns is seen when it is read.
func (o *Options) CheckTogether(generated bool) error {
	r, err := o.Run()
	if err != nil {
		return err
	}
	if _, err = o.Estimates(); err != nil {
		return err
	}
	if r.rule, err = o.rule(RuleNames, &trace.Log{}); err != nil {
		return err
	}
	if generated && o.Rule == "" {
		r.rule.Fields = true // which generated logs have
	}
	if r.Policy, err = ParseVariant(o.Policy, Log); err != nil {
		return err
	}
	return r.Check()
}

// MeansNothing returns why an option has no effect under the rule of these options, or
// "".
func (o *LogOptions) MeansNothing(option string) string {
	switch rule := o.Rule; {
	case option != "threshold" || rule == "arrival" || rule == "window":
		return ""
	case rule == "":
		return "--threshold goes with --rule arrival or window"
	default:
		return "--threshold goes with --rule arrival or window, not " + rule
	}
}
