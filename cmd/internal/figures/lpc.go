package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

const (
	lpcFile  = "LPC-EGEE-2004-1.2-cln.swf.gz"
	lpcProcs = 140
)

// lpcLog is the log of thesis section 5.5.
type lpcLog struct {
	jobs  []sim.Logged
	begin time.Time // moment 0 of the log
}

// paris is the time zone of the cluster in winter, when the extract is.
var paris = time.FixedZone("CET", 3600)

func readLPC(ctx context.Context, in Input) (*lpcLog, error) {
	log, err := trace.Open(filepath.Join(in.Traces, lpcFile), trace.Options{})
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	jobs, _, err := sim.FromLog(log, lpcProcs, sim.Exact)
	if err != nil {
		return nil, fmt.Errorf("figures: %s: %w", lpcFile, err)
	}
	if err = ctx.Err(); err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	begin := log.Number("UnixStartTime")
	if begin < 1 {
		return nil, fmt.Errorf("figures: %s: header: no UnixStartTime", lpcFile)
	}
	return &lpcLog{jobs: jobs, begin: time.Unix(begin, 0).In(paris)}, nil
}

// A replay is a way in which the jobs of the log run.
type replay int

const (
	logged      replay = iota // as they ran
	dependent                 // OStrich, offsets kept, with dependencies
	independent               // OStrich, all jobs of a campaign at once, without dependencies
)

// replayNames are the names in titles, in the order of the constants.
var replayNames = []string{"original log (Maui)", "OStrich with dependencies", "OStrich without dependencies"}

// loops are the replays under OStrich, in a closed loop with a strict gate.
var loops = map[replay]sim.Machine{
	dependent:   {Offsets: true, Dependencies: true},
	independent: {},
}

// run returns the jobs as they ran in a replay.
func (l *lpcLog) run(ctx context.Context, in Input, r replay) ([]report.Job, error) {
	if r == logged {
		return l.original()
	}
	campaigns, err := sim.Campaigns(l.jobs, ostrich.Rule{})
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	if err = ctx.Err(); err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	loop := loops[r]
	loop.Procs, loop.Progress = lpcProcs, in.Progress
	if err = follow(&loop, "ostrich", "strict"); err != nil {
		return nil, err
	}
	jobs, err := loop.Run(campaigns)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	return jobs, nil
}

// original returns the jobs with their logged times, by campaign.
func (l *lpcLog) original() ([]report.Job, error) {
	numbers, err := sim.Numbers(l.jobs, ostrich.Rule{})
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	jobs := make([]report.Job, len(l.jobs))
	for i := range l.jobs {
		jobs[i] = l.jobs[i].Recorded(numbers[i])
	}
	return jobs, nil
}

// stretches returns the stretches of the campaigns of a replay.
func (l *lpcLog) stretches(ctx context.Context, in Input, r replay) ([]float64, report.Stretch, error) {
	jobs, err := l.run(ctx, in, r)
	if err != nil {
		return nil, report.Stretch{}, err
	}
	campaigns := report.Campaigns(jobs)
	values := make([]float64, len(campaigns))
	for i := range campaigns {
		values[i] = campaigns[i].Stretch(lpcProcs)
	}
	return values, report.Stretches(campaigns, lpcProcs), nil
}

// histogramStep is the step of thesis figures 5.5 and 5.6.
const histogramStep = 0.15

// stretchChart draws a histogram of stretches from 1 on. Values above the last
// step are in the table only.
func stretchChart(name, title string, values []float64, drawUpTo float64) (*svg.Picture, Table) {
	const last = 21.0
	steps := int(math.Round((last - 1) / histogramStep))
	counts := make([]int, steps+1)
	for _, v := range values {
		counts[min(max(int((v-1)/histogramStep+1e-9), 0), steps)]++
	}
	table := Table{Name: name, Header: []string{"from", "before", "campaigns"}}
	var bars []svg.Bar
	for i, n := range counts {
		from, to := 1+histogramStep*float64(i), 1+histogramStep*float64(i+1)
		before := decimals(to, 2)
		if i == steps {
			before = ""
		}
		table.add(decimals(from, 2), before, n)
		if to <= drawUpTo+1e-9 {
			bars = append(bars, svg.Bar{From: from, To: to, Height: 100 * float64(n) / float64(len(values))})
		}
	}
	highest := slices.MaxFunc(bars, func(a, b svg.Bar) int { return cmp.Compare(a.Height, b.Height) }).Height
	c := svg.Chart{
		Name: name, Title: title, Text: title + ": histogram of the stretch of campaigns.",
		X: svg.Linear("stretch, in steps of 0.15", 1, drawUpTo, 1), Y: svg.UpTo("campaigns (%)", highest),
		Series: []svg.Series{{Class: "shade " + fair, Bars: bars}},
	}
	return c.Draw(), table
}

