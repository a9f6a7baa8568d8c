// Package optimise takes the queue of a workload log at an instant, and looks for the
// order of it that is best for an objective.
package optimise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/cmd/internal/solver"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
)

// Options say which queue is ordered, and how, in the words of a command line.
type Options struct {
	simulation.LogOptions
	Log          string
	At           string
	Objective    string
	Satisfaction string
	Late         string // "" is by the objective
	Estimate     string
	Solver       string
	Model        string
	Limit        time.Duration
	Nodes        int64
}

// Flags returns the options, which fill o.
func (o *Options) Flags() []cli.Flag {
	o.Load = 1 // as logged
	return slices.Concat(o.DumpFlags(), []cli.Flag{
		&cli.StringFlag{Name: "swf", Usage: "`FILE` with the log; this or sacct must be given", Destination: &o.Log},
		&cli.StringFlag{Name: "at", Usage: "the queue at `TIME`: seconds since the start of the log, or YYYY-MM-DD[THH:MM:SS] in UTC; must be given", Destination: &o.At},
		&cli.StringFlag{Name: "objective", Usage: "what gets small: `OBJECTIVE` is " + console.List(optimal.ObjectiveNames), Value: optimal.ObjectiveNames[0], Destination: &o.Objective},
		simulation.SatisfactionFlag("", &o.Satisfaction),
		&cli.StringFlag{Name: "late", Usage: "jobs that are late in every schedule: `WHAT` is drop or keep", DefaultText: "drop for sum-u, keep for the others", Destination: &o.Late},
		&cli.StringFlag{Name: "estimate", Usage: "how long a job is expected to run: `ESTIMATE` is limit or exact", Value: swf.EstimateNames[0], Destination: &o.Estimate},
		&cli.StringFlag{Name: "solver", Usage: "who solves it: `SOLVER` is " + console.List(solver.Names), Value: solver.Names[0], Destination: &o.Solver},
		&cli.StringFlag{Name: "model", Usage: "the linear programme, for cbc and files: `MODEL` is " + console.List(optimal.FormulationNames), Value: optimal.FormulationNames[0], Destination: &o.Model},
		configuration.NewSpanFlag(&o.Limit, 10*time.Second, "limit", "end the search after `TIME`", ""),
		&cli.Int64Flag{Name: "nodes", Usage: "end the own search after `NUMBER` of schedules, complete or partial", DefaultText: "no limit", Destination: &o.Nodes},
		&cli.IntFlag{Name: "procs", Usage: "`PROCESSORS` of the machine", DefaultText: "what the header of the log says", Destination: &o.Procs},
		&cli.BoolFlag{Name: "lenient", Usage: "skip lines that are malformed, and count them", Destination: &o.Lenient},
	}, o.RuleFlags(campaign.ByNames, "what a campaign is", campaign.ByNames[0]))
}

// Outcome is a queue and its best schedule that was found.
type Outcome struct {
	Log       string   `json:"log"`
	At        int64    `json:"at"`
	Procs     int      `json:"procs"`
	Running   int      `json:"running"`
	Waiting   int      `json:"waiting"`
	Dropped   int      `json:"dropped"`
	Objective string   `json:"objective"`
	Solver    string   `json:"solver"`
	EASY      float64  `json:"easy"`
	Value     float64  `json:"value"`
	Bound     float64  `json:"bound"`
	Gap       float64  `json:"gap"`
	Optimal   bool     `json:"optimal"`
	Nodes     int64    `json:"nodes"`
	Failure   string   `json:"failure,omitempty"`
	Jobs      []Job    `json:"jobs"`
	Notes     []string `json:"-"`

	// Model makes the linear programme, for files. It has a column for any two jobs.
	Model func() (*optimal.Model, error) `json:"-"`
}

// Job is a job of the queue. Its times are in seconds from the instant on.
type Job struct {
	ID     int64 `json:"job"`
	Procs  int   `json:"procs"`
	Length int64 `json:"length"`
	Due    int64 `json:"due"`
	EASY   int64 `json:"easy_start"`
	Start  int64 `json:"start"`
}

