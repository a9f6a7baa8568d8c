package view

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// ErrNoJob means that a job is not known.
var ErrNoJob = errors.New("neither in the queue nor unfinished in accounting")

// Explanation says why a job stands where it stands.
type Explanation struct {
	Cluster   string        `json:"cluster"`
	Time      ostrich.Time  `json:"time"`
	JobID     ostrich.JobID `json:"job_id"`
	Job       string        `json:"job"`
	User      string        `json:"user"`
	Account   string        `json:"account"`
	Partition string        `json:"partition"`
	State     string        `json:"state"`
	Reason    string        `json:"reason"`

	Verdict  string             `json:"verdict"`
	Campaign *ExplainedCampaign `json:"campaign"` // null: in none
	Rank     *int               `json:"rank"`     // null: not ordered
	Ordered  int                `json:"ordered"`  // jobs that have a rank
	Slurm    *int               `json:"slurm_rank"`
	Pending  int                `json:"pending"`
	Ahead    *Ahead             `json:"ahead"`
	Factors  *Factors           `json:"factors"` // null: Slurm does not tell them
	Priority uint32             `json:"priority"`
	Channel  string             `json:"channel"`
	From     int64              `json:"from"`
	To       int64              `json:"to"`
	Write    bool               `json:"write"`
	Why      string             `json:"why"`
}

// ExplainedCampaign is the campaign of the job, and what its user is entitled to.
type ExplainedCampaign struct {
	Campaign     ostrich.JobID `json:"campaign"`
	Name         string        `json:"name,omitempty"` // by which the user declared it
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
	Share        float64       `json:"share"`
	Entitled     float64       `json:"processors"`
	Held         int           `json:"held"`
	Active       int           `json:"active_users"`
}

// Ahead counts what comes before the job in its pool; an array counts once.
type Ahead struct {
	Users     int     `json:"users"`
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Work      float64 `json:"core_hours"`
	Own       int     `json:"own_jobs"` // of them in the same campaign
}

