package nodes

import "math/bits"

// candidate is a node, or some that are alike.
type candidate struct {
	first  int32 // of them
	kind   int32 // its place in Stock.alike; -1 for a single node
	count  int
	cpus   int32 // what each offers
	units  int64 // likewise, of generic resources of the whole job
	weight int64
	key    uint64 // of those of a weight, the smaller one goes first, see rank
}

// rank makes the key of a candidate. Those that are put first, as they are of less use to others, go before the rest, then the
// largest, then the first node.
func (c *candidate) rank(put bool) {
	c.key = uint64(mostCPUs-c.cpus)<<32 | uint64(c.first)
	if !put {
		c.key |= 1 << 63
	}
}

// smallest turns the sizes of a key around.
const smallest = uint64(mostCPUs) << 32

// Place places a job that may start now: beside the running jobs, and the head if it is long and runs beyond
// the shadow time. It returns false if there is no room.
//
// Nodes of a low weight come first, then those of the head if the job is not long. One node is enough if
// any is large enough, the smallest one; else the largest are taken, one after the other. Ties go to the
// first node. Unlike a [Chooser], it does not look for sets of consecutive nodes.
func (s *Stock) Place(w *Want, user uint32, long bool) (*Allocation, bool) {
	load, other := s.now, s.kept
	switch {
	case s.stale:
		long, other = false, s.now
	case long:
		load = s.kept
	}
	missed := &w.missed[0]
	if long {
		missed = &w.missed[1]
	}
	if s.Missed(w) || long && (s.Left < w.cpus || s.now.users == nil && s.knows(missed) && !s.look(w, missed, load)) {
		return nil, false
	}
	a := s.place(w, user, load, other)
	if a == nil && len(w.count) == 0 { // with counts, one more node in use may make room
		if len(w.sets) > 1 {
			s.gather(w, user, load, other)
		}
		*missed = miss{epoch: s.epoch, seen: len(s.freed), room: s.room}
	}
	return a, a != nil
}

// Missed reports whether it is known that no nodes are free for a request, however short the job is.
func (s *Stock) Missed(w *Want) bool {
	m := &w.missed[0]
	return s.Free < w.cpus || s.now.users == nil && s.knows(m) && !s.look(w, m, s.now)
}

// room is what nodes offer to a request in all.
type room struct {
	nodes       int
	cpus, units int64
}

// add adds some nodes that offer as much, or takes them away.
func (r *room) add(count int, o offer) {
	if o.cpus > 0 {
		r.nodes += count
		r.cpus += int64(count) * int64(o.cpus)
		r.units += int64(count) * o.units
	}
}

// enough reports whether it may be enough for a request.
func (r *room) enough(w *Want) bool {
	return r.nodes >= w.min && r.cpus >= int64(w.cpus) && r.units >= w.units()
}

// miss is that there was no room for a request.
type miss struct {
	epoch uint64 // Stock.epoch
	seen  int    // nodes of Stock.freed
	more  bool   // of which one offers something since
	room         // no less than what nodes offer to it
}

// knows reports whether a miss tells of this stock, and not of too long ago.
func (s *Stock) knows(m *miss) bool { return m.epoch == s.epoch && len(s.freed)-m.seen <= len(s.nodes) }

// look adds to a miss what those nodes offer of which less has come into use since, and reports whether there may be room now.
func (s *Stock) look(w *Want, m *miss, load *Load) bool {
	for _, n := range s.freed[m.seen:] {
		o := s.offered(w, 0, load, n)
		m.add(1, o)
		m.more = m.more || o.cpus > 0
	}
	m.seen = len(s.freed)
	return m.more && m.enough(w)
}

// place places a job beside a load. Nodes that would offer it less beside the other load are put first.
func (s *Stock) place(w *Want, user uint32, load, other *Load) *Allocation {
	if len(w.count) > 0 {
		up := s.all.Copy()
		up.AndNot(s.down)
		a, _ := s.chooser.Choose(w, user, up, load)
		return a
	}
	for _, able := range w.sets {
		part := w
		if len(w.sets) > 1 {
			one := *w
			one.able, part = able, &one
		}
		s.gather(part, user, load, other)
		if !s.room.enough(part) {
			continue
		}
		if a := s.fill(part, user, load); a != nil {
			return a
		}
		if w.max < most { // the fewest nodes
			s.gather(part, user, load, other)
			for i := range s.list {
				s.list[i].weight = 0
				s.list[i].rank(false)
			}
			if a := s.fill(part, user, load); a != nil {
				return a
			}
		}
	}
	return nil
}

