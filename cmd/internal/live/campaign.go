package live

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// overtime is how much longer than its time limit a job may run unnoticed:
// slurmctld looks every half a minute, and gives KillWait then.
const overtime = ostrich.Duration(60)

// key names a campaign among those that may go on.
type key struct {
	pool int
	user ostrich.UserID
	lead ostrich.JobID
}

// openCampaign is what is kept of a campaign until it is certain that it has ended.
type openCampaign struct {
	key
	name          string // of the user
	first, latest ostrich.Time
	ended         ostrich.Time // 0 while a job of it has not
	bound         float64      // the latest that was promised; -Inf at first
	size          int          // of its pool, see ostrich.Schedule.Size; the most that it had meanwhile
	work          ostrich.Work // of the jobs that have ended
	longest       ostrich.Duration
	arrivals      []arrival    // of the work of the jobs that have ended
	least         ostrich.Time // before which no machine could have ended them
	blame         blame
	listed        int  // cycle in which the schedule had it last
	reported      bool // it is in the report

	// As planned in the latest cycle: that jobs of it wait, the rank of the
	// first of them, and the highest tier among them.
	waits      bool
	head, tier int
}

// note records what the schedules say of their campaigns now. It does not report
// campaigns that ended before they were first seen.
func (s *State) note(cycle *sidecar.Cycle, from Source) {
	for i := range s.pools {
		p := &s.pools[i]
		if !p.changed {
			continue
		}
		views := cycle.Campaigns(i)
		for k := range views {
			v := &views[k]
			id := key{i, v.User, v.Lead}
			c := s.campaigns[id]
			if c == nil {
				c = &openCampaign{key: id, name: from.UserName(v.User), bound: math.Inf(-1)}
				c.settle(v, p.schedule)
				c.reported = cycle.Anew && v.Ended != 0
				s.campaigns[id] = c
			}
			c.first, c.latest, c.ended, c.listed = v.First, v.Latest, v.Ended, s.cycle
			c.size = max(c.size, p.schedule.Size())
			// An outage, or a job that outlives its limit, moves the bound, but not
			// what had been promised.
			sound := !p.overrun && p.schedule.Size() == c.size
			switch {
			case v.Waiting: // none of its jobs could start: nothing is promised
			case math.IsInf(c.bound, -1):
				c.bound = v.Bound
			case v.Ended == 0 && sound:
				c.bound = max(c.bound, v.Promise) // Bound would move with the time
			}
			if v.Ended != 0 {
				c.work, c.longest = v.Work, v.Longest
			}
		}
	}
	for _, j := range s.fresh {
		if j.pool < 0 || j.ended {
			continue
		}
		if lead, ok := s.pools[j.pool].schedule.LeadOf(j.id); ok {
			j.campaign = s.campaigns[key{j.pool, j.user, lead}]
		}
	}
}

// overruns finds the pools in which a job outlives its time limit.
func (s *State) overruns() {
	for i := range s.pools {
		s.pools[i].overrun = false
	}
	s.running = slices.DeleteFunc(s.running, func(j *job) bool {
		if j.ended || j.start == 0 {
			return true
		}
		if j.pool >= 0 && j.paused == 0 && s.now > j.start+ostrich.Time(j.estimate+j.rested+overtime) {
			s.pools[j.pool].overrun = true
		}
		return false
	})
}

// settle finds the work and the greatest length of the jobs that ended before the campaign
// was first seen.
func (c *openCampaign) settle(v *ostrich.Campaign, s *ostrich.Schedule) {
	c.work = v.Work
	var open ostrich.Duration
	for _, id := range slices.Concat(v.Pending, v.Running) {
		w, _ := s.WorkOf(id)
		d, _ := s.Expected(id)
		c.work, open = c.work-w, max(open, d)
	}
	if v.Longest > open {
		c.longest = v.Longest
	}
}

// tally adds a job that has ended to its campaign.
func (s *State) tally(j *job, e *ostrich.Event) {
	if j.ran > j.estimate+overtime {
		for _, c := range s.campaigns {
			if c.pool == j.pool && c.waits {
				c.blame.add(Overrun)
			}
		}
	}
	c := j.campaign
	if c == nil {
		return
	}
	c.ended = max(c.ended, e.At)
	if j.start == 0 {
		return
	}
	c.work += ostrich.Work(j.ran) * ostrich.Work(j.size) * ostrich.Work(j.tasks)
	c.longest = max(c.longest, j.ran)
	c.arrive(j.submit, ostrich.Work(j.ran)*ostrich.Work(j.size)*ostrich.Work(j.tasks))
	c.least = max(c.least, j.submit+ostrich.Time(j.ran))
	if j.ran > j.expect {
		c.blame.add(Overrun)
	}
}

// wake makes the cycle at a time be processed, even if accounting reports nothing
// in it.
func (s *State) wake(at ostrich.Time) {
	if at > s.now && (s.due == 0 || at < s.due) {
		s.due = at
	}
}

