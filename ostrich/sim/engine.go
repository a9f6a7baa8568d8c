package sim

import (
	"cmp"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
)

// An engine replays a workload. Jobs are numbered from 0; a policy knows them by
// that number plus 1.
type engine struct {
	Machine
	jobs      []*Job
	start     []ostrich.Time // by job
	submitted int            // jobs of a log
	loop      *loop          // what submits the jobs of campaigns; nil for those of a log
	next      ostrich.Time   // the next submission; never without one

	now      ostrich.Time
	free     int
	ends     moments // of running jobs, really
	cancels  moments // of jobs that wait
	finished int     // jobs
	happened bool    // a job ended or came now
	arrived  bool    // a job came now
	expects  bool    // Running is kept up to date
	running  Running

	waiting *queue   // of jobs that could start if there were processors, without a policy
	slot    []int32  // in it by job; nil if that is the number of the job
	shelves *shelves // how it is arranged on nodes, without a policy
	tier    []int    // by job, where they are of several
	tiers   []int    // those, the highest first

	latest   filling       // the latest pass
	lasts    bool          // the latest pass goes on with the jobs that come
	goesOn   bool          // passes may do so
	enough   bool          // nobody wants to know more
	vain     int           // wakes of a ranker since something else happened or will happen
	inTurn   bool          // no job passes another
	preempts bool          // jobs may make room for others
	kept     *conservative // reservations that are kept from pass to pass
	slurm    slurm         // when Slurm's schedulers look
	placed   *placed       // jobs on nodes; nil on identical processors
	profile  profile       // of the reservations, reused
	rest     []least       // see filling, reused
	ranking
}

func newEngine(m Machine, jobs []*Job, f *floor) *engine {
	e := &engine{
		Machine: m, jobs: jobs, start: make([]ostrich.Time, len(jobs)), next: never, free: m.Procs,
		expects: m.Backfill == EASY || m.Backfill == Conservative || m.Backfill == Slurm || m.EventOrder == PerEvent,
		goesOn:  m.Policy == nil && m.Order.arrival() && m.EventOrder == Batched && m.Backfill <= Greedy && m.Tests == 0,
		inTurn:  m.Policy == nil && m.Backfill == None,
		slurm:   slurm{Scheduler: m.Scheduler.filled()},
	}
	e.latest = filling{engine: e, kind: m.Backfill, depth: m.Depth, tests: -1}
	if f != nil {
		e.preempts = m.Backfill == Slurm && f.Preempts()
		e.placed = newPlaced(e, f)
	}
	return e
}

// run processes all events in the order that the package comment describes.
func (e *engine) run() error {
	for {
		more, err := e.advance()
		if err != nil || !more || e.enough {
			return err
		}
		if e.EventOrder == PerEvent {
			err = e.oneByOne()
		} else {
			err = e.batch()
		}
		if err != nil {
			return err
		}
	}
}

// batch processes all events of an instant before it does a pass.
func (e *engine) batch() error {
	e.arrived = e.next == e.now
	e.happened = e.arrived
	e.lasts = e.lasts && e.latest.holds()
	if e.placed != nil {
		e.placed.release()
		e.placed.change()
	}
	for e.ends.first() == e.now {
		e.happened, e.lasts = true, false
		if err := e.end(); err != nil {
			return err
		}
	}
	if err := e.cancelDue(); err != nil {
		return err
	}
	for e.next == e.now {
		if err := e.submit(); err != nil {
			return err
		}
	}
	if err := e.cancelDue(); err != nil { // those that have come now
		return err
	}
	if !e.preempts {
		return e.pass()
	}
	if err := e.placed.due(); err != nil {
		return err
	}
	if err := e.pass(); err != nil {
		return err
	}
	return e.placed.settle()
}

// oneByOne does a pass after every event.
func (e *engine) oneByOne() error {
	for e.next == e.now {
		if err := e.submit(); err != nil {
			return err
		}
		if err := e.pass(); err != nil {
			return err
		}
	}
	for e.ends.first() == e.now {
		if err := e.end(); err != nil {
			return err
		}
		if err := e.pass(); err != nil {
			return err
		}
	}
	for e.cancels.first() == e.now {
		if err := e.cancel(e.cancels.pop()); err != nil {
			return err
		}
		if err := e.pass(); err != nil {
			return err
		}
	}
	return nil
}

// never is a moment behind all others.
const never = ostrich.Time(math.MaxInt64)