// choices are the options that have been understood.
type choices struct {
	objective optimal.Objective
	accept    satisfaction.Acceptance
	estimates swf.Estimates
	model     optimal.Formulation
	solver    optimal.Solver
	drop      bool
}

func (o *Options) choices(ctx context.Context) (c choices, err error) {
	wrong := func(option string, one error) {
		if one != nil && err == nil {
			err = fmt.Errorf("--%s %w", option, one)
		}
	}
	if o.At == "" {
		return c, errors.New("--at must be given")
	}
	var one error
	c.objective, one = console.Named[optimal.Objective](optimal.ObjectiveNames, o.Objective)
	wrong("objective", one)
	if c.accept, one = satisfaction.Parse(o.Satisfaction); one != nil && err == nil {
		err = fmt.Errorf("--satisfaction: %w", one)
	}
	c.estimates, one = console.Named[swf.Estimates](swf.EstimateNames[:2], o.Estimate)
	wrong("estimate", one)
	c.model, one = console.Named[optimal.Formulation](optimal.FormulationNames, o.Model)
	wrong("model", one)
	switch {
	case o.Limit <= 0:
		wrong("limit", fmt.Errorf("%v: must be above 0", o.Limit))
	case o.Nodes < 0 || o.Given("nodes") && o.Nodes == 0:
		wrong("nodes", fmt.Errorf("%d: at least 1", o.Nodes))
	}
	if o.Late == "" {
		c.drop = c.objective == optimal.SumU
	} else {
		var i uint8
		i, one = console.Named[uint8]([]string{"drop", "keep"}, o.Late)
		wrong("late", one)
		c.drop = i == 0
	}
	if err != nil {
		return c, err
	}
	c.solver, one = solver.New(ctx, o.Solver, c.model, o.Limit)
	wrong("solver", one)
	own := o.Solver == solver.Names[0]
	switch {
	case err != nil:
	case o.Given("nodes") && !own:
		err = fmt.Errorf("--nodes means nothing to --solver %s", o.Solver)
	case o.Given("model") && own && !o.Given("write-lp") && !o.Given("write-mps"):
		err = errors.New("--model goes with --solver cbc, --write-lp or --write-mps")
	case o.Given("rule") && !c.objective.Stretches():
		err = fmt.Errorf("--rule means nothing to --objective %v, which knows no campaigns", c.objective)
	}
	return c, err
}

// Run reads the log and orders the queue. now is the clock for the limit.
func (o *Options) Run(ctx context.Context, now func() time.Time) (*Outcome, error) {
	c, err := o.choices(ctx)
	if err != nil {
		return nil, err
	}
	in, out, err := o.scenario(ctx, &c)
	if err != nil {
		return nil, err
	}
	out.Model = func() (*optimal.Model, error) { return optimal.NewModel(&in, c.objective, c.model) }
	budget := optimal.Budget{Nodes: optimal.Unlimited}
	if o.Nodes > 0 {
		budget.Nodes = o.Nodes
	}
	end := now().Add(o.Limit)
	budget.Stop = func() bool { return ctx.Err() != nil || o.Solver == solver.Names[0] && !now().Before(end) }
	r, err := c.solver.Solve(&in, c.objective, budget)
	switch {
	case ctx.Err() != nil:
		return nil, console.ErrInterrupted
	case errors.Is(err, solver.ErrFailed):
		out.Failure = err.Error()
		out.Notes = append(out.Notes, out.Failure)
	case err != nil:
		return nil, err
	}
	out.EASY, out.Value, out.Bound, out.Gap, out.Optimal, out.Nodes = r.EASY, r.Value, r.Bound, r.Gap(), r.Optimal, r.Nodes
	easy := optimal.EASY(&in)
	for _, i := range r.Order {
		j := &in.Jobs[i]
		out.Jobs = append(out.Jobs, Job{int64(j.ID), j.Procs, int64(j.Length), int64(j.Due), int64(easy[i]), int64(r.Starts[i])})
	}
	return out, nil
}

