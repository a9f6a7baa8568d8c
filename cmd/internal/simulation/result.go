package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

// Simulation is a replay of a log, and what came of it.
type Simulation struct {
	Workload *Workload
	Run      Run
	Outcome  *Outcome // nil before Do

	do func(log []sim.Job, at func(done, total int)) (*Outcome, error)
}

// Do makes the replay. It calls at with its progress.
func (s *Simulation) Do(at func(done, total int)) (err error) {
	s.Outcome, err = s.do(s.Workload.Jobs, at)
	return err
}

// simulation returns a replay of a workload, or an error if the two do not go together.
func (r Run) simulation(w *Workload) (*Simulation, error) {
	r.Procs, r.rule, r.Requests = w.Procs, w.Rule, w.requests
	return &Simulation{Workload: w, Run: r, do: r.Do}, r.Check()
}

// runs returns the replays that the options ask for of each log, one under each of
// the policies.
func (o *Options) runs() ([]Run, swf.Estimates, error) {
	settings, err := o.Run()
	if err != nil {
		return nil, 0, err
	}
	policies, err := ParseVariants(o.Policy, Log)
	if err != nil {
		return nil, 0, err
	}
	estimates, err := o.Estimates()
	var list []Run
	for _, settings.Policy = range policies {
		list = append(list, settings)
	}
	return list, estimates, err
}

// Simulation returns the first of the replays that the options ask for, of a log that
// was read from path.
func (o *Options) Simulation(path string, log *trace.Log) (*Simulation, error) {
	list, estimates, err := o.runs()
	if err != nil {
		return nil, err
	}
	w, err := o.Take(path, log, RuleNames, estimates)
	if err != nil {
		return nil, err
	}
	return list[0].simulation(w)
}

// Simulations returns the replays that the options ask for, of logs.
func (o *Options) Simulations(ctx context.Context, stderr io.Writer, paths []string) ([]*Simulation, error) {
	list, estimates, err := o.runs()
	if err != nil {
		return nil, err
	}
	return simulations(ctx, stderr, "simulate", &o.LogOptions, paths, estimates, list)
}

// simulations returns replays of each of some logs, for a command.
func simulations[R interface {
	simulation(*Workload) (*Simulation, error)
}](ctx context.Context, stderr io.Writer, command string, o *LogOptions, paths []string, estimates swf.Estimates, list []R) ([]*Simulation, error) {
	paths, err := o.Logs(command, paths)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	var all []*Simulation
	for _, path := range paths {
		w, err := o.Workload(ctx, path, RuleNames, estimates)
		if err != nil {
			return nil, err
		}
		w.Tell(stderr)
		runtime.GC() // the replays reuse the memory of the log's records
		for _, r := range list {
			s, err := r.simulation(w)
			switch {
			case err == nil:
				all = append(all, s)
			case s != nil && s.Run.Policy.wherever:
				s.leaveOut(stderr, err)
			default:
				return nil, err
			}
		}
	}
	return all, nil
}

// leaveOut says that a policy that was named by "all" is left out, and why.
func (s *Simulation) leaveOut(stderr io.Writer, why error) {
	console.Say(stderr, "%s: %s left out: %v", s.Workload.Name, s.Run.Policy.Label, why)
}

