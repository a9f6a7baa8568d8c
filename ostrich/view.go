package ostrich

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich/sharing"
)

// Campaign is a campaign J_i^u as it stands at a moment, with the papers'
// times. It is a copy: changing it changes nothing.
type Campaign struct {
	User   UserID
	Number int // i: 1, 2, ... within the user, since the first event

	// Lead names the campaign for people and across restarts: the id of the
	// array or heterogeneous job, or else of the job, that opened it.
	Lead JobID

	// Name is the name that the user declared (Job.Campaign), "" for a campaign that
	// the Rule found.
	Name string

	First, Latest Time // submission of its first and of its latest job
	Since         Time // t_i: when a job of it could first start, as a rule First
	Waiting       bool // no job could start yet: it has no times, and Since is First
	Ended         Time // when its last job ended; 0 while any job has not

	Pending []JobID // queued records, in the order in which they should start
	Held    []JobID // of Pending, those that cannot start and count for nothing, see Hold
	Running []JobID // started records, suspended ones too, by id
	Done    int     // jobs that ran and have ended; each task of an array counts

	Work    Work     // W_i, by what is known now
	Served  Work     // how much of it the virtual schedule has done
	Open    Work     // how much of it is of jobs that have not ended
	Longest Duration // p_max of the campaign

	// VirtualStart is s~ and VirtualEnd is C~, in seconds of real time
	// (equations 4.1 and 4.2): when that was, or when it will be if the
	// active users stay the same; +Inf on a machine without processors.
	VirtualStart, VirtualEnd float64

	// Started and Completed report whether those moments have come.
	Started, Completed bool

	// Left is the work that its jobs still have to do really.
	Left Work

	// FrontBy is when the campaign goes first in the queue, if jobs of it still
	// wait then (Options.Grace): C~ without a grace, and with one
	//
	//	C~ + max(C~ - t, Grace)  ≤  t + 2·(C~ - t) + Grace
	//
	// Overdue reports whether this moment has passed.
	FrontBy float64
	Overdue bool

	// Bound is the latest time at which the campaign ends if the queue follows the
	// order strictly and no job passes another, for the active users and jobs known
	// now. It is Lemma 5.2 on a Sequential machine, the part of Lemma 6.3 that holds
	// on a Parallel one, and with a grace what follows from FrontBy. It is +Inf where
	// nothing is promised: without processors, while the campaign is Waiting, for Lemma
	// 6.3 if a job may use the whole machine, and with a grace if one is wider than it.
	// Of several classes, it holds as long as no more work comes in a class above.
	Bound float64

	// Promise is the bound counted from the submission. With a grace, Bound counts
	// from now on, so it moves on while the machine idles or starts others instead.
	// Promise changes only with users, jobs and processors, and may lie in the past.
	// Its greatest value so far is what was promised. Without a grace both are equal, and
	// where there are several classes.
	Promise float64
}

// Progress returns the part of the work that the virtual schedule has done, 0 to 1.
func (c *Campaign) Progress() float64 {
	if c.Waiting {
		return 0
	}
	if c.Work <= 0 {
		return 1
	}
	return float64(min(c.Served/c.Work, 1))
}

// Stretch returns the campaign's stretch D (paper section 3). The flow time is
// counted up to its end, or up to now while it has not ended:
//
//	D = (C - t) / max(W/m, p_max)
//
// It is 0 where the denominator is 0, and while no job can start.
func (c *Campaign) Stretch(size int, now Time) float64 {
	end := now
	if c.Ended != 0 {
		end = c.Ended
	}
	least := LeastFlow(c.Work, c.Longest, size)
	if least <= 0 || c.Waiting {
		return 0
	}
	return float64(end-cmp.Or(c.Since, c.First)) / least
}

