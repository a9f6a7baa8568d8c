package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// A profile is how many processors will be free at every moment from now on,
// by the estimates of the running jobs and the reservations of waiting ones.
// To see which of an ordered list of waiting jobs conservative backfilling
// would start now, ask for each in turn, and reserve what it gives:
//
//	p.reset(now, free, running)
//	for each waiting job, in order {
//		at := p.fit(job.Procs, job.Estimate)
//		p.reserve(at, job.Procs, job.Estimate)
//		if at == now, it may start
//	}
//
// As soon as none is free now (idle), no further job of the list can start. The
// zero value is ready for reset, which keeps the memory of the last use.
type profile struct {
	steps []step // by time, the first one now; in the last one all is as it will stay
}

// step says how many processors are free from a moment until the next step.
type step struct {
	at   ostrich.Time
	free int
}

// reset forgets all reservations. The running jobs free their processors when
// they are expected to end; those that should have ended by now do so a second
// from now. Besides theirs, free processors are there.
func (p *profile) reset(now ostrich.Time, free int, running Running) {
	p.steps = append(p.steps[:0], step{at: now, free: free})
	for _, e := range running {
		last := &p.steps[len(p.steps)-1]
		free += int(e.Procs)
		if at := max(e.End, now+1); at > last.at {
			p.steps = append(p.steps, step{at: at, free: free})
		} else {
			last.free = free
		}
	}
}

// idle is the number of processors that are free now.
func (p *profile) idle() int { return p.steps[0].free }

// shut reports whether none of some jobs can start now: before the shortest of them would end, fewer
// processors are free than the narrowest needs.
func (p *profile) shut(l least) bool {
	for i := range p.steps {
		if p.steps[i].free < l.procs {
			return p.steps[i].at < p.steps[0].at+ostrich.Time(l.length)
		}
	}
	return false
}

// fit returns the earliest moment, from now on, from which procs processors are free for
// length. It changes nothing. It returns never if there will never be as many.
func (p *profile) fit(procs int, length ostrich.Duration) ostrich.Time {
	return p.sooner(never, procs, length, never)
}

// sooner returns the earliest moment before limit to which a reservation of procs
// processors for length can move that begins at at. It returns at if there is none.
func (p *profile) sooner(at ostrich.Time, procs int, length ostrich.Duration, limit ostrich.Time) ostrich.Time {
	limit = min(limit, at)
	for i := 0; i < len(p.steps); i++ {
		if p.steps[i].free < procs {
			continue
		}
		from := p.steps[i].at
		if from >= limit {
			break
		}
		until := min(from+ostrich.Time(length), at) // and then it has its own processors
		i++
		for i < len(p.steps) && p.steps[i].at < until && p.steps[i].free >= procs {
			i++
		}
		if i == len(p.steps) || p.steps[i].at >= until {
			return from
		}
	}
	return at
}

// reserve reserves processors, which must be free, from a moment on, which must
// not be before now.
func (p *profile) reserve(at ostrich.Time, procs int, length ostrich.Duration) {
	p.change(at, at+ostrich.Time(length), -procs)
}

// change adds processors to those that are free, from a moment, which must not
// be before now, until another.
func (p *profile) change(from, to ostrich.Time, procs int) {
	i := p.split(from)
	last := p.split(to)
	for k := i; k < last; k++ {
		p.steps[k].free += procs
	}
	p.merge(last)
	p.merge(i)
}

// split returns the step that begins at a moment. If there is none, it makes one.
func (p *profile) split(t ostrich.Time) int {
	i := p.search(t)
	if p.steps[i].at != t {
		i++
		p.steps = slices.Insert(p.steps, i, step{at: t, free: p.steps[i-1].free})
	}
	return i
}

// merge drops a step that changes nothing.
func (p *profile) merge(i int) {
	if i > 0 && p.steps[i].free == p.steps[i-1].free {
		p.steps = slices.Delete(p.steps, i, i+1)
	}
}

// search is the step that a moment lies in.
func (p *profile) search(t ostrich.Time) int {
	low, high := 0, len(p.steps)
	for high-low > 1 {
		if mid := int(uint(low+high) / 2); p.steps[mid].at <= t {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// advance moves on to a later moment.
func (p *profile) advance(now ostrich.Time) {
	p.steps = p.steps[p.search(now):]
	p.steps[0].at = now
}

// most is the largest number of processors that are free at some moment from
// one until another.
func (p *profile) most(from, to ostrich.Time) int {
	n := 0
	for i := p.search(from); i < len(p.steps) && p.steps[i].at < to; i++ {
		n = max(n, p.steps[i].free)
	}
	return n
}
