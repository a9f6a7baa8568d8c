package optimal

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

// Planner plans queues by a solver. The zero value, but for Solver and Accept, makes
// as few users as possible wait for longer than they accept, with no budget, which is
// no plan.
type Planner struct {
	Solver    Solver
	Objective Objective // not one of stretches: a plan knows no campaigns
	Accept    satisfaction.Acceptance

	// Budget returns what may be spent on a plan; nil is nothing. It is called for
	// each, so that a limit in time begins then.
	Budget func() Budget
}

// Plan is a sim.Planner.
func (p Planner) Plan(now ostrich.Time, m int, jobs []sim.Job, running sim.Running) ([]ostrich.Time, error) {
	var budget Budget
	if p.Budget != nil {
		budget = p.Budget()
	}
	if budget.Nodes == 0 || len(jobs) == 0 {
		return nil, nil
	}
	in := Instance{Procs: m, Jobs: make([]Job, len(jobs))}
	for _, e := range running {
		in.Running = append(in.Running, Running{Procs: int(e.Procs), Left: max(1, ostrich.Duration(e.End-now))})
	}
	for i := range jobs {
		j := &jobs[i]
		in.Jobs[i] = Job{
			ID: j.ID, Procs: j.Procs, Length: j.Estimate, Due: ostrich.Duration(p.Accept.Due(j.Submit, j.Estimate) - now),
		}
	}
	result, err := p.Solver.Solve(&in, p.Objective, budget)
	if err != nil {
		return nil, err
	}
	starts := make([]ostrich.Time, len(jobs))
	for i, s := range result.Starts {
		starts[i] = now + ostrich.Time(s)
	}
	return starts, nil
}
