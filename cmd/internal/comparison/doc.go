// Package comparison sets runs of the same jobs side by side: as recorded, under
// simulated fairshare, under OStrich. It measures them, says in words what
// changed and for whom it got worse, and writes tables, JSON and a page.
//
// # Intervals
//
// Every difference is a run minus the baseline. Its 95 % interval is a paired
// bootstrap percentile interval: both runs are measured on the same samples. The
// samples are of users, each with all their jobs, because jobs of one user are
// alike and depend on one another; single jobs resampled would give intervals
// that are much too narrow. Quantiles over a sample are exact. Utilisation is no
// property of users: 30 equal parts of the window are resampled instead. The
// makespan and the greatest stretch have no interval, since the bootstrap fails
// for extreme values (Efron and Tibshirani, "An Introduction to the Bootstrap",
// 1993, section 7.4).
//
// For one user the samples are of the user's campaigns in up to 64 blocks that
// follow one another in time, because neighbours depend on one another (Künsch,
// "The Jackknife and the Bootstrap for General Stationary Observations", Annals
// of Statistics 17, 1989). Below 6 of what is resampled there is no interval
// (report.Fewest).
//
// An interval tells how much a difference depends on who happened to be in the
// window. It knows nothing of the error of the simulation.
package comparison
