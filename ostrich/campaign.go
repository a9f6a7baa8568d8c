package ostrich

import (
	"cmp"
	"slices"
)

// A campaign is what the schedule keeps of a set of jobs whose results a user
// waits for together (J_i^u). Its work is served in one or more stages, see Late.
type campaign struct {
	user   *user
	number int // i: 1, 2, ... within the user

	first, latest Time // submissions
	stages        []*stage
	open          int // records that have not ended
	ended         Time
	longest       Duration // p_max of the campaign, of all its jobs so far
	before        Work     // W_{i-1}, or 0 if that was completed virtually at t_i
}

// work is W, the work of the campaign as known now.
func (c *campaign) work() Work {
	var w Work
	for _, g := range c.stages {
		w += g.work
	}
	return w
}

// A stage is the part of a campaign that has one finish tag.
type stage struct {
	campaign *campaign
	work     Work
	pending  []*job // sorted as they should start unless unsorted
	left     int    // of them, those that are no longer queued
	unsorted bool

	arrived float64 // the clock of the user's account when the stage opened
	finish  float64 // F, on the same clock

	// Moments in real time, -1 while not yet: when the virtual schedule began
	// the stage (s~), and when it completed it (C~).
	began, completed float64
}

const notYet = -1

// A user is one line of the virtual schedule.
type user struct {
	id     UserID
	leaf   *node
	latest *campaign // the campaign a further submission may join
	recent *job      // the job submitted last
	count  int       // campaigns so far
	line   []*stage  // unfinished stages in the order of service
	past   lengths
	busy   int // processors of running jobs
}

// A job is what the schedule keeps of a record that has not ended.
type job struct {
	Job
	stage   *stage
	expect  Duration // predicted length, capped by Estimate
	length  Duration // what one task counts for at present
	queued  bool     // among the pending ones of the stage
	running bool
	due     Time     // when it outlives its length, if it still runs then
	paused  Time     // when it was suspended; 0 while not
	rested  Duration // total of earlier suspensions
}

// add changes the work of a stage by d and moves the finish tags that depend
// on it: those of the stage and of the user's later ones,
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// Service already given beyond the new work goes to the user's next stage, as
// far as that had arrived by then. The clocks must be synchronised.
func (s *Schedule) add(g *stage, d Work) {
	if d == 0 {
		return
	}
	u := g.campaign.user
	now, weight := u.leaf.parent.clock, u.leaf.weight
	if d > 0 && g.finish < now {
		// Work found after the completion is served from now on. The service
		// that was lost meanwhile is not given twice.
		g.finish = now
		g.completed = notYet
	}
	g.work += d
	was := g.finish
	g.finish += float64(d) / weight
	is := g.finish
	i := slices.Index(u.line, g)
	if i < 0 { // completed and put away before: serve it first
		u.line = slices.Insert(u.line, 0, g)
		i = 0
	}
	for _, later := range u.line[i+1:] {
		if d > 0 && later.finish <= now {
			continue // completed: nothing of it is left to be pushed back
		}
		shift := max(later.arrived, is) - max(later.arrived, was)
		if shift == 0 {
			break
		}
		was = later.finish
		later.finish += shift
		is = later.finish
	}
	s.refresh(u)
}

// refresh brings the state of a user in line with the finish tags: which
// stages are completed, which one is served, when the next completion is due.
// The clocks must be synchronised.
func (s *Schedule) refresh(u *user) {
	now := u.leaf.parent.clock
	serving := false
	for _, g := range u.line {
		switch {
		case g.finish <= now:
			if g.completed == notYet {
				g.completed = s.moment
			}
			if g.began == notYet {
				g.began = s.moment
			}
		case !serving:
			serving = true
			g.completed = notYet
			if g.began == notYet {
				g.began = s.moment
			}
			u.leaf.activate(g.finish)
		default:
			g.completed = notYet
			g.began = notYet
		}
	}
	if !serving {
		u.leaf.rest()
	}
	u.leaf.parent.retag()
	s.sweep(u)
	s.version++
}

// sweep forgets the stages that are completed virtually and whose campaign
// has no job left. A later change of their work can no longer happen.
func (s *Schedule) sweep(u *user) {
	u.line = slices.DeleteFunc(u.line, func(g *stage) bool {
		return g.completed != notYet && g.campaign.open == 0
	})
}

// unserved lists the work that each stage of the user still waits for, in
// order, 0 for completed ones. The clocks must be synchronised.
func (s *Schedule) unserved(u *user) []float64 {
	left := make([]float64, len(u.line))
	from := u.leaf.parent.clock
	for i, g := range u.line {
		if g.finish > from {
			left[i] = (g.finish - from) * u.leaf.weight
			from = g.finish
		}
	}
	return left
}

// relay gives the stages of a user tags on the clock of a new leaf, from the
// work each still waits for.
func (s *Schedule) relay(u *user, left []float64) {
	s.sync(u.leaf.parent)
	tag := u.leaf.parent.clock
	for i, g := range u.line {
		g.arrived = u.leaf.parent.clock
		g.finish = tag
		if left[i] > 0 {
			tag += left[i] / u.leaf.weight
			g.finish = tag
		}
	}
	s.refresh(u)
}

func sortedUsers(users map[UserID]*user) []*user {
	list := make([]*user, 0, len(users))
	for _, u := range users {
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b *user) int { return cmp.Compare(a.id, b.id) })
	return list
}
