package optimal

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// A problem is an instance and an objective as the search sees them.
type problem struct {
	in        *Instance
	objective Objective
	tasks     []task             // the most urgent one first
	shapes    int                // how many sizes the tasks have
	base      profile            // what the running jobs leave free
	easy      []ostrich.Duration // EASY's starts of the tasks
}

// A task is a job of the queue.
type task struct {
	job         int // its index in the queue
	procs       int
	length, due ostrich.Duration
	weight      float64
	release     ostrich.Duration // the earliest start, behind what runs
	campaign    int
	twin        int // the last one before it that need not start later, below 0 for none
	shape       int // from 0 on; tasks of one width and one length have the same
}

func newProblem(in *Instance, o Objective) *problem {
	p := &problem{in: in, objective: o, tasks: make([]task, len(in.Jobs)), base: newProfile(in)}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		p.tasks[i] = task{
			job: i, procs: j.Procs, length: j.Length, due: j.Due, weight: float64(j.weight()), campaign: j.Campaign,
			release: p.base.earliest(0, j.Procs, j.Length),
		}
	}
	slices.SortStableFunc(p.tasks, func(a, b task) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(b.weight, a.weight))
	})
	easy := EASY(in)
	for i := range p.tasks {
		p.easy = append(p.easy, easy[p.tasks[i].job])
	}
	type size struct {
		procs  int
		length ostrich.Duration
	}
	shapes, latest := make(map[size]int), []int(nil) // latest is the last task of each shape so far
	before := make([]int, len(p.tasks))              // the last one of the same shape, below 0 for none
	for i := range p.tasks {
		t := &p.tasks[i]
		shape, known := shapes[size{t.procs, t.length}]
		if !known {
			shape, latest = len(shapes), append(latest, -1)
			shapes[size{t.procs, t.length}] = shape
		}
		t.shape, t.twin, before[i], latest[shape] = shape, latest[shape], latest[shape], i
		for t.twin >= 0 && !p.twins(&p.tasks[t.twin], t) {
			t.twin = before[t.twin]
		}
	}
	p.shapes = len(shapes)
	return p
}

// twins reports whether some best schedule starts job a no later than job b, which is
// less urgent and of the same size: where it does not, the two may change places.
func (p *problem) twins(a, b *task) bool {
	switch p.objective {
	case SumU, SumT:
		return a.due <= b.due && a.weight >= b.weight
	case SumStretch, MaxStretch:
		return a.campaign == b.campaign
	case Cmax:
	}
	return true
}

// cost is what a job adds to SumU or SumT if it starts at a time.
func (p *problem) cost(j *task, start ostrich.Duration) float64 {
	late := start - j.due
	switch {
	case late <= 0:
		return 0
	case p.objective == SumU:
		return j.weight
	}
	return j.weight * float64(late)
}

// drops reports whether a job that is late may as well come last.
func (p *problem) drops(j *task, start ostrich.Duration) bool {
	return p.objective == SumU && start > j.due
}

// beaten reports whether a value that is at least bound cannot be below best.
func (p *problem) beaten(bound, best float64) bool {
	if p.objective.whole() {
		return bound > best-1+1e-6*(1+1e-6*math.Abs(best))
	}
	return bound >= best-1e-9*math.Abs(best)
}

// least returns the smallest bound that rules a node out, but for rounding; see beaten.
func (s *search) least() float64 {
	if s.objective.whole() {
		return s.best - 1
	}
	return s.best - 1e-9*math.Abs(s.best)
}

// rounded returns the least value of the objective that is not below bound, at least 0.
func (p *problem) rounded(bound float64) float64 {
	if p.objective.whole() {
		bound = math.Ceil(bound - 1e-6*(1+1e-6*math.Abs(bound)))
	}
	return max(0, bound) // not -0 either
}
