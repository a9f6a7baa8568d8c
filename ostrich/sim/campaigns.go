package sim

import (
	"fmt"

	"slurm-ostrich/ostrich"
)

// checkCampaigns returns what is wrong with campaigns, and how many jobs they have.
func (m *Machine) checkCampaigns(campaigns []Campaign) (jobs int, err error) {
	long := make(map[ostrich.UserID]ostrich.Duration) // how long the users' campaigns take, one after the other
	for i := range campaigns {
		c := &campaigns[i]
		why := ""
		switch {
		case i > 0 && c.Submit < campaigns[i-1].Submit:
			why = "submitted before the one in front of it"
		case c.Submit < -latest || c.Submit > latest:
			why = fmt.Sprintf("submitted at %d", c.Submit)
		case len(c.Tasks) == 0:
			why = "without a job"
		case c.Think < 0 || c.Think > ostrich.Duration(latest):
			why = fmt.Sprintf("think time of %d s", c.Think)
		case c.order != nil && len(c.order) != len(c.Tasks):
			why = "jobs were added after its dependencies were found"
		}
		if why != "" {
			return 0, fmt.Errorf("sim: campaign %d of user %d: %s: %w", i+1, c.User, why, ErrWorkload)
		}
		last := -1 // of the tasks that the present one needs
		needs := 0
		length := c.Think
		for k := range c.Tasks {
			t := &c.Tasks[k]
			why = fault(m.Procs, t.Procs, t.Run, t.Estimate)
			for ; m.Dependencies && needs < min(t.Needs, len(c.Tasks)); needs++ {
				last = max(last, c.ended(needs))
			}
			switch {
			case why != "":
			case t.Offset < 0 || t.Offset > ostrich.Duration(latest):
				why = fmt.Sprintf("submitted %d s after its campaign", t.Offset)
			case k > 0 && t.Offset < c.Tasks[k-1].Offset:
				why = fmt.Sprintf("submitted %d s after its campaign, before the one in front of it", t.Offset)
			case t.Tier < 0:
				why = fmt.Sprintf("is of tier %d", t.Tier)
			case t.Successors < 0 || t.Successors > len(c.Tasks):
				why = fmt.Sprintf("has %d successors in a campaign of %d jobs", t.Successors, len(c.Tasks))
			case m.Dependencies && (t.Needs < needs || t.Needs > len(c.Tasks) || last >= k):
				why = fmt.Sprintf("needs %d jobs, not all of which come before it", t.Needs)
			}
			if why != "" {
				return 0, fmt.Errorf("sim: job %d: %s: %w", t.ID, why, ErrWorkload)
			}
			length += t.Run
		}
		length += c.Tasks[len(c.Tasks)-1].Offset
		if long[c.User] += length; long[c.User] > ostrich.Duration(latest) {
			return 0, fmt.Errorf("sim: campaign %d of user %d: its user's think times, offsets and run times add up to %d s: %w",
				i+1, c.User, long[c.User], ErrWorkload)
		}
		jobs += len(c.Tasks)
	}
	if jobs >= mostJobs {
		return 0, fmt.Errorf("sim: %d jobs are too many: %w", jobs, ErrWorkload)
	}
	return jobs, nil
}

// ended is the task that had ended as the i-th, from 0. Without a log it is
// the order of the tasks.
func (c *Campaign) ended(i int) int {
	if c.order == nil {
		return i
	}
	return int(c.order[i])
}
