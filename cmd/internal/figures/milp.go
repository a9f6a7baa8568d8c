package figures

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/cmd/internal/optimise"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
)

// queued is how many jobs wait from a moment on.
type queued struct {
	at   ostrich.Time
	jobs int
}

// queue returns how many jobs wait in the log, from the first submission to the last
// start.
func (w *workload) queue() []queued {
	var steps []queued
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Start > j.Submit {
			steps = append(steps, queued{j.Submit, 1}, queued{j.Start, -1})
		}
	}
	slices.SortFunc(steps, func(a, b queued) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.jobs, b.jobs)) })
	n := 0
	for i := range steps {
		n += steps[i].jobs
		steps[i].jobs = n
	}
	return steps
}

// instants draws moments of the log at which at least so many jobs wait, in the order
// of time. A moment at which the log has more processors busy than there are is drawn
// again.
func (w *workload) instants(n, least int) []ostrich.Time {
	steps := w.queue()
	if len(steps) == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(16, 2016))
	first, last := steps[0].at, steps[len(steps)-1].at
	var list []ostrich.Time
	log := optimise.Logged(w.jobs, w.numbers, satisfaction.Median)
	for tries := 0; len(list) < n && tries < 1000*n; tries++ {
		at := first + ostrich.Time(random.Int64N(int64(last-first)))
		i, _ := slices.BinarySearchFunc(steps, at+1, func(s queued, t ostrich.Time) int { return cmp.Compare(s.at, t) })
		if i == 0 || steps[i-1].jobs < least {
			continue
		}
		if _, _, err := optimal.Scenario(w.procs, log, at); err == nil {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// places returns for each instant the places of the waiting jobs in OStrich's order,
// with the defaults of ostrichd; nil if the log names no users. The instants are in the
// order of time.
func (w *workload) places(instants []ostrich.Time) ([]map[ostrich.JobID]int, error) {
	list := make([]map[ostrich.JobID]int, len(instants))
	if w.users == 0 {
		return list, nil
	}
	p := simulation.Find("ostrich", simulation.Parts)
	o, err := p.Settings()
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	o.Procs = w.procs
	s, err := ostrich.New(o)
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	shift := max(0, 1-w.jobs[0].Submit) // moment 0 means "not yet"
	events := make([]ostrich.Event, 0, 3*len(w.jobs))
	for i := range w.jobs {
		j := &w.jobs[i]
		job := ostrich.Job{ID: ostrich.JobID(i + 1), User: j.User, Procs: j.Procs, Estimate: j.Estimate, Submit: j.Submit + shift, Class: j.Class}
		events = append(events, ostrich.Event{At: job.Submit, Kind: ostrich.Submit, Job: job})
		job.Start = j.Start + shift
		events = append(events, ostrich.Event{At: job.Start, Kind: ostrich.Start, Job: job})
		job.End = job.Start + ostrich.Time(j.Run)
		events = append(events, ostrich.Event{At: job.End, Kind: ostrich.End, Job: job})
	}
	slices.SortFunc(events, ostrich.Compare)
	for k, at := range instants {
		for len(events) > 0 && events[0].At <= at+shift {
			if err = s.Step(events[0]); err != nil {
				return nil, fmt.Errorf("figures: %w", err)
			}
			events = events[1:]
		}
		if err = s.AdvanceTo(at + shift); err != nil {
			return nil, fmt.Errorf("figures: %w", err)
		}
		list[k] = make(map[ostrich.JobID]int)
		for place, of := range s.Order() {
			list[k][of.Job] = place
		}
	}
	return list, nil
}

// rivals are the schedules that stand beside the optimum. The first is the paper's baseline,
// in which no job delays an earlier one; the others are orders with EASY backfilling.
var rivals = []string{"conservative", "EASY", "SPT", "FairCamp", "OStrich"}

// The baselines among the rivals, and their names in numbers.
const (
	conservative = iota
	easy
)

var baselines = rivals[:easy+1]

// scenario is a queue for which a schedule was sought.
type scenario struct {
	at             ostrich.Time
	waiting        int        // jobs in the queue
	jobs           int        // of these, how many were planned
	optimal.Result            // of the solver
	rivals         []float64  // values, in the order of the names; fewer if the log names no users
	cmax           float64    // of the solver's schedule
	spans          [2]float64 // C_max of the baselines' schedules
}

// question is what the solver is asked in all scenarios.
type question struct {
	objective optimal.Objective
	filter    bool // leave out jobs that are late whatever is done (section V.C)
	nodes     int64
	few       int64 // nodes for a queue of up to [fewJobs], if more
}

func (w *workload) solve(log []optimal.Logged, at ostrich.Time, places map[ostrich.JobID]int, q question) (scenario, error) {
	one, queue, err := optimal.Scenario(w.procs, log, at)
	if err != nil {
		return scenario{}, err
	}
	s := scenario{at: at, waiting: len(one.Jobs)}
	if q.filter {
		satisfiable, which := one.Satisfiable()
		for k, i := range which {
			queue[k] = queue[i]
		}
		one, queue = satisfiable, queue[:len(which)]
	}
	s.jobs = len(one.Jobs)
	nodes := q.nodes
	if s.jobs <= fewJobs {
		nodes = max(nodes, q.few)
	}
	if s.Result, err = (optimal.Own{}).Solve(&one, q.objective, optimal.Budget{Nodes: nodes}); err != nil {
		return scenario{}, err
	}
	kept := optimal.Conservative(&one)
	s.cmax, s.spans = optimal.Cmax.Value(&one, s.Starts), [2]float64{optimal.Cmax.Value(&one, kept), optimal.Cmax.Value(&one, optimal.EASY(&one))}
	s.rivals = []float64{q.objective.Value(&one, kept)}
	keys := []func(k int) int64{func(int) int64 { return 0 }, func(k int) int64 { return int64(one.Jobs[k].Length) }}
	if w.users > 0 {
		deadlines := w.fairCamp(&one, queue)
		keys = append(keys,
			func(k int) int64 { return deadlines[w.numbers[queue[k]]] },
			func(k int) int64 { return int64(places[ostrich.JobID(queue[k]+1)]) })
	}
	for _, key := range keys {
		s.rivals = append(s.rivals, inOrder(&one, key, q.objective))
	}
	return s, nil
}

// inOrder returns the value of a queue that is served by ascending keys with EASY
// backfilling. Jobs with the same key keep their order.
func inOrder(in *optimal.Instance, key func(k int) int64, o optimal.Objective) float64 {
	other := *in
	other.Jobs = nil
	for _, i := range sorted(len(in.Jobs), func(a, b int) int { return cmp.Compare(key(a), key(b)) }) {
		other.Jobs = append(other.Jobs, in.Jobs[i])
	}
	return o.Value(&other, optimal.EASY(&other))
}

// fairCamp returns FairCamp's deadlines of the campaigns (HiPC VI.C, equation 1),
// d_i = k·max(W/m, p_max) + d_{i−1}, of the users and the jobs in the queue. The
// paper's Δ(ς) is that bound for jobs of one processor; for wider ones it stands for it.
func (w *workload) fairCamp(in *optimal.Instance, queue []int) map[int]int64 {
	type size struct{ work, longest int64 }
	sizes := make(map[int]size)
	of := make(map[ostrich.UserID][]int) // campaigns in the order of submission
	for k, i := range queue {
		j, n := &in.Jobs[k], w.numbers[i]
		if _, seen := sizes[n]; !seen {
			of[w.jobs[i].User] = append(of[w.jobs[i].User], n)
		}
		s := sizes[n]
		sizes[n] = size{s.work + int64(j.Procs)*int64(j.Length), max(s.longest, int64(j.Length))}
	}
	deadlines := make(map[int]int64)
	for _, campaigns := range of { // each user's deadlines stand for themselves
		last := int64(0)
		for _, n := range campaigns {
			s := sizes[n]
			last += int64(len(of)) * max(s.work/int64(w.procs), s.longest)
			deadlines[n] = last
		}
	}
	return deadlines
}