// String returns it in words.
func (a *Ahead) String() string {
	if a.Jobs == 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%s (arrays count once), %.2f core-hours: ", format.Plural(a.Jobs, "job"), a.Work)
	if a.Own == a.Jobs {
		return text + "all of its own campaign"
	}
	return text + fmt.Sprintf("%d of its own campaign, %d of %s (%s)",
		a.Own, a.Jobs-a.Own, format.Plural(a.Campaigns, "other campaign"), format.Plural(a.Users, "other user"))
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

// Explain gathers what is known of a job. It returns ErrNoJob if nothing is.
func (s *Cycle) Explain(job JobName) (*Explanation, error) {
	e := &Explanation{Cluster: s.Cluster, Time: s.Time, Channel: s.Channel}
	entries := s.Plan.Entries
	at := job.Pending(entries)
	if at < 0 {
		return e.started(s, job)
	}
	p := &entries[at]
	e.JobID, e.Job, e.User, e.Account, e.Partition = p.Job, p.Full, p.User, p.Account, p.Partition
	e.State, e.Reason, e.Priority = p.State, p.Reason, p.Priority
	e.Slurm = &p.SlurmRank
	e.From, e.To, e.Write, e.Why = p.From, p.To, p.Write, p.Why
	e.Campaign = s.explained(p.Job)
	if p.SiteKnown {
		f := p.Factors
		e.Factors = &Factors{
			Age: f.Age, Assoc: f.Assoc, Fairshare: f.Fairshare, JobSize: f.JobSize, Partition: f.Partition,
			QOS: f.QOS, TRES: f.TRES, Site: p.Site, Nice: p.Nice, Sum: int64(cmp.Or(p.Computed, p.Priority)),
		}
	}
	e.Pending = len(entries) // Slurm's order is one of all pools
	for i := range s.Pools {
		if s.Pools[i].Name == p.Pool {
			e.Ordered = s.Pools[i].Managed // each pool has an order of its own
		}
	}
	if p.Rank != 0 {
		e.Rank = &p.Rank
		e.Ahead = s.ahead(p)
	}
	switch {
	case p.Rank == 0:
		e.Verdict = "OStrich leaves this job alone: " + p.Why
	case p.Wait == priority.Limited, p.Wait == priority.Impossible:
		e.Verdict = fmt.Sprintf("it %s (%s): it stands behind those that can start, and counts for nothing until it can", p.Wait, p.Reason)
	case p.Place.Gated:
		e.Verdict = "its user's earlier campaign is not completed in the virtual schedule, so this one waits behind those that have started there"
	case p.Rank == 1:
		e.Verdict = "it is the next to start as soon as it fits"
	case e.Ahead.Own == e.Ahead.Jobs:
		e.Verdict = "its campaign is the first in the order, and other jobs of it go first"
	case e.Campaign != nil && e.Campaign.Overdue:
		e.Verdict = "its campaign is overdue, and campaigns that are overdue for longer go first"
	case e.Campaign != nil && e.Campaign.Completed:
		e.Verdict = "its campaign is late, and campaigns with less work left go first"
	default:
		e.Verdict = "campaigns that are nearer to their completion in the virtual schedule go first"
	}
	return e, nil
}

func unknown(job JobName) error { return fmt.Errorf("job %s: %w", job, ErrNoJob) }

// started explains a job that is not pending.
func (e *Explanation) started(s *Cycle, job JobName) (*Explanation, error) {
	r, ok := job.live(s.live)
	if !ok {
		return nil, unknown(job)
	}
	e.JobID, e.Job, e.User, e.Account, e.Partition = r.Job.ID, job.text, r.UserName, r.Account, r.Partition
	e.State, e.Why = r.State.String(), "not pending"
	switch {
	case r.State == slurmdb.Pending:
		e.Verdict = "it waits by the accounting tables, but is not in Slurm's queue: it has just started or ended, or is lost (sacctmgr show runawayjobs)"
	case r.Job.Start != 0:
		e.Verdict = fmt.Sprintf("it is not waiting: %s since %s", e.State, format.Moment(float64(r.Job.Start)))
	default:
		e.Verdict = "it is not waiting: " + e.State
	}
	e.Campaign = s.explained(r.Job.ID)
	return e, nil
}

// explained returns the campaign of a job, nil if it is in none.
func (s *Cycle) explained(id ostrich.JobID) *ExplainedCampaign {
	for i := range s.Campaigns {
		c := &s.Campaigns[i]
		if !slices.Contains(c.Pending, id) && !slices.Contains(c.Running, id) {
			continue
		}
		return &ExplainedCampaign{
			Campaign: c.Campaign, Name: c.Name, Submitted: c.Submitted, Pending: c.Jobs.Pending, Running: c.Jobs.Running, Work: c.Work,
			Progress: c.Progress, Started: c.Started, Completed: c.Completed, VirtualStart: c.VirtualStart, VirtualEnd: c.VirtualEnd,
			Stretch: c.Stretch, Bound: c.Bound, Left: c.Left, FrontBy: c.FrontBy, Overdue: c.Overdue, CannotStart: c.Blocked, Waiting: c.Waiting,
			Share: c.Of.Share, Entitled: c.Of.Entitled, Held: c.Of.Held, Active: c.Of.Among,
		}
	}
	return nil
}

// ahead adds up the jobs with a better rank in the same pool.
func (s *Cycle) ahead(p *sidecar.Entry) *Ahead {
	type campaign struct {
		user string
		lead ostrich.JobID
	}
	var a Ahead
	users, campaigns := make(map[string]bool), make(map[campaign]bool)
	for i := range s.Plan.Entries {
		o := &s.Plan.Entries[i]
		if o.Pool != p.Pool || o.Rank == 0 || o.Rank >= p.Rank {
			continue
		}
		a.Jobs++
		a.Work += format.CoreHours(s.works[i])
		if o.Place.Lead == p.Place.Lead && o.User == p.User {
			a.Own++
			continue
		}
		campaigns[campaign{o.User, o.Place.Lead}] = true
		if o.User != p.User {
			users[o.User] = true
		}
	}
	a.Work = math.Round(a.Work*1e6) / 1e6 // a sum of fractions
	a.Users, a.Campaigns = len(users), len(campaigns)
	return &a
}

// Line is a line of an explanation.
type Line struct{ Label, Text string }

// Title names the job.
func (e *Explanation) Title() string {
	return fmt.Sprintf("job %s of %s (account %s, partition %s)", e.Job, e.User, e.Account, e.Partition)
}

// Lines is all but title and verdict, in words.
func (e *Explanation) Lines() []Line {
	var lines []Line
	add := func(label, format string, args ...any) {
		lines = append(lines, Line{label, fmt.Sprintf(format, args...)})
	}
	if e.Slurm != nil {
		add("place", "%s in OStrich's order; %d of %d pending in Slurm's present one (reason %s)",
			rankOf(e.Rank, e.Ordered), *e.Slurm, e.Pending, e.Reason)
	}
	if c := e.Campaign; c != nil {
		add("campaign", "%d: submitted %s; %d pending and %d running jobs, %.2f core-hours",
			c.Campaign, format.Moment(float64(c.Submitted)), c.Pending, c.Running, c.Work)
		if c.CannotStart > 0 {
			add("cannot", "start: %s of its pending ones, which count for nothing until they can", format.Plural(c.CannotStart, "job"))
		}
		start, end := "starts", "completes"
		if c.Started {
			start = "started"
		}
		if c.Completed {
			end = "completed"
		}
		if !c.Waiting {
			add("virtual", "%s %s, %s %s; %.0f%% served",
				start, format.When(c.VirtualStart), end, format.When(c.VirtualEnd), 100*c.Progress)
		}
		switch {
		case c.Overdue:
			add("late", "since %s, %.2f core-hours left; overdue since %s, so it goes first", format.When(c.VirtualEnd), c.Left, format.When(c.FrontBy))
		case c.Completed:
			add("late", "since %s, %.2f core-hours left; it goes first from %s on", format.When(c.VirtualEnd), c.Left, format.When(c.FrontBy))
		}
		add("share", "%.3f of the machine with %d active users, which is %.1f processors; its user holds %d",
			c.Share, c.Active, c.Entitled, c.Held)
		bound := "no bound on its end, as one job may fill the machine"
		if c.Waiting {
			bound = "no bound on its end while it cannot start"
		}
		if c.Bound != nil {
			bound = fmt.Sprintf("the campaign ends by %s if the queue follows this order strictly", format.When(c.Bound))
		}
		add("stretch", "%.2f so far (1 is an empty machine); %s", c.Stretch, bound)
	}
	if a := e.Ahead; a != nil {
		add("ahead", "%s", a)
	}
	if f := e.Factors; f != nil {
		is := ""
		if f.Sum != int64(e.Priority) {
			is = fmt.Sprintf("%d, which the backfill scheduler put in the place of ", e.Priority)
		}
		add("priority", "%s%d = age %d + assoc %d + fairshare %d + jobsize %d + partition %d + qos %d + tres %d + site %d - nice %d",
			is, f.Sum, f.Age, f.Assoc, f.Fairshare, f.JobSize, f.Partition, f.QOS, f.TRES, f.Site, f.Nice)
	} else if e.Slurm != nil {
		add("priority", "%d; Slurm does not tell what it is made of", e.Priority)
	}
	switch {
	case e.Write:
		add("write", "%s from %d to %d (%s)", e.Channel, e.From, e.To, e.Why)
	case e.Slurm != nil && e.Rank != nil:
		add("write", "nothing: %s is %d, which fits the order (%s)", e.Channel, e.From, e.Why)
	case e.Slurm != nil:
		add("write", "nothing: %s", e.Why)
	}
	return lines
}

// String returns it in words, as "ostrich explain" prints them.
func (e *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s.\n", e.Title(), e.Verdict)
	for i, line := range e.Lines() {
		if i == 0 && line.Label == "place" {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%-10s%s\n", line.Label, line.Text)
	}
	return b.String()
}

func rankOf(rank *int, of int) string {
	if rank == nil {
		return "none"
	}
	return fmt.Sprintf("%d of %d", *rank, of)
}
