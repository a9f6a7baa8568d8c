package ostrich

import (
	"cmp"
	"math"
	"slices"
)

// bound is the bound on the end of a campaign in the papers' order, with k read as
// the inverse of the user's fraction, which it is for equal shares:
//
//	t_i + k·(B + W_i)/m + 3·p_max                               (Lemma 5.2, equation 5.3)
//	t_i + k·(B + W_i)/(m·(1-α)) + p_max/(1-α) + p_max of the campaign  (after Lemma 6.3)
//
// where p_max is the longest job of the system, α·m its widest one, and B what
// the virtual schedule owed the user at t_i: with a strict gate at most the W_{i-1}
// of the papers, without one maybe more. Lemma 6.3 does not hold as published;
// docs/theory.md has the counterexamples, and why this does.
func (s *Schedule) bound(c *campaignState, v *Campaign, longest Duration, widest int) float64 {
	if s.tree.Size() == 0 || v.Waiting {
		return math.Inf(1)
	}
	k := 1 / s.tree.Fraction(&c.user.Line)
	m := float64(s.tree.Size())
	t, p := float64(c.since), float64(longest)
	work := float64(c.before + v.Work)
	if s.options.Machine == Sequential {
		return t + k*work/m + 3*p
	}
	alpha := float64(widest) / m
	if alpha >= 1 {
		return math.Inf(1)
	}
	return t + k*work/(m*(1-alpha)) + p/(1-alpha) + float64(v.Longest)
}

// boundByFront sets the bounds of an order with a grace. From the moment T at
// which a campaign goes first only those that are completed virtually no later go
// before it. While a job of it waits, no more than α·m processors are idle, where
// α·m is the widest job less one processor; what they work off is left of these
// campaigns, A, or was running at T, for no longer than p_max. So the campaign ends by
//
//	T + (A + m·p_max)/(m·(1-α)) + p_max of the campaign
//
// T is C~ + max(C~ - t, Grace), with C~ put off as if only m·(1-α) processors were
// served. It is not before now, for the bound; for the promise it is not after
// what follows from C~ ≤ t + k·(B + W_i)/(m·(1-α)), see bound, as long as a job waits.
//
// Where a pool has several classes, H is what is left of those above and of what runs of
// those below. H is worked off as well, and the virtual schedule of the class need not
// serve anything meanwhile. The bound is the later one of all of H before C~ and all of it
// after T. It holds as long as no more work comes in a class above, and is no promise: what
// these have done since t is not known any more.
func (s *Schedule) boundByFront(list []Campaign, owed []Work, longest Duration, widest int) {
	rivals, several := Work(0), s.classes != nil
	if several {
		for class, o := range s.classes.read() {
			if class == s.class {
				continue
			}
			longest = max(longest, o.longest)
			if class < s.class {
				widest = max(widest, o.widest)
				rivals += o.left
			} else {
				rivals += o.running
			}
		}
	}
	order := make([]int, len(list))
	for i := range list {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].VirtualEnd, list[b].VirtualEnd) })
	m, p, now := float64(s.tree.Size()), float64(longest), float64(s.now)
	busy := m - float64(max(widest, 1)-1) // processors at least, while a job waits
	ahead := Work(0)
	for from, to := 0, 0; from < len(order); from = to {
		for ; to < len(order) && list[order[to]].VirtualEnd == list[order[from]].VirtualEnd; to++ {
			ahead += list[order[to]].Left
		}
		for _, i := range order[from:to] {
			c := &list[i]
			c.Bound, c.Promise = math.Inf(1), math.Inf(1)
			if busy <= 0 || c.Waiting {
				continue
			}
			end := c.VirtualEnd
			if !c.Completed && s.options.Machine == Parallel {
				end = now + (end-now)*m/busy
			}
			t := float64(c.Since)
			more := float64(rivals) / busy
			front := max(s.frontBy(t, end), now) + more
			if !c.Completed && s.options.Machine == Parallel {
				front = max(front, s.frontBy(t, end+more))
			}
			latest := s.frontBy(t, t+float64(owed[i])/(s.tree.Fraction(&s.users[c.User].Line)*busy))
			rest := (float64(ahead)+m*p)/busy + float64(c.Longest)
			c.Bound, c.Promise = front+rest, min(front, latest)+rest
			if several {
				c.Promise = c.Bound
			}
		}
	}
}

// peers are the schedules of a pool's classes, all at the same time.
type peers struct {
	schedules []*Schedule
	sums      []sum // nil until somebody asks
}

// sum is what the bounds of the other classes need of one.
type sum struct {
	longest       Duration
	widest        int
	left, running Work // of all its jobs, and of those that run
}

// read returns the sums by class. The first call must come before the schedules change.
func (p *peers) read() []sum {
	if p.sums != nil {
		return p.sums
	}
	p.sums = make([]sum, len(p.schedules))
	for i, s := range p.schedules {
		is := &p.sums[i]
		for j := range s.jobs.all() {
			left := j.left.At(s.now)
			is.longest, is.widest, is.left = max(is.longest, j.length), max(is.widest, j.Part()), is.left+left
			if j.running {
				is.running += left
			}
		}
	}
	return p.sums
}
