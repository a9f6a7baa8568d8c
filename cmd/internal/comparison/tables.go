package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich/report"
)

// Tables returns plain tables for a terminal: a row for each run; the differences
// with their intervals; how near the simulation is; what it leaves out; for each run, for whom it got
// worse and better; for each run, the users furthest from an equal share; how
// well lengths of jobs can be predicted. Long ones have all measures, users with too few
// campaigns to tell, and tables of what was in time by length and of all users.
//
// Where the record can tell of no run what it changes, short ones have neither the runs nor
// anything that compares them.
func (c *Comparison) Tables(long bool) []format.Table {
	var list []format.Table
	if long || !c.Silent() {
		list = append(list, c.runTable(long), c.differenceTable(long))
	}
	for _, t := range []format.Table{c.agreementTable(), c.leftTable(), c.assumedTable(), c.firstDifferenceTable()} {
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	for i := range c.Groups {
		if long || i == 0 {
			list = append(list, c.groupTable(i, long))
		}
	}
	for _, w := range c.Changes {
		worse, better := c.sides(w.Run)
		if !long { // a sentence counts them, see people
			few := func(u *User) bool { return u.change(w.Run).Stretch.Reading == TooFew }
			worse, better = slices.DeleteFunc(worse, few), slices.DeleteFunc(better, few)
		}
		list = append(list,
			c.sideTable(fmt.Sprintf("Higher mean stretch under %s than under %s", w.Run, c.Baseline), w.Run, worse),
			c.sideTable(fmt.Sprintf("Lower mean stretch under %s than under %s", w.Run, c.Baseline), w.Run, better))
	}
	for i := range c.Runs {
		if worst := c.worstOff(c.Runs[i].Run); len(worst) > 0 && (long || !c.Silent()) {
			list = append(list, c.rhoTable(c.Runs[i].Run, worst))
		}
	}
	if len(c.Predictors) > 0 {
		list = append(list, c.lengthTable())
	}
	if len(c.Tools) > 0 {
		list = append(list, c.toolTable())
	}
	if long {
		list = append(list, c.satisfactionTable(), c.userTable(c.Users))
	}
	return list
}

// runTable returns a row for each run, and a column for each leading measure, or for
// all measures if long.
func (c *Comparison) runTable(long bool) format.Table {
	t := format.Table{Title: "Runs", Header: []string{"run"}, Names: 1}
	for _, m := range measures {
		if long || m.Show == report.Lead {
			t.Header = append(t.Header, m.Name)
		}
	}
	t.Header = append(t.Header, "campaigns", "jobs", "simulated in")
	for i := range c.Runs {
		f := &c.Runs[i]
		row := []any{f.Run}
		for m, v := range f.values {
			if long || measures[m].Show == report.Lead {
				row = append(row, valueCell(measures[m].Unit, v))
			}
		}
		seconds := format.None()
		if f.Seconds > 0 {
			seconds = format.Value(f.Seconds, fmt.Sprintf("%.2f s", f.Seconds))
		}
		t.Add(append(row, f.Campaigns, f.Jobs, seconds)...)
	}
	return t
}

// longOnly reports whether the measure is shown in long tables only.
func (d *Difference) longOnly() bool {
	return slices.ContainsFunc(measures, func(m report.Compared) bool { return m.Key == d.Measure && m.Show == report.LongOnly })
}

func (c *Comparison) differenceTable(long bool) format.Table {
	t := format.Table{
		Title: "Differences from " + c.Baseline, Names: 2,
		Header: []string{"run", "measure", c.Baseline, "value", "difference", "95 % interval", "reading"},
		Pairs:  map[int][2]string{5: {"difference low", "difference high"}},
	}
	for i := range c.Differences {
		d := &c.Differences[i]
		if !long && d.longOnly() {
			continue
		}
		t.Add(d.Run, d.Name, valueCell(d.Unit, d.Baseline), valueCell(d.Unit, d.Value), changeCell(d.Unit, d.Difference), intervalCell(d.Interval, d.Unit), d.Reading)
	}
	return t
}

func (c *Comparison) agreementTable() format.Table {
	t := format.Table{
		Title: "How near the simulation is", Names: 1, Header: []string{"figure", "value", "95 % interval"},
		Pairs: map[int][2]string{2: {"value low", "value high"}},
	}
	correlation := func(name string, x *float64, i *report.Interval) {
		t.Add(name, format.Maybe(x, func(x float64) format.Cell { return format.Value(x, tau(x)) }), tauCell(i))
	}
	if a := c.Agreement; a != nil {
		t.Add("mean wait, simulated "+c.Baseline, lengthCell(a.MeanWait), format.None())
		t.Add("mean wait, recorded", lengthCell(a.RecordedMeanWait), format.None())
		t.Add("mean wait, simulated less recorded", changeCell("s", a.WaitDifference), intervalCell(a.WaitInterval, "s"))
		t.Add("mean stretch per user, simulated less recorded", changeCell("", a.UserStretchDifference), format.None())
		t.Add("start of a job, mean distance from the recorded one", lengthCell(a.MeanError), format.None())
		t.Add("jobs that start within "+format.Length(nearSeconds)+" of the recorded start", percentCell(a.Near), format.None())
		correlation("order of the starts, Kendall's tau-b", a.StartTau, a.TauInterval)
		correlation("order of the starts, Spearman's rho", a.StartRho, nil)
		correlation("waits, Kendall's tau-b with the recorded ones", a.WaitTau, nil)
		correlation("waits, Spearman's rho with the recorded ones", a.WaitRho, nil)
	}
	if l := c.Controller; l != nil {
		t.Add("live controller: greatest difference of a fairshare factor, of "+format.Plural(l.Users, "user"), format.Value(l.MaxDelta, fmt.Sprintf("%.6f", l.MaxDelta)), format.None())
		correlation(fmt.Sprintf("live controller: order of %s, Kendall's tau", format.Plural(l.Jobs, "pending job")), l.Tau, nil)
	}
	return t
}

// sides returns the users whose mean stretch a run raised, and those whose it
// lowered, the greatest effect first.
func (c *Comparison) sides(run string) (worse, better []*User) {
	worse = c.ranked(0, func(u *User) float64 { return u.change(run).Stretch.Difference })
	better = c.ranked(0, func(u *User) float64 { return -u.change(run).Stretch.Difference })
	return worse, better
}

// worstOff returns the users with a mean rho above 1 in a run, the greatest
// first.
func (c *Comparison) worstOff(run string) []*User {
	return c.ranked(1, func(u *User) float64 { return u.run(run).MeanRho })
}

// ranked returns the users with a value above a limit, the greatest first.
func (c *Comparison) ranked(limit float64, value func(*User) float64) []*User {
	var list []*User
	for i := range c.Users {
		if value(&c.Users[i]) > limit {
			list = append(list, &c.Users[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *User) int { return cmp.Compare(value(b), value(a)) })
	return list
}

// withoutAccounts removes column 1, the account, from a table of users if nobody
// has one. It is for the page: programs that read tables expect all columns.
func (c *Comparison) withoutAccounts(t format.Table) format.Table {
	if slices.ContainsFunc(c.Users, func(u User) bool { return u.Account != "" }) {
		return t
	}
	t.Names--
	t.Header = slices.Delete(t.Header, 1, 2)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 1, 2)
	}
	return t
}

func (c *Comparison) sideTable(title, run string, users []*User) format.Table {
	t := format.Table{
		Title: title, Names: 2, Users: true,
		Header: []string{
			"user", "account", "core-hours", "campaigns", "stretch before", "after", "change", "95 % interval", "reading",
			"change of mean wait", "95 % interval", "reading",
		},
		Pairs: map[int][2]string{7: {"change low", "change high"}, 10: {"change of mean wait low", "change of mean wait high"}},
	}
	for _, u := range users {
		change := u.change(run)
		t.Add(u.Name, u.Account, hoursCell(u.CoreHours), u.Campaigns,
			numberCell(u.Runs[c.s.in.Baseline].MeanStretch), numberCell(u.run(run).MeanStretch),
			changeCell("", change.Stretch.Difference), intervalCell(change.Stretch.Interval, ""), change.Stretch.Reading,
			changeCell("s", change.Wait.Difference), intervalCell(change.Wait.Interval, "s"), change.Wait.Reading)
	}
	return t
}

// rhoTable lists users with what they got of an equal share in a run.
func (c *Comparison) rhoTable(run string, users []*User) format.Table {
	t := format.Table{
		Title: "Users furthest from an equal share of the machine under " + run, Names: 2, Users: true,
		Header: []string{"user", "account", "core-hours", "campaigns", "campaigns with rho <= 1", "mean rho", "greatest rho"},
	}
	for _, u := range users {
		r := u.run(run)
		t.Add(u.Name, u.Account, hoursCell(u.CoreHours), u.Campaigns, percentCell(r.RhoLe1), numberCell(r.MeanRho), numberCell(r.MaxRho))
	}
	return t
}

func (u *User) run(name string) *UserRun {
	i := slices.IndexFunc(u.Runs, func(r UserRun) bool { return r.Run == name })
	return &u.Runs[i]
}

func (c *Comparison) userTable(users []User) format.Table {
	t := format.Table{Title: "Users", Header: []string{"user", "account", "jobs", "campaigns", "core-hours"}, Names: 2, Users: true}
	for i := range c.Runs {
		for _, what := range []string{"mean stretch", "greatest stretch", "mean wait"} {
			t.Header = append(t.Header, c.Runs[i].Run+": "+what)
		}
	}
	for i := range users {
		u := &users[i]
		row := []any{u.Name, u.Account, u.Jobs, u.Campaigns, hoursCell(u.CoreHours)}
		for _, r := range u.Runs {
			mean, most := format.None(), format.None()
			if u.Campaigns > 0 {
				mean, most = numberCell(r.MeanStretch), numberCell(r.MaxStretch)
			}
			row = append(row, mean, most, lengthCell(r.MeanWait))
		}
		t.Add(row...)
	}
	return t
}

// satisfactionTable returns a row for the jobs, and one for the campaigns, of each length
// in each run.
func (c *Comparison) satisfactionTable() format.Table {
	t := format.Table{
		Title: "Within the accepted wait (" + c.Runs[0].Satisfaction.Accepted + "), by length", Names: 3,
		Header: []string{"run", "of", "length"},
	}
	for _, m := range report.LatenessColumns {
		t.Header = append(t.Header, m.Name)
	}
	for i := range c.Runs {
		for _, r := range c.Runs[i].Satisfaction.Rows() {
			row := []any{c.Runs[i].Run, r.Of, r.Size}
			for _, m := range report.LatenessColumns {
				row = append(row, valueCell(m.Unit, m.From(&r.InTime)))
			}
			t.Add(row...)
		}
	}
	return t
}

// lengthTable returns a row for each predictor.
func (c *Comparison) lengthTable() format.Table {
	t := format.Table{
		Title: "Lengths, predicted when a job was submitted from what had ended by then", Names: 2,
		Header: []string{"predictor", "class", "mean abs ln error", "error by work", "within a factor of 2", "tells jobs below 60 s", "note"},
	}
	for i := range c.Predictors {
		p := &c.Predictors[i]
		note, class := "", format.None()
		switch {
		case p.Set && p.Best:
			note = "set, the best"
		case p.Set:
			note = "set"
		case p.Best:
			note = "the best"
		}
		if p.Class != "" {
			class = format.Shown(p.Class, p.Class)
		}
		t.Add(p.Predictor, class, hundredths(p.LogError), percentCell(p.WorkError), percentCell(p.Within2), format.Maybe(p.ShortAUC, hundredths), note)
	}
	return t
}

// toolTable returns a row for each workflow tool.
func (c *Comparison) toolTable() format.Table {
	t := format.Table{
		Title: "Lengths, predicted by alike, by workflow tool", Names: 1,
		Header: []string{"tool", "jobs", "told by submit_line", "mean abs ln error by name", "by step (auto)"},
	}
	for i := range c.Tools {
		tool := &c.Tools[i]
		name := format.Shown("none", "")
		if tool.Tool != "" {
			name = format.Shown(tool.Tool, tool.Tool)
		}
		t.Add(name, tool.Jobs, tool.ByLine, hundredths(tool.Name), hundredths(tool.Kind))
	}
	return t
}

// mostRows is how many rows of a table about users are shown unless it is long.
const mostRows = 10

// TextTables returns the Tables as a terminal shows them.
func (c *Comparison) TextTables(long bool) []format.Table {
	tables := c.Tables(long)
	for i := range tables {
		t := &tables[i]
		if t.Users && len(t.Rows) > mostRows && !long {
			t.Title = fmt.Sprintf("%s: %d of %d users, all with --long", t.Title, mostRows, len(t.Rows))
			t.Rows = t.Rows[:mostRows]
		}
	}
	return capitals(tables)
}

func capitals(tables []format.Table) []format.Table {
	for i := range tables {
		tables[i].Header = format.Texts(tables[i].Header, strings.ToUpper)
		for column, names := range tables[i].Pairs {
			tables[i].Pairs[column] = [2]string{strings.ToUpper(names[0]), strings.ToUpper(names[1])}
		}
	}
	return tables
}

// Sentences say in words what changed, below the tables.
func (c *Comparison) Sentences() string {
	var parts []string
	for _, change := range c.Changes {
		parts = append(parts, section(change.Run+", compared with "+c.Baseline, change.Sentences))
	}
	if c.Lengths != "" {
		parts = append(parts, section("Lengths", []string{c.Lengths}))
	}
	return strings.Join(append(parts, section("Notes", c.Notes)), "")
}

// section writes sentences below a title, or nothing.
func section(title string, sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "\n" + title + "\n  " + strings.Join(sentences, "\n  ") + "\n"
}
