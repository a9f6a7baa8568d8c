package ostrich

import "slurm-ostrich/ostrich/sharing"

// Clone returns an independent copy of the schedule in the same state.
func (s *Schedule) Clone() *Schedule {
	c := *s
	c.ended = nil
	d := duplicate{
		campaigns: make(map[*campaignState]*campaignState, len(s.users)),
		stages:    make(map[*stage]*stage, len(s.users)),
	}
	// All jobs in one piece: there may be very many.
	all := make([]job, 0, s.jobs.count)
	d.jobs = s.jobs.sized()
	for j := range s.jobs.all() {
		all = append(all, *j)
		d.jobs.put(&all[len(all)-1])
	}
	c.jobs = d.jobs
	c.users = make(map[UserID]*user, len(s.users))
	for id, u := range s.users {
		c.users[id] = d.user(u)
	}
	c.tree = s.tree.Clone(
		func(l *sharing.Line) *sharing.Line { return &c.users[l.User].Line },
		func(g *sharing.Stage) *sharing.Stage { return &d.stages[stageOf(g)].Stage })
	c.tree.Moved = c.waiting.touchStage
	c.groups = make(map[JobID]*group, len(s.groups))
	for id, g := range s.groups {
		c.groups[id] = &group{campaign: d.campaigns[g.campaign], open: g.open}
	}
	for i := range all {
		all[i].stage = d.stages[all[i].stage]
		if all[i].array != nil {
			all[i].array = c.groups[all[i].Group]
		}
	}
	c.overruns = make(dueHeap, len(s.overruns))
	for i, j := range s.overruns {
		c.overruns[i] = d.jobs.get(j.ID)
	}
	c.waiting = waiting{} // stages that are in no line any more have no copy
	for _, waiting := range [][]*stage{s.waiting.stages, s.waiting.moved} {
		for _, g := range waiting {
			if g.queued() > 0 {
				c.waiting.touch(d.stages[g])
			}
		}
	}
	return &c
}

// duplicate knows the copy of each part of a schedule.
type duplicate struct {
	campaigns map[*campaignState]*campaignState
	stages    map[*stage]*stage
	jobs      jobTable
}

// user copies a user with the campaigns and stages of the user's line.
func (d *duplicate) user(from *user) *user {
	to := new(user)
	*to = *from
	for _, g := range from.Stages() {
		d.stage(stageOf(g), to)
	}
	from.past.Share()
	to.latest = d.campaign(from.latest, to)
	to.declared = from.declared.Clone(func(c *campaignState) *campaignState { return d.campaign(c, to) })
	to.failing = make([]*job, len(from.failing))
	for i, j := range from.failing {
		to.failing[i] = d.jobs.get(j.ID)
	}
	if from.recent != nil {
		to.recent = d.jobs.get(from.recent.ID)
	}
	return to
}

func (d *duplicate) campaign(from *campaignState, u *user) *campaignState {
	if from == nil {
		return nil
	}
	if to, ok := d.campaigns[from]; ok {
		return to
	}
	stages := from.live()
	to := new(campaignState)
	*to = *from
	d.campaigns[from] = to
	to.user, to.head = u, stage{}
	to.stages = make([]*stage, len(stages))
	for i, g := range stages {
		to.stages[i] = d.stage(g, u)
	}
	return to
}

func (d *duplicate) stage(from *stage, u *user) *stage {
	if to, ok := d.stages[from]; ok {
		return to
	}
	to := new(stage)
	*to = *from
	to.Owner, to.Watched, to.moved = to, false, false
	d.stages[from] = to
	to.campaign = d.campaign(from.campaign, u)
	from.compact() // what has left is no longer among the jobs
	to.gone = 0
	to.pending = make([]*job, len(from.pending))
	for i, j := range from.pending {
		to.pending[i] = d.jobs.get(j.ID)
	}
	return to
}
