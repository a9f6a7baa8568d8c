package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

func explainCommand() *cli.Command {
	return command(cli.Command{
		Name:      "explain",
		Usage:     "say why a job stands where it stands",
		ArgsUsage: "JOB",
		Description: "JOB is an id as squeue shows it: 17, 17_4, 17+1. Tells its campaign, who is ahead, what Slurm's own\n" +
			"factors add, and whether and why OStrich leaves it alone.",
	}, slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "clusters", Aliases: []string{"M"}, Usage: "the `CLUSTER` to look at", DefaultText: "the local one"},
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, see docs/operations.md"},
	}), func(c *cli.Context, config sidecar.Config) error {
		if c.NArg() != 1 {
			return errors.New("explain: name one job")
		}
		arg := c.Args().First()
		id, err := parseJob(arg)
		if err != nil {
			return err
		}
		s, cycle, err := look(c, config)
		if err != nil {
			return err
		}
		defer s.Close()
		odd(c, cycle)
		e, err := explain(s, cycle, id)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(c, e)
		}
		return e.write(c.App.Writer)
	})
}

// jobName is a job as squeue names it.
type jobName struct {
	text string
	id   ostrich.JobID
	task uint32
	part bool // task is given: one task of an array
}

func parseJob(text string) (jobName, error) {
	n := jobName{text: text}
	number, rest := text, ""
	if i := strings.IndexAny(text, "_+."); i >= 0 {
		number, rest = text[:i], text[i:]
	}
	id, err := strconv.ParseUint(number, 10, 32)
	if err != nil || id == 0 {
		return n, fmt.Errorf("job %q: not a job id such as 17, 17_4 or 17+1", text)
	}
	n.id = ostrich.JobID(id)
	if task, ok := strings.CutPrefix(rest, "_"); ok && !strings.HasPrefix(task, "[") {
		t, err := strconv.ParseUint(task, 10, 32)
		if err != nil {
			return n, fmt.Errorf("job %q: %q is not the number of a task", text, task)
		}
		n.task, n.part = uint32(t), true
	}
	return n, nil
}

// explanation is what explain --json writes.
type explanation struct {
	Cluster   string        `json:"cluster"`
	Time      ostrich.Time  `json:"time"`
	JobID     ostrich.JobID `json:"job_id"`
	Job       string        `json:"job"`
	User      string        `json:"user"`
	Account   string        `json:"account"`
	Partition string        `json:"partition"`
	State     string        `json:"state"`
	Reason    string        `json:"reason"`

	Verdict  string            `json:"verdict"`
	Campaign *explainedSet     `json:"campaign"` // null: in none
	Rank     *int              `json:"rank"`     // null: not ordered
	Ordered  int               `json:"ordered"`  // jobs that have a rank
	Slurm    *int              `json:"slurm_rank"`
	Pending  int               `json:"pending"`
	Ahead    *explainedAhead   `json:"ahead"`
	Factors  *explainedFactors `json:"factors"` // null: Slurm does not tell them
	Priority uint32            `json:"priority"`
	Channel  string            `json:"channel"`
	From     int64             `json:"from"`
	To       int64             `json:"to"`
	Write    bool              `json:"write"`
	Why      string            `json:"why"`
}

type explainedSet struct {
	Campaign     ostrich.JobID `json:"campaign"`
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
	Share        float64       `json:"share"`
	Entitled     float64       `json:"processors"`
	Held         int           `json:"held"`
	Active       int           `json:"active_users"`

	view ostrich.Campaign
}

type explainedAhead struct {
	Users     int     `json:"users"`
	Campaigns int     `json:"campaigns"`
	Jobs      int     `json:"jobs"`
	Work      float64 `json:"core_hours"`
	Own       int     `json:"own_jobs"` // of them in the same campaign
}

type explainedFactors struct {
	Age       int64 `json:"age"`
	Assoc     int64 `json:"assoc"`
	Fairshare int64 `json:"fairshare"`
	JobSize   int64 `json:"jobsize"`
	Partition int64 `json:"partition"`
	QOS       int64 `json:"qos"`
	TRES      int64 `json:"tres"`
	Site      int64 `json:"site"`
	Nice      int64 `json:"nice"`
}

