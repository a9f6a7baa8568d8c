// Package livecompare compares what Slurm does with what OStrich would have it do,
// cycle after cycle, while the daemon runs. It reads nothing but the cycles of
// the sidecar, has no clock but theirs, and keeps a bounded memory. What it
// knows is lost when the daemon ends; a reload of the configuration forgets the
// jobs and campaigns under way, not what has been counted.
//
// # Order
//
// Of the jobs that OStrich orders: the rank correlation of its order with
// Slurm's, and which part of the first k jobs of the one are among the first k
// of the other. In mode enforce that is before the cycle's writing.
//
// # Starts
//
// A shadow machine of the same size as the pool starts the same jobs in
// OStrich's order. In each cycle it first sees what has ended, then goes
// through the order that was known in the cycle before, with jobs submitted
// since at its end, which is where the daemon has them in mode enforce. What fits
// the free processors is started. The first job that does not fit gets a
// reservation, and what comes after it may not delay that (EASY backfilling).
// It looks as deep as Slurm does, and plans with time limits, as Slurm does.
//
//   - A job that started in reality is "same" if the shadow machine starts it
//     in the same cycle.
//   - It is "earlier" if OStrich would have left it waiting: the shadow machine
//     had no room for it after all jobs that come first. It waits on there, and
//     once it is started there too, the difference is known.
//   - A job is "later" if the shadow machine starts it while it waits in reality.
//     The difference is known once it really starts.
//
// What the shadow machine cannot know, it takes from reality: how long a job
// runs, as soon as that is known, and its expected length before; and jobs that
// OStrich leaves alone run as they really do, and are not compared. A job can be
// started there only if Slurm's reason for its waiting is Priority or Resources
// (or none yet), as no order helps it against a limit. Processors that have
// become idle since the cycle before are not used yet: Slurm had no time to. The
// resolution is one cycle. Nodes, memory and other resources are not modelled;
// a pool is a number of processors.
//
// # Campaigns
//
// Of each campaign that has ended, and which no further job can join: flow time,
// stretch, and whether it ended by its bound (ostrich.Campaign.Promise). That
// moves while users come and go and jobs join; the latest moment that was promised
// counts, but not one that an outage brought about, or a job that outlives its
// time limit. It does not move because time passes: not while the machine idles, nor
// while others are started before an overdue campaign. A bound is broken if the
// campaign ended after it; see Reason for what may be to blame. A campaign under way
// when the daemon begins is taken to have been promised what it is promised then.
//
// With a grace (ostrich.Options.Grace) the bound is the time at which the campaign
// goes first, and what it takes from then on. So it is a day or more after the
// submission, and few campaigns break it.
//
// # The promise
//
// Every few minutes, of the campaigns that have ended since: report.Rho, their flow
// time over that on an equally shared machine. That machine serves all campaigns
// that are known, with the true lengths of the jobs that have ended and the expected
// ones of others.
package livecompare
