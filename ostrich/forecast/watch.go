package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// Sampling says when a Watch asks.
type Sampling struct {
	Every int              // each so many-th of the jobs that wait after they came is asked for; 0 is each
	Hours ostrich.Duration // and at each so many-th full hour some that wait; 0 is each
	AtOne int              // how many at such an hour; 0 is none
	From  ostrich.Time     // what is asked before is learned from, and not returned
	Seed  uint64           // of the draws
}

// Ask is what was asked for a job, what was answered, and what became of it.
type Ask struct {
	Job    ostrich.JobID // its running number in the replay
	At     ostrich.Time
	Submit ostrich.Time
	Start  ostrich.Time // when it started; 0 if it has not

	Draws []ostrich.Time  // its starts in the draws, in order
	Odds  [3]ostrich.Time // the answer, for the odds that are Shown

	// End is when the last of the jobs of its campaign ended that waited or ran at the moment of the question, and Ends what
	// was answered for that. Both are 0 where the campaign was asked for at the same moment for another of its jobs.
	End  ostrich.Time
	Ends [3]ostrich.Time

	// Other answers. Limits is the start by conservative backfilling with time limits, as squeue
	// --start has it, and Two are the starts by expected lengths and by limits under EASY, the earlier
	// first. Bounds are those of QBETS for odds of 10, 50 and 90 %, the moment of the question where
	// there are none.
	Limits ostrich.Time
	Two    [2]ostrich.Time
	Bounds [3]ostrich.Time
}

// Watch asks for the starts of jobs while they are replayed, and keeps what came of it. The replay is
// the same as without it.
type Watch struct {
	Sampling
	inner  sim.JobRanker
	waker  sim.Waker
	ready  sim.Readier
	procs  int
	expect lengths.Predictor

	now     ostrich.Time
	running []*watched
	jobs    map[ostrich.JobID]*watched // that have not ended
	waiting int
	fresh   []*watched // that came at this instant
	came    int        // jobs that waited
	hours   int64

	spreads lengths.Spreads
	pasts   map[ostrich.UserID]*lengths.Past
	used    lengths.Used
	habits  Habits
	qbets   QBETS
	learned Correction
	ends    Correction // of campaigns

	campaigns []int32 // by the running number of the job, from 1
	wants     []int32 // likewise, see Job.Request
	site
	asks []*Ask
	list []ostrich.JobID
	err  error
}

// watched is a job that has not ended.
type watched struct {
	job     ostrich.Job
	on      *nodes.Allocation
	arrival int // number in the habits
	place   float32
	placed  bool
	at      int // in running; below 0 while it waits
	open    []*Ask
	tokens  []Question // of the correction
	ends    []*ending
}

// ending is a question for the end of a campaign.
type ending struct {
	places []int // of the jobs that it is about, for State.Ask
	first  int   // place of their draws
	ask    *Ask
	token  Question
	left   int // jobs that have not ended
}

// about adds a job to a question, if there is one.
func (q *ending) about(f *watched, place int) {
	if q != nil {
		q.places, q.left, f.ends = append(q.places, place), q.left+1, append(f.ends, q)
	}
}

// ErrWatch marks a policy that cannot be watched.
var ErrWatch = errors.New("does not rank job by job")

// Over returns a machine that replays some campaigns as another one does, and what watches it. The policy of that one must rank
// job by job: a replay returns ErrWatch otherwise. The machine is good for one replay.
func Over(m sim.Machine, campaigns []sim.Campaign, how Sampling) (sim.Machine, *Watch) {
	w := &Watch{Sampling: how, expect: lengths.Alike, jobs: make(map[ostrich.JobID]*watched), pasts: make(map[ostrich.UserID]*lengths.Past)}
	for i := range campaigns {
		for _, j := range campaigns[i].Jobs {
			w.campaigns, w.wants = append(w.campaigns, int32(i)), append(w.wants, j.Request)
		}
	}
	if m.Cluster != nil {
		w.site = siteOf(&m)
		m.Placed = w.placed(m.Placed)
	}
	policy := m.Policy
	m.Policy = func(procs int) (sim.Ranker, error) {
		inner, err := policy(procs)
		if err != nil {
			return nil, err
		}
		jobs, ok := inner.(sim.JobRanker)
		if !ok {
			return nil, fmt.Errorf("forecast: %T %w", inner, ErrWatch)
		}
		w.inner, w.procs = jobs, procs
		w.waker, _ = inner.(sim.Waker)
		w.ready, _ = inner.(sim.Readier)
		return w, nil
	}
	return m, w
}

