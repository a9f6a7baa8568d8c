package priority

import (
	"cmp"
	"math"
	"slices"
)

// bands say where the elements without an order may lie: each is of a band, and all of a band
// lie by at least step above all of the lower ones.
type bands struct {
	of    []int   // of each element behind the head
	least []int64 // of each band, from the lowest up, with at least step between two
	step  int64
}

// top is the least value of the highest band.
func (b *bands) top() int64 {
	if len(b.least) == 0 {
		return math.MinInt64
	}
	return b.least[len(b.least)-1]
}

// stair tells of the elements of a band and those below how many can be kept if none may have
// more than x, and the least value that the band then has. Stairs rise in x and kept.
type stair struct {
	x     int64
	kept  int
	least int64
}

// stairs finds for each band what can be kept, of the values in it that are usable. To keep
// values of a lower band that stand high, those of the higher ones have to go above.
func (b *bands) stairs(v []int64, usable []bool) [][]stair {
	values := make([][]int64, len(b.least))
	for i, x := range v {
		if band := b.of[i]; usable[i] && x >= b.least[band] {
			values[band] = append(values[band], x)
		}
	}
	all := make([][]stair, len(b.least))
	below := []stair{{x: math.MinInt64}}
	for band, least := range b.least {
		own, n := values[band], 0 // n of its own are at most x
		slices.Sort(own)
		// Above each of the stairs below, the band may begin.
		best, from := math.MinInt, least
		for k := 0; k < len(below) || n < len(own); {
			x := int64(math.MaxInt64)
			if n < len(own) {
				x = own[n]
			}
			if k < len(below) && b.above(below[k].x, least) <= x {
				x = b.above(below[k].x, least)
				if kept := below[k].kept - n; kept > best {
					best, from = kept, x
				}
				k++
			} else {
				n++
			}
			rows := all[band]
			if last := len(rows) - 1; last >= 0 && rows[last].x == x {
				rows[last] = stair{x, n + best, from}
			} else if last < 0 || n+best > rows[last].kept {
				all[band] = append(rows, stair{x, n + best, from})
			}
		}
		below = all[band]
	}
	return all
}

// above is where a band may begin if what is below ends at x.
func (b *bands) above(x, least int64) int64 {
	if x < least-b.step {
		return least
	}
	return x + b.step
}

// under returns the highest of the stairs that is not above x.
func under(stairs []stair, x int64) stair {
	i, found := slices.BinarySearchFunc(stairs, x, func(s stair, x int64) int { return cmp.Compare(s.x, x) })
	if found {
		return stairs[i]
	}
	return stairs[max(0, i-1)]
}

// ranges returns the least and the greatest value of each band where none may have more than
// ceiling.
func (b *bands) ranges(stairs [][]stair, ceiling int64) (least, most []int64) {
	least, most = make([]int64, len(stairs)), make([]int64, len(stairs))
	for band := len(stairs) - 1; band >= 0; band-- {
		least[band], most[band] = under(stairs[band], ceiling).least, ceiling
		ceiling = least[band] - b.step
	}
	return least, most
}

// bands returns the bands of the jobs without an order: one for each class that is there, the
// last at the bottom, above one for jobs that ask for the impossible. Jobs that wait for a
// limit have no band of their own: a whole campaign is at its limit in one cycle and not in
// the next, and would be written each time. Without room for all, the last ones share a band.
func (o *Options) bands(jobs []Entry, head int, gap []int64, w window) *bands {
	room := w.hi - w.lo
	for _, g := range gap {
		room -= g
	}
	classes := max(1, len(o.Classes.Names))
	fit := min(int64(classes), max(0, room/w.step))
	at := func(e *Entry) int64 {
		if e.Wait == Impossible {
			return w.lo
		}
		return w.lo + max(0, fit-int64(e.Class))*w.step
	}
	b := &bands{of: make([]int, len(jobs)-head), step: w.step}
	for i := head; i < len(jobs); i++ {
		if k, found := slices.BinarySearch(b.least, at(&jobs[i])); !found {
			b.least = slices.Insert(b.least, k, at(&jobs[i]))
		}
	}
	for i := range b.of {
		b.of[i], _ = slices.BinarySearch(b.least, at(&jobs[head+i]))
	}
	return b
}

// leaveBelow lets jobs beyond the depth stay below the window, where they are as long as
// nothing was written: they have no order but to stand below the others, and there they do.
// It is so for the last of the classes that stand there, and for what asks for the impossible.
func (o *Options) leaveBelow(jobs []Entry, v []int64, keep []bool, depth int, w window) {
	last := 0
	for i := depth; i < len(jobs); i++ {
		if jobs[i].Wait != Impossible {
			last = max(last, jobs[i].Class)
		}
	}
	for i := depth; i < len(jobs); i++ {
		if from := o.ahead(jobs[i].From); from < w.lo && (jobs[i].Class == last || jobs[i].Wait == Impossible) {
			v[i], keep[i], jobs[i].below = from, true, true
		}
	}
}
