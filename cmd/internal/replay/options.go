package replay

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// LogOptions choose the jobs of a workload log, and say what a campaign is.
type LogOptions struct {
	Procs      int
	Lenient    bool
	Start, End string
	User       string
	Load       float64
	Rule       string // "" is what the log asks for
	Threshold  time.Duration

	// Given reports whether an option was given; nil if none was.
	Given func(option string) bool

	platform *clusters // that the jobs run on; nil for one machine
}

func (o *LogOptions) given(option string) bool { return o.Given != nil && o.Given(option) }

// LogsFlag returns the option that names logs.
func LogsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "swf", Usage: "`FILE` with the log, once for each log; must be given"}
}

// Flags returns the options that choose jobs of a log except by their users. They
// fill o.
func (o *LogOptions) Flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what the header of the log says", Destination: &o.Procs},
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines that are malformed, and count them", Destination: &o.Lenient},
		&cli.StringFlag{Name: "starttime", Usage: "leave out what was submitted before `TIME`: seconds since the start of the log, or YYYY-MM-DD[THH:MM:SS] in UTC", DefaultText: "the start", Destination: &o.Start},
		&cli.StringFlag{Name: "endtime", Usage: "leave out what was submitted at `TIME` or later", DefaultText: "the end", Destination: &o.End},
		&cli.Float64Flag{Name: "load", Usage: "divide the times between submissions by `FACTOR`", Value: 1, Destination: &o.Load},
	}
}

// RuleFlags returns the options that say what a campaign is, by one of these
// rules, with a usage and a default text of the rule. They fill o.
func (o *LogOptions) RuleFlags(names []string, usage, text string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rule", Usage: usage + ": `RULE` is " + console.List(names), DefaultText: text, Destination: &o.Rule},
		&cli.DurationFlag{Name: "threshold", Usage: "`TIME` of the rules arrival and window", Value: 30 * time.Minute, Destination: &o.Threshold},
	}
}

// Options say which jobs of a log are replayed, and how, in the words of a command
// line.
type Options struct {
	LogOptions
	PlatformOptions
	Policy, Backfill string
	Replay, Offsets  string
	Dependencies     bool
	EventOrder       string
	Estimate         string
	Kill             bool
	Inside, Gate     string // "" is the policy's
	Predictor        string
	Period           time.Duration
	Rho, Placement   string
	Cut              time.Duration
	Satisfaction     string
	horizons         horizonOptions
	settings
}

// Flags returns the options of a replay except [Options.CampaignFlags]. They fill
// o.
func (o *Options) Flags() []cli.Flag {
	inside, gate, predictor := o.orderFlags()
	predictor.Value = "limit"
	return slices.Concat(o.LogOptions.Flags(), []cli.Flag{
		&cli.StringFlag{Name: "user", Aliases: []string{"u"}, Usage: "only jobs of these `USERS`, comma-separated", DefaultText: "all", Destination: &o.User},
		&cli.StringFlag{Name: "policy", Usage: "the `POLICY`, or several, comma-separated", Value: "ostrich", DefaultText: `"ostrich", or FPLT on a platform`, Destination: &o.Policy},
		o.backfillFlag("none"), LoopFlag("replay", &o.Replay),
		&cli.StringFlag{Name: "offsets", Usage: "jobs of a campaign: `WHEN` is keep (at their logged distance from its first) or drop (all at once)", Value: "keep", Destination: &o.Offsets},
		&cli.BoolFlag{Name: "dependencies", Usage: "a job waits for the jobs of its campaign that had ended in the log before it was submitted", Destination: &o.Dependencies},
		&cli.StringFlag{Name: "event-order", Usage: "of an instant: `ORDER` is batched (ends, submissions, one pass) or per-event", Value: "batched", Destination: &o.EventOrder},
		&cli.StringFlag{Name: "estimate", Usage: "how long a job is expected to run: `ESTIMATE` is limit (requested time, or run time if longer), exact (run time) or asked (requested time, even if shorter)", Value: "limit", Destination: &o.Estimate},
		&cli.BoolFlag{Name: "kill", Usage: "end a job at its requested time (implies --estimate asked)", Destination: &o.Kill},
		inside, gate, predictor,
		&cli.DurationFlag{Name: "period", Usage: "`TIME` between two calculations of fairshare's factors", Value: 5 * time.Minute, Destination: &o.Period},
		&cli.StringFlag{Name: "rho", Usage: "how faircamp, multicamp and multicmax place the jobs of a campaign: `RHO` is lpt, mlpt or list", Value: "lpt", Destination: &o.Rho},
		&cli.StringFlag{Name: "placement", Usage: "where faircamp begins a campaign: `PLACE` is block (all processors free) or packed (one is)", Value: "block", Destination: &o.Placement},
		&cli.DurationFlag{Name: "cut", Usage: "cut out downtimes of this `TIME` or longer, in which nothing ran or came", DefaultText: "none", Destination: &o.Cut},
		SatisfactionFlag(", by which lateness is measured, and for which policy horizon plans", &o.Satisfaction),
	}, o.horizons.flags(), o.flags())
}

