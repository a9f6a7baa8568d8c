package comparison

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trial"
)

// conclude says in one sentence what came of the trial, and what it rests on.
func (c *Trial) conclude() {
	e := &c.Effects[0]
	times := func(x float64) string { return format.Number(x) + " times" }
	said := fmt.Sprintf("users waited %s as long as needed for their results under OStrich, and %s under stock Slurm", times(e.OStrich), times(e.Stock))
	switch {
	case e.InOStrich == 0 && e.InStock == 0:
		said = "no campaign was measured"
	case e.InOStrich == 0:
		said = "no campaign was measured under OStrich"
	case e.InStock == 0:
		said = "no campaign was measured under stock Slurm"
	}
	if e.Ratio != nil {
		said += ": " + format.Number(*e.Ratio) + " of it"
		if e.Interval != nil {
			said += fmt.Sprintf(" (95 %% interval %s)", ratioBetween(e.Interval))
		}
	}
	said += fmt.Sprintf(", by the draw of %s and %d", format.Plural(e.InOStrich, "period"), e.InStock)
	switch c.Reading = e.Reading; e.Reading {
	case Better:
		c.Verdict = append(c.Verdict, "Better: "+said+".")
	case Worse:
		c.Verdict = append(c.Verdict, "Worse: "+said+".")
	default:
		why := "chance alone may explain the difference"
		switch {
		case e.Reading == TooFew:
			why = "there are too few periods"
		case e.Interval.Excludes(1) && e.against():
			why = "with what is left out it points the other way"
		case e.Interval.Excludes(1):
			why = "what periods leave to the next ones may explain the difference"
		}
		c.Reading = CannotTell
		c.Verdict = append(c.Verdict, "Cannot tell, as "+why+": "+said+".")
	}
	if e.Carried != nil {
		c.Verdict = append(c.Verdict, fmt.Sprintf("What one period leaves to the next explains at most ±%s of it.", format.Percent(*e.Carried)))
	}
	if e.Whole != nil {
		c.Verdict = append(c.Verdict, fmt.Sprintf("Left out are %s and %s that were submitted in a washout, or pending or running at the end of their period; with them, by when they were submitted, it is %s.",
			format.Plural(c.LeftJobs, "job"), format.Plural(c.LeftCampaigns, "campaign"), format.Number(*e.Whole)))
	}
	if len(c.Missing) > 0 {
		c.Verdict = append(c.Verdict, "Days without accounting are left out: "+days(c.Missing)+".")
	}
	const aSecondOfADay = 1e-5
	for _, about := range []struct {
		arm  trial.Arm
		said string
	}{
		{trial.OStrich, "For %s of the time drawn for OStrich it is not known that OStrich enforced: ostrichd was down, or stood by. It counts by the draw all the same"},
		{trial.Stock, "For %s of the time drawn for stock Slurm it is not known that all was given back: values that ostrichd had written stay while it is down or cannot do its cycles"},
	} {
		part, most := c.unknown(about.arm)
		if part <= aSecondOfADay {
			continue
		}
		text := fmt.Sprintf(about.said, format.Percent(part))
		if len(most) > 0 {
			text += ", most in the periods from " + days(most)
		}
		c.Verdict = append(c.Verdict, text+".")
	}
}

// against reports whether what belongs to no arm turns the estimate round.
func (e *TrialEffect) against() bool {
	return e.Ratio != nil && e.Whole != nil && (*e.Ratio-1)*(*e.Whole-1) < 0
}

// unknown returns the part of the time drawn for an arm in which it is not known to have been in force, and the
// periods in which that is most.
func (c *Trial) unknown(arm trial.Arm) (part float64, most []string) {
	drawn, up := 0.0, 0.0
	for i := range c.Periods {
		if p := &c.Periods[i]; p.Arm == arm {
			if drawn, up = drawn+1, up+p.Covered; p.Covered < 0.9 {
				most = append(most, fmt.Sprintf("%s (%s)", moment(p.From, c.location), format.Percent(1-p.Covered)))
			}
		}
	}
	if drawn == 0 {
		return 0, nil
	}
	return 1 - up/drawn, most
}

// trialTitles are the titles of the tables, by what they divide by.
type trialTitle struct{ by, title string }

var trialTitles = []trialTitle{
	{"all", "Effect of OStrich"},
	{"user", "By user"},
	{"account", "By account"},
	{"qos", "By QOS"},
	{"partition", "By partition"},
	{"size", "By processors"},
	{"resource", "By resource (GPU)"},
}

