package sim

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim/nodes"
)

// loop submits the jobs of campaigns to an engine, and tells its ranker of them. They are
// numbered from 0, campaign by campaign.
type loop struct {
	*engine
	campaigns []Campaign
	states    []progress // by campaign
	tasks     []task     // by job
	shift     ostrich.Time

	first  int          // of the campaigns that come as logged, the next one
	coming moments      // submissions of the others
	places int          // in the order of arrival, those given so far
	order  []sorted     // reused
	empty  [32][]*queue // of campaigns that have ended, by the bits of their size
}

// task is what becomes of a job, beside its start.
type task struct {
	campaign int32
	stage    int32
	submit   ostrich.Time
	ready    bool
	ended    bool
	held     bool // the ranker got a Hold

	cancelled bool // without having run since it came, or was requeued
}

// progress is what becomes of a campaign.
type progress struct {
	first   int32 // job
	next    int32 // campaign of the user that waits for the end of this one; -1 without one
	follows bool  // it waits for the end of another one
	several bool  // stages
	submit  ostrich.Time
	waiting *queue // of ready jobs, while some have not ended, if campaigns are ranked
	come    int    // jobs submitted
	ready   int    // jobs that are or were ready
	open    int    // jobs that have not ended
	prefix  int    // of the jobs in the order of logged ends, how many have ended
}

// newLoop makes an engine for campaigns that have the given number of jobs together.
func newLoop(m Machine, campaigns []Campaign, jobs int, f *floor) (*loop, error) {
	l := &loop{engine: newEngine(m, JobsOf(campaigns), f), campaigns: campaigns, states: make([]progress, len(campaigns)), tasks: make([]task, jobs)}
	l.loop = l
	if len(campaigns) > 0 { // moment 0 means "not yet"
		l.shift = max(0, 1-campaigns[0].Submit)
		l.slurm.shift = l.shift
	}
	latest := make(map[ostrich.UserID]int32)
	n := 0
	for i := range campaigns {
		c, p := &campaigns[i], &l.states[i]
		*p = progress{first: int32(n), next: -1, open: len(c.Jobs)}
		for k := range c.Jobs {
			l.tasks[n+k].campaign = int32(i)
		}
		n += len(c.Jobs)
		if m.Open || m.allCancelled(c) {
			continue
		}
		if before, ok := latest[c.User]; ok {
			l.states[before].next, p.follows = int32(i), true
		}
		latest[c.User] = int32(i)
	}
	l.await()
	if m.Policy != nil {
		if err := l.follow(m.Policy); err != nil {
			return nil, err
		}
	}
	l.findTiers()
	if m.Policy != nil {
		return l, nil
	}
	if m.Order.Compare == nil { // a closed loop does not know the order of arrival beforehand
		l.waiting, l.slot = newQueue(64), make([]int32, jobs)
	} else {
		l.waiting, l.slot = newQueue(jobs), m.Order.byID().slots(l.jobs)
	}
	return l, nil
}

// JobsOf lists the jobs of campaigns by their running numbers (see [Ranker]), from 0.
func JobsOf(campaigns []Campaign) []*Job {
	count := 0
	for i := range campaigns {
		count += len(campaigns[i].Jobs)
	}
	jobs := make([]*Job, 0, count)
	for i := range campaigns {
		jobs = append(jobs, campaigns[i].Jobs...)
	}
	return jobs
}

// findTiers finds the tiers of the jobs, if they are of several. Those with a reservation go before those without, but where higher
// tiers preempt lower ones these decide first, as if all partitions had nodes in common (job_scheduler.c, sort_job_queue2). Where jobs
// are not ranked one by one, those of a QOS that may preempt others are of a tier of their own.
func (l *loop) findTiers() {
	var level map[*nodes.QOS]int
	if l.byQOS() && l.byJobs == nil {
		level = levels(l.Requests)
	}
	tier := func(i int) int {
		t, asks, reserved := int(l.jobs[i].Tier), l.asks(int32(i)), 0
		if asks.Reservation != "" {
			reserved = 1
		}
		if l.preempts && l.Cluster.Preempt.By == nodes.PreemptByTier {
			t = 2*t + reserved
		} else {
			t += reservedTier * reserved
		}
		if level != nil {
			t += 2 * reservedTier * level[asks.QOS]
		}
		return t
	}
	var tiers []int
	for i := range l.jobs {
		if t := tier(i); !slices.Contains(tiers, t) {
			tiers = append(tiers, t)
		}
	}
	if len(tiers) < 2 {
		return
	}
	all := make([]int, len(l.jobs))
	for i := range all {
		all[i] = tier(i)
	}
	slices.SortFunc(tiers, func(a, b int) int { return cmp.Compare(b, a) })
	l.tier, l.tiers, l.goesOn, l.inTurn = all, tiers, false, false
}

