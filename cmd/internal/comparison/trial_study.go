package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trial"
	"slurm-ostrich/ostrich/trial/conclusion"
)

// trialStudy is what was measured in the periods.
type trialStudy struct {
	in      *TrialInput
	d       *trial.Design
	periods []trial.Period
	at      map[int]int // by number of a period, its place

	submitted, before []float64 // logarithms of the work submitted in each, and in the one before

	campaigns               []report.Campaign
	numbers                 []int // of the campaigns
	leftJobs, leftCampaigns int
	jobs                    []report.Job
}

// choose finds the periods with accounting, and names the days without.
func (x *trialStudy) choose(c *Trial) error {
	in := x.in
	// The period in which the trial began counts if that was in the washout.
	all := x.d.Between(in.Begun-ostrich.Time(x.d.Washout), min(in.Now, x.d.Until))
	if len(all) == 0 {
		return fmt.Errorf("no period of the trial is over: it began at %s, and the first one ends at %s", moment(in.Begun, in.Location), moment(x.first().To, in.Location))
	}
	seen := make(map[int]bool)
	mark := func(t ostrich.Time) {
		if p, on := x.d.At(t); on {
			seen[p.Number] = true
		}
	}
	for i := range in.Ran {
		mark(in.Ran[i].Submit)
		mark(in.Ran[i].End)
	}
	var arms [2]int
	for _, p := range all {
		// A dump begins with the first end in it, and ends with the last submission.
		slack := ostrich.Time(x.d.Period / 4)
		if p.From >= in.From-slack && p.To <= in.To+slack && seen[p.Number] {
			x.periods = append(x.periods, p)
			arms[p.Arm]++
			continue
		}
		if day := in.Day(p.From); !slices.Contains(c.Missing, day) {
			c.Missing = append(c.Missing, day)
		}
	}
	if arms[trial.Stock] == 0 || arms[trial.OStrich] == 0 {
		what := "of periods of both arms"
		if len(x.periods) == 0 {
			what = "of it"
		}
		if len(c.Missing) == 0 {
			return plural.Errorf("the trial cannot be analysed yet: of %d period{|s} that {is|are} over none is of the other arm", len(all))
		}
		return fmt.Errorf("the trial cannot be analysed: there is no accounting %s; missing are %s", what, days(c.Missing))
	}
	return nil
}

// first returns the period in which the trial began.
func (x *trialStudy) first() trial.Period {
	p, _ := x.d.At(min(x.in.Begun, x.d.Until-1))
	return p
}

// days names days, not too many of them.
func days(list []string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return format.List(list)
}

func (x *trialStudy) work() {
	x.at = make(map[int]int, len(x.periods))
	for i, p := range x.periods {
		x.at[p.Number] = i
	}
	sums := make(map[int]float64)
	for i := range x.in.Ran {
		j := &x.in.Ran[i]
		if p, on := x.d.At(j.Submit); on {
			sums[p.Number] += float64(max(0, j.End-j.Start)) * j.Busy() / 3600
		}
	}
	known, n := 0.0, 0.0
	for _, p := range x.periods {
		x.submitted, x.before = append(x.submitted, math.Log1p(sums[p.Number])), append(x.before, math.Log1p(sums[p.Number+1]))
		if x.told(p.Number+1, sums) {
			known, n = known+math.Log1p(sums[p.Number+1]), n+1
		}
	}
	for i, p := range x.periods {
		if n > 0 && !x.told(p.Number+1, sums) {
			x.before[i] = known / n
		}
	}
}

// told reports whether anything tells what was submitted in a period. Of the one before the first, and of
// one without accounting, nothing does, and an outlier would take the place of what is known.
func (x *trialStudy) told(number int, sums map[int]float64) bool {
	_, is := x.at[number]
	return is || sums[number] > 0
}

// sort counts what belongs to no arm.
func (x *trialStudy) sort() {
	x.jobs = x.in.Runs[0].Jobs
	for i := range x.jobs {
		if place, whole := x.place(x.jobs[i].Submit, x.jobs[i].End); place >= 0 && !whole {
			x.leftJobs++
		}
	}
	for number, place := range campaignPlaces(x.jobs) {
		if place >= 0 {
			x.numbers = append(x.numbers, number)
		}
	}
	x.campaigns = report.Campaigns(x.jobs)
	report.SetFloor(x.campaigns, x.in.Floor)
	for i := range x.campaigns {
		if place, whole := x.place(x.campaigns[i].Submit, x.end(i)); place >= 0 && !whole {
			x.leftCampaigns++
		}
	}
}

