package foresight

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
)

// When the daemon asks itself. Every ask in between costs at most 60 ms.
const (
	pause    = 60   // seconds between two looks
	atSubmit = 4    // jobs of a pool that have come since the look before
	atHour   = 8    // others of it, at each full hour
	mostOpen = 2000 // questions of a pool that wait for their answers
	longest  = 30 * day
)

const (
	hour = ostrich.Time(3600)
	day  = 24 * hour

	scoreDays = 30
)

// question is one that waits for what becomes of its job.
type question struct {
	Job   ostrich.JobID   `json:"job"`
	At    ostrich.Time    `json:"at"`
	Odds  [3]ostrich.Time `json:"odds"`
	Draws []ostrich.Time  `json:"draws"`
	Quiet ostrich.Time    `json:"quiet"` // see forecast.Draws
	Late  bool            `json:"late"`  // its job waited beyond the moment of 90 %, and counts as that

	token   forecast.Question
	learns  bool // the correction waits for it
	settled bool
	unable  ostrich.Time // since when its job has not been able to start; 0: it is
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
	Held int // of them, those whose job started between the moments of 10 and 90 %
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
func (f *Foresight) Record(name string, now ostrich.Time) (r Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.of(name).days {
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
		f.mu.Lock()
		for k, place := range a.places {
			if len(draws[k].Starts) > 0 {
				f.ask(f.of(a.pool), queues[i].Jobs[place], &draws[k])
			}
		}
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
	return ask[:min(len(ask), max(0, mostOpen-len(p.questions)))]
}

// forget closes the questions whose jobs cannot start any more. One that has started is no more in the queue before
// accounting tells of it. That a job waits beyond the moment of 90 % counts at once.
func (f *Foresight) forget(p *pool, q *Queue, now ostrich.Time) {
	if len(p.questions) == 0 {
		return
	}
	waits, unable := make(map[ostrich.JobID]bool, len(p.questions)), make(map[ostrich.JobID]bool)
	for _, id := range q.Jobs {
		if f.asked[id] > 0 {
			waits[id] = true
		}
	}
	for _, id := range q.Unable {
		if f.asked[id] > 0 {
			unable[id] = true
		}
	}
	for _, one := range p.questions {
		if unable[one.Job] && one.unable == 0 {
			one.unable = now
		}
		switch {
		case one.unable != 0:
			if now >= one.unable+startHeard {
				f.settleGone(p, one, now)
			}
		case waits[one.Job]:
			if f.late(p, one, now); now > one.At+longest {
				f.settleGone(p, one, now)
			}
		case f.jobs[one.Job] == nil || now > one.At+longest:
			f.settleGone(p, one, one.At) // nobody knows what became of it
		}
	}
	f.tidy(p)
}

// some draws at most n of a list.
func some(random *rand.Rand, list []int, n int) []int {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

// ask keeps a question.
func (f *Foresight) ask(p *pool, id ostrich.JobID, d *forecast.Draws) {
	odds, token := p.learned.Ask(d)
	p.questions = append(p.questions, &question{Job: id, At: d.Now, Odds: odds.Shown(), Draws: d.Starts, Quiet: d.Quiet, token: token, learns: true})
	f.asked[id]++
	f.changed = true
}

// each calls settle with the open questions for a job, or for the array or heterogeneous job that it belongs to.
func (f *Foresight) each(settle func(*pool, *question), ids ...ostrich.JobID) {
	if !slices.ContainsFunc(ids, func(id ostrich.JobID) bool { return f.asked[id] > 0 }) {
		return // as of most jobs
	}
	for i := range f.pools {
		p := f.known[f.pools[i].Name]
		if p == nil {
			continue
		}
		found := false
		for _, one := range p.questions {
			if slices.Contains(ids, one.Job) {
				settle(p, one)
				found = true
			}
		}
		if found {
			f.tidy(p)
		}
	}
}

// started answers the questions for a job. That it had started before it was asked for was not known then, and
// says nothing.
func (f *Foresight) started(is *ostrich.Job, at ostrich.Time) {
	f.each(func(p *pool, q *question) {
		switch {
		case at <= q.At && f.reading: // of a job that has been requeued since
			return
		case at <= q.At:
			f.settleGone(p, q, q.At)
			return
		case q.unable != 0 && at > q.unable:
			f.settleGone(p, q, at)
			return
		case q.learns:
			p.learned.Started(q.token, at)
		}
		if !q.Late {
			p.count(at, q.Odds[0] <= at && at <= q.Odds[2])
		}
		q.settled, f.changed = true, true
	}, is.ID, is.Group)
}

// gone closes the questions for a job that cannot start any more.
func (f *Foresight) gone(id ostrich.JobID, at ostrich.Time) {
	f.each(func(p *pool, q *question) { f.settleGone(p, q, at) }, id)
}

// late counts an answer whose job still waits at a moment, if that is beyond the moment of 90 %.
func (f *Foresight) late(p *pool, q *question, at ostrich.Time) {
	if q.Late || at <= q.Odds[2] {
		return
	}
	if q.learns {
		p.learned.Waits(q.token, at)
	}
	p.count(at, false)
	q.Late, f.changed = true, true
}

// settleGone closes a question whose job waited until a moment.
func (f *Foresight) settleGone(p *pool, q *question, at ostrich.Time) {
	if q.unable != 0 {
		at = min(at, q.unable)
	}
	f.late(p, q, at)
	if q.learns {
		p.learned.Gone(q.token, at)
	}
	q.settled, f.changed = true, true
}

// tidy drops the questions that are settled.
func (f *Foresight) tidy(p *pool) {
	p.questions = slices.DeleteFunc(p.questions, func(q *question) bool {
		if q.settled {
			if f.asked[q.Job]--; f.asked[q.Job] < 1 {
				delete(f.asked, q.Job)
			}
		}
		return q.settled
	})
}

// count counts an answer.
func (p *pool) count(at ostrich.Time, held bool) {
	today := int64(at / day)
	i, known := slices.BinarySearchFunc(p.days, today, func(d Day, day int64) int { return cmp.Compare(d.Day, day) })
	if !known {
		p.days = slices.Insert(p.days, i, Day{Day: today})
	}
	p.days[i].Asked++
	if held {
		p.days[i].Held++
	}
	if over := len(p.days) - scoreDays - 1; !known && over > 0 {
		p.days = slices.Delete(p.days, 0, over)
	}
}
