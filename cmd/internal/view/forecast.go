package view

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// Expected is when a pending job starts by two assumptions, the earlier time first: that
// jobs run as long as they are expected to, or to their time limits. Both take the queue
// in the order in force and let jobs backfill as EASY does. Neither knows jobs still to
// come, nodes, memory or licenses.
type Expected struct {
	From ostrich.Time `json:"from"`
	To   ostrich.Time `json:"to"`
	// Swapped is set if From is the start with time limits: shorter jobs may make others
	// start later, as they leave other gaps.
	Swapped bool `json:"swapped"`
}

// mostForecast is how many pending jobs of a pool are forecast, each task counted. The
// start of those behind depends on too much that is not known.
const mostForecast = 20_000

// byPool is something of each pool, made when it is first asked for.
type byPool[T any] struct {
	mu   sync.Mutex
	made map[string]T
}

func newByPool[T any]() *byPool[T] { return &byPool[T]{made: make(map[string]T)} }

// of returns that of a pool. Nil makes it anew each time.
func (b *byPool[T]) of(pool string, first func() T) T {
	if b == nil {
		return first()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	one, made := b.made[pool]
	if !made {
		one = first()
		b.made[pool] = one
	}
	return one
}

// expected returns when a job is expected to start, nil if that is not known.
func (s *Cycle) expected(p *priority.Entry) *Expected {
	if e, ok := s.starts.of(p.Pool, func() map[ostrich.JobID]Expected { return s.forecast(s.poolOf(p)) })[p.Job]; ok {
		return &e
	}
	return nil
}

// forecast replays what runs and what waits in a pool twice, as Expected says.
func (s *Cycle) forecast(pool *Pool) map[ostrich.JobID]Expected {
	jobs, procs := s.occupying(pool)
	first := len(jobs) // of the pending ones
	for _, i := range s.inForce(pool, nil) {
		e := s.Plan.Entries[i]
		n, q := max(e.Count, 1), s.procs(e)
		var is ostrich.Job // what accounting says of it
		if r, ok := s.record(e.Job); ok {
			is = r.Job
		}
		limit := cmp.Or(is.Estimate, e.TimeLimit)
		if q < 1 || limit < 1 {
			continue
		}
		part := cmp.Or(is.Part(), q)
		job := sim.Job{ID: e.Job, Submit: s.Time, Procs: q, Run: bounded(ostrich.Duration(math.Ceil(float64(s.works[i]) / float64(part*n)))), Estimate: bounded(limit)}
		for range n {
			if len(jobs)-first < mostForecast {
				jobs = append(jobs, job)
			}
		}
	}
	m := sim.Machine{Procs: max(pool.Procs, procs), Backfill: sim.EASY}
	early, err := m.Replay(jobs)
	if err != nil { // a machine without processors
		return nil
	}
	for i := range jobs {
		jobs[i].Run = jobs[i].Estimate
	}
	late, err := m.Replay(jobs)
	if err != nil {
		return nil
	}
	starts := make(map[ostrich.JobID]Expected, len(jobs)-first)
	for i := first; i < len(jobs); i++ {
		e := Expected{min(early[i], late[i]), max(early[i], late[i]), late[i] < early[i]}
		if before, ok := starts[jobs[i].ID]; !ok || e.From < before.From {
			starts[jobs[i].ID] = e // of an array, its first task
		}
	}
	return starts
}

// occupying lists what runs in a pool with what is left of it, and adds up its
// processors.
func (s *Cycle) occupying(pool *Pool) (jobs []sim.Job, procs int) {
	for i := range s.live {
		r := s.live[i]
		j := &r.Job
		if !s.runsIn(pool, r) {
			continue
		}
		ran := ostrich.Duration(s.Time-j.Start) - j.Suspended
		length, known := s.lengths[j.ID]
		if !known { // the virtual schedule's clock is behind its start
			length = j.Estimate
		}
		jobs = append(jobs, sim.Job{
			ID: j.ID, Submit: s.Time, Procs: j.Procs, Run: bounded(length - ran), Estimate: bounded(j.Estimate - ran),
		})
		procs += j.Procs
	}
	return jobs, procs
}

// inForce lists the jobs of a pool that wait for their turn, as places of the plan's
// entries, in the order in force: OStrich's, with the jobs that it leaves alone behind, or
// Slurm's where OStrich only watches. So do those that wait for a limit that the futures know; without them it is given none.
func (s *Cycle) inForce(pool *Pool, futures *placing) []int {
	var places []int
	for i := range s.Plan.Entries {
		if e := s.Plan.Entries[i]; e.Pool == pool.Name && (s.able(e, pool) || futures != nil && s.limited(e, pool, futures)) {
			places = append(places, i)
		}
	}
	if !s.Enforced {
		slices.SortFunc(places, func(a, b int) int { return cmp.Compare(s.Plan.Entries[a].SlurmRank, s.Plan.Entries[b].SlurmRank) })
	}
	return places
}

// inPool returns the pool of a partition: the one that names it, else the one that names
// none, else nil.
func (s *Cycle) inPool(partition string) *Pool {
	var other *Pool
	for i := range s.Pools {
		p := &s.Pools[i]
		if len(p.Partitions) == 0 {
			other = p
		}
		for one := range strings.SplitSeq(partition, ",") {
			if slices.Contains(p.Partitions, one) {
				return p
			}
		}
	}
	return other
}

// isIn reports whether a partition belongs to a pool.
func (s *Cycle) isIn(pool *Pool, partition string) bool {
	p := s.inPool(partition)
	return p != nil && p.Name == pool.Name
}

// runsIn reports whether a job runs in a pool.
func (s *Cycle) runsIn(pool *Pool, r *ledger.Record) bool {
	return r.Job.Start != 0 && r.State == accounting.Running && s.isIn(pool, r.Job.Partition)
}

// bounded returns a length that can be replayed.
func bounded(d ostrich.Duration) ostrich.Duration { return min(max(d, 1), math.MaxInt32-1) }
