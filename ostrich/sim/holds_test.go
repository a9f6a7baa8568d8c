package sim

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// TestSidecarHolds: under the daemon's policy what depends on other jobs counts
// from when it can start, as it does in a cluster.
func TestSidecarHolds(t *testing.T) {
	// User 1 has a job of 10 s, and one of 1000 s that needs it; user 2 has 600 s.
	campaigns := []Campaign{
		NewCampaign(1, 0, 0, Job{ID: 1, Procs: 1, Run: 10, Estimate: 10}, Job{ID: 2, Procs: 1, Run: 1000, Estimate: 1000}),
		NewCampaign(2, 0, 0, Job{ID: 3, Procs: 1, Run: 600, Estimate: 600}),
	}
	campaigns[0].Depends = &Dependencies{Needs: []int32{0, 1}, Successors: []int32{1, 0}}
	loop := Machine{
		Procs: 1, Open: true, Dependencies: true, Policy: Classed(ostrich.Options{Settle: true, Gate: ostrich.Off}, Classes{}),
	}
	jobs, err := loop.Run(campaigns)
	if err != nil {
		t.Fatal(err)
	}
	starts := map[ostrich.JobID]ostrich.Time{}
	for _, j := range jobs {
		starts[j.ID] = j.Start
	}
	if starts[1] != 0 || starts[3] != 10 || starts[2] != 610 {
		t.Errorf("starts %v, want job 1 at 0, 3 at 10 and 2 at 610", starts)
	}
}
