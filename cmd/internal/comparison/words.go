package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// named is how many users a sentence names.
const named = 8

// nearness says how far the simulation is from what happened.
func (c *Comparison) nearness() []string {
	a, base := c.Agreement, c.Baseline
	if a == nil {
		if c.Runs[c.s.in.Baseline].Recorded {
			return []string{"The baseline is what happened; nothing tells how far a simulation of it would be from that. " +
				"Part of each difference is the simulation's own."}
		}
		return []string{fmt.Sprintf("There is no recorded run, so nothing tells how far the simulated %s is from what happened. "+
			"The differences below compare simulations.", base)}
	}
	if c.Silent() {
		return nil
	}
	order := "which starts came first cannot be compared"
	if a.StartTau != nil {
		order = "Kendall's tau of the order of the starts is " + format.Number(*a.StartTau)
		if a.TauInterval != nil {
			order += fmt.Sprintf(" (95 %% interval %s to %s)", format.Number(a.TauInterval.Low), format.Number(a.TauInterval.High))
		}
	}
	if a.WaitTau != nil {
		order += ", and that of the waits " + format.Number(*a.WaitTau)
	}
	facts := fmt.Sprintf("%s; the mean wait is %s, and %s as recorded (%s%s); a job starts %s earlier or later than it did on average, %s of the jobs within %s",
		order, format.Length(a.MeanWait), format.Length(a.RecordedMeanWait), signedLength(a.WaitDifference), interval(a.WaitInterval, "s"),
		format.Length(a.MeanError), format.Percent(a.Near), format.Length(nearSeconds))
	if a.Far {
		return []string{fmt.Sprintf("The simulated %s is not close to what happened: %s. "+
			"The differences below compare two simulations. Take them as a direction, not as a forecast for this machine.", base, facts)}
	}
	return []string{fmt.Sprintf("The simulated %s is close to what happened: %s.", base, facts)}
}

func (c *Comparison) recorded(run string) bool {
	return slices.ContainsFunc(c.Runs, func(f Figures) bool { return f.Run == run && f.Recorded })
}

// changes says for each simulated run what it changed.
func (c *Comparison) changes() []Changes {
	list := []Changes{}
	for i, f := range c.Runs {
		if i == c.s.in.Baseline || f.Recorded || !c.tells(f.Run) {
			continue
		}
		w := Changes{Run: f.Run}
		w.Sentences = append(w.Sentences, c.measured(f.Run)...)
		w.Sentences = append(w.Sentences, c.people(f.Run)...)
		list = append(list, w)
	}
	return list
}

// measured returns the sentences on the measures: in full the median stretch, its
// mean per user, its p95 and the mean wait, then what else got clearly better or
// worse.
func (c *Comparison) measured(run string) []string {
	var list, better, worse, unclear []string
	full := []string{report.StretchP50.Key, report.UserMean.Key, report.StretchP95.Key, report.RhoKept.Key, report.WaitMean.Key}
	for _, d := range c.Differences {
		if d.Run != run || d.longOnly() {
			continue
		}
		text := fmt.Sprintf("%s %s, was %s", d.Name, amount(d.Unit, d.Value), amount(d.Unit, d.Baseline))
		switch {
		case slices.Contains(full, d.Measure):
			list = append(list, d.sentence())
		case d.Reading == Better:
			better = append(better, text)
		case d.Reading == Worse:
			worse = append(worse, text)
		case d.Reading == Unclear:
			unclear = append(unclear, d.Name)
		}
	}
	if len(better) > 0 {
		list = append(list, "Also better: "+strings.Join(better, "; ")+".")
	}
	if len(worse) > 0 {
		list = append(list, "Worse: "+strings.Join(worse, "; ")+".")
	}
	if len(unclear) > 0 {
		list = append(list, "Not clearly changed: "+format.List(unclear)+".")
	}
	return list
}

func (d *Difference) sentence() string {
	sure := ", which is not clearly different from no change"
	if d.Reading.clear() {
		sure = ""
	} else if d.Reading == TooFew {
		sure = ", of too few users for an interval"
	}
	return fmt.Sprintf("The %s%s.", d.change(), sure)
}

// change says from what to what a measure changed, with the interval.
func (d *Difference) change() string {
	how := "falls from " + amount(d.Unit, d.Baseline) + " to"
	switch {
	case !strings.ContainsAny(change(d.Unit, d.Difference), "123456789"):
		how = "stays at"
	case d.Difference > 0:
		how = "rises from " + amount(d.Unit, d.Baseline) + " to"
	}
	return fmt.Sprintf("%s %s %s (%s%s)", d.Name, how, amount(d.Unit, d.Value), change(d.Unit, d.Difference), interval(d.Interval, d.Unit))
}

