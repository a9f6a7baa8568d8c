package view

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// ErrNoJob means that a job is not known.
var ErrNoJob = errors.New("neither in the queue nor unfinished in accounting")

// Explanation says why a job stands where it stands.
type Explanation struct {
	Cluster   string        `json:"cluster"`
	Time      ostrich.Time  `json:"time"`
	Resource  string        `json:"resource"` // by which work is counted: a TRES of Slurm's
	JobID     ostrich.JobID `json:"job_id"`
	Job       string        `json:"job"`
	User      string        `json:"user"`
	Account   string        `json:"account"`
	Partition string        `json:"partition"`
	Class     string        `json:"class"` // "": there are no classes
	State     string        `json:"state"`
	Reason    string        `json:"reason"`

	Verdict  string             `json:"verdict"`
	Able     bool               `json:"able"`     // it waits, and only for its turn
	Enforced bool               `json:"enforced"` // OStrich sets priorities here; else it only watches
	Campaign *ExplainedCampaign `json:"campaign"` // null: in none
	Rank     *int               `json:"rank"`     // null: not ordered
	Ordered  int                `json:"ordered"`  // jobs that have a rank
	Slurm    *int               `json:"slurm_rank"`
	Pending  int                `json:"pending"`
	Ahead    *Ahead             `json:"ahead"`
	Expected *Expected          `json:"expected_start"`  // null: nothing can be said
	Odds     *Odds              `json:"odds"`            // of its start; null: nothing can be said
	Due      *ostrich.Time      `json:"due"`             // until when users accept to wait; null: it cannot start, or its length is not known
	Length   ostrich.Duration   `json:"expected_length"` // from which Due follows, in seconds; 0: Due is null
	Accepted string             `json:"accepted"`        // whose wait that is, see the setting satisfaction
	DueShown bool               `json:"due_shown"`       // the words tell of it, as satisfaction is set
	Factors  *Factors           `json:"factors"`         // null: Slurm does not tell them
	Priority uint32             `json:"priority"`
	Channel  priority.Channel   `json:"channel"`
	From     int64              `json:"from"`
	To       int64              `json:"to"`
	Write    bool               `json:"write"`
	Why      string             `json:"why"`
	Code     priority.Code      `json:"code"` // of Why, see priority.Why; "" of a job that is not pending

	Submitted ostrich.Time      `json:"submitted"`
	Started   *ostrich.Time     `json:"started"` // null: not yet, or never
	Ended     *ostrich.Time     `json:"ended"`   // null: not yet
	Waited    *ostrich.Duration `json:"waited"`  // until the start, or the end of a job that never ran; null: it waits
	Unable    ostrich.Duration  `json:"unable"`  // of that, when it could not start: held, too early, dependent
	Meanwhile *Meanwhile        `json:"meanwhile"`
	Uncounted string            `json:"uncounted"` // why there is no Meanwhile though it waited; "" for no reason
	Writes    []Write           `json:"writes"`    // of a job that started or ended, in the order of time

	uid    uint32
	before string        // the class behind the job's, "" for none
	array  ostrich.JobID // 0 unless it is a task
}

// ExplainedCampaign is the campaign of the job, and what its user is entitled to.
type ExplainedCampaign struct {
	Campaign     ostrich.JobID `json:"campaign"`
	Name         string        `json:"name,omitempty"` // by which the user declared it
	Found        *Found        `json:"found"`
	Submitted    ostrich.Time  `json:"submitted"`
	Pending      int           `json:"pending"`
	Running      int           `json:"running"`
	Work         float64       `json:"work_core_hours"`
	Progress     float64       `json:"progress"`
	Started      bool          `json:"started"`
	Completed    bool          `json:"completed"`
	VirtualStart *float64      `json:"virtual_start"`
	VirtualEnd   *float64      `json:"virtual_completion"`
	Stretch      float64       `json:"stretch"`
	Bound        *float64      `json:"bound"`
	Left         float64       `json:"left_core_hours"` // of its jobs, really
	FrontBy      *float64      `json:"front_by"`        // when it goes first, if it still waits
	Overdue      bool          `json:"overdue"`         // that moment has come
	CannotStart  int           `json:"cannot_start"`    // of pending, jobs that count for nothing until they can
	Waiting      bool          `json:"waiting"`         // none of its jobs could start yet
	Share        *float64      `json:"share"`           // null, as Entitled and Held: hidden
	Entitled     *float64      `json:"processors"`
	Held         *float64      `json:"held"`
	Active       int           `json:"active_users"`
	Others       int           `json:"other_active_users"`
	NoShare      bool          `json:"no_share"`         // the user is not active: Share and Entitled are what new work would get
	Late         int           `json:"other_late_users"` // whose work is all complete virtually, and not really: they have no share now
	Processors   float64       `json:"pool_processors"`
	Flow         float64       `json:"flow"`     // seconds since a job of it could first start; 0: none can
	Shortest     float64       `json:"shortest"` // seconds that it needs alone on an empty machine; 0: not known
	EndOdds      *Odds         `json:"end_odds"` // of the end of its last job; null: nothing can be said

	of *User // whose it is
}

