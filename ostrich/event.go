package ostrich

import (
	"cmp"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// Kind says what happened to a job or to the machine.
type Kind uint8

// The kinds of events. Accounting tables and simulators report the same ones.
const (
	// Capacity: the pool has Event.Procs processors, Event.Size parts, from now on.
	Capacity Kind = iota + 1
	// Reshare: the machine is divided as Event.Shares says from now on.
	Reshare
	// Submit: a job becomes known and joins a campaign. At is the job's
	// submission time. Repeating it for a known job is the same as Change.
	Submit
	// Change: Event.Job replaces what is known of a job that has not ended: its user,
	// campaign, partition, QOS, tasks, processors, size, estimate, class, hint and nice value.
	Change
	// Start: the job starts on Event.Job.Procs processors.
	Start
	// Suspend: a running job gives its processors back but stays started.
	Suspend
	// Resume: a suspended job runs again.
	Resume
	// Requeue: a running job returns to the queue as Event.Job and keeps its campaign.
	Requeue
	// End: the job has ended. Job.Start, Job.End and Job.Suspended say how
	// long it really ran. Job.Start is 0 if it never ran, as for a job cancelled
	// while pending.
	End
	// Hold: a pending job cannot start by itself: it is held, depends on another
	// job, begins later, asks for the impossible or has reached a limit. It counts
	// for nothing until its Release or Start. A Hold of a running job changes nothing,
	// nor does one of a job that has ended: within a second a departure comes first.
	Hold
	// Release: a held job can start, and counts as if submitted now.
	Release
)

var kindNames = [...]string{
	Capacity: "capacity", Reshare: "reshare", Submit: "submit", Change: "change", Start: "start",
	Suspend: "suspend", Resume: "resume", Requeue: "requeue", End: "end", Hold: "hold", Release: "release",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Event is something that happened at a moment. The reader of slurmdbd's tables
// and the simulator both produce events; a Schedule consumes them.
type Event struct {
	At   Time
	Kind Kind

	Job    Job     // the job's state after the event; unused by Capacity and Reshare
	Pool   string  // Capacity: the pool; "" with a single pool
	Procs  int     // Capacity: processors of the pool, at least 0
	Size   int     // Capacity: parts of the pool, at least 0, see Job.Size; 0: as many as Procs
	Shares *Shares // Reshare: the new division; not changed afterwards
}

// Compare sorts events into the order that Schedule.Step needs:
//
//  1. earlier first
//  2. at one moment the machine, then departures, arrivals, holds, releases,
//     starts, and last the departures of jobs that also arrived or started in this
//     second. So a job submitted in the second in which a campaign ends opens a
//     new campaign (thesis 5.4.2: "prior to the completion time").
//  3. the smaller job id
//  4. the smaller kind
func Compare(a, b Event) int {
	return cmp.Or(
		cmp.Compare(a.At, b.At),
		cmp.Compare(a.phase(), b.phase()),
		cmp.Compare(a.Job.ID, b.Job.ID),
		cmp.Compare(a.Kind, b.Kind),
	)
}

// inOrder returns events in the order of Compare, equal ones as they are given.
func inOrder(events []Event) []Event {
	if slices.IsSortedFunc(events, Compare) {
		return events
	}
	events = slices.Clone(events)
	slices.SortStableFunc(events, Compare)
	return events
}

// phase is the place of the event among those of its second.
func (e Event) phase() int {
	switch e.Kind {
	case Capacity, Reshare:
		return 0
	case End, Requeue, Suspend:
		if e.Job.leavesLate(e.At) {
			return 7
		}
		return 1
	case Change:
		return 2
	case Submit:
		return 3
	case Hold:
		return 4
	case Release:
		return 5
	case Start, Resume:
		return 6
	default:
		return 8
	}
}

// leavesLate reports whether a departure comes after the arrivals and starts of its
// second, as the job came or started in it.
func (j *Job) leavesLate(at Time) bool { return scalar.LeavesLate(j.Submit, j.Start, at) }
