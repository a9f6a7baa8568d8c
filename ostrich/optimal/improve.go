package optimal

import (
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich"
)

// A neighbourhood improves an order by simulated annealing: it moves a job to another
// place and makes the schedule anew; worse orders are accepted now and then. The same
// seed makes the same changes.
type neighbourhood struct {
	*search
	random *rand.Rand
	order  []int
	starts []ostrich.Duration
	free   profile
	from   []ostrich.Duration // for each shape, before which none can start
}

func (s *search) newNeighbourhood() *neighbourhood {
	return &neighbourhood{
		search: s, random: rand.New(rand.NewPCG(1, uint64(len(s.tasks)))),
		order: make([]int, len(s.tasks)), starts: make([]ostrich.Duration, len(s.tasks)),
		from: make([]ostrich.Duration, s.shapes),
	}
}

// list makes the schedule of an order: each job starts as early as it can without
// moving those before it; what is late and may come last does so. It returns the value of
// the schedule, and records the schedule if it is better than the best so far.
func (h *neighbourhood) list(order []int) float64 {
	h.free = append(h.free[:0], h.base...)
	clear(h.from)
	value := 0.0
	for _, i := range order {
		t := &h.tasks[i]
		// What is free only shrinks, so no job of this shape starts before the last.
		start := h.from[t.shape]
		if !h.drops(t, start) {
			start = h.free.earliest(start, t.procs, t.length)
			h.from[t.shape] = start
		}
		if h.drops(t, start) {
			h.starts[i] = never
			value += t.weight
			continue
		}
		h.starts[i] = start
		value += h.cost(t, start)
		h.free.use(start, t.procs, t.length)
	}
	if !h.objective.additive() {
		value = h.valueAt(h.starts)
	}
	if value < h.best && !h.beaten(value, h.best) {
		full := slices.Clone(h.starts)
		h.complete(full)
		h.found(h.valueAt(full), full)
	}
	return value
}

// byStart sets the order to that of a schedule's starts.
func (h *neighbourhood) byStart(starts []ostrich.Duration) {
	for k, i := range inOrder(starts) {
		h.order[k] = i
	}
}

// anneal starts from the best schedule's order and tries the given number of neighbours.
func (h *neighbourhood) anneal(tries int) {
	n := len(h.tasks)
	if n < 2 {
		return
	}
	h.byStart(h.search.starts)
	present := h.list(h.order)
	warm := 0.02 * present / math.Sqrt(float64(n))
	if h.objective == SumU {
		warm = 0.3
	}
	for try := range tries {
		if !h.visit() {
			return
		}
		from, to := h.random.IntN(n), h.random.IntN(n)
		h.move(from, to)
		value := h.list(h.order)
		heat := warm * (1 - float64(try)/float64(tries))
		if value > present && h.random.Float64() >= math.Exp((present-value)/max(heat, 1e-9)) {
			h.move(to, from)
			continue
		}
		present = value
	}
}

// move takes a job of the order to another place.
func (h *neighbourhood) move(from, to int) {
	i := h.order[from]
	h.order = slices.Insert(slices.Delete(h.order, from, from+1), to, i)
}
