// Package bot is the workload model of bags-of-tasks of Iosup, Sonmez, Anoep and
// Epema, "The Performance of Bags-of-Tasks in Large-Scale Distributed Systems"
// (HPDC 2008), section 3: it draws logs by [Model], fits the model to a log by
// [Observed.Fit], and measures predictors of run times by [Inaccuracy].
//
// Sizes, run times and times between arrivals are modelled by their logarithms
// to base 2, the variability of run times by that of the variance.
package bot