// LeastFlow returns max(W/m, p_max), in seconds: no order gives a campaign of work W and
// a longest job p_max a shorter flow time on m processors (thesis section 3.3). It is what the
// stretch of a campaign is relative to. Without processors it is p_max.
func LeastFlow(work Work, longest Duration, procs int) float64 {
	if procs < 1 {
		return float64(longest)
	}
	return max(float64(work)/float64(procs), float64(longest))
}

// User is one line of the virtual schedule as it stands at a moment.
type User struct {
	User     UserID
	Active   bool    // has a campaign that is not completed virtually
	Fraction float64 // of the machine: what an active user gets now, or an idle one would get
	Entitled float64 // the same in parts, see Job.Size
	Held     int     // parts that the user's running jobs take
	Pending  Work    // of queued records that can start
	Asked    int     // parts that these ask for, with all of their tasks
	Owed     Work    // of unfinished campaigns, still to be served virtually
}

// Campaigns returns the campaigns that are unfinished virtually or really, by user
// and number.
func (s *Schedule) Campaigns() []Campaign {
	type unfinished struct { // jobs of a campaign
		running []JobID
		longest Duration
		work    Work
	}
	open := make(map[*campaignState]*unfinished)
	system, widest := Duration(0), 0
	for j := range s.jobs.all() {
		c := open[j.stage.campaign]
		if c == nil {
			c = new(unfinished)
			open[j.stage.campaign] = c
		}
		system, widest = max(system, j.length), max(widest, j.Part())
		c.longest, c.work = max(c.longest, j.length), c.work+j.area(j.length)
		if j.running {
			c.running = append(c.running, j.ID)
		}
	}
	var list []Campaign
	var owed []Work // B + W_i of each, see bound
	for _, u := range sortedUsers(s.users) {
		line := make([]*campaignState, len(u.Stages()))
		for i, g := range u.Stages() {
			line[i] = stageOf(g).campaign
		}
		slices.SortStableFunc(line, func(a, b *campaignState) int { return cmp.Compare(a.number, b.number) })
		for _, c := range slices.Compact(line) {
			v := s.view(c)
			if v.Completed && c.open == 0 {
				continue
			}
			v.Longest, v.Done = c.longest, c.ran
			if now := open[c]; now != nil {
				slices.Sort(now.running)
				v.Running, v.Open = now.running, now.work
				v.Longest = max(v.Longest, now.longest)
			}
			v.Bound = s.bound(c, &v, max(system, v.Longest), widest)
			v.Promise = v.Bound
			list, owed = append(list, v), append(owed, c.before+v.Work)
		}
	}
	if s.options.Grace > 0 || s.classes != nil {
		s.boundByFront(list, owed, system, widest)
	}
	return list
}

func (s *Schedule) view(c *campaignState) Campaign {
	stages, now := c.live(), float64(s.now)
	v := Campaign{
		User: c.user.User, Number: c.number, Lead: c.lead, Name: c.name, First: c.first, Latest: c.latest, Since: c.since, Ended: c.ended,
		Work: c.settled, Served: c.settled,
		Started: c.began != sharing.NotYet, VirtualStart: c.began,
		Completed: true, VirtualEnd: c.completed,
	}
	for _, g := range stages {
		v.Left += g.Left(s.now)
		s.sortPending(g)
		for _, j := range g.pending {
			v.Pending = append(v.Pending, j.ID)
			if j.held {
				v.Held = append(v.Held, j.ID)
			}
		}
		if g.Vain {
			continue
		}
		if v.VirtualStart == sharing.NotYet {
			v.Started, v.VirtualStart = g.Began != sharing.NotYet, s.tree.VirtualStart(&g.Stage, s.now)
		}
		v.Work += g.Work
		v.Served += g.Work - s.tree.Pending(&g.Stage, now)
		end := s.tree.VirtualEnd(&g.Stage, s.now)
		if g.Completed != sharing.NotYet {
			end = max(v.VirtualEnd, end)
		}
		v.Completed, v.VirtualEnd = v.Completed && g.Completed != sharing.NotYet, end
	}
	if c.since == sharing.NotYet {
		v.Since = c.first
		if c.open > 0 {
			v.Waiting, v.Started, v.Completed = true, false, false
			v.VirtualStart, v.VirtualEnd = math.Inf(1), math.Inf(1)
		}
	}
	v.FrontBy = s.frontBy(float64(c.since), v.VirtualEnd)
	v.Overdue = v.Completed && v.FrontBy < float64(s.now)
	return v
}