// interval returns the interval in words, to follow a difference; "" if there is
// none.
func interval(i *report.Interval, unit report.Unit) string {
	if i == nil {
		return ""
	}
	return "; 95 % interval " + between(i, unit)
}

// people returns the sentences on users, first on those for whom it got worse.
func (c *Comparison) people(run string) []string {
	stretch := func(u *UserChange) *Change { return &u.Stretch }
	wait := func(u *UserChange) *Change { return &u.Wait }
	worse, better := c.group(run, stretch, Worse), c.group(run, stretch, Better)
	longer, shorter := c.group(run, wait, Worse), c.group(run, wait, Better)
	unclear, few := c.group(run, stretch, Unclear), c.group(run, stretch, TooFew)
	few.members = slices.DeleteFunc(few.members, func(m member) bool { return m.user.Campaigns == 0 })

	of := format.Plural(len(c.Users), "user")
	list := []string{
		worse.sentence("", "It got worse, by mean campaign stretch, for", of, "It got clearly worse, by mean campaign stretch, for none of "+of+"."),
		longer.sentence("s", "Jobs wait longer for", of, "Jobs wait clearly longer for none of "+of+"."),
		better.sentence("", "It got better, by mean campaign stretch, for", of, "It got clearly better, by mean campaign stretch, for none of "+of+"."),
		shorter.sentence("s", "Jobs wait less for", of, "Jobs wait clearly less for none of "+of+"."),
	}
	if n := len(unclear.members); n > 0 {
		list = append(list, fmt.Sprintf("For %s the change of the stretch is not clearly different from none.", format.Plural(n, "user")))
	}
	if n := len(few.members); n > 0 {
		text := fmt.Sprintf("For %s with fewer than %d campaigns nothing can be told", format.Plural(n, "user"), confidence.Fewest)
		up := slices.DeleteFunc(slices.Clone(few.members), func(m member) bool { return m.change.Difference <= 0 })
		if len(up) > 0 {
			text += fmt.Sprintf("; the stretch of %d of them rose, most that of %s (%s)", len(up), up[0].user.Name, signed(up[0].change.Difference))
		}
		list = append(list, text+".")
	}
	if n := len(worse.members) + len(better.members) + len(unclear.members); n > 0 {
		list = append(list, fmt.Sprintf("Of %s with an interval, about %s would be named by chance alone if nothing had changed.",
			format.Plural(n, "user"), format.Number(math.Ceil(float64(n)*(1-confidence.Level)))))
	}
	return list
}

// member is a user with the change.
type member struct {
	user   *User
	change *Change
}

// people are users with a common change, the greatest effect first.
type people struct {
	members []member
	part    float64 // of the core-hours
}

// group returns the users for whom a change under a run has one of the readings.
func (c *Comparison) group(run string, of func(*UserChange) *Change, readings ...Reading) (g people) {
	hours, all := 0.0, 0.0
	for i := range c.Users {
		u := &c.Users[i]
		all += u.CoreHours
		if change := of(u.change(run)); slices.Contains(readings, change.Reading) {
			hours += u.CoreHours
			g.members = append(g.members, member{u, change})
		}
	}
	g.part = hours / all
	slices.SortStableFunc(g.members, func(a, b member) int {
		return cmp.Compare(math.Abs(b.change.Difference), math.Abs(a.change.Difference))
	})
	return g
}

// sentence names them, or says what holds for nobody.
func (g *people) sentence(unit report.Unit, what, of, nobody string) string {
	if len(g.members) == 0 {
		return nobody
	}
	var names []string
	for i, m := range g.members {
		if i == named {
			names = append(names, fmt.Sprintf("%d more", len(g.members)-named))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s; %s)", m.user.Name, change(unit, m.change.Difference), coreHours(m.user.CoreHours)))
	}
	return fmt.Sprintf("%s %d of %s, who ran %s of the core-hours: %s.", what, len(g.members), of, format.Percent(g.part), format.List(names))
}

func (u *User) change(run string) *UserChange {
	i := slices.IndexFunc(u.Changes, func(c UserChange) bool { return c.Run == run })
	return &u.Changes[i]
}

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
		return plural.Sprintf("%d clearly "+verb+"{s|} (%s of the core-hours; most %s: %s, 95 %% interval %s)", len(g.members), format.Percent(g.part),
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
