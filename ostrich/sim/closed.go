package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// A loop is the state of a machine that replays campaigns. Jobs are numbered
// from 0 through all campaigns; the ranker knows them by that number plus 1.
type loop struct {
	Loop
	ranker    Ranker // nil: job by job
	gate      gate   // the ranker, if it is one
	stager    stager // the ranker, if stages may differ
	campaigns []Campaign
	states    []progress // by campaign
	tasks     []task     // by job
	shift     ostrich.Time

	now     ostrich.Time
	free    int
	ready   int      // jobs that could start if there were processors
	watch   bool     // that a virtual completion may let some of them start
	all     *queue   // of ready jobs without a ranker
	slots   int      // of all, those used so far
	ends    endHeap  // of running jobs
	coming  endHeap  // campaigns by their next submission
	running expects  // for EASY
	order   []sorted // reused
}

// task is what becomes of a job.
type task struct {
	campaign      int32
	slot          int32 // in the queue
	stage         int32
	submit, start ostrich.Time
	ended         bool
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
	}
	if len(campaigns) > 0 { // moment 0 means "not yet"
		r.shift = max(0, 1-campaigns[0].Submit)
	}
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

// run takes all events of an instant, ends before submissions, and then
// starts jobs.
func (r *loop) run() error {
	if r.ranker == nil {
		r.all = newQueue(len(r.tasks))
	}
	r.gate, _ = r.ranker.(gate)
	if r.Offsets {
		r.stager, _ = r.ranker.(stager)
	}
	for r.advance() {
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
	if r.ready > 0 {
		return fmt.Errorf("%d jobs are held back for ever: %w", r.ready, ErrWorkload)
	}
	return nil
}

// advance moves the clock to the next event, if there is one: an end, a
// submission, or a virtual completion that may let jobs start.
func (r *loop) advance() bool {
	now := ostrich.Time(math.MaxInt64)
	if len(r.ends) > 0 {
		now = r.ends[0].at
	}
	if len(r.coming) > 0 {
		now = min(now, r.coming[0].at)
	}
	if r.watch {
		if due := math.Ceil(r.gate.NextCompletion()); due < float64(now) {
			now = ostrich.Time(due)
		}
	}
	r.now = now
	return now != math.MaxInt64
}

// event is an event of a job as the ranker is told of it.
func (r *loop) event(k ostrich.Kind, i int32) ostrich.Event {
	job := &r.tasks[i]
	c := &r.campaigns[job.campaign]
	first := r.states[job.campaign].first
	t := &c.Tasks[i-first]
	e := ostrich.Event{At: r.now, Kind: k, Job: ostrich.Job{
		ID: ostrich.JobID(i + 1), User: c.User, Procs: t.Procs, Estimate: t.Estimate,
		Submit: r.states[job.campaign].submit, Start: job.start,
	}}
	if len(c.Tasks) > 1 {
		e.Job.Group = ostrich.JobID(first + 1)
	}
	if r.Offsets {
		e.Job.Submit += ostrich.Time(t.Offset)
	}
	if k == ostrich.End {
		e.Job.End = r.now
	}
	return e
}

func (r *loop) tell(k ostrich.Kind, i int32) error {
	if r.ranker == nil {
		return nil
	}
	return r.ranker.Step(r.event(k, i)) //nolint:wrapcheck // Run does
}

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
	r.free += t.Procs
	if r.Backfill == EASY {
		r.running.remove(expect{at: job.start + ostrich.Time(t.Estimate), job: i})
	}
	if p.open--; p.open == 0 {
		p.waiting = nil
		if p.next >= 0 {
			r.coming.push(end{at: r.now + ostrich.Time(r.campaigns[p.next].Think), job: p.next})
		}
		return nil
	}
	if r.Dependencies {
		for p.prefix < len(c.Tasks) && r.tasks[p.first+int32(c.ended(p.prefix))].ended {
			p.prefix++
		}
		r.release(job.campaign)
	}
	return nil
}

