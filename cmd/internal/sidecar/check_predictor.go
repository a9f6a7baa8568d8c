package sidecar

import (
	"context"
	"errors"
	"time"

	"slurm-ostrich/cmd/internal/backtest"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/archive"
)

// A check is quick, so the predictors are tested on the latest jobs only.
const (
	foretellDays = 14
	foretellJobs = 200_000
	foretellTime = 20 * time.Second
)

// checkPredictor tests the predictors on the jobs of the last days.
func (l *checklist) checkPredictor(ctx context.Context, read func(context.Context) (*accounting.History, error)) {
	ctx, cancel := context.WithTimeout(ctx, foretellTime)
	defer cancel()
	result, days, err := l.foretell(ctx, read)
	switch {
	case errors.Is(err, accounting.ErrEmpty):
		l.ok("predictor", "%s: no job has ended in %d days to test it on", l.Schedule.Predictor, foretellDays)
		return
	case err != nil:
		l.ok("predictor", "not looked at: %v", err)
		return
	}
	set, best := result.Set(), result.Best()
	switch {
	case set == nil || best == nil:
		l.ok("predictor", "%s: %d jobs have ended in %d days, too few to test it on", l.Schedule.Predictor, result.Jobs, foretellDays)
	case result.Gain() == 0:
		l.ok("predictor", "%s: predicted lengths are off by a factor of %s on average, of %d jobs of the last %.1f days, and no other is clearly better",
			set.Name(), set.Factor(), result.Jobs, days)
	default:
		l.add("predictor", Warn, "set "+result.Settings(best),
			"%s: predicted lengths are off by a factor of %s on average, of %d jobs of the last %.1f days; %s would be better by %.0f %%, off by %s",
			set.Name(), set.Factor(), result.Jobs, days, best.Name(), 100*result.Gain(), best.Factor())
	}
}

// latest reads the jobs of the last foretellDays from the tables, or of fewer days if there
// are more than most of them, see archive.Recent.
func latest(ctx context.Context, r *slurmdb.Reader, most int) (*accounting.History, error) {
	from, now, err := archive.Recent(ctx, r, foretellDays*86400, most)
	if err != nil {
		return nil, err
	}
	return archive.History(ctx, r, from, now, nil)
}

// foretell tests the predictors on the jobs that read returns. days is how many days these
// span.
func (l *checklist) foretell(ctx context.Context, read func(context.Context) (*accounting.History, error)) (result backtest.Result, days float64, err error) {
	h, err := read(ctx)
	if err != nil {
		return result, 0, err
	}
	return backtest.Test(h, backtest.Options{
		Predictor: l.Schedule.Predictor.String(), Class: l.Schedule.Class.String(), Tree: l.Schedule.Shares == ledger.Tree,
		DefaultLimit: slurmdb.DefaultLimit,
		MaxTime:      priority.MaxTimes(l.partitions), // if they are not known, the limits of the jobs themselves must do
	}), float64(h.To-h.From) / 86400, nil
}
