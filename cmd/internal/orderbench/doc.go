// Package orderbench measures orders of the queue on workload logs, as ratios to
// the first order.
//
// # Yardstick
//
// A log is cut into parts, and each part is replayed under every policy with EASY
// backfilling. Campaigns are those that the rule MAX finds in the recorded times.
// They are the same for every policy, whatever an OStrich policy detects as
// campaigns. Their measure is the bounded stretch
//
//	(C − t) / max(W/m, p_max, floor)
//
// The floor keeps a job that failed in its first second from counting as much as
// thousands of others.
//
// # Shakes
//
// One replay is chaotic: a job that comes a second later can change a mean by
// several per cent. So each part is replayed several times. In all replays but
// the first, each user's submissions move by an offset of up to two hours, the
// same for all jobs of the user. The user's campaigns stay as they are; only how
// they meet those of others changes. Shake 0 is the log as it is.
//
// # Ratios and errors
//
// A figure is divided by that of the first policy on the same part and shake. The
// logarithms of the ratios are averaged over the shakes of a part, over the parts
// of a log and over the logs. Parts are independent samples, shakes of a part are
// not: the standard error of a log is the standard deviation of its parts,
// divided by the root of their number. That of the mean over n logs is the root
// of the sum of the squares, divided by n. It says how well these logs are
// measured, not how another log would do.
package orderbench
