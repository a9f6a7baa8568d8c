package sim

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/optimal"
	"slurm-ostrich/ostrich/satisfaction"
)

// Optimise plans queues by a solver. The zero value, but for Solver and Accept, makes
// as few users as possible wait for longer than they accept, with no budget, which is
// no plan.
type Optimise struct {
	Solver    optimal.Solver
	Objective optimal.Objective // not one of stretches: a plan knows no campaigns
	Accept    satisfaction.Acceptance

	// Budget returns what may be spent on a plan; nil is nothing. It is called for
	// each, so that a limit in time begins then.
	Budget func() optimal.Budget
}

// Plan is a [Planner].
func (o Optimise) Plan(now ostrich.Time, m int, jobs []Job, running Running) ([]ostrich.Time, error) {
	var budget optimal.Budget
	if o.Budget != nil {
		budget = o.Budget()
	}
	if budget.Nodes == 0 || len(jobs) == 0 {
		return nil, nil
	}
	in := optimal.Instance{Procs: m, Jobs: make([]optimal.Job, len(jobs))}
	for _, e := range running {
		in.Running = append(in.Running, optimal.Running{Procs: int(e.Procs), Left: max(1, ostrich.Duration(e.End-now))})
	}
	for i := range jobs {
		j := &jobs[i]
		in.Jobs[i] = optimal.Job{
			ID: j.ID, Procs: j.Procs, Length: j.Estimate, Due: ostrich.Duration(o.Accept.Due(j.Submit, j.Estimate) - now),
		}
	}
	result, err := o.Solver.Solve(&in, o.Objective, budget)
	if err != nil {
		return nil, err
	}
	starts := make([]ostrich.Time, len(jobs))
	for i, s := range result.Starts {
		starts[i] = now + ostrich.Time(s)
	}
	return starts, nil
}
