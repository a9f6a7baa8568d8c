package nodes

import "cmp"

// allocate gives the job what it uses of the chosen nodes, or nil if they lack memory for it
// (job_test.c, _job_test from alloc_job on).
func (c *Chooser) allocate() *Allocation {
	w, n := c.w, c.chosen.Count()
	a := &Allocation{
		Nodes: make([]int32, 0, n), CPUs: make([]int32, n), Memory: make([]int64, n), user: c.user, part: int32(w.part), own: w.own, rows: w.rows,
	}
	for i := range c.chosen.All() {
		a.Nodes = append(a.Nodes, int32(i))
	}
	if !w.whole {
		c.distribute(a)
	}
	c.round(w, a)
	if !c.complete(w, a, c.load) {
		return nil
	}
	return a
}

// complete adds memory and generic resources to an allocation. It returns false if the nodes lack memory.
func (f *Floor) complete(w *Want, a *Allocation, l *Load) bool {
	for k, i := range a.Nodes {
		all := f.nodes[i].memory
		switch {
		case w.allMemory && (f.c.Select.Memory || f.c.Select.Linear):
			a.Memory[k] = all
		case w.allMemory:
		case w.perCPU:
			a.Memory[k] = w.memory * int64(f.charged(w, a, k))
		default:
			a.Memory[k] = w.memory
		}
		if f.c.Select.Memory && a.Memory[k] > all-l.memory[i] {
			return false
		}
	}
	if len(w.amounts) > 0 && !f.c.Select.Linear { // whose jobs have none in their allocation
		f.hand(w, a, l)
	}
	return true
}

// distribute shares out the CPUs of a job: first those of a task on each node, then those of a core at
// a time, around the nodes (dist_tasks.c, dist_tasks_compute_c_b).
func (c *Chooser) distribute(a *Allocation) {
	w := c.w
	per := int32(w.perTask)
	cpus := max(len(a.Nodes)*max(1, w.perNode), w.cpus)
	tasks := cpus
	switch {
	case w.perTask > 1 && w.perNode == 0:
		tasks = max(1, cpus/w.perTask)
	case w.perTask > 1:
		tasks = w.perNode * len(a.Nodes)
	}
	give := func(k int) {
		a.CPUs[k] = min(a.CPUs[k]+per, c.offers[a.Nodes[k]].cpus)
		tasks--
	}
	on := make([]int, len(a.Nodes)) // tasks
	for k := 0; k < len(a.Nodes) && tasks > 0; k++ {
		give(k)
		on[k]++
	}
	for more := true; more && tasks > 0; {
		more = false
		for k := 0; k < len(a.Nodes) && tasks > 0; k++ {
			core := max(1, c.nodes[a.Nodes[k]].threads/per)
			for ; core > 0 && tasks > 0 && c.offers[a.Nodes[k]].cpus-a.CPUs[k] >= per && (w.perNode == 0 || on[k] < w.perNode); core-- {
				give(k)
				on[k]++
				more = true
			}
		}
	}
}

// round gives a job the whole of the cores or sockets of which it has CPUs, or whole nodes. Where CPUs are allocated the others of
// its cores are nobody's, and not counted as its own.
func (f *Floor) round(w *Want, a *Allocation) {
	if f.c.Select.Unit == CPU && f.threaded && !w.whole {
		a.counts = append(a.counts[:0], a.CPUs...)
	}
	for k, i := range a.Nodes {
		if w.whole {
			a.CPUs[k] = f.nodes[i].cpus
		} else {
			a.CPUs[k] = f.whole(w, i, a.CPUs[k])
		}
	}
}

// charged returns the CPUs of a node for which a job gets memory: of those that count as its own, as many of a core as it asks
// to use (job_resources.c, job_resources_get_node_cpu_cnt).
func (f *Floor) charged(w *Want, a *Allocation, k int) int32 {
	if n := &f.nodes[a.Nodes[k]]; f.c.Select.Unit != CPU {
		return a.CPUs[k] / n.threads * n.charged(w)
	}
	return a.counted(k)
}

// charged is the number of CPUs of a core for which a job gets memory where it has whole cores.
func (n *node) charged(w *Want) int32 {
	if w.Threads > 0 {
		return min(n.threads, int32(w.Threads))
	}
	return n.threads
}

// whole returns the CPUs of the cores, or sockets, that a job takes for so many CPUs of a node.
func (f *Floor) whole(w *Want, i, cpus int32) int32 {
	n := &f.nodes[i]
	use := f.perCore(w, n)
	cores := (cpus + use - 1) / use
	if f.c.Select.Unit == Socket {
		size := n.cores / n.sockets
		cores = (cores + size - 1) / size * size
	}
	return cores * n.threads
}

// hand gives the job generic resources of the chosen nodes, of the first kinds that have some.
func (f *Floor) hand(w *Want, a *Allocation, l *Load) {
	kinds := len(f.kinds)
	a.unused = append(a.unused[:0], make([]int64, len(a.Nodes)*kinds)...)
	a.gres = a.unused
	for _, g := range w.amounts {
		total := g.n
		if g.per == PerTask {
			total *= int64(cmp.Or(w.tasks, w.perNode*len(a.Nodes), w.cpus/w.perTask, 1))
		}
		for k, i := range a.Nodes {
			need := g.n
			switch g.per {
			case PerTask:
				on := max(1, int(a.CPUs[k])/w.perTask) // as threads of whole cores may be more than the tasks have
				if w.perNode > 0 {
					on = min(on, w.perNode)
				}
				need = max(0, min(g.n*int64(on), max(g.n, total-g.n*int64(len(a.Nodes)-1-k)), total)) // one is left for each of the other nodes
			case PerSocket:
				need *= int64(max(1, w.Sockets))
			case PerJob:
				need = total
			case PerNode:
			}
			for _, kind := range g.kinds {
				free := f.nodes[i].gres[kind] - l.gres[int(i)*kinds+kind] - a.gres[k*kinds+kind]
				got := min(need, free)
				if w.whole {
					got = free
				}
				a.gres[k*kinds+kind] += got
				need -= got
				total -= got
			}
		}
	}
}