func (l *loop) campaignOf(i int32) *progress { return &l.states[l.tasks[i].campaign] }

// reservedTier is above the tier of any partition, which has 16 bits.
const reservedTier = 1 << 16

// canStart reports whether a job may start if there are processors.
func (l *loop) canStart(i int32) bool { return l.tasks[i].ready && l.start[i] == 0 }

// firstAt is when the next campaign comes that comes as logged.
func (l *loop) firstAt() ostrich.Time {
	for l.first < len(l.states) && l.states[l.first].follows {
		l.first++
	}
	if l.first == len(l.states) {
		return never
	}
	return l.campaigns[l.first].Submit + l.shift
}

func (l *loop) await() { l.next = min(l.firstAt(), l.coming.first()) }

// submit submits the next campaign, or those of its jobs that are due now.
func (l *loop) submit() error {
	n := int32(l.first)
	if at := l.firstAt(); at == l.now && (l.coming.first() > at || l.coming[0].number > n) {
		l.first++
	} else {
		n = l.coming.pop()
	}
	err := l.come(n)
	l.await()
	return err
}

// began records that a job has started.
func (l *loop) began(i int32) error {
	if l.ranker == nil {
		return nil
	}
	l.widths.remove(l.jobs[i].Procs)
	return l.tell(ostrich.Start, i)
}

// ended records that a job has ended. Jobs that depend on it may become ready, and the
// user's next campaign may be scheduled.
func (l *loop) ended(i int32) error {
	if err := l.tell(ostrich.End, i); err != nil {
		return err
	}
	n := l.tasks[i].campaign
	c, p := &l.campaigns[n], &l.states[n]
	l.tasks[i].ended = true
	if p.open--; p.open == 0 {
		if p.waiting != nil {
			size := bits.Len(uint(len(c.Jobs) - 1))
			l.empty[size] = append(l.empty[size], p.waiting)
			p.waiting = nil
		}
		if p.next >= 0 {
			at := l.now + ostrich.Time(l.campaigns[p.next].Think)
			l.coming.push(moment{at: at, number: p.next})
			l.next = min(l.next, at)
		}
		return nil
	}
	if l.Dependencies {
		for p.prefix < len(c.Jobs) && l.tasks[p.first+int32(c.ended(p.prefix))].ended {
			p.prefix++
		}
		return l.release(n)
	}
	return nil
}

// come submits a campaign, or those of its jobs that are due now.
func (l *loop) come(n int32) error {
	c, p := &l.campaigns[n], &l.states[n]
	if p.come == 0 {
		p.submit = l.now
		if l.byCampaigns != nil {
			l.queue(n)
		}
	}
	for ; p.come < len(c.Jobs); p.come++ {
		if at := p.submit + c.Jobs[p.come].Submit - c.Submit; l.Offsets && at > l.now {
			l.coming.push(moment{at: at, number: n})
			break
		}
		i := p.first + int32(p.come)
		if err := l.tell(ostrich.Submit, i); err != nil {
			return err
		}
		if l.keepsBack && l.Dependencies && c.needs(p.come) > p.prefix {
			if err := l.tell(ostrich.Hold, i); err != nil {
				return err
			}
			l.tasks[i].held = true
		}
		l.tasks[i].stage = 1
		if l.stager != nil {
			stage, _ := l.stager.StageOf(ostrich.JobID(i + 1))
			l.tasks[i].stage = int32(stage)
			p.several = p.several || stage > 1
		}
	}
	return l.release(n)
}

