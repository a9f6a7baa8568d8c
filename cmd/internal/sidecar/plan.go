package sidecar

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Plan is the plan of all pools. Each pool is planned for itself: jobs of
// different pools do not stand in one another's way.
type Plan struct {
	Pools   []priority.Plan // in the order of Cycle.Pools; the first has the jobs that are in none
	Entries []Entry         // all jobs, pool after pool: managed ones in OStrich's order, then the rest
	Summary priority.Summary
}

// Entry is a pending job in the plan, with its campaign.
type Entry struct {
	priority.Entry
	Pool     string
	Campaign ostrich.JobID // names the campaign, see ostrich.Campaign.Lead; 0 for a job that is in none
	Gated    bool          // the campaign has not started virtually
}

// plan orders the jobs of each pool and computes what is to be written.
func (s *Sidecar) plan(c *Cycle) (Plan, error) {
	var p Plan
	places := make(map[ostrich.JobID]ostrich.Place)
	orders := make([][]priority.Ranked, len(c.Pools))
	pool := make(map[ostrich.JobID]int)
	for i, in := range c.Pools {
		campaigns := make(map[[2]uint64]uint64)
		for _, place := range in.Schedule.Order() {
			// Numbered in the order of appearance: the campaigns of one user
			// can share a lead across a requeue, never a number.
			key := [2]uint64{uint64(place.User), uint64(place.Campaign)}
			if _, ok := campaigns[key]; !ok {
				campaigns[key] = uint64(len(campaigns) + 1)
			}
			orders[i] = append(orders[i], priority.Ranked{Job: place.Job, Campaign: campaigns[key]})
			places[place.Job] = place
			pool[place.Job] = i
		}
	}
	queues := make([][]priority.Queued, len(c.Pools))
	for _, q := range c.Queue {
		queues[pool[q.Job]] = append(queues[pool[q.Job]], q)
	}
	for i, in := range c.Pools {
		one, err := s.options().Plan(orders[i], queues[i])
		if err != nil {
			return p, err
		}
		p.Pools = append(p.Pools, one)
		p.Summary = sum(p.Summary, one.Summary())
		for _, e := range one.Entries {
			place := places[e.Job]
			p.Entries = append(p.Entries, Entry{Entry: e, Pool: in.Pool.Name, Campaign: place.Lead, Gated: place.Gated})
		}
	}
	if len(p.Pools) == 1 {
		p.Summary = p.Pools[0].Summary()
	}
	return p, nil
}

// sum adds the summaries of two pools up; the correlation is that of all pairs
// of jobs which belong to the same pool.
func sum(a, b priority.Summary) priority.Summary {
	pairs := func(s priority.Summary) float64 { return float64(s.Managed) * float64(s.Managed-1) / 2 }
	all := pairs(a) + pairs(b)
	tau := 1.0
	if all > 0 {
		tau = (a.KendallTau*pairs(a) + b.KendallTau*pairs(b)) / all
	}
	return priority.Summary{
		Pending: a.Pending + b.Pending, Managed: a.Managed + b.Managed,
		Up: a.Up + b.Up, Down: a.Down + b.Down, Writes: a.Writes + b.Writes, KendallTau: tau,
	}
}

// Changes is what is to be written, pool after pool, head of the order first.
func (p Plan) Changes() []priority.Change {
	var all []priority.Change
	for _, one := range p.Pools {
		all = slices.Concat(all, one.Changes())
	}
	return all
}
