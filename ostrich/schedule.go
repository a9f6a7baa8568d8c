package ostrich

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich/lengths"
)

// Errors of Schedule.Step and AdvanceTo, wrapped with the event they reject. A
// rejected event changes nothing.
var (
	ErrOutOfOrder = errors.New("not in the order of time")
	ErrUnknownJob = errors.New("job is not known")
	ErrBadEvent   = errors.New("invalid event")
)

// A Schedule is the virtual fair-sharing schedule of one pool of processors,
// with the campaigns it found (paper section 4, thesis 5.1 and 6.1). It is a
// state machine: events with their times go in, an order of the pending jobs
// comes out. The result depends on the events alone, not on how often a caller asks.
//
// A Schedule is not safe for concurrent use.
type Schedule struct {
	options Options
	procs   int // of the machine
	size    int // m: its parts, see Job.Size
	busy    int // parts that running jobs take

	now    Time
	moment float64 // of the latest event, real or virtual; never after now

	root     *node
	accounts map[string]*node
	places   map[UserID]UserShare
	shares   *Shares

	users    map[UserID]*user
	jobs     jobTable
	groups   map[JobID]*group
	overruns dueHeap  // running jobs
	left     left     // of all jobs that have not ended
	surplus  Work     // what the virtual schedule owes beyond that, see settle
	debtors  []debtor // by when their last jobs had ended; some are over
	settled  bool     // since the latest change
	waiting  waiting
	version  uint64

	class   int    // its place in classes
	classes *peers // of a pool that has several, see Pools.At; nil: it has one

	used   lengths.Used // of the limits of all jobs, with lengths.Alike
	taught int          // its jobs at the last teach

	onCompletion func(lead JobID, at float64) // or nil
}

// A group holds together the records of a job array or a heterogeneous job.
type group struct {
	campaign *campaignState
	open     int // records that have not ended
}

// New returns the schedule of an empty machine at time 0, with flat shares.
func New(o Options) (*Schedule, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	s := &Schedule{
		options: o, procs: o.Procs, size: o.Procs,
		users: make(map[UserID]*user), groups: make(map[JobID]*group),
	}
	s.grow(&Shares{})
	return s, nil
}

// OnCompletion makes the schedule call f at each virtual completion, with the
// campaign's lead (see Campaign.Lead) and C~ in seconds. If a campaign gets more work
// after its completion, f is called again; the last call counts. A nil f stops the
// calls. A clone calls nothing.
func (s *Schedule) OnCompletion(f func(lead JobID, at float64)) { s.onCompletion = f }

// Now returns the time of the latest event or AdvanceTo.
func (s *Schedule) Now() Time { return s.now }

// Version returns a number that changes whenever the order of the pending jobs may
// have changed.
func (s *Schedule) Version() uint64 {
	if s.drifts() {
		s.sortWaiting()
	}
	return s.version
}

// Procs returns the number of processors of the machine.
func (s *Schedule) Procs() int { return s.procs }

// Size returns m, the number of parts of the machine, see Job.Size.
func (s *Schedule) Size() int { return s.size }

// Busy returns the number of parts of the machine that running jobs take.
func (s *Schedule) Busy() int { return s.busy }

// AdvanceTo lets time pass up to t. It returns ErrOutOfOrder if t is before Now.
func (s *Schedule) AdvanceTo(t Time) error {
	if t < s.now {
		return fmt.Errorf("advance from %d to %d: %w", s.now, t, ErrOutOfOrder)
	}
	for {
		if !s.settled && s.options.Settle && float64(t) > s.moment {
			s.settle() // after all events of the moment: one may give back what another took
		}
		due := s.nextCompletion()
		// A job that ends on time is no overdue one, hence "before t" for
		// these and "up to t" for completions, which therefore go first.
		if len(s.overruns) > 0 && s.overruns[0].due < t && float64(s.overruns[0].due) < due {
			s.pass(float64(s.overruns[0].due))
			s.outlive()
			continue
		}
		if due > float64(t) {
			break
		}
		s.pass(due)
		s.completeNext()
	}
	s.now = t
	return nil
}

// Step applies an event. Events must come in the order of Compare. It returns
// ErrOutOfOrder for an event before Now, ErrUnknownJob for an event of a job that was
// never submitted or has ended, and ErrBadEvent for an invalid one. It ignores a Hold or
// Release of an unknown job.
func (s *Schedule) Step(e Event) error {
	j := s.jobs.get(e.Job.ID)
	if err := s.check(&e, j); err != nil {
		return fmt.Errorf("%v of job %d at %d: %w", e.Kind, e.Job.ID, e.At, err)
	}
	if err := s.AdvanceTo(e.At); err != nil {
		return fmt.Errorf("%v of job %d: %w", e.Kind, e.Job.ID, err)
	}
	s.pass(float64(e.At))
	s.settled = false
	switch e.Kind {
	case Capacity:
		s.sync(s.root)
		s.procs, s.size = e.Procs, cmp.Or(e.Size, e.Procs)
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
		s.requeue(j, &e.Job)
	case End:
		s.end(j, &e.Job)
	case Hold:
		s.hold(j)
	case Release:
		s.release(j)
	}
	return nil
}

