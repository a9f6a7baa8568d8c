package grid

import (
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/lengths"
)

// An engine runs an experiment. Tasks are numbered bag by bag, processors cluster
// by cluster, both from 0. Where the first submission is before second 1, all times are
// moved so that it is there: 0 means "not yet" to a virtual schedule.
type engine struct {
	Experiment
	policy   policy
	selector *selector

	bags  []Bag
	tasks []task
	procs []proc
	shift ostrich.Time // from the time of the bags to that of the engine
	users []int32      // by bag, as selections number them
	known int          // users
	first []int32      // task, by bag

	now      ostrich.Time
	next     int                // bag
	ends     line[ostrich.Time] // of running copies: tasks, and their processors
	managers []manager
	at       []int32      // the manager to which a user of FCondor submits next, by user
	unseen   []int32      // processors that have become idle since the latest look of CSP
	looks    ostrich.Time // the next look, while there are such
	finished int
	used     ostrich.Work
	served   float64 // reference run time of Result.Served
	past     past
	err      error // of a ranker, which ends the experiment
}

// task is what becomes of a task.
type task struct {
	bag        int32
	copies     int32 // started
	on         int32 // the processor of its latest copy; none without a running one
	cluster    int32 // where it ended; none before
	run        ostrich.Duration
	told       ostrich.Duration // the run time that a policy that knows run times is told
	start, end ostrich.Time
}

type proc struct {
	cluster  int32
	manager  int32
	task     int32 // that runs; none while it is idle
	other    int32 // another processor with a copy of that task, see task.on; or none
	since    ostrich.Time
	measured float64 // speed of its latest task
}

// none is no processor, task or cluster.
const none = -1

func newEngine(x Experiment, p policy, s *selector, bags []Bag, tasks int) (*engine, error) {
	e := &engine{
		Experiment: x, policy: p, selector: s, ends: line[ostrich.Time]{sorted: true}, bags: bags, tasks: make([]task, 0, tasks), procs: make([]proc, 0, x.Platform.Procs()),
		shift: max(0, 1-bags[0].Submit), first: make([]int32, len(bags)),
	}
	e.numberUsers()
	random := rand.New(rand.NewPCG(x.Seed, 3))
	for i := range bags {
		e.first[i] = int32(len(e.tasks))
		for _, t := range bags[i].Tasks {
			told := t.Run
			if x.Inaccuracy > 0 {
				r := float64(t.Run)
				told = ostrich.Duration(math.Round(max(r+x.Inaccuracy*(2*random.Float64()-1)/100*r, 1)))
			}
			e.tasks = append(e.tasks, task{bag: int32(i), on: none, cluster: none, run: t.Run, told: told})
		}
	}
	if p.Tasks == History {
		e.past = newPast(x.Predictor, x.Scope, len(bags), e.known)
	}
	clusters := x.Platform.Clusters
	for c := range clusters {
		for range clusters[c].Procs {
			e.procs = append(e.procs, proc{cluster: int32(c), manager: int32(len(e.managers)), task: none, other: none})
		}
		if x.Architecture == CSP && c+1 < len(clusters) {
			continue
		}
		q := &queue{engine: e, ready: e.newReady()}
		if x.Architecture != CSP {
			q.from = c
		}
		q.part.Clusters = clusters[q.from : c+1]
		var err error
		if q.selection, err = s.make(q); err != nil {
			return nil, err
		}
		if p.chart {
			e.managers = append(e.managers, newCharter(q))
		} else {
			e.managers = append(e.managers, newLister(q))
		}
	}
	for i := range e.procs {
		e.managers[e.procs[i].manager].idle(int32(i))
	}
	if x.Architecture == FCondor {
		e.at = make([]int32, e.known)
		for i, b := range slices.Backward(bags) {
			e.at[e.users[i]] = int32(b.Home)
		}
	}
	return e, nil
}

