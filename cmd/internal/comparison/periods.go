package comparison

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/report/confidence"
	"slurm-ostrich/ostrich/sim"
)

// Periods compares what happened before a moment with what happened after it, over
// equal lengths of time. Its JSON is stable, as that of Comparison.
//
// A period has the campaigns that were submitted and ended in it. Their weeks are
// the blocks of the bootstrap: each period is sampled by itself, because no week of
// one period belongs to a week of the other.
type Periods struct {
	Title  string       `json:"title"`
	Source string       `json:"source"`
	Date   ostrich.Time `json:"date"`
	Unix   bool         `json:"unix"` // as in Comparison
	Procs  int          `json:"processors"`

	Floor    ostrich.Duration `json:"floor"`
	Measured string           `json:"measure_rule"`
	Accepted string           `json:"accepted"` // the wait that users accept, as satisfaction.Parse reads it

	Block  ostrich.Duration `json:"block"`  // a week, or a day where there is no whole week in both periods
	Blocks int              `json:"blocks"` // in each period

	Level     float64 `json:"confidence_level"`
	Resamples int     `json:"resamples"`
	Seed      uint64  `json:"seed"`

	Verdict []string `json:"verdict"`
	Notes   []string `json:"notes"`

	Before     Period `json:"before"`
	After      Period `json:"after"`
	Straddling int    `json:"straddling"` // campaigns that were submitted before the date and had not ended then
	Beyond     int    `json:"beyond"`     // campaigns that reach over the other end of a period
	Alike      bool   `json:"alike"`      // the loads differ so little that the periods can be compared

	Measures []Shift `json:"measures"`

	location *time.Location
}

// Period is what is known of one of the two.
type Period struct {
	From      ostrich.Time `json:"from"`
	To        ostrich.Time `json:"to"`
	Jobs      int          `json:"jobs"`      // submitted in it that ran
	Users     int          `json:"users"`     // who submitted them
	Campaigns int          `json:"campaigns"` // submitted and ended in it
	Load      float64      `json:"load"`      // work of these jobs until To, as a part of what the machine can do in the time
	Weeks     []Week       `json:"weeks"`     // the blocks

	// What the campaigns that are measured have of these jobs.
	MeasuredJobs  int     `json:"measured_jobs"`
	MeasuredUsers int     `json:"measured_users"`
	MeasuredWork  float64 `json:"measured_work"` // part of the core-hours
}

// Week is a block of a period.
type Week struct {
	From            ostrich.Time `json:"from"`
	Campaigns       int          `json:"campaigns"`
	UserMeanStretch float64      `json:"user_mean_stretch"` // of its campaigns, 0 without
	Utilisation     float64      `json:"utilisation"`
}

// Shift is a measure in both periods. The difference is after less before, the ratio
// after over before; null where before is 0.
type Shift struct {
	Measure       string           `json:"measure"`
	Name          string           `json:"name"`
	Unit          report.Unit      `json:"unit"`
	Before        float64          `json:"before"`
	After         float64          `json:"after"`
	Difference    float64          `json:"difference"`
	Interval      *report.Interval `json:"interval"`
	Ratio         *float64         `json:"ratio"`
	RatioInterval *report.Interval `json:"ratio_interval"`
	Reading       Reading          `json:"reading"`
}

// PeriodsInput is what to compare. Its only run is what happened.
type PeriodsInput struct {
	Input
	Date ostrich.Time
	Ran  []report.Job // all jobs that started, with those that had not ended: they end with the data
	Open map[int]bool // campaigns with such jobs
}

const (
	week = ostrich.Duration(7 * 86400)
	day  = ostrich.Duration(86400)

	// slack is the part of a block that the data may lack, 6 hours of a week: clocks are
	// put forward, and nothing ends in the first hours.
	slack = 28
)

// ComparePeriods compares the two periods of a moment. It fails if the moment is
// outside of the data, or if a period has less than a day of them or no campaign.
func ComparePeriods(ctx context.Context, in PeriodsInput) (*Periods, error) {
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	c := &Periods{
		Title: "Before and after " + moment(in.Date, in.Location), Source: in.Source, Date: in.Date, Unix: in.Location != nil, Procs: in.Procs,
		Floor: in.Floor, Measured: in.Measured, Accepted: in.Accept.String(), Level: confidence.Level, Resamples: in.Resamples, Seed: in.Seed,
		Notes: append([]string{}, in.Notes...), location: in.Location,
	}
	span, err := c.divide(in.From, in.To)
	if err != nil {
		return nil, err
	}
	s, err := study(&in.Input)
	if err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	c.Notes = append(c.Notes, s.fewRounds()...)
	before, after := newPeriod(s, in.Date-span, in.Date, c.Block), newPeriod(s, in.Date, in.Date+span, c.Block)
	if err = c.assign(s, in.Open, before, after); err != nil {
		return nil, err
	}
	late, err := sim.SharedLateness(in.Runs[0].Jobs, in.Procs)
	if err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	for _, x := range []*period{before, after} {
		x.measure(in.Ran, late)
	}
	c.Before, c.After = before.figures(in.Ran), after.figures(in.Ran)
	c.Alike = alike(c.Before.Load, c.After.Load)
	if c.Measures, err = shifts(ctx, before, after, c.Alike); err != nil {
		return nil, err
	}
	c.Verdict = c.verdict()
	return c, nil
}

