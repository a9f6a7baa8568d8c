package grid

import (
	"cmp"

	"slurm-ostrich/ostrich"
)

// entry is a task, a processor or a bag in a line.
type entry[K cmp.Ordered] struct {
	key           K
	number, other int32
}

func (a *entry[K]) before(b *entry[K]) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.number < b.number || a.number == b.number && a.other < b.other
}

// line is what waits: the least key first, of equal keys the least number and then the
// least other; or first in, first out if it is not sorted.
type line[K cmp.Ordered] struct {
	sorted bool
	list   []entry[K] // a heap if it is sorted
	gone   int        // of a line that is not, those taken from the front
}

func (l *line[K]) len() int { return len(l.list) - l.gone }

func (l *line[K]) push(e entry[K]) {
	l.list = append(l.list, e)
	if !l.sorted {
		return
	}
	s, i := l.list, len(l.list)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&s[parent]) {
			break
		}
		s[i], i = s[parent], parent
	}
	s[i] = e
}

// pop takes the first out; there is one.
func (l *line[K]) pop() entry[K] {
	first := l.list[l.gone]
	if !l.sorted {
		if l.gone++; l.gone > len(l.list)/2 {
			l.list, l.gone = append(l.list[:0], l.list[l.gone:]...), 0
		}
		return first
	}
	last := len(l.list) - 1
	s, i, e := l.list[:last], 0, l.list[last]
	l.list = s
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && s[child+1].before(&s[child]) {
			child++
		}
		if !s[child].before(&e) {
			break
		}
		s[i], i = s[child], child
	}
	if last > 0 {
		s[i] = e
	}
	return first
}

// places are the times at which the processors of a cluster are expected to be
// free, as a heap. With a line, ECT-P would take half as long again.
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
