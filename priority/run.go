package priority

import "math"

// repair changes as few elements of v as possible so that v[i]-v[i+1] >= gap[i]
// everywhere and all lie in [lo, hi], which must be wide enough for the sum of
// the gaps. It keeps usable elements only, and returns which it kept.
//
// The elements after the first head ones have no order among themselves: all lie below those
// before, by at least the last gap, and each in its band of tail.
//
// With G[i] the sum of the gaps before i, the condition says that v+G never
// rises. Two elements can both be kept if it does not rise between them, as
// the elements in between then find room; and one can be kept at all if those
// before and after it find room in the window. So the elements to keep are a
// longest non-increasing run of v+G.
//
// Where that leaves too little room, all those of the head are spread anew.
func repair(v, gap []int64, head int, usable []bool, lo, hi, extra int64, tail *bands) (keep []bool) {
	x, fits := make([]int64, head), make([]bool, head)
	var total, sum int64
	for _, g := range gap {
		total += g
	}
	lo = max(lo, tail.top())
	for i := range head {
		fits[i] = usable[i] && v[i] >= lo+(total-sum) && v[i] <= hi-sum
		x[i] = v[i] + sum
		if i < len(gap) {
			sum += gap[i]
		}
	}
	ends, before := runs(x, fits)
	// The lower a run of the head ends, the more of the others stand too high.
	stairs := tail.stairs(v[head:], usable[head:])
	most, length, ceiling := -1, 0, int64(0)
	for n := range len(ends) + 1 {
		room := hi - total // the most that the others may have
		if n > 0 {
			room = x[ends[n-1]] - total
		}
		stay := 0
		if head < len(v) {
			stay = under(stairs[len(stairs)-1], room).kept
		}
		if n+stay >= most {
			most, length, ceiling = n+stay, n, room
		}
	}
	if cramped(v[:head], usable, lo, length) {
		length, ceiling = 0, min(ceiling, lo+(hi-lo-total)/4)
	}
	keep = append(run(head, ends[:length], before), make([]bool, len(v)-head)...)
	floor := lo
	least, greatest := tail.ranges(stairs, ceiling)
	for i := head; i < len(v); i++ {
		band := tail.of[i-head]
		if keep[i] = usable[i] && v[i] >= least[band] && v[i] <= greatest[band]; !keep[i] {
			v[i] = least[band]
		}
		floor = max(floor, v[i])
	}
	if head > 0 && head < len(v) {
		floor += gap[head-1]
	}
	spread(v[:head], gap[:max(head-1, 0)], keep[:head], floor, hi, extra)
	return keep
}

// cramped reports whether many of the values stand in order and cannot be kept, as there
// is no room between them, above or below. To move only these would leave no room
// either, so that the next job that comes would move them again.
func cramped(v []int64, usable []bool, lo int64, kept int) bool {
	above := make([]bool, len(v))
	for i := range v {
		above[i] = usable[i] && v[i] > lo
	}
	ends, _ := runs(v, above)
	return len(ends)-kept > 8+len(v)/16
}

// runs finds the longest non-increasing subsequences of x, of those elements for
// which fits is true: ends[k] is the index of the greatest last element of a run of
// k+1, and before the one that comes before an element in its run. Of equal ones it
// is the earliest, so that the answer depends on the input alone. O(n log n).
func runs(x []int64, fits []bool) (ends, before []int32) {
	ends = make([]int32, 0, len(x))
	before = make([]int32, len(x))
	for i, v := range x {
		if !fits[i] {
			continue
		}
		// A run that ends with at least v is continued by it: find the first
		// end below v.
		lo, hi := 0, len(ends)
		if hi > 0 && x[ends[hi-1]] >= v { // the common case: the order stands
			lo = hi
		}
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			if x[ends[mid]] >= v {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		before[i] = -1
		if lo > 0 {
			before[i] = ends[lo-1]
		}
		if lo == len(ends) {
			ends = append(ends, int32(i))
		} else {
			ends[lo] = int32(i)
		}
	}
	return ends, before
}

// run marks the elements of the longest run, of n elements in all.
func run(n int, ends, before []int32) []bool {
	keep := make([]bool, n)
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			keep[i] = true
		}
	}
	return keep
}

// spread fills in the values that are not kept so that v[i]-v[i+1] >= gap[i]
// everywhere, given that the kept ones allow it and lie in [lo, hi] with room
// for the others. It leaves more than the gap where there is room. What comes next to
// the front of a campaign mostly comes below what came last: so between two kept values,
// and before the first, each gets a seventh of extra more, and before the first nine
// times extra are left below. After the last each gets up to extra more, and a plan
// without kept values is centred in the window and uses at most half of it. A pair with
// gap 0 stays equal.
func spread(v, gap []int64, keep []bool, lo, hi, extra int64) {
	for i := 0; i < len(v); {
		if keep[i] {
			i++
			continue
		}
		j := i
		for j < len(v) && !keep[j] {
			j++
		}
		fill(v, gap, i, j, lo, hi, extra)
		i = j
	}
}

// fill gives values to v[i:j], whose neighbours v[i-1] and v[j], where they
// exist, are kept.
func fill(v, gap []int64, i, j int, lo, hi, extra int64) {
	first, last := i > 0, j < len(v)
	// need is what the gaps take up, from the neighbour above to the one
	// below; slots is the number of gaps that can be widened.
	var need, slots int64
	from, to := i-1, j
	if !first {
		from = i
	}
	if !last {
		to = j - 1
	}
	for k := from; k < to; k++ {
		need += gap[k]
		if gap[k] > 0 {
			slots++
		}
	}
	var top, more int64
	switch {
	case first && last:
		room := v[i-1] - v[j] - need
		more = min(extra/7, share(room, slots))
		top = v[i-1]
	case first: // below the last kept value
		top = v[i-1]
		more = min(extra, share(top-lo-need, slots+1))
	case last: // above the first kept value
		room := hi - v[j] - need
		more = min(extra/7, share(room, 4*slots))
		top = v[j] + need + more*slots
		if gap[j-1] > 0 {
			top += min(9*extra, room/4)
		}
	default:
		room := hi - lo - need
		more = min(extra, share(room/2, slots))
		top = lo + (hi-lo+need+more*slots)/2
	}
	value := top
	if first {
		value = step(top, gap[i-1], more)
	}
	v[i] = value
	for k := i; k < j-1; k++ {
		value = step(value, gap[k], more)
		v[k+1] = value
	}
}

// step is the value that follows after a gap, widened by more unless the two
// may be equal.
func step(value, gap, more int64) int64 {
	if gap == 0 {
		return value
	}
	return value - gap - more
}

// share is the part of room that one of n gaps gets.
func share(room, n int64) int64 {
	if n <= 0 || room <= 0 {
		return 0
	}
	return room / n
}

// ceilPow2 is the smallest power of two that is at least n.
func ceilPow2(n int64) int64 {
	p := int64(1)
	for p < n && p < math.MaxInt64/2 {
		p *= 2
	}
	return p
}
