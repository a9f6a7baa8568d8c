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
}

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
	rng := rand.New(rand.NewPCG(seed, 2))
	type user struct{ last, end int64 } // of the bag before: its last task, when it ends
	users, weights := make([]user, m.Users.Users), m.Users.weights()
	clock := newClock(m.Cycle)
	var records []trace.Record
	at := 0.0
	for bag := 1; m.Bags > 0 && bag <= m.Bags || m.Bags == 0 && len(records) < m.Tasks; bag++ {
		at = clock.after(at, math.Exp2(draw(rng, m.InterArrive)))
		if at > math.MaxInt32 {
			return nil, fmt.Errorf("bot: generate: bag %d comes more than %d s after the first: %w", bag, math.MaxInt32, trace.ErrModel)
		}
		owner, _ := slices.BinarySearch(weights, rng.Float64()*weights[len(weights)-1])
		runs := m.bag(rng)
		if m.Bags == 0 {
			runs = runs[:min(len(runs), m.Tasks-len(records))]
		}
		u := &users[owner]
		r := trace.Record{
			Submit: int64(at), Wait: trace.Unknown, Allocated: 1, CPU: trace.Unknown, Memory: trace.Unknown, Requested: 1,
			Limit: trace.Unknown, RAM: trace.Unknown, Status: 1, User: int64(owner + 1), Group: trace.Unknown, App: int64(bag),
			Queue: trace.Unknown, Partition: trace.Unknown, Preceding: trace.Unknown, Think: trace.Unknown,
		}
		if u.last > 0 {
			r.Preceding, r.Think = u.last, max(0, r.Submit-u.end)
		}
		for _, run := range runs {
			r.Number, r.Run = int64(len(records)+1), run
			records = append(records, r)
		}
		*u = user{r.Number, r.Submit + slices.Max(runs)}
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
			fmt.Sprintf(" Note: generated from seed %d: bags-of-tasks (field 14) of system %s, users %v, inter-arrival %v, cycle %v, size %v, run time %v, variance %v",
				seed, m.Name, m.Users, m.InterArrive, m.Cycle, m.Size, m.RunTime, m.Variance),
		},
		Records: records,
	}, nil
}

// draw draws a value.
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

// bag draws the run times of a bag, in whole seconds.
//
// The mean and the variance of the run times come from one quantile of their
// distributions: a bag of longer tasks varies more. Section 3.6 finds
// that neither depends on the size, and does not say how they go together. Drawn
// apart, one bag in three would have more variance than run times of its mean can
// have, which is the square of the mean times the size. Where that is so all the
// same, the mean counts. See docs/reproduction.md.
//
// The model has no distribution inside a bag. It is log-normal here.
func (m *Model) bag(rng *rand.Rand) []int64 {
	size := int(min(max(math.Round(math.Exp2(draw(rng, m.Size))), smallest), largest))
	u := uniform(rng)
	mean, variance := math.Exp2(m.RunTime.Quantile(u)), math.Exp2(m.Variance.Quantile(u))
	logs := make([]float64, size)
	for i := range logs {
		logs[i] = rng.NormFloat64()
	}
	parts := spread(logs, variance/(mean*mean))
	runs := make([]int64, size)
	for i, p := range parts {
		runs[i] = int64(min(max(math.Round(mean*p), 1), math.MaxInt32-1))
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
	for range 60 {
		if middle := (low + high) / 2; set(middle) < variance {
			low = middle
		} else {
			high = middle
		}
	}
	set(high)
	return list
}
