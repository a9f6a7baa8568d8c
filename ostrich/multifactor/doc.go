// Package multifactor models Slurm's plugin priority/multifactor: the priority
// that slurmctld gives a waiting job, and how running jobs change it by their use
// of the machine.
//
// It follows src/plugins/priority/multifactor (priority_multifactor.c and
// fair_tree.c) and src/common/assoc_mgr.c as they are in Slurm 22.05 to 26.05;
// comments name their functions. Between two events of an association its usage
// has a closed form. So a calculation costs nothing until a caller asks for its
// result, and how often callers ask changes nothing.
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
//   - With classic fair share, Slurm reads a user's usage when a calculation
//     reaches the user's first waiting job, and so does the model; see Wait.
//     Without a waiting job, Slurm reads it when a job is submitted, and so does
//     the model, or somebody asks; the model then uses the usage at the end of the
//     calculation. Under DepthOblivious, siblings count as they were read last, in both. The model takes
//     associations that have used something when it begins to have been read. Of
//     sibling accounts it counts the usage of this calculation, Slurm for some that of the one before.
//   - Usage is added to associations. Limits and the usage of a QOS are not
//     modelled.
//   - A job keeps its processors from start to end. Its priority is for one
//     partition and one QOS: for a job that may run in several, make a Request for
//     each.
package multifactor
