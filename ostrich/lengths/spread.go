package lengths

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich/scalar"
)

// Sizes of a Spreads: how many of the latest jobs say something of the next one, of a class, of a
// user and of all users, and for how many jobs of a class the others stand beside it.
const (
	spreadClass = 24
	spreadUser  = 64
	spreadAll   = 256

	spreadUserFor = 2.0  // jobs of its class, if all of the user's survive
	spreadAllFor  = 0.5  // the same of all users'
	spreadLimit   = 0.05 // and that it runs to its limit
)

// Spreads is what jobs that have ended say of how differently the next ones run. The zero value
// knows nothing. It is not safe for concurrent use.
type Spreads struct {
	users map[scalar.UserID]*spreadUserPast
	all   latest // parts of their limits
}

// spreadUserPast is the part of one user.
type spreadUserPast struct {
	classes []spreadClassPast // in the order of their last lengths, the latest last
	parts   latest            // of their limits
}

// spreadClassPast is that of one class of a user's jobs.
type spreadClassPast struct {
	class class
	ran   latest // seconds
}

// latest holds the latest of some values.
type latest struct {
	values []float64 // a ring
	next   int       // place of the next one
	sorted []float64 // of the values; nil: not sorted yet
}

func (l *latest) add(x float64, most int) {
	if len(l.values) < most {
		l.values = append(l.values, x)
	} else {
		l.values[l.next%most] = x
	}
	l.next = (l.next + 1) % most
	l.sorted = nil
}

// ascending returns the values in order, a slice that stays as it is.
func (l *latest) ascending() []float64 {
	if l.sorted == nil {
		l.sorted = slices.Sorted(slices.Values(l.values))
	}
	return l.sorted
}

// Learn records that a job of a user ran for so long.
func (s *Spreads) Learn(u scalar.UserID, r *Request, ran Duration) {
	if r.Limit < 1 {
		return
	}
	ran = max(1, min(ran, r.Limit))
	if s.users == nil {
		s.users = make(map[scalar.UserID]*spreadUserPast)
	}
	past := s.users[u]
	if past == nil {
		past = new(spreadUserPast)
		s.users[u] = past
	}
	part := float64(ran) / float64(r.Limit)
	s.all.add(part, spreadAll)
	past.parts.add(part, spreadUser)
	c, wide := classOf(r)
	past.add(wide, ran)
	if c != wide {
		past.add(c, ran)
	}
}

// add records a length of a class, and puts it last. The class that had one longest ago is
// forgotten if there are too many.
func (p *spreadUserPast) add(c class, ran Duration) {
	one := spreadClassPast{class: c}
	if i := p.find(c); i >= 0 {
		one = p.classes[i]
		p.classes = slices.Delete(p.classes, i, i+1)
	} else if len(p.classes) == mostClasses {
		p.classes = slices.Delete(p.classes, 0, 1)
	}
	one.ran.add(float64(ran), spreadClass)
	p.classes = append(p.classes, one)
}

func (p *spreadUserPast) find(c class) int {
	for i := range slices.Backward(p.classes) {
		if p.classes[i].class == c {
			return i
		}
	}
	return -1
}

// Of returns how differently a job of a user may run. It stays as it is when Learn is called.
func (s *Spreads) Of(u scalar.UserID, r *Request) Spread {
	d := Spread{limit: max(1, r.Limit), hint: r.Hint, all: s.all.ascending()}
	past := s.users[u]
	if past == nil {
		return d
	}
	d.user = past.parts.ascending()
	c, wide := classOf(r)
	i := past.find(c)
	if i < 0 {
		i = past.find(wide)
	}
	if i >= 0 {
		d.class = past.classes[i].ran.ascending()
	}
	return d
}

// Spread is the length of a job as a distribution: that of the latest jobs of its class (a user's
// jobs of one width, limit and kind), beside which the parts of their limits count that the
// user's and all users' jobs used, the less the more jobs of the class there are. The zero value is
// that of a job of a second.
type Spread struct {
	limit, hint Duration
	class       []float64 // seconds, ascending
	user, all   []float64 // parts of limits, ascending
}

// Fixed returns the spread of a job that runs for exactly so long.
func Fixed(ran Duration) Spread { return Spread{limit: max(1, ran), hint: -1} }

// Length draws how long the job runs in all, given that it has run for so long already and
// runs on: more than that, and no more than its limit. u is from [0, 1); uniform ones give the
// distribution. A job that has outlived its limit runs on for More.
func (d *Spread) Length(u float64, ran Duration) Duration {
	limit := max(1, d.limit)
	switch {
	case d.hint < 0 && ran < limit:
		return limit
	case ran >= limit:
		return ran + More(ran, limit)
	}
	class, user, all := d.class, d.user, d.all
	if ran > 0 {
		part := float64(ran) / float64(limit)
		class, user, all = above(class, float64(ran)), above(user, part), above(all, part)
	}
	w := [3]float64{float64(len(class)), spreadUserFor * ratio(user, d.user), spreadAllFor * ratio(all, d.all)}
	total := w[0] + w[1] + w[2] + spreadLimit
	if d.hint > 0 && ran == 0 {
		// What the user says counts as one more job of the class.
		share := 1 / (total + 1)
		if u < share {
			return max(1, min(d.hint, limit))
		}
		u = (u - share) / (1 - share)
	}
	u *= total
	length := float64(limit)
	switch {
	case u < w[0]:
		length = class[int(u)]
	case u < w[0]+w[1]:
		length = user[pick(u-w[0], w[1], len(user))] * float64(limit)
	case u < w[0]+w[1]+w[2]:
		length = all[pick(u-w[0]-w[1], w[2], len(all))] * float64(limit)
	}
	return max(ran+1, min(Duration(math.Round(length)), limit))
}

// above returns those of ascending values that are above one.
func above(sorted []float64, x float64) []float64 {
	i, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return sorted[i:]
}

// ratio returns which part of all values some are.
func ratio(some, all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	return float64(len(some)) / float64(len(all))
}

// pick returns the place of u, of [0, width), among n.
func pick(u, width float64, n int) int { return min(int(u/width*float64(n)), n-1) }
