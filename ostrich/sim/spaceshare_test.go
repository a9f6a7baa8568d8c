package sim_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/policy"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
)

// TestFigure213 has the users of thesis figure 2.13 on 6 processors, with jobs of
// a second: dark (1) and medium gray (2) from time 0, light gray (3) from 2 on.
// The text has pools change at 2, 8 and 12.
func TestFigure213(t *testing.T) {
	loads := []policy.Divisible{
		{User: 1, Work: 3*2 + 2*6 + 3*4 + 6*3},
		{User: 2, Work: 3*2 + 2*6},
		{User: 3, Arrive: 2, Work: 2*6 + 3*4},
	}
	ran := mustRun(t, sim.Machine{Procs: 6, Policy: orders.SpaceShare}, units(loads))
	var ends []ostrich.Time
	for _, c := range report.Campaigns(ran) {
		ends = append(ends, c.End)
	}
	if diff := gocmp.Diff([]ostrich.Time{15, 8, 12}, ends); diff != "" {
		t.Error("ends -want +got\n", diff)
	}
	pool := func(user ostrich.UserID, at ostrich.Time) (n int) {
		for _, j := range ran {
			if j.User == user && j.Start <= at && at < j.End {
				n++
			}
		}
		return n
	}
	for at := range ostrich.Time(15) {
		want := [3]int{2, 2, 2}
		switch {
		case at < 2:
			want = [3]int{3, 3, 0}
		case at >= 12:
			want = [3]int{6, 0, 0}
		case at >= 8:
			want = [3]int{3, 0, 3}
		}
		if got := [3]int{pool(1, at), pool(2, at), pool(3, at)}; got != want {
			t.Errorf("at %d the pools are %v, want %v", at, got, want)
		}
	}
}

// TestFigure65 is the situation of thesis figures 6.4 to 6.6: on their own the
// campaigns of the light gray (1) and the dark gray user (2) take x and 1. The text
// gives the times at which they end, over the optimum of dark gray: x+1 and x
// with FCFS, 3 and x+3 with space sharing, 1 and x+1 with OStrich. The sizes of the
// jobs are in the lost figure; these make each sentence of it true.
func TestFigure65(t *testing.T) {
	const x = 20
	wide := func(id ostrich.JobID, procs int, p ostrich.Duration) sim.Job {
		return sim.Job{ID: id, Procs: procs, Run: p, Estimate: p}
	}
	campaigns := []sim.Campaign{
		// A first job within the share, and one that waits until there is more.
		sim.NewCampaign(1, 0, 0, wide(1, 1, 1), wide(2, 5, x)),
		// Side by side on the machine, one after the other on half of it.
		sim.NewCampaign(2, 0, 0, wide(3, 2, 1), wide(4, 2, 1), wide(5, 2, 1)),
	}
	for _, tt := range []struct {
		name        string
		loop        sim.Machine
		light, dark ostrich.Time
	}{
		{"FCFS", sim.Machine{Procs: 6}, x, x + 1},
		{"space sharing", sim.Machine{Procs: 6, Policy: orders.SpaceShare}, x + 3, 3},
		{"OStrich", sim.Machine{
			Procs: 6, Inside: ostrich.LJF, Backfill: sim.Greedy,
			Policy: sim.OStrich(ostrich.Options{Machine: ostrich.Parallel, Gate: ostrich.Off, Inside: ostrich.LJF}),
		}, x + 1, 1},
	} {
		ran := report.Campaigns(mustRun(t, tt.loop, campaigns))
		if ran[0].End != tt.light || ran[1].End != tt.dark {
			t.Errorf("%s: light gray ends at %d, want %d; dark gray at %d, want %d", tt.name, ran[0].End, tt.light, ran[1].End, tt.dark)
		}
	}
}

// TestSpaceShareProperties: whatever starts does so within the share that its
// user has then, or on an idle machine; everything ends.
func TestSpaceShareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, _ := drawLoop(t)
		l.Policy = orders.SpaceShare
		campaigns := mustCampaigns(t, drawLog(t, l.Procs, false))
		drawLimits(t, campaigns)
		jobs := mustRun(t, l, campaigns)
		if !l.Dependencies { // else it is not told here when a job was submitted
			checkShares(t, l.Procs, jobs)
		}
		l.Backfill = sim.EASY
		if diff := gocmp.Diff(jobs, mustRun(t, l, campaigns)); diff != "" {
			t.Fatal("backfilling changes it\n", diff)
		}
	})
}

func checkShares(t *rapid.T, m int, jobs []report.Job) {
	for _, j := range jobs {
		now := j.Start
		var active, others int
		held := make(map[ostrich.UserID]int)
		seen := make(map[ostrich.UserID]bool)
		for _, o := range jobs {
			if o.Submit <= now && now < o.End && !seen[o.User] {
				seen[o.User] = true
				active++
			}
			if o.Start <= now && now < o.End {
				held[o.User] += o.Procs
				if o.Start < now {
					others++
				}
			}
		}
		if held[j.User] > (m+active-1)/active && others > 0 {
			t.Fatalf("job %d starts at %d, its user holds %d of %d processors of %d users", j.ID, now, held[j.User], m, active)
		}
	}
}
