package ostrich

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pool is a set of processors that one virtual schedule shares: the partitions
// that use the same nodes.
type Pool struct {
	Name       string
	Partitions []string // none: every partition that no other pool names
}

// Classes are the site's own order of jobs, above that of the campaigns: all of one class
// goes before all of the next. The zero value is one class of all jobs.
type Classes struct {
	Names []string // the first goes first; none: one class "" for all

	// Of returns the place in Names of a job, by its partitions and its QOS as Slurm lists
	// them. It is nil without names.
	Of func(partitions, qos string) int
}

// Pools keeps a timeline for each class of each pool and adds every event to those that
// it is about. Pools are independent, and so are classes: a user competes in each of them
// anew. In the order of a pool, each class goes before the next.
//
// A job that may run in several pools counts in each of them until it starts. From then
// on it counts where it runs, as if it had been submitted there. In the same way, a job
// that changes its class, or may start elsewhere once it is requeued, counts there as if it had
// been submitted there.
type Pools struct {
	pools     []Pool
	classes   Classes
	timelines []*Timeline    // class by class of each pool in turn
	partition map[string]int // partition to pool
	rest      int            // the pool of all other partitions, or -1
	jobs      map[JobID]placed
	routes    map[route][]int
}

// placed is a job that has not ended.
type placed struct {
	in      []int // its timelines
	kept    bool  // it cannot start,
	since   Time  // and this is since when
	started bool
	paused  bool
}

// route is what decides where a job counts.
type route struct{ partitions, qos string }

// NewPools returns the schedules of the given classes and pools, all with the same options.
// Without a pool there is a single one named "" for everything. Names and partitions must
// differ, and at most one pool may be without partitions.
func NewPools(o Options, delay Duration, classes Classes, pools ...Pool) (*Pools, error) {
	if len(pools) == 0 {
		pools = []Pool{{}}
	}
	p := &Pools{
		pools: pools, classes: classes, partition: make(map[string]int), rest: -1,
		jobs: make(map[JobID]placed), routes: make(map[route][]int),
	}
	for i, pool := range pools {
		if slices.ContainsFunc(pools[:i], func(o Pool) bool { return o.Name == pool.Name }) {
			return nil, fmt.Errorf("pool %q: named twice", pool.Name)
		}
		for range p.perPool() {
			s, err := New(o)
			if err != nil {
				return nil, err
			}
			p.timelines = append(p.timelines, NewTimeline(s, delay))
		}
		if len(pool.Partitions) == 0 {
			if p.rest >= 0 {
				return nil, fmt.Errorf("pool %q: a second pool without partitions", pool.Name)
			}
			p.rest = i
		}
		for _, name := range pool.Partitions {
			if first, ok := p.partition[name]; ok {
				return nil, fmt.Errorf("pool %q: partition %q belongs to pool %q", pool.Name, name, pools[first].Name)
			}
			p.partition[name] = i
		}
	}
	return p, nil
}

// Rename gives the classes other names, in the same turn.
func (p *Pools) Rename(classes []string) { p.classes.Names = classes }

// perPool is the number of timelines of each pool.
func (p *Pools) perPool() int { return max(1, len(p.classes.Names)) }