// Tables returns the effects as tables. Unless long, only groups with an interval, and not too many users, are listed.
func (c *Trial) Tables(long bool) []format.Table {
	var list []format.Table
	for _, about := range trialTitles {
		t := format.Table{
			Title: about.title, Names: 2,
			Header: []string{"group", "measure", "stock", "ostrich", "ratio", "95 % interval", "carry-over at most", "with all", "reading"},
			Pairs:  map[int][2]string{5: {"ratio low", "ratio high"}},
		}
		left := 0
		for i := range c.Effects {
			e := &c.Effects[i]
			if e.By != about.by {
				continue
			}
			if !long && e.By != "all" && (e.Interval == nil || len(t.Rows) >= sideRows) {
				left++
				continue
			}
			unit := report.Unit("")
			if e.Measure == "wait" {
				unit = "s"
			}
			name := e.Group
			if e.By == "all" {
				name = "all"
			}
			level := func(x float64, periods int) format.Cell {
				if periods == 0 {
					return format.None()
				}
				return valueCell(unit, x)
			}
			t.Add(name, e.Name, level(e.Stock, e.InStock), level(e.OStrich, e.InOStrich),
				format.Maybe(e.Ratio, numberCell), format.Maybe(e.Interval, ratioCell), format.Maybe(e.Carried, percentCell), format.Maybe(e.Whole, numberCell), e.Reading)
		}
		if left > 0 {
			t.Title += fmt.Sprintf(": %d more with --long", left)
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// PeriodTable lists the periods that were analysed.
func (c *Trial) PeriodTable() format.Table {
	t := format.Table{Title: "Periods", Header: []string{"from", "arm", "jobs", "campaigns", "stretch of users", "in force"}, Names: 2}
	for i := range c.Periods {
		p := &c.Periods[i]
		t.Add(momentCell(p.From, c.location), p.Arm.String(), p.Jobs, p.Campaigns, numberCell(p.Stretch), percentCell(p.Covered))
	}
	return t
}

// TextTables returns the tables as a terminal shows them.
func (c *Trial) TextTables(long bool) []format.Table {
	list := c.Tables(long)
	if long {
		list = append(list, c.PeriodTable())
	}
	return capitals(list)
}

// Sentences returns the notes, below the tables.
func (c *Trial) Sentences() string { return section("Notes", c.Notes) }

//go:embed trial.html
var trialText string

// trialPage is the data of the template.
type trialPage struct {
	*Trial
	Where        string
	Chart, Daily template.HTML
	Effect       []format.Table
	PeriodTable  format.Table
}

// WriteHTML writes a self-contained page, as Comparison.WriteHTML does.
func (c *Trial) WriteHTML(w io.Writer) error {
	first, last := &c.Periods[0], &c.Periods[len(c.Periods)-1]
	return WritePage(w, trialText, trialPage{
		Trial: c, Where: strings.Join([]string{c.Source, moment(first.From, c.location) + " to " + moment(last.To, c.location), format.Plural(c.Procs, "processor")}, " · "),
		Chart: c.chart(), Daily: c.daily(), Effect: c.Tables(true), PeriodTable: c.PeriodTable(),
	})
}

// chart draws the ratios of the effects with an interval.
func (c *Trial) chart() template.HTML {
	chart := svg.Rows{Text: "What OStrich changes, in per cent of stock Slurm", Width: PageWidth}
	most := 0.05
	for i := range c.Effects {
		e := &c.Effects[i]
		if e.Ratio == nil || e.By != "all" && (e.Interval == nil || e.By == "user" || len(chart.Rows) > 3*sideRows) {
			continue
		}
		v, reach := ratioValue(*e.Ratio, e.Interval, e.Reading)
		most = max(most, reach)
		name := e.Name
		if e.By != "all" {
			name = e.By + " " + e.Group
		}
		chart.Rows = append(chart.Rows, svg.Row{Name: name, Values: []svg.Value{v}})
	}
	chart.X = Differences("stock Slurm", most)
	return chart.Draw().Inline()
}

// daily draws the stretch of each period, by arm.
func (c *Trial) daily() template.HTML {
	most := 0.0
	chart := svg.Chart{Text: "Stretch of users, by period", Width: PageWidth, Height: 260, X: times(c.Periods[0].From, c.Periods[len(c.Periods)-1].To, c.location)}
	for arm := range trial.ArmNames {
		s := svg.Series{Marks: "dot " + svg.Run(arm)}
		for i := range c.Periods {
			if p := &c.Periods[i]; int(p.Arm) == arm && p.Stretch > 0 {
				s.Points = append(s.Points, svg.Point{X: float64(p.From+p.To) / 2, Y: p.Stretch})
				most = max(most, p.Stretch)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	chart.Y = svg.UpTo("stretch of users", most)
	return chart.Draw().Inline()
}

// words says how long a trial must be.
func (p *TrialPlan) words(in *time.Location) []string {
	var said []string
	for _, w := range p.Plans[:2] {
		text := fmt.Sprintf("%.0f %% less takes ", 100*w.Effect)
		if w.Weeks == nil {
			text += "more than ten years, or cannot be planned from this history"
		} else {
			text += format.Plural(*w.Weeks, "week")
		}
		said = append(said, text)
	}
	return []string{
		fmt.Sprintf("To see a stretch of users that is %s, with a probability of 80 %%.", strings.Join(said, "; ")),
		fmt.Sprintf("Planned from %d periods with jobs from %s to %s, as they would have been drawn.", p.Periods, moment(p.From, in), moment(p.To, in)),
	}
}

// Tables returns the plan as a table.
func (p *TrialPlan) Tables() []format.Table {
	t := format.Table{Title: "Weeks of a trial", Header: []string{"measure", "less by", "weeks"}, Names: 1}
	for _, w := range p.Plans {
		t.Add(w.Name, percentCell(w.Effect), format.Maybe(w.Weeks, func(n int) format.Cell { return format.Value(float64(n), format.Count(n)) }))
	}
	return capitals([]format.Table{t})
}

// Sentences returns the notes, below the table.
func (p *TrialPlan) Sentences() string { return section("Notes", p.Notes) }
