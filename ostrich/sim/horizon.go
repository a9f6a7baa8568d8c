package sim

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// Horizon are the settings of planning horizons (Schlagkamp, Hofmann, Eufinger and
// Ferreira da Silva, HPCS 2016, section III, figure 1).
//
// At t_i, when a horizon begins, the jobs that wait, Q_i, are planned beside those
// that run. In [t_i, t_{i+1}) they start in the order of the plan, none later than
// planned as long as no job outlives its estimate. A job that comes meanwhile starts
// before t_{i+1} only if it disturbs none of them and ends by then, as far as is
// known; otherwise it belongs to Q_{i+1}. Without any job that waits the next horizon
// begins with the next job. Planning takes no time of the replay.
//
// The zero value, but for Plan, has horizons of dynamic length.
type Horizon struct {
	// Length of a horizon, in seconds. What the plan does not start in it belongs to
	// the next queue. So that nobody starves, the job of a queue that has waited
	// longest is planned no later than its reservation under EASY would be.
	//
	// 0 is the dynamic length: a horizon ends when all that was planned has ended.
	Length ostrich.Duration

	// Plan plans a queue. A horizon without a plan, or with an error, goes as it
	// would under FCFS and EASY.
	Plan Planner

	// Most limits how many jobs are planned at once, to those that have waited longest.
	// The others wait as if they had come later. 0 is no limit.
	Most int

	// Failed is called with the first error of Plan; it may be nil.
	Failed func(error)

	// Began is called when a horizon has begun, with the jobs that were planned, the
	// first one in front, and when it ends, if its length is constant, or else 0. It
	// may be nil.
	Began func(at, until ostrich.Time, planned []ostrich.JobID)
}

// A Planner plans the jobs that wait at a moment on m processors, beside running jobs,
// whose numbers mean nothing. The jobs are in the order in which they could first start,
// which is their Submit. It returns the start of each, or nil if there is no plan.
type Planner func(now ostrich.Time, m int, jobs []Job, running Running) ([]ostrich.Time, error)

// Policy is the policy of planning horizons. It says itself who may jump, whatever
// the loop's Backfill.
func (h Horizon) Policy(m int) (Ranker, error) {
	return &planner{Horizon: h, procs: m, free: m}, nil
}

// planner is a machine that runs in planning horizons.
type planner struct {
	Horizon
	procs, free int
	now         ostrich.Time
	jobs        []planned // by number
	ready       int       // jobs so far
	running     Running

	runs   bool            // a horizon has begun and not ended
	easy   bool            // it has no plan
	until  ostrich.Time    // when it ends, if its length is constant
	plan   []ostrich.JobID // S_i, those that wait, in the order of their planned starts
	queue  []ostrich.JobID // Q_{i+1}, in the order in which the jobs could first start
	open   int             // jobs of S_i that have not ended
	failed bool            // a plan has failed

	profile profile
	beside  Running // reused
	list    []ostrich.JobID
}

type planned struct {
	Job
	turn  int  // in the order in which jobs became ready
	in    bool // S_i
	start ostrich.Time
}

// Step takes an event.
func (p *planner) Step(e ostrich.Event) error {
	p.now = e.At
	switch e.Kind {
	case ostrich.Submit:
		for int(e.Job.ID) >= len(p.jobs) {
			p.jobs = append(p.jobs, planned{})
		}
		p.jobs[e.Job.ID].Job = Job{ID: e.Job.ID, User: e.Job.User, Procs: e.Job.Procs, Estimate: e.Job.Estimate}
	case ostrich.Start:
		j := &p.jobs[e.Job.ID]
		j.start = e.At
		p.free -= j.Procs
		p.running.add(j.expected())
		p.drop(e.Job.ID)
	case ostrich.End, ostrich.Requeue:
		j := &p.jobs[e.Job.ID]
		if e.Kind == ostrich.End && e.Job.Start == 0 { // it was cancelled
			p.drop(e.Job.ID)
		} else {
			p.free += j.Procs
			p.running.remove(j.expected())
		}
		if j.in {
			p.open--
		}
		j.in = false
	default:
	}
	return nil
}

// drop takes a job from those that wait.
func (p *planner) drop(id ostrich.JobID) {
	is := func(o ostrich.JobID) bool { return o == id }
	if p.jobs[id].in {
		p.plan = slices.DeleteFunc(p.plan, is)
	} else {
		p.queue = slices.DeleteFunc(p.queue, is)
	}
}

// expected is when a running job is expected to end.
func (j *planned) expected() Expected {
	return Expected{End: j.start + ostrich.Time(j.Estimate), Procs: int32(j.Procs), Job: int32(j.ID)}
}

// Ready puts a job into the queue.
func (p *planner) Ready(id ostrich.JobID) {
	j := &p.jobs[id]
	p.ready++
	j.turn, j.Submit = p.ready, p.now
	p.queue = append(p.queue, id)
}

// Wake is when the horizon ends. One without a plan ends with the first event after
// that, so that jobs start only when they do under EASY.
func (p *planner) Wake(bool) ostrich.Time {
	if p.Length > 0 && p.runs && !p.easy && p.until > p.now && len(p.plan)+len(p.queue) > 0 {
		return p.until
	}
	return 0
}

