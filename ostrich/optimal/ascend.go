package optimal

import (
	"math"
	"math/rand/v2"

	"slurm-ostrich/ostrich"
)

// An ascent raises the bound of a relaxation: where the places that jobs take overfill
// the machine the price rises, where processors stay free it falls. These are
// subgradient steps of Polyak's length, along a direction that keeps most of the last
// one. Each point has a scale of its own, by how much it was over- or underfilled of
// late.
type ascent struct {
	*relaxation
	highest        float64                   // bound
	price, slope   []float64                 // that it has
	stride         float64                   // of a step, as a part of Polyak's
	idle           int                       // steps since the bound was raised
	over           []float64                 // by how many processors each point is overfilled
	heading, usual []float64                 // direction; sum of the last squares of over
	chosen         []int                     // the place of each job
	steps          int                       // that were taken
	recent         [mixed][]ostrich.Duration // starts of the jobs after the last ones
}

const (
	inertia  = 0.97 // of the direction
	memories = 0.99 // of what is usual
	patience = 100  // steps without a higher bound, before steps get shorter
	mixed    = 64   // steps whose starts are mixed
)

func (r *relaxation) newAscent() *ascent {
	n := len(r.grid)
	a := &ascent{
		relaxation: r, highest: math.Inf(-1), price: make([]float64, n), slope: append([]float64(nil), r.slope...),
		stride: 1, over: make([]float64, n), heading: make([]float64, n), usual: make([]float64, n), chosen: make([]int, len(r.tasks)),
	}
	for k := range a.recent {
		a.recent[k] = make([]ostrich.Duration, len(r.tasks))
	}
	return a
}

// mix gives each job the start that it had after one of the last steps, drawn for each
// job anew. At no prices do all jobs start so that they fit, for those of one size start
// together where that is cheapest; but on the average of many steps they almost do.
func (a *ascent) mix(random *rand.Rand, starts []ostrich.Duration) {
	for i := range starts {
		starts[i] = a.recent[random.IntN(min(a.steps, mixed))][i]
	}
}

// climb takes the given number of steps, and calls seen after each one. It ends earlier
// when seen returns false, when the bound has reached best, or when steps have become too
// short. It leaves the prices of the highest bound in force, and returns that bound.
func (a *ascent) climb(steps int, best func() float64, seen func() bool) float64 {
	r := a.relaxation
	for range steps {
		value := r.evaluate(a.chosen)
		if value > a.highest+1e-5*math.Abs(best()-a.highest) {
			a.idle = 0
		} else if a.idle++; a.idle >= patience {
			a.stride, a.idle = a.stride*0.7, 0
		}
		for i, k := range a.chosen {
			a.recent[a.steps%mixed][i] = r.size[i].at[k]
		}
		a.steps++
		if value > a.highest {
			a.highest = value
			copy(a.price, r.price)
			copy(a.slope, r.slope)
		}
		if !seen() || r.beaten(a.highest, best()) || a.stride < 1e-4 || !a.step(best()-value) {
			break
		}
		r.lean(a.chosen, a.stride)
	}
	copy(r.price, a.price)
	copy(r.slope, a.slope)
	r.evaluate(a.chosen)
	r.settle()
	return a.highest
}

// step changes the prices so that the bound would rise by rise, if it were linear. It
// returns false if there is no direction in which the bound might rise.
func (a *ascent) step(rise float64) bool {
	r := a.relaxation
	r.excess(a.chosen, a.over)
	norm := 0.0
	for k, over := range a.over {
		if r.price[k] == 0 {
			over = max(0, over)
		}
		a.heading[k] = over + inertia*a.heading[k]
		a.usual[k] = over*over + memories*a.usual[k]
		if a.usual[k] > 0 {
			norm += a.heading[k] * a.heading[k] / math.Sqrt(a.usual[k])
		}
	}
	if norm == 0 {
		return false
	}
	length := a.stride * rise / norm
	for k := range a.over {
		if a.usual[k] > 0 {
			r.price[k] = max(0, r.price[k]+length*a.heading[k]/math.Sqrt(a.usual[k]))
		}
	}
	return true
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
		r.slope[i] *= math.Exp(0.5 * stride * float64(r.size[i].at[k]+t.length) / last)
		sum[t.campaign] += r.slope[i]
	}
	for i := range r.tasks {
		c := r.tasks[i].campaign
		r.slope[i] /= sum[c] * r.in.Campaigns[c].Least
	}
}
