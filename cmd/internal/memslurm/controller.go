package memslurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// User is a user of the cluster. The users of an account have equal shares, and so
// have all accounts.
type User struct {
	UID     ostrich.UserID
	Name    string
	Account string
}

// Config says what cluster is emulated. There is no default.
type Config struct {
	Cluster string // ClusterName
	Nodes   int
	CPUs    int // processors of a node
	Users   []User

	Rule           Rule             // of fair share
	Age, Fairshare int64            // the weights
	MaxAge         ostrich.Duration // PriorityMaxAge, at least 1
	HalfLife       ostrich.Duration // PriorityDecayHalfLife, at least 1
	CalcPeriod     ostrich.Duration // PriorityCalcPeriod, at least 1
}

// Procs returns the number of processors of the cluster.
func (c *Config) Procs() int { return c.Nodes * c.CPUs }

func (c *Config) check() error {
	why := ""
	switch {
	case c.Nodes < 1 || c.CPUs < 1 || c.Nodes > 1<<16 || c.CPUs > 1<<12:
		why = fmt.Sprintf("%d nodes of %d processors", c.Nodes, c.CPUs)
	case c.Age < 0 || c.Fairshare < 0:
		why = "a negative weight"
	case c.MaxAge < 1 || c.HalfLife < 1 || c.CalcPeriod < 1:
		why = fmt.Sprintf("PriorityMaxAge %d s, PriorityDecayHalfLife %d s, PriorityCalcPeriod %d s", c.MaxAge, c.HalfLife, c.CalcPeriod)
	case len(c.Users) == 0:
		why = "no user"
	}
	for i, u := range c.Users {
		if slices.ContainsFunc(c.Users[:i], func(o User) bool { return o.UID == u.UID }) {
			why = fmt.Sprintf("user %d is there twice", u.UID)
		}
	}
	if why != "" {
		return fmt.Errorf("emulated: %s: %w", why, ErrConfig)
	}
	return nil
}

// ErrConfig means that a cluster cannot be emulated.
var ErrConfig = errors.New("cannot be emulated")

const partition = "main"

// Job is a job as slurmctld knows it.
type Job struct {
	ostrich.Job

	Campaign int // the campaign of the load that it belongs to, from 0

	Priority       uint32
	Age, Fairshare float64 // the weighted factors, as of the last computation
	Site           int64   // the SiteFactor

	engine  ostrich.JobID // its name in the event loop
	request multifactor.Request
}

// Controller is the emulated slurmctld. It is a ranker for sim.Machine, and what
// the sidecar asks and writes to. It is not safe for concurrent use.
type Controller struct {
	config  Config
	begin   ostrich.Time // when the clock started
	now     ostrich.Time
	plugin  *multifactor.Multifactor // from boot on
	jobs    []*Job                   // by id, from 1
	pending []*Job                   // sorted unless dirty
	running []*Job                   // by start and id
	dirty   bool
	ranked  []ostrich.JobID // the pending ones as the event loop names them
}

// Jobs lists all jobs that were ever submitted, in the order of their ids.
func (c *Controller) Jobs() []Job {
	list := make([]Job, len(c.jobs))
	for i, j := range c.jobs {
		list[i] = *j
	}
	return list
}

// Ended returns the number of jobs that have ended.
func (c *Controller) Ended() int { return len(c.jobs) - len(c.pending) - len(c.running) }

// Now returns the time on the controller's clock.
func (c *Controller) Now() ostrich.Time { return c.now }

// boot starts the clock.
func (c *Controller) boot(at ostrich.Time) (err error) {
	c.begin, c.now = at, at
	c.plugin, err = c.config.plugin(at)
	return err
}

// submit adds a new job, with the next id.
func (c *Controller) submit(e ostrich.Event, campaign int) (*Job, error) {
	j := &Job{Job: e.Job, Campaign: campaign, engine: e.Job.ID}
	j.ID = ostrich.JobID(len(c.jobs) + 1)
	j.Group, j.Partition = 0, partition // jobs are submitted one by one, not as arrays
	_, association := c.config.user(j.User)
	j.request = multifactor.Request{
		Association: association, Partition: -1, QOS: -1, Procs: j.Procs, Limit: j.Estimate, Submit: e.At, Eligible: e.At,
	}
	if err := c.plugin.Wait(j.ID, &j.request, e.At); err != nil {
		return nil, err
	}
	c.jobs = append(c.jobs, j)
	c.pending = append(c.pending, j)
	c.prioritise(j)
	return j, nil
}

func (c *Controller) start(e ostrich.Event) (*Job, error) {
	j, err := take(&c.pending, e.Job.ID)
	if err != nil {
		return nil, err
	}
	j.Start = e.At
	c.running = append(c.running, j)
	return j, c.plugin.Start(j.ID, &j.request, e.At)
}

