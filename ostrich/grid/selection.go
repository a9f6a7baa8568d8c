package grid

import (
	"math/bits"
	"strings"

	"slurm-ostrich/ostrich"
)

// A selection says which tasks of a manager's queue are eligible next (section 2.3).
type selection interface {
	// submit says that a task comes.
	submit(t int32)
	// draw takes the next eligible set out of the queue, in its initial order;
	// nothing if no task waits. It is valid until the next call.
	draw() []int32
	// started says that a copy of a task has started, again if it is not the first.
	started(t int32, again bool)
	// stopped says that a copy that ran since a moment stops; ended means that it was
	// not cancelled.
	stopped(t int32, since ostrich.Time, ended bool)
}

// selector is a row of the table of selections.
type selector struct {
	name, usage string
	immediate   bool // all tasks are eligible as they come
	anew        bool // sets are drawn as if Redraw were Started
	waits       bool // a set is not drawn before the latest is empty, even with Called
	make        func(q *queue) (selection, error)
}

// selectors are all selections: those of section 2.3, and orders to compare them
// with.
var selectors = []selector{
	{name: "S-T", usage: "all tasks, as they come", immediate: true, make: sharedBy(nil, all)},
	{name: "S-BoT", usage: "bag by bag, as they come", waits: true, make: sharedBy(nil, aBag)},
	{name: "S-U-Prio", usage: "all tasks of the user with the highest priority", make: sharedBy((*byUser).foremost, all)},
	{name: "S-U-T", usage: "all tasks of the user who has used least", make: sharedBy((*byUser).frugal, all)},
	{name: "S-U-BoT", usage: "the first bag of the user who has used least", make: sharedBy((*byUser).frugal, aBag)},
	{name: "S-U-GRR", usage: "all tasks of the next user in turn", make: sharedBy((*byUser).inTurn, all)},
	{name: "S-U-RR", usage: "one task of the next user in turn", make: sharedBy((*byUser).inTurn, one)},
	{name: "FCFS", anew: true, usage: "task by task, as they come", make: sharedBy(nil, one)},
	{name: "FairShare", anew: true, usage: "task by task, by the users' fair-share factors", make: fairShareOf},
	{name: "FairCamp", anew: true, usage: "the tasks of the bag with the earliest deadline", make: fairCampOf},
	{name: "OStrich", anew: true, usage: "the tasks of the bag that ends first in the virtual schedule", make: ostrichOf},
}

// Selections lists the task selection policies.
func Selections() []Choice {
	list := make([]Choice, len(selectors))
	for i, s := range selectors {
		list[i] = Choice{Name: s.name, Usage: s.usage}
	}
	return list
}

func selectorNamed(name string) (*selector, error) {
	for i := range selectors {
		if strings.EqualFold(selectors[i].name, name) {
			return &selectors[i], nil
		}
	}
	return nil, unknown("selection", name, Selections())
}

// amount is how many of a user's tasks make a set.
type amount uint8

const (
	all  amount = iota
	aBag        // those of the first bag
	one
)

// byUser is a queue with a line for each user.
type byUser struct {
	*queue
	who    func(*byUser) int32 // whose turn it is, of those with waiting tasks; nil if all are one line
	amount amount
	lines  []line[float64]
	there  set   // of users with waiting tasks
	latest int32 // user in turn
	use    []usage
	drawn  []int32
}

// usage is the processor time of a user.
type usage struct {
	past    ostrich.Work
	running int64        // copies
	since   ostrich.Work // sum of their starts
}

// sharedBy makes a selection by users.
func sharedBy(who func(*byUser) int32, n amount) func(*queue) (selection, error) {
	return func(q *queue) (selection, error) {
		users := 1
		if who != nil {
			users = q.known
		}
		return &byUser{
			queue: q, who: who, amount: n, lines: make([]line[float64], users), there: make(set, users/64+1), latest: none, use: make([]usage, users),
		}, nil
	}
}

// line is the number of a task's line.
func (s *byUser) line(t int32) int32 {
	if s.who == nil {
		return 0
	}
	_, user := s.bagOf(t)
	return user
}

func (s *byUser) submit(t int32) {
	u := s.line(t)
	s.lines[u].push(entry[float64]{number: t})
	s.there.add(u)
}

func (s *byUser) draw() []int32 {
	u := int32(0)
	switch {
	case s.there.next(0) == none:
		return nil
	case s.who != nil:
		u = s.who(s)
	}
	l := &s.lines[u]
	n := l.len()
	switch s.amount {
	case one:
		n = 1
	case aBag:
		n = 1
		for bag := s.tasks[l.list[l.gone].number].bag; n < l.len() && s.tasks[l.list[l.gone+n].number].bag == bag; {
			n++
		}
	case all:
	}
	s.drawn = s.drawn[:0]
	for range n {
		s.drawn = append(s.drawn, l.pop().number)
	}
	if l.len() == 0 {
		s.there.remove(u)
	}
	return s.drawn
}

func (s *byUser) started(t int32, _ bool) {
	u := &s.use[s.line(t)]
	u.running++
	u.since += ostrich.Work(s.now)
}

func (s *byUser) stopped(t int32, since ostrich.Time, _ bool) {
	u := &s.use[s.line(t)]
	u.running--
	u.since -= ostrich.Work(since)
	u.past += ostrich.Work(s.now - since)
}

// foremost is the user with the smallest number.
func (s *byUser) foremost() int32 { return s.there.next(0) }

// inTurn is the next user after the latest one.
func (s *byUser) inTurn() int32 {
	if s.latest = s.there.next(s.latest + 1); s.latest == none {
		s.latest = s.there.next(0)
	}
	return s.latest
}

// frugal is the user with the least usage: past processor time and that of running
// tasks.
func (s *byUser) frugal() int32 {
	best, least := int32(none), ostrich.Work(0)
	for u := s.there.next(0); u != none; u = s.there.next(u + 1) {
		x := &s.use[u]
		if had := x.past + ostrich.Work(x.running)*ostrich.Work(s.now) - x.since; best == none || had < least {
			best, least = u, had
		}
	}
	return best
}

// set is a set of small numbers.
type set []uint64

func (s set) add(i int32)    { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int32) { s[i/64] &^= 1 << (i % 64) }

// next is the first number of the set from i on, or none.
func (s set) next(i int32) int32 {
	for w := int(i / 64); w < len(s); w++ {
		word := s[w]
		if w == int(i/64) {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return int32(w*64 + bits.TrailingZeros64(word))
		}
	}
	return none
}