// Users returns the users that have been seen, by id.
func (s *Schedule) Users() []User {
	list := make([]User, 0, len(s.users))
	for _, u := range sortedUsers(s.users) {
		f := s.tree.Fraction(&u.Line)
		v := User{User: u.User, Active: u.Active(), Fraction: f, Entitled: f * float64(s.Size()), Held: u.busy}
		for _, g := range u.Stages() {
			for _, j := range stageOf(g).pending {
				if j.queued && !j.held {
					v.Pending += j.area(j.length)
					v.Asked += j.takes()
				}
			}
			v.Owed += s.tree.Pending(g, float64(s.now))
		}
		list = append(list, v)
	}
	return list
}

// Active returns k~, the number of users with a campaign that is not completed
// virtually.
func (s *Schedule) Active() int {
	k := 0
	for _, u := range s.users {
		if u.Active() {
			k++
		}
	}
	return k
}

// Unfinished returns the number of campaigns that Campaigns would return.
func (s *Schedule) Unfinished() int {
	n := 0
	for _, u := range s.users {
		for _, g := range u.Stages() {
			c := stageOf(g).campaign
			if g == &c.live()[0].Stage && (c.open > 0 || slices.ContainsFunc(c.stages, func(g *stage) bool { return g.Completed == sharing.NotYet && !g.Vain })) {
				n++
			}
		}
	}
	return n
}

// CampaignOf returns the user and number of a job's campaign. It returns false if the
// job is not known or has ended.
func (s *Schedule) CampaignOf(id JobID) (UserID, int, bool) {
	j := s.jobs.get(id)
	if j == nil {
		return 0, 0, false
	}
	return j.owner().User, j.stage.campaign.number, true
}

// StageOf returns the stage of its campaign, from 1, in which a job is served, see
// Late. It returns false if the job is not known or has ended.
func (s *Schedule) StageOf(id JobID) (int, bool) {
	j := s.jobs.get(id)
	if j == nil {
		return 0, false
	}
	return j.stage.number, true
}

// NextCompletion returns the moment, in seconds of real time, at which the next
// campaign completes virtually if nothing happens before. A strict gate may open
// then. It returns +Inf if there is none.
func (s *Schedule) NextCompletion() float64 { return s.tree.Next() }

// NextOverrun returns when the next running job will have run for as long as it
// counts for, if nothing happens before; 0 if none runs. If the job still runs a
// second later, it counts for more, and the order may have changed.
func (s *Schedule) NextOverrun() Time {
	if len(s.overruns) == 0 {
		return 0
	}
	return s.overruns[0].due
}

// Expected returns how long a task of a job is expected to run. It returns false if
// the job is not known or has ended.
func (s *Schedule) Expected(id JobID) (Duration, bool) {
	j := s.jobs.get(id)
	if j == nil {
		return 0, false
	}
	return j.known(), true
}

// LeadOf returns the lead of a job's campaign, see Campaign.Lead. It returns false if
// the job is not known or has ended.
func (s *Schedule) LeadOf(id JobID) (JobID, bool) {
	j := s.jobs.get(id)
	if j == nil {
		return 0, false
	}
	return j.stage.campaign.lead, true
}

// WorkOf returns what a job counts for in its campaign, or will count for when it is
// released. It returns false if the job is not known or has ended.
func (s *Schedule) WorkOf(id JobID) (Work, bool) {
	j := s.jobs.get(id)
	if j == nil {
		return 0, false
	}
	return j.area(j.known()), true
}
