package orderbench

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// Figures has one of each measure.
type Figures[T any] struct {
	Mean           T `json:"mean"`            // bounded stretch of campaigns
	UsersMean      T `json:"users_mean"`      // mean over users of their mean stretch
	UsersGeometric T `json:"users_geometric"` // geometric mean over users of their mean stretch
	P95            T `json:"p95"`
	P99            T `json:"p99"`
	Max            T `json:"max"`
	Wait           T `json:"wait"`        // mean over jobs, in seconds
	MaxWait        T `json:"max_wait"`    // in seconds
	Late           T `json:"late"`        // mean over campaigns of max(0, C − C~), in seconds
	Rho            T `json:"rho"`         // mean over campaigns, see report.Rho; the floor is the allowance
	RhoAbove       T `json:"rho_above"`   // part of the campaigns with ρ > 1
	Utilisation    T `json:"utilisation"` // part of the processors busy up to the last submission

	JobsPastDue      T `json:"jobs_past_due"`      // part of the jobs that were not in time, see report.Late
	CampaignsPastDue T `json:"campaigns_past_due"` // the same of campaigns
}

// All lists them in the order of measures.
func (f *Figures[T]) All() [len(measures)]*T {
	return [...]*T{
		&f.Mean, &f.UsersMean, &f.UsersGeometric, &f.P95, &f.P99, &f.Max, &f.Wait, &f.MaxWait, &f.Late, &f.Rho, &f.RhoAbove, &f.Utilisation,
		&f.JobsPastDue, &f.CampaignsPastDue,
	}
}

// Measures are the figures of a run.
type Measures = Figures[float64]

// Ratios are those of all measures.
type Ratios = Figures[Ratio]

// measure describes a figure for the tables.
type measure struct {
	Head, Name string
	least      float64 // smaller values count as this: two waits of 0 s are alike
}

// measures are in the order of the fields of Figures. Due dates count by what missed
// them, not by what kept them: where 98 of 100 jobs are in time, no order can be much
// above 1 by the latter.
var measures = [...]measure{
	{"MEAN", "mean campaign stretch", 0},
	{"USERS", "mean over users", 0},
	{"USERS-GEO", "geometric mean over users", 0},
	{"P95", "95th percentile", 0},
	{"P99", "99th percentile", 0},
	{"MAX", "greatest stretch", 0},
	{"WAIT", "mean wait", 1},
	{"MAX-WAIT", "longest wait", 1},
	{"LATE", "mean lateness", 1},
	{"RHO", "mean ρ", 0},
	{"RHO>1", "campaigns with ρ > 1", 0.001},
	{"UTIL", "utilisation (more is better)", 0},
	{"JOBS-PAST-DUE", "jobs past due", 0.001},
	{"CAMP-PAST-DUE", "campaigns past due", 0.001},
}

// measured measures the jobs of a run on procs processors.
func measured(jobs []report.Job, procs int, floor ostrich.Duration, accept satisfaction.Acceptance) (Measures, error) {
	campaigns := report.Campaigns(jobs)
	report.SetFloor(campaigns, floor)
	if len(campaigns) == 0 {
		return Measures{}, fmt.Errorf("nothing to measure: %w", sim.ErrWorkload)
	}
	var m Measures
	stretches := make([]float64, len(campaigns))
	type user struct{ sum, count float64 }
	users := make(map[ostrich.UserID]int)
	var sums []user
	for i := range campaigns {
		c := &campaigns[i]
		stretches[i] = c.Stretch(procs)
		m.Mean += stretches[i]
		n, ok := users[c.User]
		if !ok {
			n = len(sums)
			users[c.User] = n
			sums = append(sums, user{})
		}
		sums[n].sum += stretches[i]
		sums[n].count++
	}
	m.Mean /= float64(len(campaigns))
	for _, u := range sums {
		m.UsersMean += u.sum / u.count
		m.UsersGeometric += math.Log(u.sum / u.count)
	}
	m.UsersMean /= float64(len(sums))
	m.UsersGeometric = math.Exp(m.UsersGeometric / float64(len(sums)))
	slices.Sort(stretches)
	m.P95, m.P99, m.Max = report.Quantile(stretches, 0.95), report.Quantile(stretches, 0.99), stretches[len(stretches)-1]

	for i := range jobs {
		wait := float64(jobs[i].Start - jobs[i].Submit)
		m.Wait += wait
		m.MaxWait = max(m.MaxWait, wait)
	}
	m.Wait /= float64(len(jobs))
	m.Utilisation = utilisation(jobs, procs)
	ofJobs, ofCampaigns := report.Late(jobs, campaigns, procs, accept)
	m.JobsPastDue, m.CampaignsPastDue = pastDue(ofJobs), pastDue(ofCampaigns)
	var err error
	if m.Late, err = late(jobs, campaigns, procs); err != nil {
		return m, err
	}
	rhos, err := rho(jobs, campaigns, procs, floor)
	m.Rho, m.RhoAbove = rhos.Mean, 1-rhos.Le1
	return m, err
}

// rho compares the flow of each campaign with that on a machine that all users
// with work share evenly, by true lengths.
func rho(jobs []report.Job, campaigns []report.Campaign, procs int, floor ostrich.Duration) (report.Rhos, error) {
	shared, err := sim.SharedFlows(jobs, procs, nil)
	if err != nil {
		return report.Rhos{}, err
	}
	values := make([]float64, len(campaigns))
	for i := range campaigns {
		values[i] = report.Rho(float64(campaigns[i].End-campaigns[i].Submit), shared[i], float64(floor))
	}
	return report.SummariseRho(values), nil
}

// pastDue returns the part of the latenesses that are above 0.
func pastDue(all []ostrich.Duration) float64 {
	n := 0
	for _, late := range all {
		n += satisfaction.Unified(late)
	}
	return float64(n) / float64(len(all))
}

// late returns the mean over the campaigns of how much later they ended than in
// the virtual schedule of a machine that all active users share by true lengths.
// A campaign that this schedule never completes is not late.
func late(jobs []report.Job, campaigns []report.Campaign, procs int) (float64, error) {
	all, err := sim.SharedLateness(jobs, procs)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, l := range all {
		if l > 0 { // NaN is not
			sum += l
		}
	}
	return sum / float64(len(campaigns)), nil
}

// utilisation returns the part of the processors that is busy from the first
// submission to the last one. What runs later shows the end of the log more than
// the work of the order: one long job can double the time. If all jobs came at
// once, the period ends with the last end.
func utilisation(jobs []report.Job, procs int) float64 {
	first, end := report.Span(jobs)
	last := first
	for i := range jobs {
		last = max(last, jobs[i].Submit)
	}
	if last == first {
		last = end
	}
	return report.Utilisations(jobs, procs, first, last, ostrich.Duration(last-first))[0]
}
