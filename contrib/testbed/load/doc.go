// Load submits closed-loop campaigns to a Slurm cluster and measures them from
// the accounting tables.
//
// A user of a closed loop submits a campaign, waits until all its jobs have
// ended, thinks, and submits the next one: users that are served sooner submit
// sooner. A [Scenario] says who submits what. Lengths and think times vary by a
// seeded jitter that depends on user and campaign alone. So two clusters with the
// same scenario and seed get the same campaigns, in whatever order they run them.
// Numbers of jobs are scaled to the size of the cluster. Nobody waits for a user
// in the background: when the others are done, the rest of that user's jobs is
// cancelled.
//
// Every job is named RUN.USER.CAMPAIGN. Its times come from slurmdbd's tables
// through sacct, so that the measurement does not rest on what the daemon reads,
// and package report measures them, as it does for simulate and compare.
// The stretch of a campaign is
//
//	flow / max(W/m, p_max)
//
// where flow is the time from its first submission to its last end, W its
// processor-seconds, m the processors of the cluster and p_max its longest job
// (thesis 3.3). 1 is the best that any order can do. A campaign meets its
// deadline if its flow is at most that long.
//
// Comparisons of two runs with several seeds become tables with intervals, which
// replace those between the marks of a page; debian/matrix makes the runs.
//
// The load runs as root, because it submits as each of the users.
package main