// check returns why an event is rejected, or nil. The job is nil if it is not known.
func (s *Schedule) check(e *Event, j *job) error {
	switch e.Kind {
	case Capacity:
		if e.Procs < 0 || e.Size < 0 {
			return fmt.Errorf("%d processors, %d parts: %w", e.Procs, e.Size, ErrBadEvent)
		}
		return nil
	case Reshare:
		if e.Shares == nil {
			return fmt.Errorf("no shares: %w", ErrBadEvent)
		}
		return nil
	case Submit, Change, Start, Suspend, Resume, Requeue, End, Hold, Release:
	default:
		return ErrBadEvent
	}
	if e.Kind == Submit || e.Kind == Change || e.Kind == Start || e.Kind == Requeue {
		switch {
		case e.Job.Procs < 1:
			return fmt.Errorf("%d processors: %w", e.Job.Procs, ErrBadEvent)
		case e.Job.Size < 0:
			return fmt.Errorf("%d parts: %w", e.Job.Size, ErrBadEvent)
		case e.Job.Estimate < 1:
			return fmt.Errorf("estimate of %d s: %w", e.Job.Estimate, ErrBadEvent)
		case e.Job.Tasks < 0:
			return fmt.Errorf("%d tasks: %w", e.Job.Tasks, ErrBadEvent)
		}
	}
	switch {
	case e.Kind == Submit, e.Kind == Hold, e.Kind == Release:
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

// syncUser brings the clocks of a user up to the present and returns the user.
func (s *Schedule) syncUser(id UserID) *user {
	u, ok := s.users[id]
	if !ok {
		u = &user{id: id}
		u.leaf = s.plant(u)
		s.users[id] = u
	}
	s.sync(u.leaf.parent)
	return u
}

// syncOwner brings the clocks of a job's user up to the present and returns the user.
func (s *Schedule) syncOwner(j *job) *user {
	u := j.stage.campaign.user
	s.sync(u.leaf.parent)
	return u
}

func (s *Schedule) submit(from *Job) *job {
	u := s.syncUser(from.User)
	j := newJob(from)
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

func newJob(from *Job) *job {
	j := &job{Job: *from, asked: int32(min(from.Procs, math.MaxInt32)), askedSize: from.Size, place: -1}
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
	c.user.open++
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

// enqueue puts a job among the pending ones of a stage.
func (s *Schedule) enqueue(j *job, g *stage) {
	if j.stage == g && slices.Contains(g.pending, j) {
		g.compact() // a requeued job may still be there, as one that left
	}
	j.stage, j.queued, j.able = g, true, s.now
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
// made at once: work taken away and given back would be served twice.
func (s *Schedule) revise(j *job, as *Job, d Duration) {
	u, more := j.stage.campaign.user, as.Count()-j.Count()
	u.tasks += more
	before := j.area(j.length)
	j.Tasks, j.Procs, j.Size, j.Estimate, j.Partition = as.Tasks, as.Procs, as.Size, as.Estimate, as.Partition
	j.Class, j.Hint = as.Class, as.Hint
	j.length = d
	s.recount(j)
	s.sync(u.leaf.parent)
	s.add(j.stage, j.area(d)-before)
	if more > 0 {
		s.outgrow(u)
	}
}

// occupy changes how much of the machine is busy. The clocks must be synchronised.
func (s *Schedule) occupy(u *user, size int) {
	if s.options.Memory > 0 {
		u.remember(s.moment, s.options.Memory)
	}
	s.busy += size
	u.busy += size
}

func (s *Schedule) start(j *job, as *Job) {
	s.release(j)
	u := s.syncOwner(j)
	s.dequeue(j)
	if as.Estimate != j.Estimate || as.Class != j.Class || as.Hint != j.Hint {
		j.expect = s.predict(u, j, as, as.Count()-j.Count())
	}
	s.revise(j, as, j.expect)
	j.Start, j.running, j.rested = s.now, true, 0
	s.recount(j)
	s.occupy(u, j.takes())
	s.await(j)
}

func (s *Schedule) suspend(j *job) {
	s.occupy(s.syncOwner(j), -j.takes())
	j.paused = s.now
	s.recount(j)
	s.forgo(j)
}

func (s *Schedule) resume(j *job) {
	s.occupy(s.syncOwner(j), j.takes())
	j.rested += Duration(s.now - j.paused)
	j.paused = 0
	s.recount(j)
	s.await(j)
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

// halt removes a started job from its processors.
func (s *Schedule) halt(j *job) {
	if j.paused == 0 {
		s.occupy(s.syncOwner(j), -j.takes())
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
	s.forget(j)
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
	c.user.open--
	c.user.tasks -= j.Count()
	c.user.failing = slices.DeleteFunc(c.user.failing, func(f *job) bool { return f == j })
	s.leaves(c.user)
	s.version++
}
