package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/console"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// replay says how a workload is replayed, by the options of simulate.
type replay struct {
	procs        int
	policy       *replayPolicy
	backfill     sim.Backfill
	events       sim.EventOrder
	closed       bool
	offsets      bool
	dependencies bool
	kill         bool
	rule         rule
	cut          ostrich.Duration // downtimes of this length or more are cut out; 0: none

	inside *ostrich.Inside // nil is the policy's own
	gate   *ostrich.Gate   // nil is the policy's own
	period ostrich.Duration
	rho    policy.Makespan
	place  policy.Placement
}

// rule tells which jobs of a log are a campaign.
type rule struct {
	fields bool // 17 and 18 of the log say it
	ostrich.Rule
}

func (r rule) name() string {
	if r.fields {
		return "fields"
	}
	return ostrich.ByNames[r.By]
}

// campaigns finds the campaigns of a log.
func (r rule) campaigns(log []sim.Logged) ([]sim.Campaign, error) {
	if r.fields {
		return sim.Linked(log)
	}
	return sim.Campaigns(log, r.Rule)
}

// replayPolicy is a policy that simulate knows. One of order, rank and place is set.
type replayPolicy struct {
	name, usage string

	order   *sim.Order                      // job by job
	rank    func(r *replay) sim.Policy      // campaign by campaign
	inside  ostrich.Inside                  // what goes first in a campaign, unless that is chosen
	place   func(policy.Machine) placeWhole // whole campaigns of sequential jobs
	gated   bool                            // campaigns that have not started virtually wait behind a gate
	gate    ostrich.Gate                    // unless another is chosen
	virtual ostrich.Machine                 // how the virtual schedule serves, for OStrich and to compare with
}

// placeWhole places whole campaigns.
type placeWhole func([]policy.Campaign) (policy.Schedule, error)

// replayPolicies are in the order of the help.
var replayPolicies = []replayPolicy{
	{
		name: "ostrich", usage: "virtual fair-sharing schedule of sequential jobs, strict gate, LPT (thesis 5.1)",
		inside: ostrich.LPT, gated: true, gate: ostrich.Strict,
		rank: (*replay).ostrich,
	},
	{
		name: "ostrich-parallel", usage: "the same, resized to the processors that are busy, no gate, LJF (thesis algorithm 3)",
		inside: ostrich.LJF, gated: true, gate: ostrich.Off, virtual: ostrich.Parallel,
		rank: (*replay).ostrich,
	},
	{name: "fcfs", usage: "first come, first served, job by job", order: &sim.FCFS},
	{
		name: "fcfs-campaigns", usage: "first come, first served, campaign by campaign", inside: ostrich.Submission,
		rank: func(*replay) sim.Policy { return sim.FCFSCampaigns },
	},
	{name: "spt", usage: "shortest job first (SJF), by estimate", order: &sim.SPT},
	{name: "lpt", usage: "longest job first, by estimate", order: &sim.LPT},
	{name: "ljf", usage: "largest job first, by processors", order: &sim.LJF},
	{
		name: "fairshare", usage: "users by Slurm's factor 2^(-U/S), calculated every --period (thesis 2.4)", inside: ostrich.Submission,
		rank: func(r *replay) sim.Policy { return sim.FairShare(r.period) },
	},
	{
		name: "spaceshare", usage: "the processors split evenly among active users, as Hadoop's pools (thesis 2.4)", inside: ostrich.Submission,
		rank: func(*replay) sim.Policy { return sim.SpaceShare },
	},
	{
		name: "faircamp", usage: "campaigns of sequential jobs by deadline, run times known (thesis 4.1)",
		place: func(m policy.Machine) placeWhole {
			return func(c []policy.Campaign) (policy.Schedule, error) { return m.FairCamp(c, 0) }
		},
	},
	{
		name: "multicamp", usage: "offline, run times known: all campaigns of a user in a row, shortest user first (thesis 3.5)",
		place: func(m policy.Machine) placeWhole { return m.MultiCamp },
	},
	{
		name: "multicmax", usage: "offline, run times known: one campaign a user, shortest first (thesis 2.3)",
		place: func(m policy.Machine) placeWhole { return m.MultiCmax },
	},
}

func (r *replay) ostrich() sim.Policy {
	gate := r.policy.gate
	if r.gate != nil {
		gate = *r.gate
	}
	return sim.OStrich(ostrich.Options{Machine: r.policy.virtual, Gate: gate, Inside: r.insideOrder()})
}

func (r *replay) insideOrder() ostrich.Inside {
	if r.inside != nil {
		return *r.inside
	}
	return r.policy.inside
}

