package orderbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"slurm-ostrich/cmd/internal/forecasts"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich/sim"
)

// forecastForm is part of the key of every row, so that rows of another form are ignored.
const forecastForm = "ostrich bench --forecast 2"

// notForecast are options that mean nothing where forecasts are measured.
var notForecast = []string{"parts", "shakes", "loop", "floor", "satisfaction", "html", "svg", "markdown", "summary"}

// Forecasts are replays in which forecasts are measured: one of each log under each policy, of the
// log's first PartJobs jobs as they were logged.
type Forecasts struct {
	settings  forecasts.Settings
	policies  []Policy
	logs      []Log
	campaigns [][]sim.Campaign // by log
	jobs      []int            // by log
	keys      []string         // by replay
	Result    forecasts.Result // a row for each replay that is made
}

// Forecasts returns the replays that are to be made, none of which is.
func (o *Options) Forecasts(ctx context.Context, stderr io.Writer) (*Forecasts, error) {
	for _, option := range notForecast {
		if o.Given(option) {
			return nil, fmt.Errorf("--%s does not go with --forecast", option)
		}
	}
	switch {
	case o.PartJobs < 1:
		return nil, fmt.Errorf("--part-jobs %d: at least 1", o.PartJobs)
	case o.Questions < 2:
		return nil, fmt.Errorf("--questions %d: at least 2", o.Questions)
	}
	f := &Forecasts{settings: forecasts.Settings{Questions: o.Questions, Seed: o.Seed}}
	code, err := runs.CodeVersion()
	if err != nil {
		return nil, err
	}
	if f.policies, err = ParsePolicies(o.Policy); err != nil {
		return nil, err
	}
	if f.logs, err = o.read(ctx, stderr); err != nil {
		return nil, err
	}
	for i := range f.logs {
		log := &f.logs[i]
		log.Jobs = slices.DeleteFunc(log.Jobs, func(j sim.Job) bool { return j.User == sim.Nobody })
		if len(log.Jobs) == 0 {
			return nil, fmt.Errorf("bench: %s: no job tells its user", log.Name)
		}
		log.Jobs = log.Jobs[:min(len(log.Jobs), o.PartJobs)]
		campaigns, err := sim.Campaigns(log.Jobs, measuredBy)
		if err != nil {
			return nil, fmt.Errorf("bench: %s: campaigns: %w", log.Name, err)
		}
		f.campaigns, f.jobs = append(f.campaigns, campaigns), append(f.jobs, len(log.Jobs))
		id := identity(log)
		for _, p := range f.policies {
			f.keys = append(f.keys, runs.Key(forecastForm, code, fmt.Sprintf("%+v", f.settings), id, p.Canonical))
		}
	}
	f.Result.Rows = make([]*forecasts.Row, len(f.keys))
	return f, nil
}

// Runs lists the replays.
func (f *Forecasts) Runs() format.Table {
	t := format.Table{Header: []string{"RUN", "LOG", "POLICY", "JOBS"}}
	for i := range f.keys {
		log, p := f.of(i)
		t.Add(i, f.logs[log].Name, p.Label, f.jobs[log])
	}
	return t
}

func (f *Forecasts) of(i int) (log int, p Policy) {
	return i / len(f.policies), f.policies[i%len(f.policies)]
}

func (f *Forecasts) sizes() (jobs []int) {
	for i := range f.keys {
		log, _ := f.of(i)
		jobs = append(jobs, f.jobs[log])
	}
	return jobs
}

func (f *Forecasts) restore(i int, store *runs.Store) (bool, error) {
	var row forecasts.Row
	found, err := store.Find(f.keys[i], &row)
	if found {
		f.keep(i, &row)
	}
	return found, err
}

// keep takes a row under the names that log and policy have here: it belongs to what they are,
// whatever they are called.
func (f *Forecasts) keep(i int, row *forecasts.Row) {
	log, p := f.of(i)
	f.Result.Rows[i] = row.Named(f.logs[log].Name, p.Label)
}

func (f *Forecasts) make(i int, store *runs.Store, ended func(n int)) error {
	log, p := f.of(i)
	campaigns := f.campaigns[log]
	m := sim.Machine{Procs: f.logs[log].Procs, Backfill: sim.EASY, Open: true, Offsets: true, Progress: func(n, _ int) { ended(n) }}
	p.Into(&m, &simulation.Material{Campaigns: campaigns, Tuning: p.Tuning})
	row, err := forecasts.Test(m, campaigns, f.settings)
	if err != nil {
		return fmt.Errorf("bench: %s: %s: %w", f.logs[log].Name, p.Label, err)
	}
	f.keep(i, row)
	return store.Keep(f.keys[i], row)
}

// checkAlone returns what is wrong with options that go with --forecast only.
func (o *Options) checkAlone() error {
	if o.Given != nil && o.Given("questions") {
		return errors.New("--questions goes with --forecast")
	}
	return nil
}
