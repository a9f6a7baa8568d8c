package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sharing"
)

// SharedFlows returns how long each campaign, by its number, would have stayed
// on the equally shared machine, in seconds; NaN for a number that no job has.
// It is the reference of report.Rho:
//
//	l~ = max(C~, max(r_j + p_j)) − t,  over the jobs j of the campaign
//
// C~ is the virtual completion if all m processors are divided at every moment
// among the users with work, by shares or, without shares, evenly; the true
// lengths are known, a user's campaigns are served in turn, and work can be cut
// anywhere. No machine ends job j, submitted at r_j, before r_j + p_j; if all
// jobs of a campaign come at once that is t + p_max, and l~ = max(C~ − t, p_max).
// C~ is rounded up to a second, as accounting has no fractions.
//
// The jobs say in which campaign they are. Those in none take nothing.
func SharedFlows(jobs []report.Job, m int, shares *ostrich.Shares) ([]float64, error) {
	if m < 1 {
		return nil, fmt.Errorf("sim: a machine of %d processors: %w", m, ErrWorkload)
	}
	ends, err := sharedEnds(jobs, m, shares)
	if err != nil {
		return nil, err
	}
	first, least := make([]float64, len(ends)), make([]float64, len(ends))
	for n := range ends {
		first[n], least[n] = math.Inf(1), math.Inf(-1)
	}
	for i := range jobs {
		j := &jobs[i]
		if n := j.Campaign; n >= 0 {
			first[n] = min(first[n], float64(j.Submit))
			least[n] = max(least[n], float64(j.Submit)+float64(j.End-j.Start))
		}
	}
	for n := range ends {
		ends[n] = report.SharedFlow(first[n], ends[n], least[n])
	}
	return ends, nil
}

// sharedEnds returns C~ of each campaign in seconds. Nothing but the submissions, the processors and the true
// lengths of the jobs matters.
func sharedEnds(jobs []report.Job, m int, shares *ostrich.Shares) ([]float64, error) {
	tree := sharing.New(sharing.Options{Size: m})
	if shares != nil {
		tree.Divide(shares)
	}
	lines := make(map[ostrich.UserID]*sharing.Line)
	var stages []*sharing.Stage // by campaign, the latest one
	var order []int32
	for i := range jobs {
		if j := &jobs[i]; j.Campaign >= 0 {
			if j.End <= j.Start {
				return nil, fmt.Errorf("sim: job %d runs for %d s: %w", j.ID, j.End-j.Start, ErrWorkload)
			}
			order = append(order, int32(i))
			stages = append(stages, make([]*sharing.Stage, max(0, j.Campaign+1-len(stages)))...)
		}
	}
	bySubmit := func(a, b int32) int { return cmp.Compare(jobs[a].Submit, jobs[b].Submit) }
	if !slices.IsSortedFunc(order, bySubmit) {
		slices.SortStableFunc(order, bySubmit)
	}
	complete := func(until float64) {
		for due := tree.Next(); due <= until; due = tree.Next() {
			tree.Complete(due)
		}
	}
	first, _ := report.Span(jobs)
	shift := max(0, 1-first) // below 0 is "not yet"
	for _, i := range order {
		j := &jobs[i]
		at := float64(j.Submit + shift)
		complete(at)
		tree.Change(at)
		line := lines[j.User]
		if line == nil {
			line = &sharing.Line{User: j.User}
			tree.Plant(line)
			lines[j.User] = line
		}
		g := stages[j.Campaign]
		if g == nil || g.Completed != sharing.NotYet {
			g = new(sharing.Stage)
			tree.Append(line, g)
			stages[j.Campaign] = g
		}
		tree.Add(g, ostrich.Work(j.End-j.Start)*ostrich.Work(j.Procs))
	}
	complete(math.MaxFloat64)
	ends := make([]float64, len(stages))
	for n, g := range stages {
		if ends[n] = math.NaN(); g != nil {
			ends[n] = g.Completed - float64(shift)
		}
	}
	return ends, nil
}
