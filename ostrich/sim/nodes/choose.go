package nodes

import (
	"iter"
	"math"
	"slices"
)

// A Chooser chooses nodes for jobs as select/cons_tres does, or select/linear for whole nodes. It
// keeps memory from one choice to the next, and is not for several goroutines.
type Chooser struct {
	*Floor
	w    *Want
	user uint32
	load *Load

	actual *Load   // what is in use now, where load is a later moment's
	offers []offer // by node, of those that are left
	cpus   []int32 // what each node would give, as one evaluation goes on
	left   Set     // nodes that can be chosen
	chosen Set
	sets   []consecutive
	busy   bool // nodes in use first
	all    bool // select/linear: nodes of all lines at once

	low                          int // the fewest nodes
	remNodes, minNodes, maxNodes int // still wanted, needed, allowed
	remCPUs, maxCPUs             int64
	units                        int64 // generic resources of the whole job that are still wanted

	future *Load   // reused
	again  bool    // the request is looked at again and again, beside less and less
	known  Set     // nodes of which it is known what they offer to it
	former []offer // that, by node
}

// NewChooser returns a chooser.
func (f *Floor) NewChooser() *Chooser {
	n := len(f.nodes)
	return &Chooser{
		Floor: f, offers: make([]offer, n), cpus: make([]int32, n), left: newSet(n), chosen: newSet(n), known: newSet(n), former: make([]offer, n),
	}
}

// later makes the load of a later moment that of now.
func (c *Chooser) later(l *Load) {
	if c.future == nil {
		c.future = c.NewLoad()
	}
	c.future.copyFrom(l)
}

// Choose chooses nodes of a set for a job of a user, beside the load. It returns the allocation, or false if
// the job cannot start (node_scheduler.c, _pick_best_nodes; select/cons_tres sorts by weight itself, for select/linear see linear.go).
func (c *Chooser) Choose(w *Want, user uint32, from Set, l *Load) (*Allocation, bool) {
	c.all = false
	return c.pick(w, user, from, l, false)
}

// pick is Choose, with nodes in use first if busy.
func (c *Chooser) pick(w *Want, user uint32, from Set, l *Load, busy bool) (*Allocation, bool) {
	if len(w.count) > 0 {
		return c.pickCounted(w, user, from, l, busy)
	}
	for _, able := range w.sets {
		if c.choose(w, user, able, from, l, busy) {
			if a := c.allocate(); a != nil {
				return a, true
			}
		}
	}
	return nil, false
}

// pickCounted chooses nodes for a request that counts the nodes with features: first those, a
// term after the other, then what else the job needs (node_scheduler.c, _get_req_features).
func (c *Chooser) pickCounted(w *Want, user uint32, from Set, l *Load, busy bool) (*Allocation, bool) {
	has := newSet(len(c.nodes))
	for _, t := range w.count {
		part := *w
		part.count, part.list = nil, nil
		part.min, part.req, part.cpus, part.tasks = t.n, t.n, t.n, t.n*w.perNode
		rest := w.able.Copy()
		rest.And(t.of)
		rest.AndNot(has)
		if !c.choose(&part, user, rest, from, l, busy) {
			return nil, false
		}
		has.Or(c.chosen)
	}
	whole := *w
	whole.count = nil
	if w.list != nil {
		has.Or(w.list)
	}
	whole.list = has
	whole.min = max(w.min, has.Count())
	whole.req = max(w.req, whole.min)
	if !c.choose(&whole, user, w.able, from, l, busy) {
		return nil, false
	}
	a := c.allocate()
	return a, a != nil
}

