package nodes

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Preempt says which jobs make room for others, and in which order they are asked to.
type Preempt struct {
	By     PreemptBy
	Mode   PreemptMode      // where partition or QOS says none
	Exempt ostrich.Duration // PreemptExemptTime, where no QOS says one

	// Those of SchedulerParameters: preempt_youngest_first, preempt_strict_order, preempt_reorder_count.
	YoungestFirst, StrictOrder bool
	Reorder                    int // 0 is Slurm's default, 1; below 0 is none
}

// PreemptBy is what says which job may preempt which (PreemptType).
type PreemptBy uint8

const (
	// NoPreemption is preempt/none. It is the zero value.
	NoPreemption PreemptBy = iota
	// PreemptByQOS is preempt/qos: [QOS.Preempts] says it.
	PreemptByQOS
	// PreemptByTier is preempt/partition_prio: jobs of a higher [Partition.Tier] preempt those of a lower one.
	PreemptByTier
)

// PreemptMode is what becomes of a job that is preempted.
type PreemptMode uint8

const (
	// PreemptDefault leaves it to what stands above. It is the zero value.
	PreemptDefault PreemptMode = iota
	// PreemptOff lets it not be preempted.
	PreemptOff
	// PreemptCancel ends it.
	PreemptCancel
	// PreemptRequeue puts it back into the queue, or ends it if it may not be.
	PreemptRequeue
	// PreemptSuspend takes CPUs from it, but no memory, and lets it stand until it has all of them again.
	PreemptSuspend
)

// Victim is a running job that another one may preempt.
type Victim struct {
	*Allocation
	Want  *Want
	Job   int32        // its number, for the caller
	Start ostrich.Time // of its run
	Mode  PreemptMode
	Rests bool        // it is suspended
	Left  *Allocation // what it keeps if it is suspended

	usable int
}

// removed reports whether the job leaves its nodes when it is preempted.
func (v *Victim) removed() bool { return v.Mode == PreemptRequeue || v.Mode == PreemptCancel }

// Preempts reports whether any job may be preempted.
func (f *Floor) Preempts() bool {
	return f.c.Preempt.By != NoPreemption && f.c.Preempt.Mode != PreemptOff
}

// Fleeting reports whether the backfill scheduler takes a job with the request to be as short as can be, as it may be preempted
// (backfill.c, _set_job_time_limits).
func (f *Floor) Fleeting(w *Want) bool {
	return w.QOS != nil && w.QOS.NoReserve && f.c.Preempt.Mode > PreemptOff
}

// ModeOf is what becomes of a job with the request when it is preempted (preempt_qos.c and
// preempt_partition_prio.c, _job_preempt_mode). A QOS that says OFF says nothing.
func (f *Floor) ModeOf(w *Want) PreemptMode {
	own := PreemptDefault
	switch {
	case f.c.Preempt.By == PreemptByTier && w.part < len(f.c.Partitions):
		own = f.c.Partitions[w.part].PreemptMode
	case f.c.Preempt.By == PreemptByQOS && w.QOS != nil && w.QOS.Mode != PreemptOff:
		own = w.QOS.Mode
	}
	own = cmp.Or(own, f.c.Preempt.Mode, PreemptOff)
	if own == PreemptRequeue && w.NoRequeue {
		return PreemptCancel
	}
	return own
}

// GraceOf is how long a job with the request goes on when it is to leave (_get_grace_time of both plugins).
func (f *Floor) GraceOf(w *Want) ostrich.Duration {
	switch {
	case f.c.Preempt.By == PreemptByTier && w.part < len(f.c.Partitions):
		return f.c.Partitions[w.part].GraceTime
	case f.c.Preempt.By == PreemptByQOS && w.QOS != nil:
		return w.QOS.Grace
	}
	return 0
}

// ExemptOf is how long a job with the request runs before it can be preempted (acct_policy.c,
// acct_policy_get_preemptable_time).
func (f *Floor) ExemptOf(w *Want) ostrich.Duration {
	for _, q := range f.order(w) {
		if q != nil && q.Exempt > 0 {
			return q.Exempt
		}
	}
	return f.c.Preempt.Exempt
}

