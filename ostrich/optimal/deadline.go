package optimal

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of C_max and of the largest stretch: a value is a deadline for each job,
// and before each deadline there must be room for all jobs that have it, or one
// before it.

// deadlines are those of the tasks, and the tasks in their order.
type deadlines struct {
	of    []float64
	order []int
}

func (p *problem) setDeadlines(d *deadlines, value float64) {
	d.of, d.order = d.of[:0], d.order[:0]
	for i := range p.tasks {
		end := value
		if p.objective == MaxStretch {
			c := &p.in.Campaigns[p.tasks[i].campaign]
			end = value*c.Least - float64(c.Age)
		}
		d.of, d.order = append(d.of, end), append(d.order, i)
	}
	slices.SortStableFunc(d.order, func(a, b int) int { return cmp.Compare(d.of[a], d.of[b]) })
}

// misses reports whether the jobs that are left at a node cannot all meet their
// deadlines: one of them alone; or all up to a deadline, by their processor-seconds;
// or those of them that need more than half of the machine, one after the other.
func (p *problem) misses(n *node, d *deadlines) bool {
	waits := make([]bool, len(p.tasks)) // few
	first := math.Inf(1)
	for k, i := range n.left {
		waits[i] = true
		if float64(n.starts[k]+p.tasks[i].length) > d.of[i]+slack(d.of[i]) {
			return true
		}
		if p.tall(i) {
			first = min(first, float64(n.starts[k]))
		}
	}
	area, tall := 0.0, 0.0
	for k, i := range d.order {
		if !waits[i] {
			continue
		}
		area += p.tasks[i].area()
		if p.tall(i) {
			tall += float64(p.tasks[i].length)
		}
		if k+1 < len(d.order) && d.of[d.order[k+1]] == d.of[i] {
			continue
		}
		limit := d.of[i] + slack(d.of[i])
		if n.free.when(area) > limit || tall > 0 && first+tall > limit {
			return true
		}
	}
	return false
}

// slack is what rounding may do to a deadline.
func slack(deadline float64) float64 { return 1e-9 * (1 + math.Abs(deadline)) }

func (p *problem) tall(i int) bool { return 2*p.tasks[i].procs > p.in.Procs }

// leastValue returns a bound of an objective that is a maximum: no value below it
// has deadlines that can be met, as far as misses sees. best is a value that can.
func (p *problem) leastValue(n *node, best float64) float64 {
	var d deadlines
	low, high := 0.0, best // misses at low, or low is 0
	for range 60 {
		mid := (low + high) / 2
		if p.objective.whole() {
			mid = math.Floor(mid)
		}
		if mid <= low {
			break
		}
		p.setDeadlines(&d, mid)
		if p.misses(n, &d) {
			low = mid
		} else {
			high = mid
		}
	}
	if p.objective.whole() {
		return min(best, low+1)
	}
	return low
}

// servedByArea bounds the sum of the stretches at a node: campaigns are served one
// after the other by the whole machine, those first for which a second counts most
// (Smith's rule), and none before its own processor-seconds are free.
func (s *search) servedByArea(n *node) float64 {
	type group struct{ number, area, least float64 }
	groups := make([]group, 0, len(n.ends))
	value := 0.0
	for g := range n.ends {
		area := 0.0
		for _, i := range n.left {
			if s.tasks[i].campaign == g {
				area += s.tasks[i].area()
			}
		}
		if area == 0 {
			if n.ends[g] > 0 {
				value += s.in.Campaigns[g].stretch(n.ends[g])
			}
			continue
		}
		groups = append(groups, group{float64(g), area, s.in.Campaigns[g].Least})
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.area*a.least, b.area*b.least), cmp.Compare(a.number, b.number))
	})
	m, sum := float64(s.in.Procs), 0.0
	for _, g := range groups {
		sum += g.area
		end := n.free.when(g.area) + (sum-g.area)/m
		value += (float64(s.in.Campaigns[int(g.number)].Age) + end) / g.least
	}
	return value
}
