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
	Run      ostrich.Duration // how long it runs if nobody ends it, at least 1
	Estimate ostrich.Duration // how long it is expected to run, at least 1; its limit under Kill
	Procs    int              // at least 1
	Class    uint64           // see ostrich.Job.Class
	Hint     ostrich.Duration // see ostrich.Job.Hint
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
	// Conservative lets a job jump if it delays none of those that wait already:
	// each has a reservation, see the package comment. It is not offered with
	// PerEvent.
	Conservative
	// Slurm starts jobs when slurmctld does: its main scheduler at events, its
	// backfill scheduler now and then, both no deeper than they look. See
	// Scheduler. Only a Loop has it.
	Slurm
)

// BackfillNames lists the kinds of backfilling in the order of their constants.
var BackfillNames = []string{"none", "easy", "greedy", "conservative", "slurm"}

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
	// Kill ends a job when it has run for its estimate. Without it a job that
	// outlives its estimate runs on, and is expected to end at any moment.
	Kill bool
	// Progress, if there is one, is told from time to time how many of the jobs
	// have ended, and at the end.
	Progress func(done, total int)
}

// ErrWorkload is a workload that the machine cannot run.
var ErrWorkload = errors.New("cannot be simulated")

// Length is how long a job runs on the machine: its Run, but no longer than its
// Estimate under Kill.
func (m Machine) Length(j *Job) ostrich.Duration { return lasts(j.Run, j.Estimate, m.Kill) }

// lasts is how long a job runs, with kill no longer than its estimate.
func lasts(run, estimate ostrich.Duration, kill bool) ostrich.Duration {
	if kill {
		return min(run, estimate)
	}
	return run
}

// Replay runs a workload as it was submitted (open loop) and returns the start
// of each job, which then runs for its Length. The jobs must be sorted by Submit;
// at one instant they are submitted in their order. Without a job there is no
// start. What it needs beside the jobs (40 bytes each) and the starts (8) grows
// with the jobs that wait or run; an Order other than that of arrival needs up
// to 48 bytes a job more.
func (m Machine) Replay(jobs []Job) ([]ostrich.Time, error) {
	if err := m.check(jobs); err != nil {
		return nil, err
	}
	r := newReplay(m, jobs)
	switch {
	case m.Backfill == Conservative:
		(&conservative{replay: r}).run()
	case m.EventOrder == PerEvent:
		r.perEvent()
	default:
		r.batched()
	}
	if m.Progress != nil {
		m.Progress(len(jobs), len(jobs))
	}
	return r.start, nil
}

func (m Machine) check(jobs []Job) error {
	switch {
	case m.Procs < 1 || m.Procs >= math.MaxInt32:
		return fmt.Errorf("sim: a machine of %d processors: %w", m.Procs, ErrWorkload)
	case int(m.Backfill) >= len(BackfillNames):
		return fmt.Errorf("sim: backfilling number %d is not known: %w", m.Backfill, ErrWorkload)
	case m.Backfill == Slurm:
		return fmt.Errorf("sim: Slurm's schedulers are those of a loop: %w", ErrWorkload)
	case int(m.EventOrder) >= len(EventOrderNames):
		return fmt.Errorf("sim: event order number %d is not known: %w", m.EventOrder, ErrWorkload)
	case m.Backfill == Conservative && m.EventOrder != Batched:
		return fmt.Errorf("sim: conservative backfilling takes the events of an instant batched, not %s: %w",
			EventOrderNames[m.EventOrder], ErrWorkload)
	case len(jobs) >= math.MaxInt32/4:
		return fmt.Errorf("sim: %d jobs are too many: %w", len(jobs), ErrWorkload)
	}
	for i := range jobs {
		j := &jobs[i]
		why := ""
		switch {
		case i > 0 && j.Submit < jobs[i-1].Submit:
			why = "submitted before the one in front of it"
		case j.Submit < -latest || j.Submit > latest:
			why = fmt.Sprintf("submitted at %d", j.Submit)
		default:
			why = fault(m.Procs, j.Procs, j.Run, j.Estimate)
		}
		if why != "" {
			return fmt.Errorf("sim: job %d: %s: %w", j.ID, why, ErrWorkload)
		}
	}
	return nil
}

// latest is the last moment of a submission, and the most that the times of a
// user may add up to: no sum of run times after both, each of 31 bits, of as many
// jobs as there may be, overflows.
const latest = ostrich.Time(1) << 61

// longest is the longest that a job may run or be expected to.
const longest = ostrich.Duration(math.MaxInt32 - 1)

// fault tells why a machine of m processors cannot run a job, if so.
func fault(m, procs int, run, estimate ostrich.Duration) string {
	switch {
	case procs < 1 || procs > m:
		return fmt.Sprintf("needs %d of %d processors", procs, m)
	case run < 1 || run > longest:
		return fmt.Sprintf("runs for %d s", run)
	case estimate < 1 || estimate > longest:
		return fmt.Sprintf("has an estimate of %d s", estimate)
	}
	return ""
}

// slots gives each job its place among all jobs of the workload; nil if that is
// the order of arrival.
func (m Machine) slots(jobs []Job) []int32 {
	if m.Order.Compare == nil {
		return nil
	}
	order := make([]int32, len(jobs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return m.Order.Compare(&jobs[a], &jobs[b]) })
	slot := make([]int32, len(jobs))
	for s, i := range order {
		slot[i] = int32(s)
	}
	return slot
}
