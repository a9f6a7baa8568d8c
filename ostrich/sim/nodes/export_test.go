package nodes

// GRES returns how many generic resources a job has of each of its nodes, by kind.
func (a *Allocation) GRES() []int64 { return a.gres }

// Kept returns the CPUs and the memory that will be in use of each node of the head at the shadow time.
func (s *Stock) Kept() map[int][2]int {
	kept := make(map[int][2]int)
	for _, r := range s.head {
		kept[int(r.node)] = [2]int{int(r.use.cpus), int(r.use.memory)}
	}
	return kept
}

// WillRunNow reports whether a job could start now if the victims left.
func (c *Chooser) WillRunNow(w *Want, f *Floor, l *Load, victims []Victim) (bool, *Allocation) {
	_, a, ok := c.WillRun(w, 2, f.All(), l, Moment{OnlyNow: true, Victims: victims})
	return ok, a
}

// Finds reports whether a look at all nodes finds some for a job, whatever was found before.
func (s *Stock) Finds(w *Want, long bool) bool {
	switch {
	case s.stale:
		return s.place(w, 1, s.now, s.now) != nil
	case long:
		return s.place(w, 1, s.kept, s.kept) != nil
	}
	return s.place(w, 1, s.now, s.kept) != nil
}

// Freed returns how many nodes are remembered that jobs have left.
func (s *Stock) Freed() int { return len(s.freed) }

// Recall has the next reservation made from nothing.
func (s *Stock) Recall() { s.recall() }