// Ahead counts what comes before the job in its pool; an array counts once.
type Ahead struct {
	Users     int     `json:"users"`
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Work      float64 `json:"core_hours"`
	Own       int     `json:"own_jobs"`       // of them in the same campaign
	OwnOther  int     `json:"own_other_jobs"` // of them in other campaigns of the user
}

// Factors are the weighted factors of priority/multifactor.
type Factors struct {
	Age       int64 `json:"age"`
	Assoc     int64 `json:"assoc"`
	Fairshare int64 `json:"fairshare"`
	JobSize   int64 `json:"jobsize"`
	Partition int64 `json:"partition"`
	QOS       int64 `json:"qos"`
	TRES      int64 `json:"tres"`
	Site      int64 `json:"site"`
	Nice      int64 `json:"nice"`
	Sum       int64 `json:"sum"` // the priority, unless a write was undone
}

// Explain gathers what a cycle holds of an unfinished job. It returns ErrNoJob if that
// is nothing.
func (s *Cycle) Explain(job JobName) (*Explanation, error) {
	entries := s.Plan.Entries
	at := job.Pending(entries)
	r, ok := job.live(s.live)
	switch {
	case at >= 0 && (!ok || r.Job.Start == 0 || (r.Job.ID != entries[at].Job && job.task < 0)):
		return s.waiting(at), nil
	case !ok:
		return nil, fmt.Errorf("job %s: %w", job, ErrNoJob)
	}
	return s.ranAs(job, r), nil // even if the queue, which is read before accounting, still has it
}

// explanation returns an explanation with what is the same for all jobs.
func (s *Cycle) explanation() *Explanation {
	return &Explanation{Cluster: s.Cluster, Time: s.Time, Resource: s.Resource, Channel: s.Channel, Enforced: s.Enforced, Accepted: s.Accepted, DueShown: s.DueShown, Writes: []Write{}}
}

// waiting explains the pending job at a place of the plan's entries.
func (s *Cycle) waiting(place int) *Explanation {
	p, e := s.Plan.Entries[place], s.explanation()
	e.Due, e.Length = s.dueAt(place), s.dues[place].length
	e.JobID, e.Job, e.User, e.Account, e.Partition = p.Job, p.Full, p.User, p.Account, p.Partition
	e.State, e.Reason, e.Priority, e.Submitted = p.State, p.Reason, p.Priority, p.Submit
	e.Slurm, e.Class = &p.SlurmRank, s.Plan.Class(p)
	if p.Class+1 < len(s.Plan.Classes) {
		e.before = s.Plan.Classes[p.Class+1]
	}
	e.From, e.To, e.Write, e.Why, e.Code = p.From, p.To, p.Write, p.Why.String(), p.Why.Code
	if s.written[p.Job] {
		e.From, e.Write = p.To, false
	}
	e.Campaign = s.explained(p.Job)
	if p.SiteKnown {
		f := p.Factors
		e.Factors = &Factors{
			Age: f.Age, Assoc: f.Assoc, Fairshare: f.Fairshare, JobSize: f.JobSize, Partition: f.Partition,
			QOS: f.QOS, TRES: f.TRES, Site: p.Site, Nice: p.Nice, Sum: int64(cmp.Or(p.Computed, p.Priority)),
		}
	}
	e.Pending = len(s.Plan.Entries) // Slurm's order is one of all pools
	pool := s.poolOf(p)
	if pool != nil {
		for i := range s.Pools { // each pool has an order of its own, one of all its classes
			if s.Pools[i].Name == pool.Name {
				e.Ordered += s.Pools[i].Managed
			}
		}
	}
	if p.Rank != 0 {
		e.Rank = &p.Rank
		e.Ahead = s.ahead(p)
	}
	if e.Able = s.able(p, pool); e.Able {
		e.Expected, e.Odds = s.expected(p), s.odds(p.Job, pool)
	} else {
		if p.Wait == priority.Limited {
			e.Odds = s.odds(p.Job, pool)
		}
		if e.Campaign != nil {
			e.Campaign.Bound = nil
		}
	}
	e.Verdict = s.verdict(e, p, pool)
	return e
}

