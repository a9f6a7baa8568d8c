package ostrich

import (
	"math"
	"slices"
)

// left is the work that is still to be done of some jobs, by the lengths that
// they count for: fixed - busy·now, as each busy part of the
// machine does a second of it a second. Whole numbers, so sums are exact however
// long they are kept.
type left struct {
	fixed, busy int64
}

func (l left) at(now Time) Work { return Work(l.fixed - l.busy*int64(now)) }

// after is what is left at a moment that may lie between two seconds.
func (l left) after(moment float64) Work {
	second := math.Floor(moment)
	return l.at(Time(second)) - Work(l.busy)*Work(moment-second)
}

func (l *left) change(from, to left) {
	l.fixed += to.fixed - from.fixed
	l.busy += to.busy - from.busy
}

// remaining is the work of a job that has not ended.
func (j *job) remaining() left {
	size := int64(j.takes())
	switch {
	case !j.running:
		return left{fixed: int64(j.length) * size}
	case j.paused != 0:
		return left{fixed: int64(j.length-j.elapsed(j.paused)) * size}
	default:
		return left{fixed: (int64(j.length+j.rested) + int64(j.Start)) * size, busy: size}
	}
}

// recount updates what is left of a job after a change to it.
func (s *Schedule) recount(j *job) { s.leave(j, j.remaining()) }

// forget removes what is left of a job that departs.
func (s *Schedule) forget(j *job) { s.leave(j, left{}) }

func (s *Schedule) leave(j *job, now left) {
	s.surplus += j.left.at(Time(s.moment)) - now.at(Time(s.moment))
	j.stage.left.change(j.left, now)
	s.left.change(j.left, now)
	j.left = now
}

// pass lets time pass up to a moment. Both what the virtual schedule owes and
// what is really left shrink; surplus is by how much the former exceeds the
// latter.
func (s *Schedule) pass(moment float64) {
	served := Work(0)
	if s.root.sharing > 0 {
		served = Work(s.serving())
	}
	s.surplus += (Work(s.left.busy) - served) * Work(moment-s.moment)
	s.moment = moment
}

// settle lets the virtual schedule owe no more than what is left of the real jobs.
// It owes more when a job turns out shorter than the service it was given, which
// nobody else had then.
//
// What is too much is taken off the debts of users who have no unfinished job,
// the one whose work ended first in front: they wait for nothing. If these debts
// are not enough, all active users are served the rest at once.
//
// So nobody owes anything on an empty machine. A schedule on the Parallel machine
// owes just what is left, unless a requeue wastes service, or a campaign was served
// more than its work came to, which counts for its next jobs.
func (s *Schedule) settle() {
	s.settled = true
	empty := s.left == (left{}) // whatever rounding has added up
	if !empty && s.surplus <= tolerance || s.root.sharing == 0 {
		return
	}
	for len(s.debtors) > 0 && (empty || s.surplus > 0) {
		d := s.debtors[0]
		if d.over() {
			s.debtors = s.debtors[1:]
			continue
		}
		s.sync(d.user.leaf.parent)
		work := d.user.owed(d.user.leaf.parent.clock)
		if !empty && work > s.surplus {
			s.serve(d.user, s.surplus)
			s.surplus = 0 // to rounding
			break
		}
		s.serve(d.user, work)
		s.debtors = s.debtors[1:]
	}
	s.sync(s.root)
	for s.root.sharing > 0 && (empty || s.surplus > 0) {
		next := Work((s.root.children[0].tag - s.root.clock) * s.root.sharing)
		if next > s.surplus+rounding && !empty { // less is no work, see refresh
			s.root.clock += float64(s.surplus) / s.root.sharing
			s.surplus = 0
			break
		}
		s.surplus -= max(0, next)
		s.completeNext()
	}
	s.version++
}

// serve serves a user the given work at once, beside what the clock serves. The clocks
// must be synchronised.
func (s *Schedule) serve(u *user, work Work) {
	now := u.leaf.parent.clock
	for i, g := range u.line[u.completed:] {
		if work <= 0 {
			break
		}
		owed := g.unserved()
		if i == 0 {
			owed = g.owed(now) // served since start
		}
		service := min(work, owed)
		g.count(0, service)
		work -= service
	}
	s.refresh(u, u.completed)
}

// A debtor is a user to whom the virtual schedule owed something when the last of the
// user's jobs ended or was kept back.
type debtor struct {
	user  *user
	since Time
}

// over reports whether that has passed: new jobs have come, or nothing is owed.
func (d debtor) over() bool {
	return d.user.open > 0 || d.user.idle != d.since || !d.user.leaf.active()
}

// leaves records a user whose last job departed or was kept back.
func (s *Schedule) leaves(u *user) {
	if u.open > 0 || !s.options.Settle || !u.leaf.active() {
		return
	}
	if len(s.debtors) > 16+2*len(s.users) { // most of which are over
		s.debtors = slices.DeleteFunc(slices.Clone(s.debtors), debtor.over)
	}
	u.idle = s.now
	s.debtors = append(s.debtors, debtor{u, s.now})
}

// tolerance is a surplus that is not worth an adjustment, in processor-seconds.
const tolerance = 1e-3