// AdvanceTo lets time pass. A horizon may end by that.
func (p *planner) AdvanceTo(t ostrich.Time) error {
	p.now = t
	p.turn()
	return nil
}

// turn ends the horizon if it is over, and begins the next one.
func (p *planner) turn() {
	if p.runs {
		over := p.open == 0
		if p.Length > 0 {
			over = p.now >= p.until
		}
		p.runs = !over
	}
	if !p.runs && len(p.plan)+len(p.queue) > 0 {
		p.begin()
	}
}

func (p *planner) begin() {
	for _, id := range p.plan {
		p.jobs[id].in = false
	}
	p.queue = append(p.queue, p.plan...)
	slices.SortFunc(p.queue, p.byTurn)
	p.runs, p.easy, p.open, p.until = true, false, 0, p.now+ostrich.Time(p.Length)
	most := len(p.queue)
	if p.Most > 0 {
		most = min(most, p.Most)
	}
	p.plan = append(p.plan[:0], p.queue[:most]...)
	if p.easy = !p.sortPlan(); p.easy {
		p.plan, p.runs = p.plan[:0], p.Length > 0
	} else {
		p.queue = p.queue[:copy(p.queue, p.queue[most:])]
		p.open = len(p.plan)
		for _, id := range p.plan {
			p.jobs[id].in = true
		}
	}
	if p.Began != nil {
		until := p.until
		if p.Length == 0 {
			until = 0
		}
		p.Began(p.now, until, p.plan)
	}
}

func (p *planner) byTurn(a, b ostrich.JobID) int { return cmp.Compare(p.jobs[a].turn, p.jobs[b].turn) }

// sortPlan puts the jobs to be planned in the order of their planned starts. It
// reports whether there is a plan.
func (p *planner) sortPlan() bool {
	if p.Plan == nil {
		return false
	}
	jobs := make([]Job, len(p.plan))
	for i, id := range p.plan {
		jobs[i] = p.jobs[id].Job
	}
	starts, err := p.Plan(p.now, p.procs, jobs, p.running)
	if err != nil && !p.failed {
		p.failed = true
		if p.Failed != nil {
			p.Failed(err)
		}
	}
	if err != nil || len(starts) != len(jobs) {
		return false
	}
	at := make(map[ostrich.JobID]ostrich.Time, len(jobs))
	for i, id := range p.plan {
		at[id] = starts[i]
	}
	oldest := p.plan[0]
	slices.SortFunc(p.plan, func(a, b ostrich.JobID) int { return cmp.Or(cmp.Compare(at[a], at[b]), p.byTurn(a, b)) })
	if room := p.running.Reserve(p.now, p.free, p.jobs[oldest].Procs); p.Length > 0 && at[oldest] > room.Shadow {
		i := slices.Index(p.plan, oldest)
		copy(p.plan[1:], p.plan[:i])
		p.plan[0] = oldest
	}
	return true
}

// Jobs lists the jobs that start now.
func (p *planner) Jobs() []ostrich.JobID {
	p.turn()
	p.list = p.list[:0]
	if p.easy {
		p.backfill()
	} else {
		p.follow()
	}
	return p.list
}

// follow starts what the plan starts now, and beside it what ends within the
// horizon.
func (p *planner) follow() {
	p.profile.reset(p.now, p.free, p.running)
	until := p.until
	if p.Length == 0 {
		until = 0
		for _, e := range p.running {
			if p.jobs[e.Job].in {
				until = max(until, e.End)
			}
		}
	}
	for _, id := range p.plan {
		j := &p.jobs[id]
		at := p.start(id, never)
		if p.Length == 0 {
			until = max(until, at+ostrich.Time(j.Estimate))
		} else if p.profile.idle() == 0 {
			return
		}
	}
	for _, id := range p.queue {
		if p.profile.idle() == 0 {
			return
		}
		p.start(id, until)
	}
}

// start reserves processors for a job, and lists it if that is for now. A job that
// would end after the limit, or not start now if there is one, gets none.
func (p *planner) start(id ostrich.JobID, limit ostrich.Time) ostrich.Time {
	j := &p.jobs[id]
	if limit != never && (j.Procs > p.profile.idle() || p.now+ostrich.Time(j.Estimate) > limit) {
		return never
	}
	at := p.profile.fit(j.Procs, j.Estimate)
	if limit == never || at == p.now {
		p.profile.reserve(at, j.Procs, j.Estimate)
	}
	if at == p.now {
		p.list = append(p.list, id)
	}
	return at
}

// backfill starts jobs as they come, with EASY's reservation for the first one that
// does not fit.
func (p *planner) backfill() {
	free, blocked := p.free, false
	p.beside = append(p.beside[:0], p.running...)
	var room Room
	for _, id := range p.queue {
		j := &p.jobs[id]
		end := p.now + ostrich.Time(j.Estimate)
		switch {
		case !blocked && j.Procs <= free:
			free -= j.Procs
			p.beside.add(Expected{End: end, Procs: int32(j.Procs), Job: int32(id)})
			p.list = append(p.list, id)
		case !blocked:
			blocked, room = true, p.beside.Reserve(p.now, free, j.Procs)
		case j.Procs <= room.Until(end):
			room.Use(j.Procs, end)
			p.list = append(p.list, id)
		}
	}
}