func (x *trialStudy) end(i int) ostrich.Time {
	if x.in.Open[x.numbers[i]] {
		return math.MaxInt64
	}
	return x.campaigns[i].End
}

// place returns the place of the period in which something was submitted, -1 for none, and
// whether it was submitted after the washout and ended within the period.
func (x *trialStudy) place(submit, end ostrich.Time) (place int, whole bool) {
	p, on := x.d.At(submit)
	if !on {
		return -1, false
	}
	place, is := x.at[p.Number]
	if !is {
		return -1, false
	}
	return place, submit >= x.d.Measured(&p) && end <= p.To
}

// measure is a measure in each period: all that counts, and with what belongs to no arm.
type measure struct {
	TrialEffect
	part, whole conclusion.Series
}

// measures lists those of all jobs, and of groups.
func (x *trialStudy) measures() []measure {
	var list []measure
	add := func(by, group, key, name string, of func(whole bool) conclusion.Series) {
		list = append(list, measure{TrialEffect{By: by, Group: group, Measure: key, Name: name}, of(false), of(true)})
	}
	add("all", "", "user_stretch", "stretch of users", func(whole bool) conclusion.Series { return x.stretches(whole, true, "") })
	add("all", "", "stretch", "stretch of campaigns", func(whole bool) conclusion.Series { return x.stretches(whole, false, "") })
	every := make([]int32, len(x.jobs))
	add("all", "", "wait", "wait", func(whole bool) conclusion.Series { return x.waits(whole, every, 1)[0] })
	names, of := x.byUser()
	for _, name := range names[:min(len(names), mostTrialUsers)] {
		add("user", name, "stretch", "stretch of campaigns", func(whole bool) conclusion.Series { return x.stretches(whole, false, name) })
	}
	x.grouped(&list, "user", names, [][]int32{of})
	for _, g := range x.in.Groupings {
		x.grouped(&list, g.By, format.Texts(g.Groups, func(group Group) string { return group.Name }), g.Of)
	}
	order := func(m *measure) int {
		return slices.IndexFunc(trialTitles, func(about trialTitle) bool { return about.by == m.By })
	}
	slices.SortStableFunc(list, func(a, b measure) int { return cmp.Compare(order(&a), order(&b)) })
	return list
}

// mostTrialUsers is how many users have a stretch of their own: those with the most jobs.
const mostTrialUsers = 200

