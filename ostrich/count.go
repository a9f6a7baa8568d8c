package ostrich

// enqueue puts a job among the pending ones of a stage.
func (s *Schedule) enqueue(j *job, g *stage) {
	if j.listed && j.stage == g {
		g.compact() // a requeued job may still be there, as one that left
	}
	j.stage, j.queued, j.listed, j.able = g, true, true, s.now
	if g.queued() == 0 || g.held > 0 {
		s.waiting.touch(g)
	}
	g.pending = append(g.pending, j)
	g.unsorted = true
	s.version++
}

// dequeue removes a job from the pending ones.
func (s *Schedule) dequeue(j *job) {
	j.queued = false
	j.stage.gone++
	if j.stage.queued() == 0 {
		s.waiting.drop(j.stage)
	} else if j.stage.held > 0 {
		s.waiting.touch(j.stage) // what is left of it may all be kept back
	}
	if j.stage.gone > len(j.stage.pending)/2 {
		j.stage.compact()
	}
	s.version++
}

// count makes each task of a job count for d seconds from now on.
func (s *Schedule) count(j *job, d Duration) { s.revise(j, &j.Job, d) }

// revise makes a job count for what is known of it from now on. The change is
// made at once: work taken away and given back would be served twice. It returns
// how many tasks there are more.
func (s *Schedule) revise(j *job, as *Job, d Duration) (more int) {
	more = as.Count() - j.Count()
	j.owner().tasks += more
	before := j.area(j.length)
	j.Tasks, j.Procs, j.Size, j.Estimate, j.Partition = as.Tasks, as.Procs, as.Size, as.Estimate, as.Partition
	j.Class, j.Hint = as.Class, as.Hint
	j.length = d
	s.recount(j, j.remaining())
	s.tree.Add(&j.stage.Stage, j.area(d)-before)
	return more
}

// occupy changes how much of the machine is busy.
func (s *Schedule) occupy(u *user, size int) {
	if s.options.Memory > 0 {
		u.remember(s.tree.Moment(), s.options.Memory)
	}
	s.tree.Occupy(&u.Line, size)
	u.busy += size
}
