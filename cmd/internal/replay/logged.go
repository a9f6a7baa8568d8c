package replay

import (
	"errors"
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// Campaigns holds the campaigns of a log as it ran.
type Campaigns struct {
	Log       string     `json:"log"`
	Procs     int        `json:"procs"`
	Campaigns []Campaign `json:"campaigns"`

	Summary report.Summary `json:"-"`
}

// Campaign is a campaign of a log.
type Campaign struct {
	Campaign  int              `json:"campaign"`
	User      ostrich.UserID   `json:"user"`
	Jobs      int              `json:"jobs"`
	Submitted ostrich.Time     `json:"submitted"` // seconds since the start of the log, as the next one
	Ended     ostrich.Time     `json:"ended"`
	Work      float64          `json:"work_core_hours"`
	Longest   ostrich.Duration `json:"longest"` // seconds
	Stretch   float64          `json:"stretch"`
}

// Campaigns returns the campaigns by the logged times.
func (w *Workload) Campaigns() (*Campaigns, error) {
	if !w.Timed {
		return nil, errors.New("campaigns: the log tells no waits, and so not when its jobs ended; \"ostrich simulate\" can replay it")
	}
	numbers, err := sim.Numbers(w.Jobs, w.Rule.Rule)
	if err != nil {
		return nil, err
	}
	jobs := make([]report.Job, len(w.Jobs))
	for i := range w.Jobs {
		jobs[i] = w.Jobs[i].Recorded(numbers[i])
	}
	campaigns := report.Campaigns(jobs)
	if len(campaigns) == 0 {
		return nil, errors.New("campaigns: no job of the log tells its user, and so there is no campaign")
	}
	all := &Campaigns{Log: w.Name, Procs: w.Procs, Summary: report.Summarise(jobs, campaigns, w.Procs)}
	for i := range campaigns {
		k := &campaigns[i]
		all.Campaigns = append(all.Campaigns, Campaign{
			Campaign: i, User: k.User, Jobs: k.Jobs, Submitted: k.Submit, Ended: k.End, Work: format.CoreHours(k.Work),
			Longest: k.Longest, Stretch: k.Stretch(w.Procs),
		})
	}
	return all, nil
}

// Table returns a row for each campaign.
func (c *Campaigns) Table() format.Table {
	t := format.Table{Header: []string{"CAMPAIGN", "USER", "JOBS", "SUBMITTED", "ENDED", "WORK", "LONGEST", "STRETCH"}}
	for _, k := range c.Campaigns {
		t.Add(k.Campaign, k.User, k.Jobs, k.Submitted, k.Ended, fmt.Sprintf("%.2f", k.Work), k.Longest, fmt.Sprintf("%.2f", k.Stretch))
	}
	return t
}

// SummaryTable returns the distribution of the stretch.
func (c *Campaigns) SummaryTable() format.Table {
	t := format.Table{Header: SummaryHeader}
	t.Add(SummaryCells(&c.Summary)...)
	return t
}
