package ostrich

// Time is a moment in Unix seconds. The zero value means "not yet", as it
// does in Slurm's accounting tables.
type Time int64

// Duration is a length of time in seconds.
type Duration int64

// Work is an amount of computation in processor-seconds.
type Work float64

// JobID is Slurm's id_job. Slurm uses an id again after a wrap, so it names a
// job only among those that have not ended.
type JobID uint32

// UserID names what competes for the machine: one line of the virtual
// schedule. With flat shares it is a user's uid, with shares from the
// association tree the id of a user's association.
type UserID uint32

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

	// Partition is Slurm's partition, or the comma-separated list of a
	// pending job that may run in any of several.
	Partition string

	// Tasks counts the identical pending tasks this record stands for. 0 and
	// 1 both mean one.
	Tasks int

	// Procs is the number of processors one task asks for, or holds once it
	// has started (q in the papers). At least 1.
	Procs int

	// Estimate is the expected length of one task (p in the papers), usually
	// its time limit. At least 1.
	Estimate Duration

	Submit Time // when the job was first submitted; a requeue does not change it
	Start  Time // 0 while pending
	End    Time // 0 until the job has ended

	// Suspended is how long the job had been suspended, of the time between
	// Start and End.
	Suspended Duration
}

// Count is the number of tasks the record stands for, at least 1.
func (j *Job) Count() int { return max(j.Tasks, 1) }

// area is the work of the record when each of its tasks runs for d.
func (j *Job) area(d Duration) Work {
	return Work(d) * Work(j.Procs) * Work(j.Count())
}
