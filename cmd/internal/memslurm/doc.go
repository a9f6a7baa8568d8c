// Package memslurm is a Slurm cluster that exists in memory only: enough of slurmctld
// and of slurmdbd's tables for the sidecar to run its cycle unchanged. A [Cluster] runs on
// the event loop of ostrich/sim with a clock of its own, and shows the same load under
// Slurm's own fair share. In a [Site] the caller says what happens. What follows is about
// a Cluster.
//
// # What is emulated
//
// The [Controller] has one partition on all nodes and priority/multifactor: the
// factors age and fair share with their weights, and the SiteFactor. Fair share
// is Slurm's Fair Tree, or the classic formula F = 2^(−U/S) (thesis 2.4), over
// accounts and their users. Usage is processor-seconds, halved every
// [Config].HalfLife. It is booked, and the priorities of waiting jobs are computed
// again, every [Config].CalcPeriod (PriorityCalcPeriod); besides, a job gets a
// priority when it is submitted and when its SiteFactor is changed. Jobs start in
// the order of priority, submission and id, with the backfilling of
// [sim.Machine].
//
// The [Accounting] reports what slurmdbd's tables would hold: a job that waits
// appears at the next multiple of 5 s, as slurmctld hands new jobs over in such
// rounds (up to 24.05), and its start and end a second after they happened.
//
// # What is not
//
// No nodes: processors are one heap, so a job may be spread over any nodes. No
// job arrays, dependencies, reservations, limits, preemption, holds or
// requeues; no channel but sitefactor; jobs start and end at once. Backfilling
// happens with every event rather than every bf_interval, and knows one
// reservation.
package memslurm
