package nodes

import "cmp"

// candidate is a node, or some that are alike.
type candidate struct {
	first  int32 // of them
	kind   int32 // its place in Stock.alike; -1 for a single node
	count  int
	cpus   int32 // what each offers
	units  int64 // likewise, of generic resources of the whole job
	weight int64
	put    bool // it is to be used before others: it is of less use to them
}

// Place places a job that may start now: beside the running jobs, and the head if it is long and runs beyond
// the shadow time. It returns false if there is no room.
//
// Nodes of a low weight come first, then those of the head if the job is not long. One node is enough if
// any is large enough, the smallest one; else the largest are taken, one after the other. Ties go to the
// first node. Unlike a [Chooser], it does not look for sets of consecutive nodes.
func (s *Stock) Place(w *Want, user uint32, long bool) (*Allocation, bool) {
	load := s.now
	if long {
		load = s.kept
	}
	if s.Free < w.cpus || long && s.Left < w.cpus {
		return nil, false
	}
	a := s.place(w, user, load, s.kept)
	return a, a != nil
}

// place places a job beside a load. Nodes that would offer it less beside the other load are put first.
func (s *Stock) place(w *Want, user uint32, load, other *Load) *Allocation {
	if len(w.count) > 0 {
		a, _ := s.chooser.Choose(w, user, s.all, load)
		return a
	}
	for _, able := range w.sets {
		part := w
		if len(w.sets) > 1 {
			one := *w
			one.able, part = able, &one
		}
		s.list = s.list[:0]
		s.each(part, user, load, other, func(c *candidate) { s.list = append(s.list, *c) })
		if a := s.fill(part, user, load, false); a != nil {
			return a
		}
		if w.max < most { // the fewest nodes
			s.list = s.list[:0]
			s.each(part, user, load, other, func(c *candidate) { s.list = append(s.list, *c) })
			if a := s.fill(part, user, load, true); a != nil {
				return a
			}
		}
	}
	return nil
}

// each calls add with all nodes that offer something to a job.
func (s *Stock) each(w *Want, user uint32, load, other *Load, add func(*candidate)) {
	one := func(n int32) {
		c := candidate{first: n, kind: -1, count: 1}
		if s.fillIn(&c, w, user, load, other) {
			add(&c)
		}
	}
	if w.list != nil || len(w.Exclude) > 0 {
		for n := range w.able.All() {
			one(int32(n))
		}
		return
	}
	for k := range s.alike {
		g := &s.alike[k]
		if len(g.nodes) == 0 || !w.able.Has(int(g.nodes[0])) {
			continue
		}
		if g.gone > 0 && load == s.later {
			for _, n := range g.nodes {
				if s.touched[n] {
					one(n)
				}
			}
			if g.gone == len(g.nodes) {
				continue
			}
		}
		c := candidate{kind: int32(k), count: len(g.nodes)}
		if c.first = g.nodes[0]; load == s.later && g.gone > 0 {
			c.count -= g.gone
			for i := 0; s.touched[c.first]; i++ {
				c.first = g.nodes[i]
			}
		}
		if s.fillIn(&c, w, user, load, other) {
			add(&c)
		}
	}
}

// fillIn finds what a candidate offers. It returns false if that is nothing.
func (s *Stock) fillIn(c *candidate, w *Want, user uint32, load, other *Load) bool {
	n := int(c.first)
	o := s.offer(w, user, load, n)
	if c.cpus = s.use(w, o.cpus); c.cpus == 0 {
		return false
	}
	c.units, c.weight = o.units, s.nodes[n].weight
	if load != other && (load.cpus[n] != other.cpus[n] || load.memory[n] != other.memory[n] || load.jobs[n] != other.jobs[n]) {
		c.put = s.use(w, s.offer(w, user, other, n).cpus) < c.cpus
	}
	return true
}

// offered is what a node offers to a job.
func (s *Stock) offered(w *Want, user uint32, load *Load, n int32) int32 {
	if !w.able.Has(int(n)) {
		return 0
	}
	return s.use(w, s.offer(w, user, load, int(n)).cpus)
}

