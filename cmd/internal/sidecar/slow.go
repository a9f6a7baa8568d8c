package sidecar

import (
	"errors"

	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// progress tells whether a burst that the controller was too slow for has changed
// something all the same. Then it is no failure: the next cycle goes on with the
// rest, the head of the queue first, and the plan is a fresh one.
func progress(outcomes []priority.Outcome, err error) bool {
	if _, unnoted := errors.AsType[JournalError](err); unnoted || !errors.Is(err, slurm.ErrSlow) {
		return false
	}
	r := priority.Result{Outcomes: outcomes}
	return r.Count(priority.Applied)+r.Count(priority.Gone) > 0
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
