package sim_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// TestScored has 4 processors, which job 1 has until 1100. At 1100 the others have waited
// for 90, 60 and 99 s:
//
//	job  n  r   (wait/r)³·n  wait/(log2(n)·r)  log10(r)·n + 870·log10(s)
//	2    4  30  108          1.5               5.91 + 2613.8
//	3    3  20  81           1.89              3.90 + 2625.0
//	4    1  90  1.33         infinite          1.95 + 2610.4
//
// No two of jobs 2 and 3 fit together, and no other with job 2. When job 3 runs, its
// fourth processor is free for job 4.
func TestScored(t *testing.T) {
	job := func(id ostrich.JobID, procs int, p ostrich.Duration) []sim.Job {
		return []sim.Job{{ID: id, Procs: procs, Run: p, Estimate: p}}
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 1000, 0, job(1, 4, 100)...),
		sim.NewCampaign(1, 1001, 0, job(4, 1, 90)...),
		sim.NewCampaign(2, 1010, 0, job(2, 4, 30)...),
		sim.NewCampaign(3, 1040, 0, job(3, 3, 20)...),
	}
	for _, tt := range []struct {
		machine sim.Machine
		want    []ostrich.Time // jobs 1, 4, 2, 3
	}{
		// 108, 81, 1.33: at 1130 job 3 has (90/20)³·3 = 273, and job 4 fits beside it.
		{sim.Machine{Policy: orders.Scored(orders.WFP3)}, []ostrich.Time{1000, 1130, 1100, 1130}},
		// Job 4, then job 3 beside it, and job 2 when both have ended.
		{sim.Machine{Policy: orders.Scored(orders.UNICEP)}, []ostrich.Time{1000, 1100, 1190, 1100}},
		// Job 4; job 2 does not fit beside it, and nothing passes it.
		{sim.Machine{Order: orders.F1}, []ostrich.Time{1000, 1100, 1190, 1220}},
	} {
		tt.machine.Procs, tt.machine.Open = 4, true
		if diff := gocmp.Diff(tt.want, starts(mustRun(t, tt.machine, campaigns))); diff != "" {
			t.Errorf("%s: starts -want +got\n%s", tt.machine.Order.Name, diff)
		}
	}
}
