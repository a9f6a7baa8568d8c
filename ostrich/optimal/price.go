package optimal

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// A relaxation bounds the value of every schedule from below. Processors have a
// price that depends on the time only, and instead of being refused where the
// machine is full a job pays for what it uses; each then starts where that is
// cheapest, and what the free processors are worth is given back (Lagrangian
// relaxation of the capacity). Prices are constant between the points of a grid,
// so a job's best start is one of few: where its start or its end meets a point,
// or its due date.
type relaxation struct {
	*problem
	grid   []ostrich.Duration // from 0; behind the last point everything is free
	room   []float64          // processor-seconds between a point and the next, behind what runs
	price  []float64          // of a processor-second there
	sum    []float64          // of the prices up to a point, for one processor
	slope  []float64          // of a job's cost by its end, for SumStretch
	fixed  float64            // added to the bound
	places [][]place          // for each job, by time
}

// A place is a start at which the cost of a job may be least.
type place struct {
	at             ostrich.Duration
	begin, end     int32   // intervals of the start and the end
	behind, beyond float64 // how far in these intervals
	cost           float64 // of a late start
	value          float64 // with the prices
	least          float64 // value of this place and all later ones
}

// points is how many points a grid has, at most.
const points = 320

func newRelaxation(p *problem) *relaxation {
	r := &relaxation{problem: p}
	r.grid = p.gridPoints()
	n := len(r.grid)
	r.room, r.price, r.sum = make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n - 1 {
		r.room[k] = p.base.area(r.grid[k], r.grid[k+1])
	}
	r.places = make([][]place, len(p.tasks))
	if p.objective == SumStretch {
		r.slopes()
	}
	for i := range p.tasks {
		r.places[i] = r.startsOf(&p.tasks[i], i)
	}
	return r
}

// area is how many processor-seconds are free between two times.
func (p profile) area(from, to ostrich.Duration) float64 {
	sum := 0.0
	for i := p.find(from); i < len(p) && p[i].at < to; i++ {
		end := to
		if i+1 < len(p) {
			end = min(end, p[i+1].at)
		}
		sum += float64(p[i].free) * float64(end-max(from, p[i].at))
	}
	return sum
}

