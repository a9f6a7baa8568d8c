package orderbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"slurm-ostrich/cmd/internal/forecasts"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/ostrich/sim"
)

// notForecast are options that mean nothing where forecasts are measured.
var notForecast = []string{"parts", "shakes", "loop", "floor", "satisfaction", "resume", "html", "svg", "markdown", "summary"}

// Forecasts measures the forecasts of starts in replays of each log under each policy: of its first
// PartJobs jobs, as they were logged.
func (o *Options) Forecasts(ctx context.Context, stderr io.Writer) (*forecasts.Result, error) {
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
	policies, err := ParsePolicies(o.Policy)
	if err != nil {
		return nil, err
	}
	logs, err := o.read(ctx, stderr)
	if err != nil {
		return nil, err
	}
	var jobs []int
	campaigns := make([][]sim.Campaign, len(logs))
	for i := range logs {
		known := slices.DeleteFunc(slices.Clone(logs[i].Jobs), func(j sim.Logged) bool { return j.User == sim.Nobody })
		if len(known) == 0 {
			return nil, fmt.Errorf("bench: %s: no job tells its user", logs[i].Name)
		}
		known = known[:min(len(known), o.PartJobs)]
		if campaigns[i], err = sim.Campaigns(known, measuredBy); err != nil {
			return nil, fmt.Errorf("bench: %s: campaigns: %w", logs[i].Name, err)
		}
		for range policies {
			jobs = append(jobs, len(known))
		}
	}
	result := &forecasts.Result{Rows: make([]*forecasts.Row, len(jobs))}
	err = runs.Replays(ctx, stderr, "simulating", o.Workers, jobs, func(i int, ended func(n int)) error {
		log, p := &logs[i/len(policies)], policies[i%len(policies)]
		list := campaigns[i/len(policies)]
		m := sim.Machine{Procs: log.Procs, Backfill: sim.EASY, Open: true, Offsets: true, Progress: func(n, _ int) { ended(n) }}
		p.Into(&m, &replay.Material{Campaigns: list, Tuning: p.Tuning})
		if p.Tuning.Exact() && p.Ranks() {
			list = hinted(list)
		}
		row, failed := forecasts.Test(m, list, forecasts.Settings{Questions: o.Questions, Seed: o.Seed})
		if failed != nil {
			return fmt.Errorf("bench: %s: %s: %w", log.Name, p.Label, failed)
		}
		result.Rows[i] = row.Named(log.Name, p.Label)
		return nil
	})
	return result, err
}

// checkAlone returns what is wrong with options that go with --forecast only.
func (o *Options) checkAlone() error {
	if o.Given != nil && o.Given("questions") {
		return errors.New("--questions goes with --forecast")
	}
	return nil
}