// gather lists all nodes that offer something to a job, and adds up what they offer.
func (s *Stock) gather(w *Want, user uint32, load, other *Load) {
	s.list, s.room = s.list[:0], room{}
	if w.list != nil || len(w.Exclude) > 0 {
		for n := range w.able.All() {
			s.add(w, user, load, other, candidate{first: int32(n), kind: -1, count: 1})
		}
		return
	}
	for i, some := range s.open {
		if load == s.later {
			some |= s.partly[i]
		}
		for ; some != 0; some &= some - 1 {
			s.addKind(w, user, load, other, int32(i<<6+bits.TrailingZeros64(some)))
		}
	}
}

// addKind lists nodes that are alike, those that are touched one by one for the load of the shadow time.
func (s *Stock) addKind(w *Want, user uint32, load, other *Load, k int32) {
	g := &s.alike[k]
	if !w.able.Has(int(g.first)) {
		return
	}
	full := g.cpus == g.all
	if load == s.kept {
		full = g.keptCPUs == g.all
	}
	c := candidate{first: g.first, kind: k, count: g.count}
	if g.gone > 0 && load == s.later {
		c.count -= g.gone
		c.first = -1
		for n := g.first; n >= 0; n = g.after(n + 1) {
			switch {
			case s.touched[n] > 0:
				s.add(w, user, load, other, candidate{first: n, kind: -1, count: 1})
			case c.first < 0:
				c.first = n
			}
		}
	}
	if c.count > 0 && !full {
		s.add(w, user, load, other, c)
	}
}

// add lists a candidate, unless it offers nothing.
func (s *Stock) add(w *Want, user uint32, load, other *Load, c candidate) {
	n := int(c.first)
	if s.down.Has(n) {
		return
	}
	o := s.offer(w, user, load, n)
	o.cpus = s.use(w, o.cpus)
	if s.room.add(c.count, o); o.cpus == 0 {
		return
	}
	c.cpus, c.units, c.weight = o.cpus, o.units, s.nodes[n].weight
	put := false
	if load != other && (load.cpus[n] != other.cpus[n] || load.memory[n] != other.memory[n] || load.jobs[n] != other.jobs[n]) {
		put = s.use(w, s.offer(w, user, other, n).cpus) < c.cpus
	}
	c.rank(put)
	s.list = append(s.list, c)
}

// offered is what a node offers to a job.
func (s *Stock) offered(w *Want, user uint32, load *Load, n int32) (o offer) {
	if w.able.Has(int(n)) && !s.down.Has(int(n)) {
		o = s.offer(w, user, load, int(n))
		o.cpus = s.use(w, o.cpus)
	}
	return o
}

// use is how many of the CPUs that a node offers a job can use: those of whole tasks.
func (s *Stock) use(w *Want, cpus int32) int32 {
	if w.perTask > 1 && !s.c.Select.Linear {
		cpus -= cpus % int32(w.perTask)
	}
	if w.perNode > 0 && !w.whole {
		cpus = min(cpus, int32(w.perNode*w.perTask))
	}
	return cpus
}

// need is what a job still needs while it is placed.
type need struct {
	w         *Want
	cpus      int32
	units     int64
	low, high int // nodes: needed, allowed
	nodes     []int32
	got       []int32 // CPUs of each
}

// done reports whether the job has enough.
func (d *need) done() bool { return d.cpus <= 0 && d.low <= 0 && d.units <= 0 }

// take takes a node of a candidate.
func (d *need) take(c *candidate, n int32) {
	cpus := c.cpus
	if kept := int32(max(d.low-1, 0)) * int32(d.w.perTask); !d.w.whole {
		cpus = min(cpus, max(d.cpus-kept, int32(max(1, d.w.perNode)*d.w.perTask)))
	}
	d.nodes, d.got = append(d.nodes, n), append(d.got, cpus)
	d.cpus -= cpus
	d.units -= c.units
	d.low--
	d.high--
}

