package forecast

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// drawer draws futures of a state.
type drawer struct {
	*State
	machine sim.Machine
	waiting int     // jobs of the whole queue, of which Pending is the front
	classes []int32 // of the jobs, running and pending, numbers of what runs alike
	alike   int     // such numbers
	last    map[ostrich.UserID]int32
	bound   map[bring]int32 // requests of jobs that come under limits
	wanted  []bool          // by job
	wants   int             // jobs that are wanted
	jobs    []sim.Job
	comes   []newcomer
	days    ostrich.Time // from which those are
	today   []Arrival    // of the last of them, those that have not come yet
	later   ostrich.Time // how much later they come than they came
	places  []int32
	random  *rand.Rand
	common  []float64 // by what runs alike
	missing int
	started ostrich.Time // the last start of a job that is wanted, in the latest replay
	latest  ostrich.Time // the same, in the first draw; 0 before it
	deepest int          // jobs up to the last one that is wanted
	backlog ostrich.Time // how long they take in the latest draw if no processor idles
}

// newcomer is a job that comes in a draw.
type newcomer struct {
	job  sim.Job
	slot int32 // behind how many of the pending jobs
}

// bring is what a user brings: a request, or 0 and so many processors.
type bring struct {
	user    ostrich.UserID
	request int32
	procs   int
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
	d.bind()
	return d, d.machine.Prepare()
}

// bind adds the requests of jobs that come under limits.
func (d *drawer) bind() {
	if d.Cluster == nil || d.Habits == nil || len(d.Bound) == 0 {
		return
	}
	d.bound, d.machine.Requests = make(map[bring]int32), slices.Clip(d.Requests)
	for i := range d.Habits.arrivals {
		a := &d.Habits.arrivals[i]
		b, is := d.Bound[a.User]
		if !is {
			continue
		}
		of := d.brings(a)
		if d.bound[of] > 0 {
			continue
		}
		r := nodes.Request{CPUs: a.Procs}
		if of.request > 0 {
			r = d.Requests[of.request-1]
		}
		d.machine.Requests = append(d.machine.Requests, b.Of(r))
		d.bound[of] = int32(len(d.machine.Requests))
	}
}

// brings is what an arrival brings.
func (d *drawer) brings(a *Arrival) bring {
	if a.Request < 1 || int(a.Request) > min(d.Came, len(d.Requests)) {
		return bring{user: a.User, procs: a.Procs}
	}
	return bring{user: a.User, request: a.Request}
}

// another returns one that draws futures of the same state at the same time.
func (d *drawer) another() (*drawer, error) {
	other := *d
	other.common, other.jobs, other.comes, other.places = make([]float64, d.alike), nil, nil, nil
	other.machine.Began = other.began
	return &other, other.machine.Prepare()
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
	if int(r) > len(d.machine.Requests) || !d.machine.Meets(r) {
		return 0
	}
	return r
}

// cameWith is request of an arrival.
func (d *drawer) cameWith(a *Arrival) int32 {
	of := d.brings(a)
	if n := d.request(d.bound[of]); n > 0 {
		return n
	}
	return d.request(of.request)
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
	most := max(d.latest-d.Now, d.backlog)
	last := min(mostDays, 1+reach*most/day) * day
	d.comes, d.today, d.days = d.comes[:0], nil, 0
	for until := min(last, 3600+most*2); ; until = min(last, 2*until) {
		more := d.come(d.Now + until)
		starts, err := d.replay()
		if err != nil || !more || until == last || d.started < d.Now+until {
			return starts, err
		}
		d.jobs = d.jobs[:len(d.classes)]
	}
}

// replay replays the jobs until those that are wanted have started, and returns the starts.
func (d *drawer) replay() ([]ostrich.Time, error) {
	d.arrange()
	d.missing, d.started = d.wants, 0
	d.machine.Order = sim.Order{Places: d.places}
	return d.machine.Replay(d.jobs)
}

// began counts the jobs that are wanted.
func (d *drawer) began(job int, at ostrich.Time) bool {
	if job < len(d.wanted) && d.wanted[job] {
		d.missing--
		d.started = max(d.started, at)
	}
	return d.missing == 0
}

// come draws the jobs that still come until a moment: each coming day is one of the last four weeks, at the same
// hours. It reports whether more may come later.
func (d *drawer) come(until ostrich.Time) (more bool) {
	days := 0
	if d.Habits != nil {
		days = d.Habits.days(d.Now)
	}
	most := max(fewNewcomers, mostNewcomers-len(d.Pending)/2)
	for days > 0 && len(d.comes) < most {
		if len(d.today) == 0 {
			if d.Now+d.days*day >= until {
				return true
			}
			back := ostrich.Time(1 + d.random.IntN(days))
			from := d.Now - back*day
			d.today, d.later = d.Habits.between(from, from+day), (back+d.days)*day
			d.days++
			continue
		}
		a := &d.today[0]
		if a.At+d.later >= until {
			return true
		}
		d.today = d.today[1:]
		if a.Procs <= d.machine.Procs {
			d.comes = append(d.comes, d.newcomer(a))
		}
	}
	return false
}

// newcomer returns an arrival of the day as it comes again: behind its user's own jobs, or where it went in the queue then.
func (d *drawer) newcomer(a *Arrival) newcomer {
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
		User: a.User, Submit: a.At + d.later, Procs: a.Procs, Request: d.cameWith(a), Run: bounded(ran), Estimate: bounded(max(a.Limit, ran)),
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
