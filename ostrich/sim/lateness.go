package sim

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
)

// Lateness returns for each campaign how much later it really ended than in the
// virtual schedule of the given options, C−C~ in seconds: at most 0 if the run
// gave the user all that an equal share would have. The campaigns are in the
// order of their numbers; jobs in none count for nobody. A campaign that the virtual
// schedule never completes, as on a Parallel machine that stands still once
// nothing runs, is NaN.
//
// Options.Rule means nothing: the jobs say in which campaign they are.
func Lateness(jobs []report.Job, o ostrich.Options) ([]float64, error) {
	completed, err := VirtualCompletions(jobs, o, nil)
	if err != nil {
		return nil, err
	}
	ends := make([]ostrich.Time, len(completed))
	for n := range ends {
		ends[n] = math.MinInt64
	}
	for i := range jobs {
		if n := jobs[i].Campaign; n >= 0 {
			ends[n] = max(ends[n], jobs[i].End)
		}
	}
	late := completed
	for n, end := range ends {
		late[n] = float64(end) - completed[n]
	}
	return late, nil
}

// SharedLateness is Lateness where all active users share the processors that are
// busy, by true lengths.
func SharedLateness(jobs []report.Job, m int) ([]float64, error) {
	return Lateness(exactly(jobs), ostrich.Options{Procs: m, Machine: ostrich.Parallel, Gate: ostrich.Off})
}

// exactly returns jobs that are expected to run for as long as they do.
func exactly(jobs []report.Job) []report.Job {
	exact := slices.Clone(jobs)
	for i := range exact {
		exact[i].Estimate = 0 // the true length
	}
	return exact
}

// VirtualCompletions returns when the virtual schedule completes each campaign,
// C~ in seconds, by their numbers; NaN for one that it never completes. With
// shares the machine is divided by them, without evenly. Like Lateness it takes
// the campaigns from the jobs.
func VirtualCompletions(jobs []report.Job, o ostrich.Options, shares *ostrich.Shares) ([]float64, error) {
	o.Rule = campaign.Rule{By: campaign.Groups}
	s, err := ostrich.New(o)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	campaigns := 0
	first, _ := report.Span(jobs)
	shift := max(0, 1-first) // moment 0 means "not yet"
	var events []ostrich.Event
	leads := make(map[int]ostrich.JobID)
	of := make(map[ostrich.JobID]int)
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		campaigns = max(campaigns, j.Campaign+1)
		id := ostrich.JobID(i + 1)
		if leads[j.Campaign] == 0 {
			leads[j.Campaign], of[id] = id, j.Campaign
		}
		estimate := j.Estimate
		if estimate == 0 {
			estimate = ostrich.Duration(j.End - j.Start)
		}
		job := ostrich.Job{ID: id, Group: leads[j.Campaign], User: j.User, Procs: j.Procs, Estimate: estimate, Submit: j.Submit + shift}
		events = append(events, ostrich.Event{At: job.Submit, Kind: ostrich.Submit, Job: job})
		job.Start = j.Start + shift
		events = append(events, ostrich.Event{At: job.Start, Kind: ostrich.Start, Job: job})
		job.End = j.End + shift
		events = append(events, ostrich.Event{At: job.End, Kind: ostrich.End, Job: job})
	}
	slices.SortFunc(events, ostrich.Compare)

	completed := make([]float64, campaigns)
	for n := range completed {
		completed[n] = math.NaN()
	}
	s.OnCompletion(func(lead ostrich.JobID, at float64) {
		if n, ok := of[lead]; ok {
			completed[n] = at - float64(shift)
		}
	})
	if shares != nil {
		events = slices.Insert(events, 0, ostrich.Event{Kind: ostrich.Reshare, Shares: shares})
	}
	for _, e := range events {
		if err := s.Step(e); err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
	}
	for due := s.NextCompletion(); due < math.MaxInt64/2; due = s.NextCompletion() {
		if err := s.AdvanceTo(ostrich.Time(math.Ceil(due))); err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
	}
	return completed, nil
}
