// Package ostrich decides which campaign of which user should run next. It runs
// OStrich's virtual schedule.
//
// # The model
//
// A campaign is a set of jobs whose results a user waits for together. In the
// virtual schedule all users with an unfinished campaign share the machine,
// evenly or by weight. It serves a user's campaigns one after the other. The
// campaign that would finish first there goes first in the real queue.
//
// Equal sharing among active users is generalised processor sharing. So an event
// does not change everybody's completion times: a virtual clock V grows at
// (processors)/(sum of active weights), and each campaign gets a finish tag when
// it arrives:
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// Campaigns complete virtually in the order of F, however the number of active
// users changes later. The papers' C~ is computed from F when a caller asks for it.
//
// # Use
//
// [Schedule.Step] applies one [Event]; events come in the order of time.
// [Schedule.Order] returns the pending jobs in order. A [Timeline] feeds a
// Schedule from events that come late. [Pools] keeps one timeline for each set of
// partitions that share nodes. The package reads no clock and no file, and starts
// no process: time is an argument.
//
// # Sources
//
// "Paper" is Emeras, Pinheiro, Rzadca, Trystram: OStrich: Fair Scheduling for
// Multiple Submissions (PPAM 2013). "Thesis" is Pinheiro: The management of
// multiple submissions in parallel systems: the fair scheduling approach
// (2014), whose equations 5.1, 5.2 are the paper's 4.1, 4.2.
package ostrich
