package sim

import (
	"errors"
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim/nodes"
)

// Job is a rigid job of a workload, and how it ran if that comes from a log.
type Job struct {
	ID       ostrich.JobID
	User     ostrich.UserID
	Submit   ostrich.Time
	Run      ostrich.Duration // how long it runs if nobody ends it, at least 1
	Estimate ostrich.Duration // how long it is expected to run, at least 1; its limit under Kill
	Procs    int              // at least 1
	Size     int              // see ostrich.Job.Size: for OStrich alone
	Class    uint64           // see ostrich.Job.Class
	Request  int32            // 1 + its place in Machine.Requests; 0 asks for Procs processors, wherever they are
	Array    ostrich.JobID    // the array of which it is a task; 0 for none

	// Queued is its place among the jobs as they were submitted, some of which come later than those behind them.
	Queued int32

	// Completing is how many seconds after its end its nodes take no others, under Slurm; 0 is
	// Scheduler.Completing.
	Completing int32

	// Tier is the PriorityTier of its partition: among the jobs of campaigns, those of a higher one go first,
	// whatever the policy says.
	Tier int32

	Outcome lengths.Outcome // of a run that nobody ends

	// A log says when it started, and for how long it was suspended between its start and its end. No replay
	// looks at that.
	Start     ostrich.Time
	Suspended ostrich.Time
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
	// Scheduler.
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
	// PerEvent does a pass after every event, submissions first. It is not
	// offered with a Policy.
	PerEvent
)

// EventOrderNames lists the event orders in the order of their constants.
var EventOrderNames = []string{"batched", "per-event"}

// Machine says on what a workload is replayed, and how. The zero value, but for
// Procs, is first come, first served; campaigns come in a closed loop, all jobs of
// one at once, and these depend on nothing.
type Machine struct {
	Procs    int
	Policy   Policy         // who goes first; nil leaves it to Order
	Order    Order          // of all jobs, without a Policy
	Inside   ostrich.Inside // which job of a campaign goes first, by estimate, where a Policy ranks campaigns
	Backfill Backfill       // who may jump

	// Cluster are the nodes on which jobs are placed; nil is a machine of Procs
	// identical processors. With it the machine has the CPUs of its nodes,
	// whatever Procs says. Requests are what the jobs ask of it.
	Cluster  *nodes.Cluster
	Requests []nodes.Request
	// Placed is called when a job begins on nodes, with the number of the job (from 0,
	// campaign by campaign) and what it has of them, a copy to keep; it may be nil.
	Placed func(job int, at ostrich.Time, a *nodes.Allocation)

	// On is what the first jobs have of the nodes in Replay, which run already as it begins: they are submitted then, and start at once,
	// whatever their requests say. All of it must fit. One of which that is nil is placed as any other, though no limit keeps it.
	On []*nodes.Allocation

	// Began is called in Replay when a job begins that Replay knows by its place among the jobs, from 0;
	// it may be nil. If it returns true, nobody wants to know more: the replay ends, and the starts of jobs that
	// have not begun mean nothing.
	Began func(job int, at ostrich.Time) (enough bool)

	EventOrder EventOrder // what happens at one instant
	Scheduler  Scheduler  // under Slurm, how; the zero value is Slurm's own defaults

	// Depth is how many jobs get a reservation where Conservative makes them anew at
	// each pass: from the first job that does not fit; those behind wait. 0 is all,
	// which takes a second or two for each 50 000 jobs on a busy machine.
	Depth int

	// Tests is after how many jobs that find no nodes a pass of EASY gives up, as bf_max_job_test bounds it; 0 is never. A replay of
	// jobs counts one of those that ask for the same.
	Tests int

	// Cancel says, by id, how long after its submission a job is cancelled; nil if none is. It leaves the queue then, and never
	// runs. One that has started by then runs on. A closed loop does not wait for a campaign all of whose jobs are in it, which
	// comes as logged.
	Cancel map[ostrich.JobID]ostrich.Duration

	// Open submits each campaign when it was logged, whatever became of the
	// one before. A closed loop submits the first campaign of a user then, and
	// each further one when the last has really ended and its think time has
	// passed.
	Open bool
	// Offsets submits the jobs of a campaign at their logged distance from its
	// first one, instead of all at once.
	Offsets bool
	// Dependencies lets a job wait until those it depends on have ended (thesis
	// 5.4.4, see [Depend]). Inside a campaign the jobs with most immediate successors then
	// go first, and only among equals does Inside decide.
	Dependencies bool
	// Hints tells a Policy how long each job runs, as if all users said so (see ostrich.Job.Hint).
	Hints bool
	// Kill ends a job at its estimate. Otherwise one that outlives it runs on to
	// its end, and is expected to end at any moment.
	Kill bool

	// Progress is called now and then with the number of jobs that have ended and
	// that of all, and at the end; it may be nil.
	Progress func(ended, jobs int)

	floor *floor // see Prepare
}

