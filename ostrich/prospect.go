package ostrich

import (
	"cmp"
	"slices"
)

// Prospect is what a job that has not ended is expected to do, for those who plan.
type Prospect struct {
	Job    JobID
	Procs  int      // of a task
	Tasks  int      // at least 1
	Length Duration // a pending task's expected length; for how much longer one that runs is expected to run; at least 1
	Since  Time     // when it could first start, or its start
	Held   bool     // it is pending and cannot start, see Hold
}

// Prospect returns the prospect of a pending job. It returns false if the job is not
// known or not pending.
func (s *Schedule) Prospect(id JobID) (Prospect, bool) {
	j := s.jobs.get(id)
	if j == nil || !j.queued {
		return Prospect{}, false
	}
	return Prospect{
		Job: id, Procs: j.Procs, Tasks: j.Count(), Length: max(1, j.known()), Since: j.able, Held: j.held,
	}, true
}

// Running returns the prospects of the running jobs, by id. One that is suspended holds
// no processors and is not among them.
func (s *Schedule) Running() []Prospect {
	var list []Prospect
	for j := range s.jobs.all() {
		if j.running && j.paused == 0 {
			list = append(list, Prospect{
				Job: j.ID, Procs: j.Procs, Tasks: j.Count(), Length: max(1, j.length-j.elapsed(s.now)), Since: j.Start,
			})
		}
	}
	slices.SortFunc(list, func(a, b Prospect) int { return cmp.Compare(a.Job, b.Job) })
	return list
}
