// Package horizon reorders the head of a queue, so that fewer users wait for longer than
// they accept, and keeps to what the order of the virtual schedule promises.
//
// It plans the queue as it is, beside the jobs that run, as S. Schlagkamp,
// M. Hofmann, L. Eufinger and R. Ferreira da Silva do ("Increasing Waiting Time
// Satisfaction in Parallel Job Scheduling via a Flexible MILP Approach", HPCS 2016,
// section III), and then goes from the plain order towards the plan as far as two
// rules let it:
//
//   - no campaign ends, as far as is known, later than its guaranteed bound
//     (ostrich.Campaign.Bound), or than in the plain order if it is late there;
//   - no campaign stands behind one that it precedes in the plain order by more than
//     Options.Ahead.
package horizon

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
)

// Options say how far an order may be changed, and what that may cost.
type Options struct {
	// Ahead limits which jobs a job may pass: those that precede it by no more than
	// Ahead in the plain order. A job precedes another one by the time in which the whole
	// machine does the work from the one up to the other. 0 lets none pass.
	Ahead ostrich.Duration

	// Nodes is how many schedules the solver looks at. 0 leaves the order as it is. The
	// same number gives the same order everywhere. Depth says how much of the queue is
	// planned.
	Nodes int64

	Accept    satisfaction.Acceptance
	Objective optimal.Objective
	Solver    optimal.Solver // nil is optimal.Own
}

// Depth returns how many jobs of the queue are planned at most, from its head: one for
// each 50 of Nodes, from 8 to 100; 0 without Nodes.
func (o *Options) Depth() int {
	if o.Nodes == 0 {
		return 0
	}
	return int(min(max(o.Nodes/50, 8), 100))
}

// Reorder returns the pending jobs of a schedule in the order of a plan. Jobs that are not
// planned keep their places. A planned place has no distance, as another rule decides
// there. After an error the order is the plain one.
func (o Options) Reorder(s *ostrich.Schedule) ([]ostrich.Place, error) {
	plain := s.Order()
	if o.Nodes == 0 || o.Ahead == 0 || s.Procs() == 0 || len(plain) < 2 {
		return plain, nil
	}
	q, places := o.queue(s, plain)
	if len(places) < 2 {
		return plain, nil
	}
	order, err := o.order(q)
	if err != nil {
		return plain, err
	}
	list := slices.Clone(plain)
	for k, i := range order {
		list[places[k]] = plain[places[i]]
		list[places[k]].Distance = 0
	}
	return list, nil
}

// queue is the head of a queue, to be ordered.
type queue struct {
	optimal.Instance
	promises []float64 // of each campaign, when it must have ended; from now on, in seconds
}

// longest is the longest that a job of a plan runs, or may wait: 34 years.
const longest = ostrich.Duration(1 << 30)

// queue returns what is planned, and its places in the order. Jobs that cannot start
// keep their places, and so do those that are wider than the machine. What runs has no
// more than the machine: jobs go on to run on nodes that it has lost.
func (o *Options) queue(s *ostrich.Schedule, plain []ostrich.Place) (*queue, []int) {
	m, now := s.Procs(), s.Now()
	q := &queue{Instance: optimal.Instance{Procs: m}}
	free := m
	for _, r := range s.Running() {
		if has := min(r.Procs*r.Tasks, free); has > 0 {
			free -= has
			q.Running = append(q.Running, optimal.Running{Procs: has, Left: min(r.Length, longest)})
		}
	}
	type key struct {
		user   ostrich.UserID
		number int
	}
	bounds := make(map[key]float64)
	for _, c := range s.Campaigns() {
		bounds[key{c.User, c.Number}] = c.Bound
	}
	index := make(map[key]int)
	var places []int
	for i := range plain {
		if len(places) == o.Depth() {
			break
		}
		p := &plain[i]
		w, ok := s.Prospect(p.Job)
		if !ok || w.Held || w.Procs > m {
			continue
		}
		k := key{p.User, p.Campaign}
		n, known := index[k]
		if !known {
			n = len(index)
			index[k] = n
			q.promises = append(q.promises, bounds[k]-float64(now))
		}
		procs, length := together(w, m)
		due := ostrich.Duration(o.Accept.Due(w.Since, w.Length) - now)
		q.Jobs = append(q.Jobs, optimal.Job{
			ID: p.Job, Procs: procs, Length: length, Due: min(max(due, -longest), longest), Campaign: n,
		})
		places = append(places, i)
	}
	return q, places
}

