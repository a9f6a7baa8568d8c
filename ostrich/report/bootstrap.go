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

// Fewest is how many clusters a 95 % interval needs. Of n clusters that get
// better or worse by chance, all n go the same way with probability 2·2^−n, and
// no resample would then show the other; below 6 that is more than 5 %.
const Fewest = 6

// Bootstrap draws samples of clusters: as many as there are, with replacement,
// that many rounds. It tells measure how often each cluster is in the sample;
// the slice is reused. Whoever measures two runs on one sample and takes the
// difference has the paired bootstrap (Efron and Tibshirani, "An Introduction
// to the Bootstrap", 1993, chapters 6 and 8). Values that depend on one another
// belong into one cluster: all jobs of a user, or all of a campaign. An error of
// measure ends it and is returned.
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

// Percentile is the percentile interval of resampled values: the middle part of
// them that level, such as 0.95, says (Efron and Tibshirani, chapter 13). It
// sorts the values. Without values it is false.
func Percentile(values []float64, level float64) (Interval, bool) {
	if len(values) == 0 {
		return Interval{}, false
	}
	slices.Sort(values)
	out := (1 - level) / 2
	return Interval{quantile(values, out), quantile(values, 1-out)}, true
}

// Pool holds values of clusters, sorted, so that quantiles over a sample of the
// clusters are exact and yet cost much less than a look at each value.
type Pool struct {
	values  []float64
	cluster []int32 // of each value
	block   int     // values a block
	counts  [][]count
}

// count is how many values of a block a cluster has.
type count struct {
	cluster int32
	n       float64
}

// NewPool takes values and the cluster of each, from 0 to before clusters.
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
	// A quantile looks at the counts of all blocks, up to one a cluster in
	// each, and at the values of one block: this makes both about the same.
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

// Quantiles are, for each part q, ascending from 0 to 1, the smallest value of
// the sample that at least that part does not exceed; 0 without values. times
// says how often each cluster is in the sample; nil is once.
func (p *Pool) Quantiles(times []float64, qs ...float64) []float64 {
	list := make([]float64, len(qs))
	if len(p.values) == 0 {
		return list
	}
	if times == nil {
		for i, q := range qs {
			list[i] = quantile(p.values, q)
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
