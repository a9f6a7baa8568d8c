package comparison

import (
	"fmt"
	"math"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/report"
)

// outcome says in two sentences for each simulated run whether users gain, and
// who pays; or that the record cannot tell, and nothing else.
func (c *Comparison) outcome() []string {
	list := []string{}
	for _, d := range c.Differences {
		if d.Measure != report.UserMean.Key || c.recorded(d.Run) {
			continue
		}
		if !c.tells(d.Run) {
			list = append(list, c.cannotTell(d.Run))
			continue
		}
		gain := map[Reading]string{Better: "Users gain", Worse: "Users pay", Unclear: "No clear change for users", TooFew: "Too few users to tell"}[d.Reading]
		list = append(list, fmt.Sprintf("%s under %s, compared with %s: the %s. %s", gain, d.Run, c.Baseline, d.change(), c.gainers(d.Run)))
	}
	return list
}

// gainers says for how many users a run is clearly better and clearly worse by
// mean campaign stretch, and names the user with the greatest change each way.
func (c *Comparison) gainers(run string) string {
	stretch := func(u *UserChange) *Change { return &u.Stretch }
	judged := len(c.group(run, stretch, Better, Worse, Differs, Unclear).members)
	if judged == 0 {
		return "No user has enough campaigns to tell who gains and who pays."
	}
	side := func(reading Reading, verb string) string {
		g := c.group(run, stretch, reading)
		if len(g.members) == 0 {
			return "none clearly " + verb
		}
		top := g.members[0]
		return fmt.Sprintf("%d clearly %s (%s of the core-hours; most %s: %s, 95 %% interval %s)", len(g.members), verb, format.Percent(g.part),
			top.user.Name, signed(top.change.Difference), between(top.change.Interval, ""))
	}
	return fmt.Sprintf("Of %s with an interval, %s and %s.", format.Plural(judged, "user"), side(Better, "gain"), side(Worse, "pay"))
}

// cannotTell says that the error of the simulation is larger than what a run changes.
func (c *Comparison) cannotTell(run string) string {
	var why []string
	for _, d := range c.Differences {
		miss, is := c.miss(d.Measure)
		if !is || d.Run != run || math.Abs(d.Difference) >= math.Abs(miss) {
			continue
		}
		off := change(d.Unit, miss)
		if d.Measure == report.WaitMean.Key && c.Agreement.WaitInterval != nil {
			off = fmt.Sprintf("%s (%s)", off, strings.TrimPrefix(interval(c.Agreement.WaitInterval, d.Unit), "; "))
		}
		why = append(why, fmt.Sprintf("in the simulated %s the %s is off by %s from what happened, and %s changes it by %s",
			c.Baseline, d.Name, off, run, change(d.Unit, d.Difference)))
	}
	return fmt.Sprintf("This record cannot tell what %s would change: %s.", run, strings.Join(why, "; "))
}
