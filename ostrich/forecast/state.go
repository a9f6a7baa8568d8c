package forecast

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// Job is a job that runs or waits.
type Job struct {
	ID     ostrich.JobID
	User   ostrich.UserID
	Procs  int
	Limit  ostrich.Duration // its time limit
	Ran    ostrich.Duration // for how long it has run; 0 while it waits
	Class  uint64           // what it does, see ostrich.Job.Class; 0 where nothing is known
	Spread lengths.Spread   // how long it may run

	// Where jobs are placed on nodes: what it asks of them, 1 + its place in State.Requests, or 0 for Procs wherever they are, which is
	// also taken where no node could meet it; and what it has of them while it runs, nil where that is not known.
	Request int32
	On      *nodes.Allocation
}

// State is a pool at an instant.
type State struct {
	Now   ostrich.Time
	Procs int // of the machine; what runs is never more

	// Cluster are the nodes on which jobs are placed, without preemption and reservations; nil is a machine of Procs identical
	// processors, to which Ask also comes back if a job cannot run on them. Requests are what the jobs ask of it; arrivals have the
	// numbers of the first, of which there are Came.
	Cluster  *nodes.Cluster
	Requests []nodes.Request
	Came     int

	Running []Job
	Pending []Job // that can start, in the order in force; each task of an array is one
	// Habits are what still comes; nil: nothing.
	Habits *Habits

	Seed  uint64 // of the draws; the same state and seed have the same draws
	Draws int    // how many futures are drawn; 0 is as many as can be made in the time of a query
}

// Draws is what may become of a job, in futures that are drawn at random.
type Draws struct {
	Now    ostrich.Time
	Starts []ostrich.Time // by future, none before Now
	Ends   []ostrich.Time // the same, of its end

	// Quiet is when it starts if nobody comes any more, and every job runs on for the geometric mean of what is left of the
	// middle of its lengths and of its limit. QuietEnd is the same of its end. Both are 0 if that is not known.
	Quiet, QuietEnd ostrich.Time
}

// Numbers of draws, and of the jobs that all replays of a query have together.
const (
	mostDraws  = 11
	leastDraws = 3
	drawnJobs  = 60_000

	// tests is after how many jobs that find no nodes a pass gives up, twice Slurm's bf_max_job_test.
	tests = 1000

	// behind is how many jobs behind the last asked one are replayed.
	behind = 1000

	// mostNewcomers is how many jobs come in a draw at most, without half as many as wait, and fewNewcomers
	// how many in any case. They come until reach times as late as all work is done in front of the last
	// asked job, or as it started in the draws before, and for no more than mostDays.
	mostNewcomers = 15_000
	fewNewcomers  = 4000
	mostDays      = 60
	reach         = 3
)

// Ask draws futures until the asked jobs have started in them, which are given by their places in
// Pending, or by ^i for place i of Running. It returns the draws of each. The error is that of a job that
// the machine cannot run.
func (s *State) Ask(asked []int) ([]Draws, error) {
	for _, i := range asked {
		if i < -len(s.Running) || i >= len(s.Pending) {
			return nil, fmt.Errorf("forecast: job %d of %d that wait and %d that run is asked for: %w", i, len(s.Pending), len(s.Running), sim.ErrWorkload)
		}
	}
	list := make([]Draws, len(asked))
	if len(asked) == 0 {
		return list, nil
	}
	near := *s // those far behind the last one that is asked for hardly change its start
	near.Pending = s.Pending[:min(len(s.Pending), max(0, slices.Max(asked))+behind)]
	n := s.Draws
	if n < 1 {
		n = max(leastDraws, min(mostDraws, drawnJobs/(len(near.Running)+len(near.Pending))-1)) // and Draws.Quiet
	}
	for k := range list {
		list[k] = Draws{Now: s.Now, Starts: make([]ostrich.Time, n), Ends: make([]ostrich.Time, n)}
	}
	if err := near.fill(list, s.Pending, asked, n); err != nil {
		if s.Cluster == nil {
			return nil, fmt.Errorf("forecast: %w", err)
		}
		processors := *s // what is known of the nodes cannot be all
		processors.Cluster = nil
		return processors.Ask(asked)
	}
	return list, nil
}

// fill draws futures of the front of a queue for the jobs of a list.
func (s *State) fill(list []Draws, queue []Job, asked []int, futures int) error {
	d, err := newDrawer(s, queue, asked)
	if err != nil {
		return err
	}
	for f := range futures {
		starts, bad := d.draw(f)
		if bad != nil {
			return bad
		}
		for k, i := range asked {
			list[k].Starts[f], list[k].Ends[f] = d.span(starts, s.at(i))
		}
	}
	starts, err := d.quiet()
	if err != nil {
		return err
	}
	for k, i := range asked {
		list[k].Quiet, list[k].QuietEnd = d.span(starts, s.at(i))
	}
	return nil
}

