package ostrich

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
)

// A campaignState is what the schedule keeps of a set of jobs whose results a user
// waits for together (J_i^u). Its work is served in one or more stages, see Late.
type campaignState struct {
	user   *user
	number int    // i: 1, 2, ... within the user
	lead   JobID  // that opened it, or its group
	name   string // by which the user declared it, or ""

	first, latest Time     // submissions
	since         Time     // t_i: when a job of it could first start; notYet while none could
	stages        []*stage // those in the user's line, in the order in which they opened
	opened        int      // stages so far
	open          int      // records that have not ended
	held          int      // of them, those kept back
	ran           int      // jobs that ran and have ended
	learned       int      // of them, when the lengths of waiting ones were predicted last
	ended         Time
	longest       Duration // the longest job that has ended
	head          stage    // memory of the first stage
	before        Work     // what the virtual schedule owed the user at t_i

	// Of the stages that have left the line: their work, when the first
	// began, and when the last was completed.
	settled          Work
	began, completed float64
}

// A stage is the part of a campaign that has one finish tag.
type stage struct {
	campaign *campaignState
	number   int // 1, 2, ... within the campaign
	work     Work
	since    Time   // when it opened for the order: t_i, or its first release
	joined   Time   // when work joined it last
	open     int    // records that have not ended
	held     int    // of them, those kept back
	vain     bool   // all its work was kept back: it has not begun
	pending  []*job // sorted as they should start unless unsorted
	gone     int    // of them, those that are no longer queued
	unsorted bool
	turn     Time // when the next pending job has waited too long, see Options.Grace
	left     left // of the jobs that have not ended

	// Tags on the clock of the user's account: when the stage opened, when
	// its service begins, and F, when it ends; see user.laid.
	arrived, start, finish float64
	until                  float64 // the latest F in the user's line up to this stage; see user.reached
	done                   Work    // what had been served before start, see reopen
	place                  int     // in the user's line, counted from the first stage there ever was

	// Moments in real time, -1 while not yet: when the virtual schedule began
	// the stage (s~), and when it completed it (C~).
	began, completed float64

	key    stageKey // by which it was sorted last
	listed bool     // among waiting.stages
	moved  bool     // among waiting.moved
}

const notYet = -1

// A user is one line of the virtual schedule.
type user struct {
	id       UserID
	leaf     *node
	latest   *campaignState // the campaign a further submission may join
	recent   *job           // the job submitted last to it; nil once that has ended
	count    int            // campaigns so far
	declared campaign.Declared[*campaignState]
	line     []*stage  // in the order of service, from the first that is not over
	reached  []float64 // by stage of the line: once it is completed, the latest F up to it; +Inf before, and while tags are to be set
	gone     int       // stages that were in the line before

	completed int     // stages at the front of the line that are completed virtually; the next one is served
	laid      int     // stages at the front of the line whose tags are set, see refresh
	shifted   bool    // among waiting.users
	unserved  Work    // of all stages, see stage.unserved
	until     float64 // the latest F in the line, while the user is active
	swept     float64 // the latest F of the stages that have left the line
	past      lengths.Past
	busy      int    // parts of the machine that running jobs take
	open      int    // records that have not ended and are not kept back
	tasks     int    // unfinished ones, also those kept back
	failing   []*job // unfinished ones whose length is expected as that of jobs that failed, see lengths.Past
	idle      Time   // when open last fell to 0 while something was owed

	// What the user has had, in processor-seconds (of parts, see Job.Size) that fade with the half-life
	// of Options.Memory, at a moment.
	used   Work
	usedAt float64
}

// A job is what the schedule keeps of a record that has not ended.
type job struct {
	Job
	stage     *stage
	array     *group   // that ties it to its campaign, or nil
	expect    Duration // predicted length, capped by Estimate
	length    Duration // what one task counts for at present
	able      Time     // since when it could start, while it is pending
	asked     int32    // Procs while pending: a start may allocate more, and lengths are of what is asked for
	askedSize int      // Size while pending
	queued    bool     // among the pending ones of the stage
	held      bool     // and cannot start: it counts for nothing
	running   bool
	left      left     // of its work
	place     int      // among the jobs that may outlive their length; -1 if not there
	due       Time     // when it outlives its length, if it still runs then
	paused    Time     // when it was suspended; 0 while not
	rested    Duration // total of earlier suspensions
}

// add changes the work of a stage by d. The clocks must be synchronised.
func (s *Schedule) add(g *stage, d Work) {
	if d == 0 {
		return
	}
	u := g.campaign.user
	if d > 0 && g.completed != notYet {
		u.reopen(g)
	}
	g.vain = g.vain && d < 0
	g.count(d, 0)
	s.refresh(u, g.place-u.gone)
}

