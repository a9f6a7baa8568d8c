package ostrich

import "math"

// remember updates what a user has had to a moment. Past use fades with the half-life h,
// and what the user holds is added second by second.
func (u *user) remember(moment float64, h Duration) {
	u.used, u.usedAt = u.use(moment, h), moment
}

// use is what a user has had by a moment, faded:
//
//	U = Σ processors · seconds · 2^(-age/h)
func (u *user) use(moment float64, h Duration) Work {
	left := math.Exp2((u.usedAt - moment) / float64(h))
	return u.used*Work(left) + Work(u.busy)*Work((1-left)*float64(h)/math.Ln2)
}

// unremembered is what a user counts as having had beside U: that many seconds of
// the whole machine. It keeps a user who had nothing from being infinitely ahead
// of one who had little, and was chosen with Memory by measurement (docs/adr/0002).
const unremembered Duration = 600

// having is the factor by which past use lengthens the way to a campaign's virtual
// completion, in processor-seconds: U/w + m·600 s, with w the user's share as a
// multiple of an equal one.
func (s *Schedule) having(u *user, moment float64) Work {
	h := s.options.Memory
	if h == 0 {
		return 1
	}
	return u.use(moment, h)/Work(s.tree.Entitled(&u.Line)) + Work(max(s.tree.Size(), 1))*Work(unremembered)
}
