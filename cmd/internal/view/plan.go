package view

import (
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Plan is the order of the queue and what would be written. The JSON fields of all
// answers are stable: later versions keep them.
type Plan struct {
	Cluster string           `json:"cluster"`
	Time    ostrich.Time     `json:"time"`
	Channel priority.Channel `json:"channel"`
	Mode    priority.Mode    `json:"mode"`
	Jobs    []Job            `json:"jobs"`
	Summary Summary          `json:"summary"`

	Pending int `json:"-"` // records in the whole queue
	Matched int `json:"-"` // of them, those that were asked for and may be seen
	More    int `json:"-"` // of those, the ones beyond Selection.Limit
}

// HasUser reports whether a row is of the user.
func (a Plan) HasUser(name string) bool {
	return slices.ContainsFunc(a.Jobs, func(r Job) bool { return r.User == name })
}

// Job is a pending job in the plan.
type Job struct {
	JobID     ostrich.JobID  `json:"job_id"`
	Job       string         `json:"job"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	QOS       string         `json:"qos"`
	Pool      string         `json:"pool"`
	Class     string         `json:"class"`    // "": there are no classes
	Campaign  *ostrich.JobID `json:"campaign"` // null: in none
	Rank      *int           `json:"rank"`     // null: not ordered
	SlurmRank int            `json:"slurm_rank"`
	Priority  uint32         `json:"priority"`
	From      int64          `json:"from"`
	To        int64          `json:"to"`
	Write     bool           `json:"write"`
	Undone    bool           `json:"undone"` // a value that was written is not in force
	Why       string         `json:"why"`
	Code      priority.Code  `json:"code"` // of Why, see priority.Why
	Due       *ostrich.Time  `json:"due"`  // until when users accept to wait; null: it cannot start, or its length is not known
	Odds      *Odds          `json:"odds"` // of its start; null: nothing can be said, or the answer has more than mostOdds jobs

	State  string `json:"-"`
	Reason string `json:"-"` // Slurm's own, why it does not start
	Moved  int    `json:"-"` // by how many places up among the ordered jobs of its pool
}

// mostOdds is how many jobs an answer has at most that tells their odds: they cost a look at the whole
// queue, which somebody who asks for some jobs waits for, and a script that reads all again and again does not.
const mostOdds = 1000

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

// Chosen returns the plan of the chosen jobs that v may see, as far as the cycle has not
// carried it out itself. The summary counts all jobs.
func (s *Cycle) Chosen(v *Viewer, by *Selection) Plan {
	p := Plan{
		Cluster: s.Cluster, Time: s.Time, Channel: s.Channel, Mode: s.Mode,
		Summary: Summary(s.Plan.Summary), Pending: len(s.Plan.Entries),
	}
	p.Summary.Writes -= len(s.written)
	var places []int // of the jobs
	for i := range s.Plan.Entries {
		if !s.sees(v, by, i) {
			continue
		}
		if p.Matched++; by.Limit == 0 || len(places) < by.Limit {
			places = append(places, i)
		}
	}
	p.Jobs = make([]Job, len(places))
	for k, i := range places {
		p.Jobs[k] = s.Job(i)
	}
	p.More = p.Matched - len(p.Jobs)
	if len(places) <= mostOdds {
		for k, i := range places {
			e := s.Plan.Entries[i]
			if pool := s.poolOf(e); s.able(e, pool) || e.Wait == priority.Limited {
				p.Jobs[k].Odds = s.odds(e.Job, pool)
			}
		}
	}
	return p
}

// sees reports whether the job at a place of the plan's entries is chosen and v may
// see it.
func (s *Cycle) sees(v *Viewer, by *Selection, place int) bool {
	e := s.Plan.Entries[place]
	return by.chosen(e.User, e.Account, e.Partition) && v.Job(e.User, e.Account) && s.named(by, place)
}

// named reports whether the job at a place of the plan's entries is chosen by its name.
func (s *Cycle) named(by *Selection, place int) bool {
	if len(by.Jobs) == 0 { // as most often, for each of many jobs
		return true
	}
	e := s.Plan.Entries[place]
	fits := func(n JobName) bool { return n.Pending(s.Plan.Entries[place:place+1]) == 0 }
	leader := uint64(e.Job) // of a heterogeneous job, which shows as 40+1
	if number, _, ok := strings.Cut(e.Full, "+"); ok {
		leader, _ = strconv.ParseUint(number, 10, 32)
	}
	return by.named(fits, e.Job, e.Array, ostrich.JobID(leader))
}

// Job describes the job at a place of the plan's entries.
func (s *Cycle) Job(place int) Job {
	e := s.Plan.Entries[place]
	j := Job{
		JobID: e.Job, Job: e.Full, User: e.User, Account: e.Account, Partition: e.Partition, QOS: e.QOS, Pool: e.Pool, Class: s.Plan.Class(e),
		SlurmRank: e.SlurmRank, Priority: e.Priority, From: e.From, To: e.To, Write: e.Write, Undone: e.Undone, Why: e.Why.String(), Code: e.Why.Code, Due: s.dueAt(place),
		State: e.State, Reason: e.Reason, Moved: s.moved[place],
	}
	if s.written[e.Job] {
		j.From, j.Write, j.Undone = j.To, false, false
	}
	if e.Place.Lead != 0 {
		j.Campaign = &e.Place.Lead
	}
	if e.Rank != 0 {
		j.Rank = &e.Rank
	}
	return j
}

// moves returns by how many places each job comes earlier in OStrich's order than in
// Slurm's, among the ordered jobs of its pool; 0 for jobs that are left alone.
func moves(entries []*priority.Entry) []int {
	ordered := make([]int, len(entries)) // in Slurm's order, places of entries and one more; 0 for others
	for i := range entries {
		if e := entries[i]; e.Rank != 0 {
			ordered[e.SlurmRank-1] = i + 1
		}
	}
	moved, before := make([]int, len(entries)), make(map[string]int) // in each pool
	for _, place := range ordered {
		if place > 0 {
			e := entries[place-1]
			before[e.Pool]++
			moved[place-1] = before[e.Pool] - e.Rank
		}
	}
	return moved
}