// choose finds the nodes, job_test.c's _select_nodes and choose_nodes: where no choice among all nodes is
// enough, those that offer least are left out step by step.
func (c *Chooser) choose(w *Want, user uint32, able, from Set, l *Load, busy bool) bool {
	c.w, c.user, c.load, c.busy = w, user, l, busy
	if c.c.Select.Linear {
		return c.linear(able, from)
	}
	copy(c.left, able)
	c.left.And(from)
	low, high := w.min, w.max
	n := 0
	most, cpus, units := int64(0), int64(0), int64(0)
	for i := range c.left.All() {
		o := &c.offers[i]
		if *o = c.offered(i); o.cpus == 0 {
			c.left.Remove(i)
			continue
		}
		n++
		most = max(most, o.size())
		cpus, units = cpus+int64(o.cpus), units+o.units
	}
	if n < low || cpus < int64(w.cpus) || units < w.units() || w.list != nil && !w.list.Within(c.left) {
		return false
	}
	if w.perNode > 0 && w.tasks > 0 {
		low = max(low, (w.tasks+w.perNode-1)/w.perNode)
	}
	if w.perNode == 0 && w.tasks > 0 && high > w.tasks {
		high = max(w.tasks, low)
	}
	if n < low {
		return false
	}
	if c.evaluate(low, high) {
		return true
	}
	for least := int64(1); n > low && least < most; least++ {
		same := true
		for i := range c.left.All() {
			if c.offers[i].size() > least || w.list != nil && w.list.Has(i) {
				continue
			}
			same = false
			c.left.Remove(i)
			if n--; n <= low {
				break
			}
		}
		if same && least > 1 {
			continue
		}
		if c.evaluate(low, high) {
			return true
		}
	}
	return false
}

// offered is what a node offers to the request.
func (c *Chooser) offered(i int) offer {
	if !c.again {
		return c.offer(c.w, c.user, c.load, i)
	}
	if !c.known.Has(i) {
		c.known.Add(i)
		c.former[i] = c.offer(c.w, c.user, c.load, i)
	}
	return c.former[i]
}

// size is what a node offers, as choose compares it.
func (o *offer) size() int64 { return int64(o.cpus) + o.units }

func (c *Chooser) begin(low, high int) {
	clear(c.chosen)
	c.low, c.remCPUs, c.minNodes, c.maxNodes = low, int64(c.w.cpus), low, high
	c.remNodes = max(low, c.w.req)
	c.units = 0
	for _, a := range c.w.amounts {
		if a.per == PerJob {
			c.units = a.n
			c.remNodes = min(low, c.w.req)
		}
	}
	c.maxCPUs = c.remCPUs
	c.wanted()
}

// wanted counts in the nodes that must be chosen.
func (c *Chooser) wanted() {
	if c.w.list != nil {
		for i := range c.w.list.All() {
			c.take(i)
		}
	}
}

// take chooses a node, with as many of its CPUs as are still of use (_cpus_to_use): one is kept for each
// other node that must be chosen.
func (c *Chooser) take(i int) {
	o := &c.offers[i]
	o.cpus = c.use(i)
	c.units -= min(c.units, o.units)
	c.chosen.Add(i)
	c.remCPUs -= int64(o.cpus)
	c.maxCPUs -= int64(o.cpus)
	c.remNodes--
	c.minNodes--
	c.maxNodes--
}

// use is how many CPUs of a node would be used if it was chosen now.
func (c *Chooser) use(i int) int32 {
	o := &c.offers[i]
	if c.w.whole {
		return o.cpus
	}
	kept := int64(max(c.minNodes-1, 0)) * int64(c.perCore(c.w, &c.nodes[i]))
	if c.c.Select.Unit == Socket {
		kept *= int64(c.nodes[i].cores / c.nodes[i].sockets)
	}
	if limit := c.maxCPUs - kept; int64(o.cpus) > limit {
		return min(o.cpus, int32(max(limit, int64(max(1, c.w.perNode)*c.w.perTask))))
	}
	return o.cpus
}

// done reports whether what is chosen is enough.
func (c *Chooser) done() bool { return c.remNodes <= 0 && c.remCPUs <= 0 && c.units <= 0 }

