package sharing

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// NotYet is the time of what has not happened.
const NotYet = -1

// A Line is what the virtual schedule serves to one user: stages, one after the other.
type Line struct {
	User scalar.UserID
	Open int // jobs that have not ended and can start; the caller counts them

	leaf    *node
	stages  []*Stage  // in the order of service, from the first that is not over
	reached []float64 // by stage: once it is completed, the latest F up to it; +Inf before, and while tags are to be set
	gone    int       // stages that were in the line before

	completed int         // stages in front that are completed; the next one is served
	laid      int         // stages in front whose tags are set, see refresh
	unlaid    bool        // among Tree.unlaid
	unserved  scalar.Work // of all stages, see Stage.unserved
	until     float64     // the latest F in the line, while the user is active
	swept     float64     // the latest F of the stages that have left the line
	idle      float64     // when Open last fell to 0 while something was owed
}

// A Stage is work with one finish tag: a campaign, or a part of one that came late.
type Stage struct {
	Owner   any         // what the caller keeps of it
	Open    int         // jobs that have not ended; the caller counts them
	Work    scalar.Work // W_i
	Watched bool        // the caller is to know when its tags change, see Tree.Moved
	Vain    bool        // all its work was kept back: it has not begun

	// Moments in real time, NotYet before: when the virtual schedule began
	// the stage (s~), and when it completed it (C~).
	Began, Completed float64

	line *Line
	left Left // of the jobs that have not ended

	// Tags on the clock of the user's account: when the stage opened, when
	// its service begins, and F, when it ends; see Line.laid.
	arrived, start, finish float64
	until                  float64     // the latest F in the line up to this stage; see Line.reached
	done                   scalar.Work // what had been served before start, see reopen
	place                  int         // in the line, counted from the first stage there ever was
}

// Active reports whether the user has work that is not completed virtually.
func (l *Line) Active() bool { return l.leaf.active() }

// Stages are those of the user that are not over, in the order of service. The caller must
// not change the slice.
func (l *Line) Stages() []*Stage { return l.stages }

// Gone reports whether the stage is over, and has left the line.
func (g *Stage) Gone() bool { return g.place < g.line.gone }

// Withdraw notes that the stage has not begun, if all its work was kept back.
func (g *Stage) Withdraw() {
	if g.Work == 0 {
		g.Vain, g.Began = true, NotYet
	}
}

// Sync brings the clocks of a user up to the present moment.
func (t *Tree) Sync(l *Line) { t.sync(l.leaf.parent) }

// Append adds a stage without work to the end of a line.
func (t *Tree) Append(l *Line, g *Stage) {
	t.Sync(l)
	g.line, g.arrived, g.Began, g.Completed = l, l.leaf.parent.clock, NotYet, NotYet
	g.place = l.gone + len(l.stages)
	l.stages, l.reached = append(l.stages, g), append(l.reached, math.Inf(1))
}

// Add changes the work of a stage by d.
func (t *Tree) Add(g *Stage, d scalar.Work) {
	l := g.line
	t.Sync(l)
	if d == 0 {
		return
	}
	if d > 0 && g.Completed != NotYet {
		g.reopen()
	}
	g.Vain = g.Vain && d < 0
	g.count(d, 0)
	t.refresh(l, g.place-l.gone)
}

// reopen lets a stage that is completed be served again from now on, before
// the later ones of its user. Work found after the completion is served then;
// the service that was lost meanwhile is not given twice.
func (g *Stage) reopen() {
	l := g.line
	now := l.leaf.parent.clock
	g.arrived, g.done, g.Completed = now, g.Work, NotYet
	i := g.place - l.gone
	l.unreach(i)
	if i > l.completed || l.completed == len(l.stages) {
		return
	}
	if served := l.stages[l.completed]; served.start < now { // interrupted
		served.count(0, scalar.Work((now-served.start)*l.leaf.weight))
		served.arrived = now
	}
}

// count adds to the work of a stage, and to what of it was served before start.
func (g *Stage) count(work, done scalar.Work) {
	before := g.unserved()
	g.Work += work
	g.done += done
	g.line.unserved += g.unserved() - before
}

// unserved is the work of a stage that was still to be served at start; none once
// it is completed.
func (g *Stage) unserved() scalar.Work {
	if g.Completed != NotYet {
		return 0
	}
	return max(0, g.Work-g.done)
}