// SiteFlags returns the options of a replay that the jobs of a site have too. They
// fill o.
func (o *Options) SiteFlags() []cli.Flag {
	inside, gate, predictor := o.orderFlags()
	inside.DefaultText, gate.DefaultText, predictor.DefaultText = "schedule.inside, or the policy's own", "schedule.gate", "schedule.predictor"
	return []cli.Flag{
		PoliciesFlag(&o.Policy), o.backfillFlag("slurm"), LoopFlag("replay", &o.Replay), inside, gate, predictor,
		&cli.BoolFlag{Name: "kill", Usage: "simulated jobs end at their time limits", Destination: &o.Kill},
	}
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
	return &cli.DurationFlag{Name: "floor", Usage: "campaigns shorter than `TIME` count as that long in the stretch; 0s is the papers' stretch", Value: 10 * time.Second, Destination: floor}
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

// orderFlags returns the options of a policy's order. Their default texts say what
// holds without them.
func (o *Options) orderFlags() (inside, gate, predictor *cli.StringFlag) {
	inside = &cli.StringFlag{Name: "inside", Usage: "what goes first in a campaign: `ORDER` is " + console.List(ostrich.InsideNames), DefaultText: "the policy's", Destination: &o.Inside}
	gate = &cli.StringFlag{Name: "gate", Usage: "of campaigns that have not started virtually: `GATE` is " + console.List(ostrich.GateNames), DefaultText: "the policy's", Destination: &o.Gate}
	predictor = &cli.StringFlag{Name: "predictor", Usage: "how long the virtual schedule expects a job to run: `PREDICTOR` is " + console.List(ostrich.PredictorNames), Destination: &o.Predictor}
	return inside, gate, predictor
}

// CampaignFlags returns the options that say what a campaign is. They fill o.
func (o *Options) CampaignFlags() []cli.Flag {
	return o.RuleFlags(RuleNames, "what a campaign is", "max, or fields where the log names preceding jobs and no waits")
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
}

func (s *settings) begin(command string, flags []cli.Flag) {
	s.set = flag.NewFlagSet(command, flag.ContinueOnError)
	for _, f := range flags {
		s.err = errors.Join(s.err, f.Apply(s.set))
		s.Names = append(s.Names, f.Names()[0])
	}
}

// Set sets an option by its name.
func (s *settings) Set(name, value string) error {
	if err := cmp.Or(s.err, s.set.Set(name, value)); err != nil {
		return fmt.Errorf("--%s %q: %w", name, value, err)
	}
	return nil
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

// OnePolicy returns the policy that the options name. Several names are an error.
func (o *Options) OnePolicy() (*Policy, error) { return PolicyNamed(o.Policy, o.with()) }

// Policies returns the policies that the options name, to be replayed with
// something.
func (o *Options) Policies(with Need) ([]*Policy, error) {
	var list []*Policy
	names := o.Policy
	if with == Clusters && !o.given("policy") {
		names = defaultClusterPolicy
	}
	for name := range strings.SplitSeq(names, ",") {
		p, err := PolicyNamed(strings.TrimSpace(name), with)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if with == Clusters {
		return list, nil
	}
	return list, o.heeded(list)
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

// choice returns the value of an option; nil if it is empty.
func choice[T ~uint8](f *faults, option string, names []string, value string) *T {
	if value == "" {
		return nil
	}
	t := named[T](f, option, names, value)
	return &t
}

// order returns the part of a run that logs and sites have in common.
func (o *Options) order() (Run, error) {
	r := Run{Machine: sim.Machine{Kill: o.Kill}}
	var bad faults
	r.Backfill = named[sim.Backfill](&bad, "backfill", sim.BackfillNames, o.Backfill)
	r.closed = named[uint8](&bad, "replay", []string{"closed", "open"}, o.Replay) == 0
	r.inside = choice[ostrich.Inside](&bad, "inside", ostrich.InsideNames, o.Inside)
	r.gate = choice[ostrich.Gate](&bad, "gate", ostrich.GateNames, o.Gate)
	r.predictor = choice[ostrich.Predictor](&bad, "predictor", ostrich.PredictorNames, o.Predictor)
	return r, errors.Join(bad...)
}

// Run returns the part of a run that is the same for all logs and policies.
func (o *Options) Run() (Run, error) {
	r, err := o.order()
	r.Dependencies = o.Dependencies
	bad := faults{err}
	r.EventOrder = named[sim.EventOrder](&bad, "event-order", sim.EventOrderNames, o.EventOrder)
	r.Offsets = named[uint8](&bad, "offsets", []string{"keep", "drop"}, o.Offsets) == 0
	r.placing.Rho = rhos[named[uint8](&bad, "rho", rhoNames, o.Rho)]
	r.placing.Place = named[policy.Placement](&bad, "placement", policy.PlacementNames, o.Placement)
	if r.period = ostrich.Duration(o.Period / time.Second); r.period < 1 {
		bad.note("period", fmt.Errorf("%v: at least 1 s", o.Period))
	}
	var unacceptable error
	if r.accept, unacceptable = satisfaction.Parse(o.Satisfaction); unacceptable == nil {
		r.horizon, err = o.horizons.horizon(r.accept, o.given)
		bad = append(bad, err)
	}
	if r.cut = ostrich.Duration(o.Cut / time.Second); r.cut < 0 || o.given("cut") && r.cut < 1 {
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
	case o.given("estimate") && e != swf.Asked:
		return 0, fmt.Errorf("--kill ends jobs at their requested time, which --estimate %s hides", o.Estimate)
	}
	return swf.Asked, nil
}

// CheckAlone checks the value of one option, as far as that can be done without
// a log, and returns it in its one spelling.
func (o *Options) CheckAlone(name string) (text string, err error) {
	text = o.Text(name)
	switch name {
	case "policy":
		p, bad := PolicyNamed(o.Policy, Log)
		if bad != nil { // a platform has others
			if c := clusterPolicy(o.Policy); c != nil {
				return c.Name, nil
			}
			return "", bad
		}
		return p.Name, nil
	case "rule":
		if _, err = console.Named[ostrich.By](RuleNames, o.Rule); err != nil {
			err = fmt.Errorf("--rule %w", err)
		}
	case "procs":
		_, err = o.Processors(&trace.Log{})
	case "load":
		_, err = o.factor()
	case "user":
		_, err = o.users()
	case "starttime", "endtime":
		// The log that this time is one of is yet to be read.
		_, err = o.Moment(name, text, &trace.Log{Header: []string{"UnixStartTime: 1"}})
	case "estimate":
		_, err = o.Estimates()
	case "platform", "architecture", "selection", "homes", "monitor", "redraw", "scope", "target-load", "inaccuracy", "inaccuracy-seed", "until":
		return o.checkPlatform(name)
	case "satisfaction":
		var a satisfaction.Acceptance
		if a, err = satisfaction.Parse(text); err == nil {
			text = a.String()
		}
	default:
		_, err = o.Run()
	}
	return text, err
}

// CheckTogether returns an error for options that do not go together in a replay
// under a policy of a log, or of a generated workload. Whether the fields of a log
// name its campaigns is seen when it is read.
func (o *Options) CheckTogether(p *Policy, generated bool) error {
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
	r.Policy = p
	if r.clusters, err = o.one(); err != nil {
		return err
	}
	return r.Check()
}

// MeansNothing returns why an option has no effect under the policy and the rule of
// these options, or "".
func (o *Options) MeansNothing(option string, p *Policy) string {
	c, _ := o.one() // CheckTogether refuses what is wrong with a platform
	if why := c.idle(option, p); why != "" {
		return why
	}
	switch rule := o.Rule; {
	case option != "threshold" || rule == "arrival" || rule == "window":
		return ""
	case rule == "":
		return "--threshold goes with --rule arrival or window"
	default:
		return "--threshold goes with --rule arrival or window, not " + rule
	}
}

// horizonOptions are the options of policy horizon, in the words of a command line.
type horizonOptions struct {
	length, budget time.Duration
	nodes          int64
	objective      string
}

// planned are the objectives for which a queue can be planned: a plan knows no
// campaigns.
var planned = optimal.ObjectiveNames[:optimal.Cmax+1]

// flags returns the options. They fill h.
func (h *horizonOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{Name: "horizon", Usage: "`TIME` that a planning horizon lasts; 0s: until all that was planned in it has ended", Value: time.Hour, Destination: &h.length},
		&cli.DurationFlag{Name: "horizon-budget", Usage: "`TIME` that planning a horizon may take; with 0s it goes as under fcfs with EASY backfilling", Value: 100 * time.Millisecond, Destination: &h.budget},
		&cli.Int64Flag{Name: "horizon-nodes", Usage: "`NUMBER` of schedules to look at in planning a horizon, which gives the same result on every machine", DefaultText: "no limit", Destination: &h.nodes},
		&cli.StringFlag{Name: "objective", Usage: "what planning makes small: `OBJECTIVE` is " + console.List(planned), Value: planned[0], Destination: &h.objective},
	}
}

// horizon returns what the options say, for the waits that users accept.
func (h *horizonOptions) horizon(accept satisfaction.Acceptance, given func(option string) bool) (sim.Horizon, error) {
	plan := optimal.Planner{Solver: optimal.Own{}, Accept: accept}
	var bad faults
	plan.Objective = named[optimal.Objective](&bad, "objective", planned, h.objective)
	length := ostrich.Duration(h.length / time.Second)
	if length < 0 || h.length%time.Second != 0 {
		bad.note("horizon", fmt.Errorf("%v: whole seconds", h.length))
	}
	if h.budget < 0 {
		bad.note("horizon-budget", fmt.Errorf("%v: below 0", h.budget))
	}
	if h.nodes < 0 {
		bad.note("horizon-nodes", fmt.Errorf("%d: below 0", h.nodes))
	}
	switch nodes, limit := h.nodes, h.budget; {
	case given("horizon-nodes"):
		if given("horizon-budget") {
			bad = append(bad, errors.New("--horizon-nodes and --horizon-budget limit the same: give one of them"))
		}
		plan.Budget = func() optimal.Budget { return optimal.Budget{Nodes: nodes} }
	case limit > 0:
		plan.Budget = func() optimal.Budget {
			end := time.Now().Add(limit)
			return optimal.Budget{Nodes: optimal.Unlimited, Stop: func() bool { return time.Now().After(end) }}
		}
	}
	return sim.Horizon{Length: length, Plan: plan.Plan}, errors.Join(bad...)
}
