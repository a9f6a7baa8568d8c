package orders

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// SpaceShare is the policy that splits the processors evenly among the active
// users, those with a job that has not ended, as Hadoop's fair scheduler does
// with pools of equal weight (thesis 2.4, figure 2.13). What the division leaves
// goes, a processor each, to those who have been active longest. A share that its
// user does not need lies idle (thesis 6.4).
//
// Jobs are rigid. One may start if all jobs of its user then fit in the share,
// and if enough processors are free, which they need not be as running jobs stay
// when shares shrink. Whose jobs hold the fewest processors goes first, then who
// has been active longest. The jobs of a user go in the order in which they can
// start, and none passes another, whatever the loop's Backfill.
//
// A job wider than the share of its user waits until others have left and the
// share has grown, which the thesis calls not guaranteed to happen (6.4). Here it
// is: when nothing runs at all and nothing may start, such a job starts
// regardless, the one that has been ready longest.
func SpaceShare(m int) (sim.Ranker, error) {
	return &spaceShare{procs: m, users: make(map[ostrich.UserID]*pool)}, nil
}

// spaceShare is a machine that is divided into pools.
type spaceShare struct {
	procs  int
	users  map[ostrich.UserID]*pool
	active []*pool // in the order in which they became so
	jobs   []pooled
	ready  int // jobs so far
	list   []ostrich.JobID
}

// pooled is a job, by its number.
type pooled struct {
	pool  *pool
	procs int
	turn  int // in the order in which jobs became ready
}

// pool is the part of the machine that belongs to a user.
type pool struct {
	line []ostrich.JobID // ready jobs
	open int             // jobs that have not ended
	busy int             // processors
	next int             // of the line, the first that Jobs has not taken
	held int             // processors of the running jobs and those that Jobs has taken
}

// Step takes an event.
func (s *spaceShare) Step(e ostrich.Event) error {
	p := s.users[e.Job.User]
	if p == nil {
		p = &pool{}
		s.users[e.Job.User] = p
	}
	switch e.Kind {
	case ostrich.Submit:
		if p.open == 0 {
			s.active = append(s.active, p)
		}
		p.open++
		for int(e.Job.ID) >= len(s.jobs) {
			s.jobs = append(s.jobs, pooled{})
		}
		s.jobs[e.Job.ID] = pooled{pool: p, procs: e.Job.Procs}
	case ostrich.Start:
		p.busy += e.Job.Procs
		p.line = p.line[1:]
	case ostrich.Requeue:
		p.busy -= e.Job.Procs
	case ostrich.End:
		if e.Job.Start == 0 { // it was cancelled
			p.line = slices.DeleteFunc(p.line, func(id ostrich.JobID) bool { return id == e.Job.ID })
		} else {
			p.busy -= e.Job.Procs
		}
		if p.open--; p.open == 0 {
			s.active = slices.DeleteFunc(s.active, func(o *pool) bool { return o == p })
		}
	default:
	}
	return nil
}

// Ready puts a job into the line of its user.
func (s *spaceShare) Ready(id ostrich.JobID) {
	j := &s.jobs[id]
	s.ready++
	j.turn = s.ready
	j.pool.line = append(j.pool.line, id)
}

// Jobs lists the jobs that may start now.
func (s *spaceShare) Jobs() []ostrich.JobID {
	s.list = s.list[:0]
	free := s.procs
	for _, p := range s.active {
		p.next, p.held = 0, p.busy
		free -= p.busy
	}
	for {
		next := s.within(free)
		if next == nil && free == s.procs {
			next = s.longest()
		}
		if next == nil {
			return s.list
		}
		id := next.line[next.next]
		next.next++
		next.held += s.jobs[id].procs
		free -= s.jobs[id].procs
		s.list = append(s.list, id)
	}
}

// within returns the pool that holds the fewest processors, of those whose next job fits in
// their share and in the free processors; nil if there is none.
func (s *spaceShare) within(free int) *pool {
	var next *pool
	for i, p := range s.active {
		if p.next == len(p.line) || next != nil && next.held <= p.held {
			continue
		}
		share := s.procs / len(s.active)
		if i < s.procs%len(s.active) {
			share++
		}
		if need := s.jobs[p.line[p.next]].procs; need <= free && p.held+need <= share {
			next = p
		}
	}
	return next
}

// longest returns the pool whose next job has been ready longest; nil if none waits.
func (s *spaceShare) longest() *pool {
	turn := func(p *pool) int { return s.jobs[p.line[p.next]].turn }
	var next *pool
	for _, p := range s.active {
		if p.next < len(p.line) && (next == nil || turn(p) < turn(next)) {
			next = p
		}
	}
	return next
}
