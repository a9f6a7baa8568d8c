package nodes

// consecutive is a set of nodes of one weight that follow one another, without a node between them that
// cannot be chosen.
type consecutive struct {
	first, last int
	cpus        int64 // of those that are not chosen
	nodes       int   // likewise
	units       int64
	listed      int // the first node that must be chosen; -1 without one
	weight      int64
}

// bestFit chooses nodes of the smallest sets of consecutive nodes (_eval_nodes): of the lowest weight
// first; of those the smallest that is enough, or else the largest, and so on until it is enough. select/linear does so
// whatever their weights (select_linear.c, _job_test).
func (c *Chooser) bestFit() bool {
	c.findSets()
	for left := len(c.sets); left > 0 && c.maxNodes > 0; left-- {
		best, sufficient := c.bestSet()
		if best == nil || c.w.Contiguous && !sufficient {
			break
		}
		if best.listed >= 0 {
			c.around(best)
		} else {
			c.through(best)
		}
		if c.done() {
			return true
		}
		best.cpus, best.nodes = 0, 0
	}
	return c.remCPUs <= 0 && c.units <= 0 && c.short() <= 0
}

// findSets finds the sets of consecutive nodes. Those that must be chosen are already.
func (c *Chooser) findSets() {
	c.sets = c.sets[:0]
	open := false
	for i := range c.nodes {
		if !c.left.Has(i) {
			open = false
			continue
		}
		weight := c.nodes[i].weight
		if c.c.Select.Linear {
			weight = 0
		}
		if open && !c.w.Contiguous && c.sets[len(c.sets)-1].nodes > 0 && c.sets[len(c.sets)-1].weight != weight {
			open = false
		}
		if !open {
			open = true
			c.sets = append(c.sets, consecutive{first: i, listed: -1})
		}
		s := &c.sets[len(c.sets)-1]
		s.last = i
		if c.chosen.Has(i) {
			if s.listed < 0 {
				s.listed = i
			}
			continue
		}
		c.cpus[i] = c.offers[i].cpus
		s.weight = weight
		s.cpus += int64(c.cpus[i])
		s.units += c.offers[i].units
		s.nodes++
	}
}

// bestSet returns the set that comes next, and whether it is enough by itself.
func (c *Chooser) bestSet() (best *consecutive, sufficient bool) {
	need := c.short()
	for i := range c.sets {
		s := &c.sets[i]
		if s.nodes == 0 || c.w.Contiguous && c.w.list != nil && s.listed < 0 {
			continue
		}
		enough := s.cpus >= c.remCPUs && s.nodes >= need && s.units >= c.units
		better := best == nil || best.listed < 0 && s.listed >= 0 || s.weight < best.weight
		if !better && s.weight == best.weight {
			better = enough && (!sufficient || s.cpus < best.cpus) || !enough && s.cpus > best.cpus
		}
		if better || !sufficient && c.w.Contiguous && enough {
			best, sufficient = s, enough
		}
	}
	return best, sufficient
}

// around chooses nodes of a set that holds some that must be chosen: from the first of these up, then down.
func (c *Chooser) around(s *consecutive) {
	for i := s.listed; i <= s.last && !c.full(); i++ {
		if !c.chosen.Has(i) && c.cpus[i] > 0 {
			c.take(i)
		}
	}
	for i := s.listed - 1; i >= s.first && !c.full(); i-- {
		if !c.chosen.Has(i) && c.cpus[i] > 0 {
			c.take(i)
		}
	}
}

// through chooses nodes of a set: the one that fits best if one is enough, or else one after the other, as select/linear always does.
func (c *Chooser) through(s *consecutive) {
	if c.remNodes <= 1 && !c.c.Select.Linear {
		best := -1
		for i := s.first; i <= s.last; i++ {
			if int64(c.cpus[i]) < c.remCPUs || c.offers[i].units < c.units || c.chosen.Has(i) {
				continue
			}
			if best < 0 || c.cpus[i] < c.cpus[best] {
				best = i
			}
		}
		if best >= 0 {
			c.take(best)
			return
		}
	}
	for i := s.first; i <= s.last && !c.full(); i++ {
		if !c.chosen.Has(i) && c.cpus[i] > 0 && (c.maxNodes > 1 || int64(c.cpus[i]) >= c.remCPUs) {
			c.take(i)
		}
	}
}
