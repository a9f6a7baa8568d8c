package view

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
)

// Campaigns are the unfinished campaigns, those that complete first in the
// virtual schedule in front.
type Campaigns struct {
	Cluster   string       `json:"cluster"`
	Time      ostrich.Time `json:"time"`
	Campaigns []Campaign   `json:"campaigns"`
}

// Campaign is an unfinished campaign.
type Campaign struct {
	Pool         string          `json:"pool"`
	User         string          `json:"user"`
	Account      string          `json:"account"`
	Partition    string          `json:"partition"`
	Campaign     ostrich.JobID   `json:"campaign"`
	Name         string          `json:"name,omitempty"` // by which the user declared it
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

	Of ostrich.UserID `json:"-"` // what competes for the machine
}

// Late is "late" of a campaign that is completed virtually, and not really,
// "overdue" once it goes first for that, "cannot start" of one of which no job could,
// and otherwise empty.
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

// Campaigns lists the unfinished campaigns.
func (s *State) Campaigns() Campaigns {
	list := []Campaign{}
	for i := range s.Pools {
		pool := &s.Pools[i]
		for k := range pool.Campaigns {
			list = append(list, s.campaign(pool, &pool.Campaigns[k]))
		}
	}
	slices.SortStableFunc(list, func(a, b Campaign) int {
		x, y := orNever(a.VirtualEnd), orNever(b.VirtualEnd)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return cmp.Compare(a.Campaign, b.Campaign)
	})
	return Campaigns{s.Cluster, s.Time, list}
}

// orNever is a moment that null stands for where it never comes.
func orNever(t *float64) float64 {
	if t == nil {
		return math.Inf(1)
	}
	return *t
}

func (s *State) campaign(pool *Pool, v *ostrich.Campaign) Campaign {
	record := s.sample(v)
	if record.UserName == "" { // all its jobs have ended
		record.Account, record.UserName = s.Owner(v.User)
	}
	j := Campaign{
		Pool: pool.Name, User: record.UserName, Account: record.Account, Partition: record.Partition,
		Campaign: v.Lead, Name: v.Name, Submitted: v.First, Latest: v.Latest, Pending: v.Pending, Running: v.Running,
		Work: format.CoreHours(v.Work), VirtualStart: format.Finite(v.VirtualStart), VirtualEnd: format.Finite(v.VirtualEnd),
		Started: v.Started, Completed: v.Completed, Progress: v.Progress(),
		Stretch: v.Stretch(pool.Procs, s.Time), Bound: format.Finite(v.Bound), Of: v.User,
		Left: format.CoreHours(v.Left), FrontBy: format.Finite(v.FrontBy), Overdue: v.Overdue,
		CannotStart: v.Held, Waiting: v.Waiting,
	}
	if j.CannotStart == nil {
		j.CannotStart = []ostrich.JobID{}
	}
	if j.Pending == nil {
		j.Pending = []ostrich.JobID{}
	}
	if j.Running == nil {
		j.Running = []ostrich.JobID{}
	}
	return j
}