// Asks returns what was asked from Sampling.From on, in the order of the questions.
func (w *Watch) Asks() ([]*Ask, error) {
	i, _ := slices.BinarySearchFunc(w.asks, w.From, func(a *Ask, t ostrich.Time) int { return cmp.Compare(a.At, t) })
	return w.asks[i:], w.err
}

// Step takes an event.
func (w *Watch) Step(e ostrich.Event) error {
	if e.At > w.now {
		w.close(e.At)
	}
	w.now = e.At
	if w.err != nil {
		return w.err
	}
	if err := w.inner.Step(e); err != nil {
		return err
	}
	j := &e.Job
	switch e.Kind {
	case ostrich.Submit:
		f := &watched{job: *j, at: -1, place: -1}
		w.jobs[j.ID] = f
		w.fresh = append(w.fresh, f)
		w.waiting++
	case ostrich.Start:
		w.started(w.jobs[j.ID], e.At)
	case ostrich.End:
		w.ended(w.jobs[j.ID], e)
	case ostrich.Requeue: // it made room for others, and what was asked for its first start has its answer
		f := w.jobs[j.ID]
		w.leave(f)
		f.at = -1
		w.waiting++
	case ostrich.Suspend, ostrich.Resume, ostrich.Hold, ostrich.Release:
	default:
		return fmt.Errorf("forecast: %v events are not watched: %w", e.Kind, sim.ErrWorkload)
	}
	return nil
}

func (w *Watch) started(f *watched, at ostrich.Time) {
	f.job.Start = at
	f.at = len(w.running)
	w.running = append(w.running, f)
	w.waiting--
	w.qbets.Add(ostrich.Duration(at - f.job.Submit))
	for k, a := range f.open {
		a.Start = at
		w.learned.Started(f.tokens[k], at)
	}
	f.open, f.tokens = nil, nil
}

// leave takes a job out of those that run.
func (w *Watch) leave(f *watched) {
	last := len(w.running) - 1
	w.running[f.at] = w.running[last]
	w.running[f.at].at = f.at
	w.running = w.running[:last]
}

func (w *Watch) ended(f *watched, e ostrich.Event) {
	w.leave(f)
	delete(w.jobs, f.job.ID)
	ran := max(1, ostrich.Duration(e.At-f.job.Start))
	r := f.request()
	w.spreads.Learn(f.job.User, r, ran)
	w.past(f.job.User).Learn(w.expect, &w.used, r, e.Job.Outcome, ran)
	w.habits.Ended(f.arrival, ran)
	for _, q := range f.ends {
		if q.left--; q.left == 0 && q.ask != nil {
			q.ask.End = e.At
			w.ends.Started(q.token, e.At)
		}
	}
}

func (w *Watch) past(u ostrich.UserID) *lengths.Past {
	p := w.pasts[u]
	if p == nil {
		p = new(lengths.Past)
		w.pasts[u] = p
	}
	return p
}

func (f *watched) request() *lengths.Request {
	return &lengths.Request{Limit: f.job.Estimate, Procs: f.job.Procs, Class: f.job.Class, Hint: f.job.Hint}
}

// Jobs lists the waiting jobs, as the policy does.
func (w *Watch) Jobs() []ostrich.JobID {
	list := w.inner.Jobs()
	w.place(list)
	return list
}

// mostPlaced is how deep in the queue the place of a job is looked for that came.
const mostPlaced = 20_000

