package sim_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim"
)

// TestOrderAgrees: in an open loop with logged offsets, an order of jobs is the
// replay of the log in that order.
func TestOrderAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t, 4, false)
		o := rapid.SampledFrom([]sim.Order{sim.SPT, sim.LPT, sim.LJF}).Draw(t, "order")
		b := rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Greedy}).Draw(t, "backfill")
		want, err := sim.Machine{Procs: 4, Order: o, Backfill: b}.Replay(log)
		if err != nil {
			t.Fatal(err)
		}
		ran := mustRun(t, sim.Machine{Procs: 4, Order: o, Backfill: b, Open: true, Offsets: true}, mustCampaigns(t, log))
		got := make([]ostrich.Time, len(log))
		for _, j := range ran {
			got[j.ID-1] = j.Start // drawLog counts the jobs
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%s, %s: starts -want +got\n%s", o.Name, sim.BackfillNames[b], diff)
		}
	})
}

// TestOrderClosed: in any loop, an order of jobs is the ranking by it.
func TestOrderClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawPolicy(t)
		campaigns := mustCampaigns(t, drawLog(t, l.Procs, false))
		drawLimits(t, campaigns)
		id := ostrich.JobID(0)
		for i := range campaigns {
			for k := range campaigns[i].Jobs {
				id++
				campaigns[i].Jobs[k].ID = id
			}
		}
		for _, tt := range []struct {
			order   sim.Order
			compare func(a, b *ostrich.Job) int
		}{
			{sim.SPT, func(a, b *ostrich.Job) int { return cmp.Compare(a.Estimate, b.Estimate) }},
			{sim.LPT, func(a, b *ostrich.Job) int { return cmp.Compare(b.Estimate, a.Estimate) }},
			{sim.LJF, func(a, b *ostrich.Job) int { return cmp.Compare(b.Procs, a.Procs) }},
		} {
			l.Policy, l.Order = nil, tt.order
			got := mustRun(t, l, campaigns)
			l.Policy = func(int) (sim.Ranker, error) { return &inOrder{compare: tt.compare}, nil }
			if diff := gocmp.Diff(mustRun(t, l, campaigns), got); diff != "" {
				t.Fatalf("%s: ranked - ordered +\n%s", tt.order.Name, diff)
			}
		}
	})
}

// TestKill: a job is ended at its estimate only if asked; until it has ended it
// is expected to end at any moment.
func TestKill(t *testing.T) {
	one := func(id ostrich.JobID, procs int, run, estimate ostrich.Duration) []sim.Job {
		return []sim.Job{{ID: id, Procs: procs, Run: run, Estimate: estimate}}
	}
	campaigns := []sim.Campaign{
		sim.NewCampaign(1, 0, 0, one(1, 1, 9, 4)...),
		sim.NewCampaign(2, 1, 0, one(2, 2, 1, 1)...), // the head; its shadow time is 4, then now
		sim.NewCampaign(3, 2, 0, one(3, 1, 3, 2)...), // jumps, as it is expected to end by 4
		sim.NewCampaign(4, 5, 0, one(4, 1, 1, 1)...), // would not end by now
	}
	for kill, want := range map[bool][]ostrich.Time{false: {0, 9, 2, 10}, true: {0, 4, 2, 5}} {
		ran := mustRun(t, sim.Machine{Procs: 2, Backfill: sim.EASY, Kill: kill}, campaigns)
		if diff := gocmp.Diff(want, starts(ran)); diff != "" {
			t.Errorf("kill %v: starts -want +got\n%s", kill, diff)
		}
		var killed []bool
		for _, j := range ran {
			killed = append(killed, j.Killed)
		}
		if diff := gocmp.Diff([]bool{kill, false, kill, false}, killed); diff != "" {
			t.Errorf("kill %v: killed -want +got\n%s", kill, diff)
		}
	}
}
