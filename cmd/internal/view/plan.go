package view

import (
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// Plan is the order of the queue and what would be written. Its fields, and
// those of all answers, are kept.
type Plan struct {
	Cluster string       `json:"cluster"`
	Time    ostrich.Time `json:"time"`
	Channel string       `json:"channel"`
	Mode    string       `json:"mode"`
	Jobs    []Planned    `json:"jobs"`
	Summary Summary      `json:"summary"`
}

// Planned is a pending job in the plan.
type Planned struct {
	JobID     ostrich.JobID  `json:"job_id"`
	Job       string         `json:"job"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	QOS       string         `json:"qos"`
	Pool      string         `json:"pool"`
	Campaign  *ostrich.JobID `json:"campaign"` // null: in none
	Rank      *int           `json:"rank"`     // null: not ordered
	SlurmRank int            `json:"slurm_rank"`
	Priority  uint32         `json:"priority"`
	From      int64          `json:"from"`
	To        int64          `json:"to"`
	Write     bool           `json:"write"`
	Undone    bool           `json:"undone"` // a value that was written is not in force
	Why       string         `json:"why"`
}

// Summary counts what a plan does, see priority.Summary.
type Summary struct {
	Pending    int     `json:"pending"`
	Managed    int     `json:"managed"`
	Up         int     `json:"up"`
	Down       int     `json:"down"`
	KendallTau float64 `json:"kendall_tau"`
	Writes     int     `json:"writes"`
	Undone     int     `json:"undone"`
}

// Plan is the plan of the entries that are chosen; nil chooses all.
func (s *State) Plan(chosen func(e *sidecar.Entry) bool) Plan {
	p := Plan{
		Cluster: s.Cluster, Time: s.Time, Channel: s.Channel, Mode: s.Mode,
		Jobs: []Planned{}, Summary: Summary(s.Summary),
	}
	for i := range s.Entries {
		if e := &s.Entries[i]; chosen == nil || chosen(e) {
			p.Jobs = append(p.Jobs, PlannedOf(e))
		}
	}
	return p
}

// PlannedOf is one entry of a plan.
func PlannedOf(e *sidecar.Entry) Planned {
	j := Planned{
		JobID: e.Job, Job: e.Full, User: e.User, Account: e.Account, Partition: e.Partition, QOS: e.QOS, Pool: e.Pool,
		SlurmRank: e.SlurmRank, Priority: e.Priority, From: e.From, To: e.To, Write: e.Write, Undone: e.Undone, Why: e.Why,
	}
	if e.Campaign != 0 {
		j.Campaign = &e.Campaign
	}
	if e.Rank != 0 {
		j.Rank = &e.Rank
	}
	return j
}
