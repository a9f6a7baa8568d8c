package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/scalar"
)

// Campaign is a campaign of a workload.
type Campaign struct {
	User   ostrich.UserID
	Submit ostrich.Time     // when its first job was submitted
	Think  ostrich.Duration // from the end of the user's campaign before; 0 for the first
	Tasks  []Task           // in the order of their submission
	order  []int32          // the tasks in the order in which they had ended
}

// Task is a job of a campaign.
type Task struct {
	ID       ostrich.JobID
	Procs    int
	Size     int // see Job.Size
	Run      ostrich.Duration
	Estimate ostrich.Duration
	Offset   ostrich.Duration // of its submission from that of the campaign
	Class    uint64           // see ostrich.Job.Class
	Hint     ostrich.Duration // see ostrich.Job.Hint
	Outcome  lengths.Outcome  // of a run that nobody ends
	Request  int32            // see Job.Request
	Array    ostrich.JobID    // see Job.Array
	Queued   int32            // see Job.Queued

	Completing int32 // see Job.Completing

	// Tier is the PriorityTier of its partition: jobs of a higher one go first,
	// whatever the policy says.
	Tier int

	// Needs is how many jobs of the campaign had ended before this one was
	// submitted: it depends on all of them (thesis 5.4.3). They are the first
	// that ended, so the number says which.
	Needs int
	// Successors is the number of its immediate successors in the dependency
	// graph, that is after transitive reduction.
	Successors int
}

// task is the job in a campaign that came first at a moment.
func (j *Job) task(first ostrich.Time) Task {
	return Task{
		ID: j.ID, Procs: j.Procs, Size: j.Size, Run: j.Run, Estimate: j.Estimate, Offset: ostrich.Duration(j.Submit - first),
		Class: j.Class, Hint: j.Hint, Outcome: j.Outcome, Request: j.Request, Array: j.Array, Queued: j.Queued, Completing: j.Completing,
	}
}

// Logged is a job of a log, with the times at which it ran.
type Logged struct {
	Job
	Start     ostrich.Time
	Suspended ostrich.Time // in all, between its start and its end

	// Preceding is a job that had to end before this one was submitted, 0 for
	// none, and Think the time from its end to the submission, -1 if not known
	// (fields 17 and 18 of the Standard Workload Format). See Linked.
	Preceding ostrich.JobID
	Think     ostrich.Duration
}

func (l *Logged) end() ostrich.Time { return l.Start + ostrich.Time(l.Run) + l.Suspended }

// accounted is the job as far as a campaign rule looks at it.
func (l *Logged) accounted() campaign.Submission {
	return campaign.Submission{ID: l.ID, User: l.User, Submit: l.Submit, Departs: scalar.Departs(l.Submit, l.Start, l.end())}
}

// Recorded is the job as it ran, in a campaign of some number.
func (l *Logged) Recorded(campaign int) report.Job {
	return report.Job{
		ID: l.ID, User: l.User, Campaign: campaign, Submit: l.Submit, Start: l.Start, End: l.end(), Procs: l.Procs, Estimate: l.Estimate,
		Suspended: ostrich.Duration(l.Suspended),
	}
}

// Campaigns finds the campaigns of a log, with their think times and the
// dependencies inside them. The log must be sorted by Submit. A campaign that
// was submitted before the user's last one had ended, as other rules than MAX
// can have it, has think time 0.
func Campaigns(log []Logged, rule campaign.Rule) ([]Campaign, error) {
	return CampaignsOf(len(log), func(i int) *Logged { return &log[i] }, rule)
}

// CampaignsOf is Campaigns of jobs that something else holds.
func CampaignsOf(jobs int, at func(i int) *Logged, rule campaign.Rule) ([]Campaign, error) {
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
	// All campaigns share one piece of memory, and so do the ends of their tasks.
	list, ends := make([]Campaign, len(sizes)), make([][]ostrich.Time, len(sizes))
	tasks, times := make([]Task, 0, jobs), make([]ostrich.Time, 0, jobs)
	order := make([]int32, jobs)
	begin := int32(0)
	for n, size := range sizes {
		list[n].Tasks, list[n].order = tasks[begin:begin:begin+size], order[begin:begin+size:begin+size]
		ends[n] = times[begin : begin : begin+size]
		begin += size
	}
	for i := range jobs {
		l, c, n := at(i), &list[in[i]], in[i]
		if len(c.Tasks) == 0 {
			c.User, c.Submit = l.User, l.Submit
		}
		c.Tasks = append(c.Tasks, l.task(c.Submit))
		ends[n] = append(ends[n], l.end())
	}
	last := make(map[ostrich.UserID]ostrich.Time) // end of the user's latest campaign
	for n := range list {
		c := &list[n]
		c.depend(ends[n])
		if end, ok := last[c.User]; ok {
			c.Think = max(0, ostrich.Duration(c.Submit-end))
		}
		last[c.User] = max(last[c.User], slices.Max(ends[n]))
	}
	return list, nil
}

// depend finds the dependencies of the tasks from the times at which they had
// ended: the interval graph of thesis 5.4.3, without writing its edges down.
//
// Task j depends on those that had ended by its submission. After transitive
// reduction only those are left which ended after the submission of every other
// one that j depends on.
func (c *Campaign) depend(ends []ostrich.Time) {
	for i := range c.order {
		c.order[i] = int32(i)
	}
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(ends[a], ends[b]) })
	submit := func(i int32) ostrich.Time { return c.Submit + ostrich.Time(c.Tasks[i].Offset) }

	needs := 0
	last := ostrich.Time(math.MinInt64)   // submission among the first `needs` that ended
	first := 0                            // of order, the first that ended after last
	opened := make([]int, len(c.order)+1) // +1 where the immediate predecessors of a task begin, -1 where they end
	for j := range c.Tasks {
		at := submit(int32(j))
		for needs < len(c.order) && ends[c.order[needs]] <= at {
			last = max(last, submit(c.order[needs]))
			needs++
		}
		for first < needs && ends[c.order[first]] <= last {
			first++
		}
		c.Tasks[j].Needs = needs
		opened[first]++
		opened[needs]--
	}
	successors := 0
	for k, i := range c.order {
		successors += opened[k]
		c.Tasks[i].Successors = successors
	}
}

// checkCampaigns returns what is wrong with campaigns, and how many jobs they have.
func (m *Machine) checkCampaigns(campaigns []Campaign, f *floor) (jobs int, err error) {
	long := make(map[ostrich.UserID]ostrich.Duration) // how long the users' campaigns take, one after the other
	for i := range campaigns {
		c := &campaigns[i]
		why := submitFault(c.Submit, campaigns[max(0, i-1)].Submit)
		switch {
		case why != "":
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
			if why = fault(m.Procs, t.Procs, t.Run, t.Estimate); why == "" {
				why = m.cancelFault(t.ID)
			}
			if why == "" && f != nil {
				why = f.fault(t.Request, t.Procs)
			}
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
