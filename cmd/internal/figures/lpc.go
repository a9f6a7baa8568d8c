package figures

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

const lpcProcs = 140

// paris is the time zone of the cluster in winter, when the extract is.
var paris = time.FixedZone("CET", 3600)

// replay is a way in which the jobs of the log run.
type replay struct {
	name  string // in titles
	words string // of a figure of its utilisation
	loop  *sim.Machine
}

// The replays: the log as it ran, and two under OStrich in a closed loop with a strict
// gate, of which one keeps the offsets of the jobs in a campaign.
var (
	logged    = replay{"original log (Maui)", "The times are those of the log.", nil}
	dependent = replay{
		"OStrich with dependencies",
		"OStrich in a closed loop with the jobs at their logged distance from the first of their campaign, with dependencies. The thesis sees the " +
			"highest utilisation more often here than in the log, and more periods without any.",
		&sim.Machine{Procs: lpcProcs, Policy: strict, Offsets: true, Dependencies: true},
	}
	independent = replay{
		"OStrich without dependencies",
		"OStrich in a closed loop with all jobs of a campaign at once, and no dependencies. The thesis says that utilisation is at least 20 % " +
			"greater than with dependencies, in the periods with a load above 10 %. It does not tell in which of the two replays that load is, how " +
			"long a period is, nor of what the 20 % are; the numbers have the readings.",
		&sim.Machine{Procs: lpcProcs, Policy: strict},
	}
)

// run returns the jobs as they ran in a replay.
func (w *workload) run(ctx context.Context, in Input, r replay) ([]report.Job, error) {
	if r.loop == nil {
		return w.original(), nil
	}
	campaigns, err := sim.Campaigns(w.jobs, campaign.Rule{})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	loop := *r.loop
	if loop.Dependencies {
		sim.Depend(campaigns)
	}
	loop.Progress = in.Progress
	jobs, err := loop.Run(campaigns)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	return jobs, nil
}

// original returns the jobs with their logged times, by campaign.
func (w *workload) original() []report.Job {
	jobs := make([]report.Job, len(w.jobs))
	for i := range w.jobs {
		jobs[i] = w.jobs[i].Recorded(w.numbers[i])
	}
	return jobs
}

// histogramStep is the step of thesis figures 5.5 and 5.6.
const histogramStep = 0.15

// stretchChart draws a histogram of stretches from 1 on. Values above the last
// step are in the table only.
func stretchChart(name, title string, values []float64) plot {
	const last, shown = 21.0, 7.0
	steps := int(math.Round((last - 1) / histogramStep))
	counts := make([]int, steps+1)
	for _, v := range values {
		counts[min(max(int((v-1)/histogramStep+1e-9), 0), steps)]++
	}
	table := Table{Name: name, Header: []string{"from", "before", "campaigns"}}
	var bars []svg.Bar
	highest := 0.0
	for i, n := range counts {
		from, to := 1+histogramStep*float64(i), 1+histogramStep*float64(i+1)
		before := decimals(to, 2)
		if i == steps {
			before = ""
		}
		table.add(decimals(from, 2), before, n)
		if to <= shown+1e-9 {
			bars = append(bars, svg.Bar{From: from, To: to, Height: 100 * float64(n) / float64(len(values))})
			highest = max(highest, bars[i].Height)
		}
	}
	c := svg.Chart{
		Name: name, Title: title, Text: title + ": histogram of the stretch of campaigns.",
		X: svg.Linear("stretch, in steps of 0.15", 1, shown, 1), Y: svg.UpTo("campaigns (%)", highest),
		Series: []svg.Series{{Class: "shade " + fair, Bars: bars}},
	}
	return plot{c.Draw(), table}
}