// ErrWorkload marks a workload that the machine cannot run.
var ErrWorkload = errors.New("cannot be simulated")

// Length returns how long a job runs on the machine: its Run, but no longer than its
// Estimate under Kill.
func (m *Machine) Length(j *Job) ostrich.Duration {
	if m.Kill {
		return min(j.Run, j.Estimate)
	}
	return j.Run
}

// Replay runs the jobs of a log as they were submitted and returns the start of
// each, which then runs for its Length; Never for one that was cancelled before. The jobs must be sorted by Submit; at one
// instant they are submitted in their order. Without a job there is no start.
//
// It is Run with a campaign for each job in an open loop, but that without a Policy
// Conservative keeps its reservations from pass to pass, and jobs have no Tier. Without a Policy it
// also needs less: beside the jobs and 16 bytes for each what grows
// with the jobs that wait or run, and up to 48 bytes a job for an Order other than
// that of arrival.
func (m Machine) Replay(jobs []Job) ([]ostrich.Time, error) {
	floor, err := m.check()
	if err != nil {
		return nil, err
	}
	if err := m.checkJobs(jobs, floor); err != nil {
		return nil, err
	}
	m.Open = true
	list := make([]*Job, len(jobs))
	for i := range jobs {
		list[i] = &jobs[i]
	}
	if m.Policy != nil || floor != nil && floor.Preempts() {
		return m.replayCampaigns(list)
	}
	e := newEngine(m, list, floor)
	switch {
	case m.Order.arrival():
		e.waiting = newQueue(sliding)
	default:
		e.waiting, e.slot = newQueue(len(jobs)), m.Order.slots(list)
		if floor != nil && (m.Backfill == EASY || m.Backfill == Greedy) {
			e.shelves, e.slot = floor.shelve(list, e.slot)
		}
	}
	if m.Backfill == Conservative && floor == nil {
		e.kept = &conservative{engine: e}
	}
	e.await()
	if err := e.run(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	return e.start, nil
}

// replayCampaigns is Replay with a campaign for each job.
func (m Machine) replayCampaigns(jobs []*Job) ([]ostrich.Time, error) {
	campaigns := make([]Campaign, len(jobs))
	for i, j := range jobs {
		campaigns[i] = Campaign{User: j.User, Submit: j.Submit, Jobs: jobs[i : i+1]}
	}
	ran, err := m.Run(campaigns)
	if err != nil {
		return nil, err
	}
	starts := make([]ostrich.Time, len(ran))
	for i := range ran {
		if starts[i] = ran[i].Start; ran[i].End == ran[i].Start {
			starts[i] = Never
		}
	}
	return starts, nil
}

// Run replays campaigns and returns their jobs, campaign by campaign, each in the
// order of its jobs. The campaigns must be sorted by Submit.
//
// A job counts as submitted as soon as the user could submit it: when its
// campaign and its offset have come, and what it depends on has ended. A
// campaign is submitted with its first job.
func (m Machine) Run(campaigns []Campaign) ([]report.Job, error) {
	floor, err := m.check()
	if err != nil {
		return nil, err
	}
	n, err := m.checkCampaigns(campaigns, floor)
	if err != nil {
		return nil, err
	}
	l, err := newLoop(m, campaigns, n, floor)
	if err == nil {
		err = l.run()
	}
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	return l.result(), nil
}

// check returns what is wrong with the settings, or the machine's nodes: nil if its processors are identical.
func (m *Machine) check() (*floor, error) {
	if m.floor == nil {
		if err := m.Prepare(); err != nil {
			return nil, err
		}
	}
	return m.floor, m.checkSettings()
}

// checkSettings returns what is wrong with the settings.
func (m *Machine) checkSettings() error {
	switch {
	case m.Procs < 1 || m.Procs >= math.MaxInt32:
		return fmt.Errorf("sim: a machine of %d processors: %w", m.Procs, ErrWorkload)
	case int(m.Backfill) >= len(BackfillNames):
		return fmt.Errorf("sim: backfilling number %d is not known: %w", m.Backfill, ErrWorkload)
	case int(m.EventOrder) >= len(EventOrderNames):
		return fmt.Errorf("sim: event order number %d is not known: %w", m.EventOrder, ErrWorkload)
	case m.EventOrder == PerEvent && m.Policy != nil:
		return fmt.Errorf("sim: a policy takes the events of an instant batched, not %s: %w", EventOrderNames[m.EventOrder], ErrWorkload)
	case m.EventOrder == PerEvent && (m.Backfill == Conservative || m.Backfill == Slurm):
		return fmt.Errorf("sim: %s backfilling takes the events of an instant batched, not %s: %w",
			BackfillNames[m.Backfill], EventOrderNames[m.EventOrder], ErrWorkload)
	case m.EventOrder == PerEvent && m.Cluster != nil:
		return fmt.Errorf("sim: nodes take the events of an instant batched, not %s: %w", EventOrderNames[m.EventOrder], ErrWorkload)
	case m.Cluster != nil && len(m.Cluster.Reservations) > 0 && m.Backfill != Slurm:
		return fmt.Errorf("sim: nodes are reserved under %s only, not under %s: %w", BackfillNames[Slurm], BackfillNames[m.Backfill], ErrWorkload)
	case m.Depth < 0:
		return fmt.Errorf("sim: reservations for %d jobs: %w", m.Depth, ErrWorkload)
	}
	return m.Scheduler.check()
}

// checkJobs returns what is wrong with the jobs of a log.
func (m *Machine) checkJobs(jobs []Job, f *floor) error {
	if len(jobs) >= mostJobs {
		return fmt.Errorf("sim: %d jobs are too many: %w", len(jobs), ErrWorkload)
	}
	for i := range jobs {
		j := &jobs[i]
		why := submitFault(j.Submit, jobs[max(0, i-1)].Submit)
		if why == "" {
			why = m.jobFault(j, f)
		}
		if why != "" {
			return fmt.Errorf("sim: job %d: %s: %w", j.ID, why, ErrWorkload)
		}
	}
	if f != nil && (len(m.On) > len(jobs) || !f.Fit(m.On)) {
		return fmt.Errorf("sim: the first %d jobs cannot all run where they do: %w", len(m.On), ErrWorkload)
	}
	return nil
}

// mostJobs is one more than a workload may have.
const mostJobs = math.MaxInt32 / 4

// latest is the last moment of a submission, and the most that the times of a
// user may add up to: no sum of run times after both, each of 31 bits, of as many
// jobs as there may be, overflows.
const latest = ostrich.Time(1) << 61

// Longest is the longest that a job may run or be expected to.
const Longest = ostrich.Duration(math.MaxInt32 - 1)

// submitFault returns what is wrong with the submission time of a job or a campaign, "" for
// nothing. before is that of the one in front of it, for the first one its own.
func submitFault(submit, before ostrich.Time) string {
	switch {
	case submit < before:
		return "submitted before the one in front of it"
	case submit < -latest || submit > latest:
		return fmt.Sprintf("submitted at %d", submit)
	}
	return ""
}

// jobFault returns why the machine cannot run a job; "" if it can.
func (m *Machine) jobFault(j *Job, f *floor) string {
	why := m.cancelFault(j.ID)
	switch {
	case j.Procs < 1 || j.Procs > m.Procs:
		why = fmt.Sprintf("needs %d of %d processors", j.Procs, m.Procs)
	case j.Run < 1 || j.Run > Longest:
		why = fmt.Sprintf("runs for %d s", j.Run)
	case j.Estimate < 1 || j.Estimate > Longest:
		why = fmt.Sprintf("has an estimate of %d s", j.Estimate)
	case why == "" && f != nil:
		why = f.fault(j.Request, j.Procs)
	}
	return why
}
