package sim

import "slurm-ostrich/ostrich"

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