func stretchResult(ctx context.Context, in Input, name string, r replay, numbers func(s report.Stretch, campaigns int) []Number, words string) (*Result, error) {
	log, err := readLPC(ctx, in)
	if err != nil {
		return nil, err
	}
	values, s, err := log.stretches(ctx, in, r)
	if err != nil {
		return nil, err
	}
	picture, table := stretchChart(name, replayNames[r], values, 7)
	return &Result{
		Pictures: []*svg.Picture{picture}, Tables: []Table{table}, Numbers: numbers(s, len(values)),
		Text: "Campaigns by the rule MAX on the logged times of the jobs that ran, stretch (C−t)/max(W/m, p_max), m = 140. The table goes on where " +
			"the picture ends.\n\n" + words,
	}, nil
}

// drawLoggedStretch is thesis Fig. 5.5.
func drawLoggedStretch(ctx context.Context, in Input) (*Result, error) {
	return stretchResult(ctx, in, "thesis-5.5", logged, func(s report.Stretch, campaigns int) []Number {
		return []Number{
			{What: "campaigns", Paper: "56918", Ours: strconv.Itoa(campaigns), Why: "no selection of the jobs was found that gives the thesis' number"},
			{What: "optimal", Paper: "0.3 %", Ours: format.Percent(s.Optimal)},
			{What: "below 1.5", Paper: "55.2 %", Ours: format.Percent(s.Lt15), Why: "other campaigns"},
		}
	}, "These are the times of the log. Jobs waited there for some seconds even on an empty machine, so that almost no campaign is optimal.")
}

// drawReplayedStretch is thesis Fig. 5.6.
func drawReplayedStretch(ctx context.Context, in Input) (*Result, error) {
	return stretchResult(ctx, in, "thesis-5.6", dependent, func(s report.Stretch, _ int) []Number {
		const why = "the replay has no latency, and the campaigns are not quite the same"
		return []Number{
			{What: "optimal", Paper: "68.6 %", Ours: format.Percent(s.Optimal), Why: why},
			{What: "at most 1.15", Paper: "80 %", Ours: format.Percent(s.Le115), Why: why},
			{What: "below 1.5", Paper: "89.7 %", Ours: format.Percent(s.Lt15), Why: why},
		}
	}, "Closed loop, jobs at their logged distance from the first of their campaign, dependencies by thesis 5.4.3 and 5.4.4, strict gate, LPT "+
		"inside. With offsets kept, first come, first served gives the same distribution: docs/reproduction.md has it and all other readings.")
}

// A span is a part of the log.
type span int

const (
	whole   span = iota
	extract      // December 2004 and January 2005
)

var spanNames = []string{"whole log", "December and January"}

// of returns the bounds and the step of the drawing.
func (s span) of(l *lpcLog, jobs []report.Job) (from, before time.Time, step ostrich.Duration) {
	if s == extract {
		return time.Date(2004, time.December, 1, 0, 0, 0, 0, paris), time.Date(2005, time.February, 1, 0, 0, 0, 0, paris), 3600
	}
	first, last := report.Span(jobs)
	begin := l.date(first)
	midnight := time.Date(begin.Year(), begin.Month(), begin.Day(), 0, 0, 0, 0, paris)
	return midnight, l.date(last), 6 * 3600
}

// date converts a time of the log to a date.
func (l *lpcLog) date(t ostrich.Time) time.Time { return l.begin.Add(time.Duration(t) * time.Second) }

// moment converts a date to a time of the log.
func (l *lpcLog) moment(t time.Time) ostrich.Time { return ostrich.Time(t.Sub(l.begin) / time.Second) }

// drawUtilisation is one of thesis figures 5.7 to 5.11.
func drawUtilisation(r replay, s span) drawing {
	return func(ctx context.Context, in Input) (*Result, error) {
		log, err := readLPC(ctx, in)
		if err != nil {
			return nil, err
		}
		first := in
		if r == independent {
			first = in.half(0) // compared with the second replay
		}
		jobs, err := log.run(ctx, first, r)
		if err != nil {
			return nil, err
		}
		from, before, step := s.of(log, jobs)
		used := report.Utilisations(jobs, lpcProcs, log.moment(from), log.moment(before), step)
		picture, table := utilisationChart(utilisationNames[s][r], replayNames[r]+", "+spanNames[s], used, from, before, step)
		result := &Result{Pictures: []*svg.Picture{picture}, Tables: []Table{table}, Numbers: loads(used)}
		result.Text = fmt.Sprintf("Utilisation of 140 processors, mean of every %d h. ", step/3600) + utilisationWords[r]
		if r == independent {
			if jobs, err = log.run(ctx, in.half(1), dependent); err != nil {
				return nil, err
			}
			with := report.Utilisations(jobs, lpcProcs, log.moment(from), log.moment(before), step)
			result.Numbers = append(result.Numbers, against(with, used)...)
		}
		return result, nil
	}
}