// heeded are the options that some policies take and others do not.
var heeded = []struct {
	option string
	by     func(*replayPolicy) bool
}{
	{"inside", func(p *replayPolicy) bool { return p.rank != nil }},
	{"gate", func(p *replayPolicy) bool { return p.gated }},
	{"period", func(p *replayPolicy) bool { return p.name == "fairshare" }},
	{"rho", func(p *replayPolicy) bool { return p.place != nil }},
	{"placement", func(p *replayPolicy) bool { return p.name == "faircamp" }},
}

// policyOptions refuses options that none of the policies heeds.
func policyOptions(c *cli.Context, policies []*replayPolicy) error {
	for _, o := range heeded {
		if c.IsSet(o.option) && !slices.ContainsFunc(policies, o.by) {
			return fmt.Errorf("--%s means nothing to --policy %s", o.option, c.String("policy"))
		}
	}
	return nil
}

// rhos are the algorithms that place the jobs of one campaign, by name.
var rhos = []struct {
	name string
	rho  policy.Makespan
}{{"lpt", policy.LPT}, {"mlpt", policy.MLPT}, {"list", policy.List}}

// policyNamed finds a policy; sjf is another name of spt.
func policyNamed(name string) (*replayPolicy, error) {
	if name == "sjf" {
		name = "spt"
	}
	i := slices.IndexFunc(replayPolicies, func(p replayPolicy) bool { return p.name == name })
	if i < 0 {
		names := make([]string, len(replayPolicies))
		for i, p := range replayPolicies {
			names[i] = p.name
		}
		return nil, fmt.Errorf("--policy %q: must be %s", name, console.List(names))
	}
	return &replayPolicies[i], nil
}

// check tells which options do not go together.
func (r *replay) check() error {
	switch p := r.policy; {
	case p.place != nil && !r.closed:
		return fmt.Errorf("--policy %s: a campaign of a user is submitted when the one before has ended: --replay closed only", p.name)
	case p.place != nil && (r.offsets || r.dependencies):
		return fmt.Errorf("--policy %s places whole campaigns: --offsets drop, without --dependencies", p.name)
	case p.place != nil && r.backfill != sim.None:
		return fmt.Errorf("--policy %s places whole campaigns: --backfill none only", p.name)
	case p.name == "spaceshare" && r.backfill != sim.None:
		return fmt.Errorf("--policy %s lets no job of a user pass another: --backfill none only", p.name)
	case p.place != nil && r.kill:
		return fmt.Errorf("--policy %s knows how long jobs run, and kills none: without --kill", p.name)
	case r.events == sim.PerEvent && !r.byJob():
		return errors.New("--event-order per-event: only for fcfs, spt, lpt and ljf with --replay open --offsets keep, without --dependencies")
	case r.dependencies && r.rule.fields:
		return errors.New("--dependencies come from logged ends, and a log whose fields tell the campaigns has none")
	}
	return nil
}

// byJob tells whether jobs are replayed as the log has them, without regard to
// campaigns.
func (r *replay) byJob() bool {
	return r.policy.order != nil && r.backfill != sim.Slurm && !r.closed && r.offsets && !r.dependencies && !r.rule.fields
}

// outcome is a workload that has been replayed.
type outcome struct {
	jobs      []report.Job
	campaigns []report.Campaign
	run       report.Run
	notes     []string
}

// do replays a workload. at is told how far it is.
func (r *replay) do(log []sim.Logged, at func(done, total int)) (*outcome, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	o := &outcome{}
	if !r.byJob() {
		known := slices.DeleteFunc(slices.Clone(log), func(l sim.Logged) bool { return l.User == sim.Nobody })
		if n := len(log) - len(known); n > 0 {
			o.notes = append(o.notes, format.Plural(n, "job")+" of an unknown user left out: campaigns are replayed")
		}
		if log = known; len(log) == 0 {
			return nil, errors.New("no job of the log tells its user: only fcfs, spt, lpt and ljf with --replay open --offsets keep can replay it")
		}
	}
	if r.policy.name == "ostrich" {
		wide := 0
		for i := range log {
			if log[i].Procs > 1 {
				wide++
			}
		}
		if wide > 0 {
			o.notes = append(o.notes, fmt.Sprintf("%d of %d jobs are parallel, and its virtual schedule is that of sequential ones; ostrich-parallel has theirs",
				wide, len(log)))
		}
	}
	pieces := [][]sim.Logged{log}
	if r.cut > 0 {
		pieces = sim.Pieces(log, r.cut)
	}
	var seconds, used, offered float64
	var makespan ostrich.Duration
	before, next := 0, 0
	for _, piece := range pieces {
		jobs, took, err := r.piece(piece, func(done, _ int) { at(before+done, len(log)) })
		if err != nil {
			return nil, err
		}
		before += len(piece)
		first, last := report.Span(jobs)
		offered += float64(last - first)
		used += float64(last-first) * report.Utilisation(jobs, r.procs)
		makespan += ostrich.Duration(last - first)
		seconds += took.Seconds()
		campaigns := report.Campaigns(jobs)
		if len(pieces) == 1 {
			o.campaigns, o.jobs = campaigns, jobs
			break
		}
		for i := range jobs { // campaigns are numbered from 0 in each piece
			if jobs[i].Campaign >= 0 {
				jobs[i].Campaign += next
			}
		}
		next += len(campaigns)
		o.campaigns, o.jobs = append(o.campaigns, campaigns...), append(o.jobs, jobs...)
	}
	o.run = report.SummariseRun(o.jobs, o.campaigns, r.procs, seconds)
	o.run.Makespan = makespan // without the downtimes
	if offered > 0 {
		o.run.Utilisation = used / offered
	}
	return o, nil
}