// at returns the place of an asked job among all, the running ones first.
func (s *State) at(asked int) int {
	if asked < 0 {
		return ^asked
	}
	return len(s.Running) + asked
}

// drawer draws futures of a state.
type drawer struct {
	*State
	machine sim.Machine
	waiting int     // jobs of the whole queue, of which Pending is the front
	classes []int32 // of the jobs, running and pending, numbers of what runs alike
	alike   int     // such numbers
	last    map[ostrich.UserID]int32
	wanted  []bool // by job
	wants   int    // jobs that are wanted
	jobs    []sim.Job
	comes   []newcomer
	places  []int32
	random  *rand.Rand
	common  []float64 // by what runs alike
	missing int
	latest  ostrich.Time // start of a job that is wanted, in all draws; 0 before the first
	deepest int          // jobs up to the last one that is wanted
	backlog ostrich.Time // how long they take in the latest draw if no processor idles
}

// newcomer is a job that comes in a draw.
type newcomer struct {
	job  sim.Job
	slot int32 // behind how many of the pending jobs
}

// newDrawer returns what draws futures of the front of a queue.
func newDrawer(s *State, queue []Job, asked []int) (*drawer, error) {
	all := len(s.Running) + len(s.Pending)
	d := &drawer{State: s, waiting: len(queue), classes: make([]int32, all), last: make(map[ostrich.UserID]int32), wanted: make([]bool, all)}
	busy := 0
	type kind struct {
		user  ostrich.UserID
		procs int
		limit ostrich.Duration
		class uint64
	}
	kinds := make(map[kind]int32)
	for i := range all {
		j := d.of(i)
		if i < len(s.Running) {
			busy += j.Procs
		}
		is := kind{j.User, j.Procs, j.Limit, j.Class}
		n, ok := kinds[is]
		if !ok {
			n = int32(len(kinds))
			kinds[is] = n
		}
		d.classes[i] = n
	}
	for i := range queue {
		d.last[queue[i].User] = int32(i + 1)
	}
	d.alike = len(kinds)
	for _, i := range asked {
		if at := s.at(i); !d.wanted[at] {
			d.wanted[at] = true
			d.wants++
		}
	}
	d.common, d.deepest = make([]float64, d.alike), len(s.Running)+max(0, slices.Max(asked)+1)
	d.machine = sim.Machine{Procs: max(s.Procs, busy), Backfill: sim.EASY, Tests: tests, Cluster: s.Cluster, Requests: s.Requests, On: s.on(), Began: d.began}
	return d, d.machine.Prepare()
}

// on lists what the running jobs have of the nodes.
func (s *State) on() []*nodes.Allocation {
	if s.Cluster == nil {
		return nil
	}
	list := make([]*nodes.Allocation, len(s.Running))
	for i := range s.Running {
		list[i] = s.Running[i].On
	}
	return list
}

// of returns a job, the running ones first.
func (d *drawer) of(i int) *Job {
	if i < len(d.Running) {
		return &d.Running[i]
	}
	return &d.Pending[i-len(d.Running)]
}

// span returns when a job starts and ends that runs as in the latest replay.
func (d *drawer) span(starts []ostrich.Time, i int) (start, end ostrich.Time) {
	return starts[i], starts[i] + ostrich.Time(d.jobs[i].Run)
}

// runs adds the next job, which runs for so long in all.
func (d *drawer) runs(j *Job, length ostrich.Duration) {
	limit := max(j.Limit, length)
	d.jobs = append(d.jobs, sim.Job{
		ID: j.ID, User: j.User, Submit: d.Now, Procs: j.Procs, Request: d.request(j.Request),
		Run: bounded(length - j.Ran), Estimate: bounded(limit - j.Ran),
	})
}

// request is a request that some nodes can meet, or 0.
func (d *drawer) request(r int32) int32 {
	if int(r) > len(d.Requests) || !d.machine.Meets(r) {
		return 0
	}
	return r
}

// cameWith is request of an arrival.
func (d *drawer) cameWith(r int32) int32 {
	if int(r) > d.Came {
		return 0
	}
	return d.request(r)
}

// quiet returns the starts of the jobs if nobody comes any more, see Draws.Quiet.
func (d *drawer) quiet() ([]ostrich.Time, error) {
	d.jobs, d.comes = d.jobs[:0], d.comes[:0]
	for i := range d.classes {
		j := d.of(i)
		middle := j.Spread.Length(0.5, j.Ran)
		limit := max(j.Limit, middle)
		d.runs(j, j.Ran+ostrich.Duration(math.Sqrt(float64(middle-j.Ran)*float64(limit-j.Ran))))
	}
	return d.replay()
}

