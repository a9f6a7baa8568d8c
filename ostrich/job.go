package ostrich

import (
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/scalar"
	"slurm-ostrich/ostrich/sharing"
)

type (
	// Time is a moment in Unix seconds, see package scalar.
	Time = scalar.Time
	// Duration is a length of time in seconds.
	Duration = scalar.Duration
	// Work is an amount of computation in processor-seconds.
	Work = scalar.Work
	// JobID is Slurm's id_job.
	JobID = scalar.JobID
	// UserID identifies what competes for the machine: one line of the virtual schedule.
	UserID = scalar.UserID

	// Shares divides the machine between users, see package sharing.
	Shares = sharing.Shares
	// Account is an inner node of the tree of shares.
	Account = sharing.Account
	// UserShare is a leaf of the tree of shares.
	UserShare = sharing.UserShare
)

// Job is one record of Slurm's queue: a job, a started task of a job array, a
// component of a heterogeneous job, or the pending tasks of a job array, which
// Slurm keeps in a single record until each of them starts.
type Job struct {
	ID   JobID
	User UserID

	// Group ties records that were submitted together and always share a
	// campaign: the id_array_job of an array and its tasks, the id of the
	// leader for the components of a heterogeneous job. 0 for a single job.
	Group JobID

	// Outcome is how a job that has ended did so.
	Outcome lengths.Outcome

	// Partition is Slurm's partition, or the comma-separated list of a
	// pending job that may run in any of several.
	Partition string

	// QOS is the name of Slurm's quality of service, or the comma-separated list of
	// a pending job that may have any of several.
	QOS string

	// Tasks counts the identical pending tasks this record stands for. 0 and
	// 1 both mean one.
	Tasks int

	// Procs is the number of processors one task asks for, or holds once it
	// has started (q in the papers). At least 1.
	Procs int

	// Size is how much of the machine one task takes, in the parts in which the
	// machine is counted (see Event.Size): work is size times length. 0 is as many parts
	// as Procs, which is the machine of the papers.
	Size int

	// Needs is the number of what one task asks of nodes beside Procs, in the list of
	// who reports it; 0 is not known. The virtual schedule knows no nodes.
	Needs uint32

	// Estimate is the expected length of one task (p in the papers), usually
	// its time limit. At least 1.
	Estimate Duration

	// Class is a number for what the job does: jobs of one user with the same
	// class, width and limit are expected to run alike (see lengths.Alike). It is a hash
	// of the job's name or script, and 0 where nothing is known.
	Class uint64

	// Hint is how long the user says one task will run; 0 if nothing is said.
	//
	// A wrong hint costs the others no more than the user's share. As far as their own
	// lengths are known, their campaigns complete virtually no later than if this
	// user had work at all times. A job that has ended counts for what it took,
	// whatever the hint. A hint that is too long delays the user's own campaigns. One
	// that is too short delays no campaign of the others until a job outlives it. The
	// missing work then counts as work that has just come, so a campaign of another
	// user that came meanwhile may complete later than with the true length.
	Hint Duration

	// Nice is the user's own nice value: of the pending jobs of a campaign, a smaller
	// one goes first. It counts for nothing else, so it moves no job of another
	// campaign. 0 is Slurm's default.
	Nice int64

	// Campaign is the name of the campaign to which the user declares the job to
	// belong; "" leaves the choice to Options.Rule.
	Campaign string

	Submit Time // when the job was first submitted; a requeue does not change it
	Start  Time // 0 while pending
	End    Time // 0 until the job has ended

	// Suspended is how long the job had been suspended, of the time between
	// Start and End.
	Suspended Duration
}

// Count returns the number of tasks the record stands for, at least 1.
func (j *Job) Count() int { return max(j.Tasks, 1) }

// ran is how long a job that has ended really ran.
func (j *Job) ran() Duration { return max(0, Duration(j.End-j.Start)-j.Suspended) }

// Part is how much of the machine one task takes: its Size, or its Procs.
func (j *Job) Part() int {
	if j.Size != 0 {
		return j.Size
	}
	return j.Procs
}

// takes is how much of the machine the record takes, with all of its tasks.
func (j *Job) takes() int { return j.Part() * j.Count() }

// area is the work of the record when each of its tasks runs for d.
func (j *Job) area(d Duration) Work { return Work(d) * Work(j.takes()) }