// gridPoints returns the points of the grid: half of them evenly spread until EASY
// would be done, half where something happens.
func (p *problem) gridPoints() []ostrich.Duration {
	last := ostrich.Duration(1)
	for i := range p.tasks {
		last = max(last, p.easy[p.tasks[i].job]+p.tasks[i].length)
	}
	var events []ostrich.Duration
	for _, s := range p.base {
		events = append(events, s.at)
	}
	for i := range p.tasks {
		t := &p.tasks[i]
		events = append(events, p.easy[t.job], p.easy[t.job]+t.length)
		if p.additive() {
			events = append(events, t.due, t.due+t.length)
		}
	}
	events = slices.DeleteFunc(events, func(at ostrich.Duration) bool { return at < 0 || at > last })
	slices.Sort(events)
	events = slices.Compact(events)
	grid := []ostrich.Duration{0, last}
	for k := range min(points/2, len(events)) {
		grid = append(grid, events[k*len(events)/min(points/2, len(events))])
	}
	for k := range points / 2 {
		grid = append(grid, last*ostrich.Duration(k)/(points/2))
	}
	slices.Sort(grid)
	return slices.Compact(grid)
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

// startsOf lists the places of a job.
func (r *relaxation) startsOf(t *task, number int) []place {
	last := r.grid[len(r.grid)-1]
	latest := last
	if r.objective == SumU {
		latest = min(latest, t.due)
	}
	var starts []ostrich.Duration
	add := func(at ostrich.Duration) {
		if at >= t.release && at <= latest {
			starts = append(starts, at)
		}
	}
	for _, point := range r.grid {
		add(point)
		add(point - t.length)
	}
	add(t.release)
	if r.additive() {
		add(t.due)
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	list := make([]place, 0, len(starts)+1)
	for _, at := range starts {
		x := place{at: at}
		x.begin, x.behind = r.interval(at)
		x.end, x.beyond = r.interval(at + t.length)
		x.cost = r.plain(number, at)
		list = append(list, x)
	}
	end := int32(len(r.grid) - 1) // where nothing has a price
	switch {
	case r.objective == SumU:
		list = append(list, place{at: never, begin: end, end: end, cost: t.weight})
	case t.release > last:
		list = append(list, place{at: t.release, begin: end, end: end, cost: r.plain(number, t.release)})
	}
	return list
}

// interval returns in which interval of the grid a time lies, and how far in it;
// behind the last point there is but that point.
func (r *relaxation) interval(at ostrich.Duration) (int32, float64) {
	i, found := slices.BinarySearch(r.grid, at)
	switch {
	case found:
		return int32(i), 0
	case i == len(r.grid):
		return int32(i - 1), 0
	}
	return int32(i - 1), float64(at - r.grid[i-1])
}

// worth is what a processor costs from 0 to a time.
func (r *relaxation) worth(at ostrich.Duration) float64 {
	i, behind := r.interval(at)
	return r.sum[i] + r.price[i]*behind
}

// tally sums up the prices.
func (r *relaxation) tally() {
	for k := range len(r.grid) - 1 {
		r.sum[k+1] = r.sum[k] + r.price[k]*float64(r.grid[k+1]-r.grid[k])
	}
}

// evaluate returns the bound at the present prices, and the place that each job
// takes.
func (r *relaxation) evaluate(chosen []int) float64 {
	r.tally()
	value := r.fixed
	for k := range r.room {
		value -= r.price[k] * r.room[k]
	}
	for i := range r.tasks {
		q := float64(r.tasks[i].procs)
		best, which := math.Inf(1), 0
		for k := range r.places[i] {
			x := &r.places[i][k]
			x.value = x.cost + q*(r.sum[x.end]+r.price[x.end]*x.beyond-r.sum[x.begin]-r.price[x.begin]*x.behind)
			if x.value < best {
				best, which = x.value, k
			}
		}
		chosen[i] = which
		value += best
	}
	return value
}

// excess writes by how many processor-seconds the places that jobs take overfill
// each interval, below 0 where some stay free.
func (r *relaxation) excess(chosen []int, over []float64) {
	clear(over)
	for i, k := range chosen {
		x, q := &r.places[i][k], float64(r.tasks[i].procs)
		over[x.begin] += q
		over[x.end] -= q
	}
	use := 0.0
	for k := range over {
		use += over[k]
		if k+1 < len(over) {
			over[k] = use*float64(r.grid[k+1]-r.grid[k]) - r.room[k]
		} else {
			over[k] = 0
		}
	}
	for i, k := range chosen {
		x, q := &r.places[i][k], float64(r.tasks[i].procs)
		over[x.begin] -= q * x.behind
		over[x.end] += q * x.beyond
	}
}

// settle computes what bounds need at the present prices.
func (r *relaxation) settle() {
	for _, list := range r.places {
		least := math.Inf(1)
		for k := len(list) - 1; k >= 0; k-- {
			least = min(least, list[k].value)
			list[k].least = least
		}
	}
}

// from is the least that a job costs, with the prices, if it starts at a time or
// later.
func (r *relaxation) from(i int, at ostrich.Duration) float64 {
	list := r.places[i]
	if at >= r.grid[len(r.grid)-1] { // nothing has a price
		return r.plain(i, at)
	}
	low, high := 0, len(list)
	for low < high {
		mid := int(uint(low+high) / 2)
		if list[mid].at < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	next := &list[low]
	if low == 0 || next.at == never {
		return next.least
	}
	before := &list[low-1]
	share := float64(at-before.at) / float64(next.at-before.at)
	return min(next.least, before.value+share*(next.value-before.value))
}

// at is what a job costs, with the prices, if it starts at a time.
func (r *relaxation) at(i int, start ostrich.Duration) float64 {
	t := &r.tasks[i]
	return r.plain(i, start) + float64(t.procs)*(r.worth(start+t.length)-r.worth(start))
}

// plain is what a job costs without the prices.
func (r *relaxation) plain(i int, start ostrich.Duration) float64 {
	if t := &r.tasks[i]; r.additive() {
		return r.cost(t, start)
	}
	return r.slope[i] * float64(start+r.tasks[i].length)
}
