// Package livecompare compares what Slurm does with what OStrich would have it do,
// cycle after cycle, while the daemon runs. It reads only the cycles of the sidecar,
// has only their clock, and keeps a bounded memory. It loses everything when the
// daemon ends. A reload of the configuration forgets the jobs and campaigns under way,
// but not what has been counted.
//
// # Order
//
// It measures the rank correlation of OStrich's order with Slurm's, for the jobs that
// OStrich orders, and the part of the first k jobs of the one order that are among the
// first k of the other. In mode enforce it does so before the cycle writes.
//
// # Starts
//
// A shadow machine of the same size as the pool starts the same jobs in
// OStrich's order. In each cycle it first ends the jobs that have ended. Then it goes
// through the order of the previous cycle, with jobs submitted since at its end, where
// the daemon has them in mode enforce. It starts the jobs that fit the free processors.
// The first job that does not fit gets a reservation, and later jobs may not delay that
// (EASY backfilling). It looks as deep as Slurm does, and plans with time limits, as
// Slurm does.
//
//   - A job that started in reality is "same" if the shadow machine starts it
//     in the same cycle.
//   - It is "earlier" if OStrich would have left it waiting: the shadow machine
//     had no room for it after all jobs that come first. It waits on there. The
//     difference is known once it starts there too.
//   - A job is "later" if the shadow machine starts it while it waits in reality.
//     The difference is known once it really starts.
//
// The shadow machine copies from reality what it cannot know. It uses the true length
// of a job as soon as that is known, and the expected one before. Jobs that OStrich
// leaves alone run as they really do, and are not compared. The shadow machine starts a
// job only if Slurm's reason for its waiting is Priority or Resources (or none yet),
// because no order helps it against a limit. It does not use processors that have
// become idle since the previous cycle: Slurm had no time to use them. The resolution
// is one cycle. Nodes, memory and other resources are not modelled; a pool is a number
// of processors.
//
// # Campaigns
//
// For each campaign that has ended and that no further job can join, it measures flow
// time, stretch, and whether the campaign ended by its bound (ostrich.Campaign.Promise).
// The bound moves while users come and go and jobs join. The latest moment promised
// counts, except one caused by an outage or by a job that outlives its time limit. The
// bound does not move because time passes: not while the machine idles, nor while
// others are started before an overdue campaign. A bound is broken if the campaign
// ended after it; see Reason for the possible causes. For a campaign under way when the
// daemon begins, the bound of that moment counts.
//
// With a grace (ostrich.Options.Grace) the bound is the time at which the campaign
// goes first, plus what it needs from then on. So it is a day or more after the
// submission, and few campaigns break it.
//
// # Satisfaction
//
// It measures which of the jobs and campaigns were in time by the wait that users
// accept, as report.Late does, really and on the shadow machine, once both are known;
// see Satisfaction.
//
// # The promise
//
// Every few minutes it computes report.Rho for the campaigns that have ended since:
// their flow time over that on an equally shared machine. That machine serves all known
// campaigns, with the true lengths of ended jobs and the expected lengths of others.
package livecompare