// order returns the QOS of a request, the one first whose limits go before. There may be none.
func (f *Floor) order(w *Want) [2]*QOS {
	if w.part < len(f.c.Partitions) {
		return w.QOS.Beside(f.c.Partitions[w.part].QOS)
	}
	return w.QOS.Beside(nil)
}

// MayPreempt reports whether jobs with one request may preempt those with another (preempt_p_preemptable of both plugins).
func (f *Floor) MayPreempt(w, victim *Want) bool {
	switch f.c.Preempt.By {
	case PreemptByQOS:
		return w.QOS != nil && victim.QOS != nil && w.QOS != victim.QOS && slices.Contains(w.QOS.Preempts, victim.QOS)
	case PreemptByTier:
		if max(w.part, victim.part) >= len(f.c.Partitions) {
			return false
		}
		low, high := &f.c.Partitions[victim.part], &f.c.Partitions[w.part]
		return low.Tier < high.Tier && low.PreemptMode != PreemptOff
	case NoPreemption:
	}
	return false
}

// Sort puts victims into the order in which they are asked to leave: those of a low QOS priority or tier first, of
// these the smallest; or else the youngest first. It keeps the order of equal ones (preempt.c,
// slurm_find_preemptable_jobs; _gen_job_prio of both plugins).
func (f *Floor) Sort(victims []Victim) {
	if f.c.Preempt.YoungestFirst {
		slices.SortStableFunc(victims, func(a, b Victim) int { return cmp.Compare(b.Start, a.Start) })
		return
	}
	slices.SortStableFunc(victims, func(a, b Victim) int {
		return cmp.Or(cmp.Compare(f.rank(&a), f.rank(&b)), cmp.Compare(min(len(a.Nodes), mostRank), min(len(b.Nodes), mostRank)))
	})
}

// mostRank is the most that priorities, tiers and numbers of nodes count for.
const mostRank = 1<<16 - 1

// rank is the QOS priority or the tier of a job.
func (f *Floor) rank(v *Victim) int64 {
	rank := int64(0)
	if f.c.Preempt.By == PreemptByTier {
		rank = int64(f.c.Partitions[v.Want.part].Tier)
	} else if v.Want.QOS != nil {
		rank = v.Want.QOS.Priority
	}
	return min(rank, mostRank)
}

// Preempt chooses nodes of a set for a job that finds none beside the load, and those of the victims that must make room
// for it. They come sorted. Without an allocation there are not enough of them (job_test.c, _run_now).
//
// Slurm takes away one victim after the other until the job finds nodes. Then it puts the last one first, and those
// behind it that are on most of these nodes, and does so again: so often as preempt_reorder_count says and
// once more. In the end those victims leave that are on the nodes of the job.
func (c *Chooser) Preempt(w *Want, user uint32, from Set, l *Load, victims []Victim) (*Allocation, []Victim) {
	if len(victims) == 0 {
		return nil, nil
	}
	if a, gone := c.suspend(w, user, from, l, victims); a != nil || c.c.Preempt.By == PreemptByQOS && victims[0].Mode == PreemptSuspend {
		return a, gone
	}
	reorder := max(0, cmp.Or(c.c.Preempt.Reorder, 1))
	for pass := 0; ; pass++ {
		a, last := c.without(w, user, from, l, victims)
		if a == nil {
			return nil, nil
		}
		if pass > reorder || len(victims) <= pass+1 {
			return a, c.gone(a, victims[:last+1])
		}
		c.reorder(a, victims, last)
	}
}

// without takes victims away until a job finds nodes. It returns the place of the last one.
func (c *Chooser) without(w *Want, user uint32, from Set, l *Load, victims []Victim) (*Allocation, int) {
	c.later(l)
	c.actual, c.all = l, true
	for i := range victims {
		v := &victims[i]
		if !v.removed() || !v.On(from) {
			continue
		}
		c.future.Remove(v.Allocation)
		if a, ok := c.pick(w, user, from, c.future, false); ok {
			return a, i
		}
	}
	return nil, -1
}