func (c *Controller) end(e ostrich.Event) (*Job, error) {
	j, err := take(&c.running, e.Job.ID)
	if err != nil {
		return nil, err
	}
	j.End = e.At
	return j, c.plugin.End(j.ID, e.At)
}

// take removes the job that the event loop knows by an id from a list, and returns it.
func take(list *[]*Job, engine ostrich.JobID) (*Job, error) {
	at := slices.IndexFunc(*list, func(j *Job) bool { return j.engine == engine })
	if at < 0 {
		return nil, fmt.Errorf("emulated: job %d neither waits nor runs", engine)
	}
	j := (*list)[at]
	*list = slices.Delete(*list, at, at+1)
	return j, nil
}

// calculate computes usage and all priorities again, once a CalcPeriod.
func (c *Controller) calculate(context.Context) error {
	c.plugin.AdvanceTo(c.now)
	for _, j := range c.pending {
		c.prioritise(j)
	}
	return nil
}

// prioritise computes the priority of a job as priority/multifactor does.
func (c *Controller) prioritise(j *Job) {
	j.request.Site = j.Site
	f := c.plugin.Factors(&j.request, c.now)
	j.Age, j.Fairshare = float64(c.config.Age)*f.Age, float64(c.config.Fairshare)*f.Fairshare
	j.Priority = c.plugin.Priority(&f)
	c.dirty = true
}

// sort puts the pending jobs in the order in which they are tried.
func (c *Controller) sort() {
	if !c.dirty {
		return
	}
	c.dirty = false
	slices.SortFunc(c.pending, func(a, b *Job) int {
		return cmp.Or(-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	})
}

// Controller returns slurmctld's configuration.
func (c *Controller) Controller(context.Context) (priority.Controller, error) {
	var flags []string
	if c.config.Rule == Classic {
		flags = []string{"NO_FAIR_TREE"}
	}
	return priority.Controller{
		ClusterName: c.config.Cluster, Version: "22.05.8",
		PriorityType: "priority/multifactor", PriorityFlags: flags,
		Weights:        priority.Weights{Age: c.config.Age, Fairshare: c.config.Fairshare},
		PriorityMaxAge: c.config.MaxAge, CalcPeriod: c.config.CalcPeriod,
		DefaultQueueDepth: 100, BackfillMaxJobTest: 500, BackfillContinue: true,
		SchedulerParameters: []string{"bf_continue"},
	}, nil
}

// Partitions returns the one partition.
func (c *Controller) Partitions(context.Context) ([]priority.Partition, error) {
	p := priority.Partition{
		Name: partition, Default: true, MaxTime: priority.Unlimited,
		TotalCPUs: c.config.Procs(), PriorityTier: 1, PriorityJobFactor: 1,
	}
	for i := range c.config.Nodes {
		p.Nodes = append(p.Nodes, "node"+strconv.Itoa(i+1))
	}
	return []priority.Partition{p}, nil
}

// Queue returns the waiting jobs as squeue and sprio show them, in the order in
// which they are tried.
func (c *Controller) Queue(context.Context) ([]priority.Queued, error) {
	c.sort()
	queue := make([]priority.Queued, len(c.pending))
	for i, j := range c.pending {
		u, _ := c.config.user(j.User)
		queue[i] = priority.Queued{
			Job: j.ID, Count: 1, Full: strconv.Itoa(int(j.ID)),
			User: u.Name, Account: u.Account, Partition: partition, QOS: "normal", UID: uint32(j.User),
			CPUs: j.Procs, TimeLimit: j.Estimate, Priority: j.Priority, Listed: true, SiteKnown: true, Site: j.Site,
			Factors: priority.Factors{Age: int64(j.Age), Fairshare: int64(j.Fairshare)},
			State:   "PENDING", Reason: "Priority", Submit: j.Submit,
		}
	}
	return queue, nil
}

// Diag returns what sdiag shows. No message ever waits for slurmdbd.
func (c *Controller) Diag(context.Context) (slurm.Diag, error) {
	return slurm.Diag{At: c.now, Pending: len(c.pending), Running: len(c.running)}, nil
}

// Update sets SiteFactors. A job that no longer waits is Gone. No other channel is
// emulated.
func (c *Controller) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	if ch != priority.SiteFactor {
		return priority.Result{}, fmt.Errorf("emulated: channel %q: only sitefactor is emulated", ch)
	}
	var r priority.Result
	for _, change := range changes {
		o := change.Outcome(priority.Applied, "")
		switch at := slices.IndexFunc(c.pending, func(j *Job) bool { return j.ID == change.Job }); {
		case at < 0:
			o.Status = priority.Gone
		case change.Check(ch) != nil:
			o.Status, o.Words = priority.Refused, "SiteFactor value out of range"
		default:
			c.pending[at].Site = change.To
			c.prioritise(c.pending[at])
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	var err error
	r.Queue, err = c.Queue(ctx)
	return r, err
}
