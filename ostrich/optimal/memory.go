package optimal

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// A memory keeps nodes that were explored. One in which the same jobs have been
// decided need not be, if an earlier one cost no more and left as many processors
// free at all times.
type memory struct {
	keys    []uint64 // a random number for each task; a set has the sum of its members'
	buckets [][ways]remembered
	turn    uint64
}

// ways is how many nodes are kept that come to lie in one place.
const ways = 4

// remembered is a node that was explored.
type remembered struct {
	set  []uint64 // of tasks that are left, a bit each; nil for no node
	now  ostrich.Duration
	last int
	cost float64
	ends []ostrich.Duration
	free profile
}

// places is how many buckets a memory has: a power of 2.
const places = 1 << 15

func newMemory(tasks int) *memory {
	m := &memory{keys: make([]uint64, tasks), buckets: make([][ways]remembered, places)}
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

// dominated reports whether an explored node is as good as n, and remembers n if
// not.
func (m *memory) dominated(s *search, n *node) bool {
	sum := uint64(0)
	set := s.set[:0]
	for range (len(m.keys) + 63) / 64 {
		set = append(set, 0)
	}
	s.set = set
	for _, i := range n.left {
		sum += m.keys[i]
		set[i/64] |= 1 << (i % 64)
	}
	bucket := &m.buckets[sum%places]
	for k := range bucket {
		if r := &bucket[k]; slices.Equal(r.set, set) && r.asGood(n) {
			return true
		}
	}
	m.turn++
	r := &bucket[m.turn%ways]
	r.set = append(r.set[:0], set...)
	r.now, r.last, r.cost = n.now, n.last, n.cost
	r.ends = append(r.ends[:0], n.ends...)
	r.free = append(r.free[:0], n.free...)
	return false
}

// asGood reports whether all that can follow n can follow r.
func (r *remembered) asGood(n *node) bool {
	if r.cost > n.cost || r.now > n.now || r.now == n.now && r.last > n.last {
		return false
	}
	for g, end := range r.ends {
		if end > n.ends[g] {
			return false
		}
	}
	k := 0
	for i := range n.free {
		// From this step of n to the next, r has at least as many free: what r
		// has free only grows.
		for k+1 < len(r.free) && r.free[k+1].at <= n.free[i].at {
			k++
		}
		if r.free[k].free < n.free[i].free {
			return false
		}
	}
	return true
}
