package optimal

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// A search looks for the best schedule of a problem, depth first.
type search struct {
	*problem
	budget  Budget
	visited int64
	stopped bool
	leash   int64 // how many more nodes may be explored

	best   float64
	starts []ostrich.Duration // of the best schedule, by task

	prices *relaxation // nil for an objective that is a maximum
	given  float64     // what the free processors are worth
	limits deadlines   // by which a schedule is better than the best
	memory *memory
	nodes  []*node // of the path from the root

	scratch []ostrich.Duration
}

func newSearch(in *Instance, o Objective, b Budget) *search {
	return &search{
		problem: newProblem(in, o), budget: b, best: math.Inf(1), starts: make([]ostrich.Duration, len(in.Jobs)), nodes: []*node{{}},
	}
}

// visit counts a schedule that is looked at, and reports whether there may be another. It
// asks the budget whenever so many jobs were looked at, as a schedule of thousands takes long.
func (s *search) visit() bool {
	const jobs = 4096
	s.visited++
	if s.budget.Nodes >= 0 && s.visited >= s.budget.Nodes ||
		s.budget.Stop != nil && s.visited%max(1, min(64, jobs/int64(len(s.tasks)))) == 0 && s.budget.Stop() {
		s.stopped = true
	}
	return !s.stopped
}

// found records a schedule if it is better than the best so far.
func (s *search) found(value float64, starts []ostrich.Duration) {
	if !(value < s.best) || s.beaten(value, s.best) {
		return
	}
	s.best = value
	copy(s.starts, starts)
	if s.objective == Cmax || s.objective == MaxStretch {
		limit := s.best - 1
		if s.objective == MaxStretch {
			limit = s.best * (1 - 1e-9)
		}
		s.setDeadlines(&s.limits, limit)
	}
}

// through searches all schedules, but no more than most nodes, and reports whether it
// came to an end.
func (s *search) through(most int64) bool {
	s.leash = most
	if s.memory == nil {
		s.memory = newMemory(len(s.tasks))
	}
	s.root(s.nodes[0])
	return s.explore(0)
}

// explore searches all schedules that go on from the node at a depth, and reports whether
// it came to an end. If so it sets the bound of the node.
func (s *search) explore(depth int) bool {
	n := s.nodes[depth]
	if s.leash--; s.leash < 0 || !s.visit() {
		return false
	}
	s.place(n)
	if len(n.left) == 0 {
		n.bound = s.finish(depth)
		return true
	}
	if s.hopeless(n) || s.memory.rulesOut(s, n) {
		return true
	}
	s.branch(n)
	if depth+1 == len(s.nodes) {
		s.nodes = append(s.nodes, &node{})
	}
	for _, c := range n.children {
		below := s.rounded(c.bound)
		if !s.beaten(c.bound, s.best) {
			s.start(n, s.nodes[depth+1], c.place)
			if !s.explore(depth + 1) {
				return false
			}
			below = s.nodes[depth+1].bound
		}
		n.bound = min(n.bound, below)
	}
	s.memory.keep(n)
	return true
}

// hopeless reports whether no schedule that goes on from a node can be better than the
// best. It sets the bound of the node.
func (s *search) hopeless(n *node) bool {
	n.bound = s.rounded(s.bound(n))
	if s.beaten(n.bound, s.best) {
		return true
	}
	switch {
	case s.objective.additive():
		return false
	case s.objective == SumStretch:
		n.bound = s.servedByArea(n)
		return s.beaten(n.bound, s.best)
	}
	n.bound = s.best
	return s.misses(n, &s.limits)
}

// branch lists the jobs that may start next, the most promising first. A job need
// not be next if another one could end before it starts, nor before its twin. The bound of
// the node becomes that of the jobs whose bound rules them out.
func (s *search) branch(n *node) {
	n.children, n.bound = n.children[:0], math.Inf(1)
	ends := never
	for k, i := range n.left {
		ends = min(ends, n.starts[k]+s.tasks[i].length)
	}
	for k, i := range n.left {
		if n.starts[k] >= ends {
			continue
		}
		if twin := s.tasks[i].twin; twin >= 0 {
			if _, waits := slices.BinarySearch(n.left, twin); waits {
				continue
			}
		}
		bound := s.childBound(n, k)
		if s.beaten(bound, s.best) {
			n.bound = min(n.bound, s.rounded(bound))
			continue
		}
		n.children = append(n.children, child{k, bound})
	}
	slices.SortStableFunc(n.children, func(a, b child) int {
		return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(n.starts[a.place], n.starts[b.place]))
	})
}

// childBound bounds the schedules in which a job is next.
func (s *search) childBound(n *node, at int) float64 {
	if s.prices == nil {
		return 0 // earliest first
	}
	begin := n.starts[at]
	bound := s.prices.fixed - s.given + n.paid + s.idle(n, begin) + s.prices.at(n.left[at], begin)
	for k, i := range n.left {
		switch {
		case k == at:
		case n.starts[k] < begin:
			bound += s.prices.from(i, begin)
		default:
			bound += n.priced[k]
		}
	}
	return bound
}

// finish records the schedule that the path to a depth makes, in which dropped jobs start
// where they fit. It returns the value that counts these as late.
func (s *search) finish(depth int) (value float64) {
	n := s.nodes[depth]
	value = n.cost
	if !s.objective.additive() {
		value = s.objective.ofEnds(s.in, n.ends)
	}
	if s.beaten(value, s.best) {
		return value
	}
	starts := make([]ostrich.Duration, len(s.tasks))
	for i := range starts {
		starts[i] = never
	}
	for _, c := range s.nodes[1 : depth+1] {
		starts[c.last] = c.now
	}
	s.complete(starts)
	s.found(s.valueAt(starts), starts)
	return value
}

// complete starts the jobs that have no start yet where they fit beside the
// others.
func (p *problem) complete(starts []ostrich.Duration) {
	free := slices.Clone(p.base)
	for i, start := range starts {
		if start != never {
			free.use(start, p.tasks[i].procs, p.tasks[i].length)
		}
	}
	for i, start := range starts {
		if start == never {
			t := &p.tasks[i]
			starts[i] = free.earliest(0, t.procs, t.length)
			free.use(starts[i], t.procs, t.length)
		}
	}
}

// valueAt returns the value of a schedule, given by task.
func (p *problem) valueAt(starts []ostrich.Duration) float64 {
	return p.objective.Value(p.in, p.byJob(starts))
}

// byJob returns a schedule in the order of the instance.
func (p *problem) byJob(starts []ostrich.Duration) []ostrich.Duration {
	jobs := make([]ostrich.Duration, len(starts))
	for i, start := range starts {
		jobs[p.tasks[i].job] = start
	}
	return jobs
}
