package sim

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// nodePlan is a pass of conservative backfilling on nodes: each job in the order is kept nodes at the
// earliest moment at which it finds some beside those in front of it.
type nodePlan struct {
	*filling
	begun bool
}

// done reports whether no other job can start.
func (n *nodePlan) done() bool {
	return n.depth > 0 && n.planned >= n.depth || n.free < n.narrowest() || n.begun && n.placed.plan.Idle() == 0
}

// fits keeps a job nodes, and reports whether that is for now. One that is over a limit is kept none.
func (n *nodePlan) fits(i int32) bool {
	p, j := n.placed, n.jobs[i]
	if !n.begun {
		n.begun = true
		p.plan.Reset(n.now, p.up, p.load, p.runningOn())
	}
	user := uint32(j.User)
	var at ostrich.Time
	var a *nodes.Allocation
	for _, w := range p.of(i) {
		if !p.usage.Allows(w, user) {
			continue
		}
		from, found := p.plan.Fit(w, user, j.Estimate)
		if found != nil && (a == nil || from < at) && (from > n.now || p.usage.AllowsAllocation(w, user, found)) {
			at, a, p.chosenWant = from, found, w
		}
	}
	if a == nil {
		n.blocked = true
		return false
	}
	p.plan.Reserve(at, j.Estimate, a)
	p.chosen = a
	if at > n.now {
		n.planned++
		n.blocked = true
	}
	return at == n.now
}
