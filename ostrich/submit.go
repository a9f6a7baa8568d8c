package ostrich

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sharing"
)

// userOf returns a user, who may be new.
func (s *Schedule) userOf(id UserID) *user {
	u := s.users[id]
	if u == nil {
		u = &user{Line: sharing.Line{User: id}}
		s.tree.Plant(&u.Line)
		s.users[id] = u
	}
	return u
}

func (s *Schedule) submit(from *Job) *job {
	u := s.userOf(from.User)
	j := s.newJob(from)
	j.expect = s.predict(u, j, from, from.Count())
	array := s.arrayOf(j)
	c := s.campaignOf(u, j, array)
	s.begin(c)
	g := s.stageFor(c)
	c.latest, g.joined = s.now, s.now
	s.join(j, g, array)
	s.count(j, j.expect)
	s.outgrow(u)
	return j
}

// newJob is a job in the memory of one that has ended, if there is any: a replay has very many.
func (s *Schedule) newJob(from *Job) *job {
	var j *job
	if n := len(s.ended); n > 0 {
		j, s.ended = s.ended[n-1], s.ended[:n-1]
	} else {
		j = new(job)
	}
	*j = job{Job: *from, asked: int32(min(from.Procs, math.MaxInt32)), askedSize: from.Size, place: -1}
	j.Start, j.End = 0, 0
	return j
}

// arrayOf is the group that a new job belongs to; nil if there is none yet.
func (s *Schedule) arrayOf(j *job) *group {
	if j.Group == 0 {
		return nil
	}
	return s.groups[j.Group]
}

// join puts a new job into a stage. It counts for nothing yet.
func (s *Schedule) join(j *job, g *stage, array *group) {
	c := g.campaign
	g.Open++
	c.open++
	c.user.Open++
	c.user.tasks += j.Count()
	c.ended = 0
	if c == c.user.latest {
		c.user.recent = j
	}
	if j.Group != 0 {
		if array == nil {
			array = &group{campaign: c}
			s.groups[j.Group] = array
		}
		if array.campaign == c {
			array.open++
			j.array = array
		}
	}
	s.jobs.put(j)
	s.enqueue(j, g)
}

func (s *Schedule) start(j *job, as *Job) {
	s.release(j)
	u := j.owner()
	s.dequeue(j)
	if as.Estimate != j.Estimate || as.Class != j.Class || as.Hint != j.Hint {
		j.expect = s.predict(u, j, as, as.Count()-j.Count())
	}
	if s.revise(j, as, j.expect) > 0 {
		s.outgrow(u)
	}
	j.Start, j.running, j.rested = s.now, true, 0
	s.recount(j, j.remaining())
	s.occupy(u, j.takes())
	s.await(j)
}

func (s *Schedule) suspend(j *job) {
	s.occupy(j.owner(), -j.takes())
	j.paused = s.now
	s.recount(j, j.remaining())
	s.forgo(j)
}

func (s *Schedule) resume(j *job) {
	s.occupy(j.owner(), j.takes())
	j.rested += Duration(s.now - j.paused)
	j.paused = 0
	s.recount(j, j.remaining())
	s.await(j)
}

// halt removes a started job from its processors.
func (s *Schedule) halt(j *job) {
	if j.paused == 0 {
		s.occupy(j.owner(), -j.takes())
	}
	s.forgo(j)
}

func (s *Schedule) end(j *job, as *Job) {
	c := j.stage.campaign
	ran := Duration(0)
	if as.Start != 0 {
		ran = as.ran()
		asked := j.request(as)
		asked.Hint = cmp.Or(as.Hint, j.Hint) // accounting may know of none
		c.user.past.Learn(s.options.Predictor, &s.used, &asked, as.Outcome, ran)
		c.ran += j.Count()
	}
	c.longest = max(c.longest, ran)
	s.count(j, ran)
	s.depart(j)
	if !j.listed {
		s.ended = append(s.ended, j)
	}
	if s.options.Predictor != lengths.Alike {
		return
	}
	if c.ran >= 2*c.learned {
		s.learn(c)
	}
	if n := s.used.Count(); n >= max(1, 2*s.taught) {
		s.taught = n
		s.teach()
	}
}

// depart removes a job. What it counts for stays with its campaign.
func (s *Schedule) depart(j *job) {
	g, c := j.stage, j.stage.campaign
	if j.held {
		j.keep(false)
		s.waiting.touch(g)
	}
	if j.running {
		s.halt(j)
	} else {
		s.dequeue(j)
	}
	s.recount(j, sharing.Left{})
	s.jobs.remove(j.ID)
	if c.user.recent == j {
		c.user.recent = nil
	}
	if j.array != nil {
		if j.array.open--; j.array.open == 0 {
			delete(s.groups, j.Group)
		}
	}
	g.Open--
	if c.open--; c.open == 0 {
		c.ended = s.now
	}
	c.user.Sweep()
	c.user.Open--
	c.user.tasks -= j.Count()
	if i := slices.Index(c.user.failing, j); i >= 0 {
		c.user.failing = slices.Delete(c.user.failing, i, i+1)
	}
	s.tree.Leave(&c.user.Line)
	s.version++
}