// explain gathers what is known of a job.
func explain(s *sidecar.Sidecar, cycle *sidecar.Cycle, job jobName) (*explanation, error) {
	e := &explanation{Cluster: s.Config().Cluster, Time: cycle.Time, Channel: s.Config().Priority.Channel}
	i := slices.IndexFunc(cycle.Plan.Entries, func(p sidecar.Entry) bool {
		return p.Full == job.text || p.Job == job.id && !job.part
	})
	if i < 0 {
		// The waiting tasks of an array are one record under the array's id.
		i = slices.IndexFunc(cycle.Plan.Entries, func(p sidecar.Entry) bool {
			return p.Array == job.id && (!job.part || p.HasTask(int(job.task)))
		})
	}
	if i < 0 {
		return e.started(s, cycle, job)
	}
	p := &cycle.Plan.Entries[i]
	e.JobID, e.Job, e.User, e.Account, e.Partition = p.Job, p.Full, p.User, p.Account, p.Partition
	e.State, e.Reason, e.Priority = p.State, p.Reason, p.Priority
	e.Slurm, e.Pending = &p.SlurmRank, cycle.Plan.Summary.Pending
	e.From, e.To, e.Write, e.Why = p.From, p.To, p.Write, p.Why
	e.set(cycle, p.Job)
	if p.SiteKnown {
		f := p.Factors
		e.Factors = &explainedFactors{
			Age: f.Age, Assoc: f.Assoc, Fairshare: f.Fairshare, JobSize: f.JobSize, Partition: f.Partition,
			QOS: f.QOS, TRES: f.TRES, Site: p.Site, Nice: p.Nice,
		}
	}
	e.Ordered = cycle.Plan.Summary.Managed
	if p.Rank != 0 {
		e.Rank = &p.Rank
		e.Ahead = ahead(cycle, p)
	}
	switch {
	case p.Rank == 0:
		e.Verdict = "OStrich leaves this job alone: " + p.Why
	case p.Gated:
		e.Verdict = "its user's earlier campaign is not completed in the virtual schedule, so this one waits behind those that have started there"
	case p.Rank == 1:
		e.Verdict = "it is the next to start as soon as it fits"
	default:
		e.Verdict = fmt.Sprintf("campaigns that complete earlier in the virtual schedule go first; %d jobs are ahead", e.Ahead.Jobs)
	}
	return e, nil
}

// started explains a job that is not pending.
func (e *explanation) started(s *sidecar.Sidecar, cycle *sidecar.Cycle, job jobName) (*explanation, error) {
	for _, r := range s.Live() {
		if r.Job.ID != job.id && (!job.part || r.ArrayJob != job.id || r.ArrayTask != job.task) {
			continue
		}
		if r.Job.ID == job.id && job.part && r.ArrayTask != job.task {
			continue
		}
		e.JobID, e.Job, e.User, e.Account, e.Partition = r.Job.ID, job.text, r.UserName, r.Account, r.Partition
		e.State = r.State.String()
		e.Verdict = "it is not waiting: accounting has it as " + e.State
		if r.Job.Start != 0 {
			e.Verdict += " since " + moment(float64(r.Job.Start))
		}
		e.Why = "not pending"
		e.set(cycle, r.Job.ID)
		return e, nil
	}
	return nil, fmt.Errorf("job %s: neither in the queue nor unfinished in accounting", job.text)
}

// set finds the campaign of a job.
func (e *explanation) set(cycle *sidecar.Cycle, id ostrich.JobID) {
	for _, pool := range cycle.Pools {
		user, number, ok := pool.Schedule.CampaignOf(id)
		if !ok {
			continue
		}
		for _, v := range pool.Schedule.Campaigns() {
			if v.User != user || v.Number != number {
				continue
			}
			e.Campaign = &explainedSet{
				Campaign: v.Lead, Submitted: v.First, Pending: len(v.Pending), Running: len(v.Running), Work: coreHours(v.Work),
				Progress: v.Progress(), Started: v.Started, Completed: v.Completed,
				VirtualStart: finite(v.VirtualStart), VirtualEnd: finite(v.VirtualEnd),
				Stretch: v.Stretch(pool.Schedule.Procs(), cycle.Time), Bound: finite(v.Bound),
				Active: pool.Schedule.Active(), view: v,
			}
		}
		for _, u := range pool.Schedule.Users() {
			if u.User == user && e.Campaign != nil {
				e.Campaign.Share, e.Campaign.Entitled, e.Campaign.Held = u.Fraction, u.Entitled, u.Held
			}
		}
	}
}

