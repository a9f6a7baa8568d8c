// Load submits closed-loop campaigns to a Slurm cluster and measures from the
// accounting tables how they fared.
//
// A user of a closed loop submits a campaign, waits until all its jobs have
// ended, thinks, and submits the next one: who is served sooner submits
// sooner. A [Scenario] says who submits what. Lengths and think times vary by
// a seeded jitter that depends on user and campaign alone, so two clusters
// given the same scenario and seed see the same campaigns, however they order
// them. Numbers of jobs are scaled to the size of the cluster. A user in the
// background is not waited for: what is left when the others are done is
// cancelled.
//
// Every job is named RUN.USER.CAMPAIGN. Its times are read from slurmdbd's
// tables through sacct, so that the measure shares no code with what is
// measured. The stretch of a campaign is
//
//	flow / max(W/m, p_max)
//
// with flow the time from its first submission to its last end, W its
// processor-seconds, m the processors of the cluster and p_max its longest job
// (thesis 3.3): 1 is the best any order can do. A campaign with a deadline met it
// if its flow is at most that long.
//
// Comparisons of two runs with several seeds become tables with intervals, which
// fill a page between marks; debian/matrix makes the runs.
//
// The load runs as root, because it submits as each of the users.
package main
