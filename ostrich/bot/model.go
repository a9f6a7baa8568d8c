// Package bot is the workload model of bags-of-tasks of Iosup, Sonmez, Anoep and
// Epema, "The Performance of Bags-of-Tasks in Large-Scale Distributed Systems"
// (HPDC 2008), section 3: it draws logs by [Model], fits the model to a log by
// [Observed.Fit], and measures predictors of run times by [Inaccuracy].
//
// Sizes, run times and times between arrivals are modelled by their logarithms
// to base 2, the variability of run times by that of the variance.
package bot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"slurm-ostrich/ostrich/trace"
)

// Model draws workloads of bags of sequential tasks.
type Model struct {
	System

	// Bags is how many bags are drawn, all of them whole. With 0 bags are drawn
	// until there are Tasks tasks, and the last one is cut short.
	Bags, Tasks int

	// Procs are the processors of the machine; 0 sizes the machine for Load.
	Procs int64
	// Load is the work of all tasks, divided by what the machine can do between
	// the first and the last submission.
	Load float64

	// Streams are the clusters that each get a stream of bags of their own, as in
	// section 4.2. The partition of a task (field 16) is its stream, from 1. With 0
	// there is one stream, and no partition. Bags and Tasks are those of all.
	Streams int

	// Days is the number of days in which all bags come: the times between arrivals
	// are scaled to it, the daily cycle is not. 0 does not scale them.
	Days float64

	Arrivals Arrivals
	// MedianSize is the median of the bag sizes that are drawn, before they are
	// rounded. Sizes are scaled, so their coefficient of variation stays. 0 is the
	// system's.
	MedianSize float64
	// Base is the base of the logarithms by which run times and variances are
	// modelled.
	Base Base
	// MeanRun is the mean run time of all tasks, in seconds, to which they are
	// scaled. 0 is what is drawn.
	MeanRun float64
	// MaxRun is the longest run time, in seconds, to which longer ones are cut; their
	// mean is still MeanRun where that is given. 0 cuts none.
	MaxRun float64
}

// Base is the base of the logarithms of run times and of their variance. Section 3.5
// has 2; the log that is the paper's T6 has the run times of its row with e (see
// docs/reproduction.md).
type Base uint8

const (
	// Two is 2, as printed. It is the zero value.
	Two Base = iota
	// Natural is e.
	Natural
)

// BaseNames lists the bases in the order of their constants.
var BaseNames = []string{"2", "e"}

func (b Base) power(x float64) float64 {
	if b == Natural {
		return math.Exp(x)
	}
	return math.Exp2(x)
}

// Arrivals says when bags come (section 5.2, Fig. 5).
type Arrivals uint8

const (
	// Daily bags come as the system's do, with peak hours. It is the zero value.
	Daily Arrivals = iota
	// AtOnce has all of them come at moment 0.
	AtOnce
	// Even has the same time between any two.
	Even
)

// ArrivalNames lists the patterns of arrivals in the order of their constants.
var ArrivalNames = []string{"daily", "at-once", "even"}

// smallest is the size of the smallest bag: the paper's classes begin with 2.
const smallest = 2

// largest bounds the size of a bag, which no system of Table 3 comes near.
const largest = 1 << 20

