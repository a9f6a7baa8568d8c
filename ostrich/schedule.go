package ostrich

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Errors a Schedule returns. They are wrapped with the event in question, and
// the event changes nothing.
var (
	ErrOutOfOrder = errors.New("not in the order of time")
	ErrUnknownJob = errors.New("job is not known")
	ErrBadEvent   = errors.New("event makes no sense")
)

// A Schedule is the virtual fair-sharing schedule of one pool of processors,
// with the campaigns it found (paper section 4, thesis 5.1 and 6.1). It is a
// state machine: events with their times go in, an order of the pending jobs
// comes out. It depends on the events alone, not on how often it is asked.
//
// A Schedule is not safe for concurrent use.
type Schedule struct {
	options Options
	procs   int // m
	busy    int // processors of running jobs

	now    Time
	moment float64 // of the latest event, real or virtual; never after now

	root     *node
	accounts map[string]*node
	places   map[UserID]UserShare
	shares   *Shares

	users   map[UserID]*user
	jobs    map[JobID]*job
	groups  map[JobID]*group
	overdue dueHeap // running jobs, by the time at which they outlive their expectation
	version uint64
}

// A group holds together the records of a job array or a heterogeneous job.
type group struct {
	campaign *campaign
	open     int // records that have not ended
}

// New returns the schedule of an empty machine at time 0, with flat shares.
func New(o Options) (*Schedule, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	s := &Schedule{
		options: o, procs: o.Procs,
		users: make(map[UserID]*user), jobs: make(map[JobID]*job), groups: make(map[JobID]*group),
	}
	s.grow(&Shares{})
	return s, nil
}

// Now is the time of the latest event or AdvanceTo.
func (s *Schedule) Now() Time { return s.now }

// Version changes whenever the order of the pending jobs may have changed.
func (s *Schedule) Version() uint64 { return s.version }

// Procs is m, the processors of the machine.
func (s *Schedule) Procs() int { return s.procs }

// Busy is the number of processors on which jobs run.
func (s *Schedule) Busy() int { return s.busy }

// AdvanceTo lets time pass up to t.
func (s *Schedule) AdvanceTo(t Time) error {
	if t < s.now {
		return fmt.Errorf("advance from %d to %d: %w", s.now, t, ErrOutOfOrder)
	}
	for {
		due := s.nextCompletion()
		// A job that ends on time is no overdue one, hence "before t" for
		// these and "up to t" for completions.
		if len(s.overdue) > 0 && s.overdue[0].at < t && float64(s.overdue[0].at) <= due {
			s.moment = max(s.moment, float64(s.overdue[0].at))
			s.outlive()
			continue
		}
		if due > float64(t) {
			break
		}
		s.moment = due
		s.completeNext()
	}
	s.now = t
	return nil
}

// Step takes an event. Events must come in the order of Compare; one that
// refers to an earlier time than the schedule's is refused with ErrOutOfOrder,
// one about a job that was never submitted, or has ended, with ErrUnknownJob.
func (s *Schedule) Step(e Event) error {
	if err := s.check(e); err != nil {
		return fmt.Errorf("%v of job %d at %d: %w", e.Kind, e.Job.ID, e.At, err)
	}
	if err := s.AdvanceTo(e.At); err != nil {
		return fmt.Errorf("%v of job %d: %w", e.Kind, e.Job.ID, err)
	}
	s.moment = float64(e.At)
	s.sync(s.root)
	j := s.jobs[e.Job.ID]
	switch e.Kind {
	case Capacity:
		s.procs = e.Procs
		s.version++
	case Reshare:
		s.grow(e.Shares)
	case Submit:
		if j != nil {
			s.change(j, e.Job)
		} else {
			s.submit(e.Job)
		}
	case Change:
		s.change(j, e.Job)
	case Start:
		s.start(j, e.Job)
	case Suspend:
		s.suspend(j)
	case Resume:
		s.resume(j)
	case Requeue:
		s.requeue(j)
	case End:
		s.end(j, e.Job)
	}
	return nil
}

