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
// Three packages below, each to be read alone, know one part of it: campaign which jobs
// belong together, lengths how long a job is expected to run, and sharing the virtual
// schedule, with its equations. This package composes them: events go in, an order comes out.
//
// # Use
//
// [Schedule.Step] applies one [Event]; events come in the order of time.
// [Schedule.Order] returns the pending jobs in order. A [Timeline] feeds a
// Schedule from events that come late. [Pools] keeps one timeline for each set of
// partitions that share nodes. The package reads no clock and no file, and starts
// no process: time is an argument.
//
// # The files
//
// Each calls functions of those before it only, and of the packages below. What goes in:
// job.go, event.go, options.go. What is kept: jobs.go (found by id), campaign.go (campaigns,
// stages, users), left.go (what a job counts for), usage.go (what a user has had). The order:
// rank.go (of campaigns), order.go (of jobs). What events do: count.go (a job counts for
// more or less), predict.go (lengths, anew), overrun.go (who outlives a length), hold.go,
// submit.go (jobs come, start and go), change.go, schedule.go (the machine). What can be asked:
// bound.go, view.go. Schedules of events that come late: clone.go, timeline.go, pools.go.
//
// # Sources
//
// "Paper" is Emeras, Pinheiro, Rzadca, Trystram: OStrich: Fair Scheduling for
// Multiple Submissions (PPAM 2013). "Thesis" is Pinheiro: The management of
// multiple submissions in parallel systems: the fair scheduling approach
// (2014), whose equations 5.1, 5.2 are the paper's 4.1, 4.2.
package ostrich
