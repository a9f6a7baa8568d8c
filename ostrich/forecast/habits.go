package forecast

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Arrival is a job that came once.
type Arrival struct {
	At    ostrich.Time
	User  ostrich.UserID
	Procs int
	Limit ostrich.Duration
	Ran   ostrich.Duration // how long it ran; 0: it has not ended yet, or that is not known

	Request int32 // see Job.Request

	// Place is where it went in the queue as it came: the part of the waiting jobs that went before it,
	// from 0 to 1. Below 0 is not known, and counts as the end.
	Place float32
}

// habitDays is for how many days arrivals are remembered.
const habitDays = 28

const day = ostrich.Time(24 * 3600)

// Habits are the arrivals of the last four weeks: what users bring at which hour, and in which
// bursts. The zero value knows of none. It is not safe for concurrent use.
type Habits struct {
	Most int // how many are remembered at most, and half of it the least that stay when they are too many; 0: all

	since    ostrich.Time // from when on they are known
	known    bool
	arrivals []Arrival // by time
	first    int       // number of arrivals[0]
}

// Came adds an arrival, not before the ones so far. It returns its number, for Ended; numbers follow one another.
func (h *Habits) Came(a Arrival) int {
	if !h.known {
		h.since, h.known = a.At, true
	}
	if n := len(h.arrivals); n > 0 {
		a.At = max(a.At, h.arrivals[n-1].At)
	}
	h.arrivals = append(h.arrivals, a)
	h.forget(a.At)
	return h.first + len(h.arrivals) - 1
}

// Len returns how many arrivals are remembered.
func (h *Habits) Len() int { return len(h.arrivals) }

// Clone returns habits that do not change with these; nil of nil.
func (h *Habits) Clone() *Habits {
	if h == nil {
		return nil
	}
	other := *h
	other.arrivals = slices.Clone(h.arrivals)
	return &other
}

// Ended records how long the job of an arrival ran. One that is forgotten stays so.
func (h *Habits) Ended(number int, ran ostrich.Duration) {
	if i := number - h.first; i >= 0 && i < len(h.arrivals) {
		h.arrivals[i].Ran = ran
	}
}

// forget drops what is older than the habits reach, now and then, and the older half of too many.
func (h *Habits) forget(now ostrich.Time) {
	n := 0
	if k := max(1024, len(h.arrivals)/4); k < len(h.arrivals) && h.arrivals[k].At < now-habitDays*day {
		n = h.at(now - habitDays*day)
	}
	if h.Most > 0 && len(h.arrivals) >= h.Most {
		n = max(n, len(h.arrivals)-max(1, h.Most/2))
		h.since = h.arrivals[n].At
	}
	if n > 0 {
		h.arrivals = slices.Clone(h.arrivals[n:])
		h.first += n
	}
}

// at returns the place of the first arrival from a moment on.
func (h *Habits) at(t ostrich.Time) int {
	i, _ := slices.BinarySearchFunc(h.arrivals, t, func(a Arrival, t ostrich.Time) int { return cmp.Compare(a.At, t) })
	return i
}

// days returns how many whole days before a moment are known, at most habitDays.
func (h *Habits) days(now ostrich.Time) int {
	if !h.known || now <= h.since {
		return 0
	}
	return int(min((now-h.since)/day, habitDays))
}

// between lists the arrivals from a moment until another. The caller must not change them.
func (h *Habits) between(from, to ostrich.Time) []Arrival { return h.arrivals[h.at(from):h.at(to)] }