// Logged returns the jobs of a log with the numbers of their campaigns and the waits that
// their users accept.
func Logged(jobs []sim.Job, numbers []int, accept satisfaction.Acceptance) []optimal.Logged {
	list := make([]optimal.Logged, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		list[i] = optimal.Logged{
			ID: j.ID, Procs: j.Procs, Submit: j.Submit, Start: j.Start, End: j.Start + ostrich.Time(j.Run),
			Length: j.Estimate, Wait: ostrich.Duration(accept.Due(0, j.Estimate)), Campaign: numbers[i],
		}
	}
	return list
}

// scenario reads the queue from the log.
func (o *Options) scenario(ctx context.Context, c *choices) (optimal.Instance, *Outcome, error) {
	var logs []string
	if o.Log != "" {
		logs = []string{o.Log}
	}
	logs, err := o.Logs("optimise", logs)
	if err != nil {
		return optimal.Instance{}, nil, err
	}
	o.Log = logs[0]
	log, err := o.Read(ctx, o.Log)
	if err != nil {
		return optimal.Instance{}, nil, err
	}
	moment, err := o.Moment("at", o.At, log)
	at := ostrich.Time(moment)
	if err != nil {
		return optimal.Instance{}, nil, err
	}
	w, err := o.Take(o.Log, log, campaign.ByNames, c.estimates)
	if err != nil {
		return optimal.Instance{}, nil, err
	}
	if !w.Timed {
		return optimal.Instance{}, nil, fmt.Errorf("%s: the log tells no waits, so nobody stood in a queue", o.Log)
	}
	numbers, err := sim.Numbers(w.Jobs, w.Rule.Rule)
	if err != nil {
		return optimal.Instance{}, nil, fmt.Errorf("%s: %w", o.Log, err)
	}
	in, queue, err := optimal.Scenario(w.Procs, Logged(w.Jobs, numbers, c.accept), at)
	if err != nil {
		return optimal.Instance{}, nil, fmt.Errorf("%s: %w", o.Log, err)
	}
	if len(queue) == 0 {
		return optimal.Instance{}, nil, fmt.Errorf("%s: nobody waited at %d s", o.Log, at)
	}
	if c.drop {
		in, _ = in.Satisfiable()
	}
	return in, &Outcome{
		Log: w.Name, At: int64(at), Procs: w.Procs, Running: len(in.Running), Waiting: len(queue), Dropped: len(queue) - len(in.Jobs),
		Objective: c.objective.String(), Solver: o.Solver, Jobs: []Job{}, Notes: w.Notes,
	}, nil
}

// Tables returns the queue as a whole, then its jobs in the order of the schedule.
func (out *Outcome) Tables() []format.Table {
	whole := format.Table{Header: []string{
		"LOG", "AT", "PROCS", "RUNNING", "WAITING", "DROPPED", "OBJECTIVE", "SOLVER", "EASY", "VALUE", "BOUND", "GAP", "OPTIMAL", "NODES",
	}}
	optimum := "no"
	if out.Optimal {
		optimum = "yes"
	}
	value := func(x float64) string { return format.Trimmed(x, 3) }
	whole.Add(out.Log, out.At, out.Procs, out.Running, out.Waiting, out.Dropped, out.Objective, out.Solver,
		value(out.EASY), value(out.Value), value(out.Bound), format.PercentCell(out.Gap, 1), optimum, out.Nodes)
	jobs := format.Table{Header: []string{"JOB", "PROCS", "LENGTH", "DUE", "EASY_START", "START", "LATE"}}
	for _, j := range out.Jobs {
		jobs.Add(j.ID, j.Procs, j.Length, j.Due, j.EASY, j.Start, max(0, j.Start-j.Due))
	}
	return []format.Table{whole, jobs}
}