// advance moves the clock to the next event, if there is one: an end, a
// submission, a cancellation, a reservation that is due, or the moment at which a ranker or
// Slurm's schedulers want to be woken.
func (e *engine) advance() (more bool, err error) {
	next := min(e.ends.first(), e.next, e.cancels.first())
	if e.vain++; !e.woken || next != never || e.placed.next(true) != never {
		e.vain = 0
	}
	switch {
	case e.kept != nil:
		next = min(next, e.kept.due())
	case e.ranker != nil:
		if next, err = e.wake(next); err != nil {
			return false, err
		}
	}
	next = min(next, e.placed.next(e.waits()))
	if e.Backfill == Slurm && e.free >= e.narrowest() {
		if at := e.slurm.wake(e.now); at < next {
			next, e.woken = at, false
		}
	}
	if next == never || e.vain > mostVain+len(e.jobs) {
		left := e.widths.all
		if e.ranker == nil {
			left = e.waiting.count
		}
		if left > 0 {
			return false, plural.Errorf("%d job{|s} {is|are} held back for ever: %w", left, ErrWorkload)
		}
		return false, nil
	}
	e.now = next
	return true, nil
}

// mostVain is how often, beside once for each job, a ranker is woken in turn while nothing runs and
// nothing else will happen, before what waits is taken to wait for ever.
const mostVain = 1000

// waits reports whether a job waits that could start if there were processors.
func (e *engine) waits() bool {
	if e.ranker != nil {
		return e.widths.all > 0
	}
	return e.waiting.count > 0
}

// submit submits what comes next, which is due now.
func (e *engine) submit() error {
	if e.loop != nil {
		return e.loop.submit()
	}
	i := int32(e.submitted)
	e.submitted++
	e.await()
	if e.Cancel != nil {
		e.mayLeave(i, e.now)
	}
	return e.arrive(i)
}

// await finds the next submission of a log.
func (e *engine) await() {
	if e.next = never; e.submitted < len(e.jobs) {
		e.next = e.jobs[e.submitted].Submit
	}
}

// arrive handles a job that can start from now on.
func (e *engine) arrive(i int32) error {
	switch {
	case e.kept != nil:
		e.kept.arrive(i)
		return nil
	case e.placed.runs(i), e.lasts && e.latest.admits(i):
		return e.begin(i)
	}
	e.enqueue(i)
	return nil
}

// enqueue lets a job wait.
func (e *engine) enqueue(i int32) {
	j := e.jobs[i]
	e.waiting.add(e.place(i), i, int32(j.Procs), int32(j.Estimate))
	if e.shelves != nil {
		e.shelves.comes(e.place(i))
	}
}

// place is the slot of a job in the queue.
func (e *engine) place(i int32) int {
	if e.slot == nil {
		return int(i)
	}
	return int(e.slot[i])
}

// begin starts a job that does not wait, or no longer.
func (e *engine) begin(i int32) error {
	j := e.jobs[i]
	procs := j.Procs
	if e.placed != nil {
		procs = e.placed.begin(i)
	}
	if e.Cancel != nil {
		e.stays(i)
	}
	e.start[i] = e.now
	e.free -= procs
	e.ends.push(moment{at: e.now + ostrich.Time(e.Length(j)), number: i})
	if e.expects {
		e.running.add(Expected{End: e.now + ostrich.Time(j.Estimate), Procs: int32(procs), Job: i})
	}
	if e.loop != nil {
		return e.loop.began(i)
	}
	e.enough = e.enough || e.Began != nil && e.Began(int(i), e.now)
	return nil
}

// progressEvery is after how many ended jobs Progress is called.
const progressEvery = 1024

// end ends the running job that is the next to end.
func (e *engine) end() error {
	i := e.ends.pop()
	e.vacate(i, cmp.Or(ostrich.Duration(e.jobs[i].Completing), e.slurm.Completing))
	if e.kept != nil {
		e.kept.ended(i)
	}
	return e.done(i)
}

// vacate takes a job from its processors. Its nodes take others after a while.
func (e *engine) vacate(i int32, wait ostrich.Duration) {
	procs := e.jobs[i].Procs
	if e.placed != nil {
		procs = e.placed.end(i, wait)
	}
	e.free += procs
	if e.expects {
		e.running.remove(Expected{End: e.expected(i), Job: i})
	}
	if e.preempts {
		e.placed.departed(i)
	}
}

// done records that a job has ended.
func (e *engine) done(i int32) error {
	if e.finished++; e.Progress != nil && (e.finished%progressEvery == 0 || e.finished == len(e.jobs)) {
		e.Progress(e.finished, len(e.jobs))
	}
	if e.loop != nil {
		return e.loop.ended(i)
	}
	return nil
}

// ending counts the processors of jobs that still run and are known to end now.
func (e *engine) ending() int {
	n := 0
	for _, x := range e.running[e.running.search(Expected{End: e.now}):] {
		if x.End > e.now {
			break
		}
		if j := e.jobs[x.Job]; e.Length(j) <= j.Estimate {
			n += int(x.Procs)
		}
	}
	return n
}

// narrowest is the fewest free processors with which a waiting job might start, beyond
// all that there are if none waits.
func (e *engine) narrowest() int {
	switch {
	case e.preempts && e.waits():
		return 0
	case e.ranker != nil:
		return e.widths.least
	case e.inTurn && e.waiting.count > 0:
		return e.waiting.width(e.waiting.first)
	}
	return int(e.waiting.procs[1]) // the root of its tree
}
