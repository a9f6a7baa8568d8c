package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// OStrich is the policy that ranks by the virtual schedule, with the given
// options but for Procs and Rule: the workload says what a campaign is. With a
// strict gate no job starts before the virtual start of its campaign. On a
// Parallel machine such a gate may never open, as the virtual schedule stands
// still while nothing runs: Run then returns ErrWorkload. (The papers have the
// gate for sequential jobs only, thesis 5.1.)
//
// The schedule knows a campaign by the group of its jobs. Of a campaign whose
// submitted jobs have all ended before the next one comes, which Offsets can
// bring about, that one opens a new campaign in the schedule.
func OStrich(o ostrich.Options) Policy {
	return func(m int) (Ranker, error) {
		own := o // replays may run at once
		own.Procs, own.Rule = m, campaign.Rule{By: campaign.Groups}
		s, err := ostrich.New(own)
		if err != nil {
			return nil, fmt.Errorf("ostrich: %w", err)
		}
		return virtual{s}, nil
	}
}

// Classes are the site's own order of jobs, above that of the campaigns.
type Classes struct {
	Number int                        // of classes; 0 is one of all jobs
	Of     func(id ostrich.JobID) int // the class of a job by its running number, 0 goes first; nil without classes
}

// Classed is the policy of ostrichd: OStrich with all of the given options but
// Procs, and a schedule for each class, of which all jobs go before all jobs of the next.
// The schedule finds the campaigns itself, by Options.Rule, and orders the
// jobs inside them by the lengths that it expects. What the workload says of
// campaigns only decides when jobs are submitted, and with Dependencies when they can
// start: until then they are kept back, as ostrichd keeps them (ostrich.Hold).
func Classed(o ostrich.Options, classes Classes) Policy {
	return func(m int) (Ranker, error) {
		own := o // replays may run at once
		own.Procs = m
		r := &sidecar{class: classes.Of}
		for range max(1, classes.Number) {
			s, err := ostrich.New(own)
			if err != nil {
				return nil, fmt.Errorf("ostrich: %w", err)
			}
			r.schedules = append(r.schedules, virtual{s})
		}
		return r, nil
	}
}

// sidecar lists the jobs in the order of the virtual schedules.
type sidecar struct {
	schedules []virtual               // by class
	class     func(ostrich.JobID) int // nil: one of all jobs
	jobs      []ostrich.JobID
}

// Step takes an event. A job of a log belongs to no array. What is not about a job is
// about the machine, and concerns all classes.
func (r *sidecar) Step(e ostrich.Event) error {
	e.Job.Group = 0
	if r.class != nil && e.Job.ID != 0 {
		return r.schedules[r.class(e.Job.ID)].Step(e)
	}
	for _, s := range r.schedules {
		if err := s.Step(e); err != nil {
			return err
		}
	}
	return nil
}

// Wake is when the first of the schedules may change.
func (r *sidecar) Wake(waiting bool) ostrich.Time {
	first := ostrich.Time(0)
	for _, s := range r.schedules {
		if at := s.Wake(waiting); at != 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

func (r *sidecar) AdvanceTo(t ostrich.Time) error {
	for _, s := range r.schedules {
		if err := s.AdvanceTo(t); err != nil {
			return err
		}
	}
	return nil
}

// Jobs lists the waiting jobs, class by class.
func (r *sidecar) Jobs() []ostrich.JobID {
	r.jobs = r.jobs[:0]
	for _, s := range r.schedules {
		for id := range s.Pending() {
			r.jobs = append(r.jobs, id)
		}
	}
	return r.jobs
}

// virtual is the virtual schedule. It may change by itself, and open a strict
// gate: at a completion in it, and when a job has outlived its estimate.
type virtual struct{ *ostrich.Schedule }

// Wake is when it may change next. What happens between two seconds takes
// effect at the later one.
func (v virtual) Wake(waiting bool) ostrich.Time {
	if !waiting {
		return 0
	}
	next := ostrich.Time(0)
	if due := math.Ceil(v.NextCompletion()); due < math.MaxInt64 {
		next = max(ostrich.Time(due), v.Now()+1) // a start may bring it within rounding of now
	}
	if due := v.NextOverrun(); due != 0 && (next == 0 || due+1 < next) {
		next = due + 1
	}
	return next
}
