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
	jobs    jobTable
	groups  map[JobID]*group
	overdue dueHeap // running jobs
	waiting waiting
	version uint64
	spare   []job // memory for new ones

	onCompletion func(lead JobID, at float64) // or nil
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
		users: make(map[UserID]*user), groups: make(map[JobID]*group),
	}
	s.grow(&Shares{})
	return s, nil
}

// OnCompletion has f told of each virtual completion: the campaign by its lead,
// see Campaign.Lead, and C~ in seconds. A campaign that gets further work after
// its completion is told of again; the last time counts. A nil f ends that. A
// clone tells nobody.
func (s *Schedule) OnCompletion(f func(lead JobID, at float64)) { s.onCompletion = f }

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
		// these and "up to t" for completions, which therefore go first.
		if len(s.overdue) > 0 && s.overdue[0].due < t && float64(s.overdue[0].due) < due {
			s.moment = float64(s.overdue[0].due)
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
	j := s.jobs.get(e.Job.ID)
	if err := s.check(&e, j); err != nil {
		return fmt.Errorf("%v of job %d at %d: %w", e.Kind, e.Job.ID, e.At, err)
	}
	if err := s.AdvanceTo(e.At); err != nil {
		return fmt.Errorf("%v of job %d: %w", e.Kind, e.Job.ID, err)
	}
	s.moment = float64(e.At)
	switch e.Kind {
	case Capacity:
		s.sync(s.root)
		s.procs = e.Procs
		s.version++
	case Reshare:
		if !slices.Equal(s.shares.Accounts, e.Shares.Accounts) || !slices.Equal(s.shares.Users, e.Shares.Users) {
			s.grow(e.Shares)
			s.version++
		}
	case Submit:
		if j != nil {
			s.change(j, &e.Job)
		} else {
			s.submit(&e.Job)
		}
	case Change:
		s.change(j, &e.Job)
	case Start:
		s.start(j, &e.Job)
	case Suspend:
		s.suspend(j)
	case Resume:
		s.resume(j)
	case Requeue:
		s.requeue(j)
	case End:
		s.end(j, &e.Job)
	}
	return nil
}