func (m *Model) check() error {
	why := ""
	switch {
	case m.Bags < 0 || m.Bags == 0 && m.Tasks < 1:
		why = fmt.Sprintf("%d bags, %d tasks", m.Bags, m.Tasks)
	case m.Users.Users < 1 || m.Users.Users > math.MaxInt32:
		why = fmt.Sprintf("%d users", m.Users.Users)
	case !(m.Users.Alpha >= 0 && m.Users.Alpha <= 100):
		why = fmt.Sprintf("an exponent of %v", m.Users.Alpha)
	case m.Procs < 0:
		why = fmt.Sprintf("%d processors", m.Procs)
	case m.Procs == 0 && !(m.Load > 0 && m.Load <= 10):
		why = fmt.Sprintf("a load of %v", m.Load)
	case m.Streams < 0 || m.Streams > math.MaxUint16 || m.Users.Users > math.MaxInt32/max(m.Streams, 1):
		why = fmt.Sprintf("%d streams of %d users", m.Streams, m.Users.Users)
	case !(m.Days >= 0 && m.Days <= math.MaxInt32/day):
		why = fmt.Sprintf("%v days", m.Days)
	case int(m.Arrivals) >= len(ArrivalNames):
		why = fmt.Sprintf("arrivals %d", m.Arrivals)
	case m.MedianSize != 0 && !(m.MedianSize >= smallest && m.MedianSize <= largest):
		why = fmt.Sprintf("a median size of %v", m.MedianSize)
	case m.MeanRun != 0 && !(m.MeanRun >= 1 && m.MeanRun <= math.MaxInt32):
		why = fmt.Sprintf("a mean run time of %v s", m.MeanRun)
	case int(m.Base) >= len(BaseNames):
		why = fmt.Sprintf("base number %d", m.Base)
	case m.MaxRun != 0 && !(m.MaxRun >= 1 && m.MaxRun <= math.MaxInt32):
		why = fmt.Sprintf("a longest run time of %v s", m.MaxRun)
	case m.MaxRun != 0 && m.MeanRun >= m.MaxRun:
		why = fmt.Sprintf("a mean run time of %v s with none above %v s", m.MeanRun, m.MaxRun)
	}
	for i, d := range m.characteristics() {
		if wrong := d.check(); wrong != "" {
			why = fmt.Sprintf("%s by %s", Characteristics[i], wrong)
		}
	}
	if why == "" {
		for _, rate := range newClock(m.Cycle) {
			if !(rate > 0) || math.IsInf(rate, 0) {
				why = fmt.Sprintf("with cycle %v no bag comes in some half hour", m.Cycle)
			}
		}
	}
	if why != "" {
		return fmt.Errorf("bot: generate: %s: %w", why, trace.ErrModel)
	}
	return nil
}

// Generate draws a workload. The same model and seed give the same log.
//
// The log begins at midnight. All tasks of a bag are submitted at once and have
// its number, from 1, as executable (field 14). Fields 17 and 18 name the last
// task of the user's bag before, so that each bag is a campaign of its own, and
// the think time that the user had alone on unlimited processors, 0 if the bag
// before would not have ended. The model knows no think times: it is for replays
// in an open loop. Nothing is known of requested times.
func (m Model) Generate(seed uint64) (*trace.Log, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	records, err := m.records(seed)
	if err != nil {
		return nil, err
	}
	procs := m.Procs
	if procs == 0 {
		procs = trace.Machine(records, m.Load)
	}
	return &trace.Log{
		Header: []string{
			" Version: 2.2",
			fmt.Sprintf(" MaxJobs: %d", len(records)),
			fmt.Sprintf(" MaxProcs: %d", procs),
			fmt.Sprintf(" Note: generated from seed %d: bags-of-tasks (field 14) of system %s, users %v, inter-arrival %v, cycle %v, size %v, run time %v, variance %v%s",
				seed, m.Name, m.Users, m.InterArrive, m.Cycle, m.Size, m.RunTime, m.Variance, m.changes()),
		},
		Records: records,
	}, nil
}

// changes says how the model differs from its system, for the header.
func (m *Model) changes() string {
	text := ""
	if m.Streams > 0 {
		text += fmt.Sprintf(", %d streams (field 16)", m.Streams)
	}
	if m.Days > 0 {
		text += fmt.Sprintf(", %v days", m.Days)
	}
	if m.Arrivals != Daily {
		text += ", arrivals " + ArrivalNames[m.Arrivals]
	}
	if m.MedianSize > 0 {
		text += fmt.Sprintf(", median size %v", m.MedianSize)
	}
	if m.MeanRun > 0 {
		text += fmt.Sprintf(", mean run time %v s", m.MeanRun)
	}
	if m.Base != Two {
		text += ", run times and variances to base " + BaseNames[m.Base]
	}
	if m.MaxRun > 0 {
		text += fmt.Sprintf(", longest run time %v s", m.MaxRun)
	}
	return text
}

