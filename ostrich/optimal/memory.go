package optimal

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// A memory keeps nodes that were explored. One in which the same jobs have been
// decided need not be, if an earlier one is as good whatever follows.
//
// Say what follows node n starts jobs at some times. Behind node r, of which the same
// jobs are left, all of them can start later by d (earlier, if d is below 0), if r has
// as many processors free at every time later by d; then r's schedule is worth r.cost
// and what follows n, which has changed by no more than delay(d). So r is as good as n
// if r.cost + delay(d) is below n.cost.
//
// If they are equal, both may rule out one another by way of a third one: a job that
// starts together with the last one of a node is not tried there but in another order
// (see branch). So equal nodes are compared by a second measure, the sum of all starts.
// Take the best schedules, of these the ones that have the least sum, and of these,
// among those that branch lists, the one that is given up first. It is not given up by
// branch, which would know one with an earlier start; nor by a bound, unless another
// one is found already. Nor is it because of a node r: then the schedule that goes
// through r is as good by both measures, and is listed too (jobs that start together
// behind r are in their order, twins can be put in theirs); and as r has been explored,
// that one was found, or given up before.
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
	sum  ostrich.Duration
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
		if r := &bucket[k]; slices.Equal(r.set, set) && s.asGood(r, n) {
			return true
		}
	}
	m.turn++
	r := &bucket[m.turn%ways]
	r.set = append(r.set[:0], set...)
	r.now, r.last, r.cost, r.sum = n.now, n.last, n.cost, n.sum
	r.ends = append(r.ends[:0], n.ends...)
	r.free = append(r.free[:0], n.free...)
	return false
}

// asGood reports whether no schedule that goes on from n is better than all that go on
// from r.
func (s *search) asGood(r *remembered, n *node) bool {
	for g, end := range r.ends {
		if end > n.ends[g] {
			return false
		}
	}
	d := r.now - n.now
	if r.last > n.last {
		d++ // what follows n may begin together with its last job
	}
	k := 0
	for _, step := range n.free {
		for r.free[k].free < step.free {
			k++ // what r has free only grows
		}
		d = max(d, r.free[k].at-step.at)
	}
	if d > 0 && s.objective != SumT || r.cost > n.cost && s.objective != SumT {
		return false
	}
	cost := r.cost
	if s.objective == SumT {
		cost += s.delay(n, d)
	}
	if cost != n.cost {
		return cost < n.cost
	}
	return r.sum+d*ostrich.Duration(len(n.left)) <= n.sum
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