// fill takes candidates of the list until a job has enough; nil if it never has.
func (s *Stock) fill(w *Want, user uint32, load *Load) *Allocation {
	d := &s.need
	*d = need{w: w, cpus: int32(w.cpus), units: w.units(), low: w.min, high: w.max, nodes: d.nodes[:0], got: d.got[:0]}
	if w.perNode > 0 && w.tasks > 0 {
		d.low = max(d.low, (w.tasks+w.perNode-1)/w.perNode)
	} else if w.tasks > 0 {
		d.high = min(d.high, max(w.tasks, d.low))
	}
	if w.list != nil {
		for i := range s.list {
			if c := &s.list[i]; w.list.Has(int(c.first)) {
				d.take(c, c.first)
				c.count = 0
			}
		}
		if len(d.nodes) < w.list.Count() {
			return nil
		}
	}
	for !d.done() && d.high > 0 {
		best, most := s.best(d, nil)
		switch c := best.of; {
		case c == nil:
			return nil
		case c.kind < 0:
			c.count = 0
			d.take(c, c.first)
		case !best.more || c.count == 1:
			s.takeOf(&best, nil, most, load, d)
		default:
			second, _ := s.best(d, c)
			s.takeOf(&best, second.of, most, load, d)
		}
	}
	if !d.done() {
		return nil
	}
	return s.allocate(d, user, load)
}

// turn is when a candidate comes: first one that is enough for the rest, then those of a low weight.
type turn struct {
	of     *candidate
	more   bool // it is not enough
	weight int64
	key    uint64
}

// before reports whether it comes before another one.
func (t *turn) before(o *turn) bool {
	if t.more != o.more {
		return o.more
	}
	return t.weight < o.weight || t.weight == o.weight && t.key < o.key
}

// best returns the candidate that comes next, beside one that does not count, and the most CPUs that one offers. Of those that are
// enough for the rest the smallest comes next.
func (s *Stock) best(d *need, but *candidate) (best turn, most int32) {
	last, cpus, units := d.low <= 1, d.cpus, d.units
	for i := range s.list {
		c := &s.list[i]
		if c.count == 0 || units > 0 && c.units == 0 || c == but {
			continue
		}
		most = max(most, c.cpus)
		t := turn{of: c, more: true, weight: c.weight, key: c.key}
		if last && c.cpus >= cpus && c.units >= units {
			t.more = false
			t.key ^= smallest
		}
		if best.of == nil || t.before(&best) {
			best = t
		}
	}
	return best, most
}

// takeOf takes nodes of a candidate, the first ones, until one of another kind comes before the next.
func (s *Stock) takeOf(next *turn, second *candidate, most int32, load *Load, d *need) {
	c, begun, units := next.of, false, d.units > 0
	k := &s.alike[c.kind]
	for n := c.first; n >= 0; n = k.after(n + 1) {
		if load == s.later && s.touched[n] > 0 {
			continue
		}
		c.key += uint64(n - c.first)
		c.first = n
		if begun && (units || !next.more || d.done() || d.high == 0 || d.low <= 1 && most >= d.cpus) {
			return
		}
		if begun && second != nil && (second.weight < c.weight || second.weight == c.weight && second.key < c.key) {
			return
		}
		begun = true
		c.count--
		d.take(c, n)
	}
}

// allocate gives a job what it has taken, or nil if the nodes lack memory for it.
func (s *Stock) allocate(d *need, user uint32, load *Load) *Allocation {
	var a *Allocation
	if last := len(s.unused) - 1; last >= 0 {
		a, s.unused = s.unused[last], s.unused[:last]
	} else {
		a = new(Allocation)
	}
	*a = Allocation{
		Nodes: append(a.Nodes[:0], d.nodes...), CPUs: append(a.CPUs[:0], d.got...), Memory: append(a.Memory[:0], make([]int64, len(d.nodes))...), counts: a.counts[:0],
		unused: a.unused,
		user:   user, part: int32(d.w.part), own: d.w.own, rows: d.w.rows,
	}
	s.round(d.w, a)
	if !s.complete(d.w, a, load) {
		s.Reuse(a)
		return nil
	}
	return a
}

// units is how many generic resources are counted for the whole job: of several kinds those of the last, as [Floor.offer] has them.
func (w *Want) units() (n int64) {
	for _, a := range w.amounts {
		if a.per == PerJob {
			n = a.n
		}
	}
	return n
}
