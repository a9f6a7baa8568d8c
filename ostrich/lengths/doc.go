// Package lengths says how long a job is expected to run (p in the papers). It
// depends on nothing but numbers, and the virtual schedule is built upon it.
//
// # What it knows
//
// A [Request] is what is asked for: processors, a time limit, what the job does and what
// its user says. A [Past] is what a user's ended jobs say of the next ones, and a [Used] how
// much of their limits all users' jobs used. [Past.Learn] tells of an end, with its
// [Outcome]; [Past.Predict] foretells by a [Predictor]. A [Forecast] does so for any series
// of lengths, and [Backtest] measures how well it would have gone. [More] says what is
// expected of a job that outlives its length. [Spreads] say how differently jobs run, and a [Spread] draws
// one's length, given how long it has run.
//
// # The numbers
//
//	p           length of a task in seconds, as it ran
//	p^          predicted length, 1 ≤ p^ ≤ limit
//	h           hint, what the user says; 0 if nothing
//	x           p of the latest job; x' of the one before it
//	s           smoothed length
//	f           part of the limit that jobs used, geometric mean: ln f = Used.log
//	n           lengths so far
//
// # The predictors
//
//	limit       p^ = limit
//	last        p^ = x
//	last-two    p^ = (x + x')/2                     Tsafrir, Etsion, Feitelson 2007
//	smoothing   p^ = s,  s ← s + ½(x - s)           Iosup et al. (HPDC 2008), section 3.7
//	alike       p^ = the shortest of the latest nine lengths of its class that two thirds of
//	            them do not exceed; for a job like none before √(f·limit · (x + x')/2); for a
//	            user's first limit·f^(n/(n+5)), with f and n of all users (docs/adr/0002)
//	adaptive    s as above, with the factor |Σ errors|/Σ |errors|, both smoothed by 0.2
//	regression  autoregression on the last five lengths (Yule, Walker)
//	mean-ten    mean of the last ten
//	mean        mean of all                         these four: Iosup et al., Table 4
//
// A hint goes before all of them: p^ = h·max(1, r), where r is what two thirds of the user's
// latest nine p/h do not exceed, 1 before the first.
//
// A job that was stopped before p^ has failed. Failures speak of twice as many tasks as failed
// (docs/adr/0037, see [Past]).
package lengths
