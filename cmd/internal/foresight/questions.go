package foresight

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// When the daemon asks itself. An ask costs what package forecast says, for the last job that waits.
const (
	pause    = 60   // seconds between two looks
	atSubmit = 4    // jobs of a pool that have come since the look before
	atHour   = 8    // others of it, at each full hour
	mostOpen = 2000 // questions of a pool that wait for their answers, and as many for ends
	mostJobs = 200  // of a campaign for whose end is asked, an array counting once
	longest  = 30 * day
)

const (
	hour = ostrich.Time(3600)
	day  = 24 * hour

	scoreDays = 30
)

// question is one that waits for what becomes of its job, or of jobs.
type question struct {
	Job   ostrich.JobID   `json:"job,omitempty"`
	Jobs  []ostrich.JobID `json:"jobs,omitempty"`  // for the end of the last of them in place of the start of Job, ascending
	Ended ostrich.Time    `json:"ended,omitempty"` // the latest end of these so far
	At    ostrich.Time    `json:"at"`
	Odds  [3]ostrich.Time `json:"odds"`
	Draws []ostrich.Time  `json:"draws"`
	Quiet ostrich.Time    `json:"quiet"` // see forecast.Draws
	Late  bool            `json:"late"`  // nothing had become of it by the moment of 90 %, and it counts as that

	token   forecast.Question
	learns  bool // the correction waits for it
	settled bool
	unable  ostrich.Time // since when its job has not been able to start; 0: it is
}

func (q *question) about() []ostrich.JobID {
	if q.Jobs != nil {
		return q.Jobs
	}
	return []ostrich.JobID{q.Job}
}

// startHeard is within which time accounting tells of a start. A job that is back in the queue at a limit may
// have started before.
const startHeard = 60

// Day counts the answers of which it became known on a day how good they were.
type Day struct {
	Day int64 `json:"day"` // since 1970
	forecast.Band
}

// Record says how good the answers of the last 30 days were.
type Record struct {
	Of   int // answers of which it is known
	Held int // of them, those whose job started, or campaign ended, between the moments of 10 and 90 %
}

// Enough is from how many answers on a Record says something.
const Enough = 20

// Part returns which part held, false if there are not Enough.
func (r Record) Part() (float64, bool) {
	if r.Of < Enough {
		return 0, false
	}
	return float64(r.Held) / float64(r.Of), true
}

// CannotTell reports whether so many answers did not hold that nothing can be said.
func (r Record) CannotTell() bool { return r.Of >= 100 && 10*r.Held < 7*r.Of }

// Record returns how good the answers of a pool were up to a moment.
func (f *Foresight) Record(name string, what What, now ostrich.Time) (r Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.of(name).answers[what].days {
		if d.Day > int64(now/day)-scoreDays {
			r.Of, r.Held = r.Of+d.Asked, r.Held+d.Held
		}
	}
	return r
}

// Due reports whether Look has something to do at a moment. It costs nothing.
func (f *Foresight) Due(now ostrich.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reading || now >= f.looked+pause || now < f.looked
}

// Queue is the waiting jobs of a pool that can start, in the order in force. An array counts as its first task.
type Queue struct {
	Pool string
	Jobs []ostrich.JobID
	Ask  func(places []int) ([]forecast.Draws, error) // of Jobs; without starts where nothing can be said

	// Campaign lists those jobs of the campaign of one of Jobs that wait or run, an array as one, and when the last of them ends, in the
	// draws of Ask; none where nothing can be said. It may be nil.
	Campaign func(place int) ([]ostrich.JobID, *forecast.Draws)

	Unable []ostrich.JobID // waiting jobs that cannot start
}

// Look notes where the jobs went that have come, drops the questions whose jobs cannot start any more, and asks
// for some jobs. Which ones is drawn from the moment. The error is that of questions.
func (f *Foresight) Look(now ostrich.Time, queues []Queue) error {
	type asking struct {
		pool   string
		places []int
	}
	var all []asking
	f.mu.Lock()
	f.looked, f.reading = now, false
	for q := range queues {
		if places := f.look(now, &queues[q]); len(places) > 0 {
			all = append(all, asking{queues[q].Pool, places})
		}
	}
	for _, j := range f.fresh { // of no queue
		f.note(j)
	}
	f.fresh = nil
	f.mu.Unlock()
	var errs []error
	for _, a := range all {
		i := slices.IndexFunc(queues, func(q Queue) bool { return q.Pool == a.pool })
		draws, err := queues[i].Ask(a.places)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ends := queues[i].campaigns(a.places)
		f.mu.Lock()
		for k, place := range a.places {
			if len(draws[k].Starts) > 0 {
				f.ask(&f.of(a.pool).answers[Starts], &question{Job: queues[i].Jobs[place]}, &draws[k])
			}
		}
		f.askEnds(&f.of(a.pool).answers[Ends], ends)
		f.mu.Unlock()
	}
	return errors.Join(errs...)
}

