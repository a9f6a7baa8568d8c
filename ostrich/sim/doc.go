// Package sim replays workloads on a machine of identical processors, event by
// event.
//
// Who is next (an order of the waiting jobs, a ranking of campaigns) and who
// may jump (nobody, EASY, conservative, whatever fits) are separate axes. Jobs
// are rigid and run to their end.
//
// One engine does all replays of a [Machine]. [Machine.Replay] submits the jobs of
// a log as they came. [Machine.Run] submits campaigns, in a closed loop if wanted:
// the next campaign of a user comes when the last one has really ended and the
// user has thought about it. A log is the same as campaigns of one job each in an
// open loop. A [Policy] says who is next; OStrich is the ostrich.Schedule of the
// daemon, which sees the same events.
//
// # Semantics
//
// At one instant all ends come first, then all submissions, then one
// scheduling pass (Batched). Waiting jobs that are cancelled (Machine.Cancel) leave between
// ends and submissions, those that come at that instant behind these. With PerEvent, submissions come before ends, each
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
// Under conservative backfilling (Mu'alem and Feitelson 2001) every waiting job
// has a reservation: the earliest time at which enough processors are free for its
// whole estimate beside the running jobs, by their estimates, and the reservations
// made before.
//
// Replay without a Policy keeps the reservations. Each is made when its job is
// submitted; of jobs submitted at one instant, in the order of the Machine. A job
// starts when its reservation is due, never later: nothing that comes after it
// moves a reservation back. When a job ends before its estimate, the schedule is
// compressed: one after the other, in the order, each waiting job gives up its
// reservation and gets the earliest one possible, which may be the one it had. That
// happens once, so a job may find room only the next time that one behind it has
// left. The order says who is asked first; it does not let a job push another one
// back.
//
// Where campaigns or a Policy are replayed, the ranking may change at any time. So
// reservations are made anew at each pass, in its order, as deep as Machine.Depth.
//
// Under Slurm jobs start as slurmctld's two schedulers start them, see [Scheduler].
//
// Processors are alike, unless the machine has a Cluster: then each job is placed on
// nodes that have what it asks for (package nodes). Under Slurm they are chosen as
// select/cons_tres chooses them, which depends on their places, so that single nodes
// are looked at.
//
// A job that runs for longer than its estimate ends at its estimate under
// Machine.Kill. Otherwise it runs on, and from then on is expected to end at any
// moment. When EASY looks for the shadow time, such a job's processors count as free
// from now on. Conservative backfilling counts them as free from the next second on.
// That breaks promises, so kept reservations are made anew in the order at each
// submission and each end while such a job runs, and once more when it has ended.
//
// Times are whole seconds. A virtual completion between two of them, which
// may open a strict gate, takes effect at the later one.
package sim
