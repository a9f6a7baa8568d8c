package sim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// A loop is the state of a machine that replays campaigns. Jobs are numbered
// from 0 through all campaigns; the ranker knows them by that number plus 1.
type loop struct {
	Loop
	campaigns []Campaign
	states    []progress // by campaign
	tasks     []task     // by job
	shift     ostrich.Time

	// The ranker, as far as it is one of these; all nil without a policy.
	ranker      Ranker
	byCampaigns CampaignRanker
	byJobs      JobRanker
	waker       Waker
	readier     Readier
	stager      stager // where stages may differ
	holds       bool   // it is told of jobs whose dependencies have not ended

	now       ostrich.Time
	free      int
	ready     int     // jobs that could start if there were processors
	widths    []int32 // how many of them need so many processors
	narrowest int     // the fewest that one of them needs; math.MaxInt without one
	waiting   bool    // that another ranking might start some of them
	woken     bool    // that the ranker wanted to be called now
	happened  bool    // a job ended or came now
	all       *queue  // of ready jobs without a policy
	slots     int     // of all, those used so far, in the order of arrival
	ended     int     // jobs
	ends      endHeap // of running jobs
	coming    endHeap // campaigns by their next submission
	expects   bool    // Backfill needs to know when running jobs should end
	running   expects
	slurm     slurm        // when Slurm's schedulers look
	tiers     []int        // of all jobs, if they are of several, the highest first
	profile   profile      // reused
	order     []sorted     // reused
	empty     [32][]*queue // of campaigns that have ended, by the bits of their size
}

// task is what becomes of a job.
type task struct {
	campaign      int32
	slot          int32 // in the queue
	stage         int32
	submit, start ostrich.Time
	ready, ended  bool
	held          bool // the ranker was told that it cannot start
}

// progress is what becomes of a campaign.
type progress struct {
	first   int32 // job
	next    int32 // campaign of the user; -1 for the last one
	submit  ostrich.Time
	waiting *queue // of ready jobs, while some have not ended
	several bool   // stages
	come    int    // tasks submitted
	ready   int    // tasks that are or were ready
	open    int    // tasks that have not ended
	prefix  int    // of the tasks in the order of logged ends, how many have ended
}

func newLoop(l Loop, campaigns []Campaign, jobs int) *loop {
	r := &loop{
		Loop: l, campaigns: campaigns, states: make([]progress, len(campaigns)), tasks: make([]task, jobs), free: l.Procs,
		widths: make([]int32, l.Procs+1), narrowest: math.MaxInt,
		expects: l.Backfill == EASY || l.Backfill == Conservative || l.Backfill == Slurm, slurm: slurm{Scheduler: l.Scheduler.filled()},
	}
	if len(campaigns) > 0 { // moment 0 means "not yet"
		r.shift = max(0, 1-campaigns[0].Submit)
	}
	r.tiers = tiers(campaigns)
	latest := make(map[ostrich.UserID]int)
	first := 0
	for i := range campaigns {
		c := &campaigns[i]
		r.states[i] = progress{first: int32(first), next: -1, open: len(c.Tasks)}
		for k := range c.Tasks {
			r.tasks[first+k].campaign = int32(i)
		}
		first += len(c.Tasks)
		before, ok := latest[c.User]
		latest[c.User] = i
		if ok && !l.Open {
			r.states[before].next = int32(i)
			continue
		}
		r.coming.push(end{at: c.Submit + r.shift, job: int32(i)})
	}
	return r
}

// follow takes over what a ranker says.
func (r *loop) follow(ranker Ranker) error {
	r.ranker = ranker
	r.byCampaigns, _ = ranker.(CampaignRanker)
	r.byJobs, _ = ranker.(JobRanker)
	if (r.byCampaigns == nil) == (r.byJobs == nil) {
		return fmt.Errorf("%T is neither a CampaignRanker nor a JobRanker, or both", ranker)
	}
	r.waker, _ = ranker.(Waker)
	r.readier, _ = ranker.(Readier)
	_, r.holds = ranker.(*sidecar)
	r.holds = r.holds && r.Dependencies
	if r.Offsets {
		r.stager, _ = ranker.(stager)
	}
	return nil
}

