package live

import (
	"cmp"
	"math"

	"slurm-ostrich/ostrich"
)

// Point describes five minutes: how long jobs had waited and how far campaigns
// were stretched. Quantiles are 0 where nothing is counted.
type Point struct {
	Time ostrich.Time `json:"time"` // when the five minutes begin

	// Wait counts the jobs that started in this time, each at its first start:
	// from the submission on, with the time in which it was held or depended on
	// others.
	Wait Spread `json:"wait_seconds"`

	// Stretch counts the campaigns that ended in this time, once no further job
	// can join them.
	Stretch Spread `json:"stretch"`
}

// Spread is how many values there are, and what half and nine tenths of them do
// not exceed. Waits are right to 9 %, stretches to 5 %.
type Spread struct {
	Count uint64  `json:"count"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
}

// What a point counts.
const (
	trendWait = iota
	trendStretch
	trendKinds
)

const (
	trendStep  = 5 * minute
	trendSteps = day / trendStep
)

// trends is what happened in the last 24 hours by five minutes. It takes a quarter
// of a megabyte, whatever happens.
type trends struct {
	slots  []trendSlot  // a ring
	first  ostrich.Time // step in which the first cycle was
	now    ostrich.Time // step of the latest cycle
	stale  bool         // that points lacks something
	points []Point      // as they were handed out: not to be changed
}

// trendSlot is what is kept of a step. Steps are counted since 1970.
type trendSlot struct {
	step  ostrich.Time
	stale bool
	kinds [trendKinds]sample
}

func newTrends() *trends { return &trends{slots: make([]trendSlot, trendSteps)} }

// at begins a cycle.
func (t *trends) at(now ostrich.Time) {
	step := now / trendStep
	t.first = cmp.Or(t.first, step)
	if step > t.now {
		t.now, t.stale = step, true
	}
}

// add counts n values of something that happened at a time. It ignores what is
// more than a day old.
func (t *trends) add(kind int, at ostrich.Time, value float64, n int) {
	step := min(at/trendStep, t.now)
	if step <= t.now-trendSteps || n <= 0 {
		return
	}
	slot := &t.slots[step%trendSteps]
	if slot.step != step {
		*slot = trendSlot{step: step}
	}
	slot.kinds[kind].add(value, binsPerDoubling(kind), uint32(n))
	slot.stale, t.stale = true, true
}

// binsPerDoubling returns into how many bins a doubling of the value is divided.
func binsPerDoubling(kind int) float64 {
	if kind == trendStretch {
		return 8 // up to 3500
	}
	return 4 // up to 150 days
}

// list returns the points from the first cycle on, of 24 hours at most. Later
// cycles do not change it.
func (t *trends) list() []Point {
	if !t.stale {
		return t.points
	}
	begin := max(t.first, t.now-trendSteps+1)
	points := make([]Point, t.now-begin+1)
	for i := range points {
		step := begin + ostrich.Time(i)
		p := &points[i]
		p.Time = step * trendStep
		slot := &t.slots[step%trendSteps]
		switch {
		case slot.step != step:
		case slot.stale:
			slot.stale = false
			for kind, to := range []*Spread{&p.Wait, &p.Stretch} {
				*to = slot.kinds[kind].spread(binsPerDoubling(kind))
			}
		default: // it has been handed out before
			*p = t.points[step-t.points[0].Time/trendStep]
		}
	}
	t.points, t.stale = points, false
	return points
}

// sample counts values by their logarithm.
type sample struct {
	count     uint64
	low, high float64
	bins      [96]uint32 // the first is of values below 1, the last one of all beyond it too
}

func (s *sample) add(v, perDoubling float64, n uint32) {
	if s.count == 0 {
		s.low, s.high = v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
	s.count += uint64(n)
	bin := 0
	if v >= 1 {
		bin = min(1+int(math.Log2(v)*perDoubling), len(s.bins)-1)
	}
	s.bins[bin] += n
}

func (s *sample) spread(perDoubling float64) Spread {
	if s.count == 0 {
		return Spread{}
	}
	return Spread{s.count, s.quantile(0.5, perDoubling), s.quantile(0.9, perDoubling)}
}

// quantile returns the middle of the bin that holds the quantile.
func (s *sample) quantile(q, perDoubling float64) float64 {
	rank, below := uint64(math.Ceil(q*float64(s.count))), uint64(0)
	for bin, n := range s.bins {
		if below += uint64(n); below < rank {
			continue
		}
		switch bin {
		case 0:
			return s.low
		case len(s.bins) - 1:
			return s.high
		}
		return max(s.low, min(math.Exp2((float64(bin)-0.5)/perDoubling), s.high))
	}
	return s.high
}

func (s *State) waited(j *job) {
	if !j.again {
		wait := float64(max(0, j.start-j.submit))
		s.trends.add(trendWait, j.start, wait, j.tasks)
		s.report.Waits.addMany(wait, j.tasks)
	}
}
