package ostrich

import (
	"slices"

	"slurm-ostrich/ostrich/sharing"
)

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
	j.owner().Open -= d
}

// hold keeps a pending job back. Its work leaves its campaign, as if the job had
// been cancelled; what it was served is the rest of the campaign's then, or goes
// the way of all service beyond the work.
func (s *Schedule) hold(j *job) {
	if j == nil || j.held || j.running {
		return
	}
	u, g := j.owner(), j.stage
	j.keep(true)
	g.unsorted = true
	s.count(j, 0)
	s.tree.Leave(&u.Line)
	s.waiting.touch(g)
	g.Withdraw()
	if c := g.campaign; c.held == c.open && c.ran == 0 {
		c.since = sharing.NotYet
	}
	s.version++
}

// release lets a job start that was kept back. Its work joins its campaign as
// that of a job submitted now would: what it waited for, it was not served.
func (s *Schedule) release(j *job) {
	if j == nil || !j.held {
		return
	}
	u := j.owner()
	old, c := j.stage, j.stage.campaign
	first := old.Open == old.held // nothing of its stage could start before
	j.keep(false)
	j.able, old.unsorted = s.now, true
	s.begin(c)
	g := s.stageFor(c)
	if g.Open == 0 || g == old && first {
		g.since = s.now
	}
	g.joined = s.now
	if g != old {
		s.dequeue(j)
		old.compact()
		old.Open--
		g.Open++
		s.enqueue(j, g)
	}
	s.count(j, j.expect)
	s.waiting.touch(old)
	s.waiting.touch(g)
	u.Sweep()
	s.version++
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
