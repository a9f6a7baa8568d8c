package sidecar

import (
	"errors"
	"syscall"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/ostrich"
)

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
