package sim_test

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestThrottle: of an array with %1 one task runs at a time. Two nodes of four CPUs: the first is in use until 101, half of the second until 151.
// The first task waits for the first node, and a job of one CPU could run beside it on the second, but for a second task that is
// kept that node from 151 on. TestThrottledTask of contrib/testbed sees the same on a real Slurm.
func TestThrottle(t *testing.T) {
	for _, tt := range []struct {
		name      string
		throttles map[ostrich.JobID]int
		keep      bool
		starts    []ostrich.Time // of the tasks, and of the job
	}{
		{"no limit", nil, false, []ostrich.Time{101, 151, 301}},
		{"another task is kept no nodes", map[ostrich.JobID]int{9: 1}, false, []ostrich.Time{101, 301, 1}},
		{"it is, before 23.02.4", map[ostrich.JobID]int{9: 1}, true, []ostrich.Time{101, 301, 101}},
		{"as many may run as there are", map[ostrich.JobID]int{9: 2}, false, []ostrich.Time{101, 151, 301}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sim.Machine{Cluster: rack(2), Backfill: sim.Slurm, Scheduler: sim.Scheduler{KeepThrottled: tt.keep}, Open: true, Throttles: tt.throttles}
			var campaigns []sim.Campaign
			for i, j := range []struct {
				cpus  int
				run   ostrich.Duration
				array ostrich.JobID
			}{{4, 100, 0}, {2, 150, 0}, {4, 200, 9}, {4, 200, 9}, {1, 200, 0}} {
				m.Requests = append(m.Requests, nodes.Request{CPUs: j.cpus, MaxNodes: 1})
				campaigns = append(campaigns, sim.NewCampaign(0, 1, 0, sim.Job{
					ID: ostrich.JobID(i + 1), Run: j.run, Estimate: j.run, Procs: j.cpus, Array: j.array, Request: int32(i + 1),
				}))
			}
			jobs, err := m.Run(campaigns)
			if err != nil {
				t.Fatal(err)
			}
			var starts []ostrich.Time
			for _, j := range jobs[2:] {
				starts = append(starts, j.Start)
			}
			if !slices.Equal(starts, tt.starts) {
				t.Errorf("starts %v, want %v", starts, tt.starts)
			}
		})
	}
}

// TestThrottleErrors: limits of arrays are for Slurm on nodes, and let one task run at least.
func TestThrottleErrors(t *testing.T) {
	for _, m := range []sim.Machine{
		{Cluster: rack(1), Backfill: sim.Slurm, Throttles: map[ostrich.JobID]int{9: 0}},
		{Cluster: rack(1), Backfill: sim.EASY, Throttles: map[ostrich.JobID]int{9: 1}},
		{Procs: 4, Backfill: sim.Slurm, Throttles: map[ostrich.JobID]int{9: 1}},
	} {
		if _, err := m.Run(nil); err == nil {
			t.Errorf("arrays %v under %s: no error", m.Throttles, sim.BackfillNames[m.Backfill])
		}
	}
}
