package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// log collects the events of a poll. An event is large, and most of it is the
// job. So the log holds a job once for its submission, start and end, as long as
// nothing else of it changes, and not at all if its only row can make it anew.
type log struct {
	events []logged
	jobs   []ostrich.Job
	kinds  []ostrich.Kind // of the last event of each entry in jobs
}

// logged is an event in the log. A cold start has millions, so it is one number: from above, 32
// bits of its time, by which it sorts, 27 of its entry (134 million, whose rows would need 9 GB), which is the place of the job or of the
// row, 4 of its kind, and one that is set if the entry is a row's, see replace. A time beyond 2106 is
// that of then.
type logged uint64

func logging(k ostrich.Kind, at ostrich.Time, entry int) logged {
	return logged(min(max(at, 0), math.MaxUint32))<<32 | logged(entry)<<5 | logged(k)<<1
}

func (e logged) at() ostrich.Time   { return ostrich.Time(e >> 32) }
func (e logged) entry() int         { return int(e >> 5 & (1<<27 - 1)) }
func (e logged) kind() ostrich.Kind { return ostrich.Kind(e >> 1 & 15) }
func (e logged) ofRow() bool        { return e&1 != 0 }

// noEntry is the entry of a job that no event has reported.
const noEntry = -1

// replace drops the jobs from a place on, with the events of them: a row can make them anew.
func (l *log) replace(events, jobs, row int) {
	for i, e := range l.events[events:] {
		l.events[events+i] = logging(e.kind(), e.at(), row) | 1
	}
	l.jobs, l.kinds = l.jobs[:jobs], l.kinds[:jobs]
}

func (l *log) clear() { l.events, l.jobs, l.kinds = l.events[:0], l.jobs[:0], l.kinds[:0] }

// add stores an event and returns the entry of its job; before is the entry of
// the job's last event. A second change in the same second is merged into the
// first, so that no two events compare as equal.
func (l *log) add(k ostrich.Kind, at ostrich.Time, j *ostrich.Job, before int) int {
	if before != noEntry {
		last := l.kinds[before]
		if n := len(l.events) - 1; k == ostrich.Change && l.events[n] == logging(k, at, before) {
			l.jobs[before] = *j
			return before
		}
		if canShare(last, k) && as(last, *j) == as(last, l.jobs[before]) {
			l.jobs[before], l.kinds[before] = *j, k
			l.events = append(l.events, logging(k, at, before))
			return before
		}
	}
	l.jobs = append(l.jobs, *j)
	l.kinds = append(l.kinds, k)
	l.events = append(l.events, logging(k, at, len(l.jobs)-1))
	return len(l.jobs) - 1
}

// canShare reports whether two successive events can share one stored job.
func canShare(last, next ostrich.Kind) bool {
	return last == ostrich.Submit && (next == ostrich.Start || next == ostrich.End) ||
		last == ostrich.Start && next == ostrich.End
}

// as returns the job as it was at its submission or start, from how it is now.
func as(k ostrich.Kind, j ostrich.Job) ostrich.Job {
	switch k {
	case ostrich.Submit:
		j.Start, j.End, j.Suspended = 0, 0, 0
	case ostrich.Start:
		j.End, j.Suspended = 0, 0
	default:
	}
	return j
}

func (l *log) event(e logged) ostrich.Event {
	return ostrich.Event{At: e.at(), Kind: e.kind(), Job: as(e.kind(), l.jobs[e.entry()])}
}

// first returns the time of the first event, or the given time if that is
// earlier.
func (l *log) first(t ostrich.Time) ostrich.Time {
	for _, e := range l.events {
		t = min(t, e.at())
	}
	return t
}

// sorted passes the log's events and others to emit, in the order of
// ostrich.Compare. It builds the events of one second at a time; again those of rows.
func (l *log) sorted(others []ostrich.Event, again func(logged) ostrich.Event, emit func(ostrich.Event)) {
	slices.Sort(l.events)
	slices.SortStableFunc(others, func(a, b ostrich.Event) int { return cmp.Compare(a.At, b.At) })
	var second []ostrich.Event
	for i, o := 0, 0; i < len(l.events) || o < len(others); {
		var at ostrich.Time
		switch {
		case o == len(others):
			at = l.events[i].at()
		case i == len(l.events):
			at = others[o].At
		default:
			at = min(l.events[i].at(), others[o].At)
		}
		second = second[:0]
		for ; o < len(others) && others[o].At == at; o++ {
			second = append(second, others[o])
		}
		for ; i < len(l.events) && l.events[i].at() == at; i++ {
			if e := l.events[i]; e.ofRow() {
				second = append(second, again(e))
			} else {
				second = append(second, l.event(e))
			}
		}
		slices.SortFunc(second, func(a, b ostrich.Event) int {
			return cmp.Or(ostrich.Compare(a, b), strings.Compare(a.Pool, b.Pool))
		})
		for _, e := range second {
			emit(e)
		}
	}
}
