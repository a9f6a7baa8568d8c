package optimal

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// A relaxation bounds the value of every schedule from below. At each of a set of
// points in time a processor has a price, and instead of being refused where the
// machine is full a job pays for the processors it holds at the points between its
// start and its end; each then starts where that is cheapest, and what the processors
// free at the points are worth is given back (Lagrangian relaxation of the capacity).
//
// Between two points a job gains nothing by starting later: it pays for the same
// points or more, and no objective gets smaller. So its best start is the earliest
// one, or right behind a point.
type relaxation struct {
	*problem
	grid  []ostrich.Duration // the points
	room  []float64          // processors free at a point, beside what runs
	near  []int32            // the first point not before each multiple of pace
	price []float64          // of a processor at a point
	sum   []float64          // of the prices of the points before a point; the last is that of all
	slope []float64          // of a job's cost by its end, for SumStretch
	fixed float64            // added to the bound
	pace  ostrich.Duration   // about as long as from a point to the next

	sizes []*size
	size  []*size     // of each job
	least [][]float64 // for each job, what it costs at least from a place of its size on
}

// A size is what jobs of one width and one length have in common: their places, which
// are the starts at which their cost may be least.
type size struct {
	procs  float64
	length ostrich.Duration
	first  int                // the first point not before the first place
	at     []ostrich.Duration // of each place; place k holds the points from first+k on
	end    []int32            // the first point that it does not hold
	paid   []float64          // at the present prices

	// cheapest is the cheapest place up to each, for SumU.
	cheapest []int32
}

// points is how many points a grid has, at most, beside those where something
// happens.
const points = 600

// newRelaxation makes one whose grid has so many points at most, from 2 on.
func newRelaxation(p *problem, most int) *relaxation {
	r := &relaxation{problem: p, grid: p.gridPoints(most), size: make([]*size, len(p.tasks)), least: make([][]float64, len(p.tasks))}
	n := len(r.grid)
	r.room, r.price, r.sum = make([]float64, n), make([]float64, n), make([]float64, n+1)
	for k, at := range r.grid {
		r.room[k] = float64(p.base[p.base.find(at)].free)
	}
	r.pace = max(1, r.grid[n-1]/points)
	for k, at := range r.grid {
		for ostrich.Duration(len(r.near))*r.pace <= at {
			r.near = append(r.near, int32(k))
		}
	}
	if p.objective == SumStretch {
		r.slopes()
	}
	r.sizes = make([]*size, p.shapes)
	for i := range p.tasks {
		t := &p.tasks[i]
		if r.sizes[t.shape] == nil {
			r.sizes[t.shape] = r.newSize(t)
		}
		r.size[i] = r.sizes[t.shape]
		r.least[i] = make([]float64, len(r.size[i].at)+1)
	}
	return r
}

func (r *relaxation) newSize(t *task) *size {
	x := &size{procs: float64(t.procs), length: t.length, first: r.before(t.release)}
	x.at = append(x.at, t.release)
	for _, point := range r.grid[x.first:] {
		x.at = append(x.at, point+1)
	}
	for _, at := range x.at {
		x.end = append(x.end, int32(r.before(at+t.length)))
	}
	x.paid, x.cheapest = make([]float64, len(x.at)), make([]int32, len(x.at))
	return x
}

// gridPoints returns the points of the grid. They are spread evenly: until the last
// due date for SumU, where jobs that start later are late anyway, and until EASY
// would be done for the other objectives. Besides, there is one at the last second
// of each step of what is free, at each due date for SumU and SumT, and at each start of
// EASY but for SumU. Of more than most some are left out, evenly: a bound holds with any.
func (p *problem) gridPoints(most int) []ostrich.Duration {
	last := ostrich.Duration(0)
	var events []ostrich.Duration
	for i := range p.tasks {
		t := &p.tasks[i]
		if p.objective == SumU {
			last = max(last, t.due)
		} else {
			last = max(last, p.easy[i]+t.length)
			events = append(events, p.easy[i])
		}
		if p.objective.additive() {
			events = append(events, t.due)
		}
	}
	for _, s := range p.base {
		events = append(events, s.at-1)
	}
	for k := range ostrich.Duration(points + 1) {
		events = append(events, last*k/points)
	}
	events = slices.DeleteFunc(events, func(at ostrich.Duration) bool { return at < 0 || at > last })
	slices.Sort(events)
	events = slices.Compact(events)
	if len(events) > most {
		for k := range most {
			events[k] = events[k*(len(events)-1)/(most-1)]
		}
		events = events[:most]
	}
	return events
}