// together is a record as one job of the plan: its tasks side by side as far as the
// machine is wide, and one after the other beyond. A task is not wider than the machine.
func together(w ostrich.Prospect, m int) (procs int, length ostrich.Duration) {
	wide := min(w.Tasks, m/w.Procs)
	rounds := ostrich.Duration((w.Tasks + wide - 1) / wide)
	return w.Procs * wide, min(w.Length, longest/rounds) * rounds
}

// order returns the order in which to start the jobs of a queue: one with a smaller value
// of the objective than theirs, or theirs.
func (o *Options) order(q *queue) ([]int, error) {
	solver := o.Solver
	if solver == nil {
		solver = optimal.Own{}
	}
	same := make([]int, len(q.Jobs))
	for i := range same {
		same[i] = i
	}
	result, err := solver.Solve(&q.Instance, o.Objective, optimal.Budget{Nodes: o.Nodes})
	if err != nil {
		return same, fmt.Errorf("horizon: %w", err)
	}
	if len(result.Order) != len(same) || !slices.Equal(slices.Sorted(slices.Values(result.Order)), same) {
		return same, fmt.Errorf("horizon: the solver orders %d of %d jobs", len(result.Order), len(same))
	}
	plainEnds, value := q.ends(same, o.Objective)
	pinned := make([]bool, len(q.promises)) // campaigns that nothing may pass
	for {
		order := o.towards(q, result.Order, pinned)
		ends, better := q.ends(order, o.Objective)
		broken, late := false, false
		for c := range ends {
			// Also one that nothing has passed may be late: a machine that does other
			// jobs first may do it later.
			if ends[c] > max(q.promises[c], plainEnds[c]) {
				broken, late = broken || !pinned[c], true
				pinned[c] = true
			}
		}
		switch {
		case broken:
		case better < value && !late:
			return order, nil
		default:
			return same, nil
		}
	}
}

// towards returns the order that is nearest to a wanted one. The next job is always the
// one wanted first of those that may be next. A job may not be next while one is left that
// it must not pass. The first one left in the plain order always may.
func (o *Options) towards(q *queue, wanted []int, pinned []bool) []int {
	ahead := make([]float64, len(q.Jobs)) // work in front of each in the plain order, by the whole machine
	sum := 0.0
	for i := range q.Jobs {
		ahead[i] = sum
		sum += float64(q.Jobs[i].Procs) * float64(q.Jobs[i].Length) / float64(q.Procs)
	}
	left := make([]bool, len(q.Jobs))
	for i := range left {
		left[i] = true
	}
	rest := slices.Clone(wanted)
	order := make([]int, 0, len(wanted))
	for first := 0; len(rest) > 0; {
		for !left[first] {
			first++
		}
		limit := ahead[first] + float64(o.Ahead) // of the first that is left
		stop := len(q.Jobs)                      // behind it, nothing may come yet
		for i := first; i < len(q.Jobs); i++ {
			if left[i] && pinned[q.Jobs[i].Campaign] {
				stop = i
				break
			}
		}
		at := slices.IndexFunc(rest, func(i int) bool { return i == first || ahead[i] <= limit && i <= stop })
		left[rest[at]] = false
		order = append(order, rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	return order
}

// ends returns when each campaign ends if the jobs are served in an order with EASY
// backfilling, and the value of that schedule.
func (q *queue) ends(order []int, o optimal.Objective) (ends []float64, value float64) {
	in := q.Instance
	in.Jobs = make([]optimal.Job, len(order))
	for k, i := range order {
		in.Jobs[k] = q.Jobs[i]
	}
	starts := optimal.EASY(&in)
	ends = make([]float64, len(q.promises))
	for k := range in.Jobs {
		j := &in.Jobs[k]
		ends[j.Campaign] = max(ends[j.Campaign], float64(starts[k]+j.Length))
	}
	return ends, o.Value(&in, starts)
}
