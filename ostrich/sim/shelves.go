package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// shelves arrange the queue of a replay on nodes by request: its slots are those of one request after the other, in the
// order within each. A pass that finds no nodes for a job then goes by all that ask for the same.
type shelves struct {
	order []int32         // by slot, the place in the order of all jobs
	shelf []int32         // by slot
	ends  []int           // by shelf, behind its last slot
	from  []int           // by shelf, no job waits in front of it
	wants [][]*nodes.Want // by shelf
	long  []bool          // by shelf, no nodes for jobs that run beyond the shadow time
	next  moments         // of shelves, the place in the order and the slot of the job that is looked at next
}

// shelve arranges jobs whose places in the order are given, each another. It returns their slots.
func (f *floor) shelve(jobs []*Job, places []int32) (s *shelves, slots []int32) {
	n := len(jobs)
	s = &shelves{order: make([]int32, n), shelf: make([]int32, n)}
	shelf := make([]int32, n) // by job
	byProcs, byRequest := make(map[int]int32), make([]int32, len(f.requests)+1)
	last := int32(0)
	for i, j := range jobs {
		k := byRequest[j.Request]
		if j.Request == 0 {
			k = byProcs[j.Procs]
		}
		if k == 0 {
			s.ends = append(s.ends, 0)
			k = int32(len(s.ends))
			s.wants = append(s.wants, f.of(j))
			if byRequest[j.Request] = k; j.Request == 0 {
				byProcs[j.Procs] = k
			}
		}
		shelf[i] = k - 1
		s.ends[k-1]++
		last = max(last, places[i])
	}
	begin := 0 // ends are filled up to the end from here on
	for k, count := range s.ends {
		s.ends[k] = begin
		begin += count
	}
	inOrder := make([]int32, last+1)
	for i, place := range places {
		inOrder[place] = int32(i + 1)
	}
	slots = make([]int32, n)
	for place, number := range inOrder {
		if number == 0 {
			continue
		}
		k := shelf[number-1]
		slot := s.ends[k]
		s.ends[k]++
		slots[number-1], s.order[slot], s.shelf[slot] = int32(slot), int32(place), k
	}
	s.long, s.from = make([]bool, len(s.ends)), slices.Clone(s.ends)
	return s, slots
}

// comes records that a job waits in a slot.
func (s *shelves) comes(slot int) {
	k := s.shelf[slot]
	s.from[k] = min(s.from[k], slot)
}

// first returns the slot of the first job that waits on a shelf; -1 if none does.
func (s *shelves) first(q *queue, k int) int {
	slot, end := s.from[k], s.ends[k]
	if slot < end && !q.has(slot) {
		if slot = q.after(slot); slot < 0 || slot > end {
			slot = end
		}
		s.from[k] = slot
	}
	if slot == end {
		return -1
	}
	return slot
}

// head returns the slot of the first job of all that wait; -1 if none does.
func (s *shelves) head(q *queue) int {
	head := -1
	for k := range s.ends {
		if slot := s.first(q, k); slot >= 0 && (head < 0 || s.order[slot] < s.order[head]) {
			head = slot
		}
	}
	return head
}

// through starts jobs in their order.
func (s *shelves) through(f *filling) error {
	s.next = s.next[:0]
	clear(s.long)
	if f.placed.limited { // the head may be one behind those that limits keep
		for k := range s.ends {
			s.goOn(f, int32(k), s.first(f.waiting, k))
		}
	} else if err := s.heads(f); err != nil {
		return err
	}
	for len(s.next) > 0 && !f.done() {
		slot := int(s.next.pop())
		i, k := f.waiting.job(slot), s.shelf[slot]
		if f.blocked {
			if f.hopeless(s.wants[k]) {
				continue
			}
			f.keep()
			if !s.might(f, i, k) { // there is less room than there was
				s.goOn(f, k, slot+1)
				continue
			}
		}
		switch f.finds(i) {
		case nodesFound:
			f.waiting.remove(slot)
			if err := f.begin(i); err != nil {
				return err
			}
		case noNodes:
			continue
		case noNodesForLong:
			s.long[k] = true
		case othersMayFind:
		}
		s.goOn(f, k, slot+1)
	}
	return nil
}

// heads starts jobs in their order up to one that finds no nodes, and lists those that might start beside that.
func (s *shelves) heads(f *filling) error {
	for !f.done() {
		slot := s.head(f.waiting)
		if slot < 0 {
			return nil
		}
		i := f.waiting.job(slot)
		if what := f.finds(i); what != nodesFound {
			s.beside(f, s.shelf[slot])
			if what == othersMayFind {
				s.goOn(f, s.shelf[slot], slot+1)
			}
			return nil
		}
		f.waiting.remove(slot)
		if err := f.begin(i); err != nil {
			return err
		}
	}
	return nil
}

// beside lists the jobs that might start beside the head, but for those of its shelf.
func (s *shelves) beside(f *filling, but int32) {
	if f.done() {
		return
	}
	for k, wants := range s.wants {
		if slot := s.first(f.waiting, k); slot >= 0 && int32(k) != but && !f.hopeless(wants) {
			f.keep()
			s.goOn(f, int32(k), slot)
		}
	}
}

// goOn looks for the next job of a shelf that might start, from a slot on.
func (s *shelves) goOn(f *filling, k int32, slot int) {
	switch {
	case slot < 0:
	case !f.blocked || f.head >= 0: // the room is not known
		slot = f.waiting.after(slot)
	default:
		room := s.room(f, k)
		slot = room.next(f.waiting, slot, f.now)
	}
	if slot >= 0 && slot < s.ends[k] {
		s.next.push(moment{at: ostrich.Time(s.order[slot]), number: int32(slot)})
	}
}

// might reports whether there is room for a job of a shelf, as far as processors tell.
func (s *shelves) might(f *filling, i, k int32) bool {
	j, room := f.jobs[i], s.room(f, k)
	return j.Procs <= room.Until(f.now+ostrich.Time(j.Estimate))
}

// room is that for jobs of a shelf.
func (s *shelves) room(f *filling, k int32) Room {
	room := f.room
	if s.long[k] {
		room.Extra = 0
	}
	return room
}
