package journal

import "slurm-ostrich/ostrich"

// backOff is a pause that doubles with each time in a row, up to the longest.
type backOff struct{ first, longest ostrich.Duration }

var (
	// afterRefusal is the pause for a job that Slurm refused to change.
	afterRefusal = backOff{30, 15 * 60}
	// afterRival is the pause for a job that another writer changed. Two writers
	// that both pause like this meet some 24 times a day.
	afterRival = backOff{5 * 60, 60 * 60}
)

// pause returns the pause after so many times in a row.
func (b backOff) pause(times int) ostrich.Duration {
	d := b.first
	for ; times > 1 && d < b.longest; times-- {
		d *= 2
	}
	return min(d, b.longest)
}

// retry counts vain attempts, and says when to try again.
type retry struct {
	times int
	since ostrich.Time // the latest time
}

// fail counts another time.
func (r *retry) fail(now ostrich.Time) { r.times, r.since = r.times+1, now }

// next returns when to try again; 0 means now. A moment further ahead than any
// pause was recorded by a clock that has been set back since.
func (r retry) next(b backOff, now ostrich.Time) ostrich.Time {
	at := r.since + ostrich.Time(b.pause(r.times))
	if r.times == 0 || now >= at || at-now > ostrich.Time(b.longest) {
		return 0
	}
	return at
}
