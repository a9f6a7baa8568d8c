// Package orderbench measures orders of the queue on workload logs, each as a
// ratio to the first one.
//
// # Yardstick
//
// A log is cut into parts, and each part is replayed under every policy with
// EASY backfilling. Campaigns are those that the rule MAX finds in the recorded
// times, the same for every policy, whatever an OStrich policy takes for a
// campaign. Their measure is the bounded stretch
//
//	(C − t) / max(W/m, p_max, floor)
//
// where the floor keeps a job that failed in its first second from counting as
// much as thousands of others.
//
// # Shakes
//
// One replay is chaotic: a job that comes a second later can change a mean by
// several per cent. So each part is replayed several times, in all but the first
// with every user's submissions moved by an offset of up to two hours, the same
// for all jobs of the user. That leaves the user's campaigns as they are and
// changes only how they meet those of others. Shake 0 is the log as it is.
//
// # Ratios and errors
//
// A figure is divided by that of the first policy on the same part and shake.
// The logarithms of the ratios are averaged over the shakes of a part, over the
// parts of a log and over the logs. Shakes of a part are no independent samples,
// parts are: the standard error of a log is the standard deviation of its parts
// over the root of their number. That of the mean over n logs is the root of the
// sum of the squares, over n: it says how well these logs are measured, not how
// another log would do.
package orderbench
