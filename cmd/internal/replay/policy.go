package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/multifactor"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// SitePolicy is an order of the queue, and who may jump in it.
type SitePolicy struct {
	Name     string
	Backfill sim.Backfill
}

// Replay replays the jobs under a policy, as they were submitted, and tells how
// long that took. The jobs come in the order of Jobs, without those that had
// not ended or that a change added. progress is told how many jobs have ended.
func (s *Study) Replay(p SitePolicy, progress func(ended int)) ([]report.Job, time.Duration, error) {
	known := Find(p.Name, Site)
	if known == nil {
		return nil, 0, fmt.Errorf("policy %q: must be one of %s", p.Name, strings.Join(Names(Policies(Site)), ", "))
	}
	began := time.Now()
	jobs := make([]report.Job, len(s.Jobs))
	ended := 0
	for i, pool := range s.Pools {
		campaigns, err := s.campaigns(i, s.Options.Rule)
		if err != nil {
			return nil, 0, err
		}
		loop := sim.Machine{
			Procs: pool.Procs, Open: true, Offsets: true, Kill: s.Kill, Backfill: p.Backfill, Scheduler: s.Scheduler,
			Inside: s.Options.Inside, Progress: func(n, _ int) { progress(ended + n) },
		}
		requests := s.inOrder(campaigns)
		known.Into(&loop, &Material{
			Options: s.Options, Shares: s.Shares, Priority: s.Priority,
			Request: func(n ostrich.JobID) multifactor.Request { return requests[n-1] },
		}, false)
		if known.submitted {
			loop.Inside = known.inside
		}
		ran, err := loop.Run(campaigns)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", p.Name, err)
		}
		for _, j := range ran {
			place := j.ID - 1
			j.ID, j.Campaign = s.IDs[place], s.numbers[place]
			jobs[place] = j
		}
		ended += len(ran)
	}
	took := time.Since(began)
	return slices.DeleteFunc(jobs, func(j report.Job) bool { return j.Campaign < 0 }), took, nil
}

// inOrder are the requests of the jobs in the order in which a loop numbers
// them.
func (s *Study) inOrder(campaigns []sim.Campaign) []multifactor.Request {
	list := make([]multifactor.Request, 0, len(s.Jobs))
	for i := range campaigns {
		for k := range campaigns[i].Tasks {
			list = append(list, s.requests[campaigns[i].Tasks[k].ID-1])
		}
	}
	return list
}

// Virtual is when the campaigns of a run are completed in OStrich's virtual
// schedule, see sim.VirtualCompletions.
func (s *Study) Virtual(jobs []report.Job) ([]float64, error) {
	o := s.Options
	o.Procs = s.Procs
	return sim.VirtualCompletions(jobs, o, s.Shares)
}

// Share is the weight of a user in OStrich's division of the machine, of those
// that are next to one another in the tree; nil if all are equal.
func (s *Study) Share() func(ostrich.UserID) float64 {
	if s.Shares == nil {
		return nil
	}
	weights := make(map[ostrich.UserID]float64)
	for _, u := range s.Shares.Users {
		weights[u.User] = u.Weight
	}
	return func(u ostrich.UserID) float64 {
		if w := weights[u]; w > 0 {
			return w
		}
		return 1
	}
}
