package comparison

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
)

// If the loads differ by more than a tenth of the machine, or one is more than a quarter
// above the other, the waits cannot be compared: on a busy machine waits grow much
// faster than the load.
const (
	loadPoints = 0.1
	loadFactor = 1.25
)

func alike(a, b float64) bool {
	return math.Abs(a-b) <= loadPoints && max(a, b) <= loadFactor*min(a, b)
}

// measuredPart is the part of the core-hours from which on the measured campaigns
// stand for all.
const measuredPart = 0.8

func (p *Period) measured() string {
	return fmt.Sprintf("%s of %s (%s of the core-hours)", format.Plural(p.MeasuredJobs, "job"), format.Plural(p.MeasuredUsers, "user"), format.Percent(p.MeasuredWork))
}

// blockName returns "week" or "day".
func (c *Periods) blockName() string {
	if c.Block == week {
		return "week"
	}
	return "day"
}

func (c *Periods) blocksName() string { return format.Plural(c.Blocks, c.blockName()) }

// verdict says whether it got better, by the mean stretch per user, and how far the
// two periods are comparable.
func (c *Periods) verdict() []string {
	d := &c.Measures[0]
	said := map[Reading]string{
		Better: "Better since then", Worse: "Worse since then", Unclear: "Not told from chance",
		Differs: "Lower since then, with another load",
		TooFew:  fmt.Sprintf("Too little time to tell from chance (%s in each period, and an interval needs %d)", c.blocksName(), confidence.Fewest),
	}[d.Reading]
	var list []string
	loads := fmt.Sprintf("the load was %s of the machine before and %s after", format.Percent(c.Before.Load), format.Percent(c.After.Load))
	if !c.Alike {
		list = append(list, "The two periods cannot be compared: "+loads+". What follows is what happened, and says nothing about the order of the queue.")
		if d.Reading == Differs && d.Difference > 0 {
			said = "Higher since then, with another load"
		}
	}
	list = append(list, fmt.Sprintf("%s: users waited %s times as long as needed for their results; before the date %s times (%s: %s%s; %s).",
		said, amount(d.Unit, d.After), amount(d.Unit, d.Before), d.Name, change(d.Unit, d.Difference), interval(d.Interval, d.Unit), d.times()))
	if c.Alike {
		list = append(list, strings.ToUpper(loads[:1])+loads[1:]+", near enough to compare.")
	}
	list = append(list, fmt.Sprintf("Compared are the %s before %s and the %[1]s after it. Measured: %[3]s before, %s after. "+
		"Left out: %s across that moment, and %d across another end of a period.",
		c.blocksName(), moment(c.Date, c.location), c.Before.measured(), c.After.measured(), format.Plural(c.Straddling, "campaign"), c.Beyond))
	if least := min(c.Before.MeasuredWork, c.After.MeasuredWork); least < measuredPart {
		text := fmt.Sprintf("Only %s of the core-hours of a period are measured, and nothing is said of the others: they are in campaigns that reach over an end of it.", format.Percent(least))
		if c.Measured == "max" || c.Measured == "last" {
			text += fmt.Sprintf(" By the rule %s all jobs of a user who never pauses are one campaign; --measure-rule arrival=30m finds shorter ones.", c.Measured)
		}
		list = append(list, text)
	}
	return append(list, "That something changed with a date does not say why: users, machine and season change too.")
}

// times returns the ratio in words. The ratio of a stretch is known, as none is 0.
func (d *Shift) times() string {
	text := format.Number(*d.Ratio) + " of before"
	if d.RatioInterval != nil {
		text += ", " + ratioBetween(d.RatioInterval)
	}
	return text
}

func ratioBetween(i *report.Interval) string {
	return format.Number(i.Low) + " to " + format.Number(i.High)
}

func ratioCell(i report.Interval) format.Cell { return format.Pair(i.Low, i.High, ratioBetween(&i)) }