// draw draws a future and returns the starts of its jobs.
func (d *drawer) draw(future int) ([]ostrich.Time, error) {
	d.random = rand.New(rand.NewPCG(d.Seed, uint64(future)))
	d.jobs = d.jobs[:0]
	for i := range d.common {
		d.common[i] = d.random.Float64()
	}
	for i := range d.classes {
		j := d.of(i)
		u := d.common[d.classes[i]]
		if d.random.Uint64()&1 == 0 {
			u = d.random.Float64()
		}
		d.runs(j, j.Spread.Length(u, j.Ran))
	}
	work := ostrich.Work(0)
	for i := range d.deepest {
		work += ostrich.Work(d.jobs[i].Procs) * ostrich.Work(d.jobs[i].Run)
	}
	d.backlog = ostrich.Time(work / ostrich.Work(d.machine.Procs))
	d.come()
	return d.replay()
}

// replay replays the jobs until those that are wanted have started, and returns the starts.
func (d *drawer) replay() ([]ostrich.Time, error) {
	d.arrange()
	d.missing = d.wants
	d.machine.Order = sim.Order{Places: d.places}
	return d.machine.Replay(d.jobs)
}

// began counts the jobs that are wanted.
func (d *drawer) began(job int, at ostrich.Time) bool {
	if job < len(d.wanted) && d.wanted[job] {
		d.missing--
		d.latest = max(d.latest, at)
	}
	return d.missing == 0
}

// come draws the jobs that still come: each coming day is one of the last four weeks, at the same
// hours.
func (d *drawer) come() {
	d.comes = d.comes[:0]
	if d.Habits == nil {
		return
	}
	days := d.Habits.days(d.Now)
	if days == 0 {
		return
	}
	until := min(mostDays, 1+reach*max(d.latest-d.Now, d.backlog)/day)
	most := max(fewNewcomers, mostNewcomers-len(d.Pending)/2)
	for ahead := range until {
		back := ostrich.Time(1 + d.random.IntN(days))
		from := d.Now - back*day
		for _, a := range d.Habits.between(from, from+day) {
			if len(d.comes) == most {
				return
			}
			if a.Procs > d.machine.Procs {
				continue
			}
			d.comes = append(d.comes, d.newcomer(&a, (back+ahead)*day))
		}
	}
}

// newcomer returns an arrival as it comes after some time again: behind its user's own jobs, or where
// it went in the queue then.
func (d *drawer) newcomer(a *Arrival, later ostrich.Time) newcomer {
	slot, waits := d.last[a.User]
	switch {
	case waits:
	case a.Place < 0:
		slot = int32(d.waiting)
	default:
		slot = int32(a.Place * float32(d.waiting))
	}
	slot = min(slot, int32(len(d.Pending)))
	ran := cmp.Or(a.Ran, a.Limit)
	return newcomer{slot: slot, job: sim.Job{
		User: a.User, Submit: a.At + later, Procs: a.Procs, Request: d.cameWith(a.Request), Run: bounded(ran), Estimate: bounded(max(a.Limit, ran)),
	}}
}

// arrange appends the jobs that come, and puts all in their order.
func (d *drawer) arrange() {
	for k := range d.comes {
		d.jobs = append(d.jobs, d.comes[k].job)
	}
	d.places = slices.Grow(d.places[:0], len(d.jobs))[:len(d.jobs)]
	running, known := len(d.Running), len(d.classes)
	order := make([]int32, len(d.comes))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(d.comes[a].slot, d.comes[b].slot) })
	place := int32(0)
	for i := range running {
		d.places[i] = place
		place++
	}
	k := 0
	for i := range known - running + 1 {
		for k < len(order) && int(d.comes[order[k]].slot) <= i {
			d.places[known+int(order[k])] = place
			place++
			k++
		}
		if i < known-running {
			d.places[running+i] = place
			place++
		}
	}
}

// bounded returns a length that can be replayed.
func bounded(d ostrich.Duration) ostrich.Duration { return min(max(d, 1), sim.Longest) }

// Last returns when all of some jobs have ended, by future, as the draws of one: its Starts are
// the latest of their Ends. There must be one job.
func Last(draws []Draws) *Draws {
	d := &Draws{Now: draws[0].Now, Starts: slices.Clone(draws[0].Ends), Quiet: draws[0].QuietEnd}
	for _, other := range draws[1:] {
		for f, end := range other.Ends {
			d.Starts[f] = max(d.Starts[f], end)
		}
		d.Quiet = max(d.Quiet, other.QuietEnd)
	}
	d.Ends, d.QuietEnd = d.Starts, d.Quiet
	return d
}
