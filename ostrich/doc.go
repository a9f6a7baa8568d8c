// Package ostrich is the OStrich virtual schedule: which campaign of which
// user should run next.
//
// # The model
//
// A campaign is a set of jobs whose results a user waits for together. In the
// virtual schedule all users with an unfinished campaign share the machine,
// evenly or by weight, and a user's campaigns are served one after the other.
// The campaign that would finish first there goes first in the real queue.
//
// Equal sharing among active users is generalised processor sharing, so no
// event needs a recomputation of everybody's completion times. One virtual
// clock V grows at (processors)/(sum of active weights), and a campaign gets a
// finish tag once, when it arrives:
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// Virtual completions happen in the order of F, whatever the number of active
// users does later. The papers' C~ follows from F where somebody wants to see it.
//
// # Use
//
// A [Schedule] takes [Event] values in the order of time with [Schedule.Step]
// and gives [Schedule.Order]. A [Timeline] feeds a Schedule from events that
// come late. [Pools] keeps one timeline for each set of partitions that share
// nodes. The package knows no clock, file or process: time is an argument.
//
// # Sources
//
// "Paper" is Emeras, Pinheiro, Rzadca, Trystram: OStrich: Fair Scheduling for
// Multiple Submissions (PPAM 2013). "Thesis" is Pinheiro: The management of
// multiple submissions in parallel systems: the fair scheduling approach
// (2014), whose equations 5.1, 5.2 are the paper's 4.1, 4.2.
package ostrich
