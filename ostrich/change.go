package ostrich

import (
	"math"
	"slices"
)

// change updates what is known of a job that has not ended.
func (s *Schedule) change(j *job, to *Job) {
	if to.Nice != j.Nice {
		j.Nice = to.Nice
		j.stage.unsorted = true
		s.version++
	}
	switch {
	case to.User != j.User || to.Campaign != j.Campaign:
		s.move(j, *to)
		return
	case to.Count() == j.Count() && to.Procs == j.Procs && to.Size == j.Size && to.Estimate == j.Estimate && to.Partition == j.Partition &&
		to.Class == j.Class && to.Hint == j.Hint:
		return
	}
	u := j.owner()
	if j.queued {
		j.asked, j.askedSize = int32(min(to.Procs, math.MaxInt32)), to.Size
	}
	length := j.length
	if to.Estimate != j.Estimate || j.queued && to.Procs != j.Procs || to.Class != j.Class || to.Hint != j.Hint {
		j.expect = s.predict(u, j, to, to.Count()-j.Count())
		length = max(j.waits(), j.elapsed(s.now))
	}
	if j.running && j.paused == 0 {
		s.occupy(u, to.takes()-j.takes())
	}
	if s.revise(j, to, length) > 0 {
		s.outgrow(u)
	}
	j.stage.unsorted = true
	if j.held {
		s.waiting.touch(j.stage)
	}
	if j.running && j.paused == 0 {
		s.await(j)
	}
	s.version++
}

func (s *Schedule) requeue(j *job, as *Job) {
	s.halt(j)
	j.Start, j.running, j.paused, j.rested = 0, false, 0, 0
	s.enqueue(j, j.stage)
	waits := j.Job
	waits.Procs, waits.Size = int(j.asked), j.askedSize
	s.revise(j, &waits, j.expect)
	s.change(j, as)
}

// move moves a job that changes hands, or is declared to belong elsewhere, to
// another campaign, in its present state.
func (s *Schedule) move(j *job, to Job) {
	to.Submit = j.Submit
	s.count(j, 0)
	held := j.held
	s.depart(j)
	asked := to
	if j.running {
		asked.Procs, asked.Size = int(j.asked), j.askedSize
	}
	moved := s.submit(&asked)
	if held {
		s.hold(moved)
	}
	if !j.running {
		return
	}
	s.start(moved, &to)
	moved.Start, moved.rested = j.Start, j.rested
	s.recount(moved, moved.remaining())
	s.await(moved)
	if j.paused != 0 {
		s.suspend(moved)
		moved.paused = j.paused
		s.recount(moved, moved.remaining())
	}
}

// split removes one task from the pending record of its array and makes it a job of
// its own. The job stands where the record stands, with its part of the work. split
// reports false if there is no such record.
func (s *Schedule) split(from Job) bool {
	r := s.jobs.get(from.Group)
	if from.Group == 0 || r == nil || !r.queued || r.Group != r.ID || r.Count() < 2 || r.User != from.User {
		return false
	}
	s.tree.Change(float64(s.now))
	u := s.userOf(r.User)
	j := s.newJob(&from)
	j.expect = r.expect
	if slices.Contains(u.failing, r) {
		u.failing = append(u.failing, j)
	}
	before := r.area(r.length)
	r.Tasks--
	u.tasks--
	j.length = r.length
	s.recount(r, r.remaining())
	s.join(j, r.stage, s.arrayOf(j))
	j.keep(r.held)
	s.recount(j, j.remaining())
	s.tree.Add(&r.stage.Stage, r.area(r.length)+j.area(j.length)-before)
	return true
}
