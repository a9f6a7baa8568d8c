package sim

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// floor is a cluster with what jobs ask of it.
type floor struct {
	*nodes.Floor
	requests []nodes.Request
	wants    [][]*nodes.Want // by request that a job has, one for each partition in which it can be met
	bad      []error         // likewise, why it never can
	procs    map[int]*nodes.Want
	limited  bool // by limits of associations or QOS
}

// newFloor prepares a cluster; without one there is none.
func newFloor(c *nodes.Cluster, requests []nodes.Request) (*floor, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // no nodes is no error
	}
	base, err := nodes.NewFloor(c)
	if err != nil {
		return nil, err
	}
	return &floor{
		Floor: base, requests: requests, wants: make([][]*nodes.Want, len(requests)), bad: make([]error, len(requests)), procs: make(map[int]*nodes.Want),
	}, nil
}

// resolve returns what a request is in each of its partitions in which it can be met, or why there is none.
func (f *floor) resolve(r *nodes.Request) ([]*nodes.Want, error) {
	parts := r.Partitions
	if len(parts) == 0 {
		parts = []int{-1}
	}
	var wants []*nodes.Want
	var why error
	for _, p := range parts {
		w, err := f.Want(r, p)
		if err == nil {
			wants = append(wants, w)
			f.limited = f.limited || w.Limited()
		} else if why == nil {
			why = err
		}
	}
	if len(wants) > 0 {
		return wants, nil
	}
	return nil, why
}

// Prepare readies the nodes for several replays by one goroutine, which must leave Cluster and Requests as they are.
func (m *Machine) Prepare() (err error) {
	if m.floor, err = newFloor(m.Cluster, m.Requests); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	if m.floor != nil {
		m.Procs = m.floor.CPUs()
	}
	return nil
}

// Meets reports whether the nodes, which are prepared, could run a job with a request when nothing else runs.
func (m *Machine) Meets(request int32) bool { return m.floor == nil || m.floor.fault(request, 1) == "" }

// fault returns why the cluster cannot run a job; "" if it can.
func (f *floor) fault(request int32, procs int) string {
	if request < 0 || int(request) > len(f.wants) {
		return fmt.Sprintf("asks for request %d of %d", request, len(f.wants))
	}
	if i := request - 1; i >= 0 && f.wants[i] == nil && f.bad[i] == nil {
		f.wants[i], f.bad[i] = f.resolve(&f.requests[i])
	}
	switch {
	case request > 0 && f.bad[request-1] != nil:
		return fmt.Sprintf("asks for what no nodes have: %v", f.bad[request-1])
	case request == 0 && f.procs[procs] == nil:
		w, err := f.Want(&nodes.Request{CPUs: procs}, -1)
		if err != nil {
			return fmt.Sprintf("asks for %d processors: %v", procs, err)
		}
		f.procs[procs] = w
	}
	return ""
}

// of is what a job asks for, in each of its partitions.
func (f *floor) of(j *Job) []*nodes.Want {
	if j.Request == 0 {
		return []*nodes.Want{f.procs[j.Procs]}
	}
	return f.wants[j.Request-1]
}

// placed are the jobs of an engine on nodes.
type placed struct {
	*engine
	*floor
	chooser     *nodes.Chooser
	load        *nodes.Load  // under Slurm
	stock       *nodes.Stock // under the others
	plan        *nodes.Plan  // under Conservative
	usage       *nodes.Usage
	up          nodes.Set           // nodes that take jobs now, as far as outages tell
	changes     []ostrich.Time      // moments to come at which nodes go or come back, or reservations begin or end
	begun       bool                // the first event has come
	allocations []*nodes.Allocation // of running jobs, by number
	wanted      []*nodes.Want       // of running jobs, by number: the partition in which they run
	releases    moments             // of the nodes of jobs that have ended
	completing  []int32             // by node, the jobs that have ended and keep it from others
	ended       []ostrich.Time      // by number, of those jobs; nil without CompleteWait
	chosen      *nodes.Allocation   // of the job that begins next
	chosenWant  *nodes.Want
	chosenLong  bool // it runs beyond the shadow time
	preemption
}

func newPlaced(e *engine, f *floor) *placed {
	p := &placed{
		engine: e, floor: f, usage: f.NewUsage(),
		allocations: make([]*nodes.Allocation, len(e.jobs)), wanted: make([]*nodes.Want, len(e.jobs)),
		completing: make([]int32, len(e.Cluster.Nodes)),
	}
	if e.slurm.CompleteWait > 0 {
		p.ended = make([]ostrich.Time, len(e.jobs))
	}
	p.fates, p.asked = make(map[int32]*fate), make(map[int32]struct{})
	if e.Backfill == EASY || e.Backfill == Greedy || e.Backfill == None {
		p.stock = f.NewStock()
	} else {
		p.chooser, p.load, p.plan = f.NewChooser(), f.NewLoad(), f.NewPlan()
	}
	p.up, p.changes = f.All(), f.Changes()
	e.goesOn = e.goesOn && !f.limited
	return p
}