type drawn struct {
	at    float64 // seconds after the first midnight
	owner int     // from 0, over all streams
	runs  []float64
}

// records draws the tasks.
func (m *Model) records(seed uint64) ([]trace.Record, error) {
	bags, err := m.bags(seed)
	if err != nil {
		return nil, err
	}
	m.lengthen(bags)
	m.move(bags)
	type user struct{ last, end int64 } // of the bag before: its last task, when it ends
	users := make([]user, m.Users.Users*max(m.Streams, 1))
	var records []trace.Record
	for i, b := range bags {
		u := &users[b.owner]
		r := trace.Record{
			Submit: int64(b.at), Wait: trace.Unknown, Allocated: 1, CPU: trace.Unknown, Memory: trace.Unknown, Requested: 1,
			Limit: trace.Unknown, RAM: trace.Unknown, Status: 1, User: int64(b.owner + 1), Group: trace.Unknown, App: int64(i + 1),
			Queue: trace.Unknown, Partition: trace.Unknown, Preceding: trace.Unknown, Think: trace.Unknown,
		}
		if m.Streams > 0 {
			r.Partition = int64(b.owner/m.Users.Users + 1)
		}
		if u.last > 0 {
			r.Preceding, r.Think = u.last, max(0, r.Submit-u.end)
		}
		longest := int64(0)
		for _, run := range b.runs {
			r.Number, r.Run = int64(len(records)+1), int64(min(max(math.Round(run), 1), math.MaxInt32-1))
			longest = max(longest, r.Run)
			records = append(records, r)
		}
		*u = user{r.Number, r.Submit + longest}
	}
	return records, nil
}

// bags draws the bags of all streams, in the order of their submission.
func (m *Model) bags(seed uint64) ([]drawn, error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	weights, clock := m.Users.weights(), newClock(m.Cycle)
	if m.Days > 0 {
		clock = steady
	}
	at := make([]float64, max(m.Streams, 1)) // of the next bag of each stream
	for k := range at {
		at[k] = clock.after(0, math.Exp2(draw(rng, m.InterArrive)))
	}
	var list []drawn
	tasks := 0
	for m.Bags > 0 && len(list) < m.Bags || m.Bags == 0 && tasks < m.Tasks {
		k := 0
		for i := range at {
			if at[i] < at[k] {
				k = i
			}
		}
		if at[k] > math.MaxInt32 {
			return nil, fmt.Errorf("bot: generate: bag %d comes more than %d s after the first: %w", len(list)+1, math.MaxInt32, trace.ErrModel)
		}
		owner, _ := slices.BinarySearch(weights, rng.Float64()*weights[len(weights)-1])
		runs := m.bag(rng)
		if m.Bags == 0 {
			runs = runs[:min(len(runs), m.Tasks-tasks)]
		}
		tasks += len(runs)
		list = append(list, drawn{at[k], k*m.Users.Users + owner, runs})
		at[k] = clock.after(at[k], math.Exp2(draw(rng, m.InterArrive)))
	}
	return list, nil
}

// lengthen scales all run times to their mean, and cuts the longest.
func (m *Model) lengthen(bags []drawn) {
	sum, tasks := 0.0, 0
	for _, b := range bags {
		tasks += len(b.runs)
		for _, r := range b.runs {
			sum += r
		}
	}
	by := 1.0
	if m.MeanRun > 0 {
		by = m.MeanRun * float64(tasks) / sum
	}
	if m.MeanRun > 0 && m.MaxRun > 0 {
		wanted := m.MeanRun * float64(tasks)
		below := func(by float64) bool { return m.total(bags, by) < wanted }
		high := by
		for below(high) && high < math.MaxFloat32 {
			high *= 2
		}
		_, by = bisect(by, high, 60, below)
	}
	for _, b := range bags {
		for i := range b.runs {
			b.runs[i] = m.cut(b.runs[i] * by)
		}
	}
}