// run takes all events of an instant, ends before submissions, and then
// starts jobs.
func (r *loop) run() error {
	if r.ranker == nil {
		r.arrange()
	}
	for {
		more, err := r.advance()
		if err != nil || !more {
			return err
		}
		r.happened = len(r.ends) > 0 && r.ends[0].at == r.now || len(r.coming) > 0 && r.coming[0].at == r.now
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			if err := r.end(r.ends.pop()); err != nil {
				return err
			}
		}
		for len(r.coming) > 0 && r.coming[0].at == r.now {
			if err := r.come(r.coming.pop()); err != nil {
				return err
			}
		}
		if err := r.pass(); err != nil {
			return err
		}
	}
}

// advance moves the clock to the next event, if there is one: an end, a
// submission, or the moment at which the ranker wants to be woken.
func (r *loop) advance() (more bool, err error) {
	next := ostrich.Time(math.MaxInt64)
	if len(r.ends) > 0 {
		next = r.ends[0].at
	}
	if len(r.coming) > 0 {
		next = min(next, r.coming[0].at)
	}
	r.woken = false
	if r.waker != nil && r.now != 0 && (r.ready > 0 || next != math.MaxInt64) {
		if at := r.waker.Wake(r.waiting); at != 0 && at <= next {
			if at <= r.now {
				return false, fmt.Errorf("the ranker wants to be woken at %d, and it is %d already", at, r.now)
			}
			next, r.woken = at, true
		}
	}
	if r.Backfill == Slurm && r.now != 0 && r.free >= r.narrowest {
		if at := r.slurm.wake(r.now); at < next {
			next, r.woken = at, false
		}
	}
	if next != math.MaxInt64 {
		r.now = next
		return true, nil
	}
	if r.ready > 0 {
		return false, fmt.Errorf("%d jobs are held back for ever: %w", r.ready, ErrWorkload)
	}
	return false, nil
}

// task is the job with a number.
func (r *loop) task(i int32) *Task {
	n := r.tasks[i].campaign
	return &r.campaigns[n].Tasks[i-r.states[n].first]
}

// event fills in an event of a job as the ranker is told of it.
func (r *loop) event(e *ostrich.Event, k ostrich.Kind, i int32) {
	job := &r.tasks[i]
	c, p := &r.campaigns[job.campaign], &r.states[job.campaign]
	t := &c.Tasks[i-p.first]
	e.At, e.Kind = r.now, k
	e.Job.ID, e.Job.User, e.Job.Procs, e.Job.Estimate = ostrich.JobID(i+1), c.User, t.Procs, t.Estimate
	e.Job.Class, e.Job.Hint = t.Class, t.Hint
	e.Job.Submit, e.Job.Start = p.submit, job.start
	if len(c.Tasks) > 1 {
		e.Job.Group = ostrich.JobID(p.first + 1)
	}
	if r.Offsets {
		e.Job.Submit += ostrich.Time(t.Offset)
	}
	if k == ostrich.End {
		e.Job.End = r.now
	}
}

func (r *loop) tell(k ostrich.Kind, i int32) error {
	if r.ranker == nil {
		return nil
	}
	var e ostrich.Event
	r.event(&e, k, i)
	return r.ranker.Step(e)
}

// progressEvery is after how many ended jobs Progress is told.
const progressEvery = 1024

// end ends a running job. What depends on it may be ready then, and the
// user's next campaign on its way.
func (r *loop) end(i int32) error {
	if err := r.tell(ostrich.End, i); err != nil {
		return err
	}
	job := &r.tasks[i]
	c, p := &r.campaigns[job.campaign], &r.states[job.campaign]
	t := &c.Tasks[i-p.first]
	job.ended = true
	r.ended++
	if r.Progress != nil && (r.ended%progressEvery == 0 || r.ended == len(r.tasks)) {
		r.Progress(r.ended, len(r.tasks))
	}
	r.free += t.Procs
	if r.expects {
		r.running.remove(expect{at: job.start + ostrich.Time(t.Estimate), job: i})
	}
	if p.open--; p.open == 0 {
		if p.waiting != nil {
			size := bits.Len(uint(len(c.Tasks) - 1))
			r.empty[size] = append(r.empty[size], p.waiting)
			p.waiting = nil
		}
		if p.next >= 0 {
			r.coming.push(end{at: r.now + ostrich.Time(r.campaigns[p.next].Think), job: p.next})
		}
		return nil
	}
	if r.Dependencies {
		for p.prefix < len(c.Tasks) && r.tasks[p.first+int32(c.ended(p.prefix))].ended {
			p.prefix++
		}
		return r.release(job.campaign)
	}
	return nil
}

