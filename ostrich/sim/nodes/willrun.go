package nodes

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// Running is a job that runs, and when it is expected to end.
type Running struct {
	End ostrich.Time
	*Allocation
}

// Moment is when a job is to be placed.
type Moment struct {
	Now      ostrich.Time
	Running  []Running    // in the order of their ends
	OnlyNow  bool         // a later start is of no use
	KillWait ostrich.Time // how long a job that is past its end is expected to go on
	Victims  []Victim     // of the running jobs, those that it may preempt
}

// mostRemoved is one less than the most ends that are looked at together.
const mostRemoved = 201

// WillRun returns when a job can start on nodes of a set and what it would then have, if the running jobs end
// as expected and nothing else starts (job_test.c, _will_run_test). Slurm
// does not look after each end, but after those of a span of time that doubles from 30 s on; the job is then
// expected to start with the last of these ends. A job that would find nodes if its victims left can start now. It
// returns false if it cannot start.
func (c *Chooser) WillRun(w *Want, user uint32, from Set, l *Load, m Moment) (ostrich.Time, *Allocation, bool) {
	if len(w.sets) > 1 {
		return c.soonest(w, user, from, l, m)
	}
	c.actual, c.all = l, false
	c.again = len(w.count) == 0 && len(m.Victims) == 0
	defer func() { c.again = false }()
	clear(c.known)
	if a, ok := c.pick(w, user, from, l, false); ok {
		return m.Now, a, true
	}
	if m.OnlyNow && len(m.Victims) == 0 {
		return 0, nil, false
	}
	c.later(l)
	for i := range m.Victims {
		v := &m.Victims[i]
		if v.Mode == PreemptSuspend {
			c.future.Add(v.without(v.CPUs))
		}
		if v.Mode != PreemptOff {
			c.future.Remove(v.Allocation)
		}
	}
	if len(m.Victims) > 0 {
		if a, ok := c.pick(w, user, from, c.future, false); ok || m.OnlyNow {
			return m.Now, a, ok
		}
	}
	if c.c.Select.Linear {
		return c.afterEach(w, user, from, m)
	}
	usable := from.Copy()
	usable.And(w.suits)
	running := m.Running
	span := ostrich.Time(30)
	end := ostrich.Time(0) // of the first span
	for k := 0; k < len(running); {
		last, removed := -1, 0
		for k < len(running) {
			r := running[k]
			if k++; !r.On(usable) || slices.ContainsFunc(m.Victims, func(v Victim) bool { return v.Allocation == r.Allocation }) {
				continue
			}
			if end == 0 {
				end = r.End + span - r.End%span
			}
			c.future.Remove(r.Allocation)
			for _, n := range r.Nodes {
				c.known.Remove(int(n))
			}
			last = k - 1
			if removed++; removed > mostRemoved || k < len(running) && running[k].End > end+span {
				break
			}
		}
		if last < 0 {
			return 0, nil, false
		}
		if removed > mostRemoved && k < len(running) && running[k].End <= end+span {
			continue
		}
		for span *= 2; k < len(running) && running[k].End > end+span; {
			span *= 2
		}
		if a, ok := c.pick(w, user, from, c.future, c.c.Select.BusyNodes); ok {
			at := running[last].End
			if at <= m.Now {
				at = max(at+m.KillWait, m.Now+1)
			}
			return at, a, true
		}
	}
	return 0, nil, false
}

// soonest is WillRun for a request that can be met from several sets: the one with the earliest start
// (backfill.c, _try_sched).
func (c *Chooser) soonest(w *Want, user uint32, from Set, l *Load, m Moment) (at ostrich.Time, best *Allocation, ok bool) {
	for _, able := range w.sets {
		part := *w
		part.able, part.suits, part.sets = able, able, []Set{able}
		if start, a, can := c.WillRun(&part, user, from, l, m); can && (!ok || start < at) {
			at, best, ok = start, a, true
		}
	}
	return at, best, ok
}

// On reports whether an allocation has nodes of a set.
func (a *Allocation) On(s Set) bool {
	for _, n := range a.Nodes {
		if s.Has(int(n)) {
			return true
		}
	}
	return false
}

// Set returns the nodes of an allocation as a set of a cluster of n nodes.
func (a *Allocation) Set(n int) Set {
	s := newSet(n)
	for _, i := range a.Nodes {
		s.Add(int(i))
	}
	return s
}
