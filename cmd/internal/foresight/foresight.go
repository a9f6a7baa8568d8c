// Package foresight is what ostrichd keeps of a cluster to say when pending jobs start and campaigns end, see package
// forecast: how long jobs have run, who brings what at which hour, and how good earlier answers were.
//
// Lengths and arrivals come from the events of accounting, the history at the start and then what
// is new, and are not stored: the next daemon reads them again. What became of earlier answers cannot be read
// again: it is kept in a file, see Foresight.Save.
// Where a job came into the queue, accounting does not tell: the latest places are in the file, too, and stand for those
// of the history.
//
// # Memory
//
// For each pool there are at most 200 000 arrivals of 48 bytes, 2000 open questions of some 200 bytes and as many for ends of campaigns
// with the ids of at most 200 jobs, 31 days of twice two numbers, and what lengths.Spreads keeps of each user; and for all pools about 150 bytes for each job that has not ended.
package foresight

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/forecast"
	"slurm-ostrich/ostrich/lengths"
)

// Foresight is what is known of the pools of a cluster. It is safe for concurrent use.
type Foresight struct {
	drawing sync.Mutex // one draws at a time; it is taken before mu

	mu      sync.Mutex // of all below
	cluster string
	pools   []ostrich.Pool
	known   map[string]*pool // by the pool's name
	jobs    map[ostrich.JobID]*job
	fresh   []*job                // whose arrival is not yet noted
	asked   map[ostrich.JobID]int // open questions for a job
	reading bool                  // the history, until the first Look
	looked  ostrich.Time
	changed bool // since the file was read or written
}

type pool struct {
	spreads lengths.Spreads
	habits  forecast.Habits
	answers [2]answers   // by What
	hour    ostrich.Time // the last full hour at which was asked
	places  []float32    // where the latest jobs came into a queue, see forecast.Arrival
	next    int          // place of the oldest of these once there are mostPlaces
}

// answers are what became of earlier ones.
type answers struct {
	learned   forecast.Correction
	questions []*question // in the order in which they were asked
	days      []Day
}

// What an answer is about.
type What int

// Starts of jobs, and ends of campaigns.
const (
	Starts What = iota
	Ends
)

// mostArrivals is how many arrivals of a pool are remembered at most.
const mostArrivals = 200_000

func newPool() *pool { return &pool{habits: forecast.Habits{Most: mostArrivals}} }

// come adds so many equal arrivals. It returns the number of the first.
func (p *pool) come(is *forecast.Arrival, count int) (first int) {
	first = p.habits.Came(*is)
	for range count - 1 {
		p.habits.Came(*is)
	}
	return first
}

// mostPlaces is how many places are kept.
const mostPlaces = 256

// placed notes where a job came.
func (p *pool) placed(place float32) {
	if len(p.places) < mostPlaces {
		p.places = append(p.places, place)
		return
	}
	p.places[p.next] = place
	p.next = (p.next + 1) % mostPlaces
}

// placeOf returns where a job came of which accounting does not tell: where one of the latest did, below 0 without
// any. The same job has the same place in the next daemon.
func (p *pool) placeOf(id ostrich.JobID) float32 {
	if len(p.places) == 0 {
		return -1
	}
	return p.places[seedOf(ostrich.Time(id))>>32%uint64(len(p.places))]
}

type job struct {
	id, group ostrich.JobID
	is        forecast.Arrival
	pool      string
	count     int // arrivals that it stands for: the waiting tasks of an array
	taken     int // of them, by tasks that have a record of their own
	start     ostrich.Time

	from *job // whose arrivals hold this one: itself, or the array's record
	nth  int  // of them
	came int  // number of the first in the habits; below 0: not noted yet
}

// mostTasks is how many arrivals an array counts for at most.
const mostTasks = 1000

// New returns what is known at first: nothing.
func New() *Foresight {
	return &Foresight{known: make(map[string]*pool), asked: make(map[ostrich.JobID]int)}
}

// Begin forgets what accounting tells again: the events that follow are those of the history. What was learned
// from questions stays, unless the cluster is another one. Without a pool there is a single
// one named "".
func (f *Foresight) Begin(cluster string, pools []ostrich.Pool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cluster != "" && f.cluster != cluster {
		f.known, f.asked = make(map[string]*pool), make(map[ostrich.JobID]int)
	}
	if len(pools) == 0 {
		pools = []ostrich.Pool{{}}
	}
	f.cluster, f.pools, f.jobs, f.fresh, f.reading = cluster, pools, make(map[ostrich.JobID]*job), nil, true
	for name, p := range f.known {
		if slices.ContainsFunc(pools, func(is ostrich.Pool) bool { return is.Name == name }) {
			p.spreads, p.habits = lengths.Spreads{}, newPool().habits
			continue
		}
		p.each(func(_ *answers, q *question) { q.settled = true })
		f.tidy(p)
		delete(f.known, name)
	}
}

func (f *Foresight) of(name string) *pool {
	p := f.known[name]
	if p == nil {
		p = newPool()
		f.known[name] = p
	}
	return p
}

