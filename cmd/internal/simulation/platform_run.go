package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

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

// platformRun says how a workload is run on a platform.
type platformRun struct {
	Run // of which only the policy, the campaigns and the accepted wait count
	*clusters
	homeOf map[ostrich.UserID]int64 // clusters of users by field 16 of the log, from 1
}

// runs returns the runs that the options ask for of each log: one for each
// architecture, selection and policy.
func (o *PlatformOptions) runs() ([]platformRun, error) {
	policies, err := ParseVariants(o.Policy, Clusters)
	if err != nil {
		return nil, err
	}
	experiments, err := o.experiments()
	if err != nil {
		return nil, err
	}
	settings := Run{Machine: sim.Machine{Offsets: true}}
	if settings.accept, err = satisfaction.Parse(o.Satisfaction); err != nil {
		return nil, fmt.Errorf("--satisfaction %w", err)
	}
	var list []platformRun
	for _, c := range experiments {
		for _, settings.Policy = range policies {
			list = append(list, platformRun{Run: settings, clusters: c})
		}
	}
	return list, nil
}

// heeded refuses options that have no effect on any of the runs.
func (o *PlatformOptions) heeded(list []platformRun) error {
options:
	for _, f := range o.Flags() {
		option, why := f.Names()[0], ""
		if !o.WasGiven(option) {
			continue
		}
		for i := range list {
			if why = list[i].idle(option); why == "" {
				continue options
			}
		}
		return errors.New(why)
	}
	return nil
}

// Simulations returns the runs that the options ask for, of logs.
func (o *PlatformOptions) Simulations(ctx context.Context, stderr io.Writer, paths []string) ([]*Simulation, error) {
	list, err := o.runs()
	if err == nil {
		err = o.heeded(list)
	}
	if err != nil {
		return nil, err
	}
	return simulations(ctx, stderr, "platform", &o.LogOptions, paths, swf.ByLimit, list)
}

// Simulation returns the one run that the options ask for, of a log that was read from
// path.
func (o *PlatformOptions) Simulation(path string, log *trace.Log) (*Simulation, error) {
	r, err := o.one()
	if err != nil {
		return nil, err
	}
	w, err := o.Take(path, log, RuleNames, swf.ByLimit)
	if err != nil {
		return nil, err
	}
	return r.simulation(w)
}

// simulation returns the run of a workload, or an error if the two do not go together.
func (r platformRun) simulation(w *Workload) (*Simulation, error) {
	r.Procs, r.rule, r.homeOf = w.Procs, w.Rule, w.homes
	return &Simulation{Workload: w, Run: r.Run, do: r.Do}, r.Check()
}

// Check returns an error for options that do not go together.
func (r *platformRun) Check() error {
	x := r.experiment()
	return x.Validate()
}

func (r *platformRun) experiment() grid.Experiment {
	x := r.Experiment
	x.Policy, x.Predictor = r.Policy.Name, r.Policy.Tuning.Options.Predictor
	return x
}

// bags returns the campaigns of a log as bags, each with a home.
func (r *platformRun) bags(log []sim.Job) ([]grid.Bag, error) {
	campaigns, err := r.rule.campaigns(log)
	if err != nil {
		return nil, err
	}
	bags := make([]grid.Bag, len(campaigns))
	for i := range campaigns {
		c := &campaigns[i]
		bags[i] = grid.Bag{User: c.User, Submit: c.Submit, Tasks: make([]grid.Task, len(c.Jobs))}
		for k, j := range c.Jobs {
			bags[i].Tasks[k] = grid.Task{ID: j.ID, Run: j.Run}
		}
	}
	if homesNames[r.homes] != byField {
		return bags, grid.Spread(bags, r.Platform, r.homes)
	}
	for i := range bags {
		b, n := &bags[i], len(r.Platform.Clusters)
		home := r.homeOf[b.User]
		if home < 1 || home > int64(n) {
			return nil, fmt.Errorf("--homes field: field 16 of the jobs of user %d is %d: not the number of a cluster, 1 to %d", b.User, home, n)
		}
		b.Home = int(home - 1)
	}
	return bags, nil
}

