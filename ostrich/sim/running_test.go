package sim_test

import (
	"errors"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/nodes"
)

// TestRunsAlready: job 1 runs on the larger node, where nobody would put it, so that job 2 waits for it. Job 3 is not on nodes yet, and
// job 4 asks for what neither has. What does not fit is an error.
func TestRunsAlready(t *testing.T) {
	m := sim.Machine{
		Cluster: &nodes.Cluster{Nodes: []nodes.Node{{CPUs: 2}, {CPUs: 4}}}, Backfill: sim.EASY,
		Requests: []nodes.Request{{CPUs: 1}, {CPUs: 4, MaxNodes: 1}, {CPUs: 9}},
		On:       []*nodes.Allocation{{Nodes: []int32{1}, CPUs: []int32{1}, Memory: []int64{0}}, nil},
	}
	jobs := []sim.Job{
		{ID: 1, Run: 10, Estimate: 10, Procs: 1, Request: 1}, {ID: 2, Run: 1, Estimate: 1, Procs: 4, Request: 2}, {ID: 3, Run: 1, Estimate: 1, Procs: 1, Request: 1},
	}
	if err := m.Prepare(); err != nil || m.Procs != 6 {
		t.Fatalf("%d processors, %v", m.Procs, err)
	}
	for range 2 { // prepared once
		starts, err := m.Replay(jobs)
		if want := []ostrich.Time{0, 10, 0}; err != nil || !slices.Equal(starts, want) {
			t.Fatalf("starts %v, %v, want %v", starts, err, want)
		}
	}
	if !m.Meets(0) || !m.Meets(2) || m.Meets(3) || m.Meets(4) {
		t.Errorf("requests are met: %t %t %t %t", m.Meets(0), m.Meets(2), m.Meets(3), m.Meets(4))
	}
	m.Tests = 1 // job 3 is not looked at behind it
	if starts, err := m.Replay(jobs); err != nil || !slices.Equal(starts, []ostrich.Time{0, 10, 10}) {
		t.Errorf("one miss a pass: starts %v, %v", starts, err)
	}
	m.On = []*nodes.Allocation{{Nodes: []int32{0}, CPUs: []int32{3}, Memory: []int64{0}}}
	if _, err := m.Replay(jobs); !errors.Is(err, sim.ErrWorkload) {
		t.Errorf("three processors of two: %v", err)
	}
}