// of is what a job asks for, in each of its partitions.
func (p *placed) of(i int32) []*nodes.Want { return p.floor.of(p.jobs[i]) }

// begin puts a job on the nodes that were chosen for it, and returns how many CPUs it has of them.
func (p *placed) begin(i int32) int {
	a, w := p.chosen, p.chosenWant
	if p.Placed != nil {
		p.Placed(int(i), p.now, a.Copy())
	}
	p.allocations[i], p.wanted[i] = a, w
	if p.preempts {
		p.restless = max(p.restless, p.now+ostrich.Time(p.ExemptOf(w)))
	}
	if p.stock != nil {
		p.stock.Add(a, p.chosenLong)
	} else {
		p.load.Add(a)
	}
	p.usage.Add(w, uint32(p.jobs[i].User), a)
	return a.Total()
}

// runs reports whether a job runs when the replay begins, and has it begin where it does.
func (p *placed) runs(i int32) bool {
	if p == nil || int(i) >= len(p.On) || p.On[i] == nil {
		return false
	}
	p.chosen, p.chosenWant, p.chosenLong = p.On[i].Copy(), p.of(i)[0], false
	return true
}

// end takes a job from its nodes, which take others after a while, and returns how many CPUs it had.
func (p *placed) end(i int32, wait ostrich.Duration) int {
	a, w := p.allocations[i], p.wanted[i]
	if wait > 0 && p.Backfill == Slurm {
		p.releases.push(moment{at: p.now + ostrich.Time(wait), number: i})
		if p.ended != nil {
			p.ended[i] = p.now
		}
		for _, n := range a.Nodes {
			p.completing[n]++
		}
	} else {
		p.allocations[i], p.slurm.freed = nil, true
	}
	p.wanted[i] = nil
	if p.stock != nil {
		p.stock.Remove(a)
		p.stock.Reuse(a)
	} else {
		p.load.Remove(a)
	}
	p.usage.Remove(w, uint32(p.jobs[i].User), a)
	return a.Total()
}

// next is when nodes or the jobs on them change next, of nodes only if that matters.
func (p *placed) next(nodes bool) ostrich.Time {
	if p == nil {
		return never
	}
	next := min(p.releases.first(), p.leaving.first(), p.requeues.first())
	if nodes {
		next = min(next, p.changeAt())
	}
	return next
}

// changeAt is when nodes change next.
func (p *placed) changeAt() ostrich.Time {
	if len(p.changes) == 0 {
		return never
	}
	return p.changes[0] + p.slurm.shift
}

// change takes nodes out that go now, and in that come back.
func (p *placed) change() {
	changed := !p.begun
	for ; p.changeAt() <= p.now; p.changes = p.changes[1:] {
		p.happened, p.lasts, p.slurm.freed, changed = true, false, true, true
	}
	if p.begun = true; changed && len(p.Cluster.Outages) > 0 {
		p.up = p.Up(p.now - p.slurm.shift)
		if p.stock != nil {
			p.stock.SetUp(p.up)
		}
	}
}

// release lets the nodes of jobs that have ended take others.
func (p *placed) release() {
	for p.releases.first() == p.now {
		i := p.releases.pop()
		for _, n := range p.allocations[i].Nodes {
			p.completing[n]--
		}
		p.allocations[i] = nil
		p.slurm.freed, p.happened, p.lasts = true, true, false
	}
}

// completes reports whether the nodes of a job that has just ended keep all others from starting.
func (p *placed) completes() bool {
	return p.ended != nil && slices.ContainsFunc(p.releases, func(m moment) bool {
		return p.ended[m.number] >= p.now-ostrich.Time(p.slurm.CompleteWait)
	})
}

// ready returns the nodes that can take jobs now.
func (p *placed) ready() nodes.Set {
	s := p.up.Copy()
	for n, jobs := range p.completing {
		if jobs > 0 {
			s.Remove(n)
		}
	}
	return s
}

