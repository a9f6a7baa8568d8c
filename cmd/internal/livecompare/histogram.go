package livecompare

import "slices"

// Histogram counts values by size, as Prometheus does.
type Histogram struct {
	Buckets []Bucket `json:"buckets"`
	Count   uint64   `json:"count"` // of all values
	Sum     float64  `json:"sum"`
}

// Bucket counts the values up to a limit, those of smaller buckets too.
type Bucket struct {
	Limit float64 `json:"le"`
	Count uint64  `json:"count"`
}

func newHistogram(limits ...float64) Histogram {
	h := Histogram{Buckets: make([]Bucket, len(limits))}
	for i, l := range limits {
		h.Buckets[i].Limit = l
	}
	return h
}

func (h *Histogram) add(v float64) { h.addMany(v, 1) }

// addMany adds a value n times.
func (h *Histogram) addMany(v float64, n int) {
	h.Count += uint64(n)
	h.Sum += v * float64(n)
	for i := range h.Buckets {
		if v <= h.Buckets[i].Limit {
			h.Buckets[i].Count += uint64(n)
		}
	}
}

func (h *Histogram) clone() Histogram {
	c := *h
	c.Buckets = slices.Clone(h.Buckets)
	return c
}
