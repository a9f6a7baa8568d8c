package grid

import "slurm-ostrich/ostrich"

// line is what waits: in the order that a comparison gives, equals by number, or
// first in, first out without a comparison.
type line[V numbered] struct {
	first func(a, b V) int
	list  []V // a heap with first
	gone  int // of a line without first, those taken from the front
}

// numbered is a view of a task or a processor.
type numbered interface{ number() int32 }

func (l *line[V]) len() int { return len(l.list) - l.gone }

func (l *line[V]) before(a, b V) bool {
	if c := l.first(a, b); c != 0 {
		return c < 0
	}
	return a.number() < b.number()
}

func (l *line[V]) push(v V) {
	l.list = append(l.list, v)
	if l.first == nil {
		return
	}
	s, i := l.list, len(l.list)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !l.before(v, s[parent]) {
			break
		}
		s[i], i = s[parent], parent
	}
	s[i] = v
}

// pop takes the first out; there is one.
func (l *line[V]) pop() V {
	if l.first == nil {
		v := l.list[l.gone]
		if l.gone++; l.gone > len(l.list)/2 {
			l.list, l.gone = append(l.list[:0], l.list[l.gone:]...), 0
		}
		return v
	}
	s := l.list
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	l.list = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && l.before(s[child+1], s[child]) {
			child++
		}
		if !l.before(s[child], last) {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = last
	return top
}

// ending is when a copy of a task ends on a processor.
type ending struct {
	at         ostrich.Time
	proc, task int32
}

// endings is a binary heap by time, ties by task as ostrich.Compare has them, and
// then by processor. A line would take twice as long.
type endings []ending

func (a ending) before(b ending) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.task < b.task || a.task == b.task && a.proc < b.proc
}

func (h *endings) push(e ending) {
	*h = append(*h, e)
	s, i := *h, len(*h)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(s[parent]) {
			break
		}
		s[i], i = s[parent], parent
	}
	s[i] = e
}

func (h *endings) pop() ending {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) > 0 {
		i := 0
		for {
			child := 2*i + 1
			if child >= len(s) {
				break
			}
			if child+1 < len(s) && s[child+1].before(s[child]) {
				child++
			}
			if !s[child].before(last) {
				break
			}
			s[i], i = s[child], child
		}
		s[i] = last
	}
	return top
}

// places are the times at which the processors of a cluster are expected to be
// free, as a heap.
type places []ostrich.Time

// replace puts a later time in the place of the earliest.
func (h places) replace(t ostrich.Time) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[child] >= t {
			break
		}
		h[i], i = h[child], child
	}
	h[i] = t
}
