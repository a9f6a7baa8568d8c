package lengths

// Past is what a user's jobs that have ended say of the lengths of the next ones
// (docs/adr/0037).
//
// A job that was stopped before it had run for as long as expected has failed: it says no
// more than that it would have run for longer. So users could let jobs fail at once to have
// many others count for less. But most jobs that are submitted after failures do fail.
// Therefore failures speak of a few jobs, see SpeakOf and Predict.
//
// The zero value is that of a user without an ended job. A copy shares memory with its
// original: call Share first.
type Past struct {
	safe   record       // of jobs that did not fail
	every  record       // of all jobs; unused until one fails, as safe is the same
	apart  bool         // whether one has failed
	failed [Latest]bool // whether the latest jobs did
	count  int          // jobs so far
}

// Learn records how long a job ran; all are the jobs of all users that did not fail.
func (l *Past) Learn(p Predictor, all *Used, r *Request, outcome Outcome, ran Duration) {
	failed := outcome == Stopped && ran < p.predict(&l.safe, all, r)
	l.failed[l.count%Latest] = failed
	l.count++
	if failed && !l.apart {
		l.Share()
		l.every, l.apart = l.safe, true
	}
	if l.apart {
		var none Used
		p.learn(&l.every, &none, r, ran)
	}
	if !failed {
		p.learn(&l.safe, all, r, ran)
	}
}

// Known reports whether a job that did not fail has ended.
func (l *Past) Known() bool { return l.safe.count > 0 }

// SpeakOf returns of how many tasks the latest failures speak: of twice as many as failed, and
// so of no more than 18.
func (l *Past) SpeakOf() int {
	n := 0
	for _, failed := range l.failed {
		if failed {
			n++
		}
	}
	return 2 * n
}

// Predict returns the expected length of a job; all are the jobs of all users that did not
// fail. tasks is how many unfinished tasks the user has, with those of the job: while failures
// speak of them, the lengths of all jobs count, and otherwise only those of jobs that did not
// fail. It reports whether all count.
func (l *Past) Predict(p Predictor, all *Used, r *Request, tasks int) (d Duration, failing bool) {
	if tasks <= l.SpeakOf() {
		return p.predict(&l.every, all, r), true
	}
	return p.predict(&l.safe, all, r), false
}

// Share lets a copy of a past use the same classes.
func (l *Past) Share() {
	for _, a := range []*alike{l.every.alike, l.safe.alike} {
		if a != nil {
			a.shared = true
		}
	}
}
