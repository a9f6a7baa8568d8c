package ostrich

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sharing"
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
	procs   int          // of the machine
	now     Time         // never before tree.Moment
	tree    sharing.Tree // of the lines of the users

	users    map[UserID]*user
	jobs     jobTable
	groups   map[JobID]*group
	overruns dueHeap // running jobs
	waiting  waiting
	ended    []*job // whose memory nothing refers to any more
	version  uint64 // of what the tree does not know

	class   int    // its place in classes
	classes *peers // of a pool that has several, see Pools.At; nil: it has one

	used   lengths.Used // of the limits of all jobs, with lengths.Alike
	taught int          // its jobs at the last teach
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
		options: o, procs: o.Procs, tree: sharing.New(sharing.Options{Size: cmp.Or(o.Size, o.Procs), Parallel: o.Machine == Parallel, Settle: o.Settle}),
		users: make(map[UserID]*user), groups: make(map[JobID]*group),
	}
	s.tree.Moved = s.waiting.touchStage
	return s, nil
}

// OnCompletion makes the schedule call f at each virtual completion, with the
// campaign's lead (see Campaign.Lead) and C~ in seconds. If a campaign gets more work
// after its completion, f is called again; the last call counts. A nil f stops the
// calls. A clone calls nothing.
func (s *Schedule) OnCompletion(f func(lead JobID, at float64)) {
	s.tree.Completed = nil
	if f != nil {
		s.tree.Completed = func(g *sharing.Stage, at float64) { f(stageOf(g).campaign.lead, at) }
	}
}

// Now returns the time of the latest event or AdvanceTo.
func (s *Schedule) Now() Time { return s.now }

// Version returns a number that changes whenever the order of the pending jobs may
// have changed.
func (s *Schedule) Version() uint64 {
	if s.drifts() {
		s.sortWaiting()
	}
	return s.versionNow()
}

// Procs returns the number of processors of the machine.
func (s *Schedule) Procs() int { return s.procs }

// Size returns m, the number of parts of the machine, see Job.Size.
func (s *Schedule) Size() int { return s.tree.Size() }

// Busy returns the number of parts of the machine that running jobs take.
func (s *Schedule) Busy() int { return s.tree.Busy() }

// Shares returns how the schedule divides the machine. The caller must not change it.
func (s *Schedule) Shares() *Shares { return s.tree.Shares() }

// AdvanceTo lets time pass up to t. It returns ErrOutOfOrder if t is before Now.
func (s *Schedule) AdvanceTo(t Time) error {
	if t < s.now {
		return fmt.Errorf("advance from %d to %d: %w", s.now, t, ErrOutOfOrder)
	}
	for {
		if float64(t) > s.tree.Moment() {
			s.tree.Settle()
		}
		due := s.tree.Next()
		// A job that ends on time is no overdue one, hence "before t" for
		// these and "up to t" for completions, which therefore go first.
		if len(s.overruns) > 0 && s.overruns[0].due < t && float64(s.overruns[0].due) < due {
			s.outlive()
			continue
		}
		if due > float64(t) {
			break
		}
		s.tree.Complete(due)
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
	s.tree.Change(float64(e.At))
	switch e.Kind {
	case Capacity:
		s.procs = e.Procs
		s.tree.Resize(cmp.Or(e.Size, e.Procs))
		s.version++
	case Reshare:
		if !slices.Equal(s.Shares().Accounts, e.Shares.Accounts) || !slices.Equal(s.Shares().Users, e.Shares.Users) {
			s.tree.Divide(e.Shares)
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
