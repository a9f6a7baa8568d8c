package figures

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// must returns what was computed from numbers of this package. An error would be a
// mistake in them, as each example is always computed alike; the figure is not drawn then.
func must[T any](value T, err error) T {
	if err != nil {
		panic(mistake{err})
	}
	return value
}

// mistake is an error that must has found.
type mistake struct{ error }

// found ends a drawing with the mistake that must has found.
func found(err *error) {
	switch m := recover().(type) {
	case nil:
	case mistake:
		*err = m.error
	default:
		panic(m)
	}
}

// The shades of users by their names in the thesis.
var (
	darkGray   = svg.Key{Class: "s1", Name: "dark gray user"}
	mediumGray = svg.Key{Class: "s2", Name: "medium gray user"}
	lightGray  = svg.Key{Class: "s3", Name: "light gray user"}

	grayUsers = []svg.Key{darkGray, mediumGray, lightGray}

	twoUsers = []svg.Key{{Class: "s3", Name: "user 1"}, {Class: "s1", Name: "user 2"}}
)

// unit is the examples' unit of time in seconds of the simulator: 60, so that
// halves, thirds, quarters and fifths of it are whole.
const unit = 60

// seconds converts units of time to seconds of the simulator.
func seconds(units float64) ostrich.Duration { return ostrich.Duration(math.Round(units * unit)) }

// units converts seconds of the simulator to units of time.
func units[T ~int64](seconds T) float64 { return float64(seconds) / unit }

// rigid is a job with its processors and its length in units of time.
type rigid struct {
	procs  int
	length float64
}

// sequential returns jobs of one processor.
func sequential(lengths ...float64) []rigid {
	jobs := make([]rigid, len(lengths))
	for i, p := range lengths {
		jobs[i] = rigid{1, p}
	}
	return jobs
}

func submit(user ostrich.UserID, at float64, jobs ...rigid) sim.Campaign {
	list := make([]sim.Job, len(jobs))
	for i, j := range jobs {
		list[i] = sim.Job{ID: ostrich.JobID(i + 1), Procs: j.procs, Run: seconds(j.length), Estimate: seconds(j.length)}
	}
	return sim.NewCampaign(user, ostrich.Time(seconds(at)), 0, list...)
}

// ran is the result of a replay.
type ran struct {
	procs     int
	jobs      []report.Job
	campaigns []report.Campaign
	virtual   *recorder // nil without OStrich
}

// replayed runs campaigns, and records the virtual schedule if o is given.
func replayed(l sim.Machine, o *ostrich.Options, campaigns []sim.Campaign) *ran {
	r := &ran{procs: l.Procs}
	if o != nil {
		r.virtual = &recorder{seen: make(map[ostrich.Time][]ostrich.Campaign), began: max(0, 1-campaigns[0].Submit)}
		l.Policy = r.virtual.policy(*o)
	}
	r.jobs = must(l.Run(campaigns))
	if r.virtual != nil {
		must(r, r.virtual.finish())
	}
	r.campaigns = report.Campaigns(r.jobs)
	return r
}

// lanes returns idle areas, and then the jobs on their processors.
func (r *ran) lanes() []svg.Box {
	actual := r.boxes(false)
	return append(idle(actual, r.procs), actual...)
}

// beside draws the virtual schedule, with what it leaves of the processors, and below
// it the real one.
func (r *ran) beside(marks []svg.Mark, now float64) []svg.Panel {
	virtual := r.virtual.boxes()
	return []svg.Panel{
		{Title: "virtual", Lanes: machines(r.procs), Boxes: append(idle(virtual, r.procs), virtual...), Marks: marks, Now: now},
		{Title: "real", Lanes: machines(r.procs), Boxes: r.lanes(), Marks: marks, Now: now},
	}
}

// flow returns the flow time of a campaign, stretch its stretch.
func (r *ran) flow(i int) float64    { return units(r.campaigns[i].End - r.campaigns[i].Submit) }
func (r *ran) stretch(i int) float64 { return r.campaigns[i].Stretch(r.procs) }
func (r *ran) end(i int) float64     { return units(r.campaigns[i].End) }

// begin returns when the first job of a campaign starts.
func (r *ran) begin(i int) float64 {
	first := ostrich.Time(math.MaxInt64)
	for _, j := range r.jobs {
		if j.Campaign == i {
			first = min(first, j.Start)
		}
	}
	return units(first)
}

// recorder watches the daemon's virtual schedule, second by second, while the simulator
// steps it.
type recorder struct {
	*ostrich.Schedule
	began  ostrich.Time // of the replay, on the clock of the schedule
	pieces []piece
	seen   map[ostrich.Time][]ostrich.Campaign // campaigns after all events of a moment
}

// piece is a period in which a campaign is served evenly.
type piece struct {
	user       ostrich.UserID
	campaign   int
	from, to   ostrich.Time // of the replay
	top, procs float64
	work       float64 // processor-units
}

func (r *recorder) policy(o ostrich.Options) sim.Policy {
	return func(m int) (sim.Ranker, error) {
		o.Procs, o.Rule = m, campaign.Rule{By: campaign.Groups}
		var err error
		r.Schedule, err = ostrich.New(o)
		return r, err
	}
}

