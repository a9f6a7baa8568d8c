package nodes

// offer is what a node could give to a job.
type offer struct {
	cpus  int32
	free  int32 // CPUs that no job has
	units int64 // generic resources that are counted for the whole job
}

// offer returns what a node could give to a job beside those that run on it; no CPUs if it cannot be
// part of it. It is select/cons_tres' job_test.c: _verify_node_state, can_job_run_on_node with
// common_allocate, and of _select_cores what limits the tasks of a node.
func (f *Floor) offer(w *Want, user uint32, l *Load, n int) offer {
	if w.simple && l.users == nil {
		return f.simpleOffer(w, l, n)
	}
	if f.c.Select.Linear {
		return f.linearOffer(w, l, n)
	}
	c := &f.nodes[n]
	if (w.whole || w.shared) && (l.cpus[n] > 0 || l.jobs[n] > 0) || l.users != nil && w.apart(user, l, n) {
		return offer{}
	}
	free := c.memory - l.memory[n]
	if f.c.Select.Memory && !f.remembers(w, l, n, free) {
		return offer{}
	}
	o := offer{free: f.free(w, l, n)}
	per := f.perCore(w, c)
	cpus := o.free / c.threads * per
	if s := int32(w.TasksPerSocket); s > 0 {
		cpus = min(cpus, c.sockets*s*int32(w.perTask))
	}
	tasks := int32(max(1, w.perNode))
	if w.perNode == 0 && w.max == 1 && w.tasks > 0 {
		tasks = int32(w.tasks)
	}
	if cpus < tasks*int32(w.perTask) {
		return offer{}
	}
	if f.c.Select.Memory && w.perCPU && w.memory > 0 {
		if w.whole && w.memory*int64(c.cpus) > free {
			return offer{}
		}
		most := free / w.memory
		if f.c.Select.Unit != CPU {
			unit := int64(1) // cores
			if f.c.Select.Unit == Socket {
				unit = int64(c.cores / c.sockets)
			}
			most = free / (w.memory * int64(c.charged(w)) * unit) * unit * int64(per)
		}
		cpus = int32(min(int64(cpus), most))
		if w.perTask > 1 && cpus > 0 {
			cpus -= cpus % int32(w.perTask)
		}
		if cpus < int32(max(1, w.perNode)) {
			return offer{}
		}
	}
	o.cpus = cpus
	if len(w.amounts) > 0 {
		f.equip(w, l, n, tasks, &o)
	}
	if o.cpus < tasks*int32(w.perTask) {
		o.cpus = 0
	}
	return o
}

// simpleOffer is offer for a request of processors and memory where each CPU is a core of its own.
func (f *Floor) simpleOffer(w *Want, l *Load, n int) offer {
	c := &f.nodes[n]
	cpus, least := c.cpus-l.cpus[n], int32(1)
	if w.max == 1 && w.tasks > 0 {
		least = int32(w.tasks)
	}
	o := offer{cpus: cpus, free: cpus}
	if w.memory > 0 && f.c.Select.Memory {
		free := c.memory - l.memory[n]
		switch {
		case !w.perCPU && free < w.memory:
			return offer{}
		case w.perCPU && free < w.memory*int64(cpus):
			o.cpus = int32(free / w.memory)
		}
	}
	if o.cpus < least {
		return offer{}
	}
	return o
}

// simple reports whether simpleOffer says what nodes offer to a request.
func (f *Floor) simple(w *Want) bool {
	return !f.crowded && !f.threaded && f.c.Select.Unit != Socket &&
		!w.whole && !w.shared && w.perTask == 1 && w.perNode == 0 && w.TasksPerSocket == 0 && len(w.amounts) == 0 && (!w.allMemory || !f.c.Select.Memory)
}

// remembers reports whether a node has memory for the least that a job may use of it.
func (f *Floor) remembers(w *Want, l *Load, n int, free int64) bool {
	switch {
	case w.allMemory:
		return l.memory[n] == 0
	case w.perCPU:
		return free >= w.memory*int64(max(w.perNode, w.perTask))
	}
	return free >= w.memory
}

// free counts the CPUs of a node that the job could have: those of whole cores or sockets that no job has,
// as many as its partition allows.
func (f *Floor) free(w *Want, l *Load, n int) int32 {
	c := &f.nodes[n]
	free := c.cpus - l.cpus[n]
	if f.c.Select.Unit == Socket {
		free -= free % (c.cpus / c.sockets)
	}
	if w.part < len(l.inPart) && l.inPart[w.part] != nil {
		free = min(free, int32(f.c.Partitions[w.part].MaxCPUsPerNode)-l.inPart[w.part][n])
	}
	return max(0, free)
}

// perCore is how many CPUs of a core the tasks of a job can use (cons_common.c, common_cpus_per_core).
func (f *Floor) perCore(w *Want, c *node) int32 {
	per := c.threads
	tasks := w.TasksPerCore
	if tasks == 0 && f.c.Select.OneTaskPerCore {
		tasks = 1
	}
	if tasks > 0 {
		per = min(per, int32(tasks*w.perTask))
	}
	if w.Threads > 0 {
		per = min(per, int32(w.Threads))
	}
	return max(1, per)
}

// apart reports whether a job and those on a node may not be together: one of them shares
// nodes with jobs of its user only (node_scheduler.c, filter_by_node_owner), or one of them
// CPUs, and another not, except that this one may come later if both are of one partition
// (job_test.c, _verify_node_state, _is_node_busy).
func (w *Want) apart(user uint32, l *Load, n int) bool {
	for _, t := range l.users[n] {
		if t.user != user && (t.own > 0 || w.own) || w.rows && t.rows < t.jobs || !w.rows && t.rows > 0 && int(t.part) != w.part {
			return true
		}
	}
	return false
}

// equip limits what a node gives by its generic resources (gres_select_filter.c,
// gres_select_filter_sock_core, without sockets).
func (f *Floor) equip(w *Want, l *Load, n int, tasks int32, o *offer) {
	c := &f.nodes[n]
	kinds := len(f.kinds)
	limit := int32(-1) // tasks
	switch {
	case w.perNode > 0:
		limit = int32(w.perNode)
	case w.max == 1 && w.tasks > 0:
		limit = int32(w.tasks)
	case w.tasks == 1 || w.tasks > 0 && w.tasks == w.min && w.tasks == w.max:
		limit = 1
	}
	for _, a := range w.amounts {
		have := int64(0)
		for _, k := range a.kinds {
			if w.whole && l.gres[n*kinds+k] > 0 {
				o.cpus = 0
				return
			}
			have += c.gres[k] - l.gres[n*kinds+k]
		}
		need := a.n
		switch a.per {
		case PerTask:
			if most := int32(min(have/a.n, int64(c.cpus))); limit < 0 || most < limit {
				limit = most
			}
			need = a.n * int64(tasks)
		case PerSocket:
			need = a.n * int64(max(1, w.Sockets))
		case PerJob:
			need = 1
			o.units = have
		case PerNode:
		}
		if have < need {
			o.cpus = 0
			return
		}
	}
	if limit >= 0 {
		o.cpus = min(o.cpus, limit*int32(w.perTask))
	}
}
