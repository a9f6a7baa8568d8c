package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/forecasts"
	"slurm-ostrich/cmd/internal/runs"
	"slurm-ostrich/cmd/internal/simulation"
)

// notForecast are options that mean nothing where forecasts are measured.
var notForecast = []string{"first-difference", "measure-rule", "what-if", "long", "html", "anonymize", "before", "nightly", "trial", "trial-draw", "trial-plan", "trial-file"}

// Forecasts measures the forecasts in replays of a site's jobs under the policies, in each pool by
// itself.
func (o *SiteOptions) Forecasts(ctx context.Context, config *configuration.Config, stderr io.Writer) (*forecasts.Result, error) {
	for _, option := range notForecast {
		if o.WasGiven(option) {
			return nil, fmt.Errorf("compare: --%s does not go with --forecast", option)
		}
	}
	if o.Questions < 2 {
		return nil, fmt.Errorf("compare: --questions %d: at least 2", o.Questions)
	}
	settings, err := o.Loop()
	if err != nil {
		return nil, err
	}
	policies, err := simulation.ParseVariants(o.Policy, simulation.Site)
	if err != nil {
		return nil, err
	}
	source, err := o.readSource(ctx, config, stderr)
	if err != nil {
		return nil, err
	}
	source.setup.Run = settings
	site, err := New(source.history, source.setup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.name, err)
	}
	rows := make([][]*forecasts.Row, len(policies))
	jobs := slices.Repeat([]int{len(site.Jobs)}, len(policies))
	err = runs.Replays(ctx, stderr, "simulating", 0, jobs, func(i int, ended func(n int)) error {
		found, failed := site.forecasts(policies[i], o.Questions, ended)
		if failed != nil {
			return fmt.Errorf("compare: %s: %w", policies[i].Label, failed)
		}
		rows[i] = found
		return nil
	})
	result := &forecasts.Result{Rows: slices.Concat(rows...)}
	for _, r := range result.Rows {
		r.Log = cmp.Or(r.Log, source.name)
	}
	return result, err
}

// forecasts measures the forecasts under a policy, a row a pool.
func (s *Study) forecasts(p *simulation.Variant, questions int, progress func(ended int)) ([]*forecasts.Row, error) {
	s, tuning, err := s.under(p)
	if err != nil {
		return nil, err
	}
	s.byJob, s.cancels = true, false // they are about jobs that start
	var rows []*forecasts.Row
	ended := 0
	for i := range s.Pools {
		campaigns, err := s.campaignsOf(i, s.submitsBy())
		if err != nil {
			return nil, err
		}
		m := s.machine(i, p, tuning, campaigns.jobs)
		count := 0
		m.Progress = func(n, of int) {
			count = of
			progress(ended + n)
		}
		row, err := forecasts.Test(m, campaigns.campaigns, forecasts.Settings{Questions: questions, Seed: 1})
		if err != nil {
			return nil, err
		}
		ended += count
		name := ""
		if len(s.Pools) > 1 {
			name = strings.Join(s.Pools[i].Partitions, ",")
		}
		rows = append(rows, row.Named(name, p.Label))
	}
	return rows, nil
}
