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
	one := func(id ostrich.JobID, procs int, p ostrich.Duration) []sim.Job {
		return []sim.Job{{ID: id, Procs: procs, Run: p, Estimate: p}}
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 0, 0, one(1, 3, 10)...),
		sim.NewCampaign(2, 1, 0, one(2, 4, 5)...),  // reserved for 10 to 15
		sim.NewCampaign(3, 2, 0, one(3, 2, 20)...), // for 15 to 35
		sim.NewCampaign(4, 3, 0, one(4, 2, 20)...), // for 15 to 35
		sim.NewCampaign(5, 4, 0, one(5, 1, 9)...),  // would be in the way of 2 alone
		sim.NewCampaign(6, 5, 0, one(6, 1, 5)...),  // by 10
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
		for i := range log {
			log[i].Estimate = log[i].Run
		}
		want, err := sim.Machine{Procs: 5, Backfill: sim.Conservative}.Replay(log)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]ostrich.Time, len(log))
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