// divide finds the blocks, and returns the length of a period.
func (c *Periods) divide(from, to ostrich.Time) (ostrich.Time, error) {
	data := fmt.Sprintf("the data go from %s to %s", moment(from, c.location), moment(to, c.location))
	if c.Date <= from || c.Date >= to {
		return 0, fmt.Errorf("%s is outside of the data: %s", moment(c.Date, c.location), data)
	}
	room := min(c.Date-from, to-c.Date)
	blocks := func(of ostrich.Duration) int { return int((room + ostrich.Time(of/slack)) / ostrich.Time(of)) }
	c.Block = week
	if blocks(week) == 0 {
		c.Block = day
		c.Notes = append(c.Notes, "There is no whole week on each side of the date, so days are compared: a weekend on one side makes a difference.")
	}
	if c.Blocks = blocks(c.Block); c.Blocks == 0 {
		name := "before"
		if to-c.Date == room {
			name = "after"
		}
		return 0, fmt.Errorf("less than a day %s %s: %s", name, moment(c.Date, c.location), data)
	}
	return ostrich.Time(c.Blocks) * ostrich.Time(c.Block), nil
}

// assign gives each campaign to the period in which it was submitted and ended.
func (c *Periods) assign(s *studied, open map[int]bool, before, after *period) error {
	unfinished := make([]bool, len(s.runs[0].campaigns))
	for number := range open {
		if number < len(s.place) && s.place[number] >= 0 {
			unfinished[s.place[number]] = true
		}
	}
	for i := range s.runs[0].campaigns {
		k := &s.runs[0].campaigns[i]
		end := k.End
		if unfinished[i] {
			end = math.MaxInt64
		}
		switch {
		case end <= before.from || k.Submit >= after.to:
		case k.Submit >= before.from && end <= before.to:
			before.within[i] = before.of(k.Submit)
		case k.Submit >= after.from && end <= after.to:
			after.within[i] = after.of(k.Submit)
		case k.Submit < c.Date && end > c.Date:
			c.Straddling++
		default:
			c.Beyond++
		}
	}
	for _, x := range []struct {
		name string
		*period
	}{{"before", before}, {"after", after}} {
		if !slices.ContainsFunc(x.within, func(b int32) bool { return b >= 0 }) {
			return fmt.Errorf("no campaign was submitted and ended from %s to %s, %s the date", moment(x.from, c.location), moment(x.to, c.location), x.name)
		}
	}
	return nil
}

// period is one of the two periods, as the measures need it: a part of the only run, of
// which a sample has whole blocks.
type period struct {
	*studied
	clusters // by block

	from, to ostrich.Time
	block    ostrich.Duration
	within   []int32   // by campaign of the run, the block in which it was submitted; -1 is not of the period
	owners   [][]part  // by user, what the user has in each block
	work     float64   // of the campaigns, in processor seconds
	busy     []float64 // by block, utilisation
}

// part is what a user has in a block.
type part struct {
	block        int32
	count, total float64 // campaigns, sum of their stretches
}

func newPeriod(s *studied, from, to ostrich.Time, block ostrich.Duration) *period {
	return &period{studied: s, from: from, to: to, block: block, within: slices.Repeat([]int32{-1}, len(s.campaign))}
}

func (x *period) blocks() int { return int((x.to - x.from) / ostrich.Time(x.block)) }

func (x *period) of(at ostrich.Time) int32 { return int32((at - x.from) / ostrich.Time(x.block)) }

// measure sums up the campaigns by block. late is by number of the campaign.
func (x *period) measure(ran []report.Job, late []float64) {
	jobs, run := x.in.Runs[0].Jobs, &x.runs[0]
	job := slices.Repeat([]int32{-1}, len(jobs))
	for i := range jobs {
		if number := jobs[i].Campaign; number >= 0 {
			job[i] = x.within[x.place[number]]
		}
	}
	x.clusters, x.owners = x.cluster(0, x.blocks(), job, x.within), make([][]part, len(x.users))
	for number, i := range x.place {
		if i < 0 || x.within[i] < 0 {
			continue
		}
		b, parts := x.within[i], &x.owners[x.campaign[i]]
		x.sums[b].AddBehind(late[number])
		x.work += float64(run.campaigns[i].Work)
		k := slices.IndexFunc(*parts, func(p part) bool { return p.block == b })
		if k < 0 {
			k = len(*parts)
			*parts = append(*parts, part{block: b})
		}
		(*parts)[k].count++
		(*parts)[k].total += run.stretch[i]
	}
	x.busy = report.Utilisations(ran, x.in.Procs, x.from, x.to, x.block)
}

