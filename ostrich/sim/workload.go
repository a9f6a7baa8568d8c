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

// Campaign is a campaign of a workload.
type Campaign struct {
	User    ostrich.UserID
	Submit  ostrich.Time     // when its first job was submitted
	Think   ostrich.Duration // from the end of the user's campaign before; 0 for the first
	Jobs    []*Job           // of the user, in the order of their submission
	Depends *Dependencies    // nil without a second job, and if nobody looked, see Depend
}

// Dependencies says, by job, which jobs of a campaign depend on others.
type Dependencies struct {
	// Needs is how many jobs of the campaign had ended before this one was
	// submitted: it depends on all of them (thesis 5.4.3). They are the first
	// that ended, so the number says which.
	Needs []int32
	// Successors is the number of its immediate successors in the dependency
	// graph, that is after transitive reduction.
	Successors []int32

	order []int32 // the jobs in the order in which they had ended; nil: in theirs
}

// NewCampaign makes a campaign of jobs whose Submit counts from that of the campaign.
func NewCampaign(user ostrich.UserID, submit ostrich.Time, think ostrich.Duration, jobs ...Job) Campaign {
	c := Campaign{User: user, Submit: submit, Think: think, Jobs: make([]*Job, len(jobs))}
	for i, j := range jobs {
		j.User, j.Submit = user, submit+j.Submit
		c.Jobs[i] = &j
	}
	return c
}

func (j *Job) end() ostrich.Time { return j.Start + ostrich.Time(j.Run) + j.Suspended }

// accounted is the job as far as a campaign rule looks at it.
func (j *Job) accounted() campaign.Submission {
	return campaign.Submission{ID: j.ID, User: j.User, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.end())}
}

// Recorded is the job as it ran, in a campaign of some number.
func (j *Job) Recorded(campaign int) report.Job {
	return report.Job{
		ID: j.ID, User: j.User, Campaign: campaign, Submit: j.Submit, Start: j.Start, End: j.end(), Procs: j.Procs, Estimate: j.Estimate,
		Suspended: ostrich.Duration(j.Suspended),
	}
}

// Campaigns finds the campaigns of a log, with their think times. The log must be sorted by Submit. A campaign that
// was submitted before the user's last one had ended, as other rules than MAX
// can have it, has think time 0. Its jobs are those of the log.
func Campaigns(log []Job, rule campaign.Rule) ([]Campaign, error) {
	return CampaignsOf(len(log), func(i int) *Job { return &log[i] }, rule)
}

// CampaignsOf is Campaigns of jobs that something else holds.
func CampaignsOf(jobs int, at func(i int) *Job, rule campaign.Rule) ([]Campaign, error) {
	split, err := rule.Splitter()
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	in := make([]int32, jobs) // of which campaign a job is
	var sizes []int32
	for i := range jobs {
		n, err := split.Next(at(i).accounted())
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		if n == len(sizes) {
			sizes = append(sizes, 0)
		}
		in[i] = int32(n)
		sizes[n]++
	}
	list, all := make([]Campaign, len(sizes)), make([]*Job, jobs) // one piece of memory for all campaigns
	for n, size := range sizes {
		list[n].Jobs, all = all[:0:size], all[size:]
	}
	for i := range jobs {
		c := &list[in[i]]
		c.Jobs = append(c.Jobs, at(i))
	}
	last := make(map[ostrich.UserID]ostrich.Time) // end of the user's latest campaign
	for n := range list {
		c := &list[n]
		c.User, c.Submit = c.Jobs[0].User, c.Jobs[0].Submit
		end := slices.MaxFunc(c.Jobs, func(a, b *Job) int { return cmp.Compare(a.end(), b.end()) }).end()
		if before, known := last[c.User]; known {
			c.Think = max(0, ostrich.Duration(c.Submit-before))
			end = max(end, before)
		}
		last[c.User] = end
	}
	return list, nil
}

// Depend finds the dependencies inside the campaigns of a log, from the times at which their jobs ran.
func Depend(campaigns []Campaign) {
	for i := range campaigns {
		if c := &campaigns[i]; len(c.Jobs) > 1 {
			c.depend()
		}
	}
}

