package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

func simulateCommand() *cli.Command {
	return plainCommand(cli.Command{
		Name:  "simulate",
		Usage: "replay a workload log under a scheduling policy, and measure what comes of it",
		Description: "The log is in the Standard Workload Format, compressed with gzip or not; - is standard input. Several\n" +
			"logs and several policies (comma-separated) run at once on all cores, each as if alone.\n\n" +
			"Policies:\n" + policyHelp() + "\n" +
			"A campaign is what --rule finds in the logged times. With --replay closed a user's next campaign comes when the\n" +
			"last one has really ended and the logged think time has passed. The columns are those of\n" +
			"docs/simulation.md, as are the fields of --json. Nothing of Slurm is needed or touched.\n\n" +
			"Exit code: 0 done, 1 an error, 130 interrupted. A file is written whole, once the replay is done, or not at all.",
	}, simulateFlags(), simulate)
}

// simulateFlags are the options of simulate.
func simulateFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringSliceFlag{Name: "swf", Usage: "`FILE` with the log, once for each log; must be given"},
	}, logFlags(), []cli.Flag{
		&cli.StringFlag{Name: "user", Aliases: []string{"u"}, Usage: "only jobs of these `USERS`, comma-separated", DefaultText: "all"},
		&cli.StringFlag{Name: "policy", Usage: "the `POLICY`, or several, comma-separated", Value: "ostrich"},
		&cli.StringFlag{Name: "backfill", Usage: "who may pass the first job in the order: `KIND` is " + console.List(sim.BackfillNames), Value: "none"},
		&cli.StringFlag{Name: "replay", Usage: "`LOOP` is open (submitted as logged) or closed (after the user's last campaign)", Value: "open"},
		&cli.StringFlag{Name: "offsets", Usage: "jobs of a campaign: `WHEN` is keep (at their logged distance from its first) or drop (all at once)", Value: "keep"},
		&cli.BoolFlag{Name: "dependencies", Usage: "a job waits for the jobs of its campaign that had ended in the log before it was submitted"},
		&cli.StringFlag{Name: "event-order", Usage: "of an instant: `ORDER` is batched (ends, submissions, one pass) or per-event", Value: "batched"},
		&cli.StringFlag{Name: "estimate", Usage: "how long a job is expected to run: `ESTIMATE` is limit (requested time, or run time if longer), exact (run time) or asked (requested time, even if shorter)", Value: "limit"},
		&cli.BoolFlag{Name: "kill", Usage: "end a job at its requested time (implies --estimate asked)"},
		&cli.StringFlag{Name: "inside", Usage: "what goes first in a campaign: `ORDER` is " + console.List(ostrich.InsideNames), DefaultText: "the policy's"},
		&cli.StringFlag{Name: "gate", Usage: "of campaigns that have not started virtually: `GATE` is " + console.List(ostrich.GateNames), DefaultText: "the policy's"},
		&cli.DurationFlag{Name: "period", Usage: "`TIME` between two calculations of fairshare's factors", Value: 5 * time.Minute},
		&cli.StringFlag{Name: "rho", Usage: "how faircamp, multicamp and multicmax place the jobs of a campaign: `RHO` is lpt, mlpt or list", Value: "lpt"},
		&cli.StringFlag{Name: "placement", Usage: "where faircamp begins a campaign: `PLACE` is block (all processors free) or packed (one is)", Value: "block"},
		&cli.DurationFlag{Name: "cut", Usage: "cut out downtimes of this `TIME` or longer, in which nothing ran or came", DefaultText: "none"},
		&cli.BoolFlag{Name: "summary", Usage: "write the summary only, no users"},
		&cli.StringFlag{Name: "jobs-csv", Usage: "write a row a job to `FILE`, in Batsim's columns"},
		&cli.StringFlag{Name: "campaigns-csv", Usage: "write a row a campaign to `FILE`"},
		&cli.StringFlag{Name: "utilisation-csv", Usage: "write the utilisation over time to `FILE`"},
		&cli.DurationFlag{Name: "step", Usage: "`TIME` between two rows of --utilisation-csv", Value: time.Hour},
		&cli.IntFlag{Name: "workers", Usage: "`NUMBER` of replays at a time", DefaultText: "one a core"},
	}, ruleFlags(ruleNames, "what a campaign is", "max, or fields where the log names preceding jobs and no waits"), console.Formats())
}