// ahead adds up what has a better rank in the same pool.
func ahead(cycle *sidecar.Cycle, p *sidecar.Entry) *explainedAhead {
	var a explainedAhead
	users, campaigns := make(map[string]bool), make(map[[2]string]bool)
	for _, o := range cycle.Plan.Entries {
		if o.Pool != p.Pool || o.Rank == 0 || o.Rank >= p.Rank {
			continue
		}
		a.Jobs++
		a.Work += coreHours(work(cycle, o.Job))
		if o.Campaign == p.Campaign && o.User == p.User {
			a.Own++
			continue
		}
		campaigns[[2]string{o.User, fmt.Sprint(o.Campaign)}] = true
		if o.User != p.User {
			users[o.User] = true
		}
	}
	a.Users, a.Campaigns = len(users), len(campaigns)
	return &a
}

// work is what a pending record is expected to take.
func work(cycle *sidecar.Cycle, id ostrich.JobID) ostrich.Work {
	for _, pool := range cycle.Pools {
		if w, ok := pool.Schedule.WorkOf(id); ok {
			return w
		}
	}
	return 0
}

// write tells it in words.
func (e *explanation) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "job %s of %s (account %s, partition %s)\n%s.\n", e.Job, e.User, e.Account, e.Partition, e.Verdict)
	if e.Slurm != nil {
		fmt.Fprintf(&b, "\nplace     %s in OStrich's order; %d of %d in Slurm's present one (reason %s)\n",
			rankOf(e.Rank, e.Ordered), *e.Slurm, e.Pending, e.Reason)
	}
	if c := e.Campaign; c != nil {
		fmt.Fprintf(&b, "campaign  %d: submitted %s, %d pending and %d running, %.2f core-hours\n",
			c.Campaign, moment(float64(c.Submitted)), c.Pending, c.Running, c.Work)
		start, end := "starts", "completes"
		if c.Started {
			start = "started"
		}
		if c.Completed {
			end = "completed"
		}
		fmt.Fprintf(&b, "virtual   %s %s, %s %s, %.0f%% done; share %.3f of the machine with %d active users = %.1f processors, holds %d\n",
			start, moment(c.view.VirtualStart), end, moment(c.view.VirtualEnd), 100*c.Progress, c.Share, c.Active, c.Entitled, c.Held)
		fmt.Fprintf(&b, "stretch   %.2f so far; the campaign ends by %s if the queue follows this order strictly\n",
			c.Stretch, moment(c.view.Bound))
	}
	if a := e.Ahead; a != nil {
		fmt.Fprintf(&b, "ahead     %d jobs, %.2f core-hours: %d of its own campaign, the rest of %d campaigns of %d other users\n",
			a.Jobs, a.Work, a.Own, a.Campaigns, a.Users)
	}
	if f := e.Factors; f != nil {
		fmt.Fprintf(&b, "priority  %d = age %d + assoc %d + fairshare %d + jobsize %d + partition %d + qos %d + tres %d + site %d - nice %d\n",
			e.Priority, f.Age, f.Assoc, f.Fairshare, f.JobSize, f.Partition, f.QOS, f.TRES, f.Site, f.Nice)
	} else if e.Slurm != nil {
		fmt.Fprintf(&b, "priority  %d; Slurm does not tell its factors\n", e.Priority)
	}
	switch {
	case e.Write:
		fmt.Fprintf(&b, "write     %s from %d to %d (%s)\n", e.Channel, e.From, e.To, e.Why)
	case e.Slurm != nil && e.Rank != nil:
		fmt.Fprintf(&b, "write     nothing: %s is %d, which fits the order (%s)\n", e.Channel, e.From, e.Why)
	case e.Slurm != nil:
		fmt.Fprintf(&b, "write     nothing: %s\n", e.Why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func rankOf(rank *int, of int) string {
	if rank == nil {
		return "no place"
	}
	return fmt.Sprintf("%d of %d", *rank, of)
}
