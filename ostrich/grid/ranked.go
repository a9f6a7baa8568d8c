package grid

import (
	"cmp"
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// ranked is a selection that ranks bags, and may rank them anew at any start: the
// eligible tasks of a list are always those of the bag in front. draw takes the tasks
// of the first bag that has undrawn ones.
type ranked interface {
	selection
	// front is the bag in front of those with tasks that have not started; none
	// without one.
	front() int32
	// take draws the undrawn tasks of a bag.
	take(bag int32) []int32
}

// undrawn are the tasks of the bags of a manager that were not drawn yet, by bag.
type undrawn map[int32][]int32

func (u undrawn) add(bag, t int32) { u[bag] = append(u[bag], t) }

func (u undrawn) take(bag int32) []int32 {
	list := u[bag]
	delete(u, bag)
	return list
}

// replayed is a selection by a policy of package sim, which gets the same events as
// in a replay there.
type replayed struct {
	queue  *queue
	ranker sim.Ranker
}

// newReplayed makes the ranker of a policy, for the processors of a manager.
func newReplayed(q *queue, p sim.Policy) (replayed, error) {
	ranker, err := p(q.part.Procs())
	if err != nil {
		return replayed{}, fmt.Errorf("selection: %w: %w", err, ErrInput)
	}
	return replayed{q, ranker}, nil
}

// tell gives the ranker an event of a task. Jobs are numbered from 1. The estimate of a
// task is the run time that policies that know run times are told.
func (r *replayed) tell(k ostrich.Kind, t int32) {
	q := r.queue
	x := &q.tasks[t]
	b := &q.bags[x.bag]
	e := ostrich.Event{At: q.now, Kind: k, Job: ostrich.Job{
		ID: ostrich.JobID(t + 1), User: b.User, Procs: 1, Estimate: x.told, Submit: b.Submit + q.shift, Start: x.start,
	}}
	if len(b.Tasks) > 1 {
		e.Job.Group = ostrich.JobID(q.first[x.bag] + 1)
	}
	if k == ostrich.End {
		e.Job.End = q.now
	}
	q.note(r.ranker.Step(e))
}

// advance lets the time of the ranker pass up to the present.
func (r *replayed) advance() {
	if w, ok := r.ranker.(sim.Waker); ok {
		r.queue.note(w.AdvanceTo(r.queue.now))
	}
}

func (r *replayed) started(t int32, again bool) {
	if !again {
		r.tell(ostrich.Start, t)
	}
}

func (r *replayed) stopped(t int32, _ ostrich.Time, ended bool) {
	if ended {
		r.tell(ostrich.End, t)
	}
}

// byJob is a selection by a ranker of jobs.
type byJob struct {
	replayed
	jobs    sim.JobRanker
	drawn   [1]int32
	undrawn set // of tasks
	waits   int // how many they are
}

func fairShareOf(q *queue) (selection, error) {
	period := cmp.Or(q.Period, 300)
	r, err := newReplayed(q, orders.FairShare(period))
	if err != nil {
		return nil, err
	}
	return &byJob{replayed: r, jobs: r.ranker.(sim.JobRanker), undrawn: make(set, len(q.tasks)/64+1)}, nil
}

func (s *byJob) submit(t int32) {
	s.waits++
	s.undrawn.add(t)
	s.tell(ostrich.Submit, t)
}

func (s *byJob) draw() []int32 {
	if s.waits == 0 {
		return nil
	}
	s.advance()
	for _, id := range s.jobs.Jobs() {
		if t := int32(id - 1); s.undrawn.next(t) == t {
			s.waits--
			s.undrawn.remove(t)
			s.drawn[0] = t
			return s.drawn[:]
		}
	}
	return nil
}

// byBag is a selection by a ranker of campaigns.
type byBag struct {
	replayed
	undrawn
	campaigns sim.CampaignRanker
}

// ostrichOf is the selection OStrich: the virtual schedule of the daemon, in which
// each bag is a campaign.
func ostrichOf(q *queue) (selection, error) {
	r, err := newReplayed(q, sim.OStrich(q.OStrich))
	if err != nil {
		return nil, err
	}
	return &byBag{replayed: r, undrawn: make(undrawn), campaigns: r.ranker.(sim.CampaignRanker)}, nil
}

func (s *byBag) submit(t int32) {
	s.add(s.queue.tasks[t].bag, t)
	s.tell(ostrich.Submit, t)
}

func (s *byBag) front() int32 {
	s.advance()
	ranks := s.campaigns.Ranking()
	if len(ranks) == 0 {
		return none
	}
	return s.queue.tasks[ranks[0].Lead-1].bag
}

func (s *byBag) draw() []int32 {
	if len(s.undrawn) == 0 {
		return nil
	}
	s.advance()
	for _, c := range s.campaigns.Ranking() {
		if set := s.take(s.queue.tasks[c.Lead-1].bag); len(set) > 0 {
			return set
		}
	}
	return nil
}

type fairCamp struct {
	queue *queue
	undrawn
	waits     []int32       // tasks that have not started, by bag
	deadlines []float64     // by bag
	bags      line[float64] // by deadline; one in front may have nothing left that waits
}

// fairCampOf is the selection FairCamp: by the deadlines of policy.FairCamp,
//
//	d_i = k·Δ + d_{i−1},  d_0 = 0
//
// where k is the number of users who may submit to the manager. Δ is the least time
// in which its clusters could run the bag, as in Done.Stretch.
func fairCampOf(q *queue) (selection, error) {
	capacity, fastest := q.part.Capacity(), q.part.fastest()
	s := &fairCamp{
		queue: q, undrawn: make(undrawn), waits: make([]int32, len(q.bags)), deadlines: make([]float64, len(q.bags)),
		bags: line[float64]{sorted: true},
	}
	comes := func(bag int) bool { return q.Architecture != SepC || q.bags[bag].Home == q.from }
	k := make(map[int32]bool)
	for i, user := range q.users {
		if comes(i) {
			k[user] = true
		}
	}
	before := make([]float64, q.known) // by user
	for i, user := range q.users {
		if !comes(i) {
			continue
		}
		before[user] += float64(len(k)) * q.bags[i].bound(capacity, fastest)
		s.deadlines[i] = before[user]
	}
	return s, nil
}

func (s *fairCamp) submit(t int32) {
	bag := s.queue.tasks[t].bag
	if s.waits[bag]++; len(s.undrawn[bag]) == 0 {
		s.bags.push(entry[float64]{key: s.deadlines[bag], number: bag})
	}
	s.add(bag, t)
}

func (s *fairCamp) front() int32 {
	for s.bags.len() > 0 {
		if bag := s.bags.list[0].number; s.waits[bag] > 0 {
			return bag
		}
		s.bags.pop()
	}
	return none
}

func (s *fairCamp) draw() []int32 {
	for s.bags.len() > 0 {
		if set := s.take(s.bags.pop().number); len(set) > 0 {
			return set
		}
	}
	return nil
}

func (s *fairCamp) started(t int32, again bool) {
	if !again {
		s.waits[s.queue.tasks[t].bag]--
	}
}

func (*fairCamp) stopped(int32, ostrich.Time, bool) {}
