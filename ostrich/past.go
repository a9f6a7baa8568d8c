package ostrich

// past is what a user's jobs that have ended say of the lengths of the next ones
// (docs/adr/0037).
//
// A job that was stopped before it had run for as long as expected has failed: it says no
// more than that it would have run for longer. So users could let jobs fail at once to have
// many others count for less. But most jobs that are submitted after failures do fail.
// Therefore failures speak of a few jobs, see speakOf and predict.
type past struct {
	safe   lengths             // of jobs that did not fail
	every  lengths             // of all jobs; unused until one fails, as safe is the same
	apart  bool                // whether one has failed
	failed [recentLengths]bool // whether the latest jobs did
	count  int                 // jobs so far
}

// learn records how long a job ran; all are the jobs of all users that did not fail.
func (l *past) learn(p Predictor, all *spent, j *Job, ran Duration) {
	failed := j.Outcome == Stopped && ran < p.predict(&l.safe, all, j)
	if j.Outcome == TimedOut {
		ran = max(ran, j.Estimate)
	}
	l.failed[l.count%recentLengths] = failed
	l.count++
	if failed && !l.apart {
		l.share()
		l.every, l.apart = l.safe, true
	}
	if l.apart {
		var none spent
		p.learn(&l.every, &none, j, ran)
	}
	if !failed {
		p.learn(&l.safe, all, j, ran)
	}
}

// speakOf is of how many tasks the latest failures speak: of twice as many as failed, and
// so of no more than 18.
func (l *past) speakOf() int {
	n := 0
	for _, failed := range l.failed {
		if failed {
			n++
		}
	}
	return 2 * n
}

// predict returns the expected length of a job; all are the jobs of all users that did not
// fail. tasks is how many unfinished tasks the user has, with those of the job: while failures
// speak of them, the lengths of all jobs count, and otherwise only those of jobs that did not
// fail. It reports whether all count.
func (l *past) predict(p Predictor, all *spent, j *Job, tasks int) (d Duration, failing bool) {
	if tasks <= l.speakOf() {
		return p.predict(&l.every, all, j), true
	}
	return p.predict(&l.safe, all, j), false
}

// share lets a copy of lengths use the same classes.
func (l *past) share() {
	for _, a := range []*alike{l.every.alike, l.safe.alike} {
		if a != nil {
			a.shared = true
		}
	}
}
