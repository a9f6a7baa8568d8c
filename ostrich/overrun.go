package ostrich

// minute is Slurm's own unit for limits.
const minute Duration = 60

// overrun is how much more a job counts for when it outlives its length: a minute,
// and a sixteenth once it has run long, so that a job that Slurm lost costs few
// steps however old it is. In steps, because a length that grew at every look
// would depend on how often one looks.
func overrun(elapsed Duration) Duration {
	return max(minute, elapsed/16/minute*minute)
}

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

// await notes when a running job will have run as long as it counts for.
func (s *Schedule) await(j *job) {
	j.due = s.now + Time(max(0, j.length-j.elapsed(s.now)))
	s.overruns.put(j)
}

// outlive lets the job that is due first count for max(elapsed, estimate),
// with elapsed rounded up by a step. A job that outlives a prediction is expected
// to run for as long again, up to its limit.
func (s *Schedule) outlive() {
	s.settled = false
	j := s.overruns[0]
	elapsed := j.elapsed(j.due)
	more := overrun(elapsed)
	if left := j.Estimate - elapsed; left > 0 {
		more = min(left, max(more, elapsed))
	}
	s.count(j, elapsed+more)
	j.due += Time(more)
	s.overruns.put(j)
}

// before sorts running jobs by the time at which they outlive their length, ties by id.
func (j *job) before(o *job) bool { return j.due < o.due || j.due == o.due && j.ID < o.ID }

func (j *job) place() *int { return &j.index }
