// Package accounting describes the jobs of a cluster as Slurm's accounting knows
// them. Package slurmdb reads them from slurmdbd's tables, package sacct from a
// dump.
package accounting

import (
	"errors"

	"slurm-ostrich/ostrich"
)

// Job is a job in accounting. A job that was requeued has an entry for each of
// its runs, with the submission that Slurm gives each run. A job that was resized
// is one job of its mean size.
type Job struct {
	ID          ostrich.JobID // id_job, sacct's JobIDRaw
	Array       ostrich.JobID // the array of a task, or 0
	Het         ostrich.JobID // the first component of a heterogeneous job, or 0
	Association int32         // of History.Associations
	Partition   int32         // of History.Partitions; the first of several
	QOS         int32         // of History.QOS
	Needs       int32         // of History.Needs
	Where       int32         // of History.Where: the nodes on which it ran
	State       State
	Tasks       int32 // pending tasks of an array that Slurm keeps in one record; else 1
	Backfilled  bool  // the backfill scheduler started it
	Resized     bool  // its size changed while it ran, and is the mean
	ByLine      bool  // the line of submission tells of the kind or the run, see tools.Said
	Tool        uint8 // the row of the workflow tool, see tools.Said; 0 for none

	Procs      int32   // allocated, or requested before the start; of one task
	Asked      int32   // processors requested, of one task
	Nodes      int32   // allocated, or requested before the start; 0 if not known
	AskedNodes int32   // lowest number requested; 0 if not known
	Memory     int64   // requested, of all nodes, in MiB; 0 if not known
	Billing    float64 // the billing TRES of the allocation; 0 if not known
	Units      float64 // what it takes of the unit of work, without what its QOS makes of that; 0: by processors
	Class      uint64  // see ostrich.Job.Class
	Priority   uint32  // as slurmctld told slurmdbd when the job was submitted; 0 if not known

	// The classes by name, by script and by kind (package tools); 0 if there is none or it was
	// not read.
	NameClass, ScriptClass, KindClass uint64

	Submit    ostrich.Time
	Eligible  ostrich.Time     // 0 if it never was, or if it is not known
	Start     ostrich.Time     // 0 if it never did
	End       ostrich.Time     // 0 if it has not
	Suspended ostrich.Duration // between start and end
	Limit     ostrich.Duration // time limit; 0 without one
}

// Ran is how long the job ran, without its suspensions; 0 if it has not ended.
func (j *Job) Ran() ostrich.Duration {
	if j.Start == 0 || j.End == 0 {
		return 0
	}
	return max(0, ostrich.Duration(j.End-j.Start)-j.Suspended)
}

// Count returns how many jobs a record stands for: the tasks of an array wait in one.
func (j *Job) Count() int { return int(max(1, j.Tasks)) }

// Came is when the job could first run: one that waits for another or for a moment is not in the
// queue yet.
func (j *Job) Came() ostrich.Time {
	if j.Eligible > j.Submit && (j.Start == 0 || j.Eligible <= j.Start) {
		return j.Eligible
	}
	return j.Submit
}

// Association is a user in an account, for whom jobs run.
type Association struct {
	ID            uint32 // id_assoc; 0 if not known
	User, Account string
	Partition     string // if it is for this one only; see History.Assign
}

// NodeEvent is a row of the event table: an outage of a node, or a size of the
// cluster if Node is "".
type NodeEvent struct {
	Node     string
	From, To ostrich.Time // From is 0 if nobody knows since when, To while it lasts
	State    uint32       // of the node as Slurm stores it, with its flags
	TRES                  // of the node, or of the cluster
}

// Reservation is a span of time for which nodes are kept for some jobs. One that was changed
// while it lasted is several, one after the other.
type Reservation struct {
	Name     string
	Nodes    string // as Slurm lists them; "" for one of licences
	From, To ostrich.Time
	CPUs     uint64 // fewer than the nodes have: only these are kept; 0 if that is not known
	Flex     bool   // its jobs may use other nodes too, and times outside it
	Floats   bool   // it stays as far ahead as it is, and never begins
}

// The parts of NodeEvent.State that say why a node takes no jobs (slurm/slurm.h).
const (
	NodeBase  = 0xf // the part that is one of the states, of which one is NodeDown
	NodeDown  = 1
	NodeDrain = 1 << 9
)

// Down reports whether the node was down in an outage, not only drained.
func (e *NodeEvent) Down() bool { return e.State&NodeBase == NodeDown }

// MaxFaults is how many faults a History keeps.
const MaxFaults = 10

// ErrEmpty marks a history without a job.
var ErrEmpty = errors.New("no job")

// History is what happened on a cluster in a span of time.
type History struct {
	Cluster string
	From    ostrich.Time // it has the jobs that ran, waited or ended at From or later
	To      ostrich.Time // and were submitted before To
	Procs   int          // of the cluster, as of To; 0 if not known
	Nodes   int          // of the cluster, as of To; 0 if not known

	Jobs         []Job // by Submit, then ID
	Associations []Association
	Partitions   []string
	QOS          []string // "" is none
	Needs        []Needs  // the first asks for nothing; may be empty
	Where        []string // lists of nodes; the first is ""; may be empty

	Unstarted bool // nothing tells when jobs started: they count as started when they were submitted

	Lacks []string // sacct's columns of how jobs were scheduled that the dump, or one of several, has not

	Notes []string // what was left out or changed, one sentence for each reason

	// Skipped counts the records that were left out because they cannot be true.
	// Faults has the reasons of the first, at most MaxFaults.
	Skipped int
	Faults  []error
}
