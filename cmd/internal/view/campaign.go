package view

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// Campaigns lists unfinished campaigns in the order of virtual completion.
type Campaigns struct {
	Cluster   string       `json:"cluster"`
	Time      ostrich.Time `json:"time"`
	Resource  string       `json:"resource"` // by which work is counted: a TRES of Slurm's
	Campaigns []Campaign   `json:"campaigns"`
}

// HasUser reports whether a row is of the user.
func (a Campaigns) HasUser(name string) bool {
	return slices.ContainsFunc(a.Campaigns, func(r Campaign) bool { return r.User == name })
}

// Campaign is an unfinished campaign.
type Campaign struct {
	Pool         string          `json:"pool"`
	Class        string          `json:"class"` // "": there are no classes
	User         string          `json:"user"`
	Account      string          `json:"account"`
	Partition    string          `json:"partition"`
	Campaign     ostrich.JobID   `json:"campaign"`
	Name         string          `json:"name,omitempty"`  // by which the user declared it
	Found        *Found          `json:"found,omitempty"` // only of Unfinished, by the jobs that are seen
	Submitted    ostrich.Time    `json:"submitted"`
	Latest       ostrich.Time    `json:"latest_submission"`
	Pending      []ostrich.JobID `json:"pending"`
	Running      []ostrich.JobID `json:"running"`
	Work         float64         `json:"work_core_hours"`
	VirtualStart *float64        `json:"virtual_start"`
	VirtualEnd   *float64        `json:"virtual_completion"`
	Started      bool            `json:"started"`
	Completed    bool            `json:"completed"`
	Progress     float64         `json:"progress"`
	Stretch      float64         `json:"stretch"`
	Bound        *float64        `json:"bound"`
	Left         float64         `json:"left_core_hours"` // of its jobs, really
	FrontBy      *float64        `json:"front_by"`        // when it goes first, if it still waits
	Overdue      bool            `json:"overdue"`         // that moment has come
	CannotStart  []ostrich.JobID `json:"cannot_start"`    // of pending, those that count for nothing until they can
	Waiting      bool            `json:"waiting"`         // none of its jobs could start yet

	Jobs Jobs `json:"jobs"`

	EndOdds *Odds `json:"end_odds"` // of the end of its last job; null: nothing can be said. Only of Unfinished

	Blocked int      `json:"-"` // pending jobs that cannot start, each task counted
	Done    float64  `json:"-"` // hours of Work, of the jobs that have ended
	Share   *float64 `json:"-"` // of the pool, that its user gets, 0 to 1; nil: hidden
	Of      *User    `json:"-"` // whose it is

	from *ostrich.Campaign
}

// Jobs counts the jobs of a campaign; each task of an array counts. Cancelled
// ones that never ran are in none of the figures.
type Jobs struct {
	Done    int `json:"done"` // ran and have ended
	Pending int `json:"pending"`
	Running int `json:"running"`
}

// tellingBound is how many times as long as its campaign a bound may be and still say
// something: the grace of a day says nothing of a campaign of minutes.
const tellingBound = 10

// Telling reports whether a campaign's bound is worth showing beside its virtual completion.
func Telling(submitted ostrich.Time, completion, bound *float64) bool {
	return bound != nil && completion != nil && *bound-float64(submitted) <= tellingBound*(*completion-float64(submitted))
}

// Late returns "late" for a campaign that is complete in the virtual schedule but
// not in reality, "overdue" once that puts it first, "cannot start" if none of its
// jobs could start yet, and otherwise "".
func (c *Campaign) Late() string {
	switch {
	case c.Waiting:
		return "cannot start"
	case c.Overdue:
		return "overdue"
	case c.Completed:
		return "late"
	}
	return ""
}

// Unfinished lists the chosen campaigns that v may see.
func (s *Cycle) Unfinished(v *Viewer, by *Selection) Campaigns {
	list, seen := []Campaign{}, s.seen(v, by)
	for i := range s.Campaigns {
		if c := &s.Campaigns[i]; seen(c) {
			some := s.Seen(v, c)
			some.Found = s.found(some.Name, some.Pending, some.Running)
			some.EndOdds = s.endOdds(c)
			list = append(list, some)
		}
	}
	return Campaigns{s.Cluster, s.Time, s.Resource, list}
}

// Seen returns a campaign with only what v may see of its jobs' ids and its user's share.
// The coordinator of an account may see some of a user's jobs.
func (s *Cycle) Seen(v *Viewer, c *Campaign) Campaign {
	some := *c
	if c.Share != nil && !v.Share(c.Of.User, c.Of.Account) {
		some.Share = nil
	}
	if v.Job(c.User, "") {
		return some
	}
	for _, list := range []*[]ostrich.JobID{&some.Pending, &some.Running, &some.CannotStart} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(id ostrich.JobID) bool {
			r, ok := s.record(id)
			return !ok || !v.Job(c.User, r.Account)
		})
	}
	return some
}

