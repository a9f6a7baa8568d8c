package sidecar

// Several pools: each is planned for itself.

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// split divides the queue by the pool in which a job is ordered. Jobs that are
// in none go to the first. ranks has the rank in the whole queue of each job of a part;
// it is nil if there is one pool.
func split(queue []priority.Queued, orders [][]ostrich.Place) (queues [][]priority.Queued, ranks [][]int) {
	if len(orders) == 1 {
		return [][]priority.Queued{queue}, nil
	}
	queues, ranks = make([][]priority.Queued, len(orders)), make([][]int, len(orders))
	pool := make(map[ostrich.JobID]int)
	for i, order := range orders {
		for _, place := range order {
			pool[place.Job] = i
		}
	}
	for k, q := range queue {
		i := pool[q.Job]
		queues[i], ranks[i] = append(queues[i], q), append(ranks[i], k+1)
	}
	return queues, ranks
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
		Undone: a.Undone + b.Undone,
	}
}

// heads puts the changes of several pools in one order: the first of each pool,
// then the second, and so on. A burst that ends early has then changed every
// pool's head.
func heads(pools [][]priority.Change) []priority.Change {
	var all []priority.Change
	for i := 0; ; i++ {
		n := len(all)
		for _, one := range pools {
			if i < len(one) {
				all = append(all, one[i])
			}
		}
		if len(all) == n {
			return all
		}
	}
}