func stretchResult(ctx context.Context, in Input, name string, r replay, numbers func(s report.Stretch, campaigns int) []Number, words string) (*Result, error) {
	log, err := readLPC(ctx, in)
	if err != nil {
		return nil, err
	}
	jobs, err := log.run(ctx, in, r)
	if err != nil {
		return nil, err
	}
	campaigns := report.Campaigns(jobs)
	values := make([]float64, len(campaigns))
	for i := range campaigns {
		values[i] = campaigns[i].Stretch(lpcProcs)
	}
	return of("Campaigns by the rule MAX on the logged times of the jobs that ran, stretch (C−t)/max(W/m, p_max), m = 140. The table goes on where "+
		"the picture ends.\n\n"+words, numbers(report.Stretches(campaigns, lpcProcs), len(values)), stretchChart(name, r.name, values)), nil
}

// drawLoggedStretch draws thesis Fig. 5.5.
func drawLoggedStretch(ctx context.Context, in Input) (*Result, error) {
	return stretchResult(ctx, in, "thesis-5.5", logged, func(s report.Stretch, campaigns int) []Number {
		return []Number{
			{What: "campaigns", Paper: "56918", Ours: strconv.Itoa(campaigns), Why: "no selection of the jobs was found that gives the thesis' number"},
			{What: "optimal", Paper: "0.3 %", Ours: format.Percent(s.Optimal)},
			{What: "below 1.5", Paper: "55.2 %", Ours: format.Percent(s.Lt15), Why: "other campaigns"},
		}
	}, "These are the times of the log. Jobs waited there for some seconds even on an empty machine, so that almost no campaign is optimal.")
}

// drawReplayedStretch draws thesis Fig. 5.6.
func drawReplayedStretch(ctx context.Context, in Input) (*Result, error) {
	return stretchResult(ctx, in, "thesis-5.6", dependent, func(s report.Stretch, _ int) []Number {
		const why = "the replay has no latency, and the campaigns are not quite the same"
		return []Number{
			{What: "optimal", Paper: "68.6 %", Ours: format.Percent(s.Optimal), Why: why},
			{What: "at most 1.15", Paper: "80 %", Ours: format.Percent(s.Le115), Why: why},
			{What: "below 1.5", Paper: "89.7 %", Ours: format.Percent(s.Lt15), Why: why},
		}
	}, "Closed loop, jobs at their logged distance from the first of their campaign, dependencies by thesis 5.4.3 and 5.4.4, strict gate, LPT "+
		"inside. With offsets kept, first come, first served gives the same distribution: docs/reproduction.md has it and other readings.")
}

// extract returns the ends of the part of the log that Fig. 5.9 to 5.11 show: December 2004
// and January 2005.
func extract() (from, before time.Time) {
	return time.Date(2004, time.December, 1, 0, 0, 0, 0, paris), time.Date(2005, time.February, 1, 0, 0, 0, 0, paris)
}

// drawUtilisation returns the drawing of one of thesis figures 5.7 to 5.11: of the whole log, or of the extract.
func drawUtilisation(name string, r replay, whole bool) drawing {
	return func(ctx context.Context, in Input) (*Result, error) {
		log, err := readLPC(ctx, in)
		if err != nil {
			return nil, err
		}
		against := r.loop == independent.loop // the other replay
		first := in
		if against {
			first = in.half(0)
		}
		jobs, err := log.run(ctx, first, r)
		if err != nil {
			return nil, err
		}
		title, step := r.name+", December and January", ostrich.Duration(3600)
		from, before := extract()
		if whole {
			title, step = r.name+", whole log", 6*3600
			begin, end := report.Span(jobs)
			from, before = log.date(begin), log.date(end)
			from = time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, paris)
		}
		used := report.Utilisations(jobs, lpcProcs, log.moment(from), log.moment(before), step)
		numbers := loads(used)
		if against {
			if jobs, err = log.run(ctx, in.half(1), dependent); err != nil {
				return nil, err
			}
			numbers = append(numbers, compareLoads(report.Utilisations(jobs, lpcProcs, log.moment(from), log.moment(before), step), used)...)
		}
		text := fmt.Sprintf("Utilisation of 140 processors, mean of every %d h. ", step/3600) + r.words
		return of(text, numbers, utilisationChart(name, title, used, from, before, step)), nil
	}
}

