package priority

// Summary counts what a plan does.
type Summary struct {
	Pending int // records of the queue
	Managed int // those with a rank
	Up      int // managed jobs that come before where Slurm has them now, among the managed
	Down    int // those that come after it
	// KendallTau is the rank correlation between Slurm's present order of the
	// managed jobs and the one wanted: 1 for the same, -1 for the reverse, 1
	// for fewer than two jobs. As Up and Down, it compares jobs of one pool.
	KendallTau float64
	Writes     int
	Undone     int // records whose priority is not the one that was written, see Entry.Undone
}

// Summary counts what the plan does. O(n log n).
func (p Plan) Summary() Summary {
	s := Summary{Pending: len(p.Entries), Managed: p.Managed}
	place := make([]int32, len(p.Entries)) // by Slurm's rank, the place of a managed job
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
	pools := make([][]int32, max(1, p.pools)) // ranks of managed jobs, from 0, as Slurm has them
	for _, i := range place {
		if i > 0 {
			e := &p.Entries[i-1]
			pools[e.pool] = append(pools[e.pool], int32(e.Rank-1))
		}
	}
	var wrong int64
	var pairs float64
	for _, ranks := range pools {
		for at, rank := range ranks {
			switch {
			case int(rank) < at:
				s.Up++
			case int(rank) > at:
				s.Down++
			}
		}
		n := float64(len(ranks))
		pairs += n * (n - 1) / 2
		wrong += inversions(ranks, make([]int32, len(ranks)))
	}
	s.KendallTau = 1
	if pairs > 0 {
		s.KendallTau = 1 - 2*float64(wrong)/pairs
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
