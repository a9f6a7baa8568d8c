package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// Run says how a workload is replayed, by the options of simulate.
type Run struct {
	sim.Machine // but for Open and what the policy makes
	Policy      *Variant
	Closed      bool
	rule        Rule
	cut         ostrich.Duration // downtimes of this length or more are cut out; 0: none

	accept satisfaction.Acceptance // by which a log's replay is measured
}

// Rule says which jobs of a log are a campaign.
type Rule struct {
	Fields bool                       // 17 and 18 of the log say it
	links  map[ostrich.JobID]sim.Link // what these say
	campaign.Rule
}

func (r Rule) name() string {
	if r.Fields {
		return "fields"
	}
	return campaign.ByNames[r.By]
}

func (r Rule) campaigns(log []sim.Job) ([]sim.Campaign, error) {
	if r.Fields {
		return sim.Linked(log, r.links)
	}
	return sim.Campaigns(log, r.Rule)
}

// The algorithms that place the jobs of one campaign.
var (
	rhoNames = []string{"lpt", "mlpt", "list"}
	rhos     = []policy.Makespan{policy.LPT, policy.MLPT, policy.List}
)

// Check returns an error for options that do not go together.
func (r *Run) Check() error {
	switch p := r.Policy; {
	case p.place != nil && !r.Closed:
		return fmt.Errorf("--policy %s: a campaign of a user is submitted when the one before has ended: --replay closed only", p.Name)
	case p.place != nil && (r.Offsets || r.Dependencies):
		return fmt.Errorf("--policy %s places whole campaigns: --offsets drop, without --dependencies", p.Name)
	case p.place != nil && r.Backfill != sim.None:
		return fmt.Errorf("--policy %s places whole campaigns: --backfill none only", p.Name)
	case p.Name == "spaceshare" && r.Backfill != sim.None:
		return fmt.Errorf("--policy %s lets no job of a user pass another: --backfill none only", p.Name)
	case p.plans && r.Backfill != sim.None:
		return fmt.Errorf("--policy %s says itself who may pass the first job: --backfill none only", p.Name)
	case p.place != nil && r.Kill:
		return fmt.Errorf("--policy %s knows how long jobs run, and kills none: without --kill", p.Name)
	case r.Cluster != nil && (p.place != nil || p.plans):
		return fmt.Errorf("--policy %s plans for identical processors: without --nodes", p.Name)
	case r.Cluster != nil && r.EventOrder == sim.PerEvent:
		return errors.New("--event-order per-event: only without --nodes")
	case r.EventOrder == sim.PerEvent && !r.asLogged():
		return errors.New("--event-order per-event: only for fcfs, spt, lpt, ljf and f1 with --replay open --offsets keep, without --dependencies")
	case r.Dependencies && r.rule.Fields:
		return errors.New("--dependencies come from logged ends, and a log whose fields tell the campaigns has none")
	}
	return nil
}

// asLogged reports whether jobs are replayed as the log has them, without regard to
// campaigns.
func (r *Run) asLogged() bool {
	return r.Policy.order != nil && r.Backfill != sim.Slurm && !r.Closed && r.Offsets && !r.Dependencies && !r.rule.Fields
}

// Outcome is a workload that has been replayed.
type Outcome struct {
	Jobs      []report.Job
	Campaigns []report.Campaign
	Run       report.Run
	Accepted  report.Satisfaction
	Clusters  *PlatformSummary // nil on one machine
	Notes     []string
}

// manyJobs is from how many jobs on a collection of garbage costs little beside their replay.
const manyJobs = 50_000

// Do replays a workload, with options that were checked. It calls at with its progress.
func (r *Run) Do(log []sim.Job, at func(done, total int)) (*Outcome, error) {
	o := &Outcome{}
	if !r.asLogged() {
		var err error
		if log, err = o.ofUsers(log); err != nil {
			return nil, err
		}
	}
	if n := wide(log); n > 0 && r.Policy.Name == "ostrich-sequential" {
		o.Notes = append(o.Notes, plural.Sprintf("%d job{ is|s are} parallel (of %d), and its virtual schedule is that of sequential ones; ostrich-parallel has theirs",
			n, len(log)))
	}
	pieces := [][]sim.Job{log}
	if r.cut > 0 {
		pieces = sim.Pieces(log, r.cut)
	}
	var seconds, used, offered float64
	var makespan ostrich.Duration
	before, next := 0, 0
	half := 1 // of the jobs, the one that is over next
	for _, piece := range pieces {
		jobs, took, err := r.piece(piece, func(done, _ int) {
			at(before+done, len(log))
			if 2*(before+done) >= half*len(log) && !r.asLogged() && len(log) >= manyJobs {
				half++
				runtime.GC() // what comes reuses the memory of campaigns that are over
			}
		}, func(note string) { o.Notes = append(o.Notes, note) })
		if err != nil {
			return nil, err
		}
		if len(pieces) == 1 && !r.asLogged() && len(log) >= manyJobs {
			runtime.GC() // the measures reuse the memory of the replay
		}
		before += len(piece)
		first, last := report.Span(jobs)
		offered += float64(last - first)
		used += float64(last-first) * report.Utilisation(jobs, r.Procs)
		makespan += ostrich.Duration(last - first)
		seconds += took.Seconds()
		campaigns := report.Campaigns(jobs)
		if len(pieces) == 1 {
			o.Campaigns, o.Jobs = campaigns, jobs
			break
		}
		for i := range jobs { // campaigns are numbered from 0 in each piece
			if jobs[i].Campaign >= 0 {
				jobs[i].Campaign += next
			}
		}
		next += len(campaigns)
		o.Campaigns, o.Jobs = append(o.Campaigns, campaigns...), append(o.Jobs, jobs...)
	}
	o.Run = report.SummariseRun(o.Jobs, o.Campaigns, r.Procs, seconds)
	o.Run.Makespan = makespan // without the downtimes
	if offered > 0 {
		o.Run.Utilisation = used / offered
	}
	o.Accepted = report.Satisfy(o.Jobs, r.Procs, r.accept)
	return o, nil
}

