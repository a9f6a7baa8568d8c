package optimal

import (
	"fmt"

	"slurm-ostrich/ostrich"
)

// A Solver finds a schedule of small value.
type Solver interface {
	// Solve returns a schedule that is never worse than EASY's, whatever the
	// budget. An [ErrInstance] comes without a schedule. Any other error says why the
	// solver failed, and comes with EASY's schedule.
	Solve(*Instance, Objective, Budget) (Result, error)
}

// Budget limits a search. The zero value allows none: the schedule is EASY's.
type Budget struct {
	// Nodes is how many schedules, complete or partial, may be looked at. The
	// same number gives the same result on every machine. [Unlimited] is no limit.
	Nodes int64
	// Stop is asked now and then whether to end, which makes a limit in time. It
	// may be nil.
	Stop func() bool
}

// Unlimited is the Budget.Nodes without a limit.
const Unlimited = -1

// Result is the best schedule that a solver found, and what it knows of better
// ones.
type Result struct {
	Starts  []ostrich.Duration // of each job, in the order of the instance
	Order   []int              // the indices of the jobs in the order of their starts, then of the queue
	Value   float64            // of the schedule
	EASY    float64            // of EASY's
	Bound   float64            // no schedule has a smaller value
	Optimal bool               // no schedule is better: Bound is Value
	Nodes   int64              // that were looked at
}

// Gap returns by which part of the value a better schedule might be smaller, from 0 to 1.
func (r *Result) Gap() float64 {
	if r.Optimal || r.Value <= r.Bound {
		return 0
	}
	return (r.Value - r.Bound) / r.Value
}

// Listed returns the schedule of List in the order of the given starts, or EASY's if that
// is better or starts is nil. Its bound is the value if no job of the queue hindered
// another one.
func Listed(in *Instance, o Objective, starts []float64) (Result, error) {
	if err := o.Check(in); err != nil {
		return Result{}, err
	}
	if starts != nil && len(starts) != len(in.Jobs) {
		return Result{}, fmt.Errorf("optimal: %d starts for %d jobs: %w", len(starts), len(in.Jobs), ErrInstance)
	}
	r := Result{Starts: EASY(in)}
	r.EASY = o.Value(in, r.Starts)
	r.Value = r.EASY
	if starts != nil {
		if listed := List(in, inOrder(starts)); o.Value(in, listed) < r.Value {
			r.Starts, r.Value = listed, o.Value(in, listed)
		}
	}
	r.Order = inOrder(r.Starts)
	free, alone := newProfile(in), make([]ostrich.Duration, len(in.Jobs))
	for i := range in.Jobs {
		alone[i] = free.earliest(0, in.Jobs[i].Procs, in.Jobs[i].Length)
	}
	r.Bound = o.Value(in, alone)
	r.Optimal = r.Bound == r.Value
	return r, nil
}
