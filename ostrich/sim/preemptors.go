package sim

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// byQOS reports whether jobs make room for those of other QOS.
func (e *engine) byQOS() bool {
	return e.preempts && e.Cluster.Preempt.By == nodes.PreemptByQOS
}

// pairwise reports whether jobs are ranked one by one where QOS make room for others.
func (e *engine) pairwise() bool { return e.byJobs != nil && e.byQOS() }

// asks is what a job asks of nodes.
func (e *engine) asks(i int32) *nodes.Request {
	if r := e.jobs[i].Request; r > 0 && int(r) <= len(e.Requests) {
		return &e.Requests[r-1]
	}
	return &noRequest
}

// noRequest is what a job without one asks of nodes.
var noRequest nodes.Request

// levels returns, by QOS, how many stand one below the other under it, each of which the one above it may preempt. Among QOS that may
// preempt one another it ends.
func levels(requests []nodes.Request) map[*nodes.QOS]int {
	level := make(map[*nodes.QOS]int)
	var all []*nodes.QOS
	for i := range requests {
		if q := requests[i].QOS; q != nil && !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	for range all {
		for _, q := range all {
			for _, p := range q.Preempts {
				level[q] = max(level[q], min(level[p]+1, len(all)))
			}
		}
	}
	return level
}

// preemptorsFirst puts waiting jobs, which come in the order of their priority, into that in which Slurm looks at them where jobs of one
// QOS may preempt those of another: of two of them the one that may goes first, whatever their priorities (job_scheduler.c,
// sort_job_queue2). Others are in the order of their tiers. That is no order if a third one lies between them by its priority. What becomes
// of it then is what the C library's sort makes of the jobs in the order of their submission: it merges halves (list.c, list_sort). An array is one job in it,
// in its first place, though Slurm puts what waits of it last again with each task that starts (job_mgr.c, job_array_split).
func (f *filling) preemptorsFirst(list []ostrich.JobID) []ostrich.JobID {
	place := make(map[ostrich.JobID]int, len(list))
	tasks := make(map[ostrich.JobID][]ostrich.JobID) // of arrays, which are one in the queue
	var jobs []ostrich.JobID
	var qos []*nodes.QOS
	for k, id := range list {
		i := int32(id) - 1
		if i < 0 || int(i) >= len(f.jobs) || !f.loop.canStart(i) {
			continue
		}
		place[id] = k
		array := f.jobs[i].Array
		if len(tasks[array]) == 0 {
			jobs = append(jobs, id)
		}
		if array != 0 {
			tasks[array] = append(tasks[array], id)
		}
		if q := f.asks(i).QOS; q != nil && !slices.Contains(qos, q) {
			qos = append(qos, q)
		}
	}
	if !slices.ContainsFunc(qos, func(q *nodes.QOS) bool {
		return slices.ContainsFunc(q.Preempts, func(victim *nodes.QOS) bool { return slices.Contains(qos, victim) })
	}) && f.tiers == nil {
		return list
	}
	slices.SortFunc(jobs, func(a, b ostrich.JobID) int {
		i, j := f.jobs[a-1], f.jobs[b-1]
		return cmp.Or(cmp.Compare(i.Queued, j.Queued), cmp.Compare(i.ID, j.ID), cmp.Compare(a, b))
	})
	mergeSort(jobs, make([]ostrich.JobID, len(jobs)), func(a, b ostrich.JobID) bool {
		i, j := int32(a)-1, int32(b)-1
		x, y := f.asks(i).QOS, f.asks(j).QOS
		if x != nil && y != nil && x != y {
			if slices.Contains(x.Preempts, y) {
				return true
			}
			if slices.Contains(y.Preempts, x) {
				return false
			}
		}
		if f.tiers != nil && f.engine.tier[i] != f.engine.tier[j] {
			return f.engine.tier[i] > f.engine.tier[j]
		}
		return place[a] < place[b]
	})
	all := make([]ostrich.JobID, 0, len(place))
	for _, id := range jobs {
		if array := f.jobs[id-1].Array; array == 0 {
			all = append(all, id)
		} else {
			all = append(all, tasks[array]...)
		}
	}
	return all
}

// mergeSort sorts as the C library does, whatever before says: it merges the sorted halves, of which the first is the smaller.
func mergeSort(list, room []ostrich.JobID, before func(a, b ostrich.JobID) bool) {
	if len(list) < 2 {
		return
	}
	a, b := list[:len(list)/2], list[len(list)/2:]
	mergeSort(a, room, before)
	mergeSort(b, room, before)
	merged := room[:0]
	for len(a) > 0 && len(b) > 0 {
		if before(a[0], b[0]) {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	copy(list, append(append(merged, a...), b...))
}
