// Package multifactor is a model of Slurm's plugin priority/multifactor: what
// priority slurmctld gives a waiting job, and how the use of the machine by
// running jobs changes it.
//
// It follows src/plugins/priority/multifactor (priority_multifactor.c and
// fair_tree.c) and src/common/assoc_mgr.c as they are in Slurm 22.05 to 26.05;
// comments name their functions. Nobody has to ask for priorities at every
// calculation: between two events of an association its usage has a closed form,
// so that a calculation costs nothing until somebody looks, and how often one
// looks changes nothing.
//
// # Time
//
// Slurm calculates when its decay thread starts, and every PriorityCalcPeriod
// from then on (_decay_thread). A calculation multiplies all usage by
//
//	(1 − 0.693/PriorityDecayHalfLife)^period
//
// and then adds what each running job used since the latest one, decayed by the
// length of its run in the period (_apply_decay, _apply_new_usage). What a job
// used since the latest calculation is added when it ends, at once, and the
// next calculation decays it as if it were a period old. Factors of fair share,
// and the priorities of waiting jobs, are those of the latest calculation; a
// new job gets its priority when it is submitted.
//
// # What differs
//
//   - Slurm counts in long double; this is float64. Two associations that are
//     equal but for rounding may tie in one and not in the other.
//   - With classic fair share Slurm looks at a user's usage when it comes to the
//     user's first waiting job in a calculation, as here; see Wait. Without one it
//     looks when a job is submitted or somebody asks; here it is the usage at the
//     end of the calculation. Under DepthOblivious a sibling counts with its usage of
//     this calculation; Slurm takes that of whenever the sibling was looked at last.
//   - Usage is added to associations. Limits and what a QOS has used are not modelled.
//   - A job keeps its processors from start to end, and its priority is for one
//     partition and one QOS: of a job that may run in several, make a Request each.
package multifactor
