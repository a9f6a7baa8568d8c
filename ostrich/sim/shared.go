package sim

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
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
	ends, err := virtualCompletions(jobs, ostrich.Options{Procs: m, Machine: ostrich.Sequential}, shares, true)
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
			least[n] = max(least[n], float64(j.Submit)+float64(j.Ran()))
		}
	}
	for n := range ends {
		ends[n] = report.SharedFlow(first[n], ends[n], least[n])
	}
	return ends, nil
}
