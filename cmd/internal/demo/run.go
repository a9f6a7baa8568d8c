package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/memslurm"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/priority"
)

// The emulated machine, and Slurm's defaults of priority/multifactor.
const (
	nodes = 8
	cpus  = 4 // of a node
	procs = nodes * cpus

	weightAge       = 1000
	weightFairshare = 10_000
	maxAge          = 7 * 24 * ostrich.Duration(time.Hour/time.Second)
	halfLife        = 7 * 24 * ostrich.Duration(time.Hour/time.Second)
	calcPeriod      = ostrich.Duration(5 * time.Minute / time.Second)
)

// lookEvery is how often the progress bar and the page look at a run, in emulated
// seconds.
const lookEvery = ostrich.Duration(60)

// cycleEvery is the pause between two cycles. A daemon's trigger would ring more
// often; the order changes little within it.
const cycleEvery = ostrich.Duration(10)

// demo is one load, and the two runs of it.
type demo struct {
	Seed  uint64
	Hours int
	Rule  memslurm.Rule
	Users []submitter
	Load  []sim.Campaign
	Total int // jobs of the load

	live bool // somebody looks at it while it runs

	mu   sync.Mutex
	runs [2]state // as last looked at
}

// state is one of the runs.
type state struct {
	Name   string         `json:"run"`
	Cycles int            `json:"cycles"` // of the sidecar
	Writes int            `json:"writes"`
	Now    ostrich.Time   `json:"-"` // 0 before it has begun
	Over   bool           `json:"-"` // the last job has ended
	Jobs   []memslurm.Job `json:"-"`
	ended  int
}

var runNames = [2]string{"stock", "ostrich"}

func newDemo(users, hours int, seed uint64, rule memslurm.Rule) *demo {
	d := &demo{Seed: seed, Hours: hours, Rule: rule, Users: submitters(users)}
	d.Load = drawLoad(d.Users, hours, seed)
	for _, c := range d.Load {
		d.Total += len(c.Jobs)
	}
	for i, name := range runNames {
		d.runs[i].Name = name
	}
	return d
}

// config returns the emulated cluster.
func (d *demo) config() memslurm.Config {
	c := memslurm.Config{
		Cluster: "emulated", Nodes: nodes, CPUs: cpus, Rule: d.Rule, Age: weightAge, Fairshare: weightFairshare,
		MaxAge: maxAge, HalfLife: halfLife, CalcPeriod: calcPeriod,
	}
	for _, u := range d.Users {
		c.Users = append(c.Users, u.User)
	}
	return c
}

// snapshot returns the runs as they stand.
func (d *demo) snapshot() [2]state {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.runs
}

