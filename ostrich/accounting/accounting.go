// Package accounting holds what Slurm's accounting knows of the jobs of a
// cluster, wherever it was read: from slurmdbd's tables by package slurmdb, or
// from a dump by package sacct.
package accounting

import (
	"errors"

	"slurm-ostrich/ostrich"
)

// Job is a job as accounting has it. A job that was requeued is there once for
// each of its runs, with the submission that Slurm gives each. A job that was
// resized is one job of its mean size.
type Job struct {
	ID          ostrich.JobID // id_job, sacct's JobIDRaw
	Array       ostrich.JobID // the array that it is a task of, or 0
	Association int32         // of History.Associations
	Partition   int32         // of History.Partitions; the first of several
	QOS         int32         // of History.QOS
	State       State
	Tasks       int32 // pending tasks of an array that Slurm keeps in one record; else 1

	Procs      int32   // allocated, or asked for if it has not started; of one task
	Asked      int32   // processors asked for, by one task
	Nodes      int32   // allocated, or asked for; 0 if not known
	AskedNodes int32   // at least so many; 0 if not known
	Memory     int64   // asked for, of all nodes, in MiB; 0 if not known
	Billing    float64 // the billing TRES of the allocation; 0 if not known
	Class      uint64  // see ostrich.Job.Class

	// NameClass and ScriptClass are what Class would be by name and by script; 0
	// where there is none, or it was not read.
	NameClass, ScriptClass uint64

	Submit    ostrich.Time
	Eligible  ostrich.Time     // 0 if it never was, or nobody knows
	Start     ostrich.Time     // 0 if it never did
	End       ostrich.Time     // 0 if it has not
	Suspended ostrich.Duration // between start and end
	Limit     ostrich.Duration // time limit; 0 without one
}

// State is how far a job has come.
type State uint8

const (
	// Pending waits for its start. It is the zero value.
	Pending State = iota
	// Running has started, and may be suspended now.
	Running
	// Completed ended by itself with exit code 0.
	Completed
	// Failed ended by itself with another exit code, or for want of memory.
	Failed
	// Cancelled was ended by somebody, started or not.
	Cancelled
	// TimedOut was ended at its limit.
	TimedOut
	// Lost was ended by Slurm: its nodes failed, it was preempted or requeued.
	Lost

	// Resized went on in another record, with another size. It is for Builder,
	// which makes one job of both: no job of a History has it.
	Resized
)

// Association is who jobs run for: a user in an account.
type Association struct {
	ID            uint32 // id_assoc; 0 if not known
	User, Account string
}

// Ended tells whether a job in this state has ended.
func (s State) Ended() bool { return s >= Completed }

// MaxFaults is how many of the records left out a History remembers.
const MaxFaults = 10

// ErrEmpty is a history without a job.
var ErrEmpty = errors.New("no job")

// History is what happened on a cluster in a span of time.
type History struct {
	Cluster string
	From    ostrich.Time // jobs that ran, waited or ended at From or later
	To      ostrich.Time // and were submitted before To
	Procs   int          // of the cluster, as of To; 0 if not known
	Nodes   int          // of the cluster, as of To; 0 if not known

	Jobs         []Job // by Submit, then ID
	Associations []Association
	Partitions   []string
	QOS          []string // "" is none

	Notes []string // what was left out or changed, a sentence a reason

	// Skipped counts the records that cannot be true and were left out, and
	// Faults tells of the first, at most MaxFaults.
	Skipped int
	Faults  []error
}
