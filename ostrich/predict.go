package ostrich

import (
	"slices"

	"slurm-ostrich/ostrich/lengths"
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
	if u.tasks <= u.past.SpeakOf() {
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
	for _, g := range slices.Clone(c.stages) { // the front ones may leave meanwhile
		s.expect(g)
	}
}

// teach predicts again the lengths of waiting jobs of users without an ended job, from
// how much of their limits the others' jobs have used. It runs whenever the number of
// ended jobs has doubled.
func (s *Schedule) teach() {
	for _, u := range sortedUsers(s.users) {
		if !u.past.Known() && u.open > 0 {
			s.sync(u.leaf.parent)
			for _, g := range u.line {
				s.expect(g)
			}
		}
	}
}

// expect predicts the lengths of a stage's waiting jobs again. One that hardly differs
// stays. The clocks must be synchronised.
//
// All changes are made as one: what one job gave up could be served to other stages
// before the next one takes it, and the jobs are in an order that depends on who asked.
func (s *Schedule) expect(g *stage) {
	var more Work
	changed, surplus := false, s.surplus
	for _, j := range g.pending {
		if !j.queued {
			continue
		}
		d, was := s.predict(g.campaign.user, j, &j.Job, 0), j.expect
		if lengths.Differs(was, d) {
			before := j.area(j.length)
			j.expect = d
			j.length = j.waits()
			s.recount(j)
			more += j.area(j.length) - before
			changed = true
		}
	}
	if !changed {
		return
	}
	s.surplus = surplus - more // without the rounding of a sum in some order
	g.unsorted = true
	s.waiting.touch(g)
	s.add(g, more)
	s.version++
}
