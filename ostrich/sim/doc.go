// Package sim replays workloads on a machine of identical processors, event by
// event.
//
// Who is next (an order of the waiting jobs, a ranking of campaigns) and who
// may jump (nobody, EASY, whatever fits) are separate axes. Jobs are rigid and
// run to their end.
//
// A [Machine] replays the jobs of a log as they were submitted. A [Loop]
// replays campaigns, in a closed loop if wanted: the next campaign of a user
// comes when the last one has really ended and the user has thought about it.
// OStrich there is the ostrich.Schedule of the daemon, told of the same events.
//
// # Semantics
//
// At one instant all ends come first, then all submissions, then one
// scheduling pass (Batched). With PerEvent, submissions come before ends, each
// is followed by a pass of its own, and a running job whose estimate ends now
// counts as free; that is how some other simulators do it, and the starts
// differ in a few per cent.
//
// A pass starts jobs from the head of the order while they fit. Under EASY the
// first job that does not fit gets a reservation at the shadow time, the
// earliest time at which enough processors are free by the estimates of the
// running jobs. A later job may start now if it ends by the shadow time, or if
// it fits in the processors that are left over then (Mu'alem and Feitelson).
//
// Times are whole seconds. A virtual completion between two of them, which
// may open a strict gate, takes effect at the later one.
package sim
