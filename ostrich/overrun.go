package ostrich

import "slurm-ostrich/ostrich/lengths"

// await notes when a running job will have run as long as it counts for.
func (s *Schedule) await(j *job) {
	j.due = s.now + Time(max(0, j.length-j.elapsed(s.now)))
	if j.place < 0 {
		s.overruns = append(s.overruns, j)
		s.overruns.up(len(s.overruns)-1, j)
	} else {
		s.overruns.fix(j)
	}
}

// forgo undoes await.
func (s *Schedule) forgo(j *job) {
	if j.place < 0 {
		return
	}
	h := s.overruns
	last := h[len(h)-1]
	h[len(h)-1] = nil
	s.overruns = h[:len(h)-1]
	if last != j {
		last.place = j.place
		s.overruns.fix(last)
	}
	j.place = -1
}

// outlive makes the job that is due first count for more, see lengths.More.
func (s *Schedule) outlive() {
	j := s.overruns[0]
	s.tree.Change(float64(j.due))
	elapsed := j.elapsed(j.due)
	more := lengths.More(elapsed, j.Estimate)
	s.count(j, elapsed+more)
	j.due += Time(more)
	s.overruns.fix(j)
}

// dueHeap is a binary heap of running jobs by the time at which they outlive
// their length, ties by job id. Each job knows its place.
type dueHeap []*job

func (j *job) before(o *job) bool { return j.due < o.due || j.due == o.due && j.ID < o.ID }

// fix moves a job from its place to where it belongs.
func (h dueHeap) fix(j *job) {
	if !h.down(j.place, j) {
		h.up(j.place, j)
	}
}

// up puts a job into the free place i or above it.
func (h dueHeap) up(i int, j *job) {
	for i > 0 {
		parent := (i - 1) / 2
		if !j.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		h[i].place = i
		i = parent
	}
	h[i] = j
	j.place = i
}

// down puts a job into the free place i or below it, and reports whether below.
func (h dueHeap) down(i int, j *job) bool {
	from := i
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(j) {
			break
		}
		h[i] = h[child]
		h[i].place = i
		i = child
	}
	h[i] = j
	j.place = i
	return i > from
}