// come submits a campaign, or those of its jobs that are due now.
func (r *loop) come(n int32) error {
	c, p := &r.campaigns[n], &r.states[n]
	if p.come == 0 {
		p.submit = r.now
		if r.byCampaigns != nil {
			r.queue(n)
		}
	}
	for ; p.come < len(c.Tasks); p.come++ {
		if at := p.submit + ostrich.Time(c.Tasks[p.come].Offset); r.Offsets && at > r.now {
			r.coming.push(end{at: at, job: n})
			break
		}
		i := p.first + int32(p.come)
		if err := r.tell(ostrich.Submit, i); err != nil {
			return err
		}
		if r.holds && c.Tasks[p.come].Needs > p.prefix {
			if err := r.tell(ostrich.Hold, i); err != nil {
				return err
			}
			r.tasks[i].held = true
		}
		r.tasks[i].stage = 1
		if r.stager != nil {
			stage, _ := r.stager.StageOf(ostrich.JobID(i + 1))
			r.tasks[i].stage = int32(stage)
			p.several = p.several || stage > 1
		}
	}
	return r.release(n)
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
func (r *loop) queue(n int32) {
	c, p := &r.campaigns[n], &r.states[n]
	size := bits.Len(uint(len(c.Tasks) - 1))
	if last := len(r.empty[size]) - 1; last >= 0 {
		p.waiting = r.empty[size][last]
		r.empty[size] = r.empty[size][:last]
	} else {
		p.waiting = newQueue(len(c.Tasks))
	}
	if len(c.Tasks) == 1 {
		return
	}
	r.order = r.order[:0]
	for k := range c.Tasks {
		t := &c.Tasks[k]
		s := sorted{rest: uint64(k)}
		if r.Dependencies {
			s.key = uint64(len(c.Tasks)-t.Successors) << 32
		}
		switch r.Inside {
		case ostrich.LPT:
			s.key |= uint64(math.MaxInt32 - t.Estimate)
		case ostrich.SPT:
			s.key |= uint64(t.Estimate)
		case ostrich.LJF:
			s.key |= uint64(math.MaxInt32 - t.Procs)
			s.rest |= uint64(math.MaxInt32-t.Estimate) << 32
		case ostrich.Submission:
		}
		r.order = append(r.order, s)
	}
	slices.SortFunc(r.order, func(a, b sorted) int {
		if a.key < b.key || a.key == b.key && a.rest < b.rest {
			return -1
		}
		return 1 // no two have the same number
	})
	for slot := range r.order {
		r.tasks[p.first+int32(uint32(r.order[slot].rest))].slot = int32(slot)
	}
}

// release makes the submitted tasks ready whose dependencies have ended. A
// later task never needs less than an earlier one.
func (r *loop) release(n int32) error {
	c, p := &r.campaigns[n], &r.states[n]
	for ; p.ready < p.come; p.ready++ {
		t := &c.Tasks[p.ready]
		if r.Dependencies && t.Needs > p.prefix {
			return nil
		}
		i := p.first + int32(p.ready)
		job := &r.tasks[i]
		if job.held {
			if err := r.tell(ostrich.Release, i); err != nil {
				return err
			}
		}
		job.submit, job.ready = r.now, true
		r.ready++
		r.widths[t.Procs]++
		r.narrowest = min(r.narrowest, t.Procs)
		if r.readier != nil {
			r.readier.Ready(ostrich.JobID(i + 1))
		}
		if r.byJobs != nil {
			continue
		}
		q := p.waiting
		if q == nil {
			q = r.all
			if r.Order.Compare == nil {
				job.slot = int32(r.slots)
				r.slots++
			}
		}
		q.add(int(job.slot), i, int32(t.Procs), int32(t.Estimate))
	}
	return nil
}

// unready takes note that a ready job starts.
func (r *loop) unready(t *Task) {
	r.ready--
	r.widths[t.Procs]--
	switch {
	case r.ready == 0:
		r.narrowest = math.MaxInt
	case t.Procs == r.narrowest:
		for r.widths[r.narrowest] == 0 {
			r.narrowest++
		}
	}
}

// result lists the jobs.
func (r *loop) result() []report.Job {
	jobs := make([]report.Job, len(r.tasks))
	for i := range r.tasks {
		job := &r.tasks[i]
		c := &r.campaigns[job.campaign]
		t := r.task(int32(i))
		start := job.start - r.shift
		jobs[i] = report.Job{
			ID: t.ID, Estimate: t.Estimate, User: c.User, Campaign: int(job.campaign), Submit: job.submit - r.shift, Start: start,
			End: start + ostrich.Time(r.lasts(t)), Procs: t.Procs, Killed: r.lasts(t) < t.Run,
		}
	}
	return jobs
}
