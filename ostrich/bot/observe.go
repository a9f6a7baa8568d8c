package bot

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// Observed are the characteristics of a log, of its bags of two or more tasks only.
// Values that a System models by their logarithms are logarithms, to base 2.
type Observed struct {
	Jobs   []int        // of all jobs of the log, by user
	Values [5][]float64 // by Characteristics
	Bags   int
	Mean   float64 // tasks of a bag
}

// Observe measures the bags of a log, which are campaigns in the order of their
// submission. Moment 0 of the log is midnight seconds after a midnight.
func Observe(campaigns []sim.Campaign, midnight int64) *Observed {
	o := &Observed{}
	jobs := make(map[ostrich.UserID]int)
	before := int64(math.MinInt64 / 2)
	for i := range campaigns {
		c := &campaigns[i]
		n := len(c.Jobs)
		if c.User == sim.Nobody {
			continue
		}
		jobs[c.User] += n
		if n < smallest {
			continue
		}
		at := int64(c.Submit) + midnight
		o.arrive(before, at)
		before = at
		o.Bags++
		o.Mean += float64(n)
		runs := make([]float64, n)
		for k, j := range c.Jobs {
			runs[k] = float64(j.Run)
		}
		mean, deviation := meanAndDeviation(runs)
		o.add(2, math.Log2(float64(n)))
		o.add(3, math.Log2(mean))
		o.add(4, math.Log2(deviation*deviation*float64(n)/float64(n-1)))
	}
	o.Mean /= max(float64(o.Bags), 1)
	for _, n := range jobs { // FitZipf sorts them
		o.Jobs = append(o.Jobs, n)
	}
	slices.Sort(o.Jobs)
	return o
}

func (o *Observed) add(characteristic int, value float64) {
	o.Values[characteristic] = append(o.Values[characteristic], value)
}

// arrive records the arrival of a bag, and the time since the one before if both came in
// the peak hours of one day.
func (o *Observed) arrive(before, at int64) {
	peak := func(t int64) bool { return t%day >= PeakFrom && t%day < PeakUntil }
	if at/day == before/day && peak(before) && peak(at) {
		o.add(0, math.Log2(float64(at-before)))
	}
	slot := (at - DayBegins + day) % day / halfHour
	o.add(1, float64(slot)+0.5)
}

// Fitted is a log with the model fitted to it.
type Fitted struct {
	Users  Zipf
	Fits   [5][]Fit // by Characteristics and family
	Counts [5]int   // values that were fitted to: those above 0
}

// Fit fits the model.
func (o *Observed) Fit() (*Fitted, error) {
	f := &Fitted{}
	var err error
	if f.Users, err = FitZipf(o.Jobs); err != nil {
		return nil, fmt.Errorf("users: %w", err)
	}
	for i, values := range o.Values {
		if f.Fits[i], f.Counts[i], err = FitAll(values); err != nil {
			return nil, fmt.Errorf("%s of bags: %w", Characteristics[i], err)
		}
	}
	return f, nil
}

// An Averaged is the average system of several logs.
type Averaged struct {
	Users Zipf   // mean exponent and number of users
	Fits  [5]Fit // by Characteristics; D is the mean one
}

// Mean returns the average system of logs, as section 3.1 has it: of each
// characteristic, the family with the least mean D, and the mean of the
// parameters. No log gives the zero Averaged.
func Mean(logs []*Fitted) Averaged {
	var a Averaged
	users := 0.0
	for _, f := range logs {
		a.Users.Alpha += f.Users.Alpha / float64(len(logs))
		users += float64(f.Users.Users) / float64(len(logs))
	}
	a.Users.Users = int(math.Round(users))
	for i := range a.Fits {
		fits := make([][]Fit, len(logs))
		for k, f := range logs {
			fits[k] = f.Fits[i]
		}
		a.Fits[i] = Average(fits)
	}
	return a
}
