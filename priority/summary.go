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
	managed := p.Entries[:p.Managed]
	s := Summary{Pending: len(p.Entries), Managed: len(managed)}
	place := make([]int32, len(p.Entries)) // by Slurm's rank, the rank of a managed job
	for i := range managed {
		place[managed[i].SlurmRank-1] = int32(i) + 1
		if managed[i].Write {
			s.Writes++
		}
	}
	for i := range p.Entries[p.Managed:] {
		if p.Entries[p.Managed+i].Write {
			s.Writes++
		}
	}
	for i := range p.Entries {
		if p.Entries[i].Undone {
			s.Undone++
		}
	}
	byslurm := make([]int32, 0, len(managed)) // indexes into managed, as Slurm has them
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
	if n := len(managed); n > 1 {
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