// find returns the timelines in which a job counts that has not started, or that runs in
// the only partition it has.
func (p *Pools) find(j *Job) []int {
	by := route{j.Partition, j.QOS}
	if list, ok := p.routes[by]; ok {
		return list
	}
	class := 0
	if len(p.classes.Names) > 0 {
		class = p.classes.Of(j.Partition, j.QOS)
	}
	list := []int{}
	for name := range strings.SplitSeq(j.Partition, ",") {
		pool, ok := p.partition[name]
		if !ok {
			pool = p.rest
		}
		if at := pool*p.perPool() + class; pool >= 0 && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	if len(p.routes) >= mostRoutes {
		clear(p.routes)
	}
	p.routes[by] = list
	return list
}

// mostRoutes is how many routes are remembered: users may name partitions in any order.
const mostRoutes = 1 << 12

// single reports whether one timeline gets all events.
func (p *Pools) single() bool { return len(p.timelines) == 1 && p.rest == 0 }

// Add adds events in any order, see Timeline.Add. It ignores events of a partition
// that belongs to no pool, and of an unknown pool. A single pool without partitions gets
// all events.
func (p *Pools) Add(events ...Event) {
	if p.single() {
		p.timelines[0].Add(events...)
		return
	}
	events = inOrder(events)
	batches := make([][]Event, len(p.timelines))
	for _, e := range events {
		switch e.Kind {
		case Capacity, Reshare:
			for i := range batches {
				if e.Kind == Reshare || p.pools[i/p.perPool()].Name == e.Pool || len(p.pools) == 1 && p.rest == 0 {
					batches[i] = append(batches[i], e)
				}
			}
			continue
		case Submit, Change, Start, Suspend, Resume, Requeue, End, Hold, Release:
		}
		job, known := p.jobs[e.Job.ID]
		if !known && (e.Kind == Hold || e.Kind == Release) {
			continue // it has ended
		}
		was := job.in
		if !known || e.Kind == Submit || e.Kind == Change || e.Kind == Start || e.Kind == Requeue {
			job.in = p.find(&e.Job)
		}
		if known && !slices.Equal(was, job.in) {
			p.move(batches, &e, was, &job)
		}
		for _, i := range job.in {
			if e.Kind != Requeue || !known || slices.Contains(was, i) { // else it has been submitted there
				batches[i] = append(batches[i], e)
			}
		}
		if e.Kind == End {
			delete(p.jobs, e.Job.ID)
			continue
		}
		job.follow(&e)
		p.jobs[e.Job.ID] = job
	}
	for i, b := range batches {
		p.timelines[i].Add(b...)
	}
}

// follow notes what an event says about the job.
func (j *placed) follow(e *Event) {
	switch e.Kind {
	case Hold:
		j.kept, j.since = true, e.At
	case Release:
		j.kept = false
	case Start:
		j.kept, j.started, j.paused = false, true, false
	case Requeue:
		j.started, j.paused = false, false
	case Suspend:
		j.paused = true
	case Resume:
		j.paused = false
	case Capacity, Reshare, Submit, Change, End:
	}
}

// move takes a job out of the timelines in which it no longer counts, and adds to the
// batches of the others what they have missed. As rebuilding from the accounting tables would
// find it, it never was in the former and was always in the latter.
func (p *Pools) move(batches [][]Event, e *Event, was []int, job *placed) {
	first := e.Job
	for _, i := range was {
		if slices.Contains(job.in, i) {
			continue
		}
		p.timelines[i].Add(batches[i]...)
		batches[i] = nil
		if procs, size := p.timelines[i].retract(e.Job, e.At); procs > 0 && e.Job.Start != 0 {
			first.Procs, first.Size = procs, size // not what it has been allocated
		}
	}
	if e.Kind == Submit {
		return
	}
	at := cmp.Or(e.Job.Submit, e.At)
	missed := []Event{{At: at, Kind: Submit, Job: first}}
	if job.kept {
		missed = append(missed, Event{At: max(at, job.since), Kind: Hold, Job: e.Job})
	}
	if job.started && e.Kind == Change {
		missed = append(missed, Event{At: max(at, e.Job.Start), Kind: Start, Job: e.Job})
	}
	if job.paused && e.Kind == Change {
		missed = append(missed, Event{At: e.At, Kind: Suspend, Job: e.Job})
	}
	for _, i := range job.in {
		if !slices.Contains(was, i) {
			batches[i] = append(batches[i], missed...)
		}
	}
}

// Suppose replaces the provisional events of all schedules, see Timeline.Suppose. It
// ignores events of a partition that belongs to no pool.
func (p *Pools) Suppose(events ...Event) {
	if p.single() {
		p.timelines[0].Suppose(events...)
		return
	}
	batches := make([][]Event, len(p.timelines))
	for _, e := range events {
		for _, i := range p.find(&e.Job) {
			batches[i] = append(batches[i], e)
		}
	}
	for i, b := range batches {
		p.timelines[i].Suppose(b...)
	}
}

// PoolSchedule is the schedule of one class of a pool.
type PoolSchedule struct {
	Pool     Pool
	Class    int // its place in Classes.Names; 0 without classes
	Schedule *Schedule
}

// At returns the schedules at the given time, pool by pool, and within a pool class by
// class, and the errors of rejected events, see Timeline.At. The schedules of a pool's
// classes know one another: the bounds of their campaigns hold for all of them.
func (p *Pools) At(now Time) ([]PoolSchedule, []error) {
	var bad []error
	list := make([]PoolSchedule, len(p.timelines))
	for i, t := range p.timelines {
		pool, class := i/p.perPool(), i%p.perPool()
		s, errs := t.At(now)
		for _, err := range errs {
			if len(p.classes.Names) > 0 {
				err = fmt.Errorf("class %s: %w", p.classes.Names[class], err)
			}
			if p.pools[pool].Name != "" {
				err = fmt.Errorf("pool %s: %w", p.pools[pool].Name, err)
			}
			bad = append(bad, err)
		}
		list[i] = PoolSchedule{Pool: p.pools[pool], Class: class, Schedule: s}
	}
	if n := p.perPool(); n > 1 {
		for pool := range slices.Chunk(list, n) {
			classes := &peers{schedules: make([]*Schedule, n)}
			for i := range pool {
				classes.schedules[i] = pool[i].Schedule
				pool[i].Schedule.class, pool[i].Schedule.classes = i, classes
			}
		}
	}
	return list, bad
}