// place finds where the jobs of this instant went in the queue.
func (w *Watch) place(list []ostrich.JobID) {
	open := 0
	for _, f := range w.fresh {
		if !f.placed {
			open++
		}
	}
	if open == 0 {
		return
	}
	before := 0
	for _, id := range list[:min(len(list), mostPlaced)] {
		f := w.jobs[id]
		if f == nil || f.at >= 0 {
			continue
		}
		if f.job.Submit == w.now && !f.placed {
			f.placed = true
			f.place = float32(before) / float32(max(1, w.waiting-len(w.fresh)))
			if open--; open == 0 {
				return
			}
		}
		if f.job.Submit < w.now {
			before++
		}
	}
}

// Wake is when the policy wants to be woken.
func (w *Watch) Wake(waiting bool) ostrich.Time {
	if w.waker == nil {
		return 0
	}
	return w.waker.Wake(waiting)
}

// AdvanceTo lets time pass for the policy.
func (w *Watch) AdvanceTo(t ostrich.Time) error {
	if w.waker == nil {
		return nil
	}
	if t > w.now {
		w.close(t)
		w.now = t
	}
	return w.waker.AdvanceTo(t)
}

// Ready tells the policy that a job can start.
func (w *Watch) Ready(id ostrich.JobID) {
	if w.ready != nil {
		w.ready.Ready(id)
	}
}

// close looks at the instant that is over, and at the full hours before the next one.
func (w *Watch) close(next ostrich.Time) {
	if w.err != nil {
		return
	}
	var ask []ostrich.JobID
	if len(w.fresh) > 0 {
		w.place(w.inner.Jobs())
		for _, f := range w.fresh {
			f.arrival = w.habits.Came(Arrival{At: w.now, User: f.job.User, Procs: f.job.Procs, Limit: f.job.Estimate, Place: f.place, Request: w.wants[f.job.ID-1]})
			if f.at < 0 {
				if w.came++; w.came%max(1, w.Every) == 0 {
					ask = append(ask, f.job.ID)
				}
			}
		}
		w.fresh = w.fresh[:0]
	}
	if len(ask) > 0 {
		w.err = w.ask(w.now, ask)
	}
	if w.AtOne < 1 || w.now == 0 {
		return
	}
	step := ostrich.Time(3600 * max(1, w.Hours))
	for h := (w.now/step + 1) * step; h < next && w.waiting > 0 && w.err == nil; h += step {
		w.hours++
		w.err = w.ask(h, w.sample())
	}
}