// reorder puts the last victim that was needed first, and then those in front of it that share most nodes with
// the job: fewer may do.
func (c *Chooser) reorder(a *Allocation, victims []Victim, last int) {
	if c.c.Preempt.StrictOrder {
		v := victims[last]
		copy(victims[1:last+1], victims[:last])
		victims[0] = v
		return
	}
	nodes := a.Set(len(c.nodes))
	for i := range victims {
		v := &victims[i]
		switch v.usable = 0; {
		case i == last:
			v.usable = len(c.nodes) + 1
		case i < last:
			shared := v.Set(len(c.nodes))
			shared.And(nodes)
			v.usable = shared.Count()
		}
	}
	slices.SortStableFunc(victims, func(a, b Victim) int { return cmp.Compare(b.usable, a.usable) })
}

// gone lists those of the victims that leave, and are on the nodes of a job.
func (c *Chooser) gone(a *Allocation, victims []Victim) []Victim {
	nodes := a.Set(len(c.nodes))
	var list []Victim
	for i := range victims {
		if v := &victims[i]; v.removed() && v.On(nodes) {
			list = append(list, *v)
		}
	}
	return list
}

// suspend chooses nodes as if the victims that are to be suspended had no CPUs. Of these those go on that fit beside the job: of a
// higher QOS priority or tier first, then in the order of their starts (gang.c, _update_active_row). The others stand, and give the
// job what is not free.
func (c *Chooser) suspend(w *Want, user uint32, from Set, l *Load, victims []Victim) (*Allocation, []Victim) {
	c.later(l)
	var stand []*Victim // the first to go on first
	for i := range slices.Backward(victims) {
		if v := &victims[i]; v.Mode == PreemptSuspend && v.On(from) {
			c.future.Add(v.without(v.CPUs)) // CPUs alone
			c.future.Remove(v.Allocation)
			stand = append(stand, v)
		}
	}
	if len(stand) == 0 {
		return nil, nil
	}
	c.actual, c.all = l, true
	a, ok := c.pick(w, user, from, c.future, false)
	if !ok {
		return nil, nil
	}
	room, lacks := make([]int32, len(c.nodes)), make([]int32, len(c.nodes))
	for n := range room {
		room[n] = c.nodes[n].cpus - c.future.cpus[n]
	}
	for k, n := range a.Nodes {
		room[n] -= a.CPUs[k]
		lacks[n] = max(0, a.CPUs[k]-(c.nodes[n].cpus-l.cpus[n]))
	}
	slices.SortStableFunc(stand, func(a, b *Victim) int {
		return cmp.Or(cmp.Compare(c.rank(b), c.rank(a)), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Job, b.Job))
	})
	stand = slices.DeleteFunc(stand, func(v *Victim) bool {
		for k, n := range v.Nodes {
			if v.Rests || v.CPUs[k] > room[n] {
				return false
			}
		}
		for k, n := range v.Nodes {
			room[n] -= v.CPUs[k]
		}
		return true
	})
	var list []Victim
	for _, rests := range []bool{true, false} { // those that stand already give first
		for _, v := range slices.Backward(stand) {
			if v.Rests != rests {
				continue
			}
			taken, sum := make([]int32, len(v.Nodes)), int32(0)
			for k, n := range v.Nodes {
				taken[k] = min(v.CPUs[k], lacks[n])
				lacks[n] -= taken[k]
				sum += taken[k]
			}
			if sum > 0 {
				v.Left = v.without(taken)
				list = append(list, *v)
			}
		}
	}
	return a, list
}

// without returns an allocation with fewer CPUs.
func (a *Allocation) without(cpus []int32) *Allocation {
	left := a.Copy()
	for k := range cpus {
		left.CPUs[k] -= cpus[k]
	}
	return left
}

// Reclaim gives an allocation back CPUs of its nodes that are free beside the load, up to those of the whole one,
// and reports whether it has them all. The load has the CPUs from then on.
func (f *Floor) Reclaim(left, whole *Allocation, l *Load) bool {
	all := true
	l.Remove(left)
	for k, n := range left.Nodes {
		left.CPUs[k] = max(left.CPUs[k], min(whole.CPUs[k], f.nodes[n].cpus-l.cpus[n]))
		all = all && left.CPUs[k] == whole.CPUs[k]
	}
	l.Add(left)
	return all
}