// slopes spreads the weight of each campaign over its jobs. A campaign ends no
// earlier than any of its jobs, so no earlier than their mean, however weighted.
func (r *relaxation) slopes() {
	r.slope = make([]float64, len(r.tasks))
	work := make([]float64, len(r.in.Campaigns))
	for i := range r.tasks {
		work[r.tasks[i].campaign] += r.tasks[i].area()
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		r.slope[i] = t.area() / work[t.campaign] / r.in.Campaigns[t.campaign].Least
	}
	for c := range r.in.Campaigns {
		if work[c] > 0 {
			r.fixed += float64(r.in.Campaigns[c].Age) / r.in.Campaigns[c].Least
		}
	}
}

func (t *task) area() float64 { return float64(t.procs) * float64(t.length) }

// before is how many points lie before a time. It begins to look near it, as most
// points are spread evenly.
func (r *relaxation) before(at ostrich.Duration) int {
	k := int(r.near[min(int(at/r.pace), len(r.near)-1)])
	for k < len(r.grid) && r.grid[k] < at {
		k++
	}
	return k
}

// worth is what a processor costs from 0 until before a time.
func (r *relaxation) worth(at ostrich.Duration) float64 { return r.sum[r.before(at)] }

// evaluate returns the bound at the present prices, and the place that each job
// takes.
func (r *relaxation) evaluate(chosen []int) float64 {
	value := r.fixed
	for k, price := range r.price {
		r.sum[k+1] = r.sum[k] + price
		value -= price * r.room[k]
	}
	for _, x := range r.sizes {
		best := 0
		for k, end := range x.end {
			x.paid[k] = x.procs * (r.sum[end] - r.sum[x.first+k])
			if x.paid[k] < x.paid[best] {
				best = k
			}
			x.cheapest[k] = int32(best)
		}
	}
	for i := range r.tasks {
		cost := 0.0
		chosen[i], cost = r.cheapest(i)
		value += cost
	}
	return value
}

// cheapest returns at which place a job costs least, and what. The last place holds no
// point.
func (r *relaxation) cheapest(i int) (which int, cost float64) {
	x, t := r.size[i], &r.tasks[i]
	last := len(x.at) - 1
	if r.objective == SumU {
		which, cost = last, r.plain(i, x.at[last])
		if k, found := slices.BinarySearch(x.at, t.due); k > 0 || found {
			if !found {
				k--
			}
			if k = int(x.cheapest[k]); x.paid[k] < cost {
				return k, x.paid[k]
			}
		}
		return which, cost
	}
	cost = math.Inf(1)
	for k, at := range x.at {
		plain := r.plain(i, at)
		if plain >= cost {
			break // and it only grows
		}
		if plain+x.paid[k] < cost {
			which, cost = k, plain+x.paid[k]
		}
	}
	return which, cost
}

// excess writes by how many processors the places that jobs take overfill the machine
// at each point, below 0 where some stay free.
func (r *relaxation) excess(chosen []int, over []float64) {
	clear(over)
	for i, k := range chosen {
		x := r.size[i]
		if from, to := x.first+k, int(x.end[k]); from < to {
			over[from] += x.procs
			if to < len(over) {
				over[to] -= x.procs
			}
		}
	}
	use := 0.0
	for k := range over {
		use += over[k]
		over[k] = use - r.room[k]
	}
}

// settle computes what bounds need at the present prices.
func (r *relaxation) settle() {
	for i, x := range r.size {
		least := math.Inf(1)
		r.least[i][len(x.at)] = least
		for k := len(x.at) - 1; k >= 0; k-- {
			least = min(least, r.plain(i, x.at[k])+x.paid[k])
			r.least[i][k] = least
		}
	}
}

// from is the least that a job costs, with the prices, if it starts at a time or
// later.
func (r *relaxation) from(i int, at ostrich.Duration) float64 {
	x, begin := r.size[i], r.before(at)
	now := r.plain(i, at) + x.procs*(r.worth(at+x.length)-r.sum[begin])
	return min(now, r.least[i][begin-x.first+1])
}

// at is what a job costs, with the prices, if it starts at a time.
func (r *relaxation) at(i int, start ostrich.Duration) float64 {
	x := r.size[i]
	return r.plain(i, start) + x.procs*(r.worth(start+x.length)-r.worth(start))
}

// plain is what a job costs without the prices.
func (r *relaxation) plain(i int, start ostrich.Duration) float64 {
	if t := &r.tasks[i]; r.objective.additive() {
		return r.cost(t, start)
	}
	return r.slope[i] * float64(start+r.tasks[i].length)
}
