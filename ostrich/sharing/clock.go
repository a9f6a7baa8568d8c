package sharing

import "slurm-ostrich/ostrich/scalar"

// Options are the choices of a Tree.
type Options struct {
	Size     int  // m: processors, or in whatever parts the machine is counted
	Parallel bool // M(t) is what is really busy of the machine (thesis 6.1.1), else m (thesis 5.1)
	Settle   bool // see Tree.Settle
}

// A Tree is the virtual schedule of the users of a machine.
type Tree struct {
	options Options
	busy    int     // parts of the machine that running jobs take
	moment  float64 // of the latest event, real or virtual

	root     *node
	accounts map[string]*node
	places   map[scalar.UserID]UserShare
	shares   *Shares
	lines    []*Line // by user

	left     Left        // of all jobs that have not ended
	surplus  scalar.Work // what is owed beyond that
	settled  bool        // since the latest change
	absences []absence   // the first began first; some are over
	unlaid   []*Line     // some of whose tags are to be set, see Line.laid
	version  uint64

	// Completed is called when a stage is completed virtually, with C~, and again if it
	// got more work afterwards. Moved is called when tags of a Watched stage are set.
	Completed func(g *Stage, at float64) // or nil
	Moved     func(g *Stage)
}

// Moment is the time of the latest event, real or virtual, in seconds.
func (t *Tree) Moment() float64 { return t.moment }

// Version is a number that changes with each tag.
func (t *Tree) Version() uint64 { return t.version }

// Size is m, the number of parts of the machine.
func (t *Tree) Size() int { return t.options.Size }

// Busy is the number of parts that running jobs take.
func (t *Tree) Busy() int { return t.busy }

// Serving is M(t), the parts of the machine that are handed out.
func (t *Tree) Serving() int {
	switch {
	case t.options.Parallel:
		return t.busy
	case t.options.Settle:
		return max(t.options.Size, t.busy) // of a machine that has shrunk under its jobs
	}
	return t.options.Size
}

// rate is how fast the root's clock runs, dV/dt = M(t)/Σ w.
func (t *Tree) rate() float64 {
	if t.root.sharing == 0 {
		return 0
	}
	return float64(t.Serving()) / t.root.sharing
}

// clockAt is the clock of an account at a moment between the latest event and
// the next. It is computed from the latest event, never from the latest
// question, so that asking often changes nothing.
func (t *Tree) clockAt(n *node, moment float64) float64 {
	if n.parent == nil {
		return n.clock + (moment-n.synced)*t.rate()
	}
	if !n.active() {
		return n.clock
	}
	return n.clock + (t.clockAt(n.parent, moment)-n.synced)*n.weight/n.sharing
}

// sync brings the clocks from the root down to n to the present moment.
func (t *Tree) sync(n *node) {
	if n.parent == nil {
		if n.synced != t.moment {
			n.clock = t.clockAt(n, t.moment)
			n.synced = t.moment
		}
		return
	}
	t.sync(n.parent)
	if n.active() {
		n.clock += (n.parent.clock - n.synced) * n.weight / n.sharing
	}
	n.synced = n.parent.clock
}

// Resize changes the size of the machine.
func (t *Tree) Resize(size int) {
	t.sync(t.root)
	t.options.Size = size
}
