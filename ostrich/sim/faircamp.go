package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
)

// FairCamp is the policy that ranks campaigns by their deadlines, the earliest
// one first (HiPC VI.C, equation 1; thesis 4.1, equation 4.1):
//
//	d_i = k·Δ(ς_i) + d_{i−1},  d_0 = 0
//
// k is the number of users of the machine, at least that of those in the
// campaigns, and Δ(ς) how long ρ needs for the campaign alone, by estimates; nil
// is LPT. Equal deadlines go in the order of submission. A campaign that has begun
// is not interrupted: no other starts before all of its jobs have.
//
// Jobs start as processors become free, in the order of the loop's Inside. With
// ρ and Inside both LPT, or policy.List and Submission, a closed loop with exact
// estimates is policy.Machine.FairCamp with the placement Packed, job by job,
// whatever the Backfill: each is the oracle of the other in a test. This one
// also replays open loops, and estimates that are not exact. The placement Block,
// which waits for all processors, and MLPT, which may leave a processor idle in
// front of a job, are only there: here ρ only sets the deadlines.
//
// The jobs must be sequential and all those of a campaign submitted at once: Run
// returns ErrWorkload for others, and for campaigns of more than k users.
func FairCamp(k int, rho policy.Makespan) Policy {
	return func(m int) (Ranker, error) {
		if k < 1 {
			return nil, fmt.Errorf("FairCamp for %d users: %w", k, ErrWorkload)
		}
		if rho == nil {
			rho = policy.LPT
		}
		return &fairCamp{
			k: k, rho: rho, idle: make([]ostrich.Time, m),
			campaigns: make(map[ostrich.JobID]*dated), users: make(map[ostrich.UserID]ostrich.Time),
		}, nil
	}
}

// fairCamp ranks campaigns by deadlines.
type fairCamp struct {
	k         int
	rho       policy.Makespan
	idle      []ostrich.Time                  // m processors, free from 0 on
	campaigns map[ostrich.JobID]*dated        // by lead
	users     map[ostrich.UserID]ostrich.Time // deadline of the latest campaign
	work      ostrich.Duration                // of all jobs so far
	count     int                             // campaigns so far
	fresh     []*dated                        // without a deadline yet
	line      []*dated                        // by deadline; some without a waiting job
	ranks     []ostrich.Rank
	stale     bool // that the ranks are to be made anew
}

// dated is a campaign with its deadline.
type dated struct {
	rank     ostrich.Rank
	number   int // in the order of submission
	submit   ostrich.Time
	tasks    []policy.Task // until it has a deadline
	deadline ostrich.Time
	waiting  int // jobs
	begun    bool
}

// Step takes an event.
func (f *fairCamp) Step(e ostrich.Event) error {
	lead := cmp.Or(e.Job.Group, e.Job.ID)
	c := f.campaigns[lead]
	switch e.Kind {
	case ostrich.Submit:
		opens := c == nil
		if opens {
			f.count++
			c = &dated{rank: ostrich.Rank{User: e.Job.User, Lead: lead, Stage: 1}, number: f.count, submit: e.At}
			f.campaigns[lead] = c
			f.fresh = append(f.fresh, c)
			if _, known := f.users[e.Job.User]; !known {
				f.users[e.Job.User] = 0
			}
		}
		f.work += e.Job.Estimate
		why := ""
		switch {
		case e.Job.Procs != 1:
			why = fmt.Sprintf("needs %d processors, and FairCamp takes sequential jobs only", e.Job.Procs)
		case e.At != c.submit || opens && lead != e.Job.ID:
			why = "submitted later than its campaign, and FairCamp takes campaigns submitted at once"
		case len(f.users) > f.k:
			why = fmt.Sprintf("its user is one too many, FairCamp was told of %d", f.k)
		case f.work > math.MaxInt64/ostrich.Duration(f.k):
			why = "its deadline overflows"
		}
		if why != "" {
			return fmt.Errorf("the job with running number %d: %s: %w", e.Job.ID, why, ErrWorkload)
		}
		c.tasks = append(c.tasks, policy.Task{ID: e.Job.ID, Run: e.Job.Estimate})
		c.waiting++
	case ostrich.Start:
		c.waiting--
		f.stale = f.stale || !c.begun || c.waiting == 0
		c.begun = true
		if c.waiting == 0 {
			delete(f.campaigns, lead)
		}
	default:
	}
	return nil
}

// Ranking lists the campaigns with waiting jobs.
func (f *fairCamp) Ranking() []ostrich.Rank {
	for _, c := range f.fresh {
		length := ostrich.Time(0)
		for _, s := range f.rho(c.tasks, f.idle) {
			length = max(length, s.End)
		}
		c.tasks = nil
		c.deadline = ostrich.Time(f.k)*length + f.users[c.rank.User]
		f.users[c.rank.User] = c.deadline
		at, _ := slices.BinarySearchFunc(f.line, c, compareDated)
		f.line = slices.Insert(f.line, at, c)
		f.stale = true
	}
	f.fresh = f.fresh[:0]
	if !f.stale {
		return f.ranks
	}
	f.stale = false
	f.line = slices.DeleteFunc(f.line, func(c *dated) bool { return c.waiting == 0 })
	f.ranks = f.ranks[:0]
	for _, begun := range []bool{true, false} {
		for _, c := range f.line {
			if c.begun == begun {
				f.ranks = append(f.ranks, c.rank)
			}
		}
	}
	return f.ranks
}

func compareDated(a, b *dated) int {
	return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.submit, b.submit), cmp.Compare(a.number, b.number))
}