// note adds a job that has come to the habits.
func (f *Foresight) note(j *job) { j.came = f.of(j.pool).come(&j.is, j.count) }

// look returns the places of the jobs that are to be asked for.
func (f *Foresight) look(now ostrich.Time, q *Queue) (ask []int) {
	p := f.of(q.Pool)
	f.forget(p, q, now)
	random := rand.New(rand.NewPCG(seedOf(now), uint64(len(q.Jobs))))
	var came []int
	before, arrived := 0, make(map[ostrich.JobID]bool, len(f.fresh))
	for _, j := range f.fresh {
		if j.pool == q.Pool {
			arrived[j.id] = true
		}
	}
	where := make(map[ostrich.JobID]int, len(arrived))
	for i, id := range q.Jobs {
		if arrived[id] {
			where[id] = before
			came = append(came, i)
		} else {
			before++
		}
	}
	f.fresh = slices.DeleteFunc(f.fresh, func(j *job) bool {
		if j.pool != q.Pool {
			return false
		}
		if at, waits := where[j.id]; waits {
			j.is.Place = float32(at) / float32(max(1, before))
			if before > 0 {
				p.placed(j.is.Place)
			}
		}
		f.note(j)
		return true
	})
	ask = some(random, came, atSubmit)
	if now/hour != p.hour {
		if p.hour != 0 && len(q.Jobs) > 0 {
			for range atHour {
				if i := random.IntN(len(q.Jobs)); !slices.Contains(ask, i) {
					ask = append(ask, i)
				}
			}
		}
		p.hour = now / hour
	}
	return ask[:min(len(ask), max(0, mostOpen-len(p.answers[Starts].questions)))]
}

// campaign is what is asked of the end of one.
type campaign struct {
	jobs  []ostrich.JobID // ascending
	draws *forecast.Draws
}

// campaigns lists those of some jobs, each once, without those that are too large.
func (q *Queue) campaigns(places []int) (all []campaign) {
	if q.Campaign == nil {
		return nil
	}
	for _, place := range places {
		jobs, d := q.Campaign(place)
		if len(jobs) == 0 || len(jobs) > mostJobs {
			continue
		}
		slices.Sort(jobs)
		if !slices.ContainsFunc(all, func(c campaign) bool { return slices.Equal(c.jobs, jobs) }) {
			all = append(all, campaign{jobs, d})
		}
	}
	return all
}

// askEnds asks for the ends of campaigns.
func (f *Foresight) askEnds(is *answers, all []campaign) {
	for _, c := range all[:min(len(all), max(0, mostOpen-len(is.questions)))] {
		f.ask(is, &question{Jobs: c.jobs}, c.draws)
	}
}

// forget closes the questions whose jobs cannot start any more. One that has started is no more in the queue before
// accounting tells of it. That a job waits beyond the moment of 90 % counts at once.
func (f *Foresight) forget(p *pool, q *Queue, now ostrich.Time) {
	if len(f.asked) == 0 {
		return
	}
	waits, unable, lives := make(map[ostrich.JobID]bool), make(map[ostrich.JobID]bool), make(map[ostrich.JobID]bool)
	note := func(in map[ostrich.JobID]bool, ids ...ostrich.JobID) {
		for _, id := range ids {
			if f.asked[id] > 0 {
				in[id] = true
			}
		}
	}
	note(waits, q.Jobs...)
	note(unable, q.Unable...)
	if len(p.answers[Ends].questions) > 0 {
		for id, j := range f.jobs {
			note(lives, id, j.group)
		}
	}
	has := func(of map[ostrich.JobID]bool, one *question) bool {
		return slices.ContainsFunc(one.about(), func(id ostrich.JobID) bool { return of[id] })
	}
	p.each(func(a *answers, one *question) {
		if one.unable == 0 && has(unable, one) {
			one.unable = now
		}
		switch {
		case one.unable != 0:
			if now >= one.unable+startHeard {
				f.settleGone(a, one, now)
			}
		case one.Jobs == nil && has(waits, one):
			if f.late(a, one, now); now > one.At+longest {
				f.settleGone(a, one, now)
			}
		case one.Jobs != nil && has(lives, one):
			if f.late(a, one, now-startHeard); now > one.At+longest {
				f.settleGone(a, one, now)
			}
		case one.Ended != 0:
			f.settle(a, one, one.Ended)
		case one.Jobs != nil || f.jobs[one.Job] == nil || now > one.At+longest:
			f.settleGone(a, one, one.At) // nobody knows what became of it
		}
	})
	f.tidy(p)
}

