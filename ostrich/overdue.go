package ostrich

import "container/heap"

// minute is Slurm's own unit for limits.
const minute Duration = 60

// overrun is how much more a job counts for when it outlives its length: a minute,
// and a sixteenth once it has run long, so that a job that Slurm lost costs few
// steps however old it is. In steps, because a length that grew at every look
// would depend on how often one looks.
func overrun(elapsed Duration) Duration {
	return max(minute, elapsed/16/minute*minute)
}

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
	if j.place < 0 {
		heap.Push(&s.overdue, j)
	} else {
		heap.Fix(&s.overdue, j.place)
	}
}

// forgo forgets it again.
func (s *Schedule) forgo(j *job) {
	if j.place >= 0 {
		heap.Remove(&s.overdue, j.place)
	}
}

// outlive lets the job that is due first count for max(elapsed, estimate),
// with elapsed rounded up by a step.
func (s *Schedule) outlive() {
	j := s.overdue[0]
	elapsed := j.elapsed(j.due)
	more := overrun(elapsed)
	s.count(j, elapsed+more)
	j.due += Time(more)
	heap.Fix(&s.overdue, 0)
}

// dueHeap orders running jobs by the time at which they outlive their length,
// ties by job id.
type dueHeap []*job

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return a.due < b.due || a.due == b.due && a.ID < b.ID
}

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *dueHeap) Push(x any) {
	j := x.(*job) // only jobs are pushed
	j.place = len(*h)
	*h = append(*h, j)
}

func (h *dueHeap) Pop() any {
	old := *h
	last := len(old) - 1
	j := old[last]
	j.place = -1
	old[last] = nil
	*h = old[:last]
	return j
}