// numberUsers numbers the users, the smallest id first.
func (e *engine) numberUsers() {
	var ids []ostrich.UserID
	for i := range e.bags {
		ids = append(ids, e.bags[i].User)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	e.known = len(ids)
	e.users = make([]int32, len(e.bags))
	for i := range e.bags {
		n, _ := slices.BinarySearch(ids, e.bags[i].User)
		e.users[i] = int32(n)
	}
}

// begin is when the first bag comes.
func (e *engine) begin() ostrich.Time { return e.bags[0].Submit + e.shift }

// note records the first error, which ends the experiment; it ignores nil.
func (e *engine) note(err error) {
	if e.err == nil {
		e.err = err
	}
}

// runOf returns for how long a task runs on a processor of speed 1, as far as the policy
// may know: 0 if it may not.
func (e *engine) runOf(t int32) ostrich.Duration {
	switch e.policy.Tasks {
	case Known:
		return e.tasks[t].told
	case History:
		return e.past.expect(e.bagOf(t))
	default:
		return 0
	}
}

// speedOf returns the speed of a processor as far as the policy may know it. With History
// it is the run time that was told of its latest task, divided by what the task took, and
// 0 before the first. A policy that knows nothing gets 0.
func (e *engine) speedOf(p int32) float64 {
	switch e.policy.Processors {
	case Known:
		return e.speed(p)
	case History:
		return e.procs[p].measured
	default:
		return 0
	}
}

func (e *engine) speed(p int32) float64 { return e.Platform.Clusters[e.procs[p].cluster].Speed }

// bagOf returns the bag of a task, and the number of its user.
func (e *engine) bagOf(t int32) (bag, user int32) {
	bag = e.tasks[t].bag
	return bag, e.users[bag]
}

// loop processes all events: at one moment ends, then submissions, then a look of CSP,
// then each manager starts what it can.
func (e *engine) loop() error {
	for e.err == nil {
		e.now = never
		if e.next < len(e.bags) {
			e.now = e.bags[e.next].Submit + e.shift
		}
		if e.ends.len() > 0 {
			e.now = min(e.now, e.ends.list[0].key)
		}
		if len(e.unseen) > 0 {
			e.now = min(e.now, e.looks)
		}
		if e.now == never || e.Until > 0 && e.now > e.begin()+ostrich.Time(e.Until) {
			break
		}
		for e.ends.len() > 0 && e.ends.list[0].key == e.now {
			x := e.ends.pop()
			e.end(x.number, x.other)
		}
		if e.Architecture == FCondor {
			e.pass()
		}
		for ; e.next < len(e.bags) && e.bags[e.next].Submit+e.shift == e.now; e.next++ {
			e.submit(e.next)
		}
		if len(e.unseen) > 0 && e.looks == e.now {
			slices.Sort(e.unseen)
			for _, p := range e.unseen {
				e.managers[0].idle(p)
			}
			e.unseen = e.unseen[:0]
		}
		e.pass()
	}
	return e.err
}

// pass lets all managers start what they can.
func (e *engine) pass() {
	for _, m := range e.managers {
		m.pass()
	}
}

func (e *engine) submit(bag int) {
	first, b := e.first[bag], &e.bags[bag]
	_, user := e.bagOf(first)
	waits := false
	for t := first; t < first+int32(len(b.Tasks)); t++ {
		switch e.Architecture {
		case CSP:
			e.managers[0].submit(t)
		case FCondor:
			m := e.managers[e.at[user]]
			m.submit(t)
			m.pass()
			if waits = waits || e.tasks[t].copies == 0; waits && (e.Flock == ByTask || t+1 == first+int32(len(b.Tasks))) {
				e.at[user], waits = (e.at[user]+1)%int32(len(e.managers)), false
			}
		default:
			e.managers[b.Home].submit(t)
		}
	}
}

// start starts a copy of a task on an idle processor, and returns how long it will
// run.
func (e *engine) start(t, p int32) ostrich.Duration {
	x, r := &e.tasks[t], &e.procs[p]
	length := RunTime(x.run, e.speed(p))
	if x.copies == 0 {
		x.start = e.now
	}
	x.copies++
	r.task, r.other, r.since = t, x.on, e.now
	x.on = p
	e.ends.push(entry[ostrich.Time]{key: e.now + ostrich.Time(length), number: t, other: p})
	return length
}

// progressEvery is after how many ended tasks Progress is called.
const progressEvery = 1024

// end ends a task with the first of its copies, on a processor, and cancels the others.
func (e *engine) end(task, proc int32) {
	r, t := &e.procs[proc], &e.tasks[task]
	if r.task != task {
		return // it was cancelled
	}
	t.end, t.cluster = e.now, r.cluster
	r.measured = float64(t.told) / float64(e.now-r.since)
	e.past.learn(e, task)
	if e.finished++; e.Progress != nil && (e.finished%progressEvery == 0 || e.finished == len(e.tasks)) {
		e.Progress(e.finished, len(e.tasks))
	}
	e.serve(r, e.now)
	m := e.managers[r.manager]
	for p := t.on; p != none; {
		r := &e.procs[p]
		m.stopped(task, p, p == proc)
		e.used += ostrich.Work(e.now - r.since)
		next := r.other
		r.task, r.other = none, none
		e.vacate(p)
		p = next
	}
	t.on = none
}

// vacate lets the manager of a processor know that it is idle: at once, or when it
// looks.
func (e *engine) vacate(p int32) {
	m := e.managers[e.procs[p].manager]
	if e.Architecture != CSP || e.Monitor == 0 {
		m.idle(p)
		return
	}
	if len(e.unseen) == 0 {
		every := ostrich.Time(e.Monitor)
		e.looks = e.now + (every-(e.now-e.begin())%every)%every
	}
	e.unseen = append(e.unseen, p)
}

// serve counts what a processor has done for its task until a moment, between the end of
// the warm-up and the last submission.
func (e *engine) serve(r *proc, until ostrich.Time) {
	from, last := max(r.since, e.begin()+ostrich.Time(e.Warmup)), e.bags[len(e.bags)-1].Submit+e.shift
	if until = min(until, last); until > from {
		e.served += float64(until-from) * e.Platform.Clusters[r.cluster].Speed
	}
}

// result returns what became of the tasks.
func (e *engine) result() *Result {
	r := &Result{Experiment: e.Experiment, Bags: e.bags, Tasks: make([]Ran, len(e.tasks)), End: e.bags[0].Submit}
	for i := range e.tasks {
		t := &e.tasks[i]
		ran := Ran{ID: e.bags[t.bag].Tasks[i-int(e.first[t.bag])].ID, Bag: int(t.bag), Copies: int(t.copies), Cluster: int(t.cluster)}
		if t.copies > 0 {
			ran.Start = t.start - e.shift
		}
		if t.cluster != none {
			ran.End = t.end - e.shift
			r.End = max(r.End, ran.End)
		}
		r.Tasks[i] = ran
	}
	if e.Until > 0 && e.finished < len(e.tasks) {
		r.End = e.bags[0].Submit + ostrich.Time(e.Until)
	}
	for i := range e.procs {
		if p := &e.procs[i]; p.task != none {
			e.used += ostrich.Work(r.End + e.shift - p.since)
			if p.other == none { // the first copy
				e.serve(p, r.End+e.shift)
			}
		}
	}
	r.Used, r.Served = e.used, e.served
	return r
}

// past are the run times of the tasks that have ended.
type past struct {
	byBag       bool
	bags, users []lengths.Forecast // empty unless a policy predicts
	all         lengths.Forecast
}

func newPast(p lengths.Predictor, s Scope, bags, users int) past {
	list := func(n int) []lengths.Forecast { return slices.Repeat([]lengths.Forecast{{Predictor: p}}, n) }
	return past{byBag: s == ByBag, bags: list(bags), users: list(users), all: lengths.Forecast{Predictor: p}}
}

// learn records the run time of a task that has ended.
func (h *past) learn(e *engine, t int32) {
	if len(h.users) == 0 {
		return
	}
	bag, user := e.bagOf(t)
	run := e.tasks[t].run
	h.bags[bag].Add(run)
	h.users[user].Add(run)
	h.all.Add(run)
}

// expect predicts the run time of a task from the ended tasks of its bag, else of its
// user, else of everybody. It is a second before any has ended.
func (h *past) expect(bag, user int32) ostrich.Duration {
	if d, ok := h.bags[bag].Next(); ok && h.byBag {
		return d
	}
	if d, ok := h.users[user].Next(); ok {
		return d
	}
	if d, ok := h.all.Next(); ok {
		return d
	}
	return 1
}
