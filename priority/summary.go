package priority

// Summary counts what a plan does.
type Summary struct {
	Pending int // records of the queue
	Managed int // those with a rank
	Up      int // managed jobs that come before where Slurm has them now, among the managed
	Down    int // those that come after it
	// KendallTau is the rank correlation between Slurm's present order of the
	// managed jobs and the one wanted: 1 for the same, -1 for the reverse, 1
	// for fewer than two jobs.
	KendallTau float64
	Writes     int
	Undone     int // records whose priority is not the one that was written, see Entry.Undone
}

// Summary counts what the plan does. O(n log n).
func (p Plan) Summary() Summary {
	s := Summary{Pending: len(p.Entries), Managed: p.Managed}
	place := make([]int32, len(p.Entries)) // by Slurm's rank, the rank of a managed job
	for i := range p.Entries {
		e := &p.Entries[i]
		if i < p.Managed {
			place[e.SlurmRank-1] = int32(i) + 1
		}
		if e.Write {
			s.Writes++
		}
		if e.Undone {
			s.Undone++
		}
	}
	byslurm := make([]int32, 0, p.Managed) // indexes of managed jobs, as Slurm has them
	for _, rank := range place {
		if rank > 0 {
			byslurm = append(byslurm, rank-1)
		}
	}
	for at, i := range byslurm {
		switch {
		case int(i) < at:
			s.Up++
		case int(i) > at:
			s.Down++
		}
	}
	s.KendallTau = 1
	if n := p.Managed; n > 1 {
		pairs := float64(n) * float64(n-1) / 2
		s.KendallTau = 1 - 2*float64(inversions(byslurm, make([]int32, n)))/pairs
	}
	return s
}

// inversions counts the pairs that stand in the wrong order, and sorts a.
func inversions(a, buf []int32) int64 {
	if len(a) < 2 {
		return 0
	}
	mid := len(a) / 2
	n := inversions(a[:mid], buf[:mid]) + inversions(a[mid:], buf[mid:])
	copy(buf, a)
	left, right := buf[:mid], buf[mid:]
	for i := range a {
		if len(right) == 0 || (len(left) > 0 && left[0] <= right[0]) {
			a[i], left = left[0], left[1:]
		} else {
			a[i], right = right[0], right[1:]
			n += int64(len(left))
		}
	}
	return n
}
