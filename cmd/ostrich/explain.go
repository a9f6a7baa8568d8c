package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/slurmdb"
)

func explainCommand() *cli.Command {
	return command(cli.Command{
		Name:      "explain",
		Usage:     "say why a job stands where it stands",
		ArgsUsage: "JOB",
		Description: "JOB is an id as squeue shows it: 17, 17_4, 17+1. Tells its campaign, who is ahead, what Slurm's own\n" +
			"factors add, and whether and why OStrich leaves it alone.",
	}, slices.Concat([]cli.Flag{
		clusterFlag(),
		&cli.BoolFlag{Name: "json", Usage: "write one JSON object, as docs/operations.md describes"},
	}), func(c *cli.Context, config sidecar.Config) error {
		if c.NArg() != 1 {
			return errors.New("explain: name one job")
		}
		arg := c.Args().First()
		id, err := parseJob(arg)
		if err != nil {
			return err
		}
		return look(c, config, func(s *sidecar.Sidecar, cycle *sidecar.Cycle) error {
			e, err := explain(s, cycle, id)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c, e)
			}
			return e.write(c.App.Writer)
		})
	})
}

// jobName is a job as squeue names it.
type jobName struct {
	text   string
	id     ostrich.JobID // of the job, the array or the leader of a heterogeneous job
	task   int           // of the array, or -1
	offset int           // of the heterogeneous job, or -1
}

// jobForm is 17, 17_4, 17_[1-3,7%2] or 17+1.
var jobForm = regexp.MustCompile(`^(\d+)(?:_(\d+)|_\[[\d,%:-]+\]|\+(\d+))?$`)

func parseJob(text string) (jobName, error) {
	n := jobName{text: text, task: -1, offset: -1}
	found := jobForm.FindStringSubmatch(text)
	if found == nil {
		return n, fmt.Errorf("job %q: not a job id such as 17, 17_4 or 17+1", text)
	}
	id, err := strconv.ParseUint(found[1], 10, 32)
	if err != nil || id == 0 {
		return n, fmt.Errorf("job %q: not a job id such as 17, 17_4 or 17+1", text)
	}
	n.id = ostrich.JobID(id)
	for i, to := range []*int{&n.task, &n.offset} {
		part := found[2+i]
		if part == "" {
			continue
		}
		if *to, err = strconv.Atoi(part); err != nil {
			return n, fmt.Errorf("job %q: %s is too large", text, part)
		}
	}
	return n, nil
}

// pending is the entry of the plan that has the job, or nil.
func (n jobName) pending(entries []sidecar.Entry) *sidecar.Entry {
	whole := n.task < 0 && n.offset < 0
	for _, fits := range []func(e *sidecar.Entry) bool{
		func(e *sidecar.Entry) bool { return e.Full == n.text },
		func(e *sidecar.Entry) bool { return whole && e.Job == n.id },
		// The waiting tasks of an array are one record under the array's id.
		func(e *sidecar.Entry) bool {
			return n.offset < 0 && e.Array == n.id && (whole || e.HasTask(n.task))
		},
	} {
		for i := range entries {
			if fits(&entries[i]) {
				return &entries[i]
			}
		}
	}
	return nil
}

// live is what accounting has of the job.
func (n jobName) live(records []slurmdb.Record) (slurmdb.Record, bool) {
	whole := n.task < 0 && n.offset < 0
	for _, fits := range []func(r *slurmdb.Record) bool{
		func(r *slurmdb.Record) bool { return whole && r.Job.ID == n.id },
		func(r *slurmdb.Record) bool {
			return n.offset < 0 && r.ArrayJob == n.id && (whole || int(r.ArrayTask) == n.task)
		},
		// Slurm numbers the components of a heterogeneous job one after the other.
		func(r *slurmdb.Record) bool {
			return n.offset >= 0 && r.HetJob == n.id && int(r.Job.ID) == int(n.id)+n.offset
		},
	} {
		for i := range records {
			if fits(&records[i]) {
				return records[i], true
			}
		}
	}
	return slurmdb.Record{}, false
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

func (a *explainedAhead) String() string {
	if a.Jobs == 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%s (arrays count once), %.2f core-hours: ", plural(a.Jobs, "job"), a.Work)
	if a.Own == a.Jobs {
		return text + "all of its own campaign"
	}
	return text + fmt.Sprintf("%d of its own campaign, %d of %s (%s)",
		a.Own, a.Jobs-a.Own, plural(a.Campaigns, "other campaign"), plural(a.Users, "other user"))
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
	p := job.pending(cycle.Plan.Entries)
	if p == nil {
		return e.started(s, cycle, job)
	}
	e.JobID, e.Job, e.User, e.Account, e.Partition = p.Job, p.Full, p.User, p.Account, p.Partition
	e.State, e.Reason, e.Priority = p.State, p.Reason, p.Priority
	e.Slurm = &p.SlurmRank
	e.From, e.To, e.Write, e.Why = p.From, p.To, p.Write, p.Why
	e.set(s, cycle, p.Job)
	if p.SiteKnown {
		f := p.Factors
		e.Factors = &explainedFactors{
			Age: f.Age, Assoc: f.Assoc, Fairshare: f.Fairshare, JobSize: f.JobSize, Partition: f.Partition,
			QOS: f.QOS, TRES: f.TRES, Site: p.Site, Nice: p.Nice,
		}
	}
	e.Pending = len(cycle.Plan.Entries) // Slurm's order is one of all pools
	for _, o := range cycle.Plan.Entries {
		if o.Pool == p.Pool && o.Rank > 0 {
			e.Ordered++ // each pool has an order of its own
		}
	}
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
	case e.Ahead.Own == e.Ahead.Jobs:
		e.Verdict = "its campaign is the first to complete in the virtual schedule, and other jobs of it go first"
	default:
		e.Verdict = "campaigns that complete earlier in the virtual schedule go first"
	}
	return e, nil
}