// sample lists some of the waiting jobs, evenly from the queue, at each time others.
func (w *Watch) sample() []ostrich.JobID {
	waiting := w.order()
	n := min(w.AtOne, len(waiting))
	list := make([]ostrich.JobID, 0, n)
	for k := range n {
		at := (k*len(waiting) + int(uint64(w.hours)*7919%uint64(len(waiting)))) / n % len(waiting)
		if id := waiting[at]; !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// order lists the jobs that wait, in the order of the policy, without those that it leaves out.
func (w *Watch) order() []ostrich.JobID {
	w.list = w.list[:0]
	for _, id := range w.inner.Jobs() {
		if f := w.jobs[id]; f != nil && f.at < 0 {
			w.list = append(w.list, id)
		}
	}
	return w.list
}

func (w *Watch) ask(at ostrich.Time, ids []ostrich.JobID) error {
	s := State{
		Now: at, Procs: w.procs, Cluster: w.clusterAt(at), Requests: w.requests, Came: len(w.requests), Habits: &w.habits, Seed: w.Seed + uint64(at)*0x9e3779b97f4a7c15,
	}
	ends := make(map[int32]*ending, len(ids)) // by campaign
	for _, id := range ids {
		ends[w.campaigns[id-1]] = new(ending)
	}
	for _, f := range w.running {
		s.Running = append(s.Running, w.known(f, at))
	}
	slices.SortFunc(s.Running, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	for i := range s.Running {
		id := s.Running[i].ID
		ends[w.campaigns[id-1]].about(w.jobs[id], ^i)
	}
	asked := make([]int, 0, len(ids))
	for _, id := range w.order() {
		ends[w.campaigns[id-1]].about(w.jobs[id], len(s.Pending))
		if slices.Contains(ids, id) {
			asked = append(asked, len(s.Pending))
		}
		s.Pending = append(s.Pending, w.known(w.jobs[id], at))
	}
	all := slices.Clone(asked)
	for _, i := range asked {
		if q := ends[w.campaigns[s.Pending[i].ID-1]]; q.first == 0 {
			q.first = len(all)
			all = append(all, q.places...)
		}
	}
	draws, err := s.Ask(all)
	if err != nil {
		return err
	}
	var others [3][]ostrich.Time
	if others, err = w.others(&s, asked); err != nil {
		return err
	}
	for k, i := range asked {
		f := w.jobs[s.Pending[i].ID]
		waited := ostrich.Duration(at - f.job.Submit)
		answer, token := w.learned.Ask(&draws[k])
		slices.Sort(draws[k].Starts)
		a := &Ask{
			Job: f.job.ID, At: at, Submit: f.job.Submit, Draws: draws[k].Starts, Odds: answer.Shown(),
			Limits: others[0][k], Two: [2]ostrich.Time{min(others[1][k], others[2][k]), max(others[1][k], others[2][k])},
		}
		for q, odds := range Shown {
			a.Bounds[q] = at
			if bound, ok := w.qbets.Bound(float64(odds)/100, max(1, waited)); ok { // it is known to wait
				a.Bounds[q] = max(at, f.job.Submit+ostrich.Time(bound))
			}
		}
		f.open, f.tokens = append(f.open, a), append(f.tokens, token)
		w.asks = append(w.asks, a)
		if q := ends[w.campaigns[a.Job-1]]; q.ask == nil {
			q.ask = a
			answer, q.token = w.ends.Ask(Last(draws[q.first:][:q.left]))
			a.Ends = answer.Shown()
		}
	}
	return nil
}

// known is a job as it stands at a moment.
func (w *Watch) known(f *watched, at ostrich.Time) Job {
	j := Job{
		ID: f.job.ID, User: f.job.User, Procs: f.job.Procs, Limit: f.job.Estimate, Class: f.job.Class,
		Spread: w.spreads.Of(f.job.User, f.request()), Request: w.wants[f.job.ID-1],
	}
	if f.at >= 0 {
		j.Ran, j.On = ostrich.Duration(at-f.job.Start), f.on
	}
	return j
}

// others returns the starts of jobs by limits under conservative backfilling, by expected lengths
// and by limits under EASY.
func (w *Watch) others(s *State, asked []int) (starts [3][]ostrich.Time, err error) {
	jobs := make([]sim.Job, 0, len(s.Running)+len(s.Pending))
	add := func(j *Job, run bool) {
		limit := bounded(j.Limit - j.Ran)
		one := sim.Job{ID: j.ID, Submit: s.Now, Procs: j.Procs, Request: j.Request, Run: limit, Estimate: limit}
		if run {
			f := w.jobs[j.ID]
			expect, _ := w.past(f.job.User).Predict(w.expect, &w.used, f.request(), 1)
			if expect <= j.Ran {
				expect = j.Ran + lengths.More(j.Ran, j.Limit)
			}
			one.Run = min(bounded(expect-j.Ran), limit)
		}
		jobs = append(jobs, one)
	}
	for k, how := range []struct {
		backfill sim.Backfill
		expected bool
	}{{sim.Conservative, false}, {sim.EASY, true}, {sim.EASY, false}} {
		jobs = jobs[:0]
		for i := range s.Running {
			add(&s.Running[i], how.expected)
		}
		first, pending := len(jobs), s.Pending
		if how.backfill == sim.Conservative {
			pending = pending[:slices.Max(asked)+1] // those behind change nothing
		}
		for i := range pending {
			add(&pending[i], how.expected)
		}
		wants := make(map[int]bool, len(asked))
		for _, i := range asked {
			wants[first+i] = true
		}
		missing := len(asked)
		m := sim.Machine{Procs: w.procs, Backfill: how.backfill, Cluster: s.Cluster, Requests: s.Requests, On: s.on(), Began: func(job int, _ ostrich.Time) bool {
			if wants[job] {
				missing--
			}
			return missing == 0
		}}
		ran, err := m.Replay(jobs)
		if err != nil {
			return starts, err
		}
		for _, i := range asked {
			starts[k] = append(starts[k], ran[first+i])
		}
	}
	return starts, nil
}
