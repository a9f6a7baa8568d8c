package nodes

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// This file has what select/linear does in another way than select/cons_tres, by select_linear.c, the same in 22.05, 24.11 and
// 26.05 but for topologies. A node is of one job, which has all of its CPUs, and is charged for them (_build_select_struct).
// Jobs that may share nodes (OverSubscribe) get nodes of their own here: see [Floor.Shares].

// line sorts the nodes into those of a line NodeName of slurm.conf, of the lowest weight first (node_scheduler.c, _build_node_list
// and _sort_node_set).
func (f *Floor) line() {
	order := make([]int, len(f.nodes))
	for i := range order {
		order[i] = i
	}
	before := func(a, b int) int {
		x, y := &f.c.Nodes[a], &f.c.Nodes[b]
		return cmp.Or(cmp.Compare(x.Weight, y.Weight), cmp.Compare(x.Line, y.Line))
	}
	slices.SortStableFunc(order, before)
	for k, i := range order {
		if k == 0 || before(order[k-1], i) != 0 {
			f.lines = append(f.lines, newSet(len(f.nodes)))
		}
		f.lines[len(f.lines)-1].Add(i)
	}
}

// linear finds the nodes: those of the first line alone if they are enough, else with those of the second, and so on
// (node_scheduler.c, _pick_best_nodes). Nodes that the job names are there from the start.
func (c *Chooser) linear(able, from Set) bool {
	w, n := c.w, 0
	clear(c.left)
	add := func(i int) {
		if !c.left.Has(i) && able.Has(i) && from.Has(i) {
			if c.offers[i] = c.offer(w, c.user, c.load, i); c.offers[i].cpus > 0 {
				c.left.Add(i)
				n++
			}
		}
	}
	if w.list != nil {
		for i := range w.list.All() {
			add(i)
		}
		if !w.list.Within(c.left) {
			return false
		}
	}
	for k, line := range c.lines {
		had, last := n, k == len(c.lines)-1
		for i := range line.All() {
			add(i)
		}
		if !last && (n == had && k > 0 || c.all || n < w.req) || n < w.min {
			continue
		}
		if c.evaluate(w.min, w.max) {
			return true
		}
	}
	return false
}

// uneven reports whether nodes that are left differ in what they offer, and so many of the smallest as are wanted are not enough.
func (c *Chooser) uneven() bool {
	low, high := int32(mostCPUs), int32(0)
	for i := range c.left.All() {
		low, high = min(low, c.offers[i].cpus), max(high, c.offers[i].cpus)
	}
	return low < high && c.remCPUs > int64(low)*int64(c.remNodes)
}

// largest chooses the largest nodes, of equal ones the last (_job_test).
func (c *Chooser) largest() bool {
	for !c.full() {
		best := -1
		for i := range c.left.All() {
			if !c.chosen.Has(i) && (best < 0 || c.offers[i].cpus >= c.offers[best].cpus) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		c.take(best)
	}
	return c.remCPUs <= 0 && c.units <= 0 && c.short() <= 0
}

// linearOffer is what a node without jobs counts for: all of its CPUs, but for those of more tasks than it is to have
// (_get_avail_cpus). That tasks are few to a core makes no fewer of them, but may make more (node_conf.c, adjust_cpus_nppcu). The memory
// of all of its CPUs must be there (_job_count_bitmap).
func (f *Floor) linearOffer(w *Want, l *Load, n int) offer {
	c := &f.nodes[n]
	memory := w.memory
	switch {
	case w.allMemory:
		memory = 0
	case w.perCPU:
		memory *= int64(c.cpus)
	}
	cpus, tasks := max(c.cpus, c.cores*int32(w.TasksPerCore*w.perTask)), int32(max(1, w.perNode))
	if l.jobs[n] > 0 || f.c.Select.Memory && memory > c.memory || cpus < tasks*int32(w.perTask) {
		return offer{}
	}
	if w.perNode > 0 {
		cpus = tasks * int32(w.perTask)
	}
	o := offer{cpus: cpus, free: cpus}
	if f.equip(w, l, n, tasks, &o); o.cpus > 0 {
		o.cpus = cpus
	}
	return o
}

// afterEach is WillRun once running jobs must end: it looks after the end of each, among the nodes of all lines (_will_run_test).
func (c *Chooser) afterEach(w *Want, user uint32, from Set, m Moment) (ostrich.Time, *Allocation, bool) {
	c.all = true
	for _, r := range m.Running {
		if slices.ContainsFunc(m.Victims, func(v Victim) bool { return v.Allocation == r.Allocation }) {
			continue
		}
		c.future.Remove(r.Allocation)
		if a, ok := c.pick(w, user, from, c.future, false); ok {
			return max(r.End, m.Now+1), a, true
		}
	}
	return 0, nil, false
}
