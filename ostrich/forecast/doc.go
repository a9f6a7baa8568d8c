// Package forecast says when pending jobs start, with odds that hold.
//
// # How
//
// A [State] is a pool at an instant: what runs, what waits in the order in force, and the [Habits] of its users.
// [State.Ask] draws a few futures. In each, every job has a length drawn from its own spread
// ([lengths.Spread]), and on each coming day the jobs of another day of the last four weeks come at the same
// hours, each behind its user's own waiting jobs, or where it went in the queue then. Package sim replays the
// future with EASY backfilling by limits until the asked jobs have started, on the nodes of the pool and under its limits where they are known.
//
// The draws know nothing of what nobody knows: that the order changes, that a user changes habits. One replay more is
// as if nobody came any more. A [Correction] learns from the pool's own past where between both the truth lies, and
// how much farther apart than the draws, and makes [Odds] of them, which hold for 10, 50 and 90 % and any others.
//
// # How to ask
//
// Somebody who stands at an instant with a schedule and a queue keeps, for each pool,
//
//	spreads lengths.Spreads      Learn: each job that ended
//	habits  forecast.Habits      Came: each job that came, with its place in the queue; Ended: its length
//	learned forecast.Correction  Ask: some jobs, now and then; Started or Gone: what became of them
//	ends    forecast.Correction  the same of campaigns' ends: Started, once the last of the asked jobs has ended
//	score   forecast.Score       Add: the answers of Ask, once the job has started
//
// and asks
//
//	s := forecast.State{Now: now, Procs: procs, Habits: &habits, Seed: seed}
//	s.Running = …                             // with Ran and Spread: spreads.Of(user, request)
//	s.Pending = …                             // those that can start, in the order in force
//	draws, err := s.Ask([]int{17, 18})        // places in s.Pending
//	odds := learned.Answer(&draws[0])         // of job 17
//	from, middle, to := odds.Shown()          // by when it starts with 10, 50 and 90 %
//	at, err := odds.At(75)                    // or any other odds
//	end := ends.Answer(forecast.Last(draws))  // when both have ended: a campaign's end
//
// A job that is not submitted yet is put into Pending where it would go. A job in several tasks is as many jobs, or
// its first one if only that is asked for. Jobs that cannot start must not be in Pending: nothing is said of them.
//
// Nothing here knows a clock. The same state with the same seed has the same draws. State.Ask changes neither the
// state nor the habits, so that several may ask at once as long as nobody teaches.
//
// # What it costs
//
// State.Ask takes about 60 ms for 20 000 pending jobs if the last one is asked for, and 20 ms for the thousandth. On 250 nodes it takes
// 0.4 s and 0.1 s. With State.Workers it does so on several processors. A hundred are asked for at the price of the last of them: ask for all that is wanted at once, and keep
// the answers for as long as the state stays. Correction.Answer takes a microsecond.
//
// # How good it is
//
// [Over] watches any replay and asks in it, beside three other ways to answer: conservative
// backfilling by limits, which is what squeue --start shows; the starts by expected lengths and by limits;
// and [QBETS]; and for the end of the job's campaign. A [Score] says how often the interval from 10 to 90 % held. docs/forecast-tested.md has what came of it.
package forecast