// run does the runs: one after the other as fast as possible, or both at once with
// so much emulated time a second. It calls at with the number of jobs that have
// ended.
func (d *demo) run(ctx context.Context, pace time.Duration, at func(done, total int)) error {
	began := time.Now()
	look := func(ctx context.Context, now ostrich.Time) error {
		done := 0
		for _, r := range d.snapshot() {
			done += r.ended
		}
		at(done, 2*d.Total)
		if pace <= 0 {
			return nil
		}
		due := float64(now-begin) / pace.Seconds()
		wait := time.NewTimer(time.Until(began.Add(time.Duration(due * float64(time.Second)))))
		defer wait.Stop()
		select {
		case <-wait.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if pace <= 0 {
		for i := range d.runs {
			if err := d.emulate(ctx, i, look); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, len(d.runs))
	for i := range d.runs {
		go func() { errs <- d.emulate(ctx, i, look) }()
	}
	var first error
	for range d.runs {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// emulate does one run. The second one has the sidecar beside the cluster, with
// its default settings.
func (d *demo) emulate(ctx context.Context, run int, look func(context.Context, ostrich.Time) error) error {
	cluster, err := memslurm.New(d.config())
	if err != nil {
		return err
	}
	var each []memslurm.Every
	cycles, writes := 0, 0
	if run == 1 {
		s, bad := newSidecar(ctx, cluster)
		if bad != nil {
			return bad
		}
		each = append(each, memslurm.Every{Period: cycleEvery, Do: func(ctx context.Context) error {
			cycle, err := s.Run(ctx, true)
			if err != nil {
				return err
			}
			if len(cycle.Odd) > 0 {
				return fmt.Errorf("the schedule rejected an event: %w", cycle.Odd[0])
			}
			cycles++
			writes += priority.Result{Outcomes: cycle.Outcomes}.Count(priority.Applied)
			return nil
		}})
	}
	see := func(over bool) {
		r := state{Name: runNames[run], Now: cluster.Now(), Over: over, Cycles: cycles, Writes: writes, ended: cluster.Ended()}
		if over || d.live {
			r.Jobs = cluster.Jobs()
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.runs[run] = r
	}
	each = append(each, memslurm.Every{Period: lookEvery, Do: func(ctx context.Context) error {
		see(false)
		return look(ctx, cluster.Now())
	}})
	if err := cluster.Run(ctx, d.Load, each...); err != nil {
		return fmt.Errorf("%s: %w", runNames[run], err)
	}
	see(true)
	return nil
}

func newSidecar(ctx context.Context, cluster *memslurm.Cluster) (*sidecar.Sidecar, error) {
	c := configuration.Default()
	controller, err := cluster.Controller.Controller(ctx)
	if err != nil {
		return nil, err
	}
	partitions, err := cluster.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	c.Cluster = controller.ClusterName
	return sidecar.New(c, cluster.Accounting, cluster.Controller, controller, partitions)
}

// measured is a run as it stands, and what it has been so far.
type measured struct {
	state
	Utilisation float64          `json:"utilisation"`
	Early       float64          `json:"utilisation_early"` // while users submit, the first hours
	Makespan    ostrich.Duration `json:"makespan"`          // seconds
	Users       []outcome        `json:"users"`             // in the order of the load's
	All         outcome          `json:"all"`
	Campaigns   []ended          `json:"campaigns"`
	Started     []report.Job     `json:"-"` // End is Now while they run
}

// outcome is how the campaigns of one user, or of all, went.
type outcome struct {
	User    string `json:"user"` // "" for all
	Account string `json:"account"`
	About   string `json:"about"`
	report.Brief
}

type ended struct {
	User    string           `json:"user"`
	Jobs    int              `json:"jobs"`
	Submit  ostrich.Time     `json:"submit"`
	End     ostrich.Time     `json:"end"`
	Work    ostrich.Work     `json:"work"`
	Longest ostrich.Duration `json:"longest"`
	Stretch float64          `json:"stretch"`
}

// measure measures the campaigns of a run that have ended.
func (d *demo) measure(r state) measured {
	m := measured{state: r}
	gone := make([]int, len(d.Load)) // jobs of a campaign that have ended
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Start == 0 {
			continue
		}
		one := report.Job{
			ID: j.ID, User: j.User, Campaign: j.Campaign, Submit: j.Submit, Start: j.Start, End: j.End, Procs: j.Procs, Estimate: j.Estimate,
		}
		if j.End == 0 {
			one.End = r.Now
		} else {
			gone[j.Campaign]++
		}
		m.Started = append(m.Started, one)
	}
	whole := slices.DeleteFunc(slices.Clone(m.Started), func(j report.Job) bool { return gone[j.Campaign] != len(d.Load[j.Campaign].Jobs) })
	campaigns := report.Campaigns(whole)
	users := make(map[ostrich.UserID]int)
	for i, u := range d.Users {
		m.Users, users[u.UID] = append(m.Users, outcome{User: u.Name, Account: u.Account, About: u.About}), i
	}
	for i := range campaigns {
		c := &campaigns[i]
		u, flow, stretch := &m.Users[users[c.User]], ostrich.Duration(c.End-c.Submit), c.Stretch(procs)
		m.Campaigns = append(m.Campaigns, ended{u.User, c.Jobs, c.Submit, c.End, c.Work, c.Longest, stretch})
		u.Add(c.Jobs, flow, stretch)
		m.All.Add(c.Jobs, flow, stretch)
	}
	if len(m.Started) > 0 {
		m.Utilisation = report.Utilisation(m.Started, procs)
		first, last := report.Span(m.Started)
		m.Makespan = ostrich.Duration(last - first)
		submitting := ostrich.Duration(d.Hours) * 3600
		before := min(begin+ostrich.Time(submitting), r.Now)
		for _, part := range report.Utilisations(m.Started, procs, begin, before, submitting) {
			m.Early = part
		}
	}
	return m
}
