package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/scalar"
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
	return lateness(jobs, o, false)
}

// lateness is Lateness; exact jobs are expected to run for as long as they do.
func lateness(jobs []report.Job, o ostrich.Options, exact bool) ([]float64, error) {
	completed, err := virtualCompletions(jobs, o, nil, exact)
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
	return lateness(jobs, ostrich.Options{Procs: m, Machine: ostrich.Parallel, Gate: ostrich.Off}, true)
}

// VirtualCompletions returns when the virtual schedule completes each campaign,
// C~ in seconds, by their numbers; NaN for one that it never completes. With
// shares the machine is divided by them, without evenly. Like Lateness it takes
// the campaigns from the jobs.
func VirtualCompletions(jobs []report.Job, o ostrich.Options, shares *ostrich.Shares) ([]float64, error) {
	return virtualCompletions(jobs, o, shares, false)
}

// virtualCompletions is VirtualCompletions; exact jobs are expected to run for as long as they do.
func virtualCompletions(jobs []report.Job, o ostrich.Options, shares *ostrich.Shares, exact bool) ([]float64, error) {
	o.Rule = campaign.Rule{By: campaign.Groups}
	s, err := ostrich.New(o)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	first, _ := report.Span(jobs)
	shift := max(0, 1-first) // moment 0 means "not yet"
	campaigns, counted := 0, 0
	for i := range jobs {
		if n := jobs[i].Campaign; n >= 0 {
			campaigns = max(campaigns, n+1)
			counted++
		}
	}
	done := func(j *report.Job) ostrich.Time { return j.Start + ostrich.Time(j.Ran()) } // when it was suspended is not known
	leads := make([]ostrich.JobID, campaigns)
	happened := make([]happening, 0, 3*counted)
	for i := range jobs {
		j := &jobs[i]
		if j.Campaign < 0 {
			continue
		}
		if leads[j.Campaign] == 0 {
			leads[j.Campaign] = ostrich.JobID(i + 1)
		}
		end := ends
		if scalar.LeavesLate(j.Submit, j.Start, done(j)) {
			end = endsLate
		}
		happened = append(happened,
			happening{at: j.Submit + shift, what: comes, job: int32(i)},
			happening{at: j.Start + shift, what: starts, job: int32(i)},
			happening{at: done(j) + shift, what: end, job: int32(i)})
	}
	slices.SortFunc(happened, happening.compare)

	completed := make([]float64, campaigns)
	for n := range completed {
		completed[n] = math.NaN()
	}
	s.OnCompletion(func(lead ostrich.JobID, at float64) {
		if n := jobs[lead-1].Campaign; leads[n] == lead {
			completed[n] = at - float64(shift)
		}
	})
	if shares != nil {
		if err := s.Step(ostrich.Event{Kind: ostrich.Reshare, Shares: shares}); err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
	}
	for _, h := range happened {
		j := &jobs[h.job]
		e := ostrich.Event{At: h.at, Kind: ostrich.Submit}
		e.Job = ostrich.Job{ID: ostrich.JobID(h.job + 1), Group: leads[j.Campaign], User: j.User, Procs: j.Procs, Estimate: j.Estimate, Submit: j.Submit + shift}
		if exact || j.Estimate == 0 {
			e.Job.Estimate = j.Ran()
		}
		if h.what != comes {
			e.Kind, e.Job.Start = ostrich.Start, j.Start+shift
		}
		if h.what == ends || h.what == endsLate {
			e.Kind, e.Job.End = ostrich.End, done(j)+shift
		}
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

// happening is an event of a job. Of very many it is small.
type happening struct {
	at   ostrich.Time
	what what
	job  int32
}

// what happens to a job, in the order of a second as ostrich.Compare has it.
type what uint8

const (
	ends what = iota
	comes
	starts
	endsLate // in the second in which it has come or started
)

func (h happening) compare(other happening) int {
	switch {
	case h.at != other.at:
		return cmp.Compare(h.at, other.at)
	case h.what != other.what:
		return cmp.Compare(h.what, other.what)
	}
	return cmp.Compare(h.job, other.job)
}
