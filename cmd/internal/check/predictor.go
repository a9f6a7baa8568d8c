package check

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"slurm-ostrich/cmd/internal/backtest"
	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/lengths"
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
		l.ok("predictor", "%s: %d job{|s} {has|have} ended in %d days, too few to test it on", l.Schedule.Predictor, result.Jobs, foretellDays)
	case result.Gain() == 0:
		l.ok("predictor", "%s: predicted lengths are off by a factor of %s on average, of %d job{|s} of the last %.1f days, and no other is clearly better",
			set.Name(), set.Factor(), result.Jobs, days)
	default:
		l.add("predictor", Warn, "set "+result.Settings(best),
			"%s: predicted lengths are off by a factor of %s on average, of %d job{|s} of the last %.1f days; %s would be better by %.0f %%, off by %s",
			set.Name(), set.Factor(), result.Jobs, days, best.Name(), 100*result.Gain(), best.Factor())
	}
	l.checkTools(&result)
}

// telling is the part by which lengths of tools' jobs are better that is worth a setting.
const telling = 0.02

// checkTools reports which workflow tools users use, and whether it brings anything to ask
// what they say of their jobs.
func (l *checklist) checkTools(r *backtest.Result) {
	var found []string
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Tool == "" {
			continue
		}
		name, kind := t.Factors()
		text := fmt.Sprintf("%s %s (off by %s by name, %s by step", t.Tool, format.Plural(t.Jobs, "job"), name, kind)
		if t.ByLine > 0 {
			text += fmt.Sprintf("; the line of submission tells of %d", t.ByLine)
		}
		found = append(found, text+")")
	}
	if len(found) == 0 {
		if len(l.Tools) > 0 && !l.ByTool() {
			l.add("tools", Warn, "set schedule.class: auto or campaign.declared: auto, or take the rows away", "tools has rows of the site's own, and nothing asks for them")
		}
		return
	}
	text := format.List(found)
	gain, jobs := r.ToolGain() // by step beside by name, with alike
	if l.Schedule.Predictor != lengths.Alike {
		gain = 0
	}
	switch {
	case l.Schedule.Class == ledger.ByName && gain > telling:
		l.add("tools", Warn, "set schedule.class: auto", "%s: by step, predicted lengths of these %d job{|s} would be better by %.0f %%", text, jobs, 100*gain)
	case l.Schedule.Class == ledger.ByKind && gain < -telling:
		l.add("tools", Warn, "set schedule.class: name", "%s: by name, predicted lengths of these %d job{|s} would be better by %.0f %%", text, jobs, -100*gain)
	default:
		l.ok("tools", "%s", text)
	}
}

// latest reads the jobs of the last foretellDays from the tables, or of fewer days if there
// are more than most of them, see archive.Recent.
func latest(ctx context.Context, r *slurmdb.Reader, most int) (*accounting.History, error) {
	from, now, err := archive.Recent(ctx, r, foretellDays*86400, most)
	if err != nil {
		return nil, err
	}
	return archive.History(ctx, r, from, now)
}

// foretell tests the predictors on the jobs that read returns. days is how many days these
// span.
func (l *checklist) foretell(ctx context.Context, read func(context.Context) (*accounting.History, error)) (result backtest.Result, days float64, err error) {
	h, err := read(ctx)
	if err != nil {
		return result, 0, err
	}
	known, err := l.KnownTools()
	if err != nil {
		return result, 0, err
	}
	return backtest.Test(h, backtest.Options{
		Predictor: l.Schedule.Predictor.String(), Class: l.Schedule.Class.String(), Tree: l.Schedule.Shares == ledger.Tree,
		DefaultLimit: slurmdb.DefaultLimit, Tools: known,
		MaxTime: priority.MaxTimes(l.partitions), // if they are not known, the limits of the jobs themselves must do
	}), float64(h.To-h.From) / 86400, nil
}

// checkForecasts says how often the daemon's answers when jobs start have held. Before it has kept any it says nothing.
func (l *checklist) checkForecasts(now ostrich.Time) {
	if l.byOther || l.Journal == "" {
		return // and so cannot read the file
	}
	const name = "forecasts"
	path := foresight.Path(l.Journal)
	all, err := foresight.Records(path, l.Cluster, now)
	switch {
	case errors.Is(err, syscall.ENOTDIR): // the journal's own line says so
		return
	case err != nil:
		l.add(name, Warn, "nothing: ostrichd learns anew, and writes another file; give each cluster a journal of its own", "%v", err)
	}
	for _, r := range all {
		of := ""
		if r.Pool != "" && len(all) > 1 {
			of = "pool " + r.Pool + ": "
		}
		part, enough := r.Part()
		switch {
		case !enough:
			l.ok(name, "%s%d answer{|s} of the last 30 days {is|are} known, and it takes %d to say how often they hold", of, r.Of, foresight.Enough)
		case r.CannotTell():
			l.add(name, Warn, "let users go by the start by limits, which explain shows in place of odds that do not hold; the odds learn from their own errors, and where they stay wrong for weeks ostrich compare --forecast tells for which waits",
				"%sheld %.1f %% of %d time{|s} in 30 days, and at least 70 %% were to", of, 100*part, r.Of)
		default:
			l.ok(name, "%sheld %.0f %% of %d time{|s} in 30 days", of, 100*part, r.Of)
		}
	}
}
