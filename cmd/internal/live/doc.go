// Package live compares what Slurm does with what OStrich would have it do,
// cycle after cycle, while the daemon runs. It reads only the cycles of the sidecar,
// has only their clock, and keeps a bounded memory. It loses everything when the
// daemon ends. A reload of the configuration forgets the jobs and campaigns under way,
// but not what has been counted.
//
// What would have happened under OStrich's order is not its subject: "ostrich compare"
// replays that exactly, and the package reads what it found last night (Night).
//
// # Order
//
// It measures the rank correlation of OStrich's order with Slurm's, for the jobs that
// OStrich orders, and the part of the first k jobs of the one order that are among the
// first k of the other. In mode enforce it does so before the cycle writes. Of the jobs
// that start it measures how far from the head of OStrich's order they stood.
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
// # The promise
//
// Every few minutes it computes report.Rho for the campaigns that have ended since:
// their flow time over that on an equally shared machine. That machine serves all known
// campaigns, with the true lengths of ended jobs and the expected lengths of others.
package live
