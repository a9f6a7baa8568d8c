package report

import (
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
)

// Sums are sums over jobs and campaigns. Those of two sets add up to those of both.
type Sums struct {
	Jobs       float64 // their number
	Wait       float64
	Slowdown   float64 // bounded
	JobsInTime float64 // number of jobs that were not late
	Lateness   float64
	Tardiness  float64

	// Of processor-seconds, n·∫ tᵏ dt over each job's run on n processors, t from its
	// submission on: their number (k = 0), and k = 2 and 3; and their number times the time to the end of the job.
	Area, Aged, AgedResponse, Response float64

	Campaigns       float64 // their number
	Stretch         float64
	Unbounded       float64 // stretch without the floor
	CampaignsInTime float64 // number of campaigns that were not late
	Rho             float64
	Kept            float64 // number of campaigns with ρ ≤ 1
	Behind          float64 // max(0, C − C~)
}

// Add adds other sums so many times.
func (s *Sums) Add(o *Sums, times float64) {
	s.Jobs += times * o.Jobs
	s.Wait += times * o.Wait
	s.Slowdown += times * o.Slowdown
	s.JobsInTime += times * o.JobsInTime
	s.Lateness += times * o.Lateness
	s.Tardiness += times * o.Tardiness
	s.Area += times * o.Area
	s.Aged += times * o.Aged
	s.AgedResponse += times * o.AgedResponse
	s.Response += times * o.Response
	s.Campaigns += times * o.Campaigns
	s.Stretch += times * o.Stretch
	s.Unbounded += times * o.Unbounded
	s.CampaignsInTime += times * o.CampaignsInTime
	s.Rho += times * o.Rho
	s.Kept += times * o.Kept
	s.Behind += times * o.Behind
}

// AddJob adds a job with its lateness, see Late.
func (s *Sums) AddJob(j *Job, late ostrich.Duration) {
	s.Jobs++
	s.Wait += float64(j.Start - j.Submit)
	s.Slowdown += j.boundedSlowdown()
	s.JobsInTime += float64(1 - satisfaction.Unified(late))
	s.Lateness += float64(late)
	s.Tardiness += float64(satisfaction.Tardiness(late))
	wait, flow := float64(j.Start-j.Submit), float64(j.End-j.Submit)
	area := float64(j.Procs) * j.run()
	s.Area += area
	s.Aged += area * (flow*flow + flow*wait + wait*wait) / 3 // flow³ − wait³, without the difference of large numbers
	s.AgedResponse += area * (flow + wait) * (flow*flow + wait*wait) / 4
	s.Response += area * flow
}

// AddCampaign adds a campaign on m processors with its lateness, see Late.
func (s *Sums) AddCampaign(c *Campaign, m int, late ostrich.Duration) {
	plain := *c
	plain.Floor = 0
	s.Campaigns++
	s.Stretch += c.Stretch(m)
	s.Unbounded += plain.Stretch(m)
	s.CampaignsInTime += float64(1 - satisfaction.Unified(late))
}

// AddRho adds the ρ of a campaign, see Rho.
func (s *Sums) AddRho(rho float64) {
	s.Rho += rho
	if rho <= 1 {
		s.Kept++
	}
}

// AddBehind adds how much later than virtually a campaign ended, in seconds. One that is
// never completed virtually, NaN, is not late, nor is one that is early.
func (s *Sums) AddBehind(late float64) {
	if late > 0 { // NaN is not
		s.Behind += late
	}
}

// Percentiles are those of values that measures speak of.
type Percentiles struct{ P50, P95, P99, Max float64 }

// PercentilesOf returns those of all values. It sorts them.
func PercentilesOf(values []float64) Percentiles {
	slices.Sort(values)
	return Percentiles{Quantile(values, 0.5), Quantile(values, 0.95), Quantile(values, 0.99), Quantile(values, 1)}
}

// Percentiles returns those of a sample, as Quantiles does.
func (p *Pool) Percentiles(times []int32) Percentiles {
	q := p.Quantiles(times, 0.5, 0.95, 0.99, 1)
	return Percentiles{q[0], q[1], q[2], q[3]}
}

// Sample is a run, or a sample of its users or weeks, added up: what all measures are
// computed from.
type Sample struct {
	Sums
	Stretch, Rho, Wait Percentiles

	// Users are those with campaigns; below them are sums over these users.
	Users     float64
	userMean  float64 // mean stretch
	userLog   float64 // its logarithm
	userMost  float64 // greatest stretch
	Jain      float64
	Gini      float64
	Envy      float64 // pairs
	Busy      float64 // utilisation, over the time that the command says
	Makespan  float64 // seconds
	OfNothing float64 // a mean of nothing: NaN where samples without anything are left out
}

// AddUser adds a user with campaigns so many times, by the mean and the greatest of their
// stretches.
func (s *Sample) AddUser(mean, most, times float64) {
	s.Users += times
	s.userMean += times * mean
	s.userLog += times * math.Log(mean)
	s.userMost += times * most
}

func (s *Sample) over(sum, n float64) float64 {
	if n == 0 {
		return s.OfNothing
	}
	return sum / n
}

func (s *Sample) ofJobs(sum float64) float64      { return s.over(sum, s.Jobs) }
func (s *Sample) ofCampaigns(sum float64) float64 { return s.over(sum, s.Campaigns) }
func (s *Sample) ofUsers(sum float64) float64     { return s.over(sum, s.Users) }