// started explains a job that is not pending.
func (e *explanation) started(s *sidecar.Sidecar, cycle *sidecar.Cycle, job jobName) (*explanation, error) {
	r, ok := job.live(s.Live())
	if !ok {
		return nil, fmt.Errorf("job %s: neither in the queue nor unfinished in accounting", job.text)
	}
	e.JobID, e.Job, e.User, e.Account, e.Partition = r.Job.ID, job.text, r.UserName, r.Account, r.Partition
	e.State, e.Why = r.State.String(), "not pending"
	switch {
	case r.State == slurmdb.Pending:
		e.Verdict = "it waits by the accounting tables, but is not in Slurm's queue: it has just started or ended, or is lost (sacctmgr show runawayjobs)"
	case r.Job.Start != 0:
		e.Verdict = fmt.Sprintf("it is not waiting: %s since %s", e.State, moment(float64(r.Job.Start)))
	default:
		e.Verdict = "it is not waiting: " + e.State
	}
	e.set(s, cycle, r.Job.ID)
	return e, nil
}

// set finds the campaign of a job.
func (e *explanation) set(s *sidecar.Sidecar, cycle *sidecar.Cycle, id ostrich.JobID) {
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
				Campaign: v.Lead, Submitted: v.First, Pending: tasks(s, v.Pending), Running: len(v.Running), Work: coreHours(v.Work),
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
	a.Work = math.Round(a.Work*1e6) / 1e6 // a sum of fractions
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
		fmt.Fprintf(&b, "\nplace     %s in OStrich's order; %d of %d pending in Slurm's present one (reason %s)\n",
			rankOf(e.Rank, e.Ordered), *e.Slurm, e.Pending, e.Reason)
	}
	if c := e.Campaign; c != nil {
		fmt.Fprintf(&b, "campaign  %d: submitted %s; %d pending and %d running jobs, %.2f core-hours\n",
			c.Campaign, moment(float64(c.Submitted)), c.Pending, c.Running, c.Work)
		start, end := "starts", "completes"
		if c.Started {
			start = "started"
		}
		if c.Completed {
			end = "completed"
		}
		fmt.Fprintf(&b, "virtual   %s %s, %s %s; %.0f%% served\n",
			start, moment(c.view.VirtualStart), end, moment(c.view.VirtualEnd), 100*c.Progress)
		fmt.Fprintf(&b, "share     %.3f of the machine with %d active users, which is %.1f processors; its user holds %d\n",
			c.Share, c.Active, c.Entitled, c.Held)
		fmt.Fprintf(&b, "stretch   %.2f so far (1 is an empty machine); ", c.Stretch)
		if c.Bound == nil {
			fmt.Fprint(&b, "no bound on its end, as one job may fill the machine\n")
		} else {
			fmt.Fprintf(&b, "the campaign ends by %s if the queue follows this order strictly\n", moment(*c.Bound))
		}
	}
	if a := e.Ahead; a != nil {
		fmt.Fprintf(&b, "ahead     %s\n", a)
	}
	if f := e.Factors; f != nil {
		fmt.Fprintf(&b, "priority  %d = age %d + assoc %d + fairshare %d + jobsize %d + partition %d + qos %d + tres %d + site %d - nice %d\n",
			e.Priority, f.Age, f.Assoc, f.Fairshare, f.JobSize, f.Partition, f.QOS, f.TRES, f.Site, f.Nice)
	} else if e.Slurm != nil {
		fmt.Fprintf(&b, "priority  %d; Slurm does not tell what it is made of\n", e.Priority)
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
		return "none"
	}
	return fmt.Sprintf("%d of %d", *rank, of)
}
