package report

import (
	"cmp"
	"slices"
)

// EnvyMargin is by how much a user's stretch must exceed another's for envy.
const EnvyMargin = 0.1

// Fairness compares what users got of one machine. Its measures are over a sample
// of the users: times[i] says how often user i is in it; nil means once. They
// take time proportional to the users, Envy with a logarithm, so thousands of
// samples are cheap.
type Fairness struct {
	stretch  []float64
	ascend   []int32 // users by stretch
	descend  []int32 // users by demand, the greatest first
	demand   []float64
	place    []int32 // of a user in ascend
	envied   []int32 // by user: how many at the beginning of ascend this user may envy, whatever their demand
	counters []float64
}

// NewFairness takes the stretch of each user and the demand, the work that the
// user asked for per share. It is not safe for concurrent use.
func NewFairness(stretch, demand []float64) *Fairness {
	n := min(len(stretch), len(demand))
	f := &Fairness{
		stretch: stretch[:n], demand: demand[:n], ascend: make([]int32, n), descend: make([]int32, n),
		place: make([]int32, n), envied: make([]int32, n), counters: make([]float64, n+1),
	}
	for i := range n {
		f.ascend[i], f.descend[i] = int32(i), int32(i)
	}
	slices.SortFunc(f.ascend, func(a, b int32) int { return cmp.Or(cmp.Compare(stretch[a], stretch[b]), cmp.Compare(a, b)) })
	slices.SortFunc(f.descend, func(a, b int32) int { return cmp.Or(cmp.Compare(demand[b], demand[a]), cmp.Compare(a, b)) })
	less := int32(0)
	for i, a := range f.ascend {
		f.place[a] = int32(i)
		for int(less) < n && stretch[f.ascend[less]]*(1+EnvyMargin) < stretch[a] {
			less++
		}
		f.envied[a] = less
	}
	return f
}

// Jain returns Jain's index of the users' stretch, (Σx)²/(n·Σx²): 1 if all have
// the same, 1/n if one has all, 1 without users (Jain, Chiu and Hawe, "A
// Quantitative Measure of Fairness and Discrimination", DEC TR-301, 1984).
func (f *Fairness) Jain(times []int32) float64 {
	var n, sum, squares float64
	for i, x := range f.stretch {
		w := float64(Often(times, i))
		n, sum, squares = n+w, sum+w*x, squares+w*x*x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (n * squares)
}

// Gini returns the Gini coefficient of the users' stretch, Σ|x_i −
// x_j|/(2n²·mean) over all i and j: 0 if all have the same or there are no users,
// towards 1 if one has all (Gini, "Variabilità e mutabilità", 1912).
func (f *Fairness) Gini(times []int32) float64 {
	var n, below, area float64 // area is twice that under the Lorenz curve
	for _, i := range f.ascend {
		w := float64(Often(times, i))
		share := w * f.stretch[i]
		area += w * (2*below + share)
		n, below = n+w, below+share
	}
	if n == 0 || below == 0 {
		return 0
	}
	return max(0, 1-area/(n*below))
}

// Envy counts ordered pairs (a, b) of users where a envies b: the stretch of a is
// more than EnvyMargin above that of b, although a demands no more. of is the
// number of all pairs of different users.
func (f *Fairness) Envy(times []int32) (pairs, of float64) {
	clear(f.counters)
	var n, squares float64
	for first := 0; first < len(f.descend); {
		after := first
		for ; after < len(f.descend) && f.demand[f.descend[after]] == f.demand[f.descend[first]]; after++ {
			b := f.descend[after]
			w := float64(Often(times, b))
			n, squares = n+w, squares+w*w
			for at := int(f.place[b]) + 1; at < len(f.counters); at += at & -at {
				f.counters[at] += w
			}
		}
		for _, a := range f.descend[first:after] {
			w := float64(Often(times, a))
			if w == 0 {
				continue
			}
			for at := f.envied[a]; at > 0; at -= at & -at {
				pairs += w * f.counters[at]
			}
		}
		first = after
	}
	return pairs, n*n - squares
}

// Often returns how often a sample has a cluster; nil has each once.
func Often[I int | int32](times []int32, i I) int32 {
	if times == nil {
		return 1
	}
	return times[i]
}
