package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/foresight"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/priority"
)

// Odds are the moments by which something happens with odds of 10, 50 and 90 %.
type Odds struct {
	P10 ostrich.Time `json:"p10"`
	P50 ostrich.Time `json:"p50"`
	P90 ostrich.Time `json:"p90"`
	// Held is the part of the answers of the last 30 days whose job started, or whose campaign ended, between the moments of 10 and 90 %;
	// null: there are not enough. Of counts them.
	Held *float64 `json:"held"`
	Of   int      `json:"of"`
}

// cannotTell reports whether so many answers did not hold that nothing can be said.
func (o *Odds) cannotTell() bool {
	return o.Held != nil && foresight.Record{Of: o.Of, Held: int(*o.Held*float64(o.Of) + 0.5)}.CannotTell()
}

// Told reports whether the odds are told: enough earlier answers are known, and they held. nil is not.
func (o *Odds) Told() bool { return o != nil && o.Held != nil && !o.cannotTell() }

// drawn are the futures of a pool in which its waiting jobs start, or those near the front.
type drawn struct {
	draws []forecast.Draws      // of the tasks of the asked waiting jobs, in the order in force, and then of what runs
	first map[ostrich.JobID]int // place of a job's first task, or of what runs
	count map[ostrich.JobID]int // its tasks; 0 of what runs
	asked int                   // tasks
	cut   ostrich.JobID         // job of which some tasks may be beyond mostForecast; 0: none
	err   error                 // of a job that the pool cannot run, so that there is nothing else
}

// beyond reports whether a job waits behind those that were asked for.
func (d *drawn) beyond(id ostrich.JobID) bool {
	at, known := d.first[id]
	return known && d.count[id] > 0 && at+d.count[id] > d.asked
}

// nearFront is how many tasks at the front of a pool's queue have futures of their own, of which there can be more.
const nearFront = 1000

// futures returns those of a pool in which some jobs start, nil if there are none. They are drawn with the first question of a cycle.
func (s *Cycle) futures(pool *Pool, jobs ...ostrich.JobID) *drawn {
	if s.Foresight == nil || pool == nil {
		return nil
	}
	d := s.near.of(pool.Name, func() *drawn { return s.draw(pool, nearFront) })
	if slices.ContainsFunc(jobs, d.beyond) {
		return s.drawn.of(pool.Name, func() *drawn { return s.draw(pool, mostForecast) })
	}
	return d
}

// draw asks for what runs, and for so many tasks at the front.
func (s *Cycle) draw(pool *Pool, most int) *drawn {
	d := &drawn{first: make(map[ostrich.JobID]int), count: make(map[ostrich.JobID]int)}
	var is *forecast.State
	on := s.placing(pool)
	draws, err := s.Foresight.Draws(pool.Name, func(spread foresight.SpreadOf) (*forecast.State, []int) {
		is = s.sight(pool, on, spread)
		d.asked = min(len(is.Pending), most)
		var asked []int
		for i := range is.Pending {
			id := is.Pending[i].ID
			if d.count[id]++; d.count[id] == 1 {
				d.first[id] = i
			}
			if i < d.asked {
				asked = append(asked, i)
			}
		}
		for i := range is.Running {
			if id := is.Running[i].ID; d.count[id] == 0 {
				d.first[id] = len(asked)
				asked = append(asked, ^i)
			}
		}
		return is, asked
	})
	if err != nil {
		return &drawn{err: err}
	}
	d.draws = draws
	if n := len(is.Pending); n == mostForecast {
		d.cut = is.Pending[n-1].ID
	}
	return d
}

