// Package priority turns an order of jobs into Slurm priorities.
//
// It plans the fewest changes that put the pending jobs in the order wanted. The
// plan is a pure function of what was read: the package knows no clock, file or
// process. Package slurm reads the jobs with squeue and sprio and makes the changes
// with scontrol, and package journal remembers what was written.
//
// A Channel is the field of a job that is written: its SiteFactor, its nice
// value or its priority. A Mode says whether the order decides alone or is one
// factor among those of priority/multifactor.
//
// Jobs that are held, pinned by an administrator, in a reservation, excluded,
// not eligible or unknown to the order are never written. Slurm offers no
// update that is conditional on a job's present state, so a job that is held
// or pinned between the reading and the writing, some milliseconds, may still
// be written: read the queue right before each burst. A nice value that the
// owner of a job gave it stays in force: under channel sitefactor the job
// stands that much below its place, and no other job moves.
package priority
