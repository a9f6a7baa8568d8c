package nodes

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// gone is a running job that is expected to be gone at the shadow time.
type gone struct {
	*Allocation
	end ostrich.Time // 0 is not known
}

// Reserve makes EASY's reservation for a job that finds no nodes now: at the shadow time it finds some, if
// the running jobs end as expected. Job i of those, in the order of their ends, is running(i), and after the
// last there is none. It takes nodes first that have more free then than now.
func (s *Stock) Reserve(w *Want, user uint32, now ostrich.Time, running func(i int) (ostrich.Time, *Allocation)) (shadow ostrich.Time) {
	head, shadow := s.same(w, user, now), s.shadow
	if head == nil {
		s.recall()
		head, shadow = s.search(w, user, now, running)
	}
	if head != nil && s.keeps(head) {
		s.stale = false
		s.Reuse(head)
		return shadow
	}
	former := s.head
	s.head, s.former, s.stale = s.former[:0], former, false
	for i := range former {
		s.headOf[former[i].node] = 0
	}
	if head != nil {
		s.reserve(head)
		s.Reuse(head)
	}
	for i := range former {
		if n := former[i].node; s.headAt(n) == nil && s.keep(n, nil) {
			s.free(n)
		}
	}
	for i := range s.head {
		if n := s.head[i].node; s.keep(n, &s.head[i].use) {
			s.free(n)
		}
	}
	return shadow
}

// search finds the shadow time of a head and what it has then, nil for nothing.
func (s *Stock) search(w *Want, user uint32, now ostrich.Time, running func(i int) (ostrich.Time, *Allocation)) (head *Allocation, shadow ostrich.Time) {
	shadow = now
	could := s.most(w, user)
	end, a := running(0)
	for a != nil && head == nil {
		shadow = max(shadow, end)
		for a != nil && end <= shadow {
			s.release(w, user, a, end, &could)
			end, a = running(len(s.gone))
		}
		if len(w.count) > 0 || could.enough(w) {
			if head = s.place(w, user, s.later, s.now); len(w.count) == 0 && len(w.sets) == 1 {
				could = s.room // which may have been more than there is
			}
		}
	}
	if s.standing, s.shadow = w, shadow; head == nil {
		s.recall()
	}
	return head, shadow
}

// same returns what the head has at the shadow time if that is the same as when its reservation was made before; nil if that is not known.
// At the last end before it there must be no room, as then there was none at any other one.
func (s *Stock) same(w *Want, user uint32, now ostrich.Time) *Allocation {
	if s.standing != w || s.shadow <= now || s.now.users != nil || len(w.count) > 0 || len(w.sets) > 1 {
		return nil
	}
	if !slices.ContainsFunc(s.gone, func(g gone) bool { return g.end == s.shadow }) {
		return nil
	}
	head := s.place(w, user, s.later, s.now)
	if head == nil {
		return nil
	}
	before := s.room
	for _, g := range s.gone {
		if g.end == s.shadow {
			s.shift(w, user, g.Allocation, 1, &before)
		}
	}
	for _, g := range s.gone {
		if g.end == s.shadow {
			s.later.Remove(g.Allocation)
		}
	}
	if before.enough(w) {
		s.Reuse(head)
		return nil
	}
	return head
}

// most is no less than what all nodes offer to a job now.
func (s *Stock) most(w *Want, user uint32) room {
	if m := &w.missed[0]; s.now.users == nil && s.knows(m) {
		s.look(w, m, s.now)
		return m.room
	}
	s.gather(w, user, s.now, s.now)
	return s.room
}

// release takes a running job away from the load of the shadow time, of which it adds to the room of another job.
func (s *Stock) release(w *Want, user uint32, a *Allocation, end ostrich.Time, could *room) {
	s.leaves(a, end)
	s.shift(w, user, a, -1, could)
}

// shift adds a job to the load of the shadow time, or takes it away, and changes the room of another job with it.
func (s *Stock) shift(w *Want, user uint32, a *Allocation, sign int32, could *room) {
	for _, n := range a.Nodes {
		could.add(-1, s.offered(w, user, s.later, n))
	}
	s.later.change(a, sign)
	for _, n := range a.Nodes {
		could.add(1, s.offered(w, user, s.later, n))
	}
}

// leaves records that a running job is gone at the shadow time.
func (s *Stock) leaves(a *Allocation, end ostrich.Time) {
	s.gone = append(s.gone, gone{a, end})
	a.gone = int32(len(s.gone))
	for _, n := range a.Nodes {
		if s.touched[n]++; s.touched[n] == 1 {
			s.part(s.kind[n], 1)
		}
	}
}

// stays takes a job from those that are gone at the shadow time.
func (s *Stock) stays(a *Allocation) {
	last := len(s.gone) - 1
	s.gone[a.gone-1] = s.gone[last]
	s.gone[a.gone-1].gone = a.gone
	s.gone = s.gone[:last]
	a.gone = 0
	for _, n := range a.Nodes {
		if s.touched[n]--; s.touched[n] == 0 {
			s.part(s.kind[n], -1)
		}
	}
}

// recall makes the load of the shadow time that of now.
func (s *Stock) recall() {
	for s.standing = nil; len(s.gone) > 0; {
		a := s.gone[len(s.gone)-1].Allocation
		s.stays(a)
		s.later.Add(a)
	}
}

// keeps reports whether just that is kept for the head already which it is to have.
func (s *Stock) keeps(head *Allocation) bool {
	if len(s.head) != len(head.Nodes) {
		return false
	}
	kinds := len(s.kinds)
	for i, n := range head.Nodes {
		r := &s.head[i]
		if r.node != n || r.use.cpus != s.later.cpus[n]+head.CPUs[i] || r.use.memory != s.later.memory[n]+head.Memory[i] {
			return false
		}
		for k, g := range r.use.gres {
			if head.gres != nil {
				g -= head.gres[i*kinds+k]
			}
			if g != s.later.gres[int(n)*kinds+k] {
				return false
			}
		}
	}
	return true
}

// reserve records the nodes of the head.
func (s *Stock) reserve(head *Allocation) {
	kinds := len(s.kinds)
	s.head = slices.Grow(s.head, len(head.Nodes))[:len(head.Nodes)]
	for i, n := range head.Nodes {
		r := &s.head[i] // with the memory of a former one
		r.node, r.use.cpus, r.use.memory = n, s.later.cpus[n]+head.CPUs[i], s.later.memory[n]+head.Memory[i]
		r.use.gres = append(r.use.gres[:0], s.later.gres[int(n)*kinds:int(n+1)*kinds]...)
		for k := range r.use.gres {
			if head.gres != nil {
				r.use.gres[k] += head.gres[i*kinds+k]
			}
		}
		s.headOf[n] = int32(i + 1)
	}
}