// seen returns a function that reports whether a campaign is chosen and v may see it. If
// the selection names jobs, it chooses the campaigns of which it names an unfinished job
// or the job that opened them.
func (s *Cycle) seen(v *Viewer, by *Selection) func(c *Campaign) bool {
	jobs := make(map[ostrich.JobID]bool)
	if len(by.Jobs) > 0 {
		for place := range s.Plan.Entries { // where the waiting tasks of an array are one
			if s.named(by, place) {
				jobs[s.Plan.Entries[place].Job] = true
			}
		}
		for i := range s.live {
			r := s.live[i]
			fits := func(n JobName) bool { _, ok := n.live(s.live[i : i+1]); return ok }
			if by.named(fits, r.Job.ID, r.ArrayJob, r.HetJob) {
				jobs[r.Job.ID] = true
			}
		}
	}
	opened := func(id ostrich.JobID) bool {
		return by.named(func(n JobName) bool { return n.task < 0 && n.offset < 0 }, id)
	}
	chosen := func(id ostrich.JobID) bool { return jobs[id] }
	return func(c *Campaign) bool {
		return by.chosen(c.User, c.Account, c.Partition) && v.Job(c.User, c.Account) &&
			(opened(c.Campaign) || slices.ContainsFunc(c.Pending, chosen) || slices.ContainsFunc(c.Running, chosen))
	}
}

// sortCampaigns sorts the campaigns by virtual completion, and gives each user theirs.
func (s *Cycle) sortCampaigns() {
	slices.SortStableFunc(s.Campaigns, func(a, b Campaign) int {
		return cmp.Or(cmp.Compare(OrNever(a.VirtualEnd), OrNever(b.VirtualEnd)), cmp.Compare(a.Campaign, b.Campaign))
	})
	for i := range s.Campaigns {
		c := &s.Campaigns[i]
		c.Of.Campaigns = append(c.Of.Campaigns, c)
	}
}

// OrNever returns the moment, or +Inf if t is nil.
func OrNever(t *float64) float64 {
	if t == nil {
		return math.Inf(1)
	}
	return *t
}

// sample returns the accounting record of some unfinished job of a campaign, for
// the names that its jobs share.
func (k *known) sample(v *ostrich.Campaign) *ledger.Record {
	for _, list := range [][]ostrich.JobID{v.Pending, v.Running} {
		for _, id := range list {
			if r, ok := k.record(id); ok {
				return r
			}
		}
	}
	return &ledger.Record{}
}

func (s *Cycle) campaign(p *Pool, of *User, v *ostrich.Campaign) Campaign {
	r := s.sample(v)
	c := Campaign{
		Pool: p.Name, Class: p.Class, User: r.UserName, Account: r.Account, Partition: r.Partition, Campaign: v.Lead, Name: v.Name, Submitted: v.First, Latest: v.Latest,
		Pending: orNone(v.Pending), Running: orNone(v.Running), CannotStart: orNone(v.Held),
		Work: s.hours(v.Work), VirtualStart: format.Finite(v.VirtualStart), VirtualEnd: format.Finite(v.VirtualEnd),
		Started: v.Started, Completed: v.Completed, Progress: v.Progress(),
		Stretch: v.Stretch(p.size, s.Time), Bound: format.Finite(v.Bound),
		Left: s.hours(v.Left), FrontBy: format.Finite(v.FrontBy), Overdue: v.Overdue, Waiting: v.Waiting,
		Jobs: Jobs{Done: v.Done, Pending: s.tasks(v.Pending), Running: len(v.Running)}, Blocked: s.tasks(v.Held),
		Done: s.hours(max(0, v.Work-v.Open)), Share: &of.Share, Of: of, from: v,
	}
	if c.User == "" { // all its jobs have ended
		c.User, c.Account = of.User, of.Account
	}
	return c
}

// orNone returns a list that JSON shows as empty, not as null.
func orNone(list []ostrich.JobID) []ostrich.JobID {
	if list == nil {
		return []ostrich.JobID{}
	}
	return list
}

// StretchAt returns the campaign's stretch at a later time of the same generation, and
// for how long it has been complete virtually. Both are 0 once it has ended.
func (c *Campaign) StretchAt(p *Pool, now ostrich.Time) (stretch, lag float64) {
	v := c.from
	if v.Ended != 0 {
		return 0, 0
	}
	if v.Completed {
		lag = float64(now) - v.VirtualEnd
	}
	return v.Stretch(p.size, now), lag
}