// Tables returns the periods and the measures as tables.
func (c *Periods) Tables() []format.Table {
	list := format.Table{Title: "Periods", Header: []string{"period", "from", "to", "load", "utilisation", "jobs", "users", "campaigns"}, Names: 1}
	for i, s := range []*Period{&c.Before, &c.After} {
		used := c.Measures[slices.IndexFunc(c.Measures, func(d Shift) bool { return d.Measure == report.Busy.Key })]
		list.Add([]string{"before", "after"}[i], momentCell(s.From, c.location), momentCell(s.To, c.location), percentCell(s.Load),
			percentCell([]float64{used.Before, used.After}[i]), s.Jobs, s.Users, s.Campaigns)
	}
	return []format.Table{list, c.measureTable()}
}

func (c *Periods) measureTable() format.Table {
	t := format.Table{
		Title: "Before and after", Names: 1,
		Header: []string{"measure", "before", "after", "difference", "95 % interval", "ratio", "95 % interval", "reading"},
		Pairs:  map[int][2]string{4: {"difference low", "difference high"}, 6: {"ratio low", "ratio high"}},
	}
	for i := range c.Measures {
		d := &c.Measures[i]
		t.Add(d.Name, valueCell(d.Unit, d.Before), valueCell(d.Unit, d.After), changeCell(d.Unit, d.Difference), intervalCell(d.Interval, d.Unit),
			format.Maybe(d.Ratio, numberCell), format.Maybe(d.RatioInterval, ratioCell), d.Reading)
	}
	return t
}

// TextTables returns the Tables as a terminal shows them.
func (c *Periods) TextTables() []format.Table {
	return capitals(c.Tables())
}

// Sentences returns the notes, below the tables.
func (c *Periods) Sentences() string { return section("Notes", c.Notes) }

//go:embed periods.html
var periodsText string

// periodsPage is the data of the template.
type periodsPage struct {
	*Periods
	Where, Date, Blocks, BlockName string
	Chart, Weekly                  template.HTML
	PeriodTable, MeasureTable      format.Table
	Fewest                         int
}

// WriteHTML writes a self-contained page, as Comparison.WriteHTML does.
func (c *Periods) WriteHTML(w io.Writer) error {
	tables := c.Tables()
	p := periodsPage{
		Periods: c, Where: strings.Join([]string{c.Source, moment(c.Before.From, c.location) + " to " + moment(c.After.To, c.location), format.Plural(c.Procs, "processor")}, " · "),
		Date: moment(c.Date, c.location), Blocks: c.blocksName(), BlockName: c.blockName(), Chart: c.chart(), Weekly: c.weekly(),
		PeriodTable: tables[0], MeasureTable: tables[1], Fewest: confidence.Fewest,
	}
	return WritePage(w, periodsText, p)
}

// chart draws the ratios as differences from before.
func (c *Periods) chart() template.HTML {
	chart := svg.Rows{Text: "Differences of the measures in per cent of before", Width: PageWidth}
	most := 0.05
	for i := range c.Measures {
		d := &c.Measures[i]
		if d.Ratio == nil {
			continue
		}
		v, reach := ratioValue(*d.Ratio, d.RatioInterval, d.Reading)
		most = max(most, reach)
		chart.Rows = append(chart.Rows, svg.Row{Name: report.Periods[i].Label(), Values: []svg.Value{v}})
	}
	chart.X = Differences("before", most)
	return chart.Draw().Inline()
}

// weekly draws the mean stretch per user of each block.
func (c *Periods) weekly() template.HTML {
	most := 0.0
	chart := svg.Chart{
		Text: "Mean stretch per user, by time of submission", Width: PageWidth, Height: 260,
		X: times(c.Before.From, c.After.To, c.location),
	}
	for r, s := range []*Period{&c.Before, &c.After} {
		line := svg.Series{Class: "curve " + svg.Run(r), Marks: "dot " + svg.Run(r)}
		for _, w := range s.Weeks {
			if w.Campaigns > 0 {
				line.Points = append(line.Points, svg.Point{X: float64(w.From) + float64(c.Block)/2, Y: w.UserMeanStretch})
				most = max(most, w.UserMeanStretch)
			}
		}
		chart.Series = append(chart.Series, line)
	}
	chart.Y = svg.UpTo("mean stretch per user", most)
	at := float64(c.Date)
	chart.Series = append(chart.Series, svg.Series{Class: "zero", Points: []svg.Point{{X: at, Y: 0}, {X: at, Y: chart.Y.Max}}})
	return chart.Draw().Inline()
}
