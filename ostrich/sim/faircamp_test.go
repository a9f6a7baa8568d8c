package sim_test

import (
	"errors"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/sim"
)

// TestFairCampAgrees: job by job, the loop is the algorithm of package policy
// that packs campaigns.
func TestFairCampAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "m")
		k := rapid.IntRange(1, 4).Draw(t, "users")
		var campaigns []sim.Campaign
		var whole []policy.Campaign
		at, id := ostrich.Time(0), ostrich.JobID(1)
		seen := make(map[ostrich.UserID]bool)
		for range rapid.IntRange(1, 12).Draw(t, "campaigns") {
			at += ostrich.Time(rapid.IntRange(0, 9).Draw(t, "gap"))
			c := sim.Campaign{User: ostrich.UserID(rapid.IntRange(1, k).Draw(t, "user")), Submit: at}
			if seen[c.User] {
				c.Think = ostrich.Duration(rapid.IntRange(0, 9).Draw(t, "think"))
			}
			seen[c.User] = true
			c.Tasks = tasks(id, rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 9), func(p int) ostrich.Duration {
				return ostrich.Duration(p)
			}), 1, 6).Draw(t, "lengths")...)
			w := policy.Campaign{User: c.User, Submit: c.Submit, Think: c.Think}
			for _, task := range c.Tasks {
				w.Tasks = append(w.Tasks, policy.Task{ID: task.ID, Run: task.Run})
			}
			id += ostrich.JobID(len(c.Tasks))
			campaigns, whole = append(campaigns, c), append(whole, w)
		}
		rho := rapid.SampledFrom([]struct {
			rho    policy.Makespan
			inside ostrich.Inside
		}{{policy.LPT, ostrich.LPT}, {policy.List, ostrich.Submission}}).Draw(t, "rho")
		backfill := rapid.SampledFrom([]sim.Backfill{sim.None, sim.EASY, sim.Greedy, sim.Conservative}).Draw(t, "backfill") // no job has a reason to jump
		placed, err := policy.Machine{Procs: m, Place: policy.Packed, Rho: rho.rho}.FairCamp(whole, k)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[ostrich.JobID]ostrich.Time)
		for _, p := range placed {
			for i, s := range p.Slots {
				want[whole[p.Campaign].Tasks[i].ID] = s.Start
			}
		}
		got := make(map[ostrich.JobID]ostrich.Time)
		for _, j := range mustRun(t, sim.Loop{Procs: m, Inside: rho.inside, Backfill: backfill, Policy: sim.FairCamp(k, rho.rho)}, campaigns) {
			got[j.ID] = j.Start
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal("starts: packed - by events +\n", diff)
		}
	})
}

func TestFairCampFaults(t *testing.T) {
	two := []sim.Task{{ID: 1, Procs: 1, Run: 1, Estimate: 1}, {ID: 2, Procs: 1, Run: 1, Estimate: 1, Offset: 3}}
	for _, tt := range []struct {
		name      string
		k         int
		campaigns []sim.Campaign
		want      string
	}{
		{"no user", 0, nil, "FairCamp for 0 users"},
		{"parallel", 1, []sim.Campaign{{User: 1, Tasks: []sim.Task{{ID: 9, Procs: 2, Run: 1, Estimate: 1}}}}, "running number 1: needs 2 processors, and FairCamp takes sequential jobs only"},
		{"offsets", 1, []sim.Campaign{{User: 1, Tasks: two}}, "running number 2: submitted later than its campaign"},
		{"offsets in time", 1, []sim.Campaign{{User: 1, Tasks: []sim.Task{{ID: 1, Procs: 1, Run: 9, Estimate: 9}, two[1]}}, {User: 1, Tasks: two[:1]}}, "running number 2: submitted later than its campaign"},
		{"users", 1, []sim.Campaign{{User: 1, Tasks: two[:1]}, {User: 2, Tasks: two[:1]}}, "running number 2: its user is one too many, FairCamp was told of 1"},
		{"overflow", 1 << 62, []sim.Campaign{{User: 1, Tasks: tasks(1, 3)}}, "running number 1: its deadline overflows"},
	} {
		_, err := (sim.Loop{Procs: 2, Offsets: true, Policy: sim.FairCamp(tt.k, nil)}).Run(tt.campaigns)
		if !errors.Is(err, sim.ErrWorkload) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