// refresh sets the tags of a user's stages anew, after the stage at index from has
// changed:
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// It finds out which stages are completed, which one is served and when that will
// be completed. Service given beyond the work of a stage thereby goes to the
// next one, as far as that had arrived by then. The tags follow from the work
// alone, not from the steps in which it became known, so equal campaigns have
// equal tags. The clocks must be synchronised.
//
// The walk ends at the stage that is served. Those behind it get their tags when
// somebody reads them, see catchUp, so an event costs the same however many
// campaigns wait. The walk skips completed stages whose tags stay the same, and
// those of a user who is served nothing, as nobody gets what they leave.
func (t *Tree) refresh(l *Line, from int) {
	now := l.leaf.parent.clock
	owed, idle := l.owed(now), !l.leaf.active()
	if from > l.completed {
		l.unreach(from)
		l.laid, from = min(l.laid, from), l.completed
	}
	var finish float64
	i := from
	for ; i < len(l.stages); i++ {
		g := l.stages[i]
		until := l.upTo(i)
		finish = g.finish
		t.layOut(l, i)
		if g.Completed == NotYet && (g.finish-now)*l.leaf.weight <= rounding {
			l.unserved -= g.unserved()
			g.Completed, l.reached[i] = t.moment, g.until
			if t.Completed != nil {
				t.Completed(g, t.moment)
			}
		}
		if g.Began == NotYet && !g.Vain {
			g.Began = t.moment
		}
		if g.Completed == NotYet {
			break
		}
		if l.upTo(i) == until || idle {
			i = max(i, l.completed-1)
		} else {
			i = l.raise(i)
		}
	}
	l.completed = i
	if i < len(l.stages) {
		served := l.stages[i]
		if i >= l.laid || served.finish != finish {
			l.laid = i + 1
		}
		l.until = served.start + float64(l.unserved)/l.leaf.weight
		l.leaf.activate(served.finish)
	} else {
		l.laid, l.unserved = i, 0 // without the rounding left over from sums
		l.leaf.rest()
	}
	if !l.unlaid && l.laid < len(l.stages) {
		l.unlaid = true
		t.unlaid = append(t.unlaid, l)
	}
	l.leaf.parent.retag()
	l.Sweep()
	if t.root.sharing == 0 {
		t.surplus = -t.left.after(t.moment) // nothing is owed
	} else {
		t.surplus += l.owed(now) - owed
	}
	t.version++
}

// rounding is some units in the last place of today's Unix time, in seconds,
// and an amount of work that does not matter, in processor-seconds.
const rounding = 1e-6

// layOut sets the tags of the i-th stage in a line.
func (t *Tree) layOut(l *Line, i int) {
	g, after := l.stages[i], l.swept
	if i > 0 {
		after = l.upTo(i - 1)
	}
	start := max(g.arrived, after)
	if g.Completed != NotYet {
		start = min(start, g.start) // never pushed back, see reopen
	}
	finish := start + float64(max(0, g.Work-g.done))/l.leaf.weight
	if g.Completed != NotYet {
		finish = min(finish, g.finish)
	}
	g.start, g.finish, g.until = start, finish, max(after, finish)
	if g.Completed != NotYet {
		l.reached[i] = g.until
	}
	if g.Watched {
		t.Moved(g)
	}
}

// upTo is the latest F in a line up to the i-th stage.
func (l *Line) upTo(i int) float64 {
	if reached := l.reached[i]; !math.IsInf(reached, 1) {
		return reached
	}
	return l.stages[i].until
}

// unreach lets the tags of the i-th stage be set when the walk of refresh comes by.
func (l *Line) unreach(i int) { l.stages[i].until, l.reached[i] = l.upTo(i), math.Inf(1) }

// raise carries the latest F up to the i-th stage on to the completed stages behind it
// that reached no later one, as layOut would. Their own tags are not later, so they stay
// as they are. It returns the last of these stages, or i.
func (l *Line) raise(i int) int {
	reached := l.reached[i]
	for i+1 < len(l.reached) && l.reached[i+1] <= reached {
		i++
		l.reached[i] = reached
	}
	return i
}

// CatchUp sets all tags that refresh has left behind.
func (t *Tree) CatchUp() {
	for _, l := range t.unlaid {
		l.unlaid = false
		t.catchUp(l)
	}
	t.unlaid = t.unlaid[:0]
}

// catchUp sets the tags of a user's stages that refresh has left behind.
func (t *Tree) catchUp(l *Line) {
	for ; l.laid < len(l.stages); l.laid++ {
		t.layOut(l, l.laid)
	}
}

// owed is the work that is still to be served to the user, when the clock of the user's
// account shows now.
func (l *Line) owed(now float64) scalar.Work {
	if !l.leaf.active() {
		return 0
	}
	return scalar.Work((l.until - now) * l.leaf.weight)
}

// Sweep forgets the foremost stages that are completed virtually and have no
// job left: their work does not change any more, nor what that leaves for the
// later ones.
func (l *Line) Sweep() {
	n := 0
	for n < len(l.stages) && l.stages[n].over() {
		l.swept = max(l.swept, l.stages[n].finish) // what it was served is nobody else's
		n++
	}
	if n == 0 {
		return
	}
	if n < len(l.stages)-n { // do not move many for a few
		clear(l.stages[:n])
		l.stages, l.reached = l.stages[n:], l.reached[n:]
	} else {
		l.stages, l.reached = slices.Delete(l.stages, 0, n), slices.Delete(l.reached, 0, n)
	}
	l.gone += n
	l.completed -= n
	l.laid -= n
}

// over reports whether a stage is finished virtually and really.
func (g *Stage) over() bool { return g.Completed != NotYet && g.Open == 0 }

// transplant hangs a user on a new leaf. What was served stays served: the
// tags move to the new clock, which counts service in other units.
func (t *Tree) transplant(l *Line, leaf *node) {
	from, unit := l.leaf.parent.clock, l.leaf.weight/leaf.weight
	l.leaf = leaf
	t.Sync(l)
	now := leaf.parent.clock
	for i, g := range l.stages {
		l.unreach(i)
		g.arrived = now + (g.arrived-from)*unit
		g.start = now + (g.start-from)*unit
		g.finish = now // at most, see layOut
	}
	l.swept = now + (l.swept-from)*unit
	l.completed, l.laid = 0, 0
	t.refresh(l, 0)
}
