// Package policy has the algorithms of the campaign-scheduling papers that
// place whole campaigns of sequential jobs on identical processors: MULTICMAX,
// MULTICAMP, FairCamp and the FCFS that it is compared with; and the two ways to
// share a machine that they set out from, fair-share factors as in Slurm and space
// sharing as in Hadoop, for work that any number of processors can do.
//
// HiPC is Pinheiro, Rzadca, Trystram, "Campaign Scheduling" (2012); the thesis
// is Pinheiro, "The management of multiple submissions in parallel systems: the
// fair scheduling approach" (2014), whose chapters 3 and 4 extend it. Symbols
// are theirs:
//
//	m      processors
//	k      users
//	p      length of a task
//	W      work of a campaign, the sum of p
//	ς      schedule of one campaign, alone on the machine, by the algorithm ρ
//	Δ(ς)   its length
//	t, C   submission and completion of a campaign
//	Δ      flow time C−t
//	d      deadline
//
// Lengths are known when a campaign is submitted, and a task once started runs
// to its end. All functions are pure: the same campaigns give the same schedule.
package policy
