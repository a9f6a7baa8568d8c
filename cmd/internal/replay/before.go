package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/report"
)

// notBefore are the options that mean nothing to a comparison of recorded times.
var notBefore = []string{
	"policy", "backfill", "replay", "inside", "gate", "predictor", "kill", "what-if", "window", "load", "workers", "long", "qos-file",
}

// BeforeAfter compares what happened at a site before --before with what happened
// after it. Nothing is simulated.
func (o *SiteOptions) BeforeAfter(ctx context.Context, config *sidecar.Config, stderr io.Writer) (*comparison.Periods, error) {
	if o.Before == "" {
		return nil, errors.New("--before \"\": no date is named")
	}
	for _, option := range notBefore {
		if o.given(option) {
			return nil, fmt.Errorf("compare: --%s means nothing to --before, which simulates nothing", option)
		}
	}
	if err := o.checkMeasures(); err != nil {
		return nil, err
	}
	source, err := o.readSource(ctx, config, stderr)
	if err != nil {
		return nil, err
	}
	if !source.recorded {
		return nil, fmt.Errorf("%s: the log names no waits, so nothing tells when its jobs ran", source.name)
	}
	source.setup.Controller, source.setup.Happened = nil, true
	site, err := New(source.history, source.setup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.name, err)
	}
	in := comparison.PeriodsInput{Input: source.compared(site, config), Date: source.date, Ran: site.ran(source.history), Open: site.open}
	if o.Anonymize {
		comparison.Anonymize(&in.Input)
	}
	result, err := comparison.ComparePeriods(ctx, in)
	switch {
	case errors.Is(err, context.Canceled):
		err = console.ErrInterrupted
	case err != nil:
		err = fmt.Errorf("--before %s: %w", o.Before, err)
	}
	return result, err
}

// ran returns all jobs that started. Those that had not ended end with the data, or at
// their time limits.
func (s *Study) ran(h *accounting.History) []report.Job {
	var jobs []report.Job
	users := make(map[string]ostrich.UserID)
	for i := range h.Jobs {
		j := &h.Jobs[i]
		pool := s.poolOf(h.Partitions[j.Partition])
		if j.Start == 0 || j.Start >= h.To || j.Procs < 1 || pool < 0 {
			continue
		}
		name := h.Associations[j.Association].User
		if users[name] == 0 {
			users[name] = ostrich.UserID(len(users) + 1)
		}
		one := report.Job{ID: j.ID, User: users[name], Submit: j.Submit, Start: j.Start, End: j.End, Procs: min(int(j.Procs), s.Pools[pool].Procs)}
		if one.End == 0 {
			one.End = lastSeen(h, j, cmp.Or(j.Limit, s.Priority.Partitions[j.Partition].MaxTime))
		}
		if j.Eligible > j.Submit && j.Eligible <= j.Start {
			one.Submit = j.Eligible
		}
		jobs = append(jobs, one)
	}
	return jobs
}

// sinceComplete returns the moment since which a dump has all jobs: sacct lists
// those that ended in its window or later, also if they were submitted long before.
func sinceComplete(h *accounting.History) ostrich.Time {
	first := h.To
	for i := range h.Jobs {
		if end := h.Jobs[i].End; end > 0 {
			first = min(first, end)
		}
	}
	return max(first, h.From)
}
