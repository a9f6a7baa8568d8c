package live

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
type window struct {
	slots [day / minute]struct {
		minute ostrich.Time // since 1970; what is older is over
		sum    [sums]float64
	}
	minute     ostrich.Time // up to which the sums below are, without it
	hours, all [sums]float64
}

// add adds to what happened at a time.
func (w *window) add(at ostrich.Time, values *[sums]float64) {
	m := at / minute
	slot := &w.slots[int(m%ostrich.Time(len(w.slots)))]
	if slot.minute != m {
		slot.minute, slot.sum = m, [sums]float64{}
	}
	for i, v := range values {
		slot.sum[i] += v
	}
	if m < w.minute {
		w.minute = 0 // the sums have to be made anew
	}
}

// over returns the sums of the last hour and of the last 24 hours, with the present
// minute. All other minutes are added up only once a minute.
func (w *window) over(now ostrich.Time) (hours, all [sums]float64) {
	m := now / minute
	if w.minute != m {
		w.minute, w.hours, w.all = m, [sums]float64{}, [sums]float64{}
		for i := range w.slots {
			s := &w.slots[i]
			if s.minute >= m || s.minute <= m-day/minute {
				continue
			}
			for k, v := range s.sum {
				w.all[k] += v
				if s.minute > m-hour/minute {
					w.hours[k] += v
				}
			}
		}
	}
	hours, all = w.hours, w.all
	if s := &w.slots[int(m%ostrich.Time(len(w.slots)))]; s.minute == m {
		for k, v := range s.sum {
			hours[k] += v
			all[k] += v
		}
	}
	return hours, all
}
