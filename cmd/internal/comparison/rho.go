package comparison

import (
	"fmt"

	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
)

// measureRho compares the campaigns of each run with an equally shared machine,
// by report.Rho with the floor as the allowance.
func (s *studied) measureRho() error {
	var shared []float64
	for r := range s.runs {
		run, jobs := &s.runs[r], s.in.Runs[r].Jobs
		if r == 0 || !sameLoad(jobs, s.in.Runs[r-1].Jobs) { // the same load gives the same result
			var err error
			if shared, err = sim.SharedFlows(jobs, s.in.Procs, s.in.Shares); err != nil {
				return fmt.Errorf("the equally shared machine: %w", err)
			}
		}
		run.rho = make([]float64, len(run.campaigns))
		for number, i := range s.place {
			if i >= 0 {
				c := &run.campaigns[i]
				run.rho[i] = report.Rho(float64(c.End-c.Submit), shared[number], float64(s.in.Floor))
			}
		}
	}
	return nil
}

// sameLoad reports whether the same jobs are submitted at the same times and run as
// long in both runs.
func sameLoad(a, b []report.Job) bool {
	for i := range a {
		if a[i].Submit != b[i].Submit || a[i].End-a[i].Start != b[i].End-b[i].Start {
			return false
		}
	}
	return true
}
