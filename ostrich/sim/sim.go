package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Job is a rigid job of a workload.
type Job struct {
	ID       ostrich.JobID
	User     ostrich.UserID
	Submit   ostrich.Time
	Run      ostrich.Duration // how long it really runs, at least 1
	Estimate ostrich.Duration // how long it is expected to run, at least Run
	Procs    int              // at least 1
}

// Backfill says which jobs may start before the head of the order.
type Backfill uint8

const (
	// None lets no job jump. It is the zero value.
	None Backfill = iota
	// EASY lets a job jump if it does not delay the head.
	EASY
	// Greedy lets any job jump that fits (thesis 6.2). For sequential jobs it is
	// the same as None.
	Greedy
)

// BackfillNames lists the kinds of backfilling in the order of their constants.
var BackfillNames = []string{"none", "easy", "greedy"}

// EventOrder says what happens at one instant, see the package comment.
type EventOrder uint8

const (
	// Batched takes all ends, then all submissions, then does one pass. It is
	// the zero value.
	Batched EventOrder = iota
	// PerEvent does a pass after every event, submissions first.
	PerEvent
)

// EventOrderNames lists the event orders in the order of their constants.
var EventOrderNames = []string{"batched", "per-event"}

// Order is an order of waiting jobs that is fixed when a job arrives.
type Order struct {
	Name string
	// Compare puts the job that goes first in front; nil is the order of arrival.
	Compare func(a, b *Job) int
}

// FCFS is first come, first served.
var FCFS = Order{Name: "fcfs"}

// SPT is shortest processing time first, by estimate.
var SPT = Order{Name: "spt", Compare: func(a, b *Job) int { return cmp.Compare(a.Estimate, b.Estimate) }}

// LPT is longest processing time first, by estimate.
var LPT = Order{Name: "lpt", Compare: func(a, b *Job) int { return cmp.Compare(b.Estimate, a.Estimate) }}

// LJF is largest job first, by processors.
var LJF = Order{Name: "ljf", Compare: func(a, b *Job) int { return cmp.Compare(b.Procs, a.Procs) }}

// Machine is what a workload is replayed on.
type Machine struct {
	Procs      int
	Order      Order
	Backfill   Backfill
	EventOrder EventOrder
}

// ErrWorkload is a workload that the machine cannot run.
var ErrWorkload = errors.New("cannot be simulated")

// Replay runs a workload as it was submitted (open loop) and returns the start
// of each job. The jobs must be sorted by Submit; at one instant they are
// submitted in their order.
func (m Machine) Replay(jobs []Job) ([]ostrich.Time, error) {
	if err := m.check(jobs); err != nil {
		return nil, err
	}
	r := replay{
		machine: m, jobs: jobs, start: make([]ostrich.Time, len(jobs)), slot: m.slots(jobs), free: m.Procs,
		waiting: newQueue(len(jobs)),
	}
	if m.EventOrder == PerEvent {
		r.perEvent()
	} else {
		r.batched()
	}
	return r.start, nil
}

func (m Machine) check(jobs []Job) error {
	if m.Procs < 1 || m.Procs >= math.MaxInt32 {
		return fmt.Errorf("sim: a machine of %d processors: %w", m.Procs, ErrWorkload)
	}
	if len(jobs) >= math.MaxInt32/4 {
		return fmt.Errorf("sim: %d jobs are too many: %w", len(jobs), ErrWorkload)
	}
	for i := range jobs {
		j := &jobs[i]
		why := ""
		switch {
		case i > 0 && j.Submit < jobs[i-1].Submit:
			why = "submitted before the one in front of it"
		default:
			why = j.fault(m.Procs)
		}
		if why != "" {
			return fmt.Errorf("sim: job %d: %s: %w", j.ID, why, ErrWorkload)
		}
	}
	return nil
}