// fronts say how far back in a pool's order the jobs stood that started in a cycle.
type fronts struct {
	tiers    []tierFront // by tier, of jobs that have a rank or are too new for one
	reserved bool
	alone    bool
}

type tierFront struct {
	tier int
	front
}

// front is the last rank of a set of jobs, the campaign of the job that has it, and the
// last rank of those that are of other campaigns.
type front struct {
	rank, other int
	of          *openCampaign
}

func (f *front) add(rank int, of *openCampaign) {
	switch {
	case of == f.of:
		f.rank = max(f.rank, rank)
	case rank > f.rank:
		f.rank, f.other, f.of = rank, f.rank, of
	default:
		f.other = max(f.other, rank)
	}
}

// behind returns the last rank of the jobs that are not of the campaign.
func (f *front) behind(c *openCampaign) int {
	if c == f.of {
		return f.other
	}
	return f.rank
}

func (f *fronts) add(j *job) {
	switch j.class {
	case reserved:
		f.reserved = true
		return
	case alone:
		f.alone = true
		return
	case managed, unseen:
	}
	rank := cmp.Or(j.rank, math.MaxInt)
	i, ok := slices.BinarySearchFunc(f.tiers, j.tier, func(t tierFront, tier int) int { return cmp.Compare(t.tier, tier) })
	if !ok {
		f.tiers = slices.Insert(f.tiers, i, tierFront{tier: j.tier})
	}
	f.tiers[i].add(rank, j.campaign)
}

// passers notes, for each campaign that waited in the previous cycle and still
// does, which jobs have started before it.
func (s *State) passers() {
	if len(s.started) == 0 {
		return
	}
	for i := range s.pools {
		s.pools[i].fronts = fronts{}
	}
	for _, j := range s.started {
		if j.pool >= 0 && j.start != 0 {
			s.pools[j.pool].fronts.add(j)
		}
	}
	for _, c := range s.campaigns {
		head := s.stillWaits(c)
		if head == 0 {
			continue
		}
		f := &s.pools[c.pool].fronts
		if f.reserved {
			c.blame.add(HigherTier)
		}
		if f.alone {
			c.blame.add(Unmanaged)
		}
		for k := range f.tiers {
			switch t := &f.tiers[k]; {
			case t.behind(c) <= head:
			case t.tier > c.tier:
				c.blame.add(HigherTier)
			case s.enforce:
				c.blame.add(Passed)
			default:
				c.blame.add(NotWritten)
			}
		}
	}
}

// stillWaits returns the rank, in the latest order, of the first job of a campaign
// that waited there and still does; 0 if there is none. The jobs of a stage of a
// campaign stand together.
func (s *State) stillWaits(c *openCampaign) int {
	if c.head == 0 {
		return 0
	}
	order := s.pools[c.pool].order
	for k := c.head - 1; k < len(order) && order[k].campaign == c; k++ {
		if j := order[k]; j.start == 0 && !j.left {
			return k + 1
		}
	}
	return 0
}

// finish reports the campaigns that have ended and that no job can join any more.
func (s *State) finish() {
	var done []*openCampaign
	for id, c := range s.campaigns {
		gone := s.pools[c.pool].changed && c.listed != s.cycle
		switch {
		case c.ended == 0 && gone: // a late event has moved its jobs to another campaign
			delete(s.campaigns, id)
		case c.ended == 0:
		case s.now < s.final(c):
			s.wake(s.final(c))
			gone = false
		case !c.reported:
			c.reported = true
			done = append(done, c)
		}
		if c.ended != 0 && gone {
			delete(s.campaigns, id)
		}
	}
	slices.SortFunc(done, func(a, b *openCampaign) int {
		return cmp.Or(cmp.Compare(a.ended, b.ended), cmp.Compare(a.lead, b.lead), cmp.Compare(a.pool, b.pool), cmp.Compare(a.user, b.user))
	})
	for _, c := range done {
		if !s.report.finished(c, &s.pools[c.pool]) {
			continue
		}
		s.trends.add(trendStretch, c.ended, c.stretch(), 1)
		s.promise.add(c, s.begun)
	}
}

func (c *openCampaign) stretch() float64 {
	v := ostrich.Campaign{First: c.first, Ended: c.ended, Work: c.work, Longest: c.longest}
	return v.Stretch(c.size, c.ended)
}

// final returns when no job can join an ended campaign any more; see campaign.Rule.
func (s *State) final(c *openCampaign) ostrich.Time {
	switch s.rule.By {
	case campaign.Window:
		return c.first + ostrich.Time(s.rule.Threshold) + 1
	case campaign.Arrival:
		return c.latest + ostrich.Time(s.rule.Threshold)
	case campaign.Max, campaign.Last, campaign.Groups:
	}
	return c.ended
}