// Simulate makes the replays, several at a time, writes their notes on stderr, and returns
// them without those of policies that were named by "all" and refuse their log. Unless
// whole is set, it keeps only the summaries of several.
func Simulate(ctx context.Context, stderr io.Writer, workers int, list []*Simulation, whole bool) ([]*Simulation, error) {
	if len(list) == 0 {
		return nil, errors.New("no policy can replay this log with these options")
	}
	refused := make([]error, len(list))
	jobs := make([]int, len(list))
	for i, s := range list {
		jobs[i] = len(s.Workload.Jobs)
	}
	err := runs.Replays(ctx, stderr, "simulating", workers, jobs, func(i int, ended func(n int)) error {
		s := list[i]
		if err := s.Do(func(n, _ int) { ended(n) }); err != nil {
			if s.Run.Policy.wherever {
				refused[i] = err
				return nil
			}
			return fmt.Errorf("%s: %s: %w", s.Workload.Name, s.Run.Policy.Label, err)
		}
		if !whole && len(list) > 1 {
			s.Outcome.Jobs, s.Outcome.Campaigns = nil, nil // nobody looks at them
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var done []*Simulation
	for i, s := range list {
		if refused[i] != nil {
			s.leaveOut(stderr, refused[i])
			continue
		}
		done = append(done, s)
		for _, note := range s.Outcome.Notes {
			console.Say(stderr, "%s: %s: %s", s.Workload.Name, s.Run.Policy.Label, note)
		}
	}
	if len(done) == 0 {
		return nil, errors.Join(refused...)
	}
	return done, nil
}

// Summary is what simulate and platform --summary --json write of a replay.
type Summary struct {
	Log      string `json:"log"`
	Policy   string `json:"policy"`
	Backfill string `json:"backfill"`

	Procs        int    `json:"procs"`
	Replay       string `json:"replay"`
	Offsets      string `json:"offsets"`
	Dependencies bool   `json:"dependencies"`
	Rule         string `json:"rule"`
	report.Run
	Satisfaction report.Satisfaction `json:"satisfaction"`

	Clusters *PlatformSummary `json:"platform,omitempty"` // nil on one machine
}

// Figures are what simulate --json writes of a replay.
type Figures struct {
	Summary
	Flow      report.Spreads `json:"flow"`
	Stretches report.Spreads `json:"stretches"`
	Idle      report.Idle    `json:"idle_area"`
	Lateness  lateness       `json:"lateness"`
	ByUser    []report.User  `json:"by_user"`
}

// Summary sums up a finished replay.
func (s *Simulation) Summary() Summary {
	r := &s.Run
	j := Summary{
		Log: s.Workload.Name, Policy: r.Policy.Label, Backfill: sim.BackfillNames[r.Backfill],
		Procs: r.Procs, Replay: "open", Offsets: "drop", Dependencies: r.Dependencies, Rule: r.rule.name(), Run: s.Outcome.Run,
		Satisfaction: s.Outcome.Accepted, Clusters: s.Outcome.Clusters,
	}
	if r.Closed {
		j.Replay = "closed"
	}
	if r.Offsets {
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

// lateness compares with the virtual schedule of the policy. For a policy without
// one it uses that of the same kind of machine.
func (s *Simulation) lateness() (lateness, error) {
	options := ostrich.Options{Procs: s.Run.Procs}
	if s.Run.Policy.virtual == ostrich.Parallel {
		options.Machine = ostrich.Parallel
	}
	late, err := sim.Lateness(s.Outcome.Jobs, options)
	if err != nil {
		return lateness{}, err
	}
	late = slices.DeleteFunc(late, math.IsNaN)
	if len(late) == 0 {
		return lateness{}, nil
	}
	l := lateness{Campaigns: len(late), Max: slices.Max(late)}
	for _, x := range late {
		l.Mean += x
	}
	l.Mean /= float64(l.Campaigns)
	return l, nil
}

// Figures returns all figures of a finished replay.
func (s *Simulation) Figures() (Figures, error) {
	o := s.Outcome
	late, err := s.lateness()
	if err != nil {
		return Figures{}, err
	}
	users := report.Users(o.Campaigns, s.Run.Procs)
	if users == nil {
		users = []report.User{} // an empty list in JSON
	}
	return Figures{
		Summary:   s.Summary(),
		Flow:      report.Flows(o.Jobs, o.Campaigns, users),
		Stretches: report.StretchSpreads(o.Jobs, o.Campaigns, users, s.Run.Procs),
		Idle:      report.IdleArea(o.Jobs, s.Run.Procs),
		Lateness:  late,
		ByUser:    users,
	}, nil
}

// Document returns what simulate --json writes of replays: an object, or a list of
// several. It has all figures, or the summaries only.
func Document(list []*Simulation, whole bool) (any, error) {
	objects := make([]any, len(list))
	for i, s := range list {
		if !whole {
			objects[i] = s.Summary()
			continue
		}
		figures, err := s.Figures()
		if err != nil {
			return nil, err
		}
		objects[i] = figures
	}
	if len(objects) == 1 {
		return objects[0], nil
	}
	return objects, nil
}

// Tables returns a row for each replay and, unless only the summaries are wanted,
// a row for each user, and one for each class of lengths.
func Tables(list []*Simulation, whole bool) []format.Table {
	t := format.Table{Header: append([]string{"LOG", "POLICY", "BACKFILL"}, Header...)}
	for _, s := range list {
		t.Add(append([]any{s.Workload.Name, s.Run.Policy.Label, sim.BackfillNames[s.Run.Backfill]}, Cells(&s.Outcome.Run)...)...)
	}
	if !whole {
		return []format.Table{t}
	}
	users := format.Table{Header: append([]string{"LOG", "POLICY", "USER"}, heads(report.UserColumns)...)}
	accepted := format.Table{Header: append([]string{"LOG", "POLICY", "OF", "LENGTH"}, heads(report.LatenessColumns)...)}
	for _, s := range list {
		for _, u := range report.Users(s.Outcome.Campaigns, s.Run.Procs) {
			users.Add(append([]any{s.Workload.Name, s.Run.Policy.Label, s.Workload.Key.User(int64(u.User))}, cells(report.UserColumns, &u)...)...)
		}
		for _, r := range s.Outcome.Accepted.Rows() {
			accepted.Add(append([]any{s.Workload.Name, s.Run.Policy.Label, r.Of, r.Size}, cells(report.LatenessColumns, &r.InTime)...)...)
		}
	}
	return []format.Table{t, users, accepted}
}

// SummaryHeader is the header of [SummaryCells].
var SummaryHeader = heads(report.CampaignSummary)

// Header is the header of [Cells].
var Header = append(slices.Clone(SummaryHeader), heads(report.RunSummary)...)

// Cells returns the cells of the summary of a run in a table.
func Cells(r *report.Run) []any {
	return append(SummaryCells(&r.Summary), cells(report.RunSummary, r)...)
}

// SummaryCells returns the cells of a summary in a table.
func SummaryCells(s *report.Summary) []any { return cells(report.CampaignSummary, s) }

func heads[T any](columns []report.Column[T]) []string {
	var list []string
	for _, c := range columns {
		if c.Head != "" {
			list = append(list, c.Head)
		}
	}
	return list
}

// cells returns the cells below heads.
func cells[T any](columns []report.Column[T], of T) []any {
	var list []any
	for _, c := range columns {
		switch x := c.From(of); {
		case c.Head == "":
		case c.Unit == "part":
			list = append(list, format.PercentCell(x, 1))
		case c.Unit == "index":
			list = append(list, fmt.Sprintf("%.3f", x))
		case c.Unit == "" || c.Unit == "core-hours":
			list = append(list, fmt.Sprintf("%.2f", x))
		default:
			list = append(list, fmt.Sprintf("%.0f", x))
		}
	}
	return list
}
