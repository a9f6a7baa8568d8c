package slurmdb

import (
	"cmp"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// log collects the events of a poll. An event is large and most of it is the
// job, so the log holds a job once for its submission, start and end, as long
// as nothing else of it changes.
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

// noEntry is that of a job about which nothing was told.
const noEntry = -1

// room makes place for what the rows will tell.
func (l *log) room(rows int) {
	l.events = slices.Grow(l.events, 3*rows)
	l.jobs = slices.Grow(l.jobs, rows)
	l.kinds = slices.Grow(l.kinds, rows)
}

// add takes an event and returns the entry of its job. before is that of the
// last event of the job. A second change in the same second is told with
// the first, so that no two events compare as equal.
func (l *log) add(k ostrich.Kind, at ostrich.Time, j *ostrich.Job, before int) int {
	if before != noEntry {
		last := l.kinds[before]
		if n := len(l.events) - 1; k == ostrich.Change && l.events[n] == (logged{at, uint32(before), k}) {
			l.jobs[before] = *j
			return before
		}
		if continues(last, k) && as(last, *j) == as(last, l.jobs[before]) {
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

// continues tells whether an entry can hold both events, of which as makes the
// first from what it holds for the second.
func continues(last, next ostrich.Kind) bool {
	return last == ostrich.Submit && (next == ostrich.Start || next == ostrich.End) ||
		last == ostrich.Start && next == ostrich.End
}

// as is the job at its submission or start, given how it went on.
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

// first is the time of the first event, or the given time if it is earlier.
func (l *log) first(t ostrich.Time) ostrich.Time {
	for _, e := range l.events {
		t = min(t, e.at)
	}
	return t
}

// sorted gives the events, and others, in the order of ostrich.Compare. Only
// those of one second are made at a time.
func (l *log) sorted(others []ostrich.Event, tell func(ostrich.Event)) {
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
			tell(e)
		}
	}
}
