package replay

import (
	"fmt"
	"slices"
	"time"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	tree "slurm-ostrich/ostrich/sharing"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// under returns the study as the settings of a policy have it.
func (s *Study) under(v *simulation.Variant) (*Study, simulation.Tuning, error) {
	t := simulation.Tuning{Options: s.Options, HalfLife: s.Priority.HalfLife, Classes: s.ClassBy}
	err := v.Tune(&t)
	if err != nil {
		return nil, t, err
	}
	c := *s
	c.Options, c.Priority.HalfLife = t.Options, t.HalfLife
	if t.Classes != s.ClassBy {
		err = c.reclass(t.Classes)
	}
	return &c, t, err
}

// Replay replays the jobs under a policy, and returns how long that took. The jobs
// are in the order of Jobs, without those that had not ended or were cancelled while they waited, or that a change
// added. Replay calls progress with the number of jobs that have ended.
func (s *Study) Replay(p *simulation.Variant, progress func(ended int)) ([]report.Job, time.Duration, error) {
	began := time.Now()
	s, tuning, err := s.under(p)
	if err != nil {
		return nil, 0, err
	}
	if len(s.Pools) > 1 && s.whole() && (p.Name != "ostrich" || !s.Divided) {
		s = s.together()
	}
	var jobs []report.Job
	ended := 0
	rule := s.submitsBy()
	for i := range s.Pools {
		campaigns, err := s.campaignsOf(i, rule)
		if err != nil {
			return nil, 0, err
		}
		loop := s.machine(i, p, tuning, campaigns.jobs)
		loop.Progress = func(n, _ int) { progress(ended + n) }
		ran, err := loop.Run(campaigns.campaigns)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", p.Name, err)
		}
		if ended += len(ran); len(s.Pools) == 1 {
			jobs = ran
		} else {
			jobs = append(jobs, ran...)
		}
	}
	for i := range jobs { // each goes to its place
		for place := int(jobs[i].ID) - 1; place != i; place = int(jobs[i].ID) - 1 {
			jobs[i], jobs[place] = jobs[place], jobs[i]
		}
	}
	for i := range jobs {
		jobs[i].ID, jobs[i].Campaign = s.Jobs[i].Slurm, int(s.Jobs[i].campaign)
	}
	took := time.Since(began)
	if s.everything {
		return jobs, took, nil
	}
	return slices.DeleteFunc(jobs, func(j report.Job) bool { return j.Campaign < 0 }), took, nil
}

// submitsBy returns the rule of the campaigns in which users submit. Submissions of an open loop do not
// depend on campaigns. In a closed loop campaigns decide when a user comes back. That must not depend
// on OStrich's settings, so they are those in which all policies are measured.
func (s *Study) submitsBy() campaign.Rule {
	if s.Run.Closed {
		return s.Measure
	}
	return s.Options.Rule
}

// machine returns the machine of a pool, with a policy and the jobs of the campaigns that it replays.
func (s *Study) machine(i int, p *simulation.Variant, tuning simulation.Tuning, jobs []*sim.Job) sim.Machine {
	pool := s.Pools[i]
	loop := s.Run.Machine
	loop.Procs, loop.Offsets, loop.Scheduler, loop.Inside = pool.Procs, true, s.Scheduler, s.Options.Inside
	loop.Open = !s.Run.Closed
	if s.placement != nil {
		loop.Cluster, loop.Requests = s.placement.cluster, s.placement.requests
	}
	for k := range jobs {
		if j := &s.Jobs[jobs[k].ID-1]; j.cancelled {
			if loop.Cancel == nil {
				loop.Cancel = make(map[ostrich.JobID]ostrich.Duration)
			}
			loop.Cancel[j.ID] = ostrich.Duration(j.Start - j.Submit)
		}
	}
	if s.told != nil {
		loop.Placed = func(job int, _ ostrich.Time, a *nodes.Allocation) { s.told(jobs[job].ID, a.Nodes) }
	}
	numbered := func(n ostrich.JobID) *Job { return &s.Jobs[jobs[n-1].ID-1] }
	tuning.Options.Size = pool.Size
	begin := s.Priority.Phase
	if first := slices.IndexFunc(s.Jobs, func(j Job) bool { return s.in(&j, i) }); first >= 0 {
		begin = s.Jobs[first].Submit
	}
	p.Into(&loop, &simulation.Material{
		Tuning: tuning, Shares: s.Shares, Priority: s.asOf(begin), Closed: s.Run.Closed || s.byJob, InClasses: s.classOf(numbered),
		Request: func(n ostrich.JobID) multifactor.Request { return *numbered(n).request() },
	})
	return loop
}

// Virtual returns when the campaigns of a run are in OStrich's virtual schedule. A
// campaign starts there once it is submitted and the user's previous one is
// completed (thesis 5.1).
func (s *Study) Virtual(jobs []report.Job) ([]comparison.Block, error) {
	o := s.Options
	o.Procs = s.Procs
	completed, err := sim.VirtualCompletions(jobs, o, s.Shares)
	if err != nil {
		return nil, err
	}
	first := make([]*report.Job, len(completed)) // of each campaign
	for i := range jobs {
		j := &jobs[i]
		if f := first[j.Campaign]; f == nil || j.Submit < f.Submit {
			first[j.Campaign] = j
		}
	}
	last := make(map[ostrich.UserID]float64)
	var blocks []comparison.Block
	for n, end := range completed {
		j := first[n]
		if j == nil || !(end > 0) {
			continue
		}
		start := max(float64(j.Submit), last[j.User])
		if end < start {
			continue // completed with the one before
		}
		last[j.User] = end
		blocks = append(blocks, comparison.Block{User: j.User, Campaign: n, Start: start, End: end})
	}
	return blocks, nil
}

// Share returns the weight of a user in OStrich's division of the machine, among
// those next to one another in the tree; nil if all are equal.
func (s *Study) Share() func(ostrich.UserID) float64 {
	if s.Shares == nil {
		return nil
	}
	weights := make(map[ostrich.UserID]float64)
	for _, u := range s.Shares.Users {
		weights[u.User] = u.Weight
	}
	return func(u ostrich.UserID) float64 {
		weight, divided := weights[u]
		if !divided {
			return 1
		}
		return max(weight, tree.MinWeight)
	}
}