func policyHelp() string {
	var b strings.Builder
	for _, p := range replayPolicies {
		fmt.Fprintf(&b, "  %-16s  %s\n", p.name, p.usage)
	}
	return b.String()
}

// plainCommand builds a sub-command that reads no configuration.
func plainCommand(c cli.Command, flags []cli.Flag, do func(*cli.Context) error) *cli.Command {
	c.Flags = flags
	c.UseShortOptionHandling = true
	c.HideHelpCommand = true
	c.OnUsageError = usageError("ostrich "+c.Name, "")
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return fmt.Errorf("%s: unexpected argument %q; see \"ostrich %[1]s --help\"", c.Name, ctx.Args().First())
		}
		return do(ctx)
	}
	return &c
}

// simulation is a replay of a log, and what came of it.
type simulation struct {
	workload *workload
	replay   replay
	outcome  *outcome
	err      error
}

func simulate(c *cli.Context) error {
	if os.Getenv("GOGC") == "" {
		// It does not live long, and keeps most of what it allocates.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	settings, err := replaySettings(c)
	if err != nil {
		return err
	}
	if err = console.Writable(c, csvOptions...); err != nil {
		return err
	}
	list, err := simulations(c, settings)
	if err != nil {
		return err
	}
	if err := csvAllowed(c, len(list)); err != nil {
		return err
	}
	if err := runAll(c, list); err != nil {
		return err
	}
	if err := writeCSVs(c, list[0]); err != nil {
		return err
	}
	return writeSimulations(c, list)
}

// simulations are the replays that the command asks for, a log and a policy each.
func simulations(c *cli.Context, settings replay) ([]*simulation, error) {
	var policies []*replayPolicy
	for name := range strings.SplitSeq(c.String("policy"), ",") {
		p, err := policyNamed(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	if err := policyOptions(c, policies); err != nil {
		return nil, err
	}
	estimates, err := estimateKind(c)
	if err != nil {
		return nil, err
	}
	if len(c.StringSlice("swf")) == 0 {
		return nil, errors.New("simulate: --swf FILE: no log is named; see \"ostrich simulate --help\"")
	}
	var all []*simulation
	for _, path := range c.StringSlice("swf") {
		w, err := readWorkload(c, path, ruleNames, estimates)
		if err != nil {
			return nil, err
		}
		w.tell(c)
		for _, p := range policies {
			s, err := newSimulation(w, p, settings)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// newSimulation is the replay of a workload under a policy, if that makes sense.
func newSimulation(w *workload, p *replayPolicy, settings replay) (*simulation, error) {
	s := &simulation{workload: w, replay: settings}
	s.replay.policy, s.replay.procs, s.replay.rule = p, w.procs, w.rule
	return s, s.replay.check()
}

// replaySettings are the options that are the same for all logs and policies.
func replaySettings(c *cli.Context) (replay, error) {
	r := replay{dependencies: c.Bool("dependencies"), kill: c.Bool("kill")}
	var errs []error
	note := func(option string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s %w", option, err))
		}
	}
	choose := func(option, first, second string) bool {
		i, err := console.Named[uint8]([]string{first, second}, c.String(option))
		note(option, err)
		return i == 0
	}
	var err error
	r.backfill, err = console.Named[sim.Backfill](sim.BackfillNames, c.String("backfill"))
	note("backfill", err)
	r.events, err = console.Named[sim.EventOrder](sim.EventOrderNames, c.String("event-order"))
	note("event-order", err)
	r.closed = choose("replay", "closed", "open")
	r.offsets = choose("offsets", "keep", "drop")
	if name := c.String("inside"); name != "" {
		var inside ostrich.Inside
		inside, err = console.Named[ostrich.Inside](ostrich.InsideNames, name)
		note("inside", err)
		r.inside = &inside
	}
	if name := c.String("gate"); name != "" {
		var gate ostrich.Gate
		gate, err = console.Named[ostrich.Gate](ostrich.GateNames, name)
		note("gate", err)
		r.gate = &gate
	}
	names := make([]string, len(rhos))
	for i := range rhos {
		names[i] = rhos[i].name
	}
	rho, err := console.Named[uint8](names, c.String("rho"))
	note("rho", err)
	r.rho = rhos[rho].rho
	r.place, err = console.Named[policy.Placement](policy.PlacementNames, c.String("placement"))
	note("placement", err)
	if r.period = ostrich.Duration(c.Duration("period") / time.Second); r.period < 1 {
		note("period", fmt.Errorf("%v: at least 1 s", c.Duration("period")))
	}
	if r.cut = ostrich.Duration(c.Duration("cut") / time.Second); r.cut < 0 || c.IsSet("cut") && r.cut < 1 {
		note("cut", fmt.Errorf("%v: at least 1 s", c.Duration("cut")))
	}
	if c.Duration("step") < time.Second {
		note("step", fmt.Errorf("%v: at least 1 s", c.Duration("step")))
	}
	if c.IsSet("workers") && c.Int("workers") < 1 {
		note("workers", fmt.Errorf("%d: at least 1", c.Int("workers")))
	}
	return r, errors.Join(errs...)
}

func estimateKind(c *cli.Context) (sim.Estimates, error) {
	e, err := console.Named[sim.Estimates](sim.EstimateNames, c.String("estimate"))
	switch {
	case err != nil:
		return 0, fmt.Errorf("--estimate %w", err)
	case !c.Bool("kill"):
		return e, nil
	case c.IsSet("estimate") && e != sim.Asked:
		return 0, fmt.Errorf("--kill ends jobs at their requested time, which --estimate %s hides", c.String("estimate"))
	}
	return sim.Asked, nil
}

// runAll runs the simulations, several at a time.
func runAll(c *cli.Context, list []*simulation) error {
	jobs := make([]int, len(list))
	for i, s := range list {
		jobs[i] = len(s.workload.jobs)
	}
	short := c.Bool("summary")
	err := replayEach(c, jobs, func(i int, ended func(n int)) {
		s := list[i]
		o, err := s.replay.do(s.workload.jobs, func(n, _ int) { ended(n) })
		if err == nil && short && len(list) > 1 {
			o.jobs, o.campaigns = nil, nil // nobody looks at them
		}
		s.outcome, s.err = o, err
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.err != nil {
			return fmt.Errorf("%s: %s: %w", s.workload.name, s.replay.policy.name, s.err)
		}
	}
	for _, s := range list {
		for _, note := range s.outcome.notes {
			console.Say(c.App.ErrWriter, "%s: %s: %s", s.workload.name, s.replay.policy.name, note)
		}
	}
	return nil
}

// summaryJSON is what simulate --summary --json writes of a replay.
type summaryJSON struct {
	Log      string `json:"log"`
	Policy   string `json:"policy"`
	Backfill string `json:"backfill"`

	Procs        int    `json:"procs"`
	Replay       string `json:"replay"`
	Offsets      string `json:"offsets"`
	Dependencies bool   `json:"dependencies"`
	Rule         string `json:"rule"`
	report.Run
}

// simulationJSON is what simulate --json writes of a replay.
type simulationJSON struct {
	summaryJSON
	Flow      report.Spreads `json:"flow"`
	Stretches report.Spreads `json:"stretches"`
	Idle      report.Idle    `json:"idle_area"`
	Lateness  lateness       `json:"lateness"`
	ByUser    []report.User  `json:"by_user"`
}

func (s *simulation) summary() summaryJSON {
	r := &s.replay
	j := summaryJSON{
		Log: s.workload.name, Policy: r.policy.name, Backfill: sim.BackfillNames[r.backfill],
		Procs: r.procs, Replay: "open", Offsets: "drop", Dependencies: r.dependencies, Rule: r.rule.name(), Run: s.outcome.run,
	}
	if r.closed {
		j.Replay = "closed"
	}
	if r.offsets {
		j.Offsets = "keep"
	}
	return j
}

// lateness is how much later than virtually campaigns really ended, in seconds.
type lateness struct {
	Campaigns int     `json:"campaigns"` // that were completed virtually
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
}

// lateness compares with the virtual schedule of the policy, or of the same
// kind of machine for a policy that has none.
func (s *simulation) lateness() (lateness, error) {
	options := ostrich.Options{Procs: s.replay.procs}
	if s.replay.policy.virtual == ostrich.Parallel {
		options.Machine = ostrich.Parallel
	}
	late, err := sim.Lateness(s.outcome.jobs, options)
	if err != nil {
		return lateness{}, err
	}
	l := lateness{Max: math.Inf(-1)}
	for _, x := range late {
		if !math.IsNaN(x) {
			l.Campaigns++
			l.Mean += x
			l.Max = max(l.Max, x)
		}
	}
	if l.Campaigns == 0 {
		return lateness{}, nil
	}
	l.Mean /= float64(l.Campaigns)
	return l, nil
}

func (s *simulation) full() (simulationJSON, error) {
	o := s.outcome
	late, err := s.lateness()
	if err != nil {
		return simulationJSON{}, err
	}
	users := report.Users(o.campaigns, s.replay.procs)
	if users == nil {
		users = []report.User{} // an empty list in JSON
	}
	return simulationJSON{
		summaryJSON: s.summary(),
		Flow:        report.Flows(o.jobs, o.campaigns, users),
		Stretches:   report.StretchSpreads(o.jobs, o.campaigns, users, s.replay.procs),
		Idle:        report.IdleArea(o.jobs, s.replay.procs),
		Lateness:    late,
		ByUser:      users,
	}, nil
}

func writeSimulations(c *cli.Context, list []*simulation) error {
	short := c.Bool("summary")
	if c.Bool("json") {
		objects := make([]any, len(list))
		for i, s := range list {
			if short {
				objects[i] = s.summary()
				continue
			}
			object, err := s.full()
			if err != nil {
				return err
			}
			objects[i] = object
		}
		if len(objects) == 1 {
			return console.JSON(c, objects[0])
		}
		return console.JSON(c, objects)
	}
	t := format.Table{Header: append([]string{"LOG", "POLICY", "BACKFILL"}, summaryHeader...)}
	for _, s := range list {
		t.Add(append([]any{s.workload.name, s.replay.policy.name, sim.BackfillNames[s.replay.backfill]}, runCells(&s.outcome.run)...)...)
	}
	if short {
		return console.Tables(c, t)
	}
	users := format.Table{Header: []string{"LOG", "POLICY", "USER", "JOBS", "CAMPAIGNS", "WORK", "FLOW", "STRETCH", "MEAN", "MAX"}}
	for _, s := range list {
		for _, u := range report.Users(s.outcome.campaigns, s.replay.procs) {
			users.Add(s.workload.name, s.replay.policy.name, u.User, u.Jobs, u.Campaigns, fmt.Sprintf("%.2f", format.CoreHours(u.Work)),
				fmt.Sprintf("%.0f", u.Flow), fmt.Sprintf("%.2f", u.Stretch), fmt.Sprintf("%.2f", u.MeanStretch), fmt.Sprintf("%.2f", u.MaxStretch))
		}
	}
	return console.Tables(c, t, users)
}

// summaryHeader is the header of runCells.
var summaryHeader = []string{
	"JOBS", "USERS", "CAMPAIGNS", "OPTIMAL", "<=1.15", "<1.5", "<2", ">20", "MEAN", "P50", "P99", "MAX", "WAIT", "BSLD", "UTILISATION", "MAKESPAN",
}

// runCells are the cells of the summary of a run in a table.
func runCells(r *report.Run) []any {
	return append(summaryCells(&r.Summary), fmt.Sprintf("%.0f", r.Wait.Mean), fmt.Sprintf("%.2f", r.BoundedSlowdown), format.PercentCell(r.Utilisation, 1), r.Makespan)
}

// summaryCells are the cells of a summary in a table.
func summaryCells(s *report.Summary) []any {
	stretch := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	d := &s.Stretch
	return []any{
		s.Jobs, s.Users, s.Campaigns, format.PercentCell(d.Optimal, 1), format.PercentCell(d.Le115, 1), format.PercentCell(d.Lt15, 1), format.PercentCell(d.Lt2, 1), format.PercentCell(d.Gt20, 1),
		stretch(d.Mean), stretch(d.P50), stretch(d.P99), stretch(d.Max),
	}
}
