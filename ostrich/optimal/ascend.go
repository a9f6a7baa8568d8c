package optimal

import "math"

// ascend raises the bound: where the places that jobs take overfill the machine the
// price rises, where processors stay free it falls (subgradient steps of Polyak's
// length). After each step it calls seen with the place of each job, and ends when
// that returns false, after so many steps, or when the bound has reached best. It
// leaves the prices of the highest bound in force, and returns that.
func (r *relaxation) ascend(steps int, best func() float64, seen func(chosen []int) bool) float64 {
	n := len(r.grid)
	chosen, over, heading := make([]int, len(r.tasks)), make([]float64, n), make([]float64, n)
	kept, keptSlope := append([]float64(nil), r.price...), append([]float64(nil), r.slope...)
	highest := math.Inf(-1)
	stride, idle := 1.0, 0
	for range steps {
		value := r.evaluate(chosen)
		if value > highest+1e-7*math.Abs(highest) {
			idle = 0
		} else if idle++; idle >= 8 {
			stride, idle = stride*0.7, 0
		}
		if value > highest {
			highest = value
			copy(kept, r.price)
			copy(keptSlope, r.slope)
		}
		if !seen(chosen) || r.beaten(highest, best()) || stride < 1e-4 {
			break
		}
		r.excess(chosen, over)
		norm := 0.0
		for k := range n - 1 {
			width := float64(r.grid[k+1] - r.grid[k])
			heading[k] = over[k]/width + 0.6*heading[k]
			norm += heading[k] * heading[k] * width
		}
		if norm == 0 {
			break
		}
		step := stride * (best() - value) / norm
		for k := range n - 1 {
			r.price[k] = max(0, r.price[k]+step*heading[k])
		}
		r.lean(chosen, stride)
	}
	copy(r.price, kept)
	copy(r.slope, keptSlope)
	r.reprice()
	r.evaluate(chosen)
	r.settle()
	return highest
}

// lean moves the weight of a campaign towards those of its jobs that end last.
func (r *relaxation) lean(chosen []int, stride float64) {
	if r.slope == nil {
		return
	}
	sum := make([]float64, len(r.in.Campaigns))
	last := float64(r.grid[len(r.grid)-1])
	for i, k := range chosen {
		t := &r.tasks[i]
		r.slope[i] *= math.Exp(0.5 * stride * float64(r.places[i][k].at+t.length) / last)
		sum[t.campaign] += r.slope[i]
	}
	for i := range r.tasks {
		c := r.tasks[i].campaign
		r.slope[i] /= sum[c] * r.in.Campaigns[c].Least
	}
	r.reprice()
}

// reprice brings the costs of places up to date with the slopes.
func (r *relaxation) reprice() {
	if r.slope == nil {
		return
	}
	for i, list := range r.places {
		for k := range list {
			list[k].cost = r.plain(i, list[k].at)
		}
	}
}