// some draws at most n of a list.
func some(random *rand.Rand, list []int, n int) []int {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

func (f *Foresight) ask(a *answers, q *question, d *forecast.Draws) {
	odds, token := a.learned.Ask(d)
	q.At, q.Odds, q.Draws, q.Quiet, q.token, q.learns = d.Now, odds.Shown(), d.Starts, d.Quiet, token, true
	a.questions = append(a.questions, q)
	f.count(q, 1)
	f.changed = true
}

// count counts the jobs of a question that is opened or closed.
func (f *Foresight) count(q *question, by int) {
	for _, id := range q.about() {
		if f.asked[id] += by; f.asked[id] < 1 {
			delete(f.asked, id)
		}
	}
}

// each calls settle with the open questions of a pool.
func (p *pool) each(settle func(*answers, *question)) {
	for i := range p.answers {
		for _, one := range p.answers[i].questions {
			settle(&p.answers[i], one)
		}
	}
}

// each calls settle with the open questions for a job, or for the array or heterogeneous job that it belongs to.
func (f *Foresight) each(settle func(*answers, *question), ids ...ostrich.JobID) {
	if !slices.ContainsFunc(ids, func(id ostrich.JobID) bool { return f.asked[id] > 0 }) {
		return // as of most jobs
	}
	for i := range f.pools {
		p := f.known[f.pools[i].Name]
		if p == nil {
			continue
		}
		found := false
		p.each(func(a *answers, one *question) {
			if slices.ContainsFunc(ids, func(id ostrich.JobID) bool { _, is := slices.BinarySearch(one.about(), id); return is }) {
				settle(a, one)
				found = true
			}
		})
		if found {
			f.tidy(p)
		}
	}
}

// started answers the questions for a job. That it had started before it was asked for was not known then, and
// says nothing.
func (f *Foresight) started(is *ostrich.Job, at ostrich.Time) {
	f.each(func(a *answers, q *question) {
		switch {
		case q.Jobs != nil:
		case at <= q.At && f.reading: // of a job that has been requeued since
		case at <= q.At:
			f.settleGone(a, q, q.At)
		case q.unable != 0 && at > q.unable:
			f.settleGone(a, q, at)
		default:
			f.settle(a, q, at)
		}
	}, is.ID, is.Group)
}

// gone closes the questions for a job that cannot start any more, and notes its end where that is asked for.
func (f *Foresight) gone(is *ostrich.Job, at ostrich.Time) {
	f.each(func(a *answers, q *question) {
		switch {
		case q.Jobs == nil:
			if is.ID == q.Job {
				f.settleGone(a, q, at)
			}
		case at <= q.At: // which was not known then
		case is.Start == 0:
			f.settleGone(a, q, at)
		default:
			q.Ended, f.changed = max(q.Ended, at), true
		}
	}, is.ID, is.Group)
}

// settle closes a question at the moment that was asked for.
func (f *Foresight) settle(a *answers, q *question, at ostrich.Time) {
	if q.learns {
		a.learned.Started(q.token, at)
	}
	if !q.Late {
		a.count(at, q.Odds[0] <= at && at <= q.Odds[2])
	}
	q.settled, f.changed = true, true
}

// late counts an answer where it has not happened by a moment, if that is beyond the moment of 90 %.
func (f *Foresight) late(a *answers, q *question, at ostrich.Time) {
	if q.Late || at <= q.Odds[2] {
		return
	}
	if q.learns {
		a.learned.Waits(q.token, at)
	}
	a.count(at, false)
	q.Late, f.changed = true, true
}

// settleGone closes a question where it had not happened by a moment, and will not.
func (f *Foresight) settleGone(a *answers, q *question, at ostrich.Time) {
	if q.unable != 0 {
		at = min(at, q.unable)
	}
	f.late(a, q, at)
	if q.learns {
		a.learned.Gone(q.token, at)
	}
	q.settled, f.changed = true, true
}

// tidy drops the questions that are settled.
func (f *Foresight) tidy(p *pool) {
	for i := range p.answers {
		a := &p.answers[i]
		a.questions = slices.DeleteFunc(a.questions, func(q *question) bool {
			if q.settled {
				f.count(q, -1)
			}
			return q.settled
		})
	}
}

func (a *answers) count(at ostrich.Time, held bool) {
	today := int64(at / day)
	i, known := slices.BinarySearchFunc(a.days, today, func(d Day, day int64) int { return cmp.Compare(d.Day, day) })
	if !known {
		a.days = slices.Insert(a.days, i, Day{Day: today})
	}
	a.days[i].Asked++
	if held {
		a.days[i].Held++
	}
	if over := len(a.days) - scoreDays - 1; !known && over > 0 {
		a.days = slices.Delete(a.days, 0, over)
	}
}
