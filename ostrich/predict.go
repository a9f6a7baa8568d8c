package ostrich

import (
	"slices"

	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sharing"
)

// predict returns the expected length of a job by the given description, and notes whether
// it is that of jobs that failed. The description adds more tasks to the unfinished ones of
// the user. It uses the processors that the job asked for, because lengths are learned by
// those.
func (s *Schedule) predict(u *user, j *job, as *Job, more int) Duration {
	asked := j.request(as)
	d, failing := u.past.Predict(s.options.Predictor, &s.used, &asked, u.tasks+more)
	if i := slices.Index(u.failing, j); failing && i < 0 {
		u.failing = append(u.failing, j)
	} else if !failing && i >= 0 {
		u.failing = slices.Delete(u.failing, i, i+1)
	}
	return d
}

// request is what a job asked for, by the given description. A start may allocate more
// processors than that.
func (j *job) request(as *Job) lengths.Request {
	return lengths.Request{Limit: as.Estimate, Procs: int(j.asked), Class: as.Class, Hint: as.Hint}
}

// outgrow predicts again the jobs that are expected to be as long as those that failed, if
// the user has got more tasks than that. There are no more than twice lengths.Latest of them.
func (s *Schedule) outgrow(u *user) {
	if len(u.failing) == 0 || u.tasks <= u.past.SpeakOf() {
		return
	}
	for _, j := range slices.Clone(u.failing) {
		d := s.predict(u, j, &j.Job, 0)
		if d == j.expect {
			continue
		}
		if j.expect = d; j.queued {
			s.count(j, j.waits())
			j.stage.unsorted = true
			s.waiting.touch(j.stage)
			s.version++
		}
	}
}

// learn predicts the lengths of a campaign's waiting jobs again, from those that have
// ended meanwhile. It runs whenever the number of ended jobs has doubled, so it costs a
// campaign of n jobs no more than n·log n.
func (s *Schedule) learn(c *campaignState) {
	if c.learned = c.ran; c.ran == 0 {
		return // the jobs that have ended were cancelled
	}
	for _, g := range slices.Clone(c.live()) { // the front ones may leave meanwhile
		s.expect(g)
	}
}

// teach predicts again the lengths of waiting jobs of users without an ended job, from
// how much of their limits the others' jobs have used. It runs whenever the number of
// ended jobs has doubled.
func (s *Schedule) teach() {
	for _, u := range sortedUsers(s.users) {
		if !u.past.Known() && u.Open > 0 {
			s.tree.Sync(&u.Line)
			for _, g := range u.Stages() {
				s.expect(stageOf(g))
			}
		}
	}
}

// expect predicts the lengths of a stage's waiting jobs again. One that hardly differs
// stays.
//
// All changes are made as one: what one job gave up could be served to other stages
// before the next one takes it, and the jobs are in an order that depends on who asked.
func (s *Schedule) expect(g *stage) {
	changed := false
	var was, now sharing.Left // of those that differ
	for _, j := range g.pending {
		if !j.queued {
			continue
		}
		if d := s.predict(g.campaign.user, j, &j.Job, 0); lengths.Differs(j.expect, d) {
			changed = true
			j.expect = d
			j.length = j.waits()
			was.Add(j.left)
			j.left = j.remaining()
			now.Add(j.left)
		}
	}
	if !changed {
		return
	}
	s.tree.Recount(&g.Stage, was, now)
	g.unsorted = true
	s.waiting.touch(g)
	s.tree.Add(&g.Stage, now.At(s.now)-was.At(s.now))
	s.version++
}