// fault tells why a machine of m processors cannot run the job, if so.
func (j *Job) fault(m int) string {
	switch {
	case j.Procs < 1 || j.Procs > m:
		return fmt.Sprintf("needs %d of %d processors", j.Procs, m)
	case j.Run < 1:
		return fmt.Sprintf("runs for %d s", j.Run)
	case j.Estimate < j.Run:
		return fmt.Sprintf("runs for %d s, longer than its estimate of %d s", j.Run, j.Estimate)
	case j.Estimate >= math.MaxInt32:
		return fmt.Sprintf("has an estimate of %d s", j.Estimate)
	}
	return ""
}

// slots gives each job its place among all jobs of the workload.
func (m Machine) slots(jobs []Job) []int32 {
	order := make([]int32, len(jobs))
	for i := range order {
		order[i] = int32(i)
	}
	if m.Order.Compare == nil {
		return order
	}
	slices.SortStableFunc(order, func(a, b int32) int { return m.Order.Compare(&jobs[a], &jobs[b]) })
	slot := make([]int32, len(jobs))
	for s, i := range order {
		slot[i] = int32(s)
	}
	return slot
}

// replay is the state of the machine.
type replay struct {
	machine Machine
	jobs    []Job
	start   []ostrich.Time
	slot    []int32

	now     ostrich.Time
	free    int
	waiting *queue
	next    int     // of the jobs, the first not submitted
	ends    endHeap // of running jobs, by when they really end
	running expects
}

// batched takes all events of an instant before it does a pass.
func (r *replay) batched() {
	for r.advance() {
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			r.end()
		}
		for r.next < len(r.jobs) && r.jobs[r.next].Submit == r.now {
			r.submit()
		}
		r.pass(r.free)
	}
}

// perEvent does a pass after every event.
func (r *replay) perEvent() {
	for r.advance() {
		for r.next < len(r.jobs) && r.jobs[r.next].Submit == r.now {
			r.submit()
			r.pass(r.free + r.running.expired(r.now))
		}
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			r.end()
			r.pass(r.free + r.running.expired(r.now))
		}
	}
}

// advance moves the clock to the next event, if there is one.
func (r *replay) advance() bool {
	switch {
	case r.next < len(r.jobs) && (len(r.ends) == 0 || r.jobs[r.next].Submit <= r.ends[0].at):
		r.now = r.jobs[r.next].Submit
	case len(r.ends) > 0:
		r.now = r.ends[0].at
	default:
		return false
	}
	return true
}

func (r *replay) submit() {
	j := &r.jobs[r.next]
	r.waiting.add(int(r.slot[r.next]), int32(r.next), int32(j.Procs), int32(j.Estimate))
	r.next++
}

func (r *replay) end() {
	i := r.ends.pop()
	j := &r.jobs[i]
	r.free += j.Procs
	r.running.remove(expect{at: r.start[i] + ostrich.Time(j.Estimate), job: i})
}

// pass starts what may start on the available processors.
func (r *replay) pass(available int) {
	for {
		head := r.waiting.head()
		if head < 0 {
			return
		}
		i := r.waiting.job[head]
		if r.jobs[i].Procs > available {
			if r.machine.Backfill != None && available > 0 {
				r.backfill(head, available)
			}
			return
		}
		available -= r.begin(head, i)
	}
}

// begin starts a waiting job and returns its processors.
func (r *replay) begin(slot int, i int32) int {
	j := &r.jobs[i]
	r.waiting.remove(slot)
	r.start[i] = r.now
	r.free -= j.Procs
	r.ends.push(end{at: r.now + ostrich.Time(j.Run), job: i})
	r.running.add(expect{at: r.now + ostrich.Time(j.Estimate), procs: int32(j.Procs), job: i})
	return j.Procs
}

// backfill lets jobs pass the head, which does not fit in the available processors.
func (r *replay) backfill(head, available int) {
	f := room{free: available, extra: available}
	if r.machine.Backfill == EASY {
		f = r.running.reserve(r.now, available, r.jobs[r.waiting.job[head]].Procs, r.machine.EventOrder == Batched)
	}
	for slot := head; f.free > 0; {
		if slot = f.next(r.waiting, slot+1); slot < 0 {
			return
		}
		i := r.waiting.job[slot]
		f.take(&r.jobs[i])
		r.begin(slot, i)
	}
}