var utilisationNames = map[span][]string{
	whole:   {"thesis-5.7", "thesis-5.8", ""},
	extract: {"thesis-5.9", "thesis-5.10", "thesis-5.11"},
}

var utilisationWords = []string{
	"The times are those of the log.",
	"OStrich in a closed loop with the jobs at their logged distance from the first of their campaign, with dependencies. The thesis sees the " +
		"highest utilisation more often here than in the log, and more periods without any.",
	"OStrich in a closed loop with all jobs of a campaign at once, and no dependencies. The thesis says that utilisation is at least 20 % " +
		"greater than with dependencies, in the periods with a load above 10 %. It does not tell in which of the two replays that load is, how " +
		"long a period is, nor of what the 20 % are; the numbers have the readings.",
}

func utilisationChart(name, title string, used []float64, from, before time.Time, step ostrich.Duration) (*svg.Picture, Table) {
	table := Table{Name: name, Header: []string{"from", "utilisation"}}
	var bars []svg.Bar
	for i, u := range used {
		at := from.Add(time.Duration(i) * time.Duration(step) * time.Second)
		table.add(at.Format(time.RFC3339), decimals(u, 4))
		bars = append(bars, svg.Bar{From: float64(at.Unix()), To: float64(at.Unix()) + float64(step), Height: 100 * u})
	}
	mean := 0.0
	for _, u := range used {
		mean += 100 * u / float64(len(used))
	}
	days := 0
	if before.Sub(from) < 100*24*time.Hour {
		days = 10
	}
	x := months(from, before, days)
	c := svg.Chart{
		Name: name, Title: title, Text: title + ": utilisation over time.", Width: 1080,
		X: x, Y: svg.Linear("utilisation (%)", 0, 119, 20), // with room for the legend
		Series: []svg.Series{
			{Class: "shade " + fair, Bars: bars},
			{Name: "mean, " + decimals(mean, 1) + " %", Class: "dashed " + old, Points: []svg.Point{{X: x.Min, Y: mean}, {X: x.Max, Y: mean}}},
		},
	}
	return c.Draw(), table
}

// months is an axis with a tick at the first of each month, or, with days, at
// each day of the month that days divides.
func months(from, before time.Time, days int) svg.Axis {
	axis := svg.Axis{Min: float64(from.Unix()), Max: float64(before.Unix())}
	for at := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, from.Location()); !at.After(before); at = at.AddDate(0, 0, 1) {
		switch {
		case at.Before(from):
		case at.Day() == 1:
			axis.Ticks = append(axis.Ticks, svg.Tick{At: float64(at.Unix()), Label: at.Format("2 Jan 06")})
		case days > 0 && at.Day()%days == 0 && at.Day() < 28:
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

// against compares the replay without dependencies with the one with them, step by step.
func against(with, without []float64) []Number {
	var own, inOld, inNew [2]loaded // with and without dependencies, in the steps in which one of them is above 10 %
	for i := range with {
		own[0].add(with[i] > 0.1, with[i])
		own[1].add(without[i] > 0.1, without[i])
		inOld[0].add(with[i] > 0.1, with[i])
		inOld[1].add(with[i] > 0.1, without[i])
		inNew[0].add(without[i] > 0.1, with[i])
		inNew[1].add(without[i] > 0.1, without[i])
	}
	number := func(of [2]loaded, hours, why string) Number {
		a, b := of[0].mean(), of[1].mean()
		return Number{
			What: "utilisation without dependencies against that with them, hours above 10 % " + hours, Paper: "at least 20 % greater",
			Ours: fmt.Sprintf("%s against %s: %+.1f points, %+.1f %%", format.Percent(b), format.Percent(a), 100*(b-a), 100*(b/a-1)), Why: why,
		}
	}
	return []Number{
		number(own, "in each replay by itself", ""),
		number(inOld, "in the replay with them", "the work of a campaign comes at other hours, all at once"),
		number(inNew, "in the replay without them", ""),
	}
}

// loaded is a mean over some steps.
type loaded struct {
	sum float64
	n   int
}

func (l *loaded) add(counts bool, used float64) {
	if counts {
		l.sum += used
		l.n++
	}
}

func (l *loaded) mean() float64 { return l.sum / float64(max(l.n, 1)) }