// choose chooses nodes of a set, which it may change, for a job that is to start now. It returns false if there are
// none, or if other jobs are to leave them first, and limited if it is a limit that keeps it.
func (p *placed) choose(i int32, w *nodes.Want, from nodes.Set) (ok, limited bool) {
	user := uint32(p.jobs[i].User)
	if p.closing != nil {
		from.AndNot(p.closing)
	}
	a, ok := p.chooser.Choose(w, user, from, p.load)
	var victims []nodes.Victim
	if !ok {
		a, victims = p.chooser.Preempt(w, user, from, p.load, p.victims(w))
	}
	switch {
	case a == nil:
		return false, false
	case !p.usage.AllowsAllocation(w, user, a):
		return false, true
	case len(victims) > 0 && !p.preempt(i, victims):
		return false, false
	}
	p.chosen, p.chosenWant = a, w
	return true, false
}

// again gives up reservations, as a pass begins, and returns what decides in it; nil for the pass itself.
func (p *placed) again(f *filling) decider {
	if p.stock == nil {
		return &nodePlan{filling: f}
	}
	p.stock.Clear()
	return nil
}

// search is what comes of a look for nodes.
type search uint8

const (
	nodesFound     search = iota
	othersMayFind         // none, for what need not be so for others with the same request
	noNodesForLong        // none for the request, unless it ends by the shadow time
	noNodes               // none for the request, or a limit keeps all with it
)

// finds looks for nodes for a job now, beside the head of the order if that has found none. Under None
// no other one starts then.
func (f *filling) finds(i int32) search {
	if f.blocked && f.kind == None {
		return noNodes
	}
	f.keep()
	p, user := f.placed, uint32(f.jobs[i].User)
	long := f.blocked && f.kind == EASY && f.now+ostrich.Time(f.jobs[i].Estimate) > f.room.Shadow
	runs := int(i) < len(p.On) // already, whatever the limits
	limited, another, missing := false, false, false
	for _, w := range p.of(i) {
		if !runs && p.usage.Keeps(w) {
			limited = true
			continue
		}
		if !runs && !p.usage.Allows(w, user) {
			limited, another = true, true
			continue
		}
		a, ok := p.stock.Place(w, user, long)
		if ok && !runs && !p.usage.AllowsAllocation(w, user, a) {
			limited, another = true, true
			continue
		}
		missing = missing || !ok
		if ok {
			p.chosen, p.chosenWant, p.chosenLong = a, w, long
			f.room.Free, f.room.Extra = p.stock.Free, p.stock.Left
			return nodesFound
		}
	}
	f.tests--
	if !f.blocked && !limited { // one that a limit keeps is no head
		f.blocked, f.head = true, i
	}
	switch {
	case another, p.Private():
		return othersMayFind
	case long && missing:
		return noNodesForLong
	}
	return noNodes
}

// keep makes the reservation of the head, if there is one that has none yet: in the first of its partitions. It is made only when another
// job might start.
func (f *filling) keep() {
	if f.head < 0 {
		return
	}
	stock, i := f.placed.stock, f.head
	f.head = -1
	if f.kind == EASY {
		f.room.Shadow = stock.Reserve(f.placed.of(i)[0], uint32(f.jobs[i].User), f.now, func(k int) (ostrich.Time, *nodes.Allocation) {
			if k >= len(f.running) {
				return 0, nil
			}
			return f.running[k].End, f.placed.allocations[f.running[k].Job]
		})
	}
	f.room.Free, f.room.Extra = stock.Free, stock.Left
}

// hopeless reports whether it is known that no job with a request finds nodes.
func (f *filling) hopeless(wants []*nodes.Want) bool {
	p := f.placed
	if p.limited {
		return false
	}
	for _, w := range wants {
		if !p.stock.Missed(w) {
			return false
		}
	}
	return true
}

// runningOn lists the running jobs in the order of their expected ends.
func (p *placed) runningOn() []nodes.Running {
	list := make([]nodes.Running, len(p.running))
	for k, r := range p.running {
		list[k] = nodes.Running{End: r.End, Allocation: p.allocations[r.Job]}
	}
	return list
}

// passes reports whether a job for which there are no nodes now keeps none from others (backfill.c, TEST_NOW_ONLY; job_scheduler.c,
// fail_by_part).
func (p *placed) passes(i int32) bool {
	s := &p.slurm
	return s.MinAge > 0 && p.waited(i) < s.MinAge || s.MinPrio > 0 && p.prioritizer != nil && p.prioritizer.Priority(ostrich.JobID(i+1)) < s.MinPrio
}

// waited is how long a job has waited.
func (p *placed) waited(i int32) ostrich.Duration {
	if p.loop != nil {
		return ostrich.Duration(p.now - p.loop.tasks[i].submit)
	}
	return ostrich.Duration(p.now - p.jobs[i].Submit)
}
