package sim

import (
	"fmt"
	"math"
	"math/bits"

	"slurm-ostrich/ostrich"
)

// A Ranker decides who goes first, and is a [CampaignRanker] or a [JobRanker]
// besides. It gets every submission, start and end as an event, in the order of time.
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

// A Readier is a ranker that wants to know when a job can start at all: with its
// submission, or when what it depends on has ended.
type Readier interface {
	Ready(job ostrich.JobID)
}

// A Prioritizer is a ranker that ranks jobs by Slurm's priorities. Those of others are above any threshold.
type Prioritizer interface {
	// Priority returns that of a waiting job.
	Priority(job ostrich.JobID) uint32
}

// stager is a ranker that may rank parts of a campaign differently.
type stager interface {
	StageOf(id ostrich.JobID) (int, bool)
}

// A Policy makes the ranker of a replay on m processors.
type Policy func(m int) (Ranker, error)

// ranking is the ranker of an engine's policy, as each of the interfaces that it
// implements; all are nil without a policy.
type ranking struct {
	ranker      Ranker
	byCampaigns CampaignRanker
	byJobs      JobRanker
	waker       Waker
	readier     Readier
	prioritizer Prioritizer
	stager      stager // where stages may differ
	keepsBack   bool   // it gets Hold and Release of jobs that cannot start yet

	widths  widths // of the jobs that could start if there were processors
	another bool   // another ranking might start some of them
	woken   bool   // the ranker wanted to be called now
}

// follow makes the ranker of a policy and finds what it can do.
func (l *loop) follow(policy Policy) error {
	ranker, err := policy(l.Procs)
	if err != nil {
		return err
	}
	l.ranker = ranker
	l.byCampaigns, _ = ranker.(CampaignRanker)
	l.byJobs, _ = ranker.(JobRanker)
	if (l.byCampaigns == nil) == (l.byJobs == nil) {
		return fmt.Errorf("%T is neither a CampaignRanker nor a JobRanker, or both", ranker)
	}
	if l.byCampaigns != nil {
		l.slot = make([]int32, len(l.jobs))
	}
	l.waker, _ = ranker.(Waker)
	l.readier, _ = ranker.(Readier)
	l.prioritizer, _ = ranker.(Prioritizer)
	_, l.keepsBack = ranker.(*sidecar)
	if l.Offsets {
		l.stager, _ = ranker.(stager)
	}
	l.widths = newWidths(l.Procs)
	return nil
}

// wake returns the moment of the next event, which is at next or when the ranker
// wants to be woken before.
func (e *engine) wake(next ostrich.Time) (ostrich.Time, error) {
	e.woken = false
	if e.waker == nil || e.now == 0 || e.widths.all == 0 && next == never {
		return next, nil
	}
	at := e.waker.Wake(e.another)
	if at == 0 || at > next {
		return next, nil
	}
	if at <= e.now {
		return 0, fmt.Errorf("the ranker wants to be woken at %d, and it is %d already", at, e.now)
	}
	e.woken = true
	return at, nil
}

// tell gives the ranker an event of a job.
func (l *loop) tell(k ostrich.Kind, i int32) error {
	if l.ranker == nil {
		return nil
	}
	j, n := l.jobs[i], l.tasks[i].campaign
	c, p := &l.campaigns[n], &l.states[n]
	var e ostrich.Event
	e.At, e.Kind = l.now, k
	e.Job.ID, e.Job.User, e.Job.Procs, e.Job.Estimate = ostrich.JobID(i+1), j.User, j.Procs, j.Estimate
	e.Job.Size, e.Job.Class = j.Size, j.Class
	if l.Hints {
		e.Job.Hint = j.Run
	}
	e.Job.Submit, e.Job.Start = p.submit, l.start[i]
	if len(c.Jobs) > 1 {
		e.Job.Group = ostrich.JobID(p.first + 1)
	}
	if l.Offsets {
		e.Job.Submit += j.Submit - c.Submit
	}
	if k == ostrich.End {
		e.Job.End, e.Job.Outcome = l.now, j.Outcome
	}
	return l.ranker.Step(e)
}

// widths counts jobs by the processors that they need.
type widths struct {
	jobs  []int32  // by processors
	some  []uint64 // a bit for each number of processors that a job needs
	all   int
	least int // processors that one of them needs; math.MaxInt without one
}

func newWidths(most int) widths {
	return widths{jobs: make([]int32, most+1), some: make([]uint64, most/64+1), least: math.MaxInt}
}

func (w *widths) add(procs int) {
	w.all++
	w.jobs[procs]++
	w.some[procs/64] |= 1 << (procs % 64)
	w.least = min(w.least, procs)
}

func (w *widths) remove(procs int) {
	w.all--
	if w.jobs[procs]--; w.jobs[procs] > 0 {
		return
	}
	w.some[procs/64] &^= 1 << (procs % 64)
	switch {
	case w.all == 0:
		w.least = math.MaxInt
	case procs == w.least:
		i := procs / 64
		for w.some[i] == 0 {
			i++
		}
		w.least = 64*i + bits.TrailingZeros64(w.some[i])
	}
}
