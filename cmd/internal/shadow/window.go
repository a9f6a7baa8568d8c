package shadow

import "slurm-ostrich/ostrich"

// What is summed up by the minute.
const (
	sumCycles  = iota // cycles
	sumTau            // rank correlation
	sumOverlap        // the next depths too
	_
	_
	sumStarts // jobs that started
	sumFirst  // of them, those among as many first ones of OStrich's order
	sumShift  // ranks less positions
	sums
)

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// window keeps sums of the last 24 hours.
type window [day / minute]struct {
	minute ostrich.Time // since 1970; what is older is over
	sum    [sums]float64
}

// add adds to what happened at a time.
func (w *window) add(at ostrich.Time, values *[sums]float64) {
	m := at / minute
	slot := &w[int(m%ostrich.Time(len(w)))]
	if slot.minute != m {
		slot.minute, slot.sum = m, [sums]float64{}
	}
	for i, v := range values {
		slot.sum[i] += v
	}
}

// over is the sums of the time up to now, with the present minute.
func (w *window) over(now ostrich.Time, span ostrich.Duration) (all [sums]float64) {
	m := now / minute
	for i := range w {
		if s := &w[i]; s.minute <= m && s.minute > m-ostrich.Time(span/minute) {
			for k, v := range s.sum {
				all[k] += v
			}
		}
	}
	return all
}