// use is how many of the CPUs that a node offers a job can use: those of whole tasks.
func (s *Stock) use(w *Want, cpus int32) int32 {
	if w.perTask > 1 {
		cpus -= cpus % int32(w.perTask)
	}
	if w.perNode > 0 && !w.whole {
		cpus = min(cpus, int32(w.perNode*w.perTask))
	}
	return cpus
}

// before reports whether a candidate is taken before another one: alone if it is large enough for the rest.
func (c *candidate) before(o *candidate, alone, largest bool) bool {
	size := cmp.Compare(c.cpus, o.cpus)
	if !alone {
		size = -size
	}
	if largest {
		return cmp.Or(size, cmp.Compare(c.first, o.first)) < 0
	}
	switch {
	case c.weight != o.weight:
		return c.weight < o.weight
	case c.put != o.put:
		return c.put
	}
	return cmp.Or(size, cmp.Compare(c.first, o.first)) < 0
}

// fill takes candidates of the list until a job has enough; nil if it never has.
func (s *Stock) fill(w *Want, user uint32, load *Load, largest bool) *Allocation {
	low, high := w.min, w.max
	if w.perNode > 0 && w.tasks > 0 {
		low = max(low, (w.tasks+w.perNode-1)/w.perNode)
	} else if w.tasks > 0 {
		high = min(high, max(w.tasks, low))
	}
	a := &Allocation{user: user, part: int32(w.part), own: w.own}
	rest, units := int32(w.cpus), w.units()
	take := func(c *candidate, n int32) {
		cpus := c.cpus
		if kept := int32(max(low-1, 0)) * int32(w.perTask); !w.whole {
			cpus = min(cpus, max(rest-kept, int32(max(1, w.perNode)*w.perTask)))
		}
		a.Nodes, a.CPUs = append(a.Nodes, n), append(a.CPUs, cpus)
		rest -= cpus
		units -= c.units
		low--
		high--
	}
	if w.list != nil {
		for i := range s.list {
			if c := &s.list[i]; w.list.Has(int(c.first)) {
				take(c, c.first)
				c.count = 0
			}
		}
		if len(a.Nodes) < w.list.Count() {
			return nil
		}
	}
	enough := func(c *candidate) bool { return low <= 1 && c.cpus >= rest && c.units >= units }
	for (rest > 0 || low > 0 || units > 0) && high > 0 {
		best, second, most := (*candidate)(nil), (*candidate)(nil), int32(0)
		for i := range s.list {
			c := &s.list[i]
			if c.count == 0 || units > 0 && c.units == 0 {
				continue
			}
			most = max(most, c.cpus)
			switch alone := enough(c); {
			case best == nil, alone && !enough(best), alone == enough(best) && c.before(best, alone, largest):
				best, second = c, best
			case second == nil, alone && !enough(second), alone == enough(second) && c.before(second, alone, largest):
				second = c
			}
		}
		if best == nil {
			return nil
		}
		alone := enough(best)
		s.takeOf(best, load, func(n int32) bool {
			take(best, n)
			return !alone && (rest > 0 || low > 0 || units > 0) && high > 0 && (low > 1 || most < rest || units > 0)
		}, second, largest)
	}
	if rest > 0 || low > 0 || units > 0 {
		return nil
	}
	a.Memory = make([]int64, len(a.Nodes))
	for k, n := range a.Nodes {
		if w.whole {
			a.CPUs[k] = s.nodes[n].cpus
		} else {
			a.CPUs[k] = s.whole(w, n, a.CPUs[k])
		}
	}
	if !s.complete(w, a, load) {
		return nil
	}
	return a
}

// takeOf takes nodes of a candidate, the first ones, as long as take asks for more and none comes before the
// second best candidate.
func (s *Stock) takeOf(c *candidate, load *Load, take func(n int32) bool, second *candidate, largest bool) {
	if c.kind < 0 {
		c.count = 0
		take(c.first)
		return
	}
	more, begun := true, false
	for _, n := range s.alike[c.kind].nodes {
		if n < c.first || load == s.later && s.touched[n] {
			continue
		}
		c.first = n
		if !more || begun && second != nil && !c.before(second, false, largest) {
			return
		}
		begun = true
		c.count--
		more = take(n)
	}
}

// units is how many generic resources are counted for the whole job.
func (w *Want) units() int64 {
	for _, a := range w.amounts {
		if a.per == PerJob {
			return a.n
		}
	}
	return 0
}