// check tells why an event cannot be taken, of a job that is nil unless known.
func (s *Schedule) check(e *Event, j *job) error {
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

// owner brings the clocks of a job's user up to the present and returns the user.
func (s *Schedule) owner(j *job) *user {
	u := j.stage.campaign.user
	s.sync(u.leaf.parent)
	return u
}

func (s *Schedule) submit(from *Job) *job {
	u := s.at(from.User)
	j := s.newJob(from, s.options.Predictor.predict(&u.past, from.Estimate))
	array := s.arrayOf(j)
	c := s.campaignOf(u, j, array)
	g := s.stageFor(c)
	c.latest = s.now
	s.join(j, g, array)
	s.count(j, j.expect)
	return j
}

// batch is how many jobs are allocated in one piece. It is small, as one that
// has not ended keeps the memory of all.
const batch = 16

func (s *Schedule) newJob(from *Job, expect Duration) *job {
	if len(s.spare) == 0 {
		s.spare = make([]job, batch)
	}
	j := &s.spare[0]
	s.spare = s.spare[1:]
	j.Job, j.expect, j.place = *from, expect, -1
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
	g.open++
	c.open++
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

// campaignOf finds or opens the campaign that a new job belongs to.
func (s *Schedule) campaignOf(u *user, j *job, array *group) *campaign {
	if array != nil && array.campaign.user == u {
		return array.campaign
	}
	c := u.latest
	if c == nil || !s.options.Rule.joins(submissions{
		first: c.first, latest: c.latest, unfinished: c.open > 0, previousOpen: u.recent != nil,
	}, s.now) {
		u.count++
		c = &campaign{
			user: u, number: u.count, lead: cmp.Or(j.Group, j.ID), first: s.now, began: notYet, completed: notYet,
		}
		if u.leaf.active() {
			c.before = u.line[len(u.line)-1].ahead(s.clockAt(u.leaf.parent, s.moment))
		}
		u.latest, u.recent = c, nil
	}
	return c
}

// stageFor is the stage of the campaign that takes new work, see Late.
func (s *Schedule) stageFor(c *campaign) *stage {
	u := c.user
	if n := len(c.stages); n > 0 {
		g := c.stages[n-1]
		switch s.options.Late {
		case Grow:
			return g
		case Reopen:
			if g.completed == notYet {
				return g
			}
		case Append:
			if g.completed == notYet && c.latest == s.now {
				return g
			}
		}
	}
	c.opened++
	g := &c.head
	if c.opened > 1 {
		g = new(stage)
	}
	g.campaign, g.number, g.arrived, g.began, g.completed = c, c.opened, u.leaf.parent.clock, notYet, notYet
	g.place = u.gone + len(u.line)
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
	if g.queued() == 0 {
		s.waiting.touch(g)
	}
	g.pending = append(g.pending, j)
	g.unsorted = true
	s.version++
}

// dequeue takes a job out of the pending ones.
func (s *Schedule) dequeue(j *job) {
	j.queued = false
	j.stage.left++
	if j.stage.queued() == 0 {
		s.waiting.drop(j.stage)
	}
	if j.stage.left > len(j.stage.pending)/2 {
		j.stage.compact()
	}
	s.version++
}

// count makes each task of a job count for d seconds from now on.
func (s *Schedule) count(j *job, d Duration) { s.revise(j, &j.Job, d) }

// revise makes a job count for what is known of it from now on. The change is
// made at once: work taken away and given back would be served twice.
func (s *Schedule) revise(j *job, as *Job, d Duration) {
	before := j.area(j.length)
	j.Tasks, j.Procs, j.Estimate, j.Partition = as.Tasks, as.Procs, as.Estimate, as.Partition
	j.length = d
	s.sync(j.stage.campaign.user.leaf.parent)
	s.add(j.stage, j.area(d)-before)
}

// change takes over what has become known of a job that has not ended.
func (s *Schedule) change(j *job, to *Job) {
	switch {
	case to.User != j.User:
		s.move(j, *to)
		return
	case to.Count() == j.Count() && to.Procs == j.Procs && to.Estimate == j.Estimate && to.Partition == j.Partition:
		return
	}
	u := s.owner(j)
	length := j.length
	if to.Estimate != j.Estimate {
		j.expect = s.options.Predictor.predict(&u.past, to.Estimate)
		length = max(j.expect, j.elapsed(s.now))
	}
	if j.running && j.paused == 0 {
		s.occupy(u, to.Procs*to.Count()-j.Procs*j.Count())
	}
	s.revise(j, to, length)
	j.stage.unsorted = true
	if j.running && j.paused == 0 {
		s.await(j)
	}
	s.version++
}

// move takes a job that changes hands from one line to another, in the state
// in which it is.
func (s *Schedule) move(j *job, to Job) {
	to.Submit = j.Submit
	s.count(j, 0)
	s.depart(j)
	moved := s.submit(&to)
	if !j.running {
		return
	}
	s.start(moved, &to)
	moved.Start, moved.rested = j.Start, j.rested
	s.await(moved)
	if j.paused != 0 {
		s.suspend(moved)
		moved.paused = j.paused
	}
}

// split takes one task out of the pending record of its array, as a job of
// its own. It stands where the record stands and takes its part of the work
// along. It reports false where there is no such record.
func (s *Schedule) split(from Job) bool {
	r := s.jobs.get(from.Group)
	if from.Group == 0 || r == nil || !r.queued || r.Group != r.ID || r.Count() < 2 || r.User != from.User {
		return false
	}
	s.moment = float64(s.now)
	s.at(r.User)
	j := s.newJob(&from, r.expect)
	before := r.area(r.length)
	r.Tasks--
	j.length = r.length
	s.join(j, r.stage, s.arrayOf(j))
	s.add(r.stage, r.area(r.length)+j.area(j.length)-before)
	return true
}

// occupy changes the number of busy processors. The clocks must be synchronised.
func (s *Schedule) occupy(u *user, procs int) {
	s.busy += procs
	u.busy += procs
}

func (s *Schedule) start(j *job, as *Job) {
	u := s.owner(j)
	s.dequeue(j)
	if as.Estimate != j.Estimate {
		j.expect = s.options.Predictor.predict(&u.past, as.Estimate)
	}
	s.revise(j, as, j.expect)
	j.Start, j.running, j.rested = s.now, true, 0
	s.occupy(u, j.Procs*j.Count())
	s.await(j)
}

func (s *Schedule) suspend(j *job) {
	s.occupy(s.owner(j), -j.Procs*j.Count())
	j.paused = s.now
	s.forgo(j)
}

func (s *Schedule) resume(j *job) {
	s.occupy(s.owner(j), j.Procs*j.Count())
	j.rested += Duration(s.now - j.paused)
	j.paused = 0
	s.await(j)
}

func (s *Schedule) requeue(j *job) {
	s.halt(j)
	j.Start, j.running, j.paused, j.rested = 0, false, 0, 0
	s.enqueue(j, j.stage)
	s.count(j, j.expect)
}

// halt takes a started job off its processors.
func (s *Schedule) halt(j *job) {
	if j.paused == 0 {
		s.occupy(s.owner(j), -j.Procs*j.Count())
	}
	s.forgo(j)
}

func (s *Schedule) end(j *job, as *Job) {
	ran := Duration(0)
	if as.Start != 0 {
		ran = max(0, Duration(as.End-as.Start)-as.Suspended)
		j.stage.campaign.user.past.add(ran)
		j.stage.campaign.ran += j.Count()
	}
	j.stage.campaign.longest = max(j.stage.campaign.longest, ran)
	s.count(j, ran)
	s.depart(j)
}

// depart takes a job out; what it counts for stays with its campaign.
func (s *Schedule) depart(j *job) {
	g, c := j.stage, j.stage.campaign
	if j.running {
		s.halt(j)
	} else {
		s.dequeue(j)
	}
	s.jobs.remove(j.ID)
	if c.user.recent == j {
		c.user.recent = nil
	}
	if j.array != nil {
		if j.array.open--; j.array.open == 0 {
			delete(s.groups, j.Group)
		}
	}
	g.open--
	if c.open--; c.open == 0 {
		c.ended = s.now
	}
	c.user.sweep()
	s.version++
}