// in returns the name of the pool of a job, by its partitions: the first that names one of them, else the one that
// names none. It is false if there is none.
func (f *Foresight) in(partitions string) (name string, ok bool) {
	for i := range f.pools {
		p := &f.pools[i]
		if len(p.Partitions) == 0 {
			name, ok = p.Name, true
			continue
		}
		for one := range strings.SplitSeq(partitions, ",") {
			if slices.Contains(p.Partitions, one) {
				return p.Name, true
			}
		}
	}
	return name, ok
}

// Step takes an event of accounting. Within a reading they come in the order of ostrich.Compare.
func (f *Foresight) Step(e ostrich.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[e.Job.ID]
	switch e.Kind {
	case ostrich.Submit:
		if j == nil {
			f.came(&e.Job)
		}
	case ostrich.Start:
		f.started(&e.Job, e.At)
		if j != nil {
			j.start = e.At
		}
	case ostrich.Requeue:
		if j != nil {
			j.start = 0
		}
	case ostrich.End:
		f.ended(&e)
	case ostrich.Hold:
		if j == nil || j.start == 0 {
			f.each(func(_ *answers, q *question) {
				q.unable = cmp.Or(q.unable, e.At)
			}, e.Job.ID)
		}
	case ostrich.Capacity, ostrich.Reshare, ostrich.Change, ostrich.Suspend, ostrich.Resume, ostrich.Release:
	}
}

// came adds a job. A task that leaves the record of its array has come with it.
func (f *Foresight) came(is *ostrich.Job) {
	name, ok := f.in(is.Partition)
	if !ok || f.jobs == nil {
		return
	}
	j := &job{
		id: is.ID, group: is.Group, pool: name, count: min(is.Count(), mostTasks),
		is: forecast.Arrival{At: is.Submit, User: is.User, Procs: is.Procs, Limit: is.Estimate, Place: -1, Request: int32(is.Needs)},
	}
	j.from, j.came = j, -1
	f.jobs[j.id] = j
	if array := f.jobs[is.Group]; !f.reading && array != nil && array != j && array.start == 0 && array.count > 1 {
		if array.taken < array.count { // else it is one of those beyond mostTasks
			j.from, j.nth = array, array.taken
			array.taken++
		}
		return
	}
	if f.reading {
		j.is.Place = f.of(name).placeOf(j.id)
		j.came = f.of(name).come(&j.is, j.count)
		return
	}
	f.fresh = append(f.fresh, j)
}

// ended learns from a job that has ended.
func (f *Foresight) ended(e *ostrich.Event) {
	j := f.jobs[e.Job.ID]
	delete(f.jobs, e.Job.ID)
	f.gone(&e.Job, e.At)
	if e.Job.Start == 0 {
		return
	}
	name, ok := f.in(e.Job.Partition)
	if !ok {
		return
	}
	p, ran := f.of(name), max(1, ostrich.Duration(e.At-e.Job.Start)-e.Job.Suspended)
	p.spreads.Learn(e.Job.User, requestOf(&e.Job), ran)
	if j == nil {
		return
	}
	nth := j.nth
	if j.from == j {
		nth = min(j.taken, j.count-1) // the last task of an array has its record
	}
	if j.from.came >= 0 {
		f.of(j.from.pool).habits.Ended(j.from.came+nth, ran)
	} else {
		j.from.is.Ran = ran // it came and ended between two looks
	}
}

func requestOf(j *ostrich.Job) *lengths.Request {
	return &lengths.Request{Limit: j.Estimate, Procs: j.Procs, Class: j.Class, Hint: j.Hint}
}

// SpreadOf returns how differently a job may run.
type SpreadOf func(ostrich.UserID, *lengths.Request) lengths.Spread

// Draws asks for jobs of a pool, see forecast.State.Ask. state returns what is there, without what
// is known here but with spreads that it asks for, and the places of the asked jobs. Events go on meanwhile. Look asks, too,
// and waits for those who draw before it: at most one of each listener, as their answers are made one at a time.
func (f *Foresight) Draws(name string, state func(SpreadOf) (*forecast.State, []int)) ([]forecast.Draws, error) {
	f.drawing.Lock()
	defer f.drawing.Unlock()
	s, asked := f.state(name, state)
	s.Workers = workers
	return s.Ask(asked)
}

// workers is how many processors draw at a time: slurmctld is to have others.
const workers = 2

func (f *Foresight) state(name string, state func(SpreadOf) (*forecast.State, []int)) (*forecast.State, []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.of(name)
	s, asked := state(p.spreads.Of)
	s.Habits, s.Seed = p.habits.Clone(), seedOf(s.Now)
	return s, asked
}

// seedOf returns the seed of the draws of a moment.
func seedOf(now ostrich.Time) uint64 { return uint64(now) * 0x9e3779b97f4a7c15 }

// Answer returns the odds of a job of a pool, or of the end of a campaign, by its draws.
func (f *Foresight) Answer(name string, what What, d *forecast.Draws) *forecast.Odds {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of(name).answers[what].learned.Answer(d)
}