// poolOf returns the pool of a pending job, nil if it is in none.
func (s *Cycle) poolOf(p *priority.Entry) *Pool {
	for i := range s.Pools {
		if s.Pools[i].Name == p.Pool && s.Pools[i].Class == s.Plan.Class(p) && (p.Rank != 0 || s.inPool(p.Partition) != nil) {
			return &s.Pools[i]
		}
	}
	return nil
}

// able reports whether a pending job waits for nothing but its turn.
func (s *Cycle) able(p *priority.Entry, pool *Pool) bool {
	return p.Wait == priority.Able && priority.ForItsTurn(p.Reason) && p.Reservation == "" && pool != nil && s.procs(p) <= pool.Procs
}

// procs returns how many processors a task of a pending job asks for, 0 if that is not known.
func (s *Cycle) procs(p *priority.Entry) int {
	if r, ok := s.record(p.Job); ok {
		return r.Job.Procs
	}
	return p.CPUs
}

// Hide removes the shares of the job's user unless v may see them.
func (e *Explanation) Hide(v *Viewer) {
	if c := e.Campaign; c != nil && !v.Share(c.of.User, c.of.Account) {
		c.Share, c.Entitled, c.Held = nil, nil, nil
	}
}

// explained returns the campaign of a job, nil if it is in none.
func (s *Cycle) explained(id ostrich.JobID) *ExplainedCampaign {
	for i := range s.Campaigns {
		c := &s.Campaigns[i]
		if !slices.Contains(c.Pending, id) && !slices.Contains(c.Running, id) {
			continue
		}
		e := &ExplainedCampaign{
			Campaign: c.Campaign, Name: c.Name, Found: s.found(c.Name, []ostrich.JobID{id}), Submitted: c.Submitted, Pending: c.Jobs.Pending, Running: c.Jobs.Running, Work: c.Work,
			Progress: c.Progress, Started: c.Started, Completed: c.Completed, VirtualStart: c.VirtualStart, VirtualEnd: c.VirtualEnd,
			Stretch: c.Stretch, Bound: c.Bound, Left: c.Left, FrontBy: c.FrontBy, Overdue: c.Overdue, CannotStart: c.Blocked, Waiting: c.Waiting,
			Share: &c.Of.Share, Entitled: &c.Of.Entitled, Held: &c.Of.Held, Active: c.Of.Among, Others: c.Of.Among, NoShare: !c.Of.Active,
			Late: s.late(c), of: c.Of,
		}
		if c.Of.Active {
			e.Others--
		}
		if v := c.from; !v.Waiting {
			e.Flow = float64(max(0, s.Time-cmp.Or(v.Since, v.First)))
		}
		if c.Stretch > 0 {
			e.Shortest = e.Flow / c.Stretch
		}
		for k := range s.Pools {
			if s.Pools[k].Name == c.Pool {
				e.Processors = s.Pools[k].Units
			}
		}
		e.EndOdds = s.endOdds(c)
		return e
	}
	return nil
}

// late counts the other users in the pool of a campaign who have late campaigns and no
// other work: these take no share of the machine.
func (s *Cycle) late(than *Campaign) int {
	users := make(map[*User]bool)
	for i := range s.Campaigns {
		if c := &s.Campaigns[i]; c.Pool == than.Pool && c.Of != than.Of && c.Completed && !c.Of.Active {
			users[c.Of] = true
		}
	}
	return len(users)
}

// ahead adds up the jobs with a better rank in the same pool.
func (s *Cycle) ahead(p *priority.Entry) *Ahead {
	type campaign struct {
		user ostrich.UserID
		lead ostrich.JobID
	}
	var a Ahead
	users, campaigns := make(map[string]bool), make(map[campaign]bool)
	own := campaign{p.Place.User, p.Place.Lead}
	last, mine := own, true // most jobs stand behind one of their own campaign
	work := ostrich.Work(0)
	for i := range s.Plan.Entries {
		o := s.Plan.Entries[i]
		if o.Rank == 0 || o.Rank >= p.Rank || o.Pool != p.Pool {
			continue
		}
		a.Jobs++
		work += s.works[i]
		of := campaign{o.Place.User, o.Place.Lead}
		if of == own {
			a.Own++
			continue
		}
		if of != last {
			last, mine = of, o.User == p.User // in another account, too
			campaigns[of] = true
			if !mine {
				users[o.User] = true
			}
		}
		if mine {
			a.OwnOther++
		}
	}
	a.Work = rounded(s.hours(work))
	a.Users, a.Campaigns = len(users), len(campaigns)
	return &a
}
