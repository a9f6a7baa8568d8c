package sim_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// TestLoopConservative: a job that jumps delays none in front of it, as far as
// the depth goes.
func TestLoopConservative(t *testing.T) {
	one := func(id ostrich.JobID, procs int, p ostrich.Duration) []sim.Task {
		return []sim.Task{{ID: id, Procs: procs, Run: p, Estimate: p}}
	}
	campaigns := []sim.Campaign{
		{User: 1, Submit: 0, Tasks: one(1, 3, 10)},
		{User: 2, Submit: 1, Tasks: one(2, 4, 5)},  // reserved for 10 to 15
		{User: 3, Submit: 2, Tasks: one(3, 2, 20)}, // for 15 to 35
		{User: 4, Submit: 3, Tasks: one(4, 2, 20)}, // for 15 to 35
		{User: 5, Submit: 4, Tasks: one(5, 1, 9)},  // would be in the way of 2 alone
		{User: 6, Submit: 5, Tasks: one(6, 1, 5)},  // by 10
	}
	for _, tt := range []struct {
		name string
		loop sim.Machine
		want []ostrich.Time
	}{
		{"all", sim.Machine{}, []ostrich.Time{0, 10, 15, 15, 35, 5}},
		{"none", sim.Machine{Backfill: sim.None}, []ostrich.Time{0, 10, 15, 15, 35, 35}},
		// At 5 jobs 2 to 4 have reservations, and 6 is not looked at. At 15 both of
		// those start.
		{"three deep", sim.Machine{Depth: 3}, []ostrich.Time{0, 10, 15, 15, 35, 35}},
		{"five deep", sim.Machine{Depth: 5}, []ostrich.Time{0, 10, 15, 15, 35, 5}},
		{"campaigns", sim.Machine{Policy: sim.FCFSCampaigns}, []ostrich.Time{0, 10, 15, 15, 35, 5}},
		{"fair share", sim.Machine{Policy: orders.FairShare(1000)}, []ostrich.Time{0, 10, 15, 15, 35, 5}},
	} {
		tt.loop.Procs = 4
		if tt.name != "none" {
			tt.loop.Backfill = sim.Conservative
		}
		if diff := gocmp.Diff(tt.want, starts(mustRun(t, tt.loop, campaigns))); diff != "" {
			t.Errorf("%s: starts -want +got\n%s", tt.name, diff)
		}
	}
}

// TestLoopConservativeAgrees: first come, first served, and with estimates that
// are true, it makes no difference whether reservations are kept or made anew.
func TestLoopConservativeAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t, 5, false)
		jobs := make([]sim.Job, len(log))
		for i := range log {
			log[i].Estimate = log[i].Run
			jobs[i] = log[i].Job
		}
		want, err := sim.Machine{Procs: 5, Backfill: sim.Conservative}.Replay(jobs)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]ostrich.Time, len(jobs))
		l := sim.Machine{Procs: 5, Backfill: sim.Conservative, Open: true, Offsets: true, Order: sim.Order{
			Compare: func(a, b *sim.Job) int { return int(a.Submit - b.Submit) },
		}}
		for _, j := range mustRun(t, l, mustCampaigns(t, log)) {
			got[j.ID-1] = j.Start // drawLog counts the jobs
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal("starts: kept - made anew +\n", diff)
		}
	})
}
