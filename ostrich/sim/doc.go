// Package sim replays workloads on a machine of identical processors, event by
// event.
//
// Who is next (an order of the waiting jobs, a ranking of campaigns) and who
// may jump (nobody, EASY, conservative, whatever fits) are separate axes. Jobs
// are rigid and run to their end.
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
// is followed by a pass of its own, and a running job that ends now, as expected,
// counts as free; that is how some other simulators do it, and the starts
// differ in a few per cent.
//
// A pass starts jobs from the head of the order while they fit. Under EASY the
// first job that does not fit gets a reservation at the shadow time, the
// earliest time at which enough processors are free by the estimates of the
// running jobs. A later job may start now if it ends by the shadow time, or if
// it fits in the processors that are left over then (Mu'alem and Feitelson).
//
// Under conservative backfilling (Mu'alem and Feitelson 2001) every
// waiting job of a [Machine] has a reservation. It is made when the job is
// submitted, at the earliest time at which enough processors are free for its
// whole estimate beside the running jobs, by their estimates, and all
// reservations there are; of jobs submitted at one instant, in the order of the
// Machine. A job starts when its reservation is due, never later: nothing that
// comes after it moves a reservation back. When a job ends before its estimate,
// the schedule is compressed: one after the other, in the order, each waiting job
// gives up its reservation and takes the earliest one it can get, which may be
// the one it had. That happens once, so a job may find room only the next time
// that one behind it has left. The order says who is asked first; it does not let a
// job push another one back, whatever it is.
//
// Under Slurm a [Loop] starts jobs as slurmctld's two schedulers do, see
// [Scheduler]. Processors are alike and nodes are not looked at.
//
// A job that runs for longer than its estimate ends at it if the Machine is
// told to Kill. If not, it runs on, and from then on is expected to end at any
// moment. EASY takes its processors as free from now on when it looks for the
// shadow time. Conservative backfilling takes them as free from the next second
// on; that breaks promises, so as long as such a job runs, and once more when it
// has ended, all reservations are made anew in the order at each submission and
// each end.
//
// Times are whole seconds. A virtual completion between two of them, which
// may open a strict gate, takes effect at the later one.
package sim