// reopen lets a stage that is completed be served again from now on, before
// the later ones of its user. Work found after the completion is served then;
// the service that was lost meanwhile is not given twice.
func (u *user) reopen(g *stage) {
	now := u.leaf.parent.clock
	g.arrived, g.done, g.completed = now, g.work, notYet
	i := g.place - u.gone
	u.unreach(i)
	if i > u.completed || u.completed == len(u.line) {
		return
	}
	if served := u.line[u.completed]; served.start < now { // interrupted
		served.count(0, Work((now-served.start)*u.leaf.weight))
		served.arrived = now
	}
}

// count adds to the work of a stage, and to what of it was served before start.
func (g *stage) count(work, done Work) {
	before := g.unserved()
	g.work += work
	g.done += done
	g.campaign.user.unserved += g.unserved() - before
}

// unserved is the work of a stage that was still to be served at start; none once
// it is completed.
func (g *stage) unserved() Work {
	if g.completed != notYet {
		return 0
	}
	return max(0, g.work-g.done)
}

// refresh sets the tags of a user's stages anew, after the stage at index from has
// changed:
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// It finds out which stages are completed, which one is served and when that will
// be completed. Service given beyond the work of a stage thereby goes to the
// next one, as far as that had arrived by then. The tags follow from the work
// alone, not from the steps in which it became known, so equal campaigns have
// equal tags. The clocks must be synchronised.
//
// The walk ends at the stage that is served. Those behind it get their tags when
// somebody reads them, see catchUp, so an event costs the same however many
// campaigns wait. The walk skips completed stages whose tags stay the same, and
// those of a user who is served nothing, as nobody gets what they leave.
func (s *Schedule) refresh(u *user, from int) {
	now := u.leaf.parent.clock
	owed, idle := u.owed(now), !u.leaf.active()
	if from > u.completed {
		u.unreach(from)
		u.laid, from = min(u.laid, from), u.completed
	}
	var finish float64
	i := from
	for ; i < len(u.line); i++ {
		g := u.line[i]
		until := u.upTo(i)
		finish = g.finish
		s.layOut(g, i)
		if g.completed == notYet && (g.finish-now)*u.leaf.weight <= rounding {
			u.unserved -= g.unserved()
			g.completed, u.reached[i] = s.moment, g.until
			if s.onCompletion != nil {
				s.onCompletion(g.campaign.lead, s.moment)
			}
		}
		if g.began == notYet && !g.vain {
			g.began = s.moment
		}
		if g.completed == notYet {
			break
		}
		if u.upTo(i) == until || idle {
			i = max(i, u.completed-1)
		} else {
			i = u.raise(i)
		}
	}
	u.completed = i
	if i < len(u.line) {
		served := u.line[i]
		if i >= u.laid || served.finish != finish {
			u.laid = i + 1
		}
		u.until = served.start + float64(u.unserved)/u.leaf.weight
		u.leaf.activate(served.finish)
	} else {
		u.laid, u.unserved = i, 0 // without the rounding left over from sums
		u.leaf.rest()
	}
	s.waiting.shift(u)
	u.leaf.parent.retag()
	u.sweep()
	if s.root.sharing == 0 {
		s.surplus = -s.left.after(s.moment) // nothing is owed
	} else {
		s.surplus += u.owed(now) - owed
	}
	s.version++
}

// layOut sets the tags of the i-th stage in its user's line.
func (s *Schedule) layOut(g *stage, i int) {
	u := g.campaign.user
	after := u.swept
	if i > 0 {
		after = u.upTo(i - 1)
	}
	start := max(g.arrived, after)
	if g.completed != notYet {
		start = min(start, g.start) // never pushed back, see reopen
	}
	finish := start + float64(max(0, g.work-g.done))/u.leaf.weight
	if g.completed != notYet {
		finish = min(finish, g.finish)
	}
	g.start, g.finish, g.until = start, finish, max(after, finish)
	if g.completed != notYet {
		u.reached[i] = g.until
	}
	if g.listed {
		s.waiting.touch(g)
	}
}

// upTo is the latest F in a user's line up to the i-th stage.
func (u *user) upTo(i int) float64 {
	if reached := u.reached[i]; !math.IsInf(reached, 1) {
		return reached
	}
	return u.line[i].until
}

// unreach lets the tags of the i-th stage be set when the walk of refresh comes by.
func (u *user) unreach(i int) { u.line[i].until, u.reached[i] = u.upTo(i), math.Inf(1) }

// raise carries the latest F up to the i-th stage on to the completed stages behind it
// that reached no later one, as layOut would. Their own tags are not later, so they stay
// as they are. It returns the last of these stages, or i.
func (u *user) raise(i int) int {
	reached := u.reached[i]
	for i+1 < len(u.reached) && u.reached[i+1] <= reached {
		i++
		u.reached[i] = reached
	}
	return i
}

