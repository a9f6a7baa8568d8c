package sim

import (
	"slices"

	"slurm-ostrich/ostrich"
)

// moment is when something happens to a job or a campaign.
type moment struct {
	at     ostrich.Time
	number int32
}

// moments is a binary heap by time, ties by number.
type moments []moment

func (a moment) before(b moment) bool { return a.at < b.at || (a.at == b.at && a.number < b.number) }

// first returns when the first thing happens; never if nothing does.
func (h moments) first() ostrich.Time {
	if len(h) == 0 {
		return never
	}
	return h[0].at
}

func (h *moments) push(e moment) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = e
}

func (h *moments) pop() (number int32) {
	s := *h
	top := s[0].number
	last := s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if !s[child].before(last) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = last
	return top
}

// drop removes the moment of a number, which there must be, and returns it.
func (h *moments) drop(number int32) ostrich.Time {
	s := *h
	i := slices.IndexFunc(s, func(m moment) bool { return m.number == number })
	at := s[i].at
	for i > 0 { // what is above it comes down, and the first place is free
		parent := (i - 1) / 2
		s[i] = s[parent]
		i = parent
	}
	h.pop()
	return at
}