// ofUsers returns the jobs that tell their users, and notes how many do not.
func (o *Outcome) ofUsers(log []sim.Job) ([]sim.Job, error) {
	unknown := func(l sim.Job) bool { return l.User == sim.Nobody }
	if !slices.ContainsFunc(log, unknown) {
		return log, nil
	}
	known := slices.DeleteFunc(slices.Clone(log), unknown)
	o.Notes = append(o.Notes, format.Plural(len(log)-len(known), "job")+" of an unknown user left out: campaigns are replayed")
	if len(known) == 0 {
		return nil, errors.New("no job of the log tells its user: only fcfs, spt, lpt, ljf and f1 with --replay open --offsets keep can replay it")
	}
	return known, nil
}

// wide counts the jobs on several processors.
func wide(log []sim.Job) (n int) {
	for i := range log {
		if log[i].Procs > 1 {
			n++
		}
	}
	return n
}

// piece replays jobs between two downtimes, and returns how long that took. It calls
// note with notes for the user.
func (r *Run) piece(log []sim.Job, at func(done, total int), note func(string)) ([]report.Job, time.Duration, error) {
	if r.asLogged() {
		return r.replayJobs(log, at)
	}
	campaigns, err := r.rule.campaigns(log)
	if err != nil {
		return nil, 0, err
	}
	if r.Policy.place != nil {
		return r.placeCampaigns(campaigns)
	}
	if r.Dependencies {
		sim.Depend(campaigns)
	}
	m := &Material{
		Campaigns: campaigns, Closed: r.Closed, Horizon: r.Policy.Tuning.horizon(r.accept), Tuning: r.Policy.Tuning,
	}
	m.Horizon.Failed = func(err error) {
		note("a horizon has no plan, and goes as under fcfs with EASY backfilling, as do others for which planning fails: " + err.Error())
	}
	loop := r.Machine
	loop.Open, loop.Inside, loop.Progress = !r.Closed, m.Options.Inside, at
	r.Policy.Into(&loop, m)
	began := time.Now()
	jobs, err := loop.Run(campaigns)
	return jobs, time.Since(began), err
}

func (r *Run) replayJobs(log []sim.Job, at func(done, total int)) ([]report.Job, time.Duration, error) {
	numbers, err := sim.Numbers(log, r.rule.Rule)
	if err != nil {
		return nil, 0, err
	}
	m := r.Machine
	m.Order, m.Progress = *r.Policy.order, at
	began := time.Now()
	starts, err := m.Replay(log)
	took := time.Since(began)
	if err != nil {
		return nil, took, err
	}
	ran := make([]report.Job, len(log))
	for i := range log {
		j := log[i]
		j.Start, j.Suspended, j.Run = starts[i], 0, m.Length(&j)
		ran[i] = j.Recorded(numbers[i])
		ran[i].Killed = j.Run < log[i].Run
	}
	return ran, took, nil
}

// placeCampaigns places whole campaigns by the policy's algorithm.
func (r *Run) placeCampaigns(campaigns []sim.Campaign) ([]report.Job, time.Duration, error) {
	list := make([]policy.Campaign, len(campaigns))
	for i := range campaigns {
		c := &campaigns[i]
		list[i] = policy.Campaign{User: c.User, Submit: c.Submit, Think: c.Think, Tasks: make([]policy.Task, len(c.Jobs))}
		for k, t := range c.Jobs {
			if t.Procs != 1 {
				return nil, 0, plural.Errorf("--policy %s: job %d is %d processor{|s} wide, and it places sequential jobs only", r.Policy.Name, t.ID, t.Procs)
			}
			list[i].Tasks[k] = policy.Task{ID: t.ID, Run: t.Run}
		}
	}
	began := time.Now()
	m := r.Policy.Tuning.placing()
	m.Procs = r.Procs
	placed, err := r.Policy.place(m, list)
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
				Procs: 1, Estimate: campaigns[p.Campaign].Jobs[k].Estimate,
			})
		}
	}
	return jobs, took, nil
}