// Wake returns the next virtual completion, which may open a strict gate.
func (r *recorder) Wake(waiting bool) ostrich.Time {
	due := math.Ceil(r.NextCompletion())
	if !waiting || due >= math.MaxInt64 {
		return 0
	}
	return ostrich.Time(due)
}

// Step steps the schedule.
func (r *recorder) Step(e ostrich.Event) error {
	if err := r.AdvanceTo(e.At); err != nil {
		return err
	}
	return r.Schedule.Step(e)
}

// AdvanceTo advances the schedule.
func (r *recorder) AdvanceTo(t ostrich.Time) error {
	for r.Now() < t {
		before := r.Campaigns()
		if len(before) == 0 {
			return r.Schedule.AdvanceTo(t)
		}
		r.seen[r.Now()-r.began] = before
		if err := r.Schedule.AdvanceTo(r.Now() + 1); err != nil {
			return err
		}
		r.record(before, r.Campaigns())
	}
	return nil
}

// finish lets the virtual schedule complete what it can.
func (r *recorder) finish() error {
	for r.Active() > 0 && !math.IsInf(r.NextCompletion(), 1) {
		now := r.Now()
		if err := r.AdvanceTo(ostrich.Time(math.Ceil(r.NextCompletion()))); err != nil || r.Now() == now {
			return err
		}
	}
	return nil
}

// record records what was served in the last second.
func (r *recorder) record(before, after []ostrich.Campaign) {
	to := r.Now() - r.began
	top := 0.0
	for i := range before {
		b := &before[i]
		done := b.Work // a campaign that is complete is gone
		for k := range after {
			if a := &after[k]; a.User == b.User && a.Number == b.Number {
				done = a.Served
			}
		}
		procs := float64(done - b.Served)
		if procs <= 1e-9 {
			continue
		}
		r.extend(piece{user: b.User, campaign: b.Number, from: to - 1, to: to, top: top, procs: procs, work: procs / unit})
		top += procs
	}
}

func (r *recorder) extend(p piece) {
	const near = 1e-6
	for i := len(r.pieces) - 1; i >= 0; i-- {
		o := &r.pieces[i]
		if o.user == p.user && o.campaign == p.campaign {
			if o.to == p.from && math.Abs(o.top-p.top) < near && math.Abs(o.procs-p.procs) < near {
				o.to = p.to
				o.work += p.work
				return
			}
			break
		}
	}
	r.pieces = append(r.pieces, p)
}

// times returns the virtual start and completion of a campaign, in units of time,
// as they were at a moment after all of its events.
func (r *recorder) times(at float64, user ostrich.UserID, number int) (start, end float64) {
	for _, c := range r.seen[ostrich.Time(seconds(at))] {
		if c.User == user && c.Number == number {
			began := float64(r.began)
			return (c.VirtualStart - began) / unit, (c.VirtualEnd - began) / unit
		}
	}
	return math.NaN(), math.NaN()
}

// completion returns C~ at a moment.
func (r *recorder) completion(at float64, user ostrich.UserID, number int) float64 {
	_, end := r.times(at, user, number)
	return end
}

// boxes returns the loads of the virtual schedule: a box with its load for each
// even piece, and a plus before what is added to an earlier one.
func (r *recorder) boxes() []svg.Box {
	begun := make(map[[2]int]bool)
	var list []svg.Box
	for _, p := range r.pieces {
		key := [2]int{int(p.user), p.campaign}
		label := amount(p.work)
		if begun[key] {
			label = "+" + label
		}
		begun[key] = true
		list = append(list, svg.Box{
			From: units(p.from), To: units(p.to), Top: snapped(p.top), Height: snapped(p.procs), Class: tone(p.user), Label: label,
			What: fmt.Sprintf("campaign %d of user %d: %s processors from %s to %s, a load of %s",
				p.campaign, p.user, amount(p.procs), amount(units(p.from)), amount(units(p.to)), amount(p.work)),
		})
	}
	return list
}

// snapped removes rounding errors of floating point.
func snapped(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// boxes returns the jobs on their processors with their lengths, and with their
// sizes if any job has more than one processor. Processors are numbered from the top,
// or with fromEnd from the bottom.
func (r *ran) boxes(fromEnd bool) []svg.Box {
	sizes := slices.ContainsFunc(r.jobs, func(j report.Job) bool { return j.Procs > 1 })
	numbers := make(map[int]int) // number of a campaign among its user's
	count := make(map[ostrich.UserID]int)
	for _, j := range r.jobs {
		if numbers[j.Campaign] == 0 {
			count[j.User]++
			numbers[j.Campaign] = count[j.User]
		}
	}
	var list []svg.Box
	for i, blocks := range report.Allocate(r.jobs, r.procs) {
		j := &r.jobs[i]
		label := amount(units(j.End - j.Start))
		if sizes {
			label = fmt.Sprintf("%d×%s", j.Procs, label)
		}
		for _, b := range blocks {
			top := b.First
			if fromEnd {
				top = r.procs - 1 - b.Last
			}
			list = append(list, svg.Box{
				From: units(j.Start), To: units(j.End), Top: float64(top), Height: float64(b.Last - b.First + 1),
				Class: tone(j.User), Label: label,
				What: fmt.Sprintf("job of campaign %d of user %d, from %s to %s", numbers[j.Campaign], j.User,
					amount(units(j.Start)), amount(units(j.End))),
			})
		}
	}
	return list
}
