// Package comparison compares runs of the same jobs: as recorded, under simulated
// fairshare, under OStrich. It measures them, says in words what changed and for
// whom it got worse, and writes tables, JSON and a page.
//
// # Intervals
//
// Every difference is a run minus the baseline. Its 95 % interval is a paired
// bootstrap percentile interval: both runs are measured on the same samples. The
// samples are of users, each with all their jobs, because jobs of one user are
// alike and depend on one another; samples of single jobs would give far too
// narrow intervals. Quantiles over a sample are exact. Utilisation does not
// belong to users, so its samples are of 30 equal parts of the window. The
// makespan and the greatest stretch have no interval, because the bootstrap fails
// for extreme values (Efron and Tibshirani, "An Introduction to the Bootstrap",
// 1993, section 7.4).
//
// For one user the samples are of the user's campaigns in up to 64 blocks of
// neighbours in time, because neighbours depend on one another (Künsch, "The
// Jackknife and the Bootstrap for General Stationary Observations", Annals of
// Statistics 17, 1989). With fewer than 6 users or blocks there is no interval
// (confidence.Fewest).
//
// An interval says how much a difference depends on who was in the window by
// chance. It does not include the error of the simulation.
package comparison
