package replay

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
)

// longestCompleting is the longest time, in seconds, that nodes are taken to need between the
// end of a job and the next: what takes longer has other reasons.
const longestCompleting = 15

// completing finds how long the nodes of each job were completing after its end, which nothing
// records: Slurm's main scheduler looks as soon as they are free again, and if it started a
// job there that waited, that is when. The backfill scheduler may have been later. Where no
// job tells, it is the median of the others. With CompleteWait other nodes that are completing put off that look, too,
// so only ends count beside which there was no other.
func (s *Study) completing() {
	if s.placement == nil {
		return
	}
	told := len(s.Scheduler.Backfills) > 0 && s.toldCompleting()
	if wait := s.Scheduler.CompleteWait; wait > 0 && !told {
		s.Notes = append(s.Notes, plural.Sprintf("CompleteWait=%d is left out: nothing tells how long nodes were completing.", wait))
	}
}

// toldCompleting is completing. It returns false if no job tells.
func (s *Study) toldCompleting() bool {
	order := make([]int32, len(s.Jobs)) // by start
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Jobs[a].Start, s.Jobs[b].Start), cmp.Compare(a, b))
	})
	ends := make([]ostrich.Time, len(s.Jobs))
	for i := range ends {
		ends[i] = s.Jobs[i].ended()
	}
	slices.Sort(ends)
	wait := ostrich.Time(s.Scheduler.CompleteWait)
	alone := func(end, until ostrich.Time) bool {
		from, _ := slices.BinarySearch(ends, end-wait)
		to, _ := slices.BinarySearch(ends, until+1)
		return wait == 0 || to-from == 1
	}
	before := make([][]int32, len(s.placement.cluster.Nodes)) // by node: jobs after whose end nobody has started there yet
	most := make([]ostrich.Time, len(s.Jobs))                 // what the next job on its nodes leaves
	known := make([]bool, len(s.Jobs))
	for i := range most {
		most[i] = longestCompleting
	}
	for _, i := range order {
		next := &s.Jobs[i]
		for _, n := range s.ranOn(int(i)) {
			before[n] = slices.DeleteFunc(before[n], func(k int32) bool {
				j := &s.Jobs[k]
				lag := next.Start - j.ended()
				if lag < 0 {
					return false
				}
				if lag < most[k] || lag == most[k] && !next.backfilled {
					most[k], known[k] = lag, !next.backfilled && next.Submit <= next.Start-lag && alone(next.Start-lag, next.Start)
				}
				return true
			})
			if !next.open {
				before[n] = append(before[n], i)
			}
		}
	}
	var told []ostrich.Time
	for i := range known {
		if known[i] {
			told = append(told, most[i])
		}
	}
	if len(told) == 0 {
		return false
	}
	slices.Sort(told)
	usual := told[len(told)/2]
	for i := range s.Jobs {
		if !known[i] {
			most[i] = min(most[i], usual)
		}
		s.Jobs[i].Completing = int32(most[i])
	}
	return true
}

func (j *Job) ended() ostrich.Time { return j.Start + ostrich.Time(j.Run) + j.Suspended }

// whereRan returns the nodes on which a job ran, as Slurm lists them; "" if they are not known.
func (p *placement) whereRan(j *Job) string {
	return p.history.WhereRan(&accounting.Job{Where: j.where})
}

// ranOn returns the places of the nodes where a job ran, none if some of them are no more.
func (s *Study) ranOn(i int) []int {
	list, err := s.placement.list(s.placement.whereRan(&s.Jobs[i]))
	if err != nil {
		return nil
	}
	return list
}
