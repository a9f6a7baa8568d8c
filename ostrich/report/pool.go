package report

import "math"

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
	cluster, n int32
}

// NewPool takes values and the cluster of each; clusters are numbered from 0.
func NewPool(values []float64, cluster []int32, clusters int) *Pool {
	order := Ascending(values)
	p := &Pool{values: make([]float64, len(order)), cluster: make([]int32, len(order))}
	for i, at := range order {
		p.values[i], p.cluster[i] = values[at], cluster[at]
	}
	// Quantiles read the counts of all blocks, up to one for each cluster in
	// each, and the values of one block a quantile, of which a sample needs four. This
	// size makes both about the same, as small blocks have few clusters.
	p.block = max(16, int(math.Sqrt(float64(len(order))*float64(max(1, clusters)))/3))
	seen := make([]int32, clusters)
	for first := 0; first < len(order); first += p.block {
		part := p.cluster[first:min(first+p.block, len(order))]
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

// Values are those of the pool, sorted, and must stay so.
func (p *Pool) Values() []float64 { return p.values }

// Quantiles returns, for each q of ascending qs from 0 to 1, the smallest value
// of the sample such that at least a part q of it is not larger; 0 without
// values. times says how often each cluster is in the sample; nil means once.
func (p *Pool) Quantiles(times []int32, qs ...float64) []float64 {
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
	sizes, total := make([]int, len(p.counts)), 0
	for b, counts := range p.counts {
		n := int32(0)
		for _, c := range counts {
			n += c.n * times[c.cluster]
		}
		sizes[b] = int(n)
		total += sizes[b]
	}
	if total == 0 {
		return list
	}
	b, before := 0, 0 // the values of the sample before block b
	at, n := 0, 0     // the value that is looked at, and how many the sample has in front of it
	for i, q := range qs {
		want := max(1, min(total, int(math.Ceil(q*float64(total)))))
		for before+sizes[b] < want {
			before += sizes[b]
			b++
		}
		if at < b*p.block {
			at, n = b*p.block, before
		}
		for n < want {
			n += int(times[p.cluster[at]])
			at++
		}
		list[i] = p.values[at-1]
	}
	return list
}