// sorted is a task with all that decides on its place in its campaign, two
// numbers to a word, the smaller one first.
type sorted struct {
	key  uint64 // by successors, then as Inside says
	rest uint64 // what Inside looks at next, then the number of the task
}

// queue makes the queue of a campaign, with a slot for each of its tasks in
// the order in which they should start: by successors, as Inside says, by
// submission, then by number. The last two are the order of the tasks.
func (l *loop) queue(n int32) {
	c, p := &l.campaigns[n], &l.states[n]
	size := bits.Len(uint(len(c.Jobs) - 1))
	if last := len(l.empty[size]) - 1; last >= 0 {
		p.waiting = l.empty[size][last]
		l.empty[size] = l.empty[size][:last]
	} else {
		p.waiting = newQueue(len(c.Jobs))
	}
	if len(c.Jobs) == 1 {
		return
	}
	l.order = l.order[:0]
	for k, j := range c.Jobs {
		s := sorted{rest: uint64(k)}
		if l.Dependencies {
			s.key = uint64(len(c.Jobs)-c.successors(k)) << 32
		}
		switch l.Inside {
		case ostrich.LPT:
			s.key |= uint64(math.MaxInt32 - j.Estimate)
		case ostrich.SPT:
			s.key |= uint64(j.Estimate)
		case ostrich.LJF:
			s.key |= uint64(math.MaxInt32 - j.Procs)
			s.rest |= uint64(math.MaxInt32-j.Estimate) << 32
		case ostrich.Submission:
		}
		l.order = append(l.order, s)
	}
	slices.SortFunc(l.order, func(a, b sorted) int {
		if a.key < b.key || a.key == b.key && a.rest < b.rest {
			return -1
		}
		return 1 // no two have the same number
	})
	for slot := range l.order {
		l.slot[p.first+int32(uint32(l.order[slot].rest))] = int32(slot)
	}
}

// release makes the submitted tasks ready whose dependencies have ended. A
// later task never needs less than an earlier one.
func (l *loop) release(n int32) error {
	c, p := &l.campaigns[n], &l.states[n]
	for ; p.ready < p.come; p.ready++ {
		if l.Dependencies && c.needs(p.ready) > p.prefix {
			return nil
		}
		i := p.first + int32(p.ready)
		job := &l.tasks[i]
		if job.held {
			if err := l.tell(ostrich.Release, i); err != nil {
				return err
			}
		}
		job.submit, job.ready = l.now, true
		l.mayLeave(i, l.now)
		if err := l.admit(i, p); err != nil {
			return err
		}
	}
	return nil
}

// admit lets a ready job of a campaign wait, or start.
func (l *loop) admit(i int32, p *progress) error {
	j := l.jobs[i]
	if l.ranker == nil {
		if l.Order.Compare == nil {
			l.slot[i] = int32(l.places)
			l.places++
		}
		return l.arrive(i)
	}
	l.widths.add(j.Procs)
	if l.readier != nil {
		l.readier.Ready(ostrich.JobID(i + 1))
	}
	if l.byCampaigns != nil {
		p.waiting.add(int(l.slot[i]), i, int32(j.Procs), int32(j.Estimate))
	}
	return nil
}

func (l *loop) result() []report.Job {
	jobs := make([]report.Job, len(l.jobs))
	for i := range l.jobs {
		j, t := l.jobs[i], &l.tasks[i]
		start, length := l.start[i]-l.shift, l.Length(j)
		jobs[i] = report.Job{
			ID: j.ID, Estimate: j.Estimate, User: j.User, Campaign: int(t.campaign), Submit: t.submit - l.shift, Start: start,
			End: start + ostrich.Time(length), Procs: j.Procs, Killed: length < j.Run,
		}
		if t.cancelled {
			jobs[i].End, jobs[i].Killed = start, false
		}
		if !l.preempts {
			continue
		}
		if f := l.placed.fates[int32(i)]; f != nil {
			r := &jobs[i]
			r.Preempted, r.Lost, r.Suspended, r.Cancelled = f.preempted, f.lost, f.rested, f.cancelled
			r.End += ostrich.Time(f.rested)
		}
	}
	return jobs
}