// byUser returns the names of the users, those with the most jobs first, and for each job which it is.
func (x *trialStudy) byUser() (names []string, of []int32) {
	counts := make(map[string]int)
	all := make([]string, len(x.jobs))
	for i := range x.jobs {
		all[i] = x.in.userName(x.jobs[i].User)
		if counts[all[i]]++; counts[all[i]] == 1 {
			names = append(names, all[i])
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	at := make(map[string]int32, len(names))
	for i, name := range names {
		at[name] = int32(i) //nolint:gosec // few
	}
	for _, name := range all {
		of = append(of, at[name])
	}
	return names, of
}

// grouped adds the waits of groups that have any.
func (x *trialStudy) grouped(list *[]measure, by string, names []string, layers [][]int32) {
	for _, of := range layers {
		part, whole := x.waits(false, of, len(names)), x.waits(true, of, len(names))
		for g, name := range names {
			if slices.Max(whole[g].Weight) > 0 {
				*list = append(*list, measure{TrialEffect{By: by, Group: name, Measure: "wait", Name: "wait"}, part[g], whole[g]})
			}
		}
	}
}

// minute is what a mean wait counts more: without it, periods in which hardly anybody waits would decide.
const minute = 60

// waits returns, for each group, the logarithm of its mean wait plus a minute.
func (x *trialStudy) waits(whole bool, of []int32, groups int) []conclusion.Series {
	list := make([]conclusion.Series, groups)
	for g := range list {
		list[g] = x.empty()
	}
	for i := range x.jobs {
		place, within := x.place(x.jobs[i].Submit, x.jobs[i].End)
		if g := of[i]; g >= 0 && place >= 0 && (within || whole) {
			list[g].Value[place] += float64(x.jobs[i].Start - x.jobs[i].Submit)
			list[g].Weight[place]++
		}
	}
	for g := range list {
		for p, n := range list[g].Weight {
			if n > 0 {
				list[g].Value[p] = math.Log(minute + list[g].Value[p]/n)
				list[g].Weight[p] = math.Sqrt(n)
			}
		}
	}
	return list
}

// stretches returns the mean logarithm of the stretch: over the users of a period, or over campaigns,
// of one user or, with "", of all.
func (x *trialStudy) stretches(whole, users bool, only string) conclusion.Series {
	s := x.empty()
	type key struct {
		place int
		user  ostrich.UserID
	}
	sums, keys := make(map[key]*[2]float64), []key{}
	for i := range x.campaigns {
		k := &x.campaigns[i]
		place, within := x.place(k.Submit, x.end(i))
		if place < 0 || !within && (!whole || x.end(i) == math.MaxInt64) || only != "" && x.in.userName(k.User) != only {
			continue
		}
		at := key{place, k.User}
		if !users {
			at.user = 0
		}
		if sums[at] == nil {
			sums[at] = new([2]float64)
			keys = append(keys, at)
		}
		sums[at][0] += math.Log(max(1, k.Stretch(x.in.Procs)))
		sums[at][1]++
	}
	for _, at := range keys {
		sum := sums[at]
		if users {
			s.Value[at.place] += sum[0] / sum[1]
			s.Weight[at.place]++
		} else {
			s.Value[at.place], s.Weight[at.place] = sum[0], sum[1]
		}
	}
	for p, n := range s.Weight {
		if n > 0 {
			s.Value[p] /= n
			s.Weight[p] = math.Sqrt(n)
		}
	}
	return s
}

func (x *trialStudy) empty() conclusion.Series {
	return conclusion.Series{Value: make([]float64, len(x.periods)), Weight: make([]float64, len(x.periods))}
}

func (m *measure) effect(a *conclusion.Analysis, periods []trial.Period) TrialEffect {
	e, r := m.TrialEffect, a.Effect(m.part)
	e.P, e.InStock, e.InOStrich = r.P, r.Periods[trial.Stock], r.Periods[trial.OStrich]
	e.Stock, e.OStrich = m.level(periods, trial.Stock), m.level(periods, trial.OStrich)
	e.Ratio, e.CarryOver = ratioOf(r.Estimate), ratioOf(r.CarryOver)
	if !math.IsNaN(r.Carried) && !math.IsInf(r.Carried, 0) {
		e.Carried = new(math.Expm1(r.Carried))
	}
	whole := a.Effect(m.whole).Estimate
	e.Whole = ratioOf(whole)
	switch e.Reading = Unclear; {
	case r.Interval == nil || min(e.InStock, e.InOStrich) < shortTrial:
		e.Reading = TooFew
	case math.Abs(r.Estimate) <= r.Carried:
	case whole*r.Estimate < 0: // what is left out depends on the arm as soon as the arm does anything
	case r.Interval.High < 0:
		e.Reading = Better
	case r.Interval.Low > 0:
		e.Reading = Worse
	}
	if r.Interval != nil {
		e.Interval = &report.Interval{Low: math.Exp(r.Interval.Low), High: math.Exp(r.Interval.High)}
	}
	return e
}

// level returns the weighted mean of an arm, as people read the measure; 0 without any.
func (m *measure) level(periods []trial.Period, arm trial.Arm) float64 {
	sum, all := 0.0, 0.0
	for i, w := range m.part.Weight {
		if periods[i].Arm == arm {
			sum, all = sum+w*m.part.Value[i], all+w
		}
	}
	switch {
	case all == 0:
		return 0
	case m.Measure == "wait":
		return max(0, math.Exp(sum/all)-minute)
	default:
		return math.Exp(sum / all)
	}
}

func ratioOf(log float64) *float64 {
	if math.IsNaN(log) || math.IsInf(log, 0) {
		return nil
	}
	return new(math.Exp(log))
}

// describe says what each period had, and how much of it an arm is known to have been in force.
func (x *trialStudy) describe(c *Trial) {
	s, n := x.stretches(false, true, ""), make([][2]int, len(x.periods))
	for i := range x.campaigns {
		if place, whole := x.place(x.campaigns[i].Submit, x.end(i)); whole && place >= 0 {
			n[place][0]++
		}
	}
	for i := range x.jobs {
		if place, whole := x.place(x.jobs[i].Submit, x.jobs[i].End); whole && place >= 0 {
			n[place][1]++
		}
	}
	for i, p := range x.periods {
		row := TrialPeriod{Period: p, Campaigns: n[i][0], Jobs: n[i][1], Covered: 1}
		if s.Weight[i] > 0 {
			row.Stretch = math.Exp(s.Value[i])
		}
		if x.in.Covered != nil {
			row.Covered = float64(x.in.Covered(&p)) / float64(x.d.Period)
		}
		c.Periods = append(c.Periods, row)
	}
	c.Down, _ = c.unknown(trial.OStrich)
}