// values measures a sample of the blocks, in the order of report.Periods; nil is each
// once. Without a campaign all but the utilisation is NaN.
func (x *period) values(times []int32) []float64 {
	all := x.clusters.sample(times, math.NaN())
	for _, parts := range x.owners {
		var count, total float64
		for _, p := range parts {
			w := float64(report.Often(times, p.block))
			count, total = count+w*p.count, total+w*p.total
		}
		if count > 0 {
			all.AddUser(total/count, math.NaN(), 1)
		}
	}
	for b, busy := range x.busy {
		all.Busy += float64(report.Often(times, b)) * busy
	}
	all.Busy /= float64(x.blocks())
	list := make([]float64, len(report.Periods))
	for i, m := range report.Periods {
		list[i] = m.Of(all)
	}
	return list
}

func (x *period) figures(ran []report.Job) Period {
	all := x.clusters.sample(nil, 0)
	f := Period{From: x.from, To: x.to, Campaigns: int(all.Campaigns), MeasuredJobs: int(all.Jobs)}
	users, work := make(map[ostrich.UserID]bool), 0.0
	for i := range ran {
		if j := &ran[i]; j.Submit >= x.from && j.Submit < x.to {
			f.Jobs++
			users[j.User] = true
			work += float64(max(0, min(j.End, x.to)-j.Start)) * j.Busy() // what comes later is not known of both periods
		}
	}
	f.Users, f.Load = len(users), work/(float64(x.in.Procs)*float64(x.to-x.from))
	measured := make(map[string]bool) // a user is one, in whatever accounts
	for u, parts := range x.owners {
		if len(parts) > 0 {
			measured[x.in.userName(x.users[u])] = true
		}
	}
	f.MeasuredUsers, f.MeasuredWork = len(measured), x.work/max(work, x.work)
	only := make([]int32, x.blocks())
	for b := range only {
		clear(only)
		only[b] = 1
		w := Week{From: x.from + ostrich.Time(b)*ostrich.Time(x.block), Campaigns: int(x.sums[b].Campaigns), Utilisation: x.busy[b]}
		if w.Campaigns > 0 {
			w.UserMeanStretch = x.values(only)[0]
		}
		f.Weeks = append(f.Weeks, w)
	}
	return f
}

// samples measures samples of the blocks. The draws follow from the seed and from
// where the period begins, so that they do not depend on the other one.
func (x *period) samples(ctx context.Context) ([][]float64, error) {
	var list [][]float64
	random := rand.New(rand.NewPCG(x.in.Seed, uint64(x.from)))
	err := confidence.Bootstrap(random, x.blocks(), x.in.Resamples, func(times []int32) error {
		list = append(list, x.values(times))
		return ctx.Err()
	})
	return list, err
}

// shifts compares the measures of the two periods. Unless their loads are alike,
// nothing is better or worse, only different.
func shifts(ctx context.Context, before, after *period, alike bool) ([]Shift, error) {
	first, err := before.samples(ctx)
	if err != nil {
		return nil, err
	}
	second, err := after.samples(ctx)
	if err != nil {
		return nil, err
	}
	enough := before.blocks() >= confidence.Fewest
	was, is := before.values(nil), after.values(nil)
	list := make([]Shift, len(report.Periods))
	for m, about := range report.Periods {
		d := Shift{
			Measure: about.Key, Name: about.Name, Unit: about.Unit,
			Before: was[m], After: is[m], Difference: is[m] - was[m],
		}
		var differences, ratios []float64
		for i := range first {
			if a, b := first[i][m], second[i][m]; !math.IsNaN(a) && !math.IsNaN(b) {
				differences = append(differences, b-a)
				if a > 0 {
					ratios = append(ratios, b/a)
				}
			}
		}
		good := about.Good
		if !alike {
			good = 0
		}
		change := read(d.Difference, differences, enough, good)
		d.Interval, d.Reading = change.Interval, change.Reading
		if was[m] > 0 {
			d.Ratio = new(is[m] / was[m])
			if i, ok := confidence.Percentile(ratios, confidence.Level); ok && enough && len(ratios) == len(differences) {
				d.RatioInterval = &i
			}
		}
		list[m] = d
	}
	return list, nil
}