// check tells why an event cannot be taken.
func (s *Schedule) check(e Event) error {
	switch e.Kind {
	case Capacity:
		if e.Procs < 0 {
			return fmt.Errorf("%d processors: %w", e.Procs, ErrBadEvent)
		}
		return nil
	case Reshare:
		if e.Shares == nil {
			return fmt.Errorf("no shares: %w", ErrBadEvent)
		}
		return nil
	case Submit, Change, Start, Suspend, Resume, Requeue, End:
	default:
		return ErrBadEvent
	}
	if e.Kind == Submit || e.Kind == Change || e.Kind == Start {
		switch {
		case e.Job.Procs < 1:
			return fmt.Errorf("%d processors: %w", e.Job.Procs, ErrBadEvent)
		case e.Job.Estimate < 1:
			return fmt.Errorf("estimate of %d s: %w", e.Job.Estimate, ErrBadEvent)
		case e.Job.Tasks < 0:
			return fmt.Errorf("%d tasks: %w", e.Job.Tasks, ErrBadEvent)
		}
	}
	j := s.jobs[e.Job.ID]
	switch {
	case e.Kind == Submit:
		return nil
	case j == nil:
		return ErrUnknownJob
	case e.Kind == Start && j.running,
		(e.Kind == Suspend || e.Kind == Requeue) && !j.running,
		e.Kind == Suspend && j.paused != 0,
		e.Kind == Resume && (!j.running || j.paused == 0):
		return fmt.Errorf("job is in another state: %w", ErrBadEvent)
	case e.Kind == End && e.Job.Start != 0 && e.Job.End < e.Job.Start:
		return fmt.Errorf("ends at %d, before its start at %d: %w", e.Job.End, e.Job.Start, ErrBadEvent)
	}
	return nil
}

// at brings the clocks of a user up to the present and returns the user.
func (s *Schedule) at(id UserID) *user {
	u, ok := s.users[id]
	if !ok {
		u = &user{id: id}
		u.leaf = s.plant(u)
		s.users[id] = u
	}
	s.sync(u.leaf.parent)
	return u
}

func (s *Schedule) submit(from Job) {
	u := s.at(from.User)
	j := &job{Job: from, expect: s.options.Predictor.predict(&u.past, from.Estimate)}
	j.Start, j.End = 0, 0
	c := s.campaignOf(u, j)
	c.latest = s.now
	c.open++
	c.ended = 0
	s.jobs[j.ID] = j
	u.recent = j
	g := s.stageFor(c)
	s.enqueue(j, g)
	s.count(j, j.expect)
}

// campaignOf finds or opens the campaign that a new job belongs to.
func (s *Schedule) campaignOf(u *user, j *job) *campaign {
	if j.Group != 0 {
		if g, ok := s.groups[j.Group]; ok && g.campaign.user == u {
			g.open++
			return g.campaign
		}
	}
	c := u.latest
	if c == nil || !s.options.Rule.joins(submissions{
		first: c.first, latest: c.latest, unfinished: c.open > 0,
		previousOpen: s.jobs[u.recent.ID] == u.recent,
	}, s.now) {
		u.count++
		c = &campaign{user: u, number: u.count, lead: cmp.Or(j.Group, j.ID), first: s.now}
		if u.leaf.active() {
			c.before = u.latest.work()
		}
		u.latest = c
	}
	if j.Group != 0 {
		s.groups[j.Group] = &group{campaign: c, open: 1}
	}
	return c
}

// stageFor is the stage of the campaign that takes new work, see Late.
func (s *Schedule) stageFor(c *campaign) *stage {
	u := c.user
	now := u.leaf.parent.clock
	if n := len(c.stages); n > 0 {
		g := c.stages[n-1]
		switch s.options.Late {
		case Grow:
			return g
		case Reopen:
			if g.finish > now {
				return g
			}
		case Append:
			if g.arrived == now && g.finish >= now {
				return g
			}
		}
	}
	g := &stage{campaign: c, arrived: now, finish: now, began: notYet, completed: notYet}
	if n := len(u.line); n > 0 {
		g.finish = max(now, u.line[n-1].finish)
	}
	c.stages = append(c.stages, g)
	u.line = append(u.line, g)
	return g
}

// enqueue puts a job among the pending ones of a stage.
func (s *Schedule) enqueue(j *job, g *stage) {
	if j.stage == g && slices.Contains(g.pending, j) {
		g.compact() // a requeued job may still be there, as one that left
	}
	j.stage, j.queued = g, true
	g.pending = append(g.pending, j)
	g.unsorted = true
	s.version++
}

// dequeue takes a job out of the pending ones.
func (s *Schedule) dequeue(j *job) {
	j.queued = false
	j.stage.left++
	if j.stage.left > len(j.stage.pending)/2 {
		j.stage.compact()
	}
	s.version++
}

