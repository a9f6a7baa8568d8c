package sim_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// one is a campaign of one job.
func one(id ostrich.JobID, submit ostrich.Time, procs int, p ostrich.Duration) sim.Campaign {
	return sim.NewCampaign(ostrich.UserID(id), submit, 0, sim.Job{ID: id, Procs: procs, Run: p, Estimate: p})
}

// tier gives the jobs of a campaign a tier.
func tier(n int32, c sim.Campaign) sim.Campaign {
	for i := range c.Jobs {
		c.Jobs[i].Tier = n
	}
	return c
}

// TestSlurmByHand compares with schedules of 4 processors computed by hand.
func TestSlurmByHand(t *testing.T) {
	for _, tt := range []struct {
		name      string
		scheduler sim.Scheduler
		campaigns []sim.Campaign
		want      []ostrich.Time
	}{
		{
			// The main scheduler looked at 0, so not before 3 again.
			"looks not twice within the delay",
			sim.Scheduler{},
			[]sim.Campaign{one(1, 0, 1, 9), one(2, 1, 1, 9), one(3, 7, 1, 9)},
			[]ostrich.Time{0, 3, 7},
		},
		{
			// Job 2 blocks job 3, which fits beside it, until the backfill
			// scheduler looks at 30.
			"jumps when backfill looks",
			sim.Scheduler{},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 50)},
			[]ostrich.Time{0, 100, 30},
		},
		{
			"backfill looks more often",
			sim.Scheduler{BackfillInterval: 7},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 50)},
			[]ostrich.Time{0, 100, 14},
		},
		{
			"no backfill",
			sim.Scheduler{BackfillDepth: -1},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 50)},
			[]ostrich.Time{0, 100, 200},
		},
		{
			// Job 3 is the second in the order, and only the first is looked at.
			"backfill is not deep",
			sim.Scheduler{BackfillDepth: 1},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 50)},
			[]ostrich.Time{0, 100, 200},
		},
		{
			// Without a reservation for job 2, whose start is 100 s away, job 3
			// delays it.
			"a short window",
			sim.Scheduler{BackfillWindow: 70},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 500)},
			[]ostrich.Time{0, 530, 30},
		},
		{
			"a window as long as that",
			sim.Scheduler{BackfillWindow: 71},
			[]sim.Campaign{one(1, 0, 3, 100), one(2, 5, 4, 100), one(3, 10, 1, 500)},
			[]ostrich.Time{0, 100, 200},
		},
		{
			// At 10 one job is looked at, at 60 all are.
			"the main scheduler is not deep",
			sim.Scheduler{Depth: 1, BackfillDepth: -1},
			[]sim.Campaign{one(1, 0, 1, 500), one(2, 10, 1, 500), one(3, 10, 1, 500), one(4, 10, 1, 500)},
			[]ostrich.Time{0, 10, 60, 60},
		},
		{
			// Job 3 is of a higher tier than job 2, which came before.
			"tiers",
			sim.Scheduler{},
			[]sim.Campaign{tier(1, one(1, 0, 4, 50)), tier(1, one(2, 5, 4, 50)), tier(2, one(3, 10, 4, 50))},
			[]ostrich.Time{0, 100, 50},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, policy := range map[string]sim.Policy{"order": nil, "campaigns": sim.FCFSCampaigns, "jobs": orders.FairShare(1000)} {
				jobs := mustRun(t, sim.Machine{Procs: 4, Open: true, Policy: policy, Backfill: sim.Slurm, Scheduler: tt.scheduler}, tt.campaigns)
				if diff := gocmp.Diff(tt.want, starts(jobs)); diff != "" {
					t.Errorf("%s: starts (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestSlurmIsConservative gives Slurm's schedulers no limits, so that they
// look at every job at every event: that is conservative backfilling whose
// reservations are made anew at each pass.
func TestSlurmIsConservative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "m")
		campaigns := mustCampaigns(t, drawLog(t, m, false))
		l := sim.Machine{
			Procs: m, Open: rapid.Bool().Draw(t, "open"), Offsets: rapid.Bool().Draw(t, "offsets"), Backfill: sim.Conservative,
			Policy: rapid.SampledFrom([]sim.Policy{nil, sim.FCFSCampaigns, sim.OStrich(ostrich.Options{})}).Draw(t, "policy"),
		}
		want := mustRun(t, l, campaigns)
		l.Backfill = sim.Slurm
		l.Scheduler = sim.Scheduler{Depth: 1 << 20, Delay: -1, BackfillInterval: 1, BackfillDepth: 1 << 20, BackfillWindow: 1 << 40}
		if diff := gocmp.Diff(starts(want), starts(mustRun(t, l, campaigns))); diff != "" {
			t.Errorf("starts (-conservative +slurm):\n%s", diff)
		}
	})
}

// TestForesight: what the backfill scheduler knows beforehand of the jobs that it will look at changes no start. It
// knows nothing where there are several tiers, as with a job of another one that comes when all have ended.
func TestForesight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 6).Draw(t, "m")
		campaigns := mustCampaigns(t, drawLog(t, m, false))
		drawLimits(t, campaigns)
		l := sim.Machine{
			Procs: m, Open: true, Offsets: rapid.Bool().Draw(t, "offsets"), Backfill: sim.Slurm, Scheduler: drawScheduler(t),
			Policy: rapid.SampledFrom([]sim.Policy{sim.FCFSCampaigns, sim.OStrich(ostrich.Options{}), sim.OStrich(ostrich.Options{Late: ostrich.Append, Rule: campaign.Rule{By: campaign.Window, Threshold: 20}}), orders.FairShare(1000)}).Draw(t, "policy"),
		}
		l.Scheduler.BackfillDepth = rapid.IntRange(1, 6).Draw(t, "few")
		got := starts(mustRun(t, l, campaigns))
		last := one(10_000, campaigns[len(campaigns)-1].Submit+1<<30, 1, 1)
		want := starts(mustRun(t, l, append(campaigns, tier(1, last))))
		if diff := gocmp.Diff(want[:len(got)], got); diff != "" {
			t.Errorf("starts (-without +with):\n%s", diff)
		}
	})
}

// drawScheduler draws limits, most of them narrow.
func drawScheduler(t *rapid.T) sim.Scheduler {
	span := func(name string, least int) int { return rapid.IntRange(least, 40).Draw(t, name) }
	return sim.Scheduler{
		Depth: span("depth", 0), Interval: ostrich.Duration(span("interval", 0)), Delay: ostrich.Duration(span("delay", -1)),
		BackfillInterval: ostrich.Duration(span("bf_interval", 0)), BackfillDepth: span("bf_max_job_test", -1),
		BackfillWindow: ostrich.Duration(span("bf_window", 0)),
	}
}