// piece replays jobs between two downtimes, and tells how long that took.
func (r *replay) piece(log []sim.Logged, at func(done, total int)) ([]report.Job, time.Duration, error) {
	if r.byJob() {
		return r.replayJobs(log, at)
	}
	campaigns, err := r.rule.campaigns(log)
	if err != nil {
		return nil, 0, err
	}
	if r.policy.place != nil {
		return r.placeCampaigns(campaigns)
	}
	loop := sim.Loop{
		Procs: r.procs, Inside: r.insideOrder(), Backfill: r.backfill, Open: !r.closed, Offsets: r.offsets,
		Dependencies: r.dependencies, Kill: r.kill, Progress: at,
	}
	if r.policy.order != nil {
		loop.Order = *r.policy.order
	} else {
		loop.Policy = r.policy.rank(r)
	}
	began := time.Now()
	jobs, err := loop.Run(campaigns)
	return jobs, time.Since(began), err
}

// replayJobs replays the jobs as the log has them.
func (r *replay) replayJobs(log []sim.Logged, at func(done, total int)) ([]report.Job, time.Duration, error) {
	numbers, err := sim.Numbers(log, r.rule.Rule)
	if err != nil {
		return nil, 0, err
	}
	jobs := make([]sim.Job, len(log))
	for i := range log {
		jobs[i] = log[i].Job
	}
	m := sim.Machine{
		Procs: r.procs, Order: *r.policy.order, Backfill: r.backfill, EventOrder: r.events, Kill: r.kill,
		Progress: at,
	}
	began := time.Now()
	starts, err := m.Replay(jobs)
	took := time.Since(began)
	if err != nil {
		return nil, took, err
	}
	ran := make([]report.Job, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		length := m.Length(j)
		ran[i] = report.Job{
			ID: j.ID, User: j.User, Campaign: numbers[i], Submit: j.Submit, Start: starts[i],
			End: starts[i] + ostrich.Time(length), Procs: j.Procs, Estimate: j.Estimate, Killed: length < j.Run,
		}
	}
	return ran, took, nil
}

// placeCampaigns has an algorithm place whole campaigns.
func (r *replay) placeCampaigns(campaigns []sim.Campaign) ([]report.Job, time.Duration, error) {
	list := make([]policy.Campaign, len(campaigns))
	for i := range campaigns {
		c := &campaigns[i]
		list[i] = policy.Campaign{User: c.User, Submit: c.Submit, Think: c.Think, Tasks: make([]policy.Task, len(c.Tasks))}
		for k := range c.Tasks {
			t := &c.Tasks[k]
			if t.Procs != 1 {
				return nil, 0, fmt.Errorf("--policy %s: job %d is %d processors wide, and it places sequential jobs only", r.policy.name, t.ID, t.Procs)
			}
			list[i].Tasks[k] = policy.Task{ID: t.ID, Run: t.Run}
		}
	}
	began := time.Now()
	placed, err := r.policy.place(policy.Machine{Procs: r.procs, Rho: r.rho, Place: r.place})(list)
	took := time.Since(began)
	if err != nil {
		return nil, took, err
	}
	slices.SortFunc(placed, func(a, b policy.Placed) int { return cmp.Compare(a.Campaign, b.Campaign) })
	var jobs []report.Job
	for i := range placed {
		p := &placed[i]
		for k, s := range p.Slots {
			t := &list[p.Campaign].Tasks[k]
			jobs = append(jobs, report.Job{
				ID: t.ID, User: list[p.Campaign].User, Campaign: p.Campaign, Submit: p.Submit, Start: s.Start, End: s.End,
				Procs: 1, Estimate: campaigns[p.Campaign].Tasks[k].Estimate,
			})
		}
	}
	return jobs, took, nil
}
