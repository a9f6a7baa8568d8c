package priority

import "slurm-ostrich/ostrich/scalar"

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
	place := make([]struct{ pool, rank int32 }, len(p.Entries)) // of the managed jobs, by Slurm's rank
	for i := range p.Entries {
		e := &p.Entries[i]
		if i < p.Managed {
			at := &place[e.SlurmRank-1]
			at.pool, at.rank = e.pool, int32(e.Rank)
		}
		if e.Write {
			s.Writes++
		}
		if e.Undone {
			s.Undone++
		}
	}
	pools := make([][]int32, max(1, p.pools)) // ranks of managed jobs, from 0, as Slurm has them
	for _, at := range place {
		if at.rank > 0 {
			pools[at.pool] = append(pools[at.pool], at.rank-1)
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
		wrong += scalar.Inversions(ranks)
	}
	s.KendallTau = 1
	if pairs > 0 {
		s.KendallTau = 1 - 2*float64(wrong)/pairs
	}
	return s
}