// sight returns what runs and what waits in a pool.
func (s *Cycle) sight(pool *Pool, on *placing, spread foresight.SpreadOf) *forecast.State {
	is := &forecast.State{Now: s.Time, Bound: make(map[ostrich.UserID]forecast.Bound)}
	busy := 0
	for i := range s.live {
		r := s.live[i]
		j := &r.Job
		if !s.runsIn(pool, r) || j.Procs < 1 {
			continue
		}
		busy += j.Procs
		is.Running = append(is.Running, forecast.Job{
			ID: j.ID, User: j.User, Procs: j.Procs, Limit: bounded(j.Estimate), Ran: max(1, ostrich.Duration(s.Time-j.Start)-j.Suspended), Class: j.Class,
			Request: on.of(j, j.Procs, "", on.bounds.binding(r.UserName, r.Account, r.QOS, j.Partition)),
			Spread:  spread(j.User, &lengths.Request{Limit: bounded(j.Estimate), Procs: j.Procs, Class: j.Class, Hint: j.Hint}),
		})
	}
	slices.SortFunc(is.Running, func(a, b forecast.Job) int { return cmp.Or(cmp.Compare(b.Procs, a.Procs), cmp.Compare(a.ID, b.ID)) }) // the widest find nodes first
	for _, i := range s.inForce(pool, on) {
		e := s.Plan.Entries[i]
		j := ostrich.Job{User: ostrich.UserID(e.UID)} // where accounting does not know it
		if r, ok := s.record(e.Job); ok {
			j = r.Job
		}
		procs, limit := s.procs(e), cmp.Or(j.Estimate, e.TimeLimit)
		if procs < 1 || limit < 1 {
			continue
		}
		under := on.bounds.binding(e.User, e.Account, e.QOS, e.Partition)
		if under != (forecast.Bound{}) {
			is.Bound[j.User] = under
		}
		one := forecast.Job{
			ID: e.Job, User: j.User, Procs: procs, Limit: bounded(limit), Class: j.Class, Request: on.of(&j, procs, e.Wants, under),
			Spread: spread(j.User, &lengths.Request{Limit: bounded(limit), Procs: procs, Class: j.Class, Hint: j.Hint}),
		}
		for range max(e.Count, 1) {
			if len(is.Pending) < mostForecast {
				is.Pending = append(is.Pending, one)
			}
		}
	}
	is.Procs = max(pool.Procs, busy)
	is.Cluster, is.Requests, is.Came = on.cluster, on.requests, on.asked
	return is
}

// limited reports whether a pending job waits for nothing but its turn and a limit that the futures know.
func (s *Cycle) limited(e *priority.Entry, pool *Pool, on *placing) bool {
	if e.Wait != priority.Limited || !priority.InUse(e.Reason) || e.Reservation != "" || s.procs(e) > pool.Procs {
		return false
	}
	r, ok := s.record(e.Job)
	under := on.bounds.binding(e.User, e.Account, e.QOS, e.Partition)
	return ok && under != (forecast.Bound{}) && on.of(&r.Job, s.procs(e), e.Wants, under) > 0
}

// odds returns when the first task of a job that can start does, nil if that is not known.
func (s *Cycle) odds(id ostrich.JobID, pool *Pool) *Odds {
	d := s.futures(pool, id)
	if d == nil {
		return nil
	}
	at, ok := d.first[id]
	if !ok || d.count[id] == 0 {
		return nil
	}
	return s.answer(pool, foresight.Starts, &d.draws[at])
}

func (s *Cycle) answer(pool *Pool, what foresight.What, d *forecast.Draws) *Odds {
	at, record := s.Foresight.Answer(pool.Name, what, d).Shown(), s.Foresight.Record(pool.Name, what, s.Time)
	o := &Odds{P10: at[0], P50: at[1], P90: at[2], Of: record.Of}
	if part, enough := record.Part(); enough {
		part = rounded(part)
		o.Held = &part
	}
	return o
}

// endOdds returns when the last job of a campaign ends, nil if that is not known, as if one of its jobs cannot start.
func (s *Cycle) endOdds(c *Campaign) *Odds {
	pool := s.poolNamed(c.Pool)
	if _, d := s.end(c); d != nil {
		return s.answer(pool, foresight.Ends, d)
	}
	return nil
}

// end returns the jobs of a campaign that wait or run, and when the last of them ends in the futures; nil if that is not known.
func (s *Cycle) end(c *Campaign) ([]ostrich.JobID, *forecast.Draws) {
	jobs := slices.Concat(c.Pending, c.Running)
	if c.Blocked > 0 || len(jobs) == 0 {
		return nil, nil
	}
	d := s.futures(s.poolNamed(c.Pool), jobs...)
	if d == nil {
		return nil, nil
	}
	var all []forecast.Draws
	for _, id := range jobs {
		at, ok := d.first[id]
		if !ok || id == d.cut {
			return nil, nil
		}
		all = append(all, d.draws[at:at+max(d.count[id], 1)]...)
	}
	return jobs, forecast.Last(all)
}

