package sharing

import (
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// Settle lets the virtual schedule owe no more than what is left of the real jobs, with
// Options.Settle and if there was a change since the last time. All events of the moment
// should be known: one may give back what another took.
//
// It owes more when a job turns out shorter than the service it was given, which
// nobody else had then. What is too much is taken off the debts to users who have no
// unfinished job, the one whose work ended first in front: they wait for nothing. If these
// debts are not enough, all active users are served the rest at once.
//
// So nobody is owed anything by an empty machine. A Parallel tree
// owes just what is left, unless a requeue wastes service, or a campaign was served
// more than its work came to, which counts for its next jobs.
func (t *Tree) Settle() {
	if t.options.Settle && !t.settled {
		t.settle()
	}
}

func (t *Tree) settle() {
	t.settled = true
	empty := t.left == (Left{}) // whatever rounding has added up
	if !empty && t.surplus <= tolerance || t.root.sharing == 0 {
		return
	}
	for len(t.absences) > 0 && (empty || t.surplus > 0) {
		a := t.absences[0]
		if a.over() {
			t.absences = t.absences[1:]
			continue
		}
		t.Sync(a.line)
		work := a.line.owed(a.line.leaf.parent.clock)
		if !empty && work > t.surplus {
			t.serve(a.line, t.surplus)
			t.surplus = 0 // to rounding
			break
		}
		t.serve(a.line, work)
		t.absences = t.absences[1:]
	}
	t.sync(t.root)
	for t.root.sharing > 0 && (empty || t.surplus > 0) {
		next := scalar.Work((t.root.children[0].tag - t.root.clock) * t.root.sharing)
		if next > t.surplus+rounding && !empty { // less is no work, see refresh
			t.root.clock += float64(t.surplus) / t.root.sharing
			t.surplus = 0
			break
		}
		t.surplus -= max(0, next)
		t.completeNext()
	}
	t.version++
}

// tolerance is a surplus that is not worth an adjustment, in processor-seconds.
const tolerance = 1e-3

// serve serves a user the given work at once, beside what the clock serves. The clocks
// must be synchronised.
func (t *Tree) serve(l *Line, work scalar.Work) {
	now := l.leaf.parent.clock
	for i, g := range l.stages[l.completed:] {
		if work <= 0 {
			break
		}
		owed := g.unserved()
		if i == 0 {
			owed = g.pending(now) // served since start
		}
		service := min(work, owed)
		g.count(0, service)
		work -= service
	}
	t.refresh(l, l.completed)
}

// An absence is of a user to whom something was owed when the last of the
// user's jobs ended or was kept back.
type absence struct {
	line  *Line
	since float64
}

// over reports whether that has passed: new jobs have come, or nothing is owed.
func (a absence) over() bool {
	return a.line.Open > 0 || a.line.idle != a.since || !a.line.leaf.active()
}

// Leave notes that a job of a user has ended or was kept back, as it may be the last one.
func (t *Tree) Leave(l *Line) {
	if l.Open > 0 || !t.options.Settle || !l.leaf.active() {
		return
	}
	if len(t.absences) > 16+2*len(t.lines) { // most of which are over
		t.absences = slices.DeleteFunc(slices.Clone(t.absences), absence.over)
	}
	l.idle = t.moment
	t.absences = append(t.absences, absence{l, t.moment})
}
