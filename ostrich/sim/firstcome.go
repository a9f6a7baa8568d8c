package sim

import (
	"cmp"
	"slices"

	"slurm-ostrich/ostrich"
)

// FCFSCampaigns is the policy that ranks campaigns by their submission.
func FCFSCampaigns(int) (Ranker, error) {
	return &firstCome{campaigns: make(map[ostrich.JobID]*come)}, nil
}

// firstCome ranks campaigns by their submission.
type firstCome struct {
	campaigns map[ostrich.JobID]*come // by lead
	ranks     []ostrich.Rank          // by Campaign, their number in the order of submission
	empty     int                     // of the ranks, those without a pending job
}

// come is a campaign with a submitted job.
type come struct {
	number  int
	pending int
	listed  bool
}

// Step takes an event.
func (f *firstCome) Step(e ostrich.Event) error {
	lead := cmp.Or(e.Job.Group, e.Job.ID)
	c := f.campaigns[lead]
	switch e.Kind {
	case ostrich.Submit, ostrich.Requeue:
		if c == nil {
			c = &come{number: len(f.campaigns)}
			f.campaigns[lead] = c
		}
		switch {
		case !c.listed:
			c.listed = true
			r := ostrich.Rank{User: e.Job.User, Campaign: c.number, Lead: lead, Stage: 1}
			at, _ := slices.BinarySearchFunc(f.ranks, r, func(a, b ostrich.Rank) int { return cmp.Compare(a.Campaign, b.Campaign) })
			f.ranks = slices.Insert(f.ranks, at, r)
		case c.pending == 0:
			f.empty--
		}
		c.pending++
	case ostrich.Start:
		f.leave(c)
	case ostrich.End:
		if e.Job.Start == 0 { // it was cancelled
			f.leave(c)
		}
	default:
	}
	return nil
}

// leave takes a pending job from a campaign.
func (f *firstCome) leave(c *come) {
	if c.pending--; c.pending == 0 {
		f.empty++
	}
}

// Ranking lists the campaigns. Those without a pending job leave the line at
// its front, and elsewhere when they are too many.
func (f *firstCome) Ranking() []ostrich.Rank {
	leaves := func(r ostrich.Rank) bool {
		c := f.campaigns[r.Lead]
		c.listed = c.pending > 0
		if !c.listed {
			f.empty--
		}
		return !c.listed
	}
	for len(f.ranks) > 0 && leaves(f.ranks[0]) {
		f.ranks = f.ranks[1:]
	}
	if f.empty > len(f.ranks)/2 {
		f.ranks = slices.DeleteFunc(f.ranks, leaves)
	}
	return f.ranks
}
