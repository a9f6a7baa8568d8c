package ostrich

import (
	"cmp"
	"maps"
	"slices"

	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sharing"
)

// A campaignState is what the schedule keeps of a set of jobs whose results a user
// waits for together (J_i^u). Its work is served in one or more stages, see Late.
type campaignState struct {
	user   *user
	number int    // i: 1, 2, ... within the user
	lead   JobID  // that opened it, or its group
	name   string // by which the user declared it, or ""

	first, latest Time     // submissions
	since         Time     // t_i: when a job of it could first start; sharing.NotYet while none could
	stages        []*stage // in the order in which they opened; some in front may be over, see live
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
	sharing.Stage // Watched while it is among waiting.stages

	campaign *campaignState
	number   int    // 1, 2, ... within the campaign
	since    Time   // when it opened for the order: t_i, or its first release
	joined   Time   // when work joined it last
	held     int    // of its records that have not ended, those kept back
	pending  []*job // sorted as they should start unless unsorted
	gone     int    // of them, those that are no longer queued
	turn     Time   // when the next pending job has waited too long, see Options.Grace
	unsorted bool
	moved    bool     // among waiting.moved
	key      stageKey // by which it was sorted last
}

// stageOf is the stage that the virtual schedule knows by its tags.
func stageOf(g *sharing.Stage) *stage { return g.Owner.(*stage) } // no others are in a line

// A user is one line of the virtual schedule.
type user struct {
	sharing.Line // Open counts what has not ended and is not kept back

	latest   *campaignState // the campaign a further submission may join
	recent   *job           // the job submitted last to it; nil once that has ended
	count    int            // campaigns so far
	declared campaign.Declared[*campaignState]
	past     lengths.Past
	busy     int    // parts of the machine that running jobs take
	tasks    int    // unfinished ones, also those kept back
	failing  []*job // unfinished ones whose length is expected as that of jobs that failed, see lengths.Past

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
	askedSize int      // Size while pending
	asked     int32    // Procs while pending: a start may allocate more, and lengths are of what is asked for
	queued    bool     // among the pending ones of the stage
	listed    bool     // in the list of these, maybe as one that has left
	held      bool     // and cannot start: it counts for nothing
	running   bool
	left      sharing.Left // of its work
	place     int          // among the jobs that may outlive their length; -1 if not there
	due       Time         // when it outlives its length, if it still runs then
	paused    Time         // when it was suspended; 0 while not
	rested    Duration     // total of earlier suspensions
}

func (j *job) owner() *user { return j.stage.campaign.user }

// queued is the number of pending jobs.
func (g *stage) queued() int { return len(g.pending) - g.gone }

// compact drops the jobs that are no longer queued.
func (g *stage) compact() {
	if g.gone == 0 {
		return
	}
	g.pending = slices.DeleteFunc(g.pending, func(j *job) bool {
		j.listed = j.queued
		return !j.queued
	})
	g.gone = 0
}

func sortedUsers(users map[UserID]*user) []*user {
	return slices.SortedFunc(maps.Values(users), func(a, b *user) int { return cmp.Compare(a.User, b.User) })
}

// campaignOf finds or opens the campaign that a new job belongs to.
func (s *Schedule) campaignOf(u *user, j *job, array *group) *campaignState {
	if array != nil && array.campaign.user == u {
		return array.campaign
	}
	if j.Campaign != "" {
		past := func(c *campaignState) bool { return c.open == 0 && campaign.Past(c.ended, s.now) }
		return u.declared.Find(j.Campaign, past, func() *campaignState {
			c := s.openCampaign(u, j, new(campaignState))
			c.name = j.Campaign
			return c
		})
	}
	c := u.latest
	if c == nil || !s.options.Rule.Joins(campaign.Latest{
		First: c.first, Latest: c.latest, Unfinished: c.open > 0, PreviousOpen: u.recent != nil,
	}, s.now) {
		if c == nil || !c.forgotten() {
			c = new(campaignState)
		}
		u.latest, u.recent = s.openCampaign(u, j, c), nil
	}
	return u.latest
}

// forgotten reports whether nothing but its user refers to a campaign any more, so that the next one
// can have its memory: a replay has very many.
func (c *campaignState) forgotten() bool {
	return c.open == 0 && c.opened == 1 && c.head.campaign == c && c.head.Gone() && !c.head.Watched && !c.head.moved
}

// openCampaign opens a campaign in the memory of c.
func (s *Schedule) openCampaign(u *user, j *job, c *campaignState) *campaignState {
	u.count++
	*c = campaignState{
		user: u, number: u.count, lead: cmp.Or(j.Group, j.ID), first: s.now, since: sharing.NotYet, began: sharing.NotYet, completed: sharing.NotYet,
	}
	s.begin(c)
	return c
}

// begin records that a job of a campaign can start, if none could before.
func (s *Schedule) begin(c *campaignState) {
	if c.since != sharing.NotYet {
		return
	}
	c.since, c.before = s.now, s.tree.Owed(&c.user.Line, s.tree.Moment())
}

// live are the stages of a campaign that are not over. It adds up the others.
func (c *campaignState) live() []*stage {
	for len(c.stages) > 0 && c.stages[0].Gone() {
		g := c.stages[0]
		if c.began == sharing.NotYet {
			c.began = g.Began
		}
		c.settled += g.Work
		c.completed = max(c.completed, g.Completed)
		c.stages = c.stages[1:]
	}
	return c.stages
}

// stageFor returns the stage of the campaign that new work joins, see Late.
func (s *Schedule) stageFor(c *campaignState) *stage {
	if stages := c.live(); len(stages) > 0 && !stages[len(stages)-1].Vain {
		g := stages[len(stages)-1]
		switch s.options.Late {
		case Grow:
			return g
		case Reopen:
			if g.Completed == sharing.NotYet {
				return g
			}
		case Append:
			if g.Completed == sharing.NotYet && g.joined == s.now {
				return g
			}
		}
	}
	c.opened++
	g := &c.head
	if c.opened > 1 {
		g = new(stage)
	}
	g.campaign, g.number, g.since, g.Owner = c, c.opened, c.since, g
	s.tree.Append(&c.user.Line, &g.Stage)
	c.stages = append(c.stages, g)
	return g
}