// Do runs the bags of a log. It calls at with its progress.
func (r *platformRun) Do(log []sim.Job, at func(done, total int)) (*Outcome, error) {
	o := &Outcome{}
	log, err := o.ofUsers(log)
	if err != nil {
		return nil, err
	}
	bags, err := r.bags(log)
	if err != nil {
		return nil, err
	}
	x := r.experiment()
	x.Progress = at
	began := time.Now()
	result, err := x.Run(bags)
	if err != nil {
		return nil, err
	}
	took := time.Since(began).Seconds()
	o.Jobs = result.Jobs()
	measures := result.Measures()
	o.Clusters = newPlatformSummary(&x, &measures)
	o.Clusters.Selection = r.selection
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
	return o, nil
}

// PlatformSummary is what platform --json writes of a run besides.
type PlatformSummary struct {
	Platform     string   `json:"platform"`
	Architecture string   `json:"architecture"`
	Selection    string   `json:"selection"`
	Load         *float64 `json:"load"`     // null if all bags come at once
	Realised     float64  `json:"realised"` // part of what the platform can do until the last submission
	report.Bags
	Goodput int64         `json:"goodput"` // processor-seconds of the copies that ended first
	Used    int64         `json:"used"`    // of all copies
	Classes []report.Bags `json:"classes"` // of bags with at least two tasks, by their size
}

func newPlatformSummary(x *grid.Experiment, m *grid.Measures) *PlatformSummary {
	s := &PlatformSummary{
		Platform: x.Platform.Name, Architecture: x.Architecture.String(), Selection: x.Selection,
		Bags: bagMeasure("all", &m.Measure), Goodput: int64(m.Goodput), Used: int64(m.Used), Realised: m.Realised,
	}
	for i := range m.Classes {
		s.Classes = append(s.Classes, bagMeasure(grid.ClassNames[i], &m.Classes[i]))
	}
	return s
}

func bagMeasure(sizes string, m *grid.Measure) report.Bags {
	return report.Bags{
		Sizes: sizes, Bags: m.Bags, Tasks: m.Tasks, DoneBags: m.DoneBags, Finished: m.Finished(),
		MS: m.MS, NSL: m.NSL, Stretch: m.Stretch, WorstStretch: m.WorstStretch,
	}
}

// PlatformHeader is the header of [PlatformCells].
var PlatformHeader = slices.Concat([]string{"ARCHITECTURE", "SELECTION", "LOAD", "REALISED"}, heads(report.BagColumns), []string{"GOODPUT", "USED", "UTILISATION"})

// PlatformCells returns the cells of a run on a platform in a table.
func PlatformCells(s *Summary) []any {
	p := s.Clusters
	load := ""
	if p.Load != nil {
		load = fmt.Sprintf("%.2f", *p.Load)
	}
	hours := func(seconds int64) string { return fmt.Sprintf("%.1f", float64(seconds)/3600) }
	return slices.Concat([]any{p.Architecture, p.Selection, load, fmt.Sprintf("%.2f", p.Realised)}, cells(report.BagColumns, &p.Bags),
		[]any{hours(p.Goodput), hours(p.Used), format.PercentCell(s.Utilisation, 1)})
}

// PlatformTables returns a row for each run on a platform and, unless only the
// summaries are wanted, one for each class of bags.
func PlatformTables(list []*Simulation, whole bool) []format.Table {
	t := format.Table{Header: append([]string{"LOG", "POLICY"}, PlatformHeader...)}
	ofClass := report.BagColumns[1:] // without the tasks
	classes := format.Table{Header: append([]string{"LOG", "POLICY", "ARCHITECTURE", "SELECTION", "SIZES"}, heads(ofClass)...)}
	for _, one := range list {
		s := one.Summary()
		t.Add(append([]any{s.Log, s.Policy}, PlatformCells(&s)...)...)
		for i := range s.Clusters.Classes {
			c := &s.Clusters.Classes[i]
			classes.Add(append([]any{s.Log, s.Policy, s.Clusters.Architecture, s.Clusters.Selection, c.Sizes}, cells(ofClass, c)...)...)
		}
	}
	if !whole {
		return []format.Table{t}
	}
	return []format.Table{t, classes}
}
