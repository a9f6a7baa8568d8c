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
	line      []*come                 // by number
	empty     int                     // of the line, those without a pending job
	ranks     []ostrich.Rank          // of the line
}

// come is a campaign that has come.
type come struct {
	rank    ostrich.Rank
	number  int // in the order of submission
	pending int
	listed  bool
}

// Step takes an event.
func (f *firstCome) Step(e ostrich.Event) error {
	lead := cmp.Or(e.Job.Group, e.Job.ID)
	c := f.campaigns[lead]
	switch e.Kind {
	case ostrich.Submit:
		if c == nil {
			c = &come{rank: ostrich.Rank{User: e.Job.User, Lead: lead, Stage: 1}, number: len(f.campaigns)}
			f.campaigns[lead] = c
		}
		switch {
		case !c.listed:
			c.listed = true
			at, _ := slices.BinarySearchFunc(f.line, c, func(a, b *come) int { return cmp.Compare(a.number, b.number) })
			f.line = slices.Insert(f.line, at, c)
			f.ranks = slices.Insert(f.ranks, at, c.rank)
		case c.pending == 0:
			f.empty--
		}
		c.pending++
	case ostrich.Start:
		if c.pending--; c.pending == 0 {
			f.empty++
		}
	default:
	}
	return nil
}

// Ranking lists the campaigns. Those without a pending job leave the line at
// its front, and elsewhere when they are too many.
func (f *firstCome) Ranking() []ostrich.Rank {
	for len(f.line) > 0 && f.line[0].pending == 0 {
		f.line[0].listed = false
		f.line, f.ranks = f.line[1:], f.ranks[1:]
		f.empty--
	}
	if f.empty > len(f.line)/2 {
		f.line = slices.DeleteFunc(f.line, func(c *come) bool {
			c.listed = c.pending > 0
			return !c.listed
		})
		f.ranks = f.ranks[:0]
		for _, c := range f.line {
			f.ranks = append(f.ranks, c.rank)
		}
		f.empty = 0
	}
	return f.ranks
}
