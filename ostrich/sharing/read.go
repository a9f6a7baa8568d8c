package sharing

import (
	"math"

	"slurm-ostrich/ostrich/scalar"
)

// Owed is the work that is still to be served to a user, at a moment between the latest
// event and the next.
func (t *Tree) Owed(l *Line, moment float64) scalar.Work {
	return l.owed(t.clockAt(l.leaf.parent, moment))
}

// Pending is how much of the work of a stage is still to be served at a moment.
func (t *Tree) Pending(g *Stage, moment float64) scalar.Work {
	if g.Completed != NotYet {
		return 0
	}
	t.catchUp(g.line)
	return g.pending(t.clockAt(g.line.leaf.parent, moment))
}

// pending is the same when the clock of the user's account shows now.
func (g *Stage) pending(now float64) scalar.Work {
	if g.Completed != NotYet {
		return 0
	}
	return scalar.Work(max(0, g.finish-max(now, g.start)) * g.line.leaf.weight)
}

// Ahead is the work that the user is still to be served up to the end of a stage, at a
// moment, or that its jobs still have to do once it is completed.
func (t *Tree) Ahead(g *Stage, now scalar.Time) scalar.Work {
	if g.Completed != NotYet {
		return g.left.At(now)
	}
	return scalar.Work(max(0, g.finish-t.clockAt(g.line.leaf.parent, float64(now))) * g.line.leaf.weight)
}

// Left is the work that the jobs of a stage still have to do.
func (g *Stage) Left(now scalar.Time) scalar.Work { return g.left.At(now) }

// VirtualStart is s~ of a stage: when it began, or when it will begin if the active users stay
// the same.
func (t *Tree) VirtualStart(g *Stage, now scalar.Time) float64 {
	if g.Began != NotYet {
		return g.Began
	}
	t.catchUp(g.line)
	return t.realTime(g.line, g.start, now)
}

// VirtualEnd is C~ of a stage: when it was completed, or when it will be if the active users
// stay the same.
func (t *Tree) VirtualEnd(g *Stage, now scalar.Time) float64 {
	if g.Completed != NotYet {
		return g.Completed
	}
	t.catchUp(g.line)
	return t.realTime(g.line, g.finish, now)
}

// realTime is the moment at which the clock of the user's account will show
// the tag, on the whole machine and with the active users of now:
//
//	C~ = now + k·W/m  for the work W before the tag (equation 4.1)
func (t *Tree) realTime(l *Line, tag float64, now scalar.Time) float64 {
	clock := t.clockAt(l.leaf.parent, float64(now))
	if tag <= clock {
		return float64(now)
	}
	if t.options.Size == 0 {
		return math.Inf(1)
	}
	return float64(now) + (tag-clock)*l.leaf.weight/(float64(t.options.Size)*t.Fraction(l))
}

// Tag is the finish tag of a stage with more work before its end, carried up to the root's
// clock as if the active users stayed the same. With flat shares it is F itself.
func (t *Tree) Tag(g *Stage, more scalar.Work) float64 {
	n := g.line.leaf.parent
	tag := g.finish + float64(more)/g.line.leaf.weight
	for ; n.parent != nil; n = n.parent {
		tag = t.clockAt(n.parent, t.moment) + (tag-t.clockAt(n, t.moment))*n.sharing/n.weight
	}
	return tag
}

// Spread is how far the root's clock has to go for a processor-second of service
// to a user, as if the active users stayed the same: with flat shares
// the inverse of the weight. An idle user is counted as active.
func (t *Tree) Spread(l *Line) float64 {
	n := l.leaf
	spread := 1 / n.weight
	for ; n.parent != t.root; n = n.parent {
		spread *= n.shared() / n.parent.weight
	}
	return spread
}

// Fraction is the part of the machine that a user gets while active, the papers' 1/k:
// the product, up the tree, of the weight among the active siblings. For an idle user
// it is what the user would get by becoming active now.
func (t *Tree) Fraction(l *Line) float64 {
	f := 1.0
	for n := l.leaf; n.parent != nil; n = n.parent {
		f *= n.weight / n.shared()
	}
	return f
}

// Entitled is the part of the machine that a user would get if all
// users that the shares name were active, as a multiple of what each would get
// if they were equal. With flat shares it is 1.
func (t *Tree) Entitled(l *Line) float64 {
	if len(t.places) == 0 {
		return 1
	}
	n, part := l.leaf, float64(len(t.places))
	if _, ok := t.places[l.User]; !ok {
		return part * n.weight / (n.parent.siblings + n.weight)
	}
	for ; n.parent != nil; n = n.parent {
		part *= n.weight / n.parent.siblings
	}
	return part
}
