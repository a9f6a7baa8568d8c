package ostrich

import "slurm-ostrich/ostrich/sharing"

// elapsed is how long a task of the job has run by the given time.
func (j *job) elapsed(now Time) Duration {
	if !j.running {
		return 0
	}
	if j.paused != 0 {
		now = j.paused
	}
	return Duration(now-j.Start) - j.rested
}

// waits is what one task of a job counts for that has not started: nothing while
// the job is kept back.
func (j *job) waits() Duration {
	if j.held {
		return 0
	}
	return j.expect
}

// known is what one task of a job counts for, or will count for when it is released.
func (j *job) known() Duration {
	if j.held {
		return j.expect
	}
	return j.length
}

// remaining is the work of a job that has not ended.
func (j *job) remaining() sharing.Left {
	size := int64(j.takes())
	switch {
	case !j.running:
		return sharing.Remains(int64(j.length), size, false)
	case j.paused != 0:
		return sharing.Remains(int64(j.length-j.elapsed(j.paused)), size, false)
	default:
		return sharing.Remains(int64(j.length+j.rested)+int64(j.Start), size, true)
	}
}

// recount replaces what is left of a job after a change to it.
func (s *Schedule) recount(j *job, now sharing.Left) {
	s.tree.Recount(&j.stage.Stage, j.left, now)
	j.left = now
}
