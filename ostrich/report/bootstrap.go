package report

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Excludes reports whether a value lies outside.
func (i Interval) Excludes(x float64) bool { return x < i.Low || x > i.High }

// Fewest is how many clusters a 95 % interval needs. If n clusters get better or
// worse by chance, all n go the same way with probability 2·2^−n, and no resample
// shows the other way. Below 6, that probability is more than 5 %.
const Fewest = 6

// Bootstrap draws random samples of clusters with replacement, each as large as
// their number. For each sample it calls measure with how often each cluster is
// in it; the slice is reused. To get the paired bootstrap, measure two runs on
// one sample and take the difference (Efron and Tibshirani, "An Introduction to
// the Bootstrap", 1993, chapters 6 and 8). Values that depend on one another
// belong into one cluster: all jobs of a user, or all of a campaign. Bootstrap
// stops at an error of measure and returns it.
func Bootstrap(random *rand.Rand, clusters, rounds int, measure func(times []float64) error) error {
	times := make([]float64, clusters)
	for range rounds {
		clear(times)
		for range clusters {
			times[random.IntN(clusters)]++
		}
		if err := measure(times); err != nil {
			return err
		}
	}
	return nil
}

// Percentile returns the percentile interval of resampled values: the middle part
// of them, of size level, such as 0.95 (Efron and Tibshirani, chapter 13). It
// sorts the values. Without values it returns false.
func Percentile(values []float64, level float64) (Interval, bool) {
	if len(values) == 0 {
		return Interval{}, false
	}
	slices.Sort(values)
	out := (1 - level) / 2
	return Interval{Quantile(values, out), Quantile(values, 1-out)}, true
}

// Pool holds sorted values of clusters. Quantiles over a sample of the clusters
// are exact, and cost much less than visiting each value.
type Pool struct {
	values  []float64
	cluster []int32 // of each value
	block   int     // values in a block
	counts  [][]count
}

// count is how many values of a block belong to a cluster.
type count struct {
	cluster int32
	n       float64
}

// NewPool takes values and the cluster of each; clusters are numbered from 0.
func NewPool(values []float64, cluster []int32, clusters int) *Pool {
	type entry struct {
		value   float64
		cluster int32
	}
	list := make([]entry, len(values))
	for i, v := range values {
		list[i] = entry{v, cluster[i]}
	}
	slices.SortFunc(list, func(a, b entry) int {
		if a.value != b.value {
			return cmp.Compare(a.value, b.value)
		}
		return int(a.cluster - b.cluster)
	})
	p := &Pool{values: make([]float64, len(list)), cluster: make([]int32, len(list))}
	for i, e := range list {
		p.values[i], p.cluster[i] = e.value, e.cluster
	}
	// A quantile reads the counts of all blocks, up to one for each cluster in
	// each, and the values of one block. This size makes both about the same.
	p.block = max(16, int(math.Sqrt(float64(len(list))*float64(max(1, clusters)))))
	seen := make([]float64, clusters)
	for first := 0; first < len(list); first += p.block {
		part := p.cluster[first:min(first+p.block, len(list))]
		for _, c := range part {
			seen[c]++
		}
		var counts []count
		for _, c := range part {
			if seen[c] > 0 {
				counts = append(counts, count{c, seen[c]})
				seen[c] = 0
			}
		}
		p.counts = append(p.counts, counts)
	}
	return p
}

// Quantiles returns, for each q of ascending qs from 0 to 1, the smallest value
// of the sample such that at least a part q of it is not larger; 0 without
// values. times says how often each cluster is in the sample; nil means once.
func (p *Pool) Quantiles(times []float64, qs ...float64) []float64 {
	list := make([]float64, len(qs))
	if len(p.values) == 0 {
		return list
	}
	if times == nil {
		for i, q := range qs {
			list[i] = Quantile(p.values, q)
		}
		return list
	}
	sizes, total := make([]float64, len(p.counts)), 0.0
	for b, counts := range p.counts {
		for _, c := range counts {
			sizes[b] += c.n * times[c.cluster]
		}
		total += sizes[b]
	}
	if total == 0 {
		return list
	}
	b, before := 0, 0.0 // the values of the sample before block b
	for i, q := range qs {
		want := max(1, min(total, math.Ceil(q*total)))
		for before+sizes[b] < want {
			before += sizes[b]
			b++
		}
		at, n := b*p.block, before+times[p.cluster[b*p.block]]
		for n < want {
			at++
			n += times[p.cluster[at]]
		}
		list[i] = p.values[at]
	}
	return list
}