// poolNamed returns a pool of a name, nil without one.
func (s *Cycle) poolNamed(name string) *Pool {
	for i := range s.Pools {
		if s.Pools[i].Name == name {
			return &s.Pools[i]
		}
	}
	return nil
}

// Look lets the foresight look at the cycle: it asks itself for some jobs, now and then. The error is that of a question.
func (s *Cycle) Look() error {
	if s.Foresight == nil || !s.Foresight.Due(s.Time) {
		return nil
	}
	var queues []foresight.Queue
	for i := range s.Pools {
		pool := &s.Pools[i]
		if s.poolNamed(pool.Name) == pool {
			queues = append(queues, s.queueOf(pool))
		}
	}
	return s.Foresight.Look(s.Time, queues)
}

func (s *Cycle) queueOf(pool *Pool) foresight.Queue {
	q, on := foresight.Queue{Pool: pool.Name}, s.placing(pool)
	for _, i := range s.inForce(pool, on) {
		q.Jobs = append(q.Jobs, s.Plan.Entries[i].Job)
	}
	for _, e := range s.Plan.Entries {
		if p := s.poolOf(e); p == nil || !s.able(e, p) && (p.Name != pool.Name || !s.limited(e, pool, on)) {
			q.Unable = append(q.Unable, e.Job)
		}
	}
	q.Ask = func(places []int) ([]forecast.Draws, error) {
		all := make([]forecast.Draws, len(places))
		for k, place := range places {
			id := q.Jobs[place]
			d := s.futures(pool, id)
			if d.err != nil {
				return nil, d.err
			}
			if d.count[id] > 0 { // near enough to the front
				all[k] = d.draws[d.first[id]]
			}
		}
		return all, nil
	}
	q.Campaign = func(place int) ([]ostrich.JobID, *forecast.Draws) {
		i := slices.IndexFunc(s.Campaigns, func(c Campaign) bool { return slices.Contains(c.Pending, q.Jobs[place]) })
		if i < 0 {
			return nil, nil
		}
		return s.end(&s.Campaigns[i])
	}
	return q
}

// between says between which moments something happens.
func (o *Odds) between(now ostrich.Time) string {
	if o.P90 <= now {
		return "now"
	}
	at := func(t ostrich.Time) string {
		if t <= now {
			return "now"
		}
		return moment(t)
	}
	return fmt.Sprintf("between %s and %s", at(o.P10), at(o.P90))
}

// Interval is the time between the moments of 10 and 90 % as in ISO 8601, which leaves out a second
// date like the first: 2026-11-29T14:10/15:30. It is "now" once both are past, "" where odds are not told.
func (o *Odds) Interval(now ostrich.Time) string {
	if !o.Told() {
		return ""
	}
	if o.P90 <= now {
		return "now"
	}
	const day, minute = "2006-01-02T", "15:04"
	from, to := time.Unix(int64(max(o.P10, now)), 0), time.Unix(int64(o.P90)+59, 0) // the minutes that hold both
	if from.Format(day) == to.Format(day) {
		return from.Format(day+minute) + "/" + to.Format(minute)
	}
	return from.Format(day+minute) + "/" + to.Format(day+minute)
}

// words says when something happens, in the odds that people take for sure enough.
func (o *Odds) words(now ostrich.Time) string { return o.between(now) + ", four times out of five" }

// start says when a job starts.
func (o *Odds) start(now ostrich.Time) string {
	text := o.words(now)
	if o.P90 > now && o.P50 > now {
		text += fmt.Sprintf("; as likely before %s as after", moment(o.P50))
	}
	return text + o.record()
}

// record says how often earlier ones held.
func (o *Odds) record() string {
	return fmt.Sprintf("; such answers held %.0f %% of %s in 30 days", 100**o.Held, times(o.Of))
}

// times says how often.
func times(n int) string { return grouped(n) + " times" }

// grouped formats a number for a terminal, with plain spaces between thousands.
func grouped(n int) string { return strings.ReplaceAll(format.Grouped(float64(n)), "\u00a0", " ") }
