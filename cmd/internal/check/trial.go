package check

import (
	"fmt"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// shownPeriods is how many periods of a draw check lists.
const shownPeriods = 14

// checkTrialDraw says which arm of a trial it is, and what was drawn.
func (l *checklist) checkTrialDraw() {
	d, set := l.Design()
	if !set {
		return
	}
	now := sidecar.HostClock()
	as := l.Config
	as.Mode = configuration.Trial
	state := sidecar.TrialAt(&as, now)
	var drawn *sidecar.Drawn
	if l.Journal != "" && !l.byOther {
		var err error
		if drawn, err = sidecar.CheckDraw(&as, now); err != nil {
			l.add("trial", Fail, "set trial.period, trial.washout, trial.seed and trial.until as they were, or remove the file of the trial to give it up", "%v", err)
			return
		}
	}
	if state.Over {
		l.add("trial", Warn, "see ostrich compare --trial; then set mode to enforce or observe", "%s", state.Words())
		return
	}
	list := d.Between(state.From, d.Until)
	shown := list[:min(len(list), shownPeriods)]
	words := fmt.Sprintf("%s; drawn from %s on, a letter for each %s, O is OStrich and s is stock: %s", state.Words(),
		time.Unix(int64(state.From), 0).Format("2006-01-02 15:04:05"), configuration.FormatSpan(l.Experiment.Period), sidecar.Arms(shown))
	if more := len(list) - len(shown); more > 0 {
		words += fmt.Sprintf(" and %d more, see ostrich compare --trial-draw", more)
	}
	const twoWeeks = ostrich.Time(14 * configuration.Day / time.Second)
	switch {
	case l.Mode != configuration.Trial:
		l.add("trial", Warn, "set mode: trial to begin it, or leave trial.until out", "not begun, as the mode is %s; it would be: %s", l.Mode, words)
	case drawn == nil && d.Until-now < twoWeeks && l.Experiment.Period >= 6*time.Hour:
		l.add("trial", Warn, "set trial.until at least two weeks ahead; ostrich compare --trial-plan says how many", "less than two weeks, in which no weekday has both arms: %s", words)
	default:
		l.ok("trial", "%s", words)
	}
}
