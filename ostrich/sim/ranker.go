package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// A Ranker decides who goes first, and is a [CampaignRanker] or a [JobRanker]
// besides. It is told of every submission, start and end in the order of time.
//
// It knows jobs by their running number through all campaigns of the replay,
// from 1: the second job of the second campaign, when the first one has three, is
// job 5, whatever its id in the log. Group is the number of the first job of the
// campaign, or 0 for a campaign of one job. Times are those of the replay, but
// where that begins before second 1, all are moved so that it begins there:
// moment 0 means "not yet".
type Ranker interface {
	Step(e ostrich.Event) error
}

// A CampaignRanker says which campaign goes first. Inside a campaign it is the
// loop that decides. An *ostrich.Schedule is one.
type CampaignRanker interface {
	Ranker
	// Ranking lists at least the campaigns with pending jobs, the first one in
	// front. It is valid until the next call; a start does not change it.
	Ranking() []ostrich.Rank
}

// A JobRanker says which job goes first, job by job.
type JobRanker interface {
	Ranker
	// Jobs lists the waiting jobs, by their running numbers, the first one in
	// front. Those that cannot start at all (they have started already, or
	// what they depend on has not ended) are skipped; those it leaves out wait.
	// It is valid until the next call; a start does not change it.
	Jobs() []ostrich.JobID
}

// A Waker is a ranker that changes its mind between events too, or has other
// things to do then.
type Waker interface {
	// Wake is the moment at which to be woken if nothing happens before; 0 for
	// never. It is asked after each pass and must be after that. With waiting,
	// jobs wait while processors are free, and another ranking might start some
	// of them: one that only ranks has no reason to be woken otherwise. When
	// the last job has ended it is woken no more.
	Wake(waiting bool) ostrich.Time
	// AdvanceTo lets time pass up to t. It comes at that moment, after the
	// events of it and before the pass, and before every other ranking too.
	AdvanceTo(t ostrich.Time) error
}

// A Readier is a ranker that is told when a job can start at all: with its
// submission, or when what it depends on has ended.
type Readier interface {
	Ready(job ostrich.JobID)
}

// stager is a ranker that may rank parts of a campaign differently.
type stager interface {
	StageOf(id ostrich.JobID) (int, bool)
}

// A Policy makes the ranker of a replay on m processors.
type Policy func(m int) (Ranker, error)

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
		own.Procs, own.Rule = m, ostrich.Rule{By: ostrich.Groups}
		s, err := ostrich.New(own)
		if err != nil {
			return nil, fmt.Errorf("ostrich: %w", err)
		}
		return virtual{s}, nil
	}
}

// Sidecar is the policy of ostrichd: OStrich with all of the given options but
// Procs. The schedule finds the campaigns itself, by Options.Rule, and orders the
// jobs inside them by the lengths that it expects. What the workload says of
// campaigns only tells when jobs are submitted, and with Dependencies when they can
// start: until then they are kept back, as ostrichd keeps them (ostrich.Hold).
func Sidecar(o ostrich.Options) Policy {
	return func(m int) (Ranker, error) {
		own := o // replays may run at once
		own.Procs = m
		s, err := ostrich.New(own)
		if err != nil {
			return nil, fmt.Errorf("ostrich: %w", err)
		}
		return &sidecar{schedule: virtual{s}}, nil
	}
}

// sidecar lists the jobs in the order of the virtual schedule.
type sidecar struct {
	schedule virtual
	jobs     []ostrich.JobID
}

// Step takes an event. A job of a log belongs to no array.
func (r *sidecar) Step(e ostrich.Event) error {
	e.Job.Group = 0
	return r.schedule.Step(e)
}

func (r *sidecar) Wake(waiting bool) ostrich.Time { return r.schedule.Wake(waiting) }

func (r *sidecar) AdvanceTo(t ostrich.Time) error {
	return r.schedule.AdvanceTo(t)
}

// Jobs lists the waiting jobs.
func (r *sidecar) Jobs() []ostrich.JobID {
	r.jobs = r.jobs[:0]
	for id := range r.schedule.Pending() {
		r.jobs = append(r.jobs, id)
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
		next = ostrich.Time(due)
	}
	if due := v.NextOverrun(); due != 0 && (next == 0 || due+1 < next) {
		next = due + 1
	}
	return next
}

// FCFSCampaigns is the policy that ranks campaigns by their submission.
func FCFSCampaigns(int) (Ranker, error) {
	return &firstCome{campaigns: make(map[ostrich.JobID]*come)}, nil
}
