package replay

import "slurm-ostrich/ostrich"

// ageArrays finds the age of tasks of arrays that came later than others, as the array's own limit of running tasks (%N) let them:
// a task has that of the array's record, from which it is split when it starts (job_mgr.c, job_array_split).
func (s *Study) ageArrays() {
	type array struct {
		id   ostrich.JobID
		came ostrich.Time // a task that was requeued came later, and begins anew
	}
	first := make(map[array]ostrich.Time)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Array != 0 {
			came := j.Submit - ostrich.Time(j.aged) // it may have waited when the window began
			if at, is := first[array{j.Array, j.came}]; !is || came < at {
				first[array{j.Array, j.came}] = came
			}
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Array != 0 {
			j.aged = ostrich.Duration(j.Submit - first[array{j.Array, j.came}])
		}
	}
}