// short is how many nodes are still needed, where fewer than wanted will do (_enough_nodes).
func (c *Chooser) short() int {
	if c.w.req > c.low {
		return c.remNodes + c.low - c.w.req
	}
	return c.remNodes
}

// evaluate chooses among the nodes that are left (_eval_nodes).
func (c *Chooser) evaluate(low, high int) bool {
	c.begin(low, high)
	switch {
	case c.maxNodes < 0:
		return false
	case c.done():
		return true
	case c.maxNodes == 0:
		return false
	case c.c.Select.Linear && c.uneven():
		return c.largest()
	case c.c.Select.Linear:
		return c.bestFit()
	case c.w.Spread:
		return c.inOrder(c.left.All())
	case c.busy && !c.w.Contiguous:
		return c.byUse()
	case c.w.lln:
		return c.leastLoaded()
	case c.c.Select.SerialAtEnd && c.w.cpus == 1 && c.w.req == 1:
		return c.inOrder(c.fromEnd())
	}
	return c.bestFit()
}

// sortedWeights lists the weights of the nodes that are left, the lowest first, and calls try with each
// until that returns true.
func (c *Chooser) byWeight(try func(weight int64) bool) {
	for last := int64(math.MinInt64); ; {
		next, found := int64(math.MaxInt64), false
		for i := range c.left.All() {
			if w := c.nodes[i].weight; w > last && (!found || w < next) {
				next, found = w, true
			}
		}
		if !found || try(next) {
			return
		}
		last = next
	}
}

// full reports whether the evaluation is over.
func (c *Chooser) full() bool { return c.done() || c.maxNodes == 0 }

// enough is the outcome of the evaluations that know no sets.
func (c *Chooser) enough() bool { return c.done() || c.remCPUs <= 0 && c.minNodes <= 0 && c.units <= 0 }

// leastLoaded chooses the nodes with the largest free part (_eval_nodes_lln).
func (c *Chooser) leastLoaded() bool {
	if c.w.tasks > 0 {
		c.maxNodes = min(c.maxNodes, c.w.tasks-c.chosen.Count())
	}
	c.byWeight(func(weight int64) bool {
		for !c.full() {
			best := -1
			for i := range c.left.All() {
				if c.chosen.Has(i) || c.nodes[i].weight != weight || c.use(i) == 0 {
					continue
				}
				if best < 0 || int64(c.offers[best].free)*int64(c.nodes[i].cpus) < int64(c.offers[i].free)*int64(c.nodes[best].cpus) {
					best = i
				}
			}
			if best < 0 {
				return false
			}
			c.take(best)
		}
		return true
	})
	return c.enough()
}

// fromEnd lists the nodes that are left, the last first.
func (c *Chooser) fromEnd() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range slices.Backward(c.nodes) {
			if c.left.Has(i) && !yield(i) {
				return
			}
		}
	}
}

// inOrder chooses one node after the other, the first (--spread-job: _eval_nodes_spread) or the last ones (pack_serial_at_end: _eval_nodes_serial).
func (c *Chooser) inOrder(all iter.Seq[int]) bool {
	c.byWeight(func(weight int64) bool {
		for i := range all {
			if c.full() {
				break
			}
			if !c.chosen.Has(i) && c.nodes[i].weight == weight && c.use(i) > 0 {
				c.take(i)
			}
		}
		return c.full()
	})
	return c.enough()
}

// byUse chooses nodes that run jobs before idle ones (_eval_nodes_busy).
func (c *Chooser) byUse() bool {
	c.byWeight(func(weight int64) bool {
		for _, idle := range []bool{false, true} {
			for i := range c.left.All() {
				if c.full() {
					return true
				}
				if !c.chosen.Has(i) && c.nodes[i].weight == weight && (c.actual.jobs[i] == 0) == idle && c.use(i) > 0 {
					c.take(i)
				}
			}
		}
		return c.full()
	})
	return c.enough()
}
