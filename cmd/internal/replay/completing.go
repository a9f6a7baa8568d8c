package replay

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// longestCompleting is the longest time, in seconds, that nodes are taken to need between the
// end of a job and the next: what takes longer has other reasons.
const longestCompleting = 15

// completing finds how long the nodes of each job were completing after its end, which nothing
// records: Slurm's main scheduler looks as soon as they are free again, and if it started a
// job there that waited, that is when. The backfill scheduler may have been later. Where no
// job tells, it is the median of the others.
func (s *Study) completing() {
	if s.placement == nil || len(s.Scheduler.Backfills) == 0 {
		return
	}
	begin := make([][]int, len(s.placement.cluster.Nodes)) // by node: the jobs that ran there, by start
	for i := range s.Jobs {
		for _, n := range s.ranOn(i) {
			begin[n] = append(begin[n], i)
		}
	}
	for n := range begin {
		slices.SortFunc(begin[n], func(a, b int) int {
			return cmp.Or(cmp.Compare(s.Jobs[a].Start, s.Jobs[b].Start), cmp.Compare(a, b))
		})
	}
	most := make([]ostrich.Time, len(s.Jobs)) // what the next job on its nodes leaves
	var told []ostrich.Time
	known := make([]bool, len(s.Jobs))
	for i := range s.Jobs {
		j := &s.Jobs[i]
		most[i] = longestCompleting
		if j.open {
			continue
		}
		end := j.Start + ostrich.Time(j.Run) + j.Suspended
		for _, n := range s.ranOn(i) {
			at, _ := slices.BinarySearchFunc(begin[n], end, func(k int, end ostrich.Time) int { return cmp.Compare(s.Jobs[k].Start, end) })
			later := begin[n][at:]
			if len(later) > 0 && later[0] == i { // it ended in the second in which it began
				later = later[1:]
			}
			if len(later) == 0 {
				continue
			}
			next := &s.Jobs[later[0]]
			if lag := next.Start - end; lag < most[i] || lag == most[i] && !next.backfilled {
				most[i], known[i] = lag, !next.backfilled && next.Submit <= end
			}
		}
		if known[i] {
			told = append(told, most[i])
		}
	}
	if len(told) == 0 {
		return
	}
	slices.Sort(told)
	usual := told[len(told)/2]
	for i := range s.Jobs {
		if !known[i] {
			most[i] = min(most[i], usual)
		}
		s.Jobs[i].Completing = int32(most[i])
	}
}

// ranOn returns the places of the nodes where a job ran.
func (s *Study) ranOn(i int) []int {
	list, err := s.placement.list(s.Jobs[i].ranOn)
	if err != nil {
		return nil // it was read before
	}
	return list
}
