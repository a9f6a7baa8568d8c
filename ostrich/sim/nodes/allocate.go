package nodes

// allocate gives the job what it uses of the chosen nodes, or nil if they lack memory for it
// (job_test.c, _job_test from alloc_job on).
func (c *Chooser) allocate() *Allocation {
	w, n := c.w, c.chosen.Count()
	a := &Allocation{
		Nodes: make([]int32, 0, n), CPUs: make([]int32, n), Memory: make([]int64, n), user: c.user, part: int32(w.part), own: w.own,
	}
	for i := range c.chosen.All() {
		a.Nodes = append(a.Nodes, int32(i))
	}
	if w.whole {
		for k, i := range a.Nodes {
			a.CPUs[k] = c.nodes[i].cpus
		}
	} else {
		c.distribute(a)
	}
	if c.c.Select.Memory || c.c.Select.Linear {
		for k, i := range a.Nodes {
			all := c.nodes[i].memory
			need := w.memory
			switch {
			case w.allMemory:
				need = all
			case w.perCPU:
				need *= int64(a.CPUs[k])
			}
			if need > all-c.load.memory[i] && c.c.Select.Memory {
				return nil
			}
			a.Memory[k] = need
		}
	}
	if len(w.amounts) > 0 {
		c.hand(a)
	}
	return a
}

// distribute shares out the CPUs of a job: first those of a task on each node, then those of a core at
// a time, around the nodes (dist_tasks.c, dist_tasks_compute_c_b); then up to whole cores or sockets.
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
	for k, i := range a.Nodes {
		n := &c.nodes[i]
		use := c.perCore(w, n)
		cores := (a.CPUs[k] + use - 1) / use
		if c.c.Select.Unit == Socket {
			size := n.cores / n.sockets
			cores = (cores + size - 1) / size * size
		}
		a.CPUs[k] = cores * n.threads
	}
}

// hand gives the job generic resources of the chosen nodes, of the first kinds that have some.
func (c *Chooser) hand(a *Allocation) {
	kinds := len(c.kinds)
	a.gres = make([]int64, len(a.Nodes)*kinds)
	for _, g := range c.w.amounts {
		total := g.n
		for k, i := range a.Nodes {
			need := g.n
			switch g.per {
			case PerTask:
				need *= int64(max(1, int(a.CPUs[k])/c.w.perTask))
			case PerSocket:
				need *= int64(max(1, c.w.Sockets))
			case PerJob:
				need = total
			case PerNode:
			}
			for _, kind := range g.kinds {
				free := c.nodes[i].gres[kind] - c.load.gres[int(i)*kinds+kind] - a.gres[k*kinds+kind]
				got := min(need, free)
				if c.w.whole {
					got = free
				}
				a.gres[k*kinds+kind] += got
				need -= got
				total -= got
			}
		}
	}
}