// come submits a campaign, or those of its jobs that are due now.
func (r *loop) come(n int32) error {
	c, p := &r.campaigns[n], &r.states[n]
	if p.come == 0 {
		p.submit = r.now
		if r.ranker != nil {
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
		r.tasks[i].stage = 1
		if r.stager != nil {
			stage, _ := r.stager.StageOf(ostrich.JobID(i + 1))
			r.tasks[i].stage = int32(stage)
			p.several = p.several || stage > 1
		}
	}
	r.release(n)
	return nil
}

// sorted is a task with all that decides on its place in its campaign, two
// numbers to a word, the smaller one first.
type sorted struct {
	key  [2]uint64
	task int32
}

// queue makes the queue of a campaign, with a slot for each of its tasks in
// the order in which they should start: by successors, as Inside says, by
// submission, then by number. The last two are the order of the tasks.
func (r *loop) queue(n int32) {
	c, p := &r.campaigns[n], &r.states[n]
	p.waiting = newQueue(len(c.Tasks))
	if len(c.Tasks) == 1 {
		return
	}
	r.order = r.order[:0]
	for k := range c.Tasks {
		t := &c.Tasks[k]
		s := sorted{task: int32(k)}
		if r.Dependencies {
			s.key[0] = uint64(len(c.Tasks)-t.Successors) << 32
		}
		switch r.Inside {
		case ostrich.LPT:
			s.key[0] |= uint64(math.MaxInt32 - t.Estimate)
		case ostrich.SPT:
			s.key[0] |= uint64(t.Estimate)
		case ostrich.LJF:
			s.key[0] |= uint64(math.MaxInt32 - t.Procs)
			s.key[1] = uint64(math.MaxInt32 - t.Estimate)
		case ostrich.Submission:
		}
		r.order = append(r.order, s)
	}
	slices.SortFunc(r.order, func(a, b sorted) int {
		switch {
		case a.key[0] != b.key[0]:
			return cmp.Compare(a.key[0], b.key[0])
		case a.key[1] != b.key[1]:
			return cmp.Compare(a.key[1], b.key[1])
		}
		return cmp.Compare(a.task, b.task)
	})
	for slot := range r.order {
		r.tasks[p.first+r.order[slot].task].slot = int32(slot)
	}
}

// release makes the submitted tasks ready whose dependencies have ended. A
// later task never needs less than an earlier one.
func (r *loop) release(n int32) {
	c, p := &r.campaigns[n], &r.states[n]
	for ; p.ready < p.come; p.ready++ {
		t := &c.Tasks[p.ready]
		if r.Dependencies && t.Needs > p.prefix {
			return
		}
		i := p.first + int32(p.ready)
		job := &r.tasks[i]
		job.submit = r.now
		q := p.waiting
		if q == nil {
			q = r.all
			job.slot = int32(r.slots)
			r.slots++
		}
		q.add(int(job.slot), i, int32(t.Procs), int32(t.Estimate))
		r.ready++
	}
}

// pass starts what may start, campaign by campaign.
func (r *loop) pass() error {
	r.watch = false
	if r.free == 0 || r.ready == 0 {
		return nil
	}
	f := filling{loop: r}
	if r.ranker == nil {
		return f.from(r.all, 0)
	}
	if r.gate != nil {
		if err := r.gate.AdvanceTo(r.now); err != nil {
			return err //nolint:wrapcheck // Run does
		}
	}
	for _, rank := range r.ranker.Ranking() {
		i := int(rank.Lead) - 1
		if i < 0 || i >= len(r.tasks) {
			return errors.New("the ranking names a campaign that is not known")
		}
		p := &r.states[r.tasks[i].campaign]
		switch {
		case p.waiting == nil || p.waiting.count == 0:
			continue
		case rank.Held:
			r.watch = r.gate != nil // the gate opens with a completion
			continue
		}
		stage := 0
		if p.several {
			stage = rank.Stage
		}
		if err := f.from(p.waiting, int32(stage)); err != nil {
			return err
		}
		if f.done() {
			break
		}
	}
	// A campaign whose gate opens may pass one that is blocked.
	if f.blocked && f.Backfill != Greedy && f.free > 0 && f.ready > 0 {
		r.watch = r.gate != nil
	}
	return nil
}

// filling is one pass over the ranking.
type filling struct {
	*loop
	blocked bool // a job of the ranking did not fit
	room    room // beside it
}

// done tells whether no other job can start in this pass.
func (f *filling) done() bool {
	return f.free == 0 || f.ready == 0 || f.blocked && (f.Backfill == None || f.room.free == 0)
}

// from starts jobs of a queue, those of one stage unless that is 0.
func (f *filling) from(q *queue, stage int32) error {
	for slot := -1; q.count > 0 && !f.done(); {
		if f.blocked {
			slot = f.room.next(q, slot+1)
		} else {
			slot = q.after(slot + 1)
		}
		if slot < 0 {
			return nil
		}
		i := q.job[slot]
		job := &f.tasks[i]
		if stage != 0 && job.stage != stage {
			continue
		}
		t := &f.campaigns[job.campaign].Tasks[i-f.states[job.campaign].first]
		as := Job{Procs: t.Procs, Estimate: t.Estimate}
		switch {
		case f.blocked:
			f.room.take(&as)
		case t.Procs > f.free:
			f.block(t)
			continue
		}
		if err := f.start(q, slot, t); err != nil {
			return err
		}
	}
	return nil
}

// block finds the room beside the first job that does not fit.
func (f *filling) block(t *Task) {
	f.blocked = true
	switch f.Backfill {
	case EASY:
		f.room = f.running.reserve(f.now, f.free, t.Procs, true)
	case Greedy:
		f.room = room{free: f.free, extra: f.free}
	case None:
	}
}

// start starts a ready job.
func (r *loop) start(q *queue, slot int, t *Task) error {
	i := q.job[slot]
	q.remove(slot)
	r.ready--
	r.free -= t.Procs
	r.tasks[i].start = r.now
	r.ends.push(end{at: r.now + ostrich.Time(t.Run), job: i})
	if r.Backfill == EASY {
		r.running.add(expect{at: r.now + ostrich.Time(t.Estimate), procs: int32(t.Procs), job: i})
	}
	return r.tell(ostrich.Start, i)
}

// result lists the jobs.
func (r *loop) result() []report.Job {
	jobs := make([]report.Job, len(r.tasks))
	for i := range r.tasks {
		job := &r.tasks[i]
		c := &r.campaigns[job.campaign]
		t := &c.Tasks[int32(i)-r.states[job.campaign].first]
		start := job.start - r.shift
		jobs[i] = report.Job{
			User: c.User, Campaign: int(job.campaign), Submit: job.submit - r.shift, Start: start,
			End: start + ostrich.Time(t.Run), Procs: t.Procs,
		}
	}
	return jobs
}
