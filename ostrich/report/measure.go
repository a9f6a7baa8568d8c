// Package report measures runs: how long jobs and campaigns took, compared with
// how long they had to.
package report

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
)

// Job is a job that has run.
type Job struct {
	ID       ostrich.JobID
	User     ostrich.UserID
	Campaign int // numbered from 0 over all users; below 0 for a job in none
	Submit   ostrich.Time
	Start    ostrich.Time
	End      ostrich.Time
	Procs    int
	Estimate ostrich.Duration // expected run time; 0 if not known

	Suspended ostrich.Duration // between start and end

	// Of a job that made room for others: the length of its runs that ended so before the last one began, from zero, how
	// often it did, and whether it was ended for good. Its wait ends with the start of the last run.
	Lost      ostrich.Duration
	Preempted int32
	Cancelled bool

	Killed bool // ended at its estimate, before it was done
	Failed bool // ended by itself, with an error
}

// Ran returns the length p of the job, without the time in which it was suspended.
func (j *Job) Ran() ostrich.Duration { return ostrich.Duration(j.End-j.Start) - j.Suspended }

// Busy returns on how many processors the job ran in the mean, from its start to its end.
func (j *Job) Busy() float64 {
	if j.Suspended == 0 {
		return float64(j.Procs)
	}
	return float64(j.Procs) * j.run() / float64(j.End-j.Start)
}

func (j *Job) run() float64 { return float64(j.Ran()) }

// Stretch returns (C − t)/p of the job; a job below a second counts as one.
func (j *Job) Stretch() float64 { return float64(j.End-j.Submit) / max(1, j.run()) }

// Campaign is a campaign that has ended.
type Campaign struct {
	User    ostrich.UserID
	Jobs    int
	Submit  ostrich.Time     // t, of the first job
	End     ostrich.Time     // C, of the last job
	Work    ostrich.Work     // W
	Longest ostrich.Duration // p_max
	Floor   ostrich.Duration // shorter campaigns count as this long; 0 in the papers
}

// Stretch returns D = (C - t) / max(W/m, p_max) on m processors (paper section
// 3). With a floor it is the bounded stretch, (C - t) / max(W/m, p_max, floor),
// in which a job cancelled in its first second does not outweigh all others.
func (c *Campaign) Stretch(m int) float64 { return float64(c.End-c.Submit) / c.bound(m) }

// bound returns l, the shortest time in which m processors could run the
// campaign, or the floor if that is longer.
func (c *Campaign) bound(m int) float64 {
	return max(ostrich.LeastFlow(c.Work, c.Longest, m), float64(c.Floor))
}

// SetFloor sets the floor of all campaigns.
func SetFloor(campaigns []Campaign, floor ostrich.Duration) {
	for i := range campaigns {
		campaigns[i].Floor = floor
	}
}

// Campaigns collects the jobs of each campaign, by number.
func Campaigns(jobs []Job) []Campaign {
	last := -1
	for i := range jobs {
		last = max(last, jobs[i].Campaign)
	}
	list := make([]Campaign, last+1)
	for i := range list {
		list[i] = Campaign{Submit: math.MaxInt64, End: math.MinInt64}
	}
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		c := &list[j.Campaign]
		c.User = j.User
		c.Jobs++
		c.Submit = min(c.Submit, j.Submit)
		c.End = max(c.End, j.End)
		c.Work += ostrich.Work(j.run()) * ostrich.Work(j.Procs)
		c.Longest = max(c.Longest, j.Ran())
	}
	return slices.DeleteFunc(list, func(c Campaign) bool { return c.Jobs == 0 })
}

// Stretch is the distribution of the stretch of campaigns, as fractions of
// their number.
type Stretch struct {
	Optimal float64 `json:"optimal"` // at most 1, but for rounding
	Le115   float64 `json:"le_1_15"`
	Lt15    float64 `json:"lt_1_5"`
	Lt2     float64 `json:"lt_2"`
	Gt20    float64 `json:"gt_20"`
	Mean    float64 `json:"mean"`
	P50     float64 `json:"p50"`
	P99     float64 `json:"p99"`
	Max     float64 `json:"max"`
}

// optimal is the largest stretch that counts as optimal.
const optimal = 1 + 1e-9

// Stretches measures campaigns on m processors.
func Stretches(campaigns []Campaign, m int) Stretch {
	values := make([]float64, len(campaigns))
	for i := range campaigns {
		values[i] = campaigns[i].Stretch(m)
	}
	return SummariseStretches(values)
}

// SummariseStretches summarises stretches of campaigns. It sorts them.
func SummariseStretches(values []float64) Stretch {
	slices.Sort(values)
	below := func(limit float64, included bool) float64 {
		n, found := slices.BinarySearch(values, limit)
		for found && included && n < len(values) && values[n] == limit {
			n++
		}
		return fraction(n, len(values))
	}
	return Stretch{
		Optimal: below(optimal, true), Le115: below(1.15, true), Lt15: below(1.5, false), Lt2: below(2, false),
		Gt20: fraction(len(values), len(values)) - below(20, true),
		Mean: mean(values), P50: Quantile(values, 0.50), P99: Quantile(values, 0.99), Max: Quantile(values, 1),
	}
}

// Wait is the distribution of the time from submission to start, in seconds.
type Wait struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
}

// Waits measures the waiting times of jobs.
func Waits(jobs []Job) Wait {
	values := make([]float64, len(jobs))
	for i := range jobs {
		values[i] = float64(jobs[i].Start - jobs[i].Submit)
	}
	slices.Sort(values)
	return Wait{Mean: mean(values), P50: Quantile(values, 0.5), P95: Quantile(values, 0.95), P99: Quantile(values, 0.99)}
}

// tau is the τ of the bounded slowdown, in seconds: shorter jobs count as this
// long.
const tau = 10

// BoundedSlowdown returns the mean over the jobs of max(1, (wait+run)/max(τ,
// run)) with τ = 10 s (Feitelson).
func BoundedSlowdown(jobs []Job) float64 { return Slowdown.Of(sampled(jobs)) }

func (j *Job) boundedSlowdown() float64 { return max(1, float64(j.End-j.Submit)/max(tau, j.run())) }

// Span returns the first submission and the last end.
func Span(jobs []Job) (first, last ostrich.Time) {
	if len(jobs) == 0 {
		return 0, 0
	}
	first, last = jobs[0].Submit, jobs[0].End
	for i := range jobs {
		first, last = min(first, jobs[i].Submit), max(last, jobs[i].End)
	}
	return first, last
}

// Utilisation returns the part of m processors that the jobs used, runs in vain
// included, from the first submission to the last end.
func Utilisation(jobs []Job, m int) float64 {
	var area float64
	for i := range jobs {
		area += (jobs[i].run() + float64(jobs[i].Lost)) * float64(jobs[i].Procs)
	}
	first, last := Span(jobs)
	if last <= first || m < 1 {
		return 0
	}
	return area / (float64(m) * float64(last-first))
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Quantile returns the smallest of the sorted values such that at least a part q
// of them is not larger; 0 without values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

func fraction(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