// depend finds the dependencies of the jobs from the times at which they had
// ended: the interval graph of thesis 5.4.3, without writing its edges down.
//
// Job j depends on those that had ended by its submission. After transitive
// reduction only those are left which ended after the submission of every other
// one that j depends on.
func (c *Campaign) depend() {
	n := len(c.Jobs)
	all := make([]int32, 3*n)
	d := &Dependencies{Needs: all[:n:n], Successors: all[n : 2*n : 2*n], order: all[2*n:]}
	c.Depends = d
	for i := range d.order {
		d.order[i] = int32(i)
	}
	slices.SortStableFunc(d.order, func(a, b int32) int { return cmp.Compare(c.Jobs[a].end(), c.Jobs[b].end()) })

	needs := 0
	last := ostrich.Time(math.MinInt64) // submission among the first `needs` that ended
	first := 0                          // of order, the first that ended after last
	opened := make([]int32, n+1)        // +1 where the immediate predecessors of a job begin, -1 where they end
	for j := range c.Jobs {
		at := c.Jobs[j].Submit
		for needs < n && c.Jobs[d.order[needs]].end() <= at {
			last = max(last, c.Jobs[d.order[needs]].Submit)
			needs++
		}
		for first < needs && c.Jobs[d.order[first]].end() <= last {
			first++
		}
		d.Needs[j] = int32(needs)
		opened[first]++
		opened[needs]--
	}
	successors := int32(0)
	for k, i := range d.order {
		successors += opened[k]
		d.Successors[i] = successors
	}
}

// needs is how many jobs of the campaign had to end before the k-th was submitted.
func (c *Campaign) needs(k int) int {
	if c.Depends == nil {
		return 0
	}
	return int(c.Depends.Needs[k])
}

// successors is the number of immediate successors of the k-th job.
func (c *Campaign) successors(k int) int {
	if c.Depends == nil {
		return 0
	}
	return int(c.Depends.Successors[k])
}

// ended is the job that had ended as the i-th, from 0.
func (c *Campaign) ended(i int) int {
	if c.Depends == nil || c.Depends.order == nil {
		return i
	}
	return int(c.Depends.order[i])
}

// fit reports whether the dependencies are those of so many jobs.
func (d *Dependencies) fit(jobs int) bool {
	if d == nil {
		return jobs == 1
	}
	return len(d.Needs) == jobs && len(d.Successors) == jobs && (d.order == nil || len(d.order) == jobs)
}

// checkCampaigns returns what is wrong with campaigns, and how many jobs they have.
func (m *Machine) checkCampaigns(campaigns []Campaign, f *floor) (jobs int, err error) {
	long := make(map[ostrich.UserID]ostrich.Duration) // how long the users' campaigns take, one after the other
	for i := range campaigns {
		c := &campaigns[i]
		why := submitFault(c.Submit, campaigns[max(0, i-1)].Submit)
		switch {
		case why != "":
		case len(c.Jobs) == 0:
			why = "without a job"
		case c.Think < 0 || c.Think > ostrich.Duration(latest):
			why = fmt.Sprintf("think time of %d s", c.Think)
		case m.Dependencies && !c.Depends.fit(len(c.Jobs)):
			why = "nothing tells which of its jobs depend on others"
		}
		if why != "" {
			return 0, fmt.Errorf("sim: campaign %d of user %d: %s: %w", i+1, c.User, why, ErrWorkload)
		}
		last := -1 // of the jobs that the present one needs
		needs := 0
		length := c.Think
		for k, j := range c.Jobs {
			why = m.jobFault(j, f)
			for ; m.Dependencies && needs < min(c.needs(k), len(c.Jobs)); needs++ {
				last = max(last, c.ended(needs))
			}
			switch {
			case why != "":
			case j.User != c.User:
				why = fmt.Sprintf("is of user %d in a campaign of user %d", j.User, c.User)
			case j.Submit < c.Submit || j.Submit > latest || j.Submit-c.Submit > latest:
				why = fmt.Sprintf("submitted %d s after its campaign", j.Submit-c.Submit)
			case k > 0 && j.Submit < c.Jobs[k-1].Submit:
				why = fmt.Sprintf("submitted %d s after its campaign, before the one in front of it", j.Submit-c.Submit)
			case j.Tier < 0:
				why = fmt.Sprintf("is of tier %d", j.Tier)
			case m.Dependencies && (c.successors(k) < 0 || c.successors(k) > len(c.Jobs)):
				why = fmt.Sprintf("has %d successors in a campaign of %d jobs", c.successors(k), len(c.Jobs))
			case m.Dependencies && (c.needs(k) < needs || c.needs(k) > len(c.Jobs) || last >= k):
				why = fmt.Sprintf("needs %d jobs, not all of which come before it", c.needs(k))
			}
			if why != "" {
				return 0, fmt.Errorf("sim: job %d: %s: %w", j.ID, why, ErrWorkload)
			}
			length += j.Run
		}
		length += ostrich.Duration(c.Jobs[len(c.Jobs)-1].Submit - c.Submit)
		if long[c.User] += length; long[c.User] > ostrich.Duration(latest) {
			return 0, fmt.Errorf("sim: campaign %d of user %d: its user's think times, offsets and run times add up to %d s: %w",
				i+1, c.User, long[c.User], ErrWorkload)
		}
		jobs += len(c.Jobs)
	}
	if jobs >= mostJobs {
		return 0, fmt.Errorf("sim: %d jobs are too many: %w", jobs, ErrWorkload)
	}
	return jobs, nil
}
