package optimal

import (
	"math"
	"math/bits"
	"slices"

	"slurm-ostrich/ostrich"
)

// A memory keeps nodes that were explored, with a bound of what follows each.
//
// Let a schedule that follows node n start its jobs at some times. Behind a node r where
// the same jobs are left, all of them can start later by d (earlier, if d is below 0), if
// r has as many processors free, at each time later by d, as they use. Their cost rises by
// no more than delay(d). So what follows n costs no less than the bound of r, less
// delay(d).
//
// The bound of r holds for everything that starts behind r, not only for what branch
// lists: a job that branch leaves out can change places with one that it lists, or
// another one can start earlier, and nothing costs more by that.
type memory struct {
	keys    []uint64 // a random number for each task; a set has the sum of its members'
	buckets []bucket
	sums    []uint64 // the numbers of processors that tasks of a set can use together, a bit each
}

// A bucket keeps nodes whose sets come to lie in one place, the one that was of use last
// first. What rules out most of them at once lies together.
type bucket []kept

type kept struct {
	key  uint64  // of the set
	rest float64 // that follows at least: under SumU and SumT without the cost of the node
	node *remembered
}

// remembered is a node that was explored.
type remembered struct {
	set  []uint64 // of tasks that are left, a bit each
	now  ostrich.Duration
	ends []ostrich.Duration
	free profile
}

const (
	places = 1 << 15 // buckets of a memory: a power of 2
	ways   = 32      // nodes in each
	narrow = 512     // processors of a machine for which sums are computed
)

func newMemory(tasks int) *memory {
	m := &memory{keys: make([]uint64, tasks), buckets: make([]bucket, places)}
	x := uint64(1)
	for i := range m.keys {
		m.keys[i] = scramble(&x)
	}
	return m
}

// scramble returns the next of a row of numbers that look random (splitmix64).
func scramble(x *uint64) uint64 {
	*x += 0x9e3779b97f4a7c15
	z := *x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (m *memory) identify(n *node) {
	n.key, n.set = 0, n.set[:0]
	for range (len(m.keys) + 63) / 64 {
		n.set = append(n.set, 0)
	}
	for _, i := range n.left {
		n.key += m.keys[i]
		n.set[i/64] |= 1 << (i % 64)
	}
}

// usable computes what jobs that are left at a node can use of what is free: no more than
// the largest sum of their processors that is free.
func (m *memory) usable(p *problem, n *node) {
	n.usable = append(n.usable[:0], n.free...)
	if p.in.Procs > narrow {
		return
	}
	words := p.in.Procs/64 + 1
	m.sums = slices.Grow(m.sums[:0], words)[:words]
	clear(m.sums)
	m.sums[0] = 1
	for _, i := range n.left {
		whole, part := p.tasks[i].procs/64, p.tasks[i].procs%64
		for k := words - 1; k >= whole; k-- {
			sums := m.sums[k-whole] << part
			if k > whole {
				sums |= m.sums[k-whole-1] >> (64 - part)
			}
			m.sums[k] |= sums
		}
	}
	for i := range n.usable {
		step := &n.usable[i]
		k := step.free / 64
		sums := m.sums[k] << (63 - step.free%64)
		step.free -= bits.LeadingZeros64(sums)
		for ; sums == 0; k-- { // 0 is a sum
			sums = m.sums[k-1]
			step.free = 64*k - 1 - bits.LeadingZeros64(sums)
		}
	}
}

// rulesOut reports whether an explored node shows that no schedule which goes on from n
// is better than the best. If so it sets the bound of n.
func (m *memory) rulesOut(s *search, n *node) bool {
	m.identify(n)
	m.usable(s.problem, n)
	weight, late := 0.0, 0.0 // of the jobs; what they cost less at most if they start earlier
	for k, i := range n.left {
		t := &s.tasks[i]
		weight += t.weight
		late += t.weight * float64(max(0, n.starts[k]-t.due))
	}
	least := s.least()
	b := m.buckets[n.key%places]
	for k := range b {
		if b[k].key != n.key {
			continue
		}
		bound := n.cost + b[k].rest
		spare := bound - least // for a delay
		most := ostrich.Duration(0)
		switch {
		case spare < 0 && (s.objective != SumT || -spare > late):
			continue
		case s.objective == SumT:
			most = ostrich.Duration(math.Floor(spare / weight))
		}
		d := b[k].node.later(n, most)
		if d > most {
			continue
		}
		if s.objective == SumT {
			bound -= s.delay(n, d)
		}
		if s.beaten(bound, s.best) {
			b.first(k)
			n.bound = bound
			return true
		}
	}
	return false
}

// first puts the node at a place of a bucket in front of the others.
func (b bucket) first(k int) {
	used := b[k]
	copy(b[1:k+1], b[:k])
	b[0] = used
}

// later returns by how much what follows n has to start later behind r. It returns a
// duration above most where that is above most, and where other jobs are left or a campaign
// ends later in r.
func (r *remembered) later(n *node, most ostrich.Duration) ostrich.Duration {
	if !slices.Equal(r.set, n.set) {
		return never
	}
	for g, end := range r.ends {
		if end > n.ends[g] {
			return never
		}
	}
	d, k := r.now-n.now, 0
	for _, step := range n.usable {
		for r.free[k].free < step.free {
			k++ // what r has free only grows
		}
		if d = max(d, r.free[k].at-step.at); d > most {
			break
		}
	}
	return d
}

// keep remembers a node that has been explored.
func (m *memory) keep(n *node) {
	b := &m.buckets[n.key%places]
	if len(*b) < ways {
		*b = append(*b, kept{node: &remembered{}})
	}
	last := len(*b) - 1
	oldest := &(*b)[last]
	oldest.key, oldest.rest = n.key, n.bound-n.cost
	r := oldest.node
	r.set = append(r.set[:0], n.set...)
	r.now = n.now
	r.ends = append(r.ends[:0], n.ends...)
	r.free = append(r.free[:0], n.free...)
	b.first(last)
}

// delay is by how much the cost of what follows a node rises at most under SumT, if all
// of it starts later by d; or by how much it falls at least, if d is below 0.
func (s *search) delay(n *node, d ostrich.Duration) float64 {
	sum := 0.0
	for k, i := range n.left {
		t := &s.tasks[i]
		if d < 0 { // the job has been late by so much, or more
			sum -= t.weight * float64(min(-d, max(0, n.starts[k]-t.due)))
		} else {
			sum += t.weight * float64(d)
		}
	}
	return sum
}
