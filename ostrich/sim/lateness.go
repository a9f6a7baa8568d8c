package sim

import (
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Lateness tells for each campaign how much later it really ended than in the
// virtual schedule of the given options, C−C~ in seconds: at most 0 if the run
// gave the user all that an equal share would have. The campaigns are in the
// order of their numbers; jobs in none count for nobody. A campaign that the virtual
// schedule never completes, as on a Parallel machine that stands still once
// nothing runs, is NaN.
//
// Options.Rule means nothing: the jobs say in which campaign they are.
func Lateness(jobs []report.Job, o ostrich.Options) ([]float64, error) {
	o.Rule = ostrich.Rule{By: ostrich.Arrival, Threshold: 1}
	s, err := ostrich.New(o)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	campaigns := 0
	first, _ := report.Span(jobs)
	shift := max(0, 1-first) // moment 0 means "not yet"
	var events []ostrich.Event
	ends := make(map[int]ostrich.Time)
	leads := make(map[int]ostrich.JobID)
	of := make(map[ostrich.JobID]int)
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		campaigns = max(campaigns, j.Campaign+1)
		ends[j.Campaign] = max(ends[j.Campaign], j.End+shift)
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

	late := make([]float64, campaigns)
	for n := range late {
		late[n] = math.NaN()
	}
	s.OnCompletion(func(lead ostrich.JobID, at float64) {
		if n, ok := of[lead]; ok {
			late[n] = float64(ends[n]) - at
		}
	})
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
	return late, nil
}