// catchUp sets the tags of a user's stages that refresh has left behind.
func (s *Schedule) catchUp(u *user) {
	for ; u.laid < len(u.line); u.laid++ {
		s.layOut(u.line[u.laid], u.laid)
	}
}

// owed is the work that the virtual schedule still has to do for the user, when
// the clock of the user's account shows now.
func (u *user) owed(now float64) Work {
	if !u.leaf.active() {
		return 0
	}
	return Work((u.until - now) * u.leaf.weight)
}

// sweep forgets the foremost stages that are completed virtually and have no
// job left: their work does not change any more, nor what that leaves for the
// later ones.
func (u *user) sweep() {
	n := 0
	for n < len(u.line) && u.line[n].over() {
		g := u.line[n]
		c := g.campaign
		if c.began == notYet {
			c.began = g.began
		}
		c.settled += g.work
		c.completed = max(c.completed, g.completed)
		c.stages = slices.Delete(c.stages, 0, 1)
		u.swept = max(u.swept, g.finish) // what it was served is nobody else's
		n++
	}
	if n == 0 {
		return
	}
	if n < len(u.line)-n { // do not move many for a few
		clear(u.line[:n])
		u.line, u.reached = u.line[n:], u.reached[n:]
	} else {
		u.line, u.reached = slices.Delete(u.line, 0, n), slices.Delete(u.reached, 0, n)
	}
	u.gone += n
	u.completed -= n
	u.laid -= n
}

// over reports whether a stage is finished virtually and really.
func (g *stage) over() bool { return g.completed != notYet && g.open == 0 }

// transplant hangs a user on a new leaf. What was served stays served: the
// tags move to the new clock, which counts service in other units.
func (s *Schedule) transplant(u *user, leaf *node) {
	from, unit := u.leaf.parent.clock, u.leaf.weight/leaf.weight
	u.leaf = leaf
	s.sync(leaf.parent)
	now := leaf.parent.clock
	for i, g := range u.line {
		u.unreach(i)
		g.arrived = now + (g.arrived-from)*unit
		g.start = now + (g.start-from)*unit
		g.finish = now // at most, see layOut
	}
	u.swept = now + (u.swept-from)*unit
	u.completed, u.laid = 0, 0
	s.refresh(u, 0)
}

func sortedUsers(users map[UserID]*user) []*user {
	return slices.SortedFunc(maps.Values(users), func(a, b *user) int { return cmp.Compare(a.id, b.id) })
}

// campaignOf finds or opens the campaign that a new job belongs to.
func (s *Schedule) campaignOf(u *user, j *job, array *group) *campaignState {
	if array != nil && array.campaign.user == u {
		return array.campaign
	}
	if j.Campaign != "" {
		past := func(c *campaignState) bool { return c.open == 0 && campaign.Past(c.ended, s.now) }
		return u.declared.Find(j.Campaign, past, func() *campaignState {
			c := s.openCampaign(u, j)
			c.name = j.Campaign
			return c
		})
	}
	c := u.latest
	if c == nil || !s.options.Rule.Joins(campaign.Latest{
		First: c.first, Latest: c.latest, Unfinished: c.open > 0, PreviousOpen: u.recent != nil,
	}, s.now) {
		c = s.openCampaign(u, j)
		u.latest, u.recent = c, nil
	}
	return c
}

// openCampaign opens a campaign of a user with its first job.
func (s *Schedule) openCampaign(u *user, j *job) *campaignState {
	u.count++
	c := &campaignState{
		user: u, number: u.count, lead: cmp.Or(j.Group, j.ID), first: s.now, since: notYet, began: notYet, completed: notYet,
	}
	s.begin(c)
	return c
}

// begin records that a job of a campaign can start, if none could before.
func (s *Schedule) begin(c *campaignState) {
	if c.since != notYet {
		return
	}
	c.since, c.before = s.now, c.user.owed(s.clockAt(c.user.leaf.parent, s.moment))
}

// stageFor returns the stage of the campaign that new work joins, see Late.
func (s *Schedule) stageFor(c *campaignState) *stage {
	u := c.user
	if n := len(c.stages); n > 0 && !c.stages[n-1].vain {
		g := c.stages[n-1]
		switch s.options.Late {
		case Grow:
			return g
		case Reopen:
			if g.completed == notYet {
				return g
			}
		case Append:
			if g.completed == notYet && g.joined == s.now {
				return g
			}
		}
	}
	c.opened++
	g := &c.head
	if c.opened > 1 {
		g = new(stage)
	}
	g.campaign, g.number, g.arrived, g.began, g.completed = c, c.opened, u.leaf.parent.clock, notYet, notYet
	g.place, g.since = u.gone+len(u.line), c.since
	c.stages = append(c.stages, g)
	u.line, u.reached = append(u.line, g), append(u.reached, math.Inf(1))
	return g
}
