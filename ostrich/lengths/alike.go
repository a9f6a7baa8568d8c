package lengths

import "slices"

// A class identifies jobs of one user with the same width and limit, and the same
// Request.Class where that is known.
type class struct {
	limit Duration
	procs int
	what  uint64
}

// classOf returns the class of a job, and that of all jobs of its width and limit.
func classOf(r *Request) (c, wide class) {
	c = class{limit: r.Limit, procs: r.Procs, what: r.Class}
	wide = c
	wide.what = 0
	return c, wide
}

// Latest is how many lengths a prediction is made from. More are steadier, fewer
// follow changes sooner; 9 was measured with Alike (docs/adr/0002).
const Latest = 9

// recent holds the latest lengths of a class.
type recent struct {
	lengths [Latest]Duration
	count   int // lengths added so far
}

func (r *recent) add(d Duration) {
	r.lengths[r.count%Latest] = d
	r.count++
}

// expected returns the shortest of the latest lengths that two thirds of them do not
// exceed. There must be one. Too short a prediction costs others more than too long a
// one, because a running job cannot be stopped: two thirds was measured against the
// median, the mean and the longest (docs/adr/0002).
func (r *recent) expected() Duration {
	n := min(r.count, Latest)
	sorted := r.lengths
	slices.Sort(sorted[:n])
	return sorted[(2*n+2)/3-1]
}

// alike remembers the latest lengths of those classes of a user that had one last, at
// most mostClasses. Copies of a schedule share it until one of them adds to it.
type alike struct {
	classes []class // in the order of their last lengths, the latest first
	recent  []recent
	shared  bool
}

// mostClasses is how many classes of a user are remembered.
const mostClasses = 64

// owned returns what may be changed: a itself, a copy if it is shared, or an empty one for
// nil.
func (a *alike) owned() *alike {
	switch {
	case a == nil:
		return &alike{}
	case a.shared:
		return &alike{classes: slices.Clone(a.classes), recent: slices.Clone(a.recent)}
	}
	return a
}

// of returns the lengths of a class, or nil.
func (a *alike) of(c class) *recent {
	if a == nil {
		return nil
	}
	if i := slices.Index(a.classes, c); i >= 0 {
		return &a.recent[i]
	}
	return nil
}

// add records a length, and puts the class in front.
func (a *alike) add(c class, d Duration) {
	i := slices.Index(a.classes, c)
	var r recent
	switch {
	case i >= 0:
		r = a.recent[i]
	case len(a.classes) < mostClasses:
		i = len(a.classes)
		a.classes, a.recent = append(a.classes, c), append(a.recent, r)
	default:
		i = len(a.classes) - 1
	}
	r.add(d)
	copy(a.classes[1:i+1], a.classes[:i])
	copy(a.recent[1:i+1], a.recent[:i])
	a.classes[0], a.recent[0] = c, r
}
