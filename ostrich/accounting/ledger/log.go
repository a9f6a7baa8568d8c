package ledger

import (
	"cmp"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// log collects the events of a poll. An event is large, and most of it is the
// job. So the log holds a job once for its submission, start and end, as long as
// nothing else of it changes.
type log struct {
	events []logged
	jobs   []ostrich.Job
	kinds  []ostrich.Kind // of the last event of each entry in jobs
}

// logged is an event in the log.
type logged struct {
	at   ostrich.Time
	job  uint32 // place in jobs
	kind ostrich.Kind
}

// noEntry is the entry of a job that no event has reported.
const noEntry = -1

// room reserves space for the events of the given number of rows.
func (l *log) room(rows int) {
	l.events = slices.Grow(l.events, 3*rows)
	l.jobs = slices.Grow(l.jobs, rows)
	l.kinds = slices.Grow(l.kinds, rows)
}

// add stores an event and returns the entry of its job; before is the entry of
// the job's last event. A second change in the same second is merged into the
// first, so that no two events compare as equal.
func (l *log) add(k ostrich.Kind, at ostrich.Time, j *ostrich.Job, before int) int {
	if before != noEntry {
		last := l.kinds[before]
		if n := len(l.events) - 1; k == ostrich.Change && l.events[n] == (logged{at, uint32(before), k}) {
			l.jobs[before] = *j
			return before
		}
		if canShare(last, k) && as(last, *j) == as(last, l.jobs[before]) {
			l.jobs[before], l.kinds[before] = *j, k
			l.events = append(l.events, logged{at, uint32(before), k})
			return before
		}
	}
	l.jobs = append(l.jobs, *j)
	l.kinds = append(l.kinds, k)
	l.events = append(l.events, logged{at, uint32(len(l.jobs) - 1), k})
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
	return ostrich.Event{At: e.at, Kind: e.kind, Job: as(e.kind, l.jobs[e.job])}
}

// first returns the time of the first event, or the given time if that is
// earlier.
func (l *log) first(t ostrich.Time) ostrich.Time {
	for _, e := range l.events {
		t = min(t, e.at)
	}
	return t
}

// sorted passes the log's events and others to emit, in the order of
// ostrich.Compare. It builds the events of one second at a time.
func (l *log) sorted(others []ostrich.Event, emit func(ostrich.Event)) {
	slices.SortFunc(l.events, func(a, b logged) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(others, func(a, b ostrich.Event) int { return cmp.Compare(a.At, b.At) })
	var second []ostrich.Event
	for i, o := 0, 0; i < len(l.events) || o < len(others); {
		var at ostrich.Time
		switch {
		case o == len(others):
			at = l.events[i].at
		case i == len(l.events):
			at = others[o].At
		default:
			at = min(l.events[i].at, others[o].At)
		}
		second = second[:0]
		for ; o < len(others) && others[o].At == at; o++ {
			second = append(second, others[o])
		}
		for ; i < len(l.events) && l.events[i].at == at; i++ {
			second = append(second, l.event(l.events[i]))
		}
		slices.SortFunc(second, func(a, b ostrich.Event) int {
			return cmp.Or(ostrich.Compare(a, b), strings.Compare(a.Pool, b.Pool))
		})
		for _, e := range second {
			emit(e)
		}
	}
}
