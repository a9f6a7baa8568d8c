package optimal

import (
	"math"

	"slurm-ostrich/ostrich"
)

// A node is a partial schedule: its jobs start in the order of time, and the next
// one starts no earlier than the last. So what is free only grows from now on, and
// a job that fits goes on to fit.
type node struct {
	now  ostrich.Duration // the latest start
	last int              // the task that started last, -1 for none
	free profile          // from now on

	left   []int              // tasks that have not started, most urgent first
	starts []ostrich.Duration // of these, the earliest
	priced []float64          // of these, what they cost at least, with the prices

	cost float64            // of jobs that have started, or are late: of SumU and SumT
	paid float64            // of these, with the prices, and what stayed free until now
	ends []ostrich.Duration // of each campaign so far; under Cmax of all jobs

	set    []uint64 // of left, see memory
	key    uint64   // of the set
	usable profile  // what of free the jobs that are left can use

	children []child
	bound    float64 // of all schedules that go on from here, when they have been looked at
}

// A child is a job that may start next.
type child struct {
	place int // in left
	bound float64
}

// root is the node in which nothing has started.
func (p *problem) root(n *node) {
	n.now, n.last = 0, -1
	n.free = append(n.free[:0], p.base...)
	n.left = n.left[:0]
	for i := range p.tasks {
		n.left = append(n.left, i)
	}
	n.cost, n.paid = 0, 0
	n.ends = p.objective.newEnds(p.in)
}

// place finds the earliest start of the jobs that are left, and drops those that
// are late and may come last.
func (p *problem) place(n *node) {
	kept := n.left[:0]
	n.starts = n.starts[:0]
	for _, i := range n.left {
		t := &p.tasks[i]
		k := 0
		for n.free[k].free < t.procs {
			k++
		}
		start := max(n.now, n.free[k].at)
		if p.drops(t, start) {
			n.cost += t.weight
			n.paid += t.weight
			continue
		}
		kept = append(kept, i)
		n.starts = append(n.starts, start)
	}
	n.left = kept
}

// start makes c the node n with the job at a place started.
func (s *search) start(n, c *node, at int) {
	i, begin := n.left[at], n.starts[at]
	t := &s.tasks[i]
	c.now, c.last = begin, i
	c.paid = n.paid
	if s.prices != nil {
		c.paid += s.idle(n, begin) + s.prices.at(i, begin)
	}
	c.cost = n.cost
	c.ends = append(c.ends[:0], n.ends...)
	if s.objective.additive() {
		c.cost += s.cost(t, begin)
	} else {
		g := s.objective.group(t.campaign)
		c.ends[g] = max(c.ends[g], begin+t.length)
	}
	k := n.free.find(begin)
	c.free = append(c.free[:0], n.free[k:]...)
	c.free[0].at = begin
	c.free.use(begin, t.procs, t.length)
	c.left = append(append(c.left[:0], n.left[:at]...), n.left[at+1:]...)
}

// idle is the price of what stays free from now on until a time.
func (s *search) idle(n *node, until ostrich.Duration) float64 {
	sum, from := 0.0, n.now
	for k := 0; from < until; k++ {
		to := until
		if k+1 < len(n.free) {
			to = min(to, n.free[k+1].at)
		}
		if free := n.free[k].free; free > 0 && to > from {
			sum += float64(free) * (s.prices.worth(to) - s.prices.worth(from))
		}
		from = max(from, to)
	}
	return sum
}

// bound returns a value that no schedule which goes on from a node is below.
func (s *search) bound(n *node) float64 {
	bound := s.unpriced(n)
	if s.prices == nil {
		return bound
	}
	priced := s.prices.fixed - s.given + n.paid
	n.priced = n.priced[:0]
	for k, i := range n.left {
		least := s.prices.from(i, n.starts[k])
		n.priced = append(n.priced, least)
		priced += least
	}
	return max(bound, priced)
}

// unpriced is bound without prices: all jobs start at once.
func (s *search) unpriced(n *node) float64 {
	if s.objective.additive() {
		sum := n.cost
		for k, i := range n.left {
			sum += s.cost(&s.tasks[i], n.starts[k])
		}
		return sum
	}
	s.scratch = append(s.scratch[:0], n.ends...)
	ends := s.scratch
	for k, i := range n.left {
		t := &s.tasks[i]
		g := s.objective.group(t.campaign)
		ends[g] = max(ends[g], n.starts[k]+t.length)
	}
	return s.objective.ofEnds(s.in, ends)
}

// when returns the time by which area processor-seconds have been free, from the beginning
// of a profile on.
func (p profile) when(area float64) float64 {
	for i := range p {
		if i+1 == len(p) {
			return float64(p[i].at) + area/float64(p[i].free)
		}
		here := float64(p[i].free) * float64(p[i+1].at-p[i].at)
		if here >= area && here > 0 {
			return float64(p[i].at) + area/float64(p[i].free)
		}
		area -= here
	}
	return math.Inf(1)
}