// count makes a job count for d seconds a task from now on.
func (s *Schedule) count(j *job, d Duration) {
	before := j.area(j.length)
	j.length = d
	c := j.stage.campaign
	c.longest = max(c.longest, d)
	s.at(c.user.id)
	s.add(j.stage, j.area(d)-before)
}

// change takes over what has become known of a job that has not ended.
func (s *Schedule) change(j *job, to Job) {
	if to.User != j.User {
		// A job that changes hands leaves one line and joins another.
		s.leave(j)
		to.Submit = j.Submit
		start := j.Start
		s.submit(to)
		if j.running {
			to.Start = start
			s.start(s.jobs[to.ID], to)
		}
		return
	}
	if to.Tasks == j.Tasks && to.Procs == j.Procs && to.Estimate == j.Estimate && to.Partition == j.Partition {
		return
	}
	u := s.at(j.User)
	s.add(j.stage, -j.area(j.length))
	if j.running && j.paused == 0 {
		s.occupy(u, to.Procs*to.Count()-j.Procs*j.Count())
	}
	if to.Estimate != j.Estimate {
		j.expect = s.options.Predictor.predict(&u.past, to.Estimate)
		if j.running {
			j.expect = max(j.expect, j.elapsed(s.now))
		}
		j.length = j.expect
	}
	j.Tasks, j.Procs, j.Estimate, j.Partition = to.Tasks, to.Procs, to.Estimate, to.Partition
	j.stage.campaign.longest = max(j.stage.campaign.longest, j.length)
	j.stage.unsorted = true
	s.add(j.stage, j.area(j.length))
	if j.running && j.paused == 0 {
		s.await(j)
	}
	s.version++
}

// occupy changes the number of busy processors. The clocks must be synchronised.
func (s *Schedule) occupy(u *user, procs int) {
	s.busy += procs
	u.busy += procs
}

func (s *Schedule) start(j *job, as Job) {
	u := s.at(j.User)
	s.dequeue(j)
	s.add(j.stage, -j.area(j.length))
	if as.Estimate != j.Estimate {
		j.expect = s.options.Predictor.predict(&u.past, as.Estimate)
		j.length = j.expect
	}
	j.Tasks, j.Procs, j.Estimate, j.Partition = as.Tasks, as.Procs, as.Estimate, as.Partition
	j.Start, j.running, j.rested = s.now, true, 0
	j.stage.campaign.longest = max(j.stage.campaign.longest, j.length)
	s.add(j.stage, j.area(j.length))
	s.occupy(u, j.Procs*j.Count())
	s.await(j)
}

func (s *Schedule) suspend(j *job) {
	u := s.at(j.User)
	s.occupy(u, -j.Procs*j.Count())
	j.paused = s.now
}

func (s *Schedule) resume(j *job) {
	u := s.at(j.User)
	s.occupy(u, j.Procs*j.Count())
	j.rested += Duration(s.now - j.paused)
	j.paused = 0
	s.await(j)
}

func (s *Schedule) requeue(j *job) {
	u := s.at(j.User)
	if j.paused == 0 {
		s.occupy(u, -j.Procs*j.Count())
	}
	j.Start, j.running, j.paused, j.rested = 0, false, 0, 0
	s.enqueue(j, j.stage)
	s.count(j, j.expect)
}

func (s *Schedule) end(j *job, as Job) {
	ran := Duration(0)
	if as.Start != 0 {
		ran = max(0, Duration(as.End-as.Start)-as.Suspended)
		j.stage.campaign.user.past.add(ran)
	}
	s.count(j, ran)
	s.depart(j)
}

// leave takes a job out as if it had never been.
func (s *Schedule) leave(j *job) {
	s.count(j, 0)
	s.depart(j)
}

// depart takes a job out; what it counts for stays with its campaign.
func (s *Schedule) depart(j *job) {
	c := j.stage.campaign
	if j.running {
		if j.paused == 0 {
			s.occupy(c.user, -j.Procs*j.Count())
		}
	} else {
		s.dequeue(j)
	}
	delete(s.jobs, j.ID)
	if g := s.groups[j.Group]; g != nil && j.Group != 0 && g.campaign == c {
		if g.open--; g.open == 0 {
			delete(s.groups, j.Group)
		}
	}
	if c.open--; c.open == 0 {
		c.ended = s.now
		s.sweep(c.user)
	}
	s.version++
}
