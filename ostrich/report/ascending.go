package report

import (
	"math"
	"slices"
)

// Ascending returns the places of values in their order, the smallest first, those of equal ones by the next
// values, if there are more, and in the end in the order in which they are. None may be NaN.
func Ascending(values ...[]float64) []int32 {
	order := make([]int32, len(values[0]))
	for i := range order {
		order[i] = int32(i)
	}
	for _, by := range slices.Backward(values) {
		sortBy(order, by)
	}
	return order
}

// sortBy sorts places by their values, and leaves those of the same value in the order in which they are: byte by
// byte, from the last one on, those that are the same in all values left out. So whole numbers, such as waits, need
// half of the passes.
func sortBy(places []int32, values []float64) {
	type entry struct {
		key   uint64 // in the order of the values
		place int32
	}
	list, next := make([]entry, len(places)), make([]entry, len(places))
	var counts [8][256]int32
	for i, place := range places {
		key := math.Float64bits(values[place] + 0) // which makes −0 a 0
		if key>>63 == 1 {
			key = ^key
		} else {
			key |= 1 << 63
		}
		list[i] = entry{key, place}
		for d := range counts {
			counts[d][byte(key>>(8*d))]++
		}
	}
	for d := range counts {
		count := &counts[d]
		if len(list) == 0 || int(count[byte(list[0].key>>(8*d))]) == len(list) {
			continue
		}
		at := int32(0)
		for b, n := range count {
			count[b], at = at, at+n
		}
		for _, e := range list {
			b := byte(e.key >> (8 * d))
			next[count[b]] = e
			count[b]++
		}
		list, next = next, list
	}
	for i, e := range list {
		places[i] = e.place
	}
}