func utilisationChart(name, title string, used []float64, from, before time.Time, step ostrich.Duration) plot {
	table := Table{Name: name, Header: []string{"from", "utilisation"}}
	var bars []svg.Bar
	mean := 0.0
	for i, u := range used {
		at := from.Add(time.Duration(i) * time.Duration(step) * time.Second)
		table.add(at.Format(time.RFC3339), decimals(u, 4))
		bars = append(bars, svg.Bar{From: float64(at.Unix()), To: float64(at.Unix()) + float64(step), Height: 100 * u})
		mean += 100 * u / float64(len(used))
	}
	x := months(from, before)
	c := svg.Chart{
		Name: name, Title: title, Text: title + ": utilisation over time.", Width: 1080,
		X: x, Y: svg.Linear("utilisation (%)", 0, 119, 20), // with room for the legend
		Series: []svg.Series{
			{Class: "shade " + fair, Bars: bars},
			{Name: "mean, " + decimals(mean, 1) + " %", Class: "dashed " + old, Points: []svg.Point{{X: x.Min, Y: mean}, {X: x.Max, Y: mean}}},
		},
	}
	return plot{c.Draw(), table}
}

// months returns an axis with a tick at the first of each month, and of a few months
// with ticks at every tenth day.
func months(from, before time.Time) svg.Axis {
	few := before.Sub(from) < 100*24*time.Hour
	axis := svg.Axis{Min: float64(from.Unix()), Max: float64(before.Unix())}
	for at := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, from.Location()); !at.After(before); at = at.AddDate(0, 0, 1) {
		switch {
		case at.Before(from):
		case at.Day() == 1:
			axis.Ticks = append(axis.Ticks, svg.Tick{At: float64(at.Unix()), Label: at.Format("2 Jan 06")})
		case few && at.Day()%10 == 0 && at.Day() < 28:
			axis.Ticks = append(axis.Ticks, svg.Tick{At: float64(at.Unix()), Label: at.Format("2 Jan")})
		}
	}
	return axis
}

// loads returns the numbers of a figure of utilisation.
func loads(used []float64) []Number {
	mean, full, idle := 0.0, 0, 0
	for _, u := range used {
		mean += u / float64(len(used))
		if u >= 0.99 {
			full++
		}
		if u < 0.01 {
			idle++
		}
	}
	part := func(n int) string { return format.Percent(float64(n) / float64(len(used))) }
	return []Number{
		{What: "mean utilisation", Ours: format.Percent(mean)},
		{What: "steps with 99 % or more", Ours: part(full)},
		{What: "steps with less than 1 %", Ours: part(idle)},
	}
}

// compareLoads compares the replay without dependencies with the one with them, step by
// step, where one of them is above 10 %.
func compareLoads(with, without []float64) []Number {
	mean := func(of, where []float64) float64 {
		sum, n := 0.0, 0
		for i, load := range where {
			if load > 0.1 {
				sum, n = sum+of[i], n+1
			}
		}
		return sum / float64(max(n, 1))
	}
	number := func(a, b float64, hours, why string) Number {
		return Number{
			What: "utilisation without dependencies against that with them, hours above 10 % " + hours, Paper: "at least 20 % greater",
			Ours: fmt.Sprintf("%s against %s: %+.1f points, %+.1f %%", format.Percent(b), format.Percent(a), 100*(b-a), 100*(b/a-1)), Why: why,
		}
	}
	return []Number{
		number(mean(with, with), mean(without, without), "in each replay by itself", ""),
		number(mean(with, with), mean(without, with), "in the replay with them", "the work of a campaign comes at other hours, all at once"),
		number(mean(with, without), mean(without, without), "in the replay without them", ""),
	}
}
