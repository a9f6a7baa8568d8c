package ostrich

import "slices"

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

// keep marks a job as kept back, or as free to start.
func (j *job) keep(back bool) {
	if j.held == back {
		return
	}
	d := -1
	if back {
		d = 1
	}
	j.held = back
	j.stage.held += d
	j.stage.campaign.held += d
	j.stage.campaign.user.open -= d
}

// hold keeps a pending job back. Its work leaves its campaign, as if the job had
// been cancelled; what it was served is the rest of the campaign's then, or goes
// the way of all service beyond the work.
func (s *Schedule) hold(j *job) {
	if j == nil || j.held || j.running {
		return
	}
	u, g := s.syncOwner(j), j.stage
	j.keep(true)
	g.unsorted = true
	s.count(j, 0)
	s.leaves(u)
	s.waiting.touch(g)
	if g.work == 0 {
		g.vain, g.began = true, notYet
	}
	if c := g.campaign; c.held == c.open && c.ran == 0 {
		c.since = notYet
	}
	s.version++
}

// release lets a job start that was kept back. Its work joins its campaign as
// that of a job submitted now would: what it waited for, it was not served.
func (s *Schedule) release(j *job) {
	if j == nil || !j.held {
		return
	}
	u := s.syncOwner(j)
	old, c := j.stage, j.stage.campaign
	first := old.open == old.held // nothing of its stage could start before
	j.keep(false)
	j.able, old.unsorted = s.now, true
	s.begin(c)
	g := s.stageFor(c)
	if g.open == 0 || g == old && first {
		g.since = s.now
	}
	g.joined = s.now
	if g != old {
		s.dequeue(j)
		old.compact()
		old.open--
		g.open++
		s.enqueue(j, g)
	}
	s.count(j, j.expect)
	s.waiting.touch(old)
	s.waiting.touch(g)
	u.sweep()
	s.version++
}

// kept is the work of a stage in which nothing pending can start: what would be
// ahead of it if it were released now. It distinguishes such stages in the order.
func (g *stage) kept() Work {
	if g.held == 0 || g.held < g.queued() {
		return 0
	}
	var sum Work
	for _, j := range g.pending {
		if j.queued {
			sum += j.area(j.expect)
		}
	}
	return sum
}

// Kept returns the pending jobs that cannot start, by id, see Hold.
func (s *Schedule) Kept() []JobID {
	var ids []JobID
	for j := range s.jobs.all() {
		if j.held {
			ids = append(ids, j.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
