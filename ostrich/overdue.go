package ostrich

import (
	"cmp"
	"container/heap"
)

// minute is the step by which a job that outlives its expectation counts for
// more: Slurm's own unit for limits. In whole steps, because a length that
// grew at every look would depend on how often one looks.
const minute Duration = 60

// elapsed is how long a task of the job has run by the given time.
func (j *job) elapsed(now Time) Duration {
	if !j.running {
		return 0
	}
	if j.paused != 0 {
		now = j.paused
	}
	return Duration(now-j.Start) - j.rested
}

// await notes when a running job will have run as long as it counts for.
func (s *Schedule) await(j *job) {
	j.due = s.now + Time(max(0, j.length-j.elapsed(s.now)))
	heap.Push(&s.overdue, due{at: j.due, job: j})
}

// outlive lets the job that is due first count for max(elapsed, estimate),
// with elapsed rounded up to the next minute.
func (s *Schedule) outlive() {
	d := heap.Pop(&s.overdue).(due) //nolint:errcheck,forcetypeassert // only dues are pushed
	j := d.job
	if s.jobs[j.ID] != j || !j.running || j.paused != 0 || j.due != d.at {
		return // of a job that has ended, waits, or was noted anew since
	}
	s.count(j, j.elapsed(d.at)+minute)
	j.due = d.at + Time(minute)
	heap.Push(&s.overdue, due{at: j.due, job: j})
}

// due is a moment at which a job may outlive its expectation.
type due struct {
	at  Time
	job *job
}

// dueHeap orders them by time, ties by job id.
type dueHeap []due

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].job.ID, h[j].job.ID)) < 0
}
func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)   { *h = append(*h, x.(due)) } //nolint:errcheck,forcetypeassert // see outlive
func (h *dueHeap) Pop() any {
	old := *h
	d := old[len(old)-1]
	old[len(old)-1] = due{}
	*h = old[:len(old)-1]
	return d
}