// cut returns a run time that is no longer than MaxRun.
func (m *Model) cut(run float64) float64 {
	if m.MaxRun > 0 {
		return min(run, m.MaxRun)
	}
	return run
}

// total returns the sum of the run times, scaled and cut.
func (m *Model) total(bags []drawn, by float64) float64 {
	sum := 0.0
	for _, b := range bags {
		for _, r := range b.runs {
			sum += m.cut(r * by)
		}
	}
	return sum
}

// move moves the bags to where their days and their arrivals want them.
func (m *Model) move(bags []drawn) {
	first, last := bags[0].at, bags[len(bags)-1].at
	clock := newClock(m.Cycle)
	ran := clock.until(m.Days * day)
	for i := range bags {
		b := &bags[i]
		switch {
		case m.Arrivals == AtOnce:
			b.at = 0
		case m.Arrivals == Even && m.Days > 0:
			b.at = m.Days * day * float64(i) / float64(len(bags))
		case m.Arrivals == Even:
			b.at = (last - first) * float64(i) / float64(len(bags))
		case m.Days > 0: // they were drawn by the steady clock
			b.at = clock.after(0, b.at/last*ran)
		}
	}
}

func draw(rng *rand.Rand, d Distribution) float64 { return d.Quantile(uniform(rng)) }

// uniform draws a number between 0 and 1 that is neither.
func uniform(rng *rand.Rand) float64 { return (float64(rng.Uint64()>>12) + 0.5) / (1 << 52) }

// weights returns cumulated probabilities of the users: the u-th entry is the sum
// over the first u+1.
func (z Zipf) weights() []float64 {
	list := make([]float64, z.Users)
	total := 0.0
	for u := range list {
		total += math.Pow(float64(u+1), -z.Alpha)
		list[u] = total
	}
	return list
}

// bag draws the run times of a bag, in seconds.
//
// The mean and the variance of the run times come from one quantile of their
// distributions: a bag of longer tasks varies more. Section 3.6 finds
// that neither depends on the size, and does not say how they go together. Drawn
// apart, one bag in three would have more variance than run times of its mean can
// have, which is the square of the mean times the size. Where that is so all the
// same, the mean counts. See docs/reproduction.md.
//
// The model has no distribution inside a bag. It is log-normal here.
func (m *Model) bag(rng *rand.Rand) []float64 {
	drawn := math.Exp2(draw(rng, m.Size))
	if m.MedianSize > 0 {
		drawn *= m.MedianSize / math.Exp2(m.Size.Quantile(0.5))
	}
	size := int(min(max(math.Round(drawn), smallest), largest))
	u := uniform(rng)
	mean, variance := m.Base.power(m.RunTime.Quantile(u)), m.Base.power(m.Variance.Quantile(u))
	logs := make([]float64, size)
	for i := range logs {
		logs[i] = rng.NormFloat64()
	}
	parts := spread(logs, variance/(mean*mean))
	runs := make([]float64, size)
	for i, p := range parts {
		runs[i] = mean * p
	}
	return runs
}

// spread returns numbers whose logarithms are in proportion to some values, with
// mean 1 and, if that can be, with the given variance.
func spread(values []float64, variance float64) []float64 {
	n, most := float64(len(values)), slices.Max(values)
	list := make([]float64, len(values))
	set := func(sigma float64) (got float64) {
		sum := 0.0
		for i, v := range values {
			list[i] = math.Exp(sigma * (v - most))
			sum += list[i]
		}
		for i := range list {
			list[i] *= n / sum
			got += (list[i] - 1) * (list[i] - 1) / (n - 1)
		}
		return got
	}
	low, high := 0.0, 1.0
	for high < 1<<20 && set(high) < variance {
		low, high = high, 2*high
	}
	_, high = bisect(low, high, 60, func(sigma float64) bool { return set(sigma) < variance })
	set(high)
	return list
}
